"""Commands that act on pages: each is a tool, with some of its arguments by position.

Options, types and descriptions come from the tools, so that the shell and MCP cannot differ.
"""

import argparse
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeAlias, get_args

import attrs
import msgspec

from tabwright.cli.parsing import CommandParser, examples_text
from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.arguments import JSONObject
from tabwright.protocol.actions import (
    ACTIONS,
    AnswerDialog,
    Click,
    Press,
    Scroll,
    SelectOption,
    SimpleAction,
    Type,
    Upload,
    WaitFor,
)
from tabwright.protocol.declarations import Declaration, declared_fields
from tabwright.protocol.errors import BadInput
from tabwright.protocol.locators import LocatorKind, is_locator
from tabwright.text.file_errors import file_problem

if TYPE_CHECKING:
    from tabwright.mcp.tool import AnyTool

FIELD = re.compile(
    rf"""(?P<field>(?:(?:{"|".join(get_args(LocatorKind))})=)?(?:\[[^\]]*\]|"[^"]*"|[^=])+)"""
    r"=(?P<value>.*)",
    re.DOTALL,
)
"""A field and its value; the field can be a locator."""

FILE_FORMATS = {".png": "png", ".webp": "webp", ".jpg": "jpeg", ".jpeg": "jpeg", ".pdf": "pdf"}

OUTLINE_TOKENS = 1000
"""The length of an outline, unless the command says otherwise."""

GivenArguments: TypeAlias = dict[str, object]


@attrs.frozen(kw_only=True)
class Positional:
    """An argument that is given by its position.

    Attributes:
        name: of the argument of the tool.
        text: its description, if it is given in another form than the tool's.
        many: whether it takes all that follow.
        text_is: the argument that it is instead if it is not a number.
        optional: whether it can be left out.
        convert: converts the words; see `_pairs` and `_steps`.
    """

    name: str
    text: str = ""
    many: bool = False
    text_is: str = ""
    optional: bool = False
    convert: Callable[["ShellCall", list[str]], object] | None = None


@attrs.frozen(kw_only=True)
class ShellCommand:
    """A command.

    Attributes:
        text: its description, in a sentence.
        tool: the name of its tool.
        positionals: in their order.
        given: arguments that the tool always gets.
        accepts: arguments of the tool that the command has; empty for all.
        defaults: arguments that it gets unless the command has others.
        saves_file: whether ``--output`` names the file for its picture or document.
        examples: command lines for its help.
    """

    name: str
    text: str
    tool: str
    positionals: tuple[Positional, ...] = ()
    given: JSONObject = attrs.field(factory=dict[str, object])
    accepts: Collection[str] = ()
    defaults: JSONObject = attrs.field(factory=dict[str, object])
    saves_file: bool = False
    examples: tuple[str, ...] = ()


@attrs.frozen
class ShellCall:
    """The context in which a command runs.

    Attributes:
        folder: the working directory of the caller.
        input: what the caller's standard input has, if a word is ``-``.
    """

    folder: Path
    input: str = ""

    def read(self, word: str) -> str:
        """Return the text of a file, or of standard input.

        Raises:
            BadInput: the file cannot be read.
        """
        if word == "-":
            return self.input
        path = self.folder / word
        try:
            return path.read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(file_problem(error, path)) from error


def _pairs(_call: ShellCall, words: list[str]) -> object:
    """Return fields and values, of words such as ``email=ann@example.org``.

    The equals sign of a locator, as in ``label=Email=ann@example.org``, belongs to the field.

    Raises:
        BadInput: a word has no equals sign.
    """
    pairs = [(word, FIELD.fullmatch(word)) for word in words]
    if wrong := next((word for word, pair in pairs if pair is None), None):
        raise BadInput(f"{wrong!r} is not of the form FIELD=VALUE.")
    return {pair["field"]: pair["value"] for _, pair in pairs if pair is not None}


def _element(_call: ShellCall, words: list[str]) -> object:
    """Return a target, which is not the name of a picture.

    Raises:
        BadInput: it is one.
    """
    (word,) = words
    if Path(word).suffix.lower() in FILE_FORMATS and not is_locator(word):
        raise BadInput(f"{word} is not an element.", advice=f"Use --output {word} to save there.")
    return word


def _script(call: ShellCall, words: list[str]) -> object:
    """Return a script: the word, or standard input."""
    return call.input if words == ["-"] else " ".join(words)


def _steps(call: ShellCall, words: list[str]) -> object:
    """Return the steps in a JSON file.

    Raises:
        BadInput: the file cannot be read, or is not JSON.
    """
    try:
        return msgspec.json.decode(call.read(words[0]))
    except msgspec.DecodeError as error:
        raise BadInput(f"{words[0]} is not JSON: {error}.") from error


def _paths(call: ShellCall, words: list[str]) -> object:
    """Return absolute paths."""
    return [str(call.folder / word) for word in words]


def _joined(_call: ShellCall, words: list[str]) -> object:
    """Return the words as one text."""
    return " ".join(words)


def _accepts(_call: ShellCall, words: list[str]) -> object:
    """Return whether a dialog is accepted.

    Raises:
        BadInput: the word is neither ``accept`` nor ``dismiss``.
    """
    if words[0] not in {"accept", "dismiss"}:
        raise BadInput(f"{words[0]!r} is neither accept nor dismiss.")
    return words[0] == "accept"


# The commands of actions, which follow from their declarations.


@attrs.frozen(kw_only=True)
class CommandForm:
    """The form of an action's command, where it differs from the usual one.

    Attributes:
        name: of the command; empty for that of the tool.
        positionals: empty for the arguments that the action requires.
        examples: command lines for its help; empty for one that is made up.
    """

    name: str = ""
    positionals: tuple[Positional, ...] = ()
    examples: tuple[str, ...] = ()


REF = Positional(name="ref")

FORMS: Mapping[type[SimpleAction], CommandForm] = {
    AnswerDialog: CommandForm(
        name="act dialog",
        positionals=(
            Positional(name="accept", convert=_accepts),
            Positional(name="text", optional=True),
        ),
        examples=("tabwright act dialog accept", "tabwright act dialog dismiss"),
    ),
    Click: CommandForm(
        examples=("tabwright click 1.5", "tabwright click 'role=button[name=\"Save\"]'")
    ),
    Type: CommandForm(
        examples=("tabwright type 1.7 trio", "tabwright type label=Search trio --submit")
    ),
    SelectOption: CommandForm(
        name="act select",
        positionals=(REF, Positional(name="values", many=True, optional=True)),
        examples=("tabwright act select 1.9 Berlin",),
    ),
    Press: CommandForm(
        positionals=(Positional(name="keys", many=True, convert=_joined),),
        examples=(
            "tabwright press Enter",
            "tabwright press Control+A",
            "tabwright press Tab Enter",
        ),
    ),
    Scroll: CommandForm(
        positionals=(Positional(name="to", optional=True),),
        examples=("tabwright scroll", "tabwright scroll bottom", "tabwright scroll --text Prices"),
    ),
    WaitFor: CommandForm(
        name="wait",
        positionals=(Positional(name="text", optional=True),),
        examples=("tabwright wait Done", "tabwright wait --gone Loading", "tabwright wait --idle"),
    ),
    Upload: CommandForm(
        name="files upload",
        positionals=(REF, Positional(name="paths", many=True, convert=_paths)),
        examples=("tabwright files upload 1.5 photo.jpg",),
    ),
}

SENTENCE = re.compile(r"(?s).*?\.(?= [A-Z]|\Z)")


def action_command(kind: type[SimpleAction], declared: Declaration) -> ShellCommand:
    """Return the command of an action."""
    form = FORMS.get(kind, CommandForm())
    in_group = declared.group == "mouse"
    name = form.name or f"{'act ' if in_group else ''}{declared.name.replace('_', '-')}"
    fields = declared_fields(kind)
    required = {key: field for key, field in fields.items() if field.required}
    refs = cycle(("1.5", "1.9"))
    words = [
        next(refs) if field.parameter.element else key.upper() for key, field in required.items()
    ]
    first = SENTENCE.match(declared.description)
    return ShellCommand(
        name=name,
        text=first[0] if first else declared.description,
        tool="pointer" if in_group else declared.name,
        given={"action": declared.name} if in_group else {},
        accepts=frozenset({"session", "tab", *fields}),
        positionals=form.positionals or tuple(Positional(name=key) for key in required),
        examples=form.examples or (" ".join(("tabwright", name, *words)),),
    )


ACTION_COMMANDS = tuple(action_command(kind, kind.declared) for kind in ACTIONS if kind.declared)

# All commands.

OUTLINE: JSONObject = {"format": "outline"}
SHORT: JSONObject = {"max_tokens": OUTLINE_TOKENS}

COMMANDS = (
    ShellCommand(
        name="open",
        text="Open a page and print an outline of it, in which each element has a ref.",
        tool="navigate",
        positionals=(
            Positional(name="url", text="URL, or back, forward or reload", optional=True),
        ),
        given=OUTLINE,
        defaults=SHORT,
        examples=(
            "tabwright open example.com",
            "tabwright open --session shop shop.example",
            "tabwright open back",
        ),
    ),
    ShellCommand(
        name="snapshot",
        text="Print an outline of the page or of one element, its text, or matching elements.",
        tool="snapshot",
        positionals=(Positional(name="ref", optional=True),),
        defaults={**OUTLINE, **SHORT},
        examples=(
            "tabwright snapshot",
            "tabwright snapshot --diff",
            'tabwright snapshot --query "price"',
            "tabwright snapshot --format markdown",
            "tabwright snapshot --find 'role=button'",
        ),
    ),
    *ACTION_COMMANDS,
    ShellCommand(
        name="fill",
        text="Fill in several fields, by ref, label or name.",
        tool="fill_form",
        positionals=(
            Positional(
                name="fields",
                text="FIELD=VALUE, for example Newsletter=true",
                many=True,
                convert=_pairs,
            ),
        ),
        examples=("tabwright fill Email=ann@example.org Newsletter=true",),
    ),
    ShellCommand(
        name="run",
        text="Do the steps of a JSON file.",
        tool="run",
        positionals=(
            Positional(
                name="steps",
                text='A JSON file, or - for standard input: [{"do": "click", "ref": "1.5"}, …]; '
                "do is the name of an action, fill_form, read, if or repeat",
                convert=_steps,
            ),
        ),
        examples=("tabwright run steps.json", "tabwright run - < steps.json"),
    ),
    ShellCommand(
        name="screenshot",
        text="Save a picture of the page, or the page as a PDF file.",
        tool="screenshot",
        positionals=(Positional(name="ref", optional=True, convert=_element),),
        saves_file=True,
        examples=(
            "tabwright screenshot",
            "tabwright screenshot --output page.png",
            "tabwright screenshot 1.5",
            "tabwright screenshot --output page.pdf",
        ),
    ),
    ShellCommand(
        name="files download",
        text="Wait for a download and print its path.",
        tool="download",
        examples=("tabwright files download",),
    ),
    ShellCommand(
        name="debug console",
        text="Print what the page logged.",
        tool="console",
        examples=("tabwright debug console --level error",),
    ),
    ShellCommand(
        name="debug network",
        text="Print the requests of the page.",
        tool="network",
        examples=("tabwright debug network --failed",),
    ),
    ShellCommand(
        name="debug evaluate",
        text="Run a script in the page, if acting.scripts allows it.",
        tool="evaluate",
        positionals=(Positional(name="script", convert=_script),),
        examples=(
            "tabwright debug evaluate 'document.title'",
            "tabwright debug evaluate - < script.js",
        ),
    ),
    ShellCommand(
        name="tabs",
        text="List, open, switch or close tabs.",
        tool="tabs",
        positionals=(
            Positional(name="action", optional=True),
            Positional(name="tab", optional=True, text_is="url"),
        ),
        examples=(
            "tabwright tabs",
            "tabwright tabs open example.com",
            "tabwright tabs switch 2",
            "tabwright tabs close 2",
        ),
    ),
    ShellCommand(
        name="session list",
        text="List the open sessions.",
        tool="session_list",
        examples=("tabwright session list",),
    ),
    ShellCommand(
        name="session save",
        text="Save a session on disk.",
        tool="session_save",
        defaults={"session": DEFAULT_SESSION},
        examples=("tabwright session save --session shop",),
    ),
    ShellCommand(
        name="session close",
        text="Close a session, or all.",
        tool="session_close",
        defaults={"session": DEFAULT_SESSION},
        examples=("tabwright session close", "tabwright session close --all --forget"),
    ),
    ShellCommand(
        name="trace record",
        text="Start or stop a trace of the session, or print its status.",
        tool="trace",
        positionals=(Positional(name="action"),),
        examples=("tabwright trace record start", "tabwright trace record stop"),
    ),
)
"""All commands that act on pages."""


# Parsing.

SHORT_OPTIONS = {"session": "-s", "tab": "-t", "query": "-q"}


class ShellExit(Exception):
    """A command line asks for help, or is not valid."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class ShellParser(CommandParser):
    """A parser that ends with an exception instead of ending the program."""

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End the parsing."""
        raise ShellExit(status, message or "")


def add_options(parser: argparse.ArgumentParser, command: ShellCommand, tool: "AnyTool") -> None:
    """Add the arguments of a command's tool to a parser, and ``--json``."""
    whole = msgspec.convert(tool.input_schema["properties"], dict[str, dict[str, object]])
    properties = {name: whole[name] for name in whole if name in (command.accepts or whole)}
    placed = {one.name for one in command.positionals}
    for one in command.positionals:
        count = "*" if one.many and one.optional else "+" if one.many else "?"
        parser.add_argument(
            one.name,
            nargs=count if one.many or one.optional else None,
            metavar="|".join(filter(None, (one.name, one.text_is))).upper(),
            help=one.text or _help(properties[one.name]),
        )
    for name, schema in properties.items():
        if name not in placed and name not in command.given:
            _add_option(parser, name, schema)
    if command.saves_file:
        parser.add_argument("--output", "-o", metavar="FILE", help="where to save it")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _add_option(parser: argparse.ArgumentParser, name: str, schema: Mapping[str, object]) -> None:
    flags = [f"--{name.replace('_', '-')}", *filter(None, (SHORT_OPTIONS.get(name),))]
    described = _help(schema)
    match schema.get("type"):
        case "boolean":
            action = argparse.BooleanOptionalAction
            parser.add_argument(*flags, dest=name, action=action, help=described)
        case "array":
            parser.add_argument(*flags, dest=name, metavar="A,B", type=_list, help=described)
        case "object":
            parser.add_argument(*flags, dest=name, metavar="JSON", help=described)
        case "integer" | "number":
            parser.add_argument(*flags, dest=name, metavar="N", help=described)
        case _:
            parser.add_argument(*flags, dest=name, metavar=name.upper(), help=described)


def _list(text: str) -> str | list[str]:
    """Return a list of words separated by commas; JSON is left to the tool."""
    return text if text.startswith("[") else text.split(",")


def _help(schema: Mapping[str, object]) -> str | None:
    text = str(schema.get("description", "")).replace("%", "%%").rstrip(".")
    values = msgspec.convert(schema.get("enum", []), list[str | int])
    listed = f"One of {', '.join(map(str, values))}" if values else ""
    return ". ".join(filter(None, (text, listed))) or None


def arguments_of(
    command: ShellCommand, options: argparse.Namespace, call: ShellCall
) -> GivenArguments:
    """Return the arguments of the tool for a parsed command line.

    Raises:
        BadInput: a file cannot be read, or a word is not valid.
    """
    named = {
        name: value
        for name, value in vars(options).items()
        if value is not None and value != [] and name not in {"json", "output"}
    }
    if command.tool == "screenshot" and options.output and "format" not in named:
        suffix = Path(options.output).suffix.lower()
        named |= {"format": FILE_FORMATS[suffix]} if suffix in FILE_FORMATS else {}
    for one in command.positionals:
        if one.text_is and one.name in named and not str(named[one.name]).isdigit():
            named[one.text_is] = named.pop(one.name)
        if one.name in named and one.convert is not None:
            words = msgspec.convert(named[one.name], str | list[str])
            named[one.name] = one.convert(call, [words] if isinstance(words, str) else words)
    whole = {**command.defaults, **named, **command.given}
    if "max_tokens" not in named and whole.get("format") not in {None, "outline"}:
        whole.pop("max_tokens", None)  # the default is that of outlines
    return whole


def named_command(words: Sequence[str]) -> tuple[ShellCommand | None, Sequence[str]]:
    """Return the command that the first word or two name, and the words that follow."""
    for one in COMMANDS:
        name = one.name.split()
        if [*words[: len(name)]] == name:
            return one, words[len(name) :]
    return None, words


def parsed(command: ShellCommand, tool: "AnyTool", words: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command line without the name of the command.

    Raises:
        ShellExit: it is not valid.
    """
    parser = ShellParser(f"tabwright {command.name}", command.text, examples_text(command.examples))
    add_options(parser, command, tool)
    options, unknown = parser.parse_known_args(words)
    if unknown:
        parser.refuse(unknown)
    return options

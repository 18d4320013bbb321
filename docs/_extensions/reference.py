"""Directives that write the reference from the code while the site is built.

A page names the parts that it shows. The build fails if a setting, a command, a public name or an
error is on no page.
"""

import argparse
import ast
import json
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from inspect import getdoc, isclass, isfunction
from pathlib import Path
from textwrap import dedent

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains.python import PyObject
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from tabwright import load_settings
from tabwright.cli.command_line import all_commands, parser
from tabwright.cli.exit_codes import exit_code
from tabwright.config.engines import load_engines
from tabwright.config.explanations import meaning_of, type_text, value_text
from tabwright.config.loader import all_keys, default_layer, hint_of, keys_of, plugin_defaults
from tabwright.config.settings import TOOL_GROUPS
from tabwright.mcp.registry import toolbox
from tabwright.mcp.tool import DEFAULT_GROUPS, listed_tool
from tabwright.plugin import built_in_groups
from tabwright.protocol.errors import TabwrightError
from tabwright.text.token_budget import count_tokens

GROUPS = tuple(dict.fromkeys((*TOOL_GROUPS, *built_in_groups())))
PACKAGES = (
    "tabwright",
    "tabwright.blocks",
    "tabwright.advanced",
    "tabwright.testing",
    "tabwright.testing.replica",
    "tabwright.testing.scripted_model",
)


class Generated(SphinxDirective):
    """A directive that writes Markdown and notes the parts that it has shown."""

    has_content = True
    optional_arguments = 1
    kind = ""

    def run(self) -> list[nodes.Node]:
        """Parse the Markdown of this directive, in every build: the code may have changed."""
        self.env.note_reread()
        shown: set[str] = self.env.metadata[self.env.docname].setdefault(self.kind, set())
        shown.update(self.names())
        return self.parse_text_to_nodes("\n".join(self.write()))

    def names(self) -> Iterable[str]:
        """Return the names of the parts that this directive shows."""
        return self.arguments or " ".join(self.content).split()

    def write(self) -> Iterator[str]:
        """Yield lines of Markdown."""
        raise NotImplementedError


# Settings.


class SettingsGroup(Generated):
    """The settings of one group, each with its type, its default and its meaning."""

    kind = "settings"

    def write(self) -> Iterator[str]:
        """Yield an entry for each setting of the group."""
        [group] = self.names()
        layers = (default_layer(), *plugin_defaults())
        defaults = {key: entry for layer in layers for key, entry in layer.entries.items()}
        for key in keys_of(group):
            yield f"````{{confval}} {key}"
            yield f":type: {type_text(hint_of(key), '``')}"
            yield f":default: `` {value_text(defaults[key].value)} ``"
            yield f"\n{meaning_of(key)}\n````\n"


class ToolGroups(Generated):
    """The groups of tools, the tools in them, and the tokens of their listing."""

    kind = "tool groups"

    def names(self) -> Iterable[str]:
        """Return the names of the groups."""
        return GROUPS

    def write(self) -> Iterator[str]:
        """Yield a row for each group."""
        yield "| Group | Tools | Tokens | Listed by default |"
        yield "| --- | --- | --- | --- |"
        settings = load_settings()
        box = toolbox(settings, load_engines())
        for group in GROUPS:
            listing = [listed_tool(tool) for tool in box.every if tool.group == group]
            tokens = count_tokens(json.dumps(listing, separators=(",", ":")))
            names = ", ".join(f"`{tool['name']}`" for tool in listing)
            default = "yes" if group in DEFAULT_GROUPS else "no"
            yield f"| `{group}` | {names} | {round(tokens, -1):,} | {default} |"


# Commands.


SHARED = {
    "all commands": ("help", "config", "set", "verbose", "quiet"),
    "browser": ("headed", "browser", "profile", "cdp_endpoint"),
}
"""Options of many commands, which have a section of their own."""


def parser_of(command: str) -> argparse.ArgumentParser:
    """Return the parser of a command, whose name can begin with that of a group."""
    found: argparse.ArgumentParser = parser()
    for name in command.split():
        [subparsers] = (
            action for action in found._actions if isinstance(action, argparse._SubParsersAction)
        )
        found = subparsers.choices[name]
    return found


class SharedOptions(Generated):
    """The options that all commands have, or all commands that use a browser."""

    kind = "options"

    def names(self) -> Iterable[str]:
        """Return the group of options."""
        return [" ".join(self.content)]

    def write(self) -> Iterator[str]:
        """Yield the options."""
        [group] = self.names()
        for action in parser_of("serve")._actions:
            if action.dest in SHARED[group]:
                yield from option(action)


class Command(Generated):
    """The help of one command, as the command line prints it."""

    kind = "commands"
    final_argument_whitespace = True

    def write(self) -> Iterator[str]:
        """Yield the description, the usage and the options of a command."""
        [name] = self.names()
        command = parser_of(name)
        shared = {dest for group in SHARED.values() for dest in group}
        yield f"{command.description}\n"
        yield "```text"
        yield command.format_usage().strip()
        yield "```\n"
        for group in command._action_groups:
            actions = [one for one in group._group_actions if one.dest not in shared]
            if actions:
                title = (group.title or "").removeprefix("positional ")
                yield f"**{title.capitalize()}**\n"
            for action in actions:
                yield from option(action)
        if command.epilog:
            yield "**Examples**\n"
            yield "```sh"
            yield dedent(command.epilog.partition(":\n")[2]).strip()
            yield "```\n"


def option(action: argparse.Action) -> Iterator[str]:
    """Yield one option as an entry of a definition list."""
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    if not metavar and action.choices:
        metavar = "{" + ",".join(map(str, action.choices)) + "}"
    if not action.option_strings:
        yield f"`{metavar or action.dest}`"
    else:
        value = "" if action.nargs == 0 else f" {metavar or action.dest.upper()}"
        yield ", ".join(f"`{flag}{value}`" for flag in action.option_strings)
    text = (action.help or "").replace("%(default)s", str(action.default)) or "\u00a0"
    yield f": {text[0].upper()}{text[1:]}{'' if text.endswith(('.', '…')) else '.'}\n"


# The Python API.


BLOCKING = ("SyncTabwright", "SyncSession", "SyncPage", "SyncLocator")
DEFAULT = re.compile(r"= (?:NOTHING|attr_dict\['\w+'\]\.default)")
"""A default that attrs keeps elsewhere."""


def tidy_signature(
    _app: Sphinx, _kind: str, _name: str, _value: object, _options: object, *signature: str | None
) -> tuple[str | None, ...]:
    """Show the defaults of attrs classes as an ellipsis."""
    return tuple(part and DEFAULT.sub("= ...", part) for part in signature)


class PublicNames(Generated):
    """Public classes and functions with their docstrings."""

    kind = "api"

    def names(self) -> Iterable[str]:
        """Return the names with their package."""
        [package] = self.arguments
        return [f"{package}.{name}" for name in " ".join(self.content).split()]

    def write(self) -> Iterator[str]:
        """Yield the directives of autodoc, which read reStructuredText."""
        yield "````{eval-rst}"
        for name in self.names():
            package, _, attribute = name.rpartition(".")
            value = getattr(import_module(package), attribute)
            if isclass(value):
                # A facade is opened, never made: its constructor is not for users.
                yield f".. autoclass:: {name}{'()' if attribute.endswith('Tabwright') else ''}"
                # The blocking objects have the methods of the others.
                if not issubclass(value, BaseException) and attribute not in BLOCKING:
                    yield "   :members:"
            elif isfunction(value) or hasattr(value, "__wrapped__"):
                yield f".. autofunction:: {name}"
            else:
                yield f".. autodata:: {defined_in(package, attribute)}.{attribute}"
                yield "   :no-value:"
            yield ""
        yield "````"


def defined_in(package: str, attribute: str) -> str:
    """Return the module that defines a constant, where autodoc finds its docstring."""
    imports = ast.walk(ast.parse(Path(import_module(package).__file__ or "").read_text()))
    for node in imports:
        if isinstance(node, ast.ImportFrom) and attribute in {one.name for one in node.names}:
            return node.module or package
    return package


# Errors.


class Errors(Generated):
    """The tree of errors: kind, whether to retry, the effect, the exit code."""

    kind = "errors"

    def names(self) -> Iterable[str]:
        """Return the one part that there is."""
        return ["errors"]

    def write(self) -> Iterator[str]:
        """Yield a row for each error."""
        yield "| Error | `kind` | Retry | `effect` | Exit code | Raised when |"
        yield "| --- | --- | --- | --- | --- | --- |"
        yield from self.rows(TabwrightError, 0)

    def rows(self, error: type[TabwrightError], depth: int) -> Iterator[str]:
        """Yield the row of an error and those of its subclasses."""
        summary = (getdoc(error) or "").partition("\n\n")[0].replace("\n", " ")
        indent = "&nbsp;" * (4 * depth)
        yield (
            f"| {indent}`{error.__name__}` | `{error.kind}` | {'yes' if error.retryable else 'no'} "
            f"| {error.effect.value} | {int(exit_code(error.__new__(error)))} | {summary} |"
        )
        for child in error.__subclasses__():
            if child.__module__ == error.__module__:
                yield from self.rows(child, depth + 1)


# Whatever is missing fails the build.


def everything() -> dict[str, set[str]]:
    """Return the names of all parts, by kind."""
    exported = {
        f"{package}.{name}"
        for package in PACKAGES
        for name in import_module(package).__all__
        if name != "__version__"
    }
    return {
        "settings": {key.partition(".")[0] for key in all_keys()},
        "tool groups": {*GROUPS},
        "commands": {one.name for one in all_commands()},
        "options": {*SHARED},
        "api": exported,
        "errors": {"errors"},
    }


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Raise an error if a part is on no page."""
    del app
    for kind, names in everything().items():
        pages = {name: set(page[kind]) for name, page in env.metadata.items() if kind in page}
        shown = {name for page in pages.values() for name in page}
        where = " or ".join(f"docs/{page}.md" for page in sorted(pages))
        if lacking := ", ".join(sorted(names - shown)):
            raise ExtensionError(f"{kind}: add {lacking} to a directive in {where}")
        if unknown := ", ".join(sorted(shown - names)):
            raise ExtensionError(f"{kind}: remove {unknown}, which is unknown, from {where}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives and the check."""
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"
    app.add_directive("settings", SettingsGroup)
    app.add_directive("tool-groups", ToolGroups)
    app.add_directive("command", Command)
    app.add_directive("shared-options", SharedOptions)
    app.add_directive("api", PublicNames)
    app.add_directive("errors", Errors)
    app.connect("autodoc-process-signature", tidy_signature)
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

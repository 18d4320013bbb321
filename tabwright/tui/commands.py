"""What can be typed after a colon: names, what they do, and how a line of them is read."""

import re
from collections.abc import Sequence

import attrs

from tabwright.tui.errors import WrongCommand


@attrs.frozen
class CommandName:
    """A command.

    Attributes:
        name: the whole of it; any beginning of it that no other command has will do.
        takes: what comes after it; empty for nothing.
        text: what it does.
        short: other names that are always understood.
        needs: whether it cannot do without.
        action: of the program, where nothing comes after it.
    """

    name: str
    text: str
    takes: str = ""
    short: tuple[str, ...] = ()
    needs: bool = False
    action: str = ""


COMMANDS = (
    CommandName("open", "go to a page", "URL", ("o",), needs=True),
    CommandName("tab", "go to a page in a new tab", "[URL]", ("t",), action="new_tab"),
    CommandName("close", "close the tab", action="close_tab"),
    CommandName("ask", "ask Google AI Mode; again in the thread", "QUESTION", ("a",), needs=True),
    CommandName("new", "ask in a new thread", "QUESTION", needs=True),
    CommandName("search", "list what several engines find", "WORDS", ("s",), needs=True),
    CommandName("links", "list the links of the page", short=("l",), action="show_links"),
    CommandName("forms", "go to the first form of the page", action="go_to_form"),
    CommandName("submit", "send a form as it is filled in", "[NUMBER]"),
    CommandName("back", "go back", short=("b",), action="step(-1)"),
    CommandName("forward", "go forward", short=("f",), action="step(1)"),
    CommandName("refresh", "load the page again", short=("reload", "r"), action="refresh_page"),
    CommandName("reader", "show the main content alone, or all of it again", action="reader"),
    CommandName("images", "draw pictures, or name them alone", action="images"),
    CommandName("person", "open the window of what waits for you", action="person"),
    CommandName("help", "show this", short=("h",), action="help"),
    CommandName("quit", "end", short=("q", "exit"), action="end"),
)


@attrs.frozen
class Command:
    """A command as it was typed.

    Attributes:
        name: ``follow`` for a link by its number, or that of one of `COMMANDS`.
        words: what comes after it; of ``follow`` the number.
        action: of the program, where nothing comes after it.
    """

    name: str
    words: str = ""
    action: str = ""


def read_command(line: str) -> Command:
    """What a line says.

    Raises:
        WrongCommand: it says nothing that there is.
    """
    typed, _, words = line.strip().partition(" ")
    if number_in(typed) is not None:
        return Command("follow", typed)
    named = _named(typed)
    if named.needs and not words.strip():
        raise WrongCommand(f":{named.name} needs more: :{named.name} {named.takes}")
    words = words.strip()
    return Command(named.name, words, "" if words else named.action)


def number_in(text: str) -> int | None:
    """The number that a text is; None where it is none that a page could have."""
    return int(text) if re.fullmatch(r"[0-9]{1,6}", text) else None


def _named(typed: str) -> CommandName:
    for one in COMMANDS:
        if typed == one.name or typed in one.short:
            return one
    begun = [one for one in COMMANDS if typed and one.name.startswith(typed)]
    if len(begun) == 1:
        return begun[0]
    if begun:
        raise WrongCommand(f":{typed} may be {' or '.join(one.name for one in begun)}.")
    raise WrongCommand(f"There is no command :{typed}. :help lists them.")


def completed(line: str, history: Sequence[str], urls: Sequence[str]) -> tuple[str, ...]:
    """The lines that begin as what is typed: commands, URLs, what was typed before.

    Args:
        line: what is typed.
        history: what was, oldest first.
        urls: those that are known.
    """
    name, space, _ = line.partition(" ")
    if not space:
        begun = [one.name for one in COMMANDS if one.name.startswith(name)]
    else:
        begun = [f"{name} {url}" for url in urls if name in {"open", "o", "tab", "t"}]
    before = [one for one in reversed(history) if one != line]
    lines = dict.fromkeys([*begun, *before])
    return tuple(one for one in lines if one.startswith(line) and one != line)


def with_scheme(typed: str) -> str:
    """The URL that is meant by what a person types."""
    if "://" in typed or typed.startswith(("about:", "data:")):
        return typed
    host = typed.partition("/")[0].partition(":")[0]
    return f"http://{typed}" if host in {"localhost", "127.0.0.1"} else f"https://{typed}"

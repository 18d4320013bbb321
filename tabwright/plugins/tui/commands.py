"""The commands of the terminal browser, its keys, and its built-in pages."""

import re
from collections.abc import Iterable, Mapping, Sequence

import attrs
from textual.binding import Binding, BindingType

from tabwright.plugins.tui.markdown import escaped
from tabwright.plugins.tui.page import BrowsedPage
from tabwright.plugins.tui.replies import WrongCommand
from tabwright.protocol.snapshot import PageLink


@attrs.frozen
class CommandName:
    """A command.

    Attributes:
        name: its full name; any unambiguous prefix is accepted.
        takes: its argument; empty for none.
        text: its description.
        short: aliases.
        needs: whether the argument is required.
        action: the app's action if there is no argument.
    """

    name: str
    text: str
    takes: str = ""
    short: tuple[str, ...] = ()
    needs: bool = False
    action: str = ""


COMMANDS = (
    CommandName("open", "open a URL", "URL", ("o",), needs=True),
    CommandName("tab", "open a URL in a new tab", "[URL]", ("t",), action="new_tab"),
    CommandName("close", "close the tab", action="close_tab"),
    CommandName(
        "ask", "ask Google AI Mode, or continue the conversation", "QUESTION", ("a",), needs=True
    ),
    CommandName("new", "ask in a new conversation", "QUESTION", needs=True),
    CommandName("search", "search several engines", "WORDS", ("s",), needs=True),
    CommandName("links", "list the links of the page", short=("l",), action="show_links"),
    CommandName("forms", "go to the first form of the page", action="go_to_form"),
    CommandName("controls", "show the page with its controls, or as text again", action="controls"),
    CommandName("press", "press a key in the focused control", "KEY", needs=True),
    CommandName("submit", "submit the form", "[NUMBER]"),
    CommandName("back", "go back", short=("b",), action="step(-1)"),
    CommandName("forward", "go forward", short=("f",), action="step(1)"),
    CommandName("refresh", "reload the page", short=("reload", "r"), action="refresh_page"),
    CommandName("reader", "show only the main content, or all of it again", action="reader"),
    CommandName("images", "show or hide images", action="images"),
    CommandName("person", "open the window of a CAPTCHA", action="person"),
    CommandName(
        "details", "show the message, the title and the URL in full", short=("m",), action="details"
    ),
    CommandName("help", "show this help", short=("h",), action="help"),
    CommandName("quit", "end", short=("q", "exit"), action="end"),
)


@attrs.frozen
class TUICommand:
    """A parsed command.

    Attributes:
        name: ``follow`` for a link by its number, or one of `COMMANDS`.
        words: the argument; for ``follow`` the number.
        action: the app's action if there is no argument.
    """

    name: str
    words: str = ""
    action: str = ""


def read_command(line: str) -> TUICommand:
    """Parse a command line.

    Raises:
        WrongCommand: there is no such command.
    """
    typed, _, words = line.strip().partition(" ")
    if number_in(typed) is not None:
        return TUICommand("follow", typed)
    named = _named(typed)
    if named.needs and not words.strip():
        raise WrongCommand(f":{named.name} needs an argument: :{named.name} {named.takes}")
    words = words.strip()
    return TUICommand(named.name, words, "" if words else named.action)


def number_in(text: str) -> int | None:
    """Parse a link number; None if the text is not one that a page could have."""
    return int(text) if re.fullmatch(r"[0-9]{1,6}", text) else None


def _named(typed: str) -> CommandName:
    for one in COMMANDS:
        if typed == one.name or typed in one.short:
            return one
    begun = [one for one in COMMANDS if typed and one.name.startswith(typed)]
    if len(begun) == 1:
        return begun[0]
    if begun:
        raise WrongCommand(f":{typed} is ambiguous: {' or '.join(one.name for one in begun)}.")
    raise WrongCommand(f"There is no command :{typed}. :help lists them.")


def completed(line: str, history: Sequence[str], urls: Sequence[str]) -> tuple[str, ...]:
    """Return completions of the typed text: commands, URLs, earlier lines.

    Args:
        line: the typed text.
        history: earlier lines, oldest first.
        urls: the known URLs.
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
    """Return the URL for an address that a person typed."""
    if "://" in typed or typed.startswith(("about:", "data:")):
        return typed
    host = typed.partition("/")[0].partition(":")[0]
    return f"http://{typed}" if host in {"localhost", "127.0.0.1"} else f"https://{typed}"


# Keys of the page, and the actions that they call.

_OPTIONS = (
    "inverted_exclamation_mark",
    "trade_mark_sign",
    "pound_sign",
    "cent_sign",
    "infinity",
    "section_sign",
    "pilcrow_sign",
    "bullet",
    "ª",
)
"""The characters that a Mac's Option key and a digit produce, which Textual reports as keys."""

_MOVING = (
    ("j,down", "lines(1)"),
    ("k,up", "lines(-1)"),
    ("h,left", "columns(-8)"),
    ("l,right", "columns(8)"),
    ("d,pagedown,space", "pages(0.9)"),
    ("u,pageup", "pages(-0.9)"),
    ("ctrl+d", "pages(0.5)"),
    ("ctrl+u", "pages(-0.5)"),
    ("g,home", "lines(-1000000000)"),
    ("G,end", "lines(1000000000)"),
    ("tab", "next_spot(1)"),
    ("shift+tab", "next_spot(-1)"),
)
_CALLING = (
    ("enter", "use"),
    ("b,backspace", "step(-1)"),
    ("f", "step(1)"),
    ("r", "refresh_page"),
    ("R", "reader"),
    ("i", "images"),
    ("o", "type(':', 'open ')"),
    ("a", "type(':', 'ask ')"),
    ("colon", "type(':')"),
    ("slash", "type('/')"),
    ("n", "find_next(1)"),
    ("N", "find_next(-1)"),
    ("t", "new_tab"),
    ("x", "close_tab"),
    ("right_square_bracket", "next_tab(1)"),
    ("left_square_bracket", "next_tab(-1)"),
    ("exclamation_mark", "person"),
    ("c", "controls"),
    ("m", "details"),
    ("question_mark", "help"),
    ("escape", "stop"),
    ("q", "end"),
    *((f"{digit}", f"digit('{digit}')") for digit in range(10)),
    *((f"alt+{number},{name}", f"turn_to({number})") for number, name in enumerate(_OPTIONS, 1)),
)

PAGE_KEYS: list[BindingType] = [
    *(Binding(keys, action, show=False, priority=True) for keys, action in _MOVING),
    *(Binding(keys, f"app.{action}", show=False, priority=True) for keys, action in _CALLING),
]
"""The bindings of the page instead of the app: in an input, these keys are letters. With priority
they act before the next key is processed, so that fast typing reaches the right widget.
"""


# Built-in pages: help, errors, links.

KEYS = (
    ("j k ↓ ↑", "scroll a line"),
    ("d u PageDown PageUp Space", "scroll a page (Ctrl+D, Ctrl+U: half of one)"),
    ("h l ← →", "scroll sideways"),
    ("g G Home End", "to the top, to the bottom"),
    ("Tab Shift+Tab", "next or previous link or field"),
    ("Enter", "follow the focused link; edit, tick or submit the focused field"),
    ("0 to 9", "follow a link by its number"),
    ("b f Backspace", "back, forward, back"),
    ("r", "reload the page"),
    ("R", "reader mode: only the main content"),
    ("i", "show or hide images"),
    ("o", "open a URL"),
    ("t x", "new tab, close the tab"),
    ("[ ]", "previous or next tab (Alt+1 … Alt+9: by number)"),
    ("/ n N", "find text, find next, find previous"),
    (": ", "a command"),
    ("a", "ask Google AI Mode, or continue the conversation"),
    ("!", "open the window of a CAPTCHA"),
    ("Esc", "stop loading; cancel input"),
    ("c", "show the page with all its controls, or as text again"),
    ("m", "show the message, the title and the URL in full"),
    ("?", "this help"),
    ("q", "end"),
)


def help_page() -> BrowsedPage:
    """Return all keys and commands."""
    keys = "\n".join(f"| `{keys}` | {text} |" for keys, text in KEYS)
    commands = "\n".join(
        f"| `{f':{one.name} {one.takes}'.strip()}` | {one.text} | {' '.join(one.short)} |"
        for one in COMMANDS
    )
    text = (
        "# The browser of the terminal\n\n## Keys\n\n| Key | What it does |\n| --- | --- |\n"
        f"{keys}\n\n## Commands\n\nTab completes; ↑ and ↓ go through the history. The beginning "
        "of a name is enough if it is unambiguous.\n\n| Command | What it does | Short |\n"
        f"| --- | --- | --- |\n{commands}\n"
    )
    return BrowsedPage(":help", "Help", text)


START_KEYS = (
    ("o", "open a URL"),
    ("a", "ask Google AI Mode"),
    ("Tab Enter", "go to the next link or field, and use it"),
    ("b f", "back, forward"),
    ("c", "use the buttons and fields outside forms"),
    ("t [ ]", "new tab, previous or next tab"),
    ("?", "all keys and commands"),
    ("q", "end"),
)


def start_page(loading: str) -> BrowsedPage:
    """Return the first screen: what is loading, and the most important keys."""
    title = "tabwright"
    status = f"Loading {escaped(loading)} …" if loading else "No page is open."
    keys = "\n".join(f"| `{keys}` | {text} |" for keys, text in START_KEYS)
    text = f"# {title}\n\n{status}\n\n| Key | What it does |\n| --- | --- |\n{keys}\n"
    return BrowsedPage("", title, text)


def details_page(details: Mapping[str, str]) -> BrowsedPage:
    """Return the texts that the status line can show only in part, by name."""
    parts = [f"## {name}\n\n{escaped(text)}" for name, text in details.items() if text]
    return BrowsedPage(":details", "Details", "\n\n".join(["# Details", *parts]))


def error_page(error: Exception) -> BrowsedPage:
    """Return an error that does not fit on one line."""
    return BrowsedPage(
        ":error", "There is no server", f"# There is no server\n\n{escaped(str(error))}"
    )


def links_page(page: BrowsedPage, links: Iterable[PageLink]) -> BrowsedPage:
    """Return the links of a page."""
    title = f"Links of {page.name}"
    rows = [f"- [{escaped(link.text or link.url)}](<{link.url}>) {link.kind}" for link in links]
    text = "\n".join([f"# {escaped(title)}", "", *rows])
    return BrowsedPage(":links", title, text, links=tuple(links))

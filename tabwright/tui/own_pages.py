"""Pages of the browser's own: which keys and commands there are, where a page leads."""

from collections.abc import Iterable

from tabwright.protocol.snapshot import Link
from tabwright.tui.commands import COMMANDS
from tabwright.tui.markdown import escaped
from tabwright.tui.pages import Page

KEYS = (
    ("j k ↓ ↑", "scroll a line"),
    ("d u PageDown PageUp Space", "scroll a page (Ctrl+D, Ctrl+U: half of one)"),
    ("h l ← →", "scroll sideways"),
    ("g G Home End", "to the top, to the bottom"),
    ("Tab Shift+Tab", "to the next link or field, to the one before"),
    ("Enter", "follow the link; fill in, tick or send what is in focus"),
    ("0 to 9", "follow a link by its number"),
    ("b f Backspace", "back, forward, back"),
    ("r", "load the page again"),
    ("R", "reader mode: the main content alone"),
    ("i", "draw pictures, or name them alone"),
    ("o", "go to a page"),
    ("t x", "new tab, close the tab"),
    ("[ ]", "the tab before, the next one (Alt+1 … Alt+9: that one)"),
    ("/ n N", "find words, again, backwards"),
    (": ", "a command"),
    ("a", "ask Google AI Mode, or go on in the thread"),
    ("!", "open the window of what waits for you"),
    ("Esc", "stop loading; leave what is typed"),
    ("?", "this page"),
    ("q", "end"),
)


def help_page() -> Page:
    """All keys and commands."""
    keys = "\n".join(f"| `{keys}` | {text} |" for keys, text in KEYS)
    commands = "\n".join(
        f"| `{f':{one.name} {one.takes}'.strip()}` | {one.text} | {' '.join(one.short)} |"
        for one in COMMANDS
    )
    text = (
        "# The browser of the terminal\n\n## Keys\n\n| Key | What it does |\n| --- | --- |\n"
        f"{keys}\n\n## Commands\n\nTab completes, ↑ and ↓ bring back what was typed. The beginning "
        "of a name will do, if no other has it.\n\n| Command | What it does | Short |\n"
        f"| --- | --- | --- |\n{commands}\n"
    )
    return Page(":help", "Help", text)


def error_page(error: Exception) -> Page:
    """What went wrong, where a line is too short for it."""
    return Page(":error", "There is no server", f"# There is no server\n\n{escaped(str(error))}")


def links_page(page: Page, links: Iterable[Link]) -> Page:
    """Where a page leads."""
    title = f"Links of {page.name}"
    rows = [f"- [{escaped(link.text or link.url)}](<{link.url}>) {link.kind}" for link in links]
    text = "\n".join([f"# {escaped(title)}", "", *rows])
    return Page(":links", title, text, links=tuple(links))

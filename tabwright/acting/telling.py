"""What comes of an action, and what there is to look at, in words and as a record.

Each line passes through one place before it is told: there is nothing in it then that a page could
take another line for, or a ref, or a terminal for more than text.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import attrs

from tabwright.acting.budgets import cut, within
from tabwright.acting.line_text import harmless, shortened
from tabwright.protocol.actions import Choice
from tabwright.protocol.inspecting import PageRequest
from tabwright.protocol.outcomes import ConsoleEntry, Dialog, Download, Meanwhile, Outcome, TabInfo
from tabwright.protocol.pages import ERROR_STATUS_MIN

TOLD_MAX = 3
"""Dialogs, tabs, files and errors that are told with an action; their tools have the others."""

TEXT_MAX = 200
"""Characters of one thing that a page says."""

ENTRY_MAX = 1000
"""The same of an entry of the console, which may be a whole stack."""

LINE_TOKENS_MAX = 300
"""Of any line of a list."""

NEWS_TOKENS_MAX = 200
"""Of what a page did of itself, which is told with its outline."""


def outcome_text(outcome: Outcome) -> str:
    """What was done and what has changed, the most important first."""
    return "\n".join(filter(None, (*_told(_lines(outcome)), outcome.changes)))


def _lines(outcome: Outcome) -> Iterator[str]:
    yield outcome.said
    yield from _dialogs(outcome)
    if outcome.dialog:
        yield f"The page waits for an answer: {_shown(outcome.dialog)}. Answer it with dialog."
    if outcome.navigated:
        yield f"Now at {_place(outcome.url, outcome.title)}{_status(outcome)}"
    yield from _arrivals(outcome)
    if outcome.busy and not outcome.dialog:
        yield "(The page is still at work.)"
    yield from _earlier(outcome.meanwhile)


def news_text(meanwhile: Meanwhile) -> str:
    """What a page did of itself, in at most `NEWS_TOKENS_MAX`; empty for nothing."""
    lines = [cut(line, NEWS_TOKENS_MAX // 3) for line in _told(_earlier(meanwhile))]
    return within(lines, NEWS_TOKENS_MAX, _more(lines, "lines of what the page did"))


def _earlier(meanwhile: Meanwhile) -> Iterator[str]:
    yield from (f"Earlier: {line}" for line in (*_dialogs(meanwhile), *_arrivals(meanwhile)))


def _dialogs(happened: Outcome | Meanwhile) -> Iterator[str]:
    yield from _few(list(map(_answered, happened.dialogs)), "dialogs")


def _answered(dialog: Dialog) -> str:
    """One that was answered at once: what asks for more than that was, before anybody saw it."""
    what = "The page said" if dialog.kind == "alert" else "Dismissed, for nobody could see it yet"
    return f"{what}: {_shown(dialog)}"


def _arrivals(happened: Outcome | Meanwhile) -> Iterator[str]:
    yield from _few(list(map(_opened, happened.tabs)), "tabs: tabs lists them")
    yield from _few(list(map(_download, happened.downloads)), "files: download lists them")
    errors = [f"Console error: {_brief(error.text)}" for error in happened.errors]
    yield from _few(errors, "errors in the console")


def _opened(tab: TabInfo) -> str:
    current = ", the current one now" if tab.current else ""
    return f"Opened tab {tab.number}{current}: {_place(tab.url, tab.title)}"


def _few(lines: Sequence[str], what: str) -> Iterator[str]:
    """The first of them, and how many more there are."""
    yield from lines[:TOLD_MAX]
    if len(lines) > TOLD_MAX:
        yield f"({len(lines) - TOLD_MAX} more {what})"


def _shown(dialog: Dialog) -> str:
    preset = f" [{_brief(dialog.preset)}]" if dialog.preset else ""
    return f'{dialog.kind} "{_brief(dialog.message)}"{preset}'


def _place(url: str, title: str) -> str:
    return f"{_brief(url)} ({_brief(title)})"


def _brief(text: str) -> str:
    return shortened(text, TEXT_MAX)


def _status(outcome: Outcome) -> str:
    status = outcome.navigated.status if outcome.navigated else 0
    return f": HTTP {status}, an error page" if status >= ERROR_STATUS_MIN else ""


def outcome_record(outcome: Outcome) -> dict[str, object]:
    """The same for programs."""
    record = attrs.asdict(attrs.evolve(outcome, navigated=None, opened=()))
    if outcome.navigated:
        record["status"] = outcome.navigated.status
    return record


def tabs_text(tabs: Sequence[TabInfo]) -> str:
    """A line for each tab; the current one has a star."""
    return "\n".join(_told(map(_tab, tabs)))


def _tab(tab: TabInfo) -> str:
    mark = "*" if tab.current else "-"
    return f"{mark} {tab.number} {_brief(tab.url) or '(blank)'} {_brief(tab.title)}"


def downloads_text(downloads: Sequence[Download], max_tokens: int) -> str:
    """A line for each file that the page has given."""
    more = _more(downloads, "files in the same folder")
    return within(_told(map(_download, downloads)), max_tokens, more) or "(No downloads.)"


def _download(download: Download) -> str:
    where = f" at {download.path}" if download.path else ""
    size = f"({download.size_bytes} bytes)"
    return f"Download {_brief(download.name)}: {download.state}{where} {size}"


def console_text(entries: Sequence[ConsoleEntry], max_tokens: int) -> str:
    """A line for each entry."""

    def more(count: int) -> str:
        """What is told of the entries beyond the first `count`."""
        return f"({len(entries) - count} more entries: after={entries[count - 1].number})"

    return within(_told(map(_entry, entries)), max_tokens, more) or "(The console is empty.)"


def _entry(entry: ConsoleEntry) -> str:
    text = shortened(entry.text, ENTRY_MAX)
    return f"{entry.number} {entry.level}: {text} {_brief(entry.place)}"


def requests_text(requests: Sequence[PageRequest], max_tokens: int) -> str:
    """A line for each request."""
    more = _more(requests, "requests: filter them, or raise max_tokens")
    told = within(_told(map(_request, requests)), max_tokens, more)
    return told or "(There are no such requests.)"


def _request(one: PageRequest) -> str:
    state = one.failure or (str(one.status) if one.status else "under way")
    time = "" if one.ms is None else f" {one.ms:.0f} ms"
    size = f" {one.size_bytes} bytes" if one.size_bytes else ""
    frames = f" {one.frames} frames" if one.frames else ""
    return f"{one.number} {one.method} {_brief(one.url)} {one.kind} {state}{time}{size}{frames}"


def options_text(choices: Sequence[Choice], max_tokens: int) -> str:
    """A line for each choice; what is chosen has a star."""
    more = _more(choices, "choices: any of them can be chosen by its label")
    return within(_told(map(_choice, choices)), max_tokens, more) or "(There is no choice.)"


def _choice(choice: Choice) -> str:
    disabled = " (disabled)" if choice.disabled else ""
    mark = "*" if choice.selected else "-"
    return f"{mark} {_brief(choice.label)} = {_brief(choice.value)}{disabled}"


def _told(lines: Iterable[str]) -> list[str]:
    return [cut(harmless(line), LINE_TOKENS_MAX) for line in lines]


def _more(listed: Sequence[object], what: str) -> Callable[[int], str]:
    """What is said of those that are left out, by how many are given."""
    return lambda count: f"({len(listed) - count} more {what})"

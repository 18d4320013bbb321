"""What comes of an action, in words and as a record."""

from collections.abc import Iterable, Iterator

import attrs

from tabwright.acting.line_text import harmless
from tabwright.protocol.actions import Choice
from tabwright.protocol.inspecting import PageRequest
from tabwright.protocol.outcomes import ConsoleEntry, Dialog, Download, Outcome, TabInfo
from tabwright.protocol.pages import ERROR_STATUS_MIN

ERRORS_MAX = 3
"""Errors of scripts that are told with an action; `console` has the others."""

TEXT_MAX = 200


def outcome_text(outcome: Outcome) -> str:
    """What was done and what has changed, the most important first."""
    return "\n".join(filter(None, _lines(outcome)))


def _lines(outcome: Outcome) -> Iterator[str]:
    yield harmless(outcome.said)
    for dialog in outcome.dialogs:
        yield f"The page said: {_shown(dialog)}"
    if outcome.dialog:
        yield f"The page waits for an answer: {_shown(outcome.dialog)}. Answer it with dialog."
    if outcome.navigated:
        yield f"Now at {harmless(outcome.url)} ({harmless(outcome.title)}){_status(outcome)}"
    for tab in outcome.tabs:
        where = f"{harmless(tab.url)} ({harmless(tab.title)})"
        yield f"Opened tab {tab.number}, the current one now: {where}"
    yield from map(download_text, outcome.downloads)
    for error in outcome.errors[:ERRORS_MAX]:
        yield f"Console error: {harmless(error.text[:TEXT_MAX])}"
    if len(outcome.errors) > ERRORS_MAX:
        yield f"({len(outcome.errors) - ERRORS_MAX} more errors in the console)"
    if outcome.busy and not outcome.dialog:
        yield "(The page is still at work.)"
    yield outcome.changes


def _shown(dialog: Dialog) -> str:
    preset = f" [{harmless(dialog.preset)}]" if dialog.preset else ""
    return f'{dialog.kind} "{harmless(dialog.message[:TEXT_MAX])}"{preset}'


def _status(outcome: Outcome) -> str:
    status = outcome.navigated.status if outcome.navigated else 0
    return f": HTTP {status}, an error page" if status >= ERROR_STATUS_MIN else ""


def outcome_record(outcome: Outcome) -> dict[str, object]:
    """The same for programs."""
    record = attrs.asdict(attrs.evolve(outcome, navigated=None, opened=()))
    if outcome.navigated:
        record["status"] = outcome.navigated.status
    return record


def tabs_text(tabs: Iterable[TabInfo]) -> str:
    """A line for each tab; the current one has a star."""
    return "\n".join(map(_tab, tabs))


def _tab(tab: TabInfo) -> str:
    mark = "*" if tab.current else " "
    return f"{mark}{tab.number} {harmless(tab.url) or '(blank)'} {harmless(tab.title)}".rstrip()


def download_text(download: Download) -> str:
    """A file that the page has given."""
    where = f" at {download.path}" if download.path else ""
    return f"Download {download.name}: {download.state}{where} ({download.size_bytes} bytes)"


def console_text(entries: Iterable[ConsoleEntry]) -> str:
    """A line for each entry."""
    lines = (
        f"{one.number} {one.level}: {harmless(one.text)} {one.place}".rstrip() for one in entries
    )
    return "\n".join(lines) or "(The console is empty.)"


def requests_text(requests: Iterable[PageRequest]) -> str:
    """A line for each request."""
    return "\n".join(map(_request, requests)) or "(There are no such requests.)"


def _request(one: PageRequest) -> str:
    state = one.failure or (str(one.status) if one.status else "under way")
    time = "" if one.ms is None else f" {one.ms:.0f} ms"
    size = f" {one.size_bytes} bytes" if one.size_bytes else ""
    return (
        f"{one.number} {one.method} {harmless(one.url[:TEXT_MAX])} {one.kind} {state}{time}{size}"
    )


def options_text(choices: Iterable[Choice]) -> str:
    """A line for each choice."""
    return "\n".join(
        f"{'*' if one.selected else ' '}{harmless(one.label)} = {harmless(one.value)}"
        + (" (disabled)" if one.disabled else "")
        for one in choices
    )

"""Outcomes of actions and inspections, as text and as records.

Each line passes through one function before output: after that, it contains nothing that looks like
another line or a ref, and nothing that a terminal would interpret.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import urlsplit

import attrs

from tabwright.page.outline_text import ENTRY_MAX, escape_refs, truncate
from tabwright.protocol.actions import (
    BackgroundEvents,
    ConsoleCounts,
    ConsoleEntry,
    Dialog,
    Download,
    NetworkEntry,
    Outcome,
    ScriptEnd,
    StepsReport,
    TabInfo,
    has_failed,
)
from tabwright.protocol.errors import Hint, HintKind, Note
from tabwright.protocol.inspection import (
    Choice,
    FoundElements,
    OutlineText,
    RequestDetails,
)
from tabwright.protocol.sessions import SessionState
from tabwright.protocol.snapshot import ERROR_STATUS_MIN
from tabwright.protocol.untrusted_text import Part, Parts, Quoted, Sentence, plain, quoted
from tabwright.text.hints import OWN, ToolNames
from tabwright.text.lines import verbatim
from tabwright.text.token_budget import (
    count_tokens,
    cut,
    listed,
    opening,
    parted,
)

EVENTS_MAX = 3
"""Maximum number of dialogs, tabs, files and errors in an outcome; their tools list the others."""

PATH_MAX = 60
"""Maximum characters of the path of a request in an outcome."""

TEXT_MAX = 200
"""Maximum characters of one text of a page."""

CALLERS_MAX = 3
"""Maximum number of calls listed with an entry of the console; its record has more."""

LIST_LINE_TOKENS_MAX = 300
"""Maximum characters of any line of a list."""

EVENTS_TOKENS_MAX = 200
"""Maximum tokens of the events of a page that are listed with its outline."""

SCRIPT_TOKENS_MAX = 2000
"""Maximum tokens of the value of a script that a dialog had interrupted."""


@attrs.frozen
class _Entry:
    """The text of an event.

    Attributes:
        page: lines with text of the page.
        ours: our notes and next steps.
    """

    page: list[str] = attrs.field(factory=list[str])
    ours: list[Note] = attrs.field(factory=list[Note])

    def add(self, lines: Sequence[str], what: str | HintKind) -> None:
        """Add the first lines, and the number of the others."""
        self.page.extend(lines[:EVENTS_MAX])
        if (more := len(lines) - EVENTS_MAX) > 0:
            self.ours.append(
                f"({more} more {what})" if isinstance(what, str) else Hint(what, {"count": more})
            )


def outcome_parts(outcome: Outcome, names: ToolNames = OWN) -> Parts:
    """Return the action and its changes, the most important first, then the next steps."""
    entry = _Entry()
    if not outcome.is_plain:
        entry.page.append(outcome.description)
    entry.add(list(map(_answered, outcome.dialogs)), "dialogs")
    if outcome.dialog:
        entry.page.append(f"A dialog is waiting for an answer: {_shown(outcome.dialog)}.")
        entry.ours.append(Hint(HintKind.ANSWER_DIALOG))
    if outcome.navigated:
        entry.page.append(f"Now at {_place(outcome.url, outcome.title)}")
        entry.ours.extend(filter(None, [status_text(outcome.navigated.status)]))
    _add_arrivals(entry, outcome)
    entry.ours.extend(console_hints(outcome.console))
    if outcome.changes and _failed_to_save(outcome.requests):
        entry.ours.append("The request failed: the page may be wrong about what was done.")
    if outcome.busy and not outcome.dialog:
        entry.ours.append("(The page is still changing.)")
    entry.page.extend(_earlier(outcome.meanwhile, entry.ours))
    page = "\n".join(filter(None, (*_safe_lines(entry.page), outcome.changes)))
    done = _safe_lines([outcome.description]) if outcome.is_plain else []
    steps = steps_parts(outcome.steps, names) if outcome.steps else ()
    script = _script_parts(outcome.script) if outcome.script else ()
    return (*steps, *done, *quoted(page), *script, *names.lines((*entry.ours, *outcome.notes)))


def _script_parts(end: ScriptEnd) -> Parts:
    """Return the value of a script that a dialog had interrupted, or why there is none."""
    if end.failure:
        return quoted(*_safe_lines([end.failure]))
    if not end.json:
        return ("The interrupted script returned no value.",)
    value = opening(verbatim(end.json), SCRIPT_TOKENS_MAX, "return less from the script")
    return ("The interrupted script returned:", *value)


def steps_parts(report: StepsReport, names: ToolNames) -> Parts:
    """Return what several steps did: their number, the failure, and what was read."""
    count, failure = len(report.done), report.failure
    done = f"{count} {'step was' if count == 1 else 'steps were'} done."
    parts: list[Part] = [done]
    if failure is not None:
        error = failure.error
        where = (f"Step {count + 1} failed (", Quoted(failure.step), "): ")
        parts.append(Sentence((*where, *error.chunks_with(names.advice(error)))))
    lines = [f"{number}. {sentence}" for number, sentence in enumerate(report.done, 1)]
    for name, texts in report.variables:
        lines += [f"{name}: {text}" for text in texts] or [f"{name}: (nothing)"]
    return (*parts, *quoted("\n".join(_safe_lines(lines))))


def render_outcome(outcome: Outcome, names: ToolNames = OWN) -> str:
    """Return the outcome as one text."""
    return plain(outcome_parts(outcome, names))


def background_parts(meanwhile: BackgroundEvents, names: ToolNames = OWN) -> Parts:
    """Return the events of a page, in at most `EVENTS_TOKENS_MAX`; empty if there is none."""
    notes: list[Note] = []
    lines = [cut(line, EVENTS_TOKENS_MAX // 3) for line in _safe_lines(_earlier(meanwhile, notes))]
    budget = EVENTS_TOKENS_MAX - count_tokens("\n".join(("", *OWN.lines(notes))))
    shown, others = parted(lines, budget, _more(lines, "more lines about the page"))
    return (*quoted(shown), *filter(None, [others]), *names.lines(notes))


def render_events(meanwhile: BackgroundEvents, names: ToolNames = OWN) -> str:
    """Return the events as one text."""
    return plain(background_parts(meanwhile, names))


def _earlier(meanwhile: BackgroundEvents, ours: list[Note]) -> list[str]:
    """Return the earlier events in lines; add the next steps to `ours`."""
    entry = _Entry()
    entry.add(list(map(_answered, meanwhile.dialogs)), "dialogs")
    _add_arrivals(entry, meanwhile)
    ours += entry.ours
    return [f"Earlier: {line}" for line in entry.page]


def _answered(dialog: Dialog) -> str:
    """Return the line about a dialog that was answered automatically, before it was visible."""
    what = "Dialog" if dialog.kind == "alert" else "Dismissed dialog (shown while the page loaded)"
    return f"{what}: {_shown(dialog)}"


def _add_arrivals(entry: _Entry, happened: Outcome | BackgroundEvents) -> None:
    entry.add(list(map(_opened, happened.tabs)), HintKind.MORE_TABS)
    entry.add(list(map(_download, happened.downloads)), HintKind.MORE_DOWNLOADS)
    entry.page.extend(_requests_lines(happened))
    errors = [f"Console error: {_brief(error.text)}" for error in happened.errors]
    entry.add(errors, "errors in the console")


def _requests_lines(happened: Outcome | BackgroundEvents) -> list[str]:
    """Return a line about requests, failed ones first, then those that may have changed data."""
    place = happened.url if isinstance(happened, Outcome) else ""
    texts = Counter(
        _request_result(one, place) for one in sorted(happened.requests, key=_request_rank)
    )
    if not texts:
        return []
    shown = [f"{text} ({times} times)" if times > 1 else text for text, times in texts.items()]
    more = [f"{len(shown) - EVENTS_MAX} more"] if len(shown) > EVENTS_MAX else []
    return [f"Requests: {', '.join((*shown[:EVENTS_MAX], *more))}"]


def _failed_to_save(requests: Sequence[NetworkEntry]) -> bool:
    """Return whether a request of a script or form failed, and none changed data."""
    own = [one for one in requests if one.method != "GET" or one.kind in {"Fetch", "XHR"}]
    return any(map(has_failed, own)) and all(one.method == "GET" or has_failed(one) for one in own)


def _request_rank(one: NetworkEntry) -> tuple[bool, bool]:
    return not has_failed(one), one.method == "GET"


def _request_result(one: NetworkEntry, place: str) -> str:
    """Return a request with its result, and with its host if that is not the host of the page."""
    parts, own = urlsplit(one.url), urlsplit(place)
    path = parts.path or "/"
    where = path if not place or parts.netloc == own.netloc else f"{parts.netloc}{path}"
    if one.failure:
        result = f"failed ({one.failure})"
    elif not one.status:
        result = "pending"
    else:
        result = f"failed ({one.status})" if has_failed(one) else str(one.status)
    return f"{one.method} {truncate(where, PATH_MAX)} {result}"


def _opened(tab: TabInfo) -> str:
    current = ", now the current tab" if tab.current else ""
    return f"Opened tab {tab.number}{current}: {_place(tab.url, tab.title)}"


def _shown(dialog: Dialog) -> str:
    preset = f" [{_brief(dialog.preset)}]" if dialog.preset else ""
    return f'{dialog.kind} "{_brief(dialog.message)}"{preset}'


def _place(url: str, title: str) -> str:
    return f"{_brief(url)} ({_brief(title)})" if title else _brief(url)


def _brief(text: str) -> str:
    return truncate(text, TEXT_MAX)


def outline_text(taken: OutlineText, names: ToolNames = OWN) -> str:
    """Return an outline with its notes below."""
    return "\n".join((taken.text, *names.lines(taken.notes)))


def status_text(status: int) -> str:
    """Return the text about the status of a page; empty if it is not an error page."""
    return f"HTTP status {status}: an error page." if status >= ERROR_STATUS_MIN else ""


def console_hints(counts: ConsoleCounts | None) -> tuple[Hint, ...]:
    """Return a hint about a page's errors and warnings, with counts; empty if there are none."""
    if counts is None:
        return ()
    parts = _counted(counts.errors, "error"), _counted(counts.warnings, "warning")
    return (Hint(HintKind.CONSOLE_COUNTS, {"counts": ", ".join(filter(None, parts))}),)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number > 1 else ''}" if number else ""


def outcome_record(outcome: Outcome) -> dict[str, object]:
    """Return the outcome as a record for programs."""
    record = attrs.asdict(attrs.evolve(outcome, navigated=None, opened=(), notes=(), steps=None))
    del record["is_plain"]
    record["steps"] = _steps_record(outcome.steps) if outcome.steps else None
    record["notes"] = OWN.lines(outcome.notes)
    if outcome.navigated:
        record["status"] = outcome.navigated.status
    return record


def _steps_record(report: StepsReport) -> dict[str, object]:
    record: dict[str, object] = {"done": report.done, "variables": dict(report.variables)}
    if report.failure:
        details = report.failure.error.details()
        failed = {"step": report.failure.step, "message": report.failure.error.message}
        record["failed"] = {**failed, **details}
    return record


def tabs_text(tabs: Sequence[TabInfo]) -> str:
    """Return a line for each tab; the current tab has a star."""
    return "\n".join(_safe_lines(map(_tab, tabs)))


def _tab(tab: TabInfo) -> str:
    mark = "*" if tab.current else "-"
    return f"{mark} {tab.number} {_brief(tab.url) or '(blank)'} {_brief(tab.title)}"


def sessions_text(sessions: Sequence[SessionState]) -> str:
    """Return a line for each session, with its page and the settings that it was opened with."""
    return "\n".join(_safe_lines(map(_session, sessions)))


def _session(session: SessionState) -> str:
    details = [
        f"{session.pages} {'page' if session.pages == 1 else 'pages'}",
        f"idle for {session.idle_s:.0f} s",
        "saved" if session.saved else "not saved",
        *(f"{key}={json.dumps(value)}" for key, value in session.settings.items()),
    ]
    if session.owner:
        details.append(f"at {session.owner}")
    where = f"{_brief(session.url) or '(blank)'} {_brief(session.title)}".strip()
    return f"- {session.name}: {where} ({', '.join(details)})"


def downloads_parts(downloads: Sequence[Download], max_tokens: int) -> Parts:
    """Return a line for each file that the page has offered."""
    more = _more(downloads, "files in the same folder")
    return listed(_safe_lines(map(_download, downloads)), max_tokens, more, "(No downloads.)")


def _download(download: Download) -> str:
    where = f" at {download.path}" if download.path else ""
    size = f"({download.size_bytes} bytes)"
    why = f". {download.problem}" if download.problem else ""
    return f"Download {_brief(download.name)}: {download.state}{where} {size}{why}"


def console_parts(
    entries: Sequence[ConsoleEntry], max_tokens: int, names: ToolNames = OWN
) -> Parts:
    """Return a line for each entry."""

    def more(count: int) -> str:
        """Return the note about the entries beyond the first `count`."""
        values = {"count": len(entries) - count, "after": entries[count - 1].number}
        return names.hint(Hint(HintKind.MORE_CONSOLE_ENTRIES, values))

    return listed(_safe_lines(map(_entry, entries)), max_tokens, more, "(The console is empty.)")


def _entry(entry: ConsoleEntry) -> str:
    """Return an entry with its place, and the calls that led to it unless its text has them."""
    text = f"{entry.number} {entry.level}: {truncate(entry.text, ENTRY_MAX)}"
    if len(entry.stack) < 2 or "\n    at " in entry.text:  # noqa: PLR2004  (a call and its caller)
        return f"{text} {_brief(entry.place)}"
    place, *callers = map(_brief, entry.stack)
    more = ", …" if len(callers) > CALLERS_MAX else ""
    return f"{text} {place} (called by {', '.join(callers[:CALLERS_MAX])}{more})"


def requests_parts(
    requests: Sequence[NetworkEntry], max_tokens: int, offset: int = 0, names: ToolNames = OWN
) -> Parts:
    """Return a line for each request, from a given number on."""

    def more(count: int) -> str:
        """Return the note about the requests that are not shown."""
        left = len(requests) - offset - count
        return names.hint(Hint(HintKind.MORE_REQUESTS, {"count": left, "offset": offset + count}))

    lines = _safe_lines(map(_request, requests[offset:]))
    return listed(lines, max_tokens, more, "(No matching requests.)")


def details_lines(details: RequestDetails) -> list[str]:
    """Return a request and its headers, a line for each."""
    heads = ("Request headers:", details.sent), ("Response headers:", details.received)
    lines = [escape_refs(_request(details.request))]
    for head, headers in heads:
        if headers:
            lines += [head, *(f" {line}" for line in header_lines(headers))]
    return lines


def header_lines(headers: Sequence[tuple[str, str]]) -> list[str]:
    """Return a line for each header."""
    return [escape_refs(f"{name}: {value}") for name, value in headers]


def details_record(details: RequestDetails) -> dict[str, object]:
    """Return the details as a record for programs."""
    return {
        **attrs.asdict(details.request),
        "request_headers": [list(pair) for pair in details.sent],
        "response_headers": [list(pair) for pair in details.received],
    }


def _request(one: NetworkEntry) -> str:
    state = one.failure or (str(one.status) if one.status else "under way")
    time = "" if one.ms is None else f" {one.ms:.0f} ms"
    size = f" {one.size_bytes} bytes" if one.size_bytes else ""
    frames = f" {one.frames} frames" if one.frames else ""
    target = f" to {_brief(one.location)}" if one.location else ""
    what = f"{one.number} {one.method} {_brief(one.url)} {one.kind} {state}"
    return f"{what}{target}{time}{size}{frames}"


def options_parts(choices: Sequence[Choice], max_tokens: int) -> Parts:
    """Return a line for each option; selected options have a star."""
    more = _more(choices, "options: select any of them by its label")
    return listed(_safe_lines(map(_choice, choices)), max_tokens, more, "(No options.)")


def found_parts(found: FoundElements, max_tokens: int) -> Parts:
    """Return a line for each element that was found, with its ref."""
    lines = (f"[{one.ref}] {_brief(one.what)}" for one in found.elements)
    left = found.count - len(found.elements)
    more = _more(found.elements, "elements: use a more specific locator")
    parts = listed([*lines], max_tokens, more, "(Nothing on the page matches.)")
    return (*parts, f"({left} more elements match.)") if left else parts


def _choice(choice: Choice) -> str:
    disabled = " (disabled)" if choice.disabled else ""
    mark = "*" if choice.selected else "-"
    return f"{mark} {_brief(choice.label)} = {_brief(choice.value)}{disabled}"


def _safe_lines(lines: Iterable[str]) -> list[str]:
    return [cut(escape_refs(line), LIST_LINE_TOKENS_MAX) for line in lines]


def _more(listed: Sequence[object], what: str) -> Callable[[int], str]:
    """Return the note about the number of omitted items."""
    return lambda count: f"({len(listed) - count} more {what})"

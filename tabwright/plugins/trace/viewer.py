"""The viewer of a trace: one HTML page with all its data, and the trace as text.

A page has written much of a trace. The viewer shows it as text only, and its policy allows nothing
but its own script: neither other scripts nor requests.
"""

import base64
import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.resources import files

import msgspec

from tabwright.plugins.trace.events import (
    EventKind,
    JSONRecord,
    RecordedAction,
    TraceEvent,
    outlines,
)
from tabwright.plugins.trace.trace_file import Trace
from tabwright.text.lines import one_line, shortened, words_of_name

_FOLDER = files(__package__ or "").joinpath("viewer")

DEEPER = "   "
"""The indentation of what belongs to an event."""

FIELDS_LEFT_OUT = frozenset({"type", "ref", "at", "fields", "modifiers"})
"""Fields of an action that its description shows in another way, or not at all."""


def viewer_page(trace: Trace) -> str:
    """Return the trace as a self-contained HTML page."""
    script, style = _part("viewer.js"), _part("viewer.css")
    policy = (
        f"default-src 'none'; img-src data:; script-src '{_digest(script)}'; "
        f"style-src '{_digest(style)}'; base-uri 'none'; form-action 'none'"
    )
    data = msgspec.json.encode(trace_record(trace, with_pictures=True)).decode()
    for character in "<\u2028\u2029":  # so that it cannot end the element that it is in
        data = data.replace(character, f"\\u{ord(character):04x}")
    parts = {"policy": policy, "style": style, "script": script, "data": data}
    page = _part("viewer.html")
    pieces = page.split("@@")  # one pass, so that no part can contain the place of another
    return "".join(parts[one] if place % 2 else one for place, one in enumerate(pieces))


def _part(name: str) -> str:
    return _FOLDER.joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def trace_record(trace: Trace, *, with_pictures: bool = False) -> JSONRecord:
    """Return the trace as data: its header and events, with whole outlines.

    Args:
        trace: the trace.
        with_pictures: whether pictures are included, as ``data:`` URLs.
    """
    events = list[JSONRecord]()
    pairs = zip(trace.events, outlines(trace.events), strict=True)
    for event, (before, after) in pairs:
        record = msgspec.convert(msgspec.to_builtins(event), JSONRecord)
        picture = trace.pictures.get(event.picture) if with_pictures else None
        events.append(
            {
                **record,
                "summary": summary(event),
                "before": before,
                "after": after,
                "picture": picture_url(picture) if picture else event.picture,
            }
        )
    return {"header": msgspec.to_builtins(trace.header), "events": events}


def picture_url(picture: bytes) -> str:
    """Return a picture as a ``data:`` URL."""
    return f"data:image/jpeg;base64,{base64.b64encode(picture).decode()}"


# The trace as text.


def trace_text(trace: Trace) -> str:
    """Return the trace as text: a line for each event, with its error below it."""
    header = trace.header
    began = datetime.fromtimestamp(header.started, tz=UTC).strftime("%Y-%m-%d %H:%M:%S")
    lines = [f"Trace of session {header.session}, {began} UTC, {len(trace.events)} events"]
    for event in trace.events:
        lines += (f"{indent}{one_line(line)}" for indent, line in _event_lines(event))
    return "\n".join(lines)


def _event_lines(event: TraceEvent) -> Iterator[tuple[str, str]]:
    """Yield the indentation and the text of each line about an event."""
    failed = " FAILED" if event.error else ""
    yield "", f"{event.number}. {summary(event)} ({event.ms:.0f} ms){failed}"
    if event.error:
        yield DEEPER, f"{event.error.kind}: {event.error.message}"
    if event.url:
        yield DEEPER, f"{event.title} <{event.url}>"
    errors = [one for one in event.console if one.level == "error"]
    if errors:
        yield DEEPER, f"console: {len(errors)} errors, the first: {shortened(errors[0].text, 200)}"
    failures = [one.request for one in event.requests if one.request.failure]
    if failures:
        yield DEEPER, f"requests: {len(failures)} failed, the first: {failures[0].url}"


SUMMARIES: Mapping[EventKind, str] = {
    "navigate": "Open {url}{text}",
    "script": "Run a script",
    "tool": "Call the tool {name} of the page",
    "tab": "Tabs: {action} {tab}",
    "form": "Submit a form",
    "full": "The file has reached its maximum size: nothing more was recorded",
    "action": "{type} {ref}",
}


def summary(event: TraceEvent) -> str:
    """Return what was requested, in a line."""
    if event.performed:
        return "; ".join(map(action_text, event.performed))
    values = defaultdict(str, {name: str(value) for name, value in event.request.items()})
    return SUMMARIES[event.kind].format_map(values).strip()


def _listed(value: object) -> str:
    """Return a value as text; a list as its items."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, msgspec.convert(value, list[object])))
    return str(value)


def action_text(recorded: RecordedAction) -> str:
    """Return an action in a line: its type, its elements, and what it enters."""
    action = recorded.action
    named = [f'{one.element.role} "{one.element.name}"' for one in recorded.targets]
    if not named and action.get("ref"):
        named = [str(action["ref"])]
    values = [
        f"{name}: {_listed(value)}"
        for name, value in action.items()
        if name not in FIELDS_LEFT_OUT and value not in (None, False, "", 0, 1, "left", [], ())
    ]
    fields = msgspec.convert(action.get("fields", ()), tuple[dict[str, object], ...])
    values += [f"{field.get('field')}: {field.get('value')}" for field in fields]
    verb = words_of_name(str(action.get("type"))).capitalize()
    return " ".join(filter(None, (verb, " and ".join(named), ", ".join(values))))

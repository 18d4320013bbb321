"""The events of a trace, and their form in JSON."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Annotated, Literal, TypeAlias

import attrs
import msgspec
from msgspec import Meta

from tabwright.plugins.trace.records import PerformedAction, RecordedRequest, RecordedTarget
from tabwright.protocol.actions import ACTIONS, ConsoleEntry, NetworkEntry, SimpleAction
from tabwright.protocol.inspection import RequestDetails

FORMAT = "tabwright-trace"
VERSION = 1

JSONRecord: TypeAlias = dict[str, object]

Seconds: TypeAlias = Annotated[float, Meta(ge=0, lt=2**33)]
"""A time since 1970, which a date can be made of."""

EventKind: TypeAlias = Literal["navigate", "action", "script", "tool", "tab", "form", "full"]
"""What was requested; ``full`` is the last event of a file that has reached its maximum size."""


@attrs.frozen
class LinesChange:
    """An outline, as the change of the previous one of the trace.

    Attributes:
        edits: in order, the number of lines to keep, the lines to add as a list, and the number of
            lines to leave out as a negative number.
    """

    edits: tuple[int | tuple[str, ...], ...]


@attrs.frozen
class EventError:
    """Why a request failed.

    Attributes:
        kind, effect: as in `TabwrightError`.
    """

    kind: str
    message: str
    effect: str = ""


@attrs.frozen
class RecordedAction:
    """An action as it is written: its type and fields, its elements, and whether it succeeded."""

    action: JSONRecord
    targets: tuple[RecordedTarget, ...] = ()
    done: bool = False


@attrs.frozen
class WrittenRequest:
    """A request as it is written; see `RecordedRequest`."""

    request: NetworkEntry
    sent: tuple[tuple[str, str], ...] = ()
    received: tuple[tuple[str, str], ...] = ()
    started: Seconds = 0.0
    http_version: str = ""


@attrs.frozen(kw_only=True)
class TraceEvent:
    """A request to the session, and what came of it.

    Attributes:
        number: counts from 1 in each trace.
        request: its values.
        tab: the number of the tab; None for the current one.
        at: when it began, in seconds since 1970.
        ms: how long it took.
        description: what was done, in a sentence.
        start: the URL of the page before it.
        url, title: of the page after it.
        performed: the actions that it consisted of.
        before, after: the outline of the page, if it could be read.
        picture: the name of the picture in the file; empty for none.
        console, requests: what was new on the page.
        dialog: the text of the dialog that is open after it.
        opened: whether the page opened another tab, which is the current one since then.
    """

    number: int
    kind: EventKind
    request: JSONRecord
    tab: int | None = None
    at: Seconds = 0.0
    ms: float = 0.0
    description: str = ""
    error: EventError | None = None
    start: str = ""
    url: str = ""
    title: str = ""
    performed: tuple[RecordedAction, ...] = ()
    before: LinesChange | None = None
    after: LinesChange | None = None
    picture: str = ""
    console: tuple[ConsoleEntry, ...] = ()
    requests: tuple[WrittenRequest, ...] = ()
    dialog: str = ""
    opened: bool = False


@attrs.frozen(kw_only=True)
class TraceHeader:
    """The head of a trace file.

    Attributes:
        session: the name of the session.
        started: in seconds since 1970.
        made_by: the version of tabwright.
    """

    session: str
    started: Seconds
    made_by: str
    format: str = FORMAT
    version: int = VERSION


# Actions.

ACTION_TYPES: dict[str, type[SimpleAction]] = {kind.__name__: kind for kind in ACTIONS}


def action_record(action: SimpleAction) -> JSONRecord:
    """Return an action as JSON."""
    fields = msgspec.convert(msgspec.to_builtins(action), JSONRecord)
    return {"type": type(action).__name__, **fields}


def action_of(record: JSONRecord) -> SimpleAction:
    """Return the action of a record.

    Raises:
        msgspec.ValidationError: it is not one.
    """
    fields = dict(record)
    kind = ACTION_TYPES.get(str(fields.pop("type", "")))
    if kind is None:
        raise msgspec.ValidationError(f"there is no action {record.get('type')!r}")
    return msgspec.convert(fields, kind)


def recorded_action(performed: PerformedAction) -> RecordedAction:
    """Return a performed action as it is written, without refs, which mean nothing later."""
    targets = tuple(
        attrs.evolve(one, element=attrs.evolve(one.element, ref="")) for one in performed.targets
    )
    return RecordedAction(action_record(performed.action), targets, performed.done)


def request_record(recorded: RecordedRequest) -> WrittenRequest:
    """Return a request as it is written: without its body."""
    details: RequestDetails = recorded.details
    return WrittenRequest(
        details.request,
        details.sent,
        details.received,
        recorded.started,
        recorded.http_version,
    )


# Outlines.

COMPARED_MAX = 1500
"""Maximum number of lines that are compared one by one; a larger outline is written whole."""


def lines_change(before: Sequence[str], after: Sequence[str]) -> LinesChange:
    """Return how to make one outline of another, or the outline itself where that is shorter."""
    whole = LinesChange((tuple(after),))
    if not before or max(len(before), len(after)) > COMPARED_MAX:
        return whole
    edits = list[int | tuple[str, ...]]()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind == "equal":
            edits.append(last - first)
            continue
        if last > first:
            edits.append(first - last)
        if end > start:
            edits.append(tuple(after[start:end]))
    change = LinesChange(tuple(edits))
    return change if _length(change) < _length(whole) else whole


def _length(change: LinesChange) -> int:
    return sum(4 if isinstance(one, int) else sum(map(len, one)) + 3 for one in change.edits)


def changed_lines(before: Sequence[str], change: LinesChange) -> tuple[str, ...]:
    """Return the outline that a change makes of another."""
    lines, at = list[str](), 0
    for edit in change.edits:
        match edit:
            case int() if edit >= 0:
                lines += before[at : at + edit]
                at += edit
            case int():
                at -= edit
            case added:
                lines += added
    return tuple(lines)


def outlines(
    events: Sequence[TraceEvent],
) -> Iterator[tuple[tuple[str, ...] | None, tuple[str, ...] | None]]:
    """Yield the outlines before and after each event, in order."""
    last: tuple[str, ...] = ()
    for event in events:
        pair = list[tuple[str, ...] | None]()
        for change in (event.before, event.after):
            if change is not None:
                last = changed_lines(last, change)
            pair.append(last if change is not None else None)
        yield pair[0], pair[1]

"""The steps of a trace: what a replay repeats, and what an export writes."""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit, urlunsplit

import attrs
import msgspec

from tabwright.config.secrets import NAME
from tabwright.plugins.trace.events import (
    EventKind,
    JSONRecord,
    RecordedAction,
    TraceEvent,
    action_of,
    action_record,
)
from tabwright.plugins.trace.masking import HIDDEN
from tabwright.plugins.trace.records import RecordedTarget
from tabwright.plugins.trace.trace_file import Trace
from tabwright.plugins.trace.viewer import action_text, summary
from tabwright.protocol.actions import (
    Click,
    FieldValue,
    Fill,
    Press,
    SimpleAction,
    Type,
    UseMouse,
)
from tabwright.protocol.declarations import element_fields
from tabwright.protocol.errors import BadInput
from tabwright.protocol.urls import ABOUT_BLANK
from tabwright.sessions.store import STEPS

NOT_REPEATED: Mapping[EventKind, str] = {
    "script": "It ran a script of the agent.",
    "tool": "It called a tool of the page.",
    "form": "It submitted a form by its number. Record a click on its button instead.",
    "full": "The rest was not recorded, because the file was full.",
}
"""Why some events cannot be repeated."""


@attrs.frozen(kw_only=True)
class TraceStep:
    """A step of a trace that can be repeated, or the reason why it cannot.

    Attributes:
        number: that of its event.
        text: what it does, in a line.
        tab: the number of the tab; None for the current one.
        url: the URL to open, or one of `STEPS`; empty for other steps.
        new_tab: whether to open it in a new tab.
        closes, switches: whether it closes `tab`, or switches to it.
        action: the action to perform; None for other steps.
        targets: the elements of the action, in the order of its fields.
        opens_tab: whether it made the page open another tab.
        refusal: why it cannot be repeated; empty if it can.
    """

    number: int
    text: str
    tab: int | None = None
    url: str = ""
    new_tab: bool = False
    closes: bool = False
    switches: bool = False
    action: SimpleAction | None = None
    targets: tuple[RecordedTarget, ...] = ()
    opens_tab: bool = False
    refusal: str = ""


def steps_of(trace: Trace, url: str = "") -> tuple[TraceStep, ...]:
    """Return the steps of a trace: its events without what has failed.

    Args:
        trace: the trace.
        url: replaces the URL of the first page, and its origin that of later ones; empty for the
            recorded one.

    Raises:
        BadInput: the trace has no steps, or an action in it is not valid.
    """
    steps = list(_steps(trace))
    if not steps:
        raise BadInput("The trace has no actions to repeat.", advice="Record some actions.")
    first = next((one.start for one in trace.events if one.start), "")
    if not steps[0].url and first not in {"", ABOUT_BLANK}:
        steps.insert(0, TraceStep(number=steps[0].number, text=f"Open {first}", url=first))
    return tuple(_at_url(steps, url)) if url else tuple(steps)


def _at_url(steps: list[TraceStep], url: str) -> Iterator[TraceStep]:
    """Yield the steps with another URL of the first page, and its origin for later ones."""
    before = next((one.url for one in steps if one.url and one.url not in STEPS), "")
    old, new, is_first = urlsplit(before), urlsplit(url), True
    for step in steps:
        given = urlsplit(step.url)
        if not step.url or step.url in STEPS:
            yield step
        elif is_first:
            is_first = False
            yield attrs.evolve(step, url=url, text=f"Open {url}")
        elif (given.scheme, given.netloc) == (old.scheme, old.netloc):
            moved = urlunsplit((new.scheme, new.netloc, *given[2:]))
            yield attrs.evolve(step, url=moved, text=f"Open {moved}")
        else:
            yield step


def _steps(trace: Trace) -> Iterator[TraceStep]:
    for event in trace.events:
        if event.error and not event.performed:
            continue
        known = TraceStep(number=event.number, text=summary(event), tab=event.tab)
        match event.kind:
            case "navigate":
                url = str(event.request.get("url") or event.url)
                new_tab = event.request.get("new_tab") is True
                yield attrs.evolve(known, url=url, new_tab=new_tab)
            case "tab":
                tab = event.request.get("tab")
                closes = event.request.get("action") == "close"
                number = tab if isinstance(tab, int) else None
                yield attrs.evolve(known, tab=number, closes=closes, switches=not closes)
            case "action":
                yield from _performed(event, known)
            case kind:
                yield attrs.evolve(known, refusal=NOT_REPEATED[kind])


def _performed(event: TraceEvent, known: TraceStep) -> Iterator[TraceStep]:
    done = [one for one in event.performed if one.done]
    for one in done:
        try:
            action = action_of(one.action)
        except msgspec.ValidationError as error:
            raise BadInput(
                f"Step {event.number} of the trace is not valid: {error}.",
                advice="Record the trace again.",
            ) from error
        yield attrs.evolve(
            known,
            text=action_text(one),
            action=action,
            targets=one.targets,
            opens_tab=event.opened and one is done[-1],
            refusal=_refusal(action, one),
        )


def _refusal(action: SimpleAction, recorded: RecordedAction) -> str:
    """Return why an action cannot be repeated; empty if it can."""
    if len(recorded.targets) < targets_needed(action):
        return "Its element was not recorded."
    if any(one.at and not (one.element.name or is_drawing(one)) for one in recorded.targets):
        return "It clicked a point of a screenshot that belongs to no single element."
    match action:
        case UseMouse() if action.event not in {"move", "wheel"}:
            return "It used the mouse at a point of the view, whatever was there."
        case Type(text=text) | Press(keys=text) if text == HIDDEN:
            return "What it typed was not recorded."
        case _:
            return ""


DRAWINGS = frozenset({"area", "canvas", "embed", "img", "object", "svg", "video"})
"""Tags of elements in which it matters where they are clicked."""


def is_drawing(target: RecordedTarget) -> bool:
    """Return whether the point of an element has to be repeated; others are used in the middle."""
    return target.element.tag in DRAWINGS


def targets_needed(action: SimpleAction) -> int:
    """Return the number of elements that an action names."""
    if isinstance(action, Fill):
        return len(action.fields)
    return sum(bool(getattr(action, name, "")) for name in element_fields(type(action)))


def with_targets(step: TraceStep, action: SimpleAction, targets: Sequence[str]) -> SimpleAction:
    """Return an action that names its elements in another way.

    Args:
        step: the step of the action.
        action: the action.
        targets: refs or locators, one for each of its elements.
    """
    if isinstance(action, Fill):
        named = zip(targets, action.fields, strict=True)
        fields = tuple(FieldValue(target, one.value) for target, one in named)
        return attrs.evolve(action, fields=fields)
    names = [name for name in element_fields(type(action)) if getattr(action, name)]
    record: JSONRecord = {**action_record(action), **dict(zip(names, targets, strict=True))}
    if isinstance(action, Click) and is_drawing(step.targets[0]) and step.targets[0].at:
        record["at"] = step.targets[0].at
    return action_of(record)


# Secrets that steps type by name.


def needed_secrets(steps: tuple[TraceStep, ...]) -> tuple[str, ...]:
    """Return the names of the secrets that the steps type, in order."""
    texts = (text for step in steps if step.action for text in typed_texts(step.action))
    return tuple(dict.fromkeys(name for text in texts for name in NAME.findall(text)))


def typed_texts(action: SimpleAction) -> Iterator[str]:
    """Yield the texts of an action that can name secrets."""
    match action:
        case Type(text=text):
            yield text
        case Fill(fields=fields):
            yield from (one.value for one in fields if isinstance(one.value, str))
        case _:
            pass

"""Actionability: wait until an element can be acted on, and find its point."""

from collections.abc import Mapping
from typing import NoReturn

import attrs
import trio

from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.wire import JSON
from tabwright.page.frames import (
    ANOTHER,
    POLL_S,
    ElementHandle,
    FrameDocument,
    FrameManager,
    StaleElement,
    another_element,
    unknown_element,
)
from tabwright.page.outline_text import escape_refs
from tabwright.page.targets import TargetFinder
from tabwright.protocol.errors import BadInput, Effect, HintKind, PageFailed
from tabwright.protocol.untrusted_text import Quoted, quoting
from tabwright.text.hints import advised

READY_S = 3.0
"""Seconds to wait for an element; an element that is not ready then usually never is."""

PASSING = frozenset(
    {"hidden", "disabled", "moving", "covered", "ignores mouse", "no size", "out of view"}
)
"""Problems that may be over in a moment."""

ELSEWHERE, TORN = "elsewhere", "torn"
"""The problems that are found only after a part of the action was done."""

MISTAKES = frozenset(
    {
        "a select",
        "closed list",
        "disabled option",
        "no text field",
        "file",
        "no select",
        "one option",
        "format",
    }
)
"""Problems that no page can solve: the element requires another action."""

PROBLEMS: Mapping[str, tuple[str, HintKind | str]] = {
    "hidden": ("{detail} is not visible.", HintKind.BRING_UP),
    "disabled": ("{detail} is disabled.", HintKind.WAIT_UNTIL_ENABLED),
    "readonly": ("{detail} is read-only.", "Choose another field."),
    "moving": ("{detail} is still moving.", "Try again when the page has settled."),
    "covered": ("It is covered by {detail}{ways}.", "First close or scroll away the cover."),
    "ignores mouse": (
        "{detail} ignores the mouse (pointer-events: none).",
        "Wait until the page enables it, or use another element.",
    ),
    "hidden select": ("{detail} is not visible.", HintKind.ACT_ON_WHAT_SHOWS_IT),
    ELSEWHERE: ("The click did not reach {detail}.", HintKind.TAKE_SNAPSHOT),
    TORN: ("{detail} moved away while it was pressed.", HintKind.TAKE_SNAPSHOT),
    "no size": ("{detail} has no size.", HintKind.ACT_ON_WHAT_SHOWS_IT),
    "out of view": ("{detail} cannot be scrolled into view.", "Scroll to it first."),
    "a select": ("{detail} is a drop-down list.", HintKind.SELECT_OPTION),
    "closed list": ("{detail} is a drop-down list.", HintKind.SELECT_OPTION),
    "disabled option": ("{detail} is disabled.", "Choose another option."),
    "no text field": ("{detail} is not a text field.", "Click it, drag it, or press keys on it."),
    "unfocused": ("{detail} cannot be focused.", "Click it first, or choose another element."),
    "file": ("{detail} is a file field.", HintKind.UPLOAD_FILES),
    "no select": ("{detail} is not a native list.", HintKind.CLICK_OPTION),
    "one option": ("{detail} accepts one value.", "Set a single value."),
    "format": ("{detail} does not accept that value.", "Write it as 2026-11-22, 13:45 or #aabbcc."),
}  # fmt: skip
"""The message for each problem of the library, and the next step."""


@attrs.frozen
class Point:
    """A point in CSS pixels."""

    x: float
    y: float


@attrs.frozen
class Box:
    """A box in CSS pixels."""

    x: float
    y: float
    width: float
    height: float


@attrs.frozen
class ActionabilityChecks:
    """The checks of an element before an action."""

    ref: int
    what: str


@attrs.frozen(kw_only=True)
class ActionabilityReport:
    """The result of a library function about an element, or the problem that prevents it.

    Attributes:
        problem: the name of the problem; empty for none.
        detail: the detail of the problem.
        now: what the element stands for now, if that is the problem.
        what: the description of the element.
        ways: controls that dismiss the element that covers it.
        document: the number of the document of the `ways`.
    """

    problem: str = ""
    detail: str = ""
    now: str = ""
    what: str = ""
    ways: tuple[ActionabilityChecks, ...] = ()
    document: int = 0
    point: Point | None = None
    box: Box | None = None
    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0


class InClosedList(BadInput):
    """The element is in a drop-down list that is closed, so a press cannot reach it."""


@attrs.frozen
class ActionableElement:
    """An element that can be acted on.

    Attributes:
        what: the description of the element.
        point, box: in the viewport of the page, whatever frame it is in.
    """

    element: ElementHandle
    what: str
    point: Point
    box: Box


async def wait_actionable(
    targets: TargetFinder, target: str, checks: Mapping[str, JSON]
) -> ActionableElement:
    """Wait until an element is ready, at most `READY_S`.

    Raises:
        BadInput: there is no such element.
        ElementGone, PageFailed: see `wait_element_actionable`.
    """
    found = await targets.find_target(target)
    if found.at is not None:  # the page must stay where the screenshot shows it
        checks = {**checks, "at": found.at, "still": True}
    return await wait_element_actionable(targets.documents, found.element, checks)


async def wait_element_actionable(
    documents: FrameManager, element: ElementHandle, checks: JSON
) -> ActionableElement:
    """Wait until an element that was just found is ready, at most `READY_S`.

    Raises:
        ElementGone: the element is gone.
        PageFailed: the element is not ready, with the reason; nothing was done.
    """
    end = trio.current_time() + READY_S
    while True:
        report = await _ready(documents, element, checks)
        if not report.problem and report.point and report.box:
            return ActionableElement(element, report.what, report.point, report.box)
        if report.problem not in PASSING or trio.current_time() >= end:
            raise_not_actionable(report, element.ref)
        await trio.sleep(POLL_S)


def raise_not_actionable(report: ActionabilityReport, ref: str) -> NoReturn:
    """Raise the error for the problem.

    Raises:
        ElementGone, BadInput, PageFailed: the problem.
    """
    if report.problem == "unknown":
        raise unknown_element(ref)
    if report.problem in ANOTHER:
        raise another_element(ref, report.detail, report.problem, report.now)
    detail = escape_refs(report.detail)
    if report.problem == "gone":
        what = (" (", Quoted(detail), ")") if detail else ()
        raise StaleElement((f"Element {ref}", *what, " is no longer on the page."), ref)
    text, advice = PROBLEMS.get(report.problem, ("It failed: {problem}.", HintKind.TAKE_SNAPSHOT))
    ways = (f"[{report.document}.{way.ref}] {escape_refs(way.what)}" for way in report.ways)
    listed = ", ".join(ways)
    reason = quoting(
        text, problem=report.problem, detail=detail, ways=listed and f", which has {listed}"
    )
    kind = BadInput if report.problem in MISTAKES else PageFailed
    kind = InClosedList if report.problem == "closed list" else kind
    failure = kind((f"Element {ref} cannot be used. ", *reason), **advised(advice))
    failure.effect = Effect.UNKNOWN if report.problem in {ELSEWHERE, TORN} else Effect.NONE
    raise failure


async def _ready(
    documents: FrameManager, element: ElementHandle, checks: JSON
) -> ActionabilityReport:
    document = element.document
    try:
        report = await ask_library(documents, document, "ready", element.number, checks)
        if report.problem or not report.point or not report.box:
            return report
        placed = await _on_page(documents, document, report.point, report.box)
        return attrs.evolve(placed, what=report.what)
    except CommandFailed as error:
        raise StaleElement("The element is gone with its page.", element.ref) from error


async def ask_library(
    documents: FrameManager, document: FrameDocument, name: str, *values: JSON
) -> ActionabilityReport:
    """Return the result of a library function for an element of a document.

    Raises:
        PageFailed, CDPError: see `FrameManager.call`.
    """
    report = await documents.call(document, name, *values, answer=ActionabilityReport)
    return attrs.evolve(report, document=document.number)


async def _on_page(
    documents: FrameManager, document: FrameDocument, point: Point, box: Box
) -> ActionabilityReport:
    """Convert from the viewport of a frame to that of the page, frame by frame."""
    while document.parent is not None:
        frame = await documents.call(
            document.parent, "frameBox", document.owner, answer=ActionabilityReport
        )
        if frame.problem:
            return frame
        point = _moved(point, frame)
        corner = _moved(Point(box.x, box.y), frame)
        box = Box(corner.x, corner.y, box.width * frame.scale, box.height * frame.scale)
        owner = document.owner
        document = document.parent
        seen = await ask_library(documents, document, "over", point.x, point.y, owner)
        if seen.problem:
            return seen
    return ActionabilityReport(point=point, box=box)


async def box_on_page(documents: FrameManager, document: FrameDocument, box: Box) -> Box:
    """Return a box of a frame in the viewport of the page.

    Raises:
        CDPError, PageFailed: a frame around it is gone.
    """
    while document.parent is not None:
        frame = await documents.call(
            document.parent, "frameBox", document.owner, answer=ActionabilityReport
        )
        corner = _moved(Point(box.x, box.y), frame)
        box = Box(corner.x, corner.y, box.width * frame.scale, box.height * frame.scale)
        document = document.parent
    return box


def _moved(point: Point, frame: ActionabilityReport) -> Point:
    return Point(frame.x + point.x * frame.scale, frame.y + point.y * frame.scale)

"""Actions with the mouse: click, hover and drag elements, and use it at points of the view."""

import math
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import pairwise
from typing import Literal, TypeAlias

import attrs
import trio

from tabwright.cdp.domains import input as input_domain
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.session import CDPSession, Subscription
from tabwright.cdp.wire import JSON, CDPCommand, Nothing
from tabwright.page.action_runner import ActionPlan, ActionRunner, PointerState, performs
from tabwright.page.actions.actionability import (
    ELSEWHERE,
    TORN,
    ActionabilityReport,
    ActionableElement,
    InClosedList,
    Point,
    ask_library,
    raise_not_actionable,
    wait_actionable,
)
from tabwright.page.actions.field import choose_option
from tabwright.page.actions.keyboard import MODIFIERS, modifiers_of
from tabwright.page.frames import TRIES_MAX
from tabwright.page.isolated_worlds import UNDO_S
from tabwright.protocol.actions import Click, Drag, Hover, MouseButton, Outcome, UseMouse

PULL_STEPS = 5


def click_commands(
    x: float, y: float, button: MouseButton, count: int, modifiers: int
) -> Iterator[CDPCommand[Nothing]]:
    """Return the commands that move the mouse to a point and press and release its button there."""
    yield input_domain.mouse_event("mouseMoved", x, y, modifiers=modifiers)
    for number in range(1, count + 1):
        for event in ("mousePressed", "mouseReleased"):
            held = button if event == "mousePressed" else "none"
            yield input_domain.mouse_event(
                event, x, y, button=button, held=held, clicks=number, modifiers=modifiers
            )


def drag_commands(start: Point, end: Point) -> Iterator[CDPCommand[Nothing]]:
    """Return the commands of a drag, without the release."""
    yield input_domain.mouse_event("mouseMoved", start.x, start.y)
    yield input_domain.mouse_event(
        "mousePressed", start.x, start.y, button="left", held="left", clicks=1
    )
    yield from pull_commands(start, end)


def pull_commands(start: Point, end: Point) -> Iterator[CDPCommand[Nothing]]:
    """Return the movements of a drag, in steps: many pages look at the movement.

    Chromium merges those that it is sent before the page has seen the first. Send each part of a
    path once the part before it is answered.
    """
    for step in range(1, PULL_STEPS + 1):
        part = step / PULL_STEPS
        place = start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part
        yield input_domain.mouse_event("mouseMoved", *place, button="left", held="left")


# A press that hits its target or nothing.

AT_REST: dict[str, JSON] = {"visible": True, "rests": True}
OVER: dict[str, JSON] = {**AT_REST, "hits": True}


@attrs.frozen
class MousePress:
    """The press of an element; see `Click`. `modifiers` are CDP's bits."""

    ref: str
    button: MouseButton = "left"
    count: int = 1
    modifiers: int = 0
    at: tuple[float, float] | None = None

    @property
    def checks(self) -> dict[str, JSON]:
        """Return the required checks of the element."""
        return {**OVER, "enabled": True, "at": self.at}

    async def reach(self, runner: ActionRunner) -> ActionableElement:
        """Return the element once it can be pressed.

        Raises:
            BadInput, PageFailed: see `wait_actionable`.
        """
        return await wait_actionable(runner.targets, self.ref, self.checks)

    async def press(self, runner: ActionRunner, reached: ActionableElement) -> None:
        """Press the element; retry if another element intercepts the press.

        Raises:
            BadInput, PageFailed: the press is always intercepted, and nothing was pressed; or an
                element of another document was pressed, for example a frame above it.
        """
        missed = ActionabilityReport()
        for _ in range(TRIES_MAX):
            point = reached.point
            runner.pointer = attrs.evolve(runner.pointer, x=point.x, y=point.y)
            strokes = click_commands(point.x, point.y, self.button, self.count, self.modifiers)
            await runner.session.execute_all(list(strokes))
            missed = await hit_test_failure(runner, reached)
            if not missed.problem:
                return
            if missed.problem in {ELSEWHERE, TORN}:
                break
            reached = await self.reach(runner)
        raise_not_actionable(missed, self.ref)


async def hit_test_failure(runner: ActionRunner, reached: ActionableElement) -> ActionabilityReport:
    """Return the element that intercepted a press, or no problem if it hit the target."""
    try:
        return await ask_library(runner.documents, reached.element.document, "disarm")
    except CommandFailed:  # the press has caused a navigation
        return ActionabilityReport()


HOVER_S = 0.25
"""How long the mouse stays over an element: many pages open menus and tooltips after a while."""

DRAG_S = 1.0
"""Seconds for a page to start a drag."""

DRAG_PAUSE_S = 0.1
"""Time at the start and at the end of a drag: many pages look at the movement in intervals."""

PAST_PX = 3
"""How far the mouse goes beyond the end of a drag before it is released there."""

LATE_DRAG_S = 0.05
"""Seconds for the report of a drag that the last movement started."""

DROPPING: tuple[Literal["dragEnter", "dragOver", "drop"], ...] = ("dragEnter", "dragOver", "drop")
"""The events of a page at the end of a drag (HTML, section 6.11)."""

Drags: TypeAlias = Subscription[input_domain.DragIntercepted]
"""The drags that a page starts."""

_NAMES = {1: "Clicked", 2: "Double-clicked", 3: "Triple-clicked"}


@performs(Click)
async def click(runner: ActionRunner, request: Click) -> Outcome:
    modifiers = sum(MODIFIERS[name] for name in modifiers_of(request.modifiers))
    pressing = MousePress(request.ref, request.button, request.count, modifiers, request.at)
    try:
        reached = await pressing.reach(runner)
    except InClosedList:
        if request.button != "left":
            raise
        return await choose_option(runner, await runner.targets.find(request.ref))
    button = "" if request.button == "left" else f" with the {request.button} button"
    text = f"{_NAMES[request.count]} {reached.what}{button}."
    press = partial(pressing.press, runner, reached)
    document = reached.element.document
    return await runner.act(ActionPlan(text, press, may_be_late=True, submits_in=document))


@performs(Hover)
async def hover(runner: ActionRunner, request: Hover) -> Outcome:
    reached = await wait_actionable(runner.targets, request.ref, OVER)

    async def come() -> None:
        """Move the mouse to a point (`Input.dispatchMouseEvent`)."""
        await hit_test_failure(runner, reached)
        point = reached.point
        runner.pointer = attrs.evolve(runner.pointer, x=point.x, y=point.y)
        await runner.session.execute(input_domain.mouse_event("mouseMoved", point.x, point.y))
        await trio.sleep(HOVER_S)

    return await runner.act(
        ActionPlan(f"Moved the mouse over {reached.what}.", come, may_be_late=True)
    )


@performs(Drag)
async def drag(runner: ActionRunner, request: Drag) -> Outcome:
    await wait_actionable(runner.targets, request.to, AT_REST)  # scrolls first
    start = await wait_actionable(runner.targets, request.ref, OVER)
    end = await wait_actionable(runner.targets, request.to, AT_REST)

    async def pull() -> None:
        """Drag the element."""
        await hit_test_failure(runner, start)
        async with _intercepted_drags(runner.session) as drags:
            await _pull(runner, start, end.point, drags)

    return await runner.act(ActionPlan(f"Dragged {start.what} onto {end.what}.", pull))


@asynccontextmanager
async def _intercepted_drags(session: CDPSession) -> AsyncGenerator[Drags]:
    """Intercept the drags that the page starts in the block; even if cancelled, stop it then."""
    with session.subscribe(input_domain.DragIntercepted) as drags:
        await session.execute(input_domain.intercept_drags(enabled=True))
        try:
            yield drags
        finally:
            with trio.move_on_after(DRAG_S, shield=True):
                with trio.move_on_after(LATE_DRAG_S):
                    await _cancel_drag(session, await anext(drags), Point(0, 0))
                await session.execute(input_domain.intercept_drags(enabled=False))


async def _cancel_drag(session: CDPSession, taken: input_domain.DragIntercepted, at: Point) -> None:
    """End a drag that was not dropped; as long as it lasts, no press reaches the page."""
    await session.execute(input_domain.drag_event("dragCancel", at.x, at.y, taken.data))


async def release_button(session: CDPSession, at: Point) -> None:
    """Release the left mouse button at a point, even if cancelled."""
    release = input_domain.mouse_event("mouseReleased", at.x, at.y, button="left", clicks=1)
    with trio.move_on_after(UNDO_S, shield=True):
        await session.execute(release)


async def _drop(session: CDPSession, drags: Drags, end: Point, within_s: float) -> None:
    """Drop the data of a drag at a point, if the page starts one in time."""
    taken: input_domain.DragIntercepted | None = None
    with trio.move_on_after(within_s):
        taken = await anext(drags)
    if taken is None:
        return
    dropped = False
    try:
        for event in DROPPING:
            await session.execute(input_domain.drag_event(event, end.x, end.y, taken.data))
            dropped = event == "drop"
            await trio.sleep(0 if dropped else DRAG_PAUSE_S)
    finally:
        if not dropped:
            with trio.move_on_after(DRAG_S, shield=True):
                await _cancel_drag(session, taken, end)


async def _pull(runner: ActionRunner, reached: ActionableElement, end: Point, drags: Drags) -> None:
    pressed, *pull = drag_commands(reached.point, end)
    try:
        await runner.session.execute_all([pressed, *pull[:2]])
        # Lists that are sorted make an item draggable once it is pressed.
        carries = await runner.documents.call_on(reached.element, "carries", answer=bool)
        await trio.sleep(DRAG_PAUSE_S)
        await runner.session.execute_all(pull[2:])
        if carries:
            await _drop(runner.session, drags, end, DRAG_S)
            await trio.sleep(DRAG_PAUSE_S)
        else:  # many lists move an item only once the mouse is past the middle of another
            start = reached.point
            part = PAST_PX / (math.dist((start.x, start.y), (end.x, end.y)) or 1.0)
            past = Point(end.x + (end.x - start.x) * part, end.y + (end.y - start.y) * part)
            for point in (past, end):
                moved = input_domain.mouse_event(
                    "mouseMoved", point.x, point.y, button="left", held="left"
                )
                await runner.session.execute(moved)
                await trio.sleep(DRAG_PAUSE_S)
    finally:
        await release_button(runner.session, end)


# The mouse at points of the view, whatever is there.

DRAG_STARTS_S = 0.2
"""Seconds for a page to start a drag with data; most drags have none."""

DELAY_MAX_S = 10.0
"""Maximum seconds between press and release."""


@performs(UseMouse)
async def use_mouse(runner: ActionRunner, request: UseMouse) -> Outcome:
    points = [f"{x:g}, {y:g}" for x, y in request.path]
    work, text = {
        "move": (_move_to_point, "Moved the mouse to {0}"),
        "click": (_click_point, "Clicked at {0}"),
        "drag": (_drag_between_points, "Dragged from {0} to {1}"),
        "down": (_press_button, "Pressed the mouse button"),
        "up": (_release_button, "Released the mouse button"),
        "wheel": (_turn_wheel, "Turned the mouse wheel by {0}"),
    }[request.event]
    has_button = request.button != "left" and request.event in {"click", "down", "up"}
    button = f" with the {request.button} button" if has_button else ""
    may_submit = request.event in {"click", "up"}
    plan = ActionPlan(
        f"{text.format(*points[:1], *points[-1:])}{button}.",
        partial(work, runner, request),
        may_be_late=request.event != "move",
        submits_in=await runner.documents.main() if may_submit else None,
        is_plain=True,
        held_s=DELAY_MAX_S * 2,
    )
    return await runner.act(plan)


async def _move_to_point(runner: ActionRunner, request: UseMouse) -> None:
    ((x, y),) = request.path
    held = runner.pointer.held
    runner.pointer = PointerState(x, y, held)
    await runner.session.execute(
        input_domain.mouse_event("mouseMoved", x, y, button=held, held=held)
    )


async def _click_point(runner: ActionRunner, request: UseMouse) -> None:
    await _move_to_point(runner, request)
    for number in range(1, request.count + 1):
        await _press_button(runner, attrs.evolve(request, count=number))
        await trio.sleep(min(request.delay_s, DELAY_MAX_S))
        await _release_button(runner, attrs.evolve(request, count=number))


async def _press_button(runner: ActionRunner, request: UseMouse) -> None:
    runner.pointer = attrs.evolve(runner.pointer, held=request.button)
    await _send_button(runner, "mousePressed", request)


async def _release_button(runner: ActionRunner, request: UseMouse) -> None:
    runner.pointer = attrs.evolve(runner.pointer, held="none")
    await _send_button(runner, "mouseReleased", request)


async def _send_button(
    runner: ActionRunner, event: input_domain.MouseEvent, request: UseMouse
) -> None:
    here = runner.pointer
    await runner.session.execute(
        input_domain.mouse_event(
            event, here.x, here.y, button=request.button, held=here.held, clicks=request.count
        )
    )


async def _drag_between_points(runner: ActionRunner, request: UseMouse) -> None:
    """Drag, with the data that the page attaches to it, if any."""
    first, *rest = [Point(*point) for point in request.path]
    end = rest[-1]
    async with _intercepted_drags(runner.session) as drags:
        await runner.session.execute_all(list(drag_commands(first, rest[0])))
        for one, other in pairwise(rest):
            await runner.session.execute_all(list(pull_commands(one, other)))
        await _drop(runner.session, drags, end, DRAG_STARTS_S)
        runner.pointer = PointerState(end.x, end.y)
        await _send_button(runner, "mouseReleased", UseMouse("up"))


async def _turn_wheel(runner: ActionRunner, request: UseMouse) -> None:
    here = runner.pointer
    ((right, down),) = request.path
    await runner.session.execute(input_domain.wheel_event(here.x, here.y, right, down))

"""The mouse at points of the view, whatever is there."""

from functools import partial
from itertools import pairwise

import attrs
import trio

from tabwright.cdp.domains import input as hand
from tabwright.page.action_runner import ActionPlan, ActionRunner, PointerState, performs
from tabwright.page.actions.actionability import Point
from tabwright.page.actions.mouse import drag_commands, drop, intercepted_drags, pull_commands
from tabwright.protocol.actions import Outcome, UseMouse

DRAG_STARTS_S = 0.2
"""Seconds for a page to start a drag with data; most drags have none."""

DELAY_MAX_S = 10.0
"""Maximum seconds between press and release."""


@performs(UseMouse)
async def use_mouse(stage: ActionRunner, request: UseMouse) -> Outcome:
    """See `UseMouse`."""
    work, said = {
        "move": (_move, f"Moved the mouse to {_text(request.at)}"),
        "click": (_click, f"Clicked at {_text(request.at)}"),
        "drag": (_drag, f"Dragged from {_text(request.at)} to {_text(request.to)}"),
        "down": (_press, "Pressed the mouse button"),
        "up": (_release, "Released the mouse button"),
        "wheel": (_turn, f"Turned the mouse wheel by {_text(request.to)}"),
    }[request.kind]
    button = "" if request.button == "left" else f" with the {request.button} button"
    may_submit = request.kind in {"click", "up"}
    plan = ActionPlan(
        f"{said}{button}.",
        partial(work, stage, request),
        may_be_late=request.kind != "move",
        submits_in=await stage.documents.main() if may_submit else None,
        is_plain=True,
        held_s=DELAY_MAX_S * 2,
    )
    return await stage.act(plan)


def _text(point: tuple[float, float]) -> str:
    return f"{point[0]:g}, {point[1]:g}"


async def _move(stage: ActionRunner, request: UseMouse) -> None:
    x, y = request.at
    held = stage.pointer.held
    stage.pointer = PointerState(x, y, held)
    await stage.session.execute(hand.mouse_event("mouseMoved", x, y, button=held, held=held))


async def _click(stage: ActionRunner, request: UseMouse) -> None:
    await _move(stage, request)
    for number in range(1, request.count + 1):
        await _press(stage, attrs.evolve(request, count=number))
        await trio.sleep(min(request.delay_s, DELAY_MAX_S))
        await _release(stage, attrs.evolve(request, count=number))


async def _press(stage: ActionRunner, request: UseMouse) -> None:
    stage.pointer = attrs.evolve(stage.pointer, held=request.button)
    await _send(stage, "mousePressed", request)


async def _release(stage: ActionRunner, request: UseMouse) -> None:
    stage.pointer = attrs.evolve(stage.pointer, held="none")
    await _send(stage, "mouseReleased", request)


async def _send(stage: ActionRunner, event: hand.MouseEvent, request: UseMouse) -> None:
    here = stage.pointer
    await stage.session.execute(
        hand.mouse_event(
            event, here.x, here.y, button=request.button, held=here.held, clicks=request.count
        )
    )


async def _drag(stage: ActionRunner, request: UseMouse) -> None:
    """Drag, with the data that the page attaches to it, if any."""
    end = request.to
    first, *rest = [Point(*point) for point in (request.at, *request.via, end)]
    async with intercepted_drags(stage.session) as drags:
        await stage.session.execute_all(list(drag_commands(first, rest[0])))
        for one, other in pairwise(rest):
            await stage.session.execute_all(list(pull_commands(one, other)))
        await drop(stage.session, drags, Point(*end), DRAG_STARTS_S)
        stage.pointer = PointerState(*end)
        await _send(stage, "mouseReleased", UseMouse("up"))


async def _turn(stage: ActionRunner, request: UseMouse) -> None:
    here = stage.pointer
    await stage.session.execute(hand.wheel_event(here.x, here.y, *request.to))

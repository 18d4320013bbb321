"""The mouse at points of the view, whatever is there."""

from functools import partial
from itertools import pairwise

import attrs
import trio

from tabwright.cdp.domains import input as input_domain
from tabwright.page.action_runner import ActionPlan, ActionRunner, PointerState, performs
from tabwright.page.actions.actionability import Point
from tabwright.page.actions.mouse import drag_commands, drop, intercepted_drags, pull_commands
from tabwright.protocol.actions import Outcome, UseMouse

DRAG_STARTS_S = 0.2
"""Seconds for a page to start a drag with data; most drags have none."""

DELAY_MAX_S = 10.0
"""Maximum seconds between press and release."""


@performs(UseMouse)
async def use_mouse(runner: ActionRunner, request: UseMouse) -> Outcome:
    """See `UseMouse`."""
    work, text = {
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
        f"{text}{button}.",
        partial(work, runner, request),
        may_be_late=request.kind != "move",
        submits_in=await runner.documents.main() if may_submit else None,
        is_plain=True,
        held_s=DELAY_MAX_S * 2,
    )
    return await runner.act(plan)


def _text(point: tuple[float, float]) -> str:
    return f"{point[0]:g}, {point[1]:g}"


async def _move(runner: ActionRunner, request: UseMouse) -> None:
    x, y = request.at
    held = runner.pointer.held
    runner.pointer = PointerState(x, y, held)
    await runner.session.execute(
        input_domain.mouse_event("mouseMoved", x, y, button=held, held=held)
    )


async def _click(runner: ActionRunner, request: UseMouse) -> None:
    await _move(runner, request)
    for number in range(1, request.count + 1):
        await _press(runner, attrs.evolve(request, count=number))
        await trio.sleep(min(request.delay_s, DELAY_MAX_S))
        await _release(runner, attrs.evolve(request, count=number))


async def _press(runner: ActionRunner, request: UseMouse) -> None:
    runner.pointer = attrs.evolve(runner.pointer, held=request.button)
    await _send(runner, "mousePressed", request)


async def _release(runner: ActionRunner, request: UseMouse) -> None:
    runner.pointer = attrs.evolve(runner.pointer, held="none")
    await _send(runner, "mouseReleased", request)


async def _send(runner: ActionRunner, event: input_domain.MouseEvent, request: UseMouse) -> None:
    here = runner.pointer
    await runner.session.execute(
        input_domain.mouse_event(
            event, here.x, here.y, button=request.button, held=here.held, clicks=request.count
        )
    )


async def _drag(runner: ActionRunner, request: UseMouse) -> None:
    """Drag, with the data that the page attaches to it, if any."""
    end = request.to
    first, *rest = [Point(*point) for point in (request.at, *request.via, end)]
    async with intercepted_drags(runner.session) as drags:
        await runner.session.execute_all(list(drag_commands(first, rest[0])))
        for one, other in pairwise(rest):
            await runner.session.execute_all(list(pull_commands(one, other)))
        await drop(runner.session, drags, Point(*end), DRAG_STARTS_S)
        runner.pointer = PointerState(*end)
        await _send(runner, "mouseReleased", UseMouse("up"))


async def _turn(runner: ActionRunner, request: UseMouse) -> None:
    here = runner.pointer
    await runner.session.execute(input_domain.wheel_event(here.x, here.y, *request.to))

"""Gestures of fingers on a touch screen: tap, long press, swipe, pinch."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import trio

from tabwright.cdp.domains import input as input_domain
from tabwright.page.action_runner import ActionPlan, ActionRunner, performs
from tabwright.page.actions.actionability import Point, wait_actionable
from tabwright.page.actions.mouse import OVER, hit_test_failure
from tabwright.protocol.actions import Outcome, Touch, TouchGesture

Fingers: TypeAlias = Sequence[Point]
"""The position of each finger, in CSS pixels of the view; empty if all are lifted."""

TAP_S = 0.05
BETWEEN_TAPS_S = 0.1
LONG_PRESS_S = 0.8
"""Seconds that a finger stays; a page reports a long press after half a second."""

MOVES = 12
MOVE_S = 0.016
"""The moves of a finger, one for each frame of a screen."""

CLOSE, APART = 20, 100
"""Pixels of each finger from the middle at the ends of a pinch."""

SWIPES: Mapping[TouchGesture, tuple[int, int]] = {
    "swipe_left": (-1, 0),
    "swipe_right": (1, 0),
    "swipe_up": (0, -1),
    "swipe_down": (0, 1),
}

_SENTENCES: Mapping[TouchGesture, str] = {
    "tap": "Tapped {}.",
    "double_tap": "Double-tapped {}.",
    "long_press": "Pressed {} for a while.",
    "swipe_left": "Swiped left on {}.",
    "swipe_right": "Swiped right on {}.",
    "swipe_up": "Swiped up on {}.",
    "swipe_down": "Swiped down on {}.",
    "pinch_in": "Pinched {}.",
    "pinch_out": "Spread two fingers on {}.",
}


@performs(Touch)
async def touch(runner: ActionRunner, request: Touch) -> Outcome:
    reached = await wait_actionable(runner.targets, request.ref, OVER)

    async def move_fingers() -> None:
        """Move the fingers; lift them even if cancelled."""
        await hit_test_failure(runner, reached)
        down = False
        try:
            for fingers, pause_s in gesture_steps(request, reached.point):
                event: input_domain.TouchEvent = (
                    "touchEnd" if not fingers else "touchMove" if down else "touchStart"
                )
                command = input_domain.touch_event(
                    event, [(finger.x, finger.y) for finger in fingers]
                )
                await runner.session.execute(command)
                down = bool(fingers)
                await trio.sleep(pause_s)
        finally:
            if down:
                with trio.move_on_after(TAP_S * 10, shield=True):
                    await runner.session.execute(input_domain.touch_event("touchCancel", ()))

    text = _SENTENCES[request.gesture].format(reached.what)
    return await runner.act(ActionPlan(text, move_fingers, may_be_late=True))


def gesture_steps(request: Touch, at: Point) -> Iterator[tuple[Fingers, float]]:
    """Return the places of the fingers one after the other, each with the seconds until the next.

    The first place of a gesture puts the fingers down, and no fingers lift them.
    """
    match request.gesture:
        case "tap":
            yield from _press(at, TAP_S)
        case "double_tap":
            yield from _press(at, TAP_S)
            yield (), BETWEEN_TAPS_S
            yield from _press(at, TAP_S)
        case "long_press":
            yield from _press(at, LONG_PRESS_S)
        case "pinch_in" | "pinch_out":
            first, last = (APART, CLOSE) if request.gesture == "pinch_in" else (CLOSE, APART)
            for step in range(MOVES + 1):
                off = first + (last - first) * step / MOVES
                yield (Point(at.x - off, at.y), Point(at.x + off, at.y)), MOVE_S
        case swipe:
            across, down = SWIPES[swipe]
            for step in range(MOVES + 1):
                off = request.distance * step / MOVES
                yield (Point(at.x + across * off, at.y + down * off),), MOVE_S
    yield (), 0


def _press(at: Point, seconds: float) -> Iterator[tuple[Fingers, float]]:
    yield (at,), seconds

"""A person's input in the picture of a page, as commands of the browser."""

from collections import deque
from collections.abc import Iterator
from typing import TypeAlias

import attrs
import trio

from tabwright.cdp.domains import input as input_domain
from tabwright.cdp.wire import CDPCommand, Nothing
from tabwright.page.actions.keyboard import Key, edit_commands, insert_text_commands, key_of
from tabwright.page.screencast import LiveFrame
from tabwright.view.messages import (
    Fingers,
    KeyStroke,
    MousePoint,
    TextComposed,
    TextEntered,
    WheelTurn,
)

WAITING_MAX = 1_000
"""The maximum number of events that wait for a slow page; further ones are dropped."""

ALT, CONTROL, META, SHIFT = 1, 2, 4, 8
"""The bits of modifiers in messages, as the browser has them."""

Input: TypeAlias = MousePoint | WheelTurn | Fingers | KeyStroke | TextEntered | TextComposed


@attrs.define(eq=False)
class InputQueue:
    """The events that wait for a page; a movement replaces the one before."""

    _waiting: deque[Input] = attrs.field(factory=deque[Input], init=False)
    _came: trio.Event = attrs.field(factory=trio.Event, init=False)

    def put(self, event: Input) -> None:
        """Add an event; never waits."""
        if self._waiting and (joined := _joined(self._waiting[-1], event)) is not None:
            self._waiting[-1] = joined
        elif len(self._waiting) < WAITING_MAX:
            self._waiting.append(event)
        self._came.set()

    async def next(self) -> Input:
        """Wait for the next event."""
        while not self._waiting:
            self._came = trio.Event()
            await self._came.wait()
        return self._waiting.popleft()


def _joined(before: Input, event: Input) -> Input | None:
    """Return one event for two of the same movement; None for events that both count."""
    match before, event:
        case MousePoint(kind="move"), MousePoint(kind="move"):
            return event
        case Fingers(kind="move"), Fingers(kind="move") if len(before.points) == len(event.points):
            return event
        case WheelTurn(), WheelTurn():
            return WheelTurn(event.x, event.y, before.dx + event.dx, before.dy + event.dy)
        case _:
            return None


def commands_of(event: Input, view: LiveFrame) -> Iterator[CDPCommand[Nothing]]:
    """Return the commands for an event in a picture of a page."""
    match event:
        case MousePoint():
            x, y = _point(event.x, event.y, view)
            kinds: dict[str, input_domain.MouseEvent] = {
                "down": "mousePressed",
                "up": "mouseReleased",
                "move": "mouseMoved",
            }
            yield input_domain.mouse_event(
                kinds[event.kind],
                x,
                y,
                button=event.button,
                held=event.held,
                clicks=event.clicks,
                modifiers=event.modifiers,
            )
        case WheelTurn():
            yield input_domain.wheel_event(*_point(event.x, event.y, view), event.dx, event.dy)
        case Fingers():
            touches: dict[str, input_domain.TouchEvent] = {
                "start": "touchStart",
                "move": "touchMove",
                "end": "touchEnd",
                "cancel": "touchCancel",
            }
            points = [_point(x, y, view) for x, y in event.points]
            yield input_domain.touch_event(touches[event.kind], points)
        case KeyStroke():
            yield from _key_commands(event)
        case TextEntered():
            yield from insert_text_commands(event.text)
        case TextComposed():
            yield input_domain.compose_text(event.text)


def _point(x: float, y: float, view: LiveFrame) -> tuple[float, float]:
    height = view.height + view.top
    return x * view.width, max(0.0, y * height - view.top)


def _key_commands(event: KeyStroke) -> Iterator[CDPCommand[Nothing]]:
    key = key_of(event.key) or Key(event.key, "", 0, "")
    is_text = key.text and not event.modifiers & (ALT | CONTROL | META)
    if event.kind == "up":
        yield input_domain.key_event(
            "keyUp",
            key=key.name,
            code=key.code,
            key_code=key.key_code,
            modifiers=event.modifiers,
        )
        return
    yield input_domain.key_event(
        "keyDown" if is_text else "rawKeyDown",
        key=key.name,
        code=key.code,
        key_code=key.key_code,
        text=key.text if is_text else "",
        modifiers=event.modifiers,
        commands=edit_commands(key, event.modifiers),
    )

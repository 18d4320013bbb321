"""The Input domain: trusted events, as from a person's mouse and keyboard."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from tabwright.cdp.wire import JSON, CDPCommand, Event, Nothing, Raw, present

Button: TypeAlias = Literal["none", "left", "middle", "right"]

BUTTON_BITS: dict[Button, int] = {"none": 0, "left": 1, "right": 2, "middle": 4}
"""The pressed buttons as a bit mask (UI Events, ``buttons``)."""


class DragIntercepted(Event, frozen=True):
    """The page started a drag; its data is for `drag_event`."""

    method = "Input.dragIntercepted"
    data: Raw


def insert_text(text: str) -> CDPCommand[Nothing]:
    """Input.insertText: into the focused field, with an input event."""
    return CDPCommand("Input.insertText", {"text": text}, Nothing)


def compose_text(text: str) -> CDPCommand[Nothing]:
    """Input.imeSetComposition: text under composition, as by an input method."""
    end = len(text.encode("utf-16-le")) // 2
    params: dict[str, JSON] = {"text": text, "selectionStart": end, "selectionEnd": end}
    return CDPCommand("Input.imeSetComposition", params, Nothing)


def key_event(  # noqa: PLR0913  (as the protocol has it)
    event: Literal["keyDown", "rawKeyDown", "keyUp"],
    *,
    key: str,
    code: str,
    key_code: int,
    text: str = "",
    modifiers: int = 0,
    commands: tuple[str, ...] = (),
) -> CDPCommand[Nothing]:
    """Input.dispatchKeyEvent; `commands` are editing commands, for example ``selectAll``."""
    params = present(
        type=event,
        key=key,
        code=code,
        windowsVirtualKeyCode=key_code,
        text=text,
        modifiers=modifiers,
        commands=list(commands) or None,
    )
    return CDPCommand("Input.dispatchKeyEvent", params, Nothing)


def press_enter() -> tuple[CDPCommand[Nothing], CDPCommand[Nothing]]:
    """Input.dispatchKeyEvent twice: Enter down, Enter up."""
    return (
        key_event("keyDown", key="Enter", code="Enter", key_code=13, text="\r"),
        key_event("keyUp", key="Enter", code="Enter", key_code=13),
    )


MouseEvent: TypeAlias = Literal["mousePressed", "mouseReleased", "mouseMoved"]


def mouse_event(  # noqa: PLR0913  (as the protocol has it)
    event: MouseEvent,
    x: float,
    y: float,
    *,
    button: Button = "none",
    held: Button = "none",
    clicks: int = 0,
    modifiers: int = 0,
) -> CDPCommand[Nothing]:
    """Input.dispatchMouseEvent at a point of the page's view, in CSS pixels."""
    params: dict[str, JSON] = {
        "type": event,
        "x": x,
        "y": y,
        "button": button,
        "buttons": BUTTON_BITS[held],
        "clickCount": clicks,
        "modifiers": modifiers,
    }
    return CDPCommand("Input.dispatchMouseEvent", params, Nothing)


def wheel_event(x: float, y: float, delta_x: float, delta_y: float) -> CDPCommand[Nothing]:
    """Input.dispatchMouseEvent: the wheel over a point, in CSS pixels."""
    params: dict[str, JSON] = {
        "type": "mouseWheel",
        "x": x,
        "y": y,
        "deltaX": delta_x,
        "deltaY": delta_y,
    }
    return CDPCommand("Input.dispatchMouseEvent", params, Nothing)


TouchEvent: TypeAlias = Literal["touchStart", "touchMove", "touchEnd", "touchCancel"]


def touch_event(event: TouchEvent, points: Sequence[tuple[float, float]]) -> CDPCommand[Nothing]:
    """Input.dispatchTouchEvent; `points` are all fingers that are down, in CSS pixels."""
    touched: list[JSON] = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
    return CDPCommand("Input.dispatchTouchEvent", {"type": event, "touchPoints": touched}, Nothing)


def intercept_drags(*, enabled: bool) -> CDPCommand[Nothing]:
    """Input.setInterceptDrags: drags are reported instead of started by the system."""
    return CDPCommand("Input.setInterceptDrags", {"enabled": enabled}, Nothing)


def drag_event(
    event: Literal["dragEnter", "dragOver", "drop", "dragCancel"],
    x: float,
    y: float,
    data: Raw,
) -> CDPCommand[Nothing]:
    """Input.dispatchDragEvent at a point of the page's view."""
    params: dict[str, JSON] = {"type": event, "x": x, "y": y, "data": data}
    return CDPCommand("Input.dispatchDragEvent", params, Nothing)

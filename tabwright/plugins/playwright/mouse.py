"""The tools of the capability ``vision``: the mouse at points of the view."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from tabwright.plugins.playwright.actions import act
from tabwright.plugins.playwright.targets import PlaywrightAction
from tabwright.plugins.playwright.tool import playwright_tool
from tabwright.protocol.actions import MouseButton, UseMouse


class BrowserMouseMoveXY(PlaywrightAction, frozen=True, kw_only=True):
    """Arguments of `browser_mouse_move_xy`."""

    x: float
    y: float

    def request(self, _refs: Sequence[str], /) -> UseMouse:
        return UseMouse("move", ((self.x, self.y),))


class BrowserMouseClickXY(PlaywrightAction, frozen=True, kw_only=True):
    """Arguments of `browser_mouse_click_xy`."""

    x: float
    y: float
    button: MouseButton = "left"
    click_count: Annotated[int, Meta(ge=1, le=3)] = 1
    delay: Annotated[float, Meta(ge=0, description="milliseconds")] = 0

    def request(self, _refs: Sequence[str], /) -> UseMouse:
        return UseMouse(
            "click",
            ((self.x, self.y),),
            button=self.button,
            count=self.click_count,
            delay_s=self.delay / 1000,
        )


class BrowserMouseDragXY(PlaywrightAction, frozen=True, kw_only=True):
    """Arguments of `browser_mouse_drag_xy`."""

    start_x: float
    start_y: float
    end_x: float
    end_y: float

    def request(self, _refs: Sequence[str], /) -> UseMouse:
        return UseMouse("drag", ((self.start_x, self.start_y), (self.end_x, self.end_y)))


class BrowserMouseDown(PlaywrightAction, frozen=True, kw_only=True):
    """Arguments of `browser_mouse_down`."""

    button: MouseButton = "left"

    def request(self, _refs: Sequence[str], /) -> UseMouse:
        return UseMouse("down", button=self.button)


class BrowserMouseUp(PlaywrightAction, frozen=True, kw_only=True):
    """Arguments of `browser_mouse_up`."""

    button: MouseButton = "left"

    def request(self, _refs: Sequence[str], /) -> UseMouse:
        return UseMouse("up", button=self.button)


class BrowserMouseWheel(PlaywrightAction, frozen=True, kw_only=True):
    """Arguments of `browser_mouse_wheel`."""

    delta_x: float = 0
    delta_y: float = 0

    def request(self, _refs: Sequence[str], /) -> UseMouse:
        return UseMouse("wheel", ((self.delta_x, self.delta_y),))


TOOLS = (
    playwright_tool(
        "browser_mouse_move_xy",
        "Move the mouse to a point of the view.",
        BrowserMouseMoveXY,
        act,
        group="mouse",
    ),
    playwright_tool(
        "browser_mouse_click_xy",
        "Click at a point of the view.",
        BrowserMouseClickXY,
        act,
        group="mouse",
    ),
    playwright_tool(
        "browser_mouse_drag_xy",
        "Drag from one point of the view to another.",
        BrowserMouseDragXY,
        act,
        group="mouse",
    ),
    playwright_tool(
        "browser_mouse_down", "Press a mouse button.", BrowserMouseDown, act, group="mouse"
    ),
    playwright_tool(
        "browser_mouse_up", "Release a mouse button.", BrowserMouseUp, act, group="mouse"
    ),
    playwright_tool(
        "browser_mouse_wheel", "Turn the mouse wheel.", BrowserMouseWheel, act, group="mouse"
    ),
)

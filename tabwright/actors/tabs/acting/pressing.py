"""A press of the mouse that lands where it is meant to, or nowhere."""

import attrs

from tabwright.actors.tabs.acting.strokes import clicked
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.wire import JSON
from tabwright.page.action_runner import Stage
from tabwright.page.actions.actionability import (
    ELSEWHERE,
    Reached,
    Report,
    ask_library,
    reach,
    refuse,
)
from tabwright.protocol.actions import MouseButton

PRESSES_MAX = 3
"""Tries to press an element that moves away from under the mouse."""

AT_REST: dict[str, JSON] = {"visible": True, "rests": True}
OVER: dict[str, JSON] = {**AT_REST, "hits": True}


@attrs.frozen
class Pressing:
    """How an element is pressed; see `Click`. `modifiers` are bits of CDP's."""

    ref: str
    button: MouseButton = "left"
    count: int = 1
    modifiers: int = 0
    at: tuple[float, float] | None = None

    @property
    def wish(self) -> JSON:
        """How the element must be."""
        return {**OVER, "enabled": True, "at": self.at}

    async def reach(self, stage: Stage) -> Reached:
        """The element, once it can be pressed.

        Raises:
            BadInput, PageFailed: see `reaching.reach`.
        """
        return await reach(stage.documents, self.ref, self.wish)

    async def press(self, stage: Stage, reached: Reached) -> None:
        """Presses it, and once more where something has slipped between.

        Raises:
            BadInput, PageFailed: something always does, and nothing was pressed; or what is not
                of its document was, as a frame that has come over it.
        """
        missed = Report()
        for _ in range(PRESSES_MAX):
            point = reached.point
            strokes = clicked(point.x, point.y, self.button, self.count, self.modifiers)
            await stage.session.execute_all(list(strokes))
            missed = await what_was_missed(stage, reached)
            if not missed.problem:
                return
            if missed.problem == ELSEWHERE:
                break
            reached = await self.reach(stage)
        refuse(missed, self.ref)


async def what_was_missed(stage: Stage, reached: Reached) -> Report:
    """What was in the way of a press, which it was then kept from; no problem where it landed."""
    try:
        return await ask_library(stage.documents, reached.element.document, "disarm")
    except CommandFailed:  # the press has led to another page
        return Report()

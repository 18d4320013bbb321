"""What is done with the mouse."""

from functools import partial
from typing import Literal

import trio

from tabwright.acting.keys import MODIFIERS, modifiers_of
from tabwright.actors.acting.fields import FieldReport
from tabwright.actors.acting.reaching import Point, Reached, Report, reach, refuse
from tabwright.actors.acting.stage import Move, Stage
from tabwright.actors.acting.strokes import clicked, pulled
from tabwright.cdp.domains import dom, page
from tabwright.cdp.domains import input as hand
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.wire import JSON
from tabwright.protocol.acting import Click, Drag, Hover, Outcome, Upload
from tabwright.protocol.errors import Effect, PageFailed

PRESSES_MAX = 3
"""Tries to press an element that moves away from under the mouse."""

CHOOSER_S = 3.0
"""For a page to ask for files once its button is clicked."""

DRAG_S = 1.0
"""For a page to let something be dragged."""

DROPPING: tuple[Literal["dragEnter", "dragOver", "drop"], ...] = ("dragEnter", "dragOver", "drop")
"""What a page hears at the end of a drag (HTML, section 6.11)."""

AT_REST: dict[str, JSON] = {"visible": True, "rests": True}
OVER: dict[str, JSON] = {**AT_REST, "hits": True}
PRESSABLE: dict[str, JSON] = {**OVER, "enabled": True}

_NAMES = {1: "Clicked", 2: "Double-clicked", 3: "Triple-clicked"}


async def click(stage: Stage, request: Click) -> Outcome:
    """See `Click`."""
    modifiers = sum(MODIFIERS[name] for name in modifiers_of(request.modifiers))
    wish: JSON = {**PRESSABLE, "at": request.at}
    reached = await reach(stage.documents, request.ref, wish)

    async def press() -> None:
        point = reached.point
        for _ in range(PRESSES_MAX):
            await stage.session.execute_all(
                list(clicked(point.x, point.y, request.button, request.count, modifiers))
            )
            if not (missed := await _missed(stage, reached)):
                return
            point = (await reach(stage.documents, request.ref, wish)).point
        refuse(Report(problem="covered", detail=missed), request.ref)

    button = "" if request.button == "left" else f" with the {request.button} button"
    return await stage.act(Move(f"{_NAMES[request.count]} {reached.what}{button}.", press))


async def _missed(stage: Stage, reached: Reached) -> str:
    """What was in the way of a press, which it was then kept from; empty where it landed."""
    try:
        return await stage.documents.call(reached.document, "disarm", answer=str)
    except CommandFailed:  # the press has led to another page
        return ""


async def hover(stage: Stage, request: Hover) -> Outcome:
    """See `Hover`."""
    reached = await reach(stage.documents, request.ref, OVER)

    async def come() -> None:
        await _missed(stage, reached)
        point = reached.point
        await stage.session.execute(hand.mouse_event("mouseMoved", point.x, point.y))

    return await stage.act(Move(f"The mouse is over {reached.what}.", come))


async def drag(stage: Stage, request: Drag) -> Outcome:
    """See `Drag`."""
    await reach(stage.documents, request.to, AT_REST)  # it is scrolled to first
    start = await reach(stage.documents, request.ref, OVER)
    end = await reach(stage.documents, request.to, AT_REST)

    async def pull() -> None:
        await _missed(stage, start)
        await stage.session.execute(hand.intercept_drags(enabled=True))
        try:
            await _pull(stage, start, end.point)
        finally:
            with trio.move_on_after(DRAG_S, shield=True):
                await stage.session.execute(hand.intercept_drags(enabled=False))

    return await stage.act(Move(f"Dragged {start.what} onto {end.what}.", pull))


async def _pull(stage: Stage, reached: Reached, end: Point) -> None:
    start = reached.point
    carries = await stage.documents.call(reached.document, "carries", reached.element, answer=bool)
    with stage.session.subscribe(hand.DragIntercepted) as drags:
        await stage.session.execute_all(list(pulled(start.x, start.y, end.x, end.y)))
        if carries:
            with trio.move_on_after(DRAG_S):
                taken = await anext(drags)
                for event in DROPPING:
                    dropping = hand.drag_event(event, end.x, end.y, taken.data)
                    await stage.session.execute(dropping)
        release = hand.mouse_event("mouseReleased", end.x, end.y, button="left", clicks=1)
        await stage.session.execute(release)


async def upload(stage: Stage, request: Upload) -> Outcome:
    """See `Upload`."""
    document, element = await stage.documents.find(request.ref)
    shown = await stage.documents.call(document, "shownValue", element, answer=FieldReport)
    if shown.problem:
        refuse(Report(problem=shown.problem, detail=shown.detail), request.ref)
    give = partial(_give, stage, request) if shown.files else partial(_choose, stage, request)
    named = f"{len(request.paths)} files" if len(request.paths) != 1 else "a file"
    return await stage.act(Move(f"Gave {named} to {shown.what}.", give))


async def _give(stage: Stage, request: Upload) -> None:
    document, element = await stage.documents.find(request.ref)
    held = await stage.documents.handle(document, element)
    await document.session.execute(dom.set_files(request.paths, object_id=held))


async def _choose(stage: Stage, request: Upload) -> None:
    """Clicks what asks for files, and gives them."""
    with stage.session.subscribe(page.FileChooserOpened) as asked:
        await stage.session.execute(page.intercept_file_chooser(enabled=True))
        try:
            reached = await reach(stage.documents, request.ref, PRESSABLE)
            point = reached.point
            await stage.session.execute_all(list(clicked(point.x, point.y, "left", 1, 0)))
            with trio.move_on_after(CHOOSER_S):
                chooser = await anext(asked)
                files = dom.set_files_of(request.paths, chooser.backend_node_id)
                await stage.session.execute(files)
                return
        finally:
            with trio.move_on_after(CHOOSER_S, shield=True):
                await stage.session.execute(page.intercept_file_chooser(enabled=False))
    failure = PageFailed(f"Element {request.ref} asked for no files.", advice="Upload to another.")
    failure.effect = Effect.DONE
    raise failure

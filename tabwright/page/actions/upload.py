"""Uploading files: into a field for files, or through the file chooser that a button opens."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import trio

from tabwright.cdp.domains import dom, page
from tabwright.page.action_runner import ActionPlan, ActionRunner, performs
from tabwright.page.actions.actionability import (
    ActionabilityReport,
    raise_not_actionable,
    wait_element_actionable,
)
from tabwright.page.actions.field import FieldReport
from tabwright.page.actions.mouse import MousePress
from tabwright.page.frames import ElementHandle
from tabwright.protocol.actions import Outcome, Upload
from tabwright.protocol.errors import BadInput, Effect, PageFailed

CHOOSER_S = 3.0
"""Seconds for a page to ask for files after a click on its button."""


@performs(Upload)
async def upload(runner: ActionRunner, request: Upload) -> Outcome:
    element = await runner.targets.find(request.ref)
    shown = await runner.documents.call_on(element, "shownValue", answer=FieldReport)
    if shown.problem:
        raise_not_actionable(
            ActionabilityReport(problem=shown.problem, detail=shown.detail), request.ref
        )
    if shown.files:
        _check_kinds(request.paths, takes_folder=shown.folder)
    give = partial(_give if shown.files else _choose, runner, element, request.paths)
    named = f"{len(request.paths)} files" if len(request.paths) != 1 else "a file"
    return await runner.act(ActionPlan(f"Gave {named} to {shown.what}.", give, gives_files=True))


async def _give(runner: ActionRunner, element: ElementHandle, paths: Sequence[str]) -> None:
    held = await runner.documents.handle(element)
    await element.document.session.execute(dom.set_files(paths, object_id=held))


async def _choose(runner: ActionRunner, element: ElementHandle, paths: Sequence[str]) -> None:
    """Click the element that asks for files, and supply them."""
    pressing = MousePress(element.ref)
    reached = await wait_element_actionable(runner.documents, element, pressing.checks)
    session = element.document.session
    with session.subscribe(page.FileChooserOpened) as asked:
        await pressing.press(runner, reached)
        with trio.move_on_after(CHOOSER_S):
            field = (await anext(asked)).backend_node_id
            described = await session.execute(dom.describe_backend_node(field))
            takes_folder = "webkitdirectory" in described.node.attributes[::2]
            try:
                _check_kinds(paths, takes_folder=takes_folder)
            except BadInput as refusal:
                refusal.effect = Effect.DONE  # the element was clicked
                raise
            await session.execute(dom.set_files_of(paths, field))
            return
    failure = PageFailed(
        f"Element {element.ref} did not open a file chooser.", advice="Upload to another element."
    )
    failure.effect = Effect.DONE
    raise failure


def _check_kinds(paths: Sequence[str], *, takes_folder: bool) -> None:
    """Check that a field for a folder gets one folder, and any other field files.

    Raises:
        BadInput: it would get something else.
    """
    folders = sum(Path(path).is_dir() for path in paths)
    if takes_folder and paths and (len(paths), folders) != (1, 1):
        raise BadInput("The field takes one folder.", advice="Give the path of a folder.")
    if folders and not takes_folder:
        raise BadInput("The field takes files, not folders.", advice="Give the paths of files.")

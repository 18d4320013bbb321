"""Records of a page for a trace: outline, picture, console, requests and actions."""

import attrs
import trio

from tabwright.page.action_runner import ActionRunner, answers
from tabwright.page.actions.actionability import Box
from tabwright.page.live_page import PICTURE_S
from tabwright.page.outline_view import written
from tabwright.page.render import outline_text
from tabwright.page.screenshot import (
    PageExtent,
    ScreenshotClip,
    capture_screenshot,
    mask_secret_fields,
)
from tabwright.plugins.trace.performed_actions import PerformedActions, is_in_frame
from tabwright.plugins.trace.records import ElementDescription, PageRecord, RecordedRequest
from tabwright.protocol.inspection import Capture, Inspection, OutlineView

PICTURE = Capture(bytes_max=60_000, side_max=1280, css=True)
"""The pictures of a trace: small, because there is one for each action."""

WHOLE = OutlineView(max_tokens=0)


@attrs.frozen
class DescribeCandidates(Inspection[tuple[ElementDescription, ...]]):
    """Return the elements of the page with one of these roles, or with this text.

    Those with the name come first; of a large page, not all of the others are returned.

    Attributes:
        roles: as outlines list them.
        name: the recorded name.
        text: the whole text of elements without such a role; empty for none.
        frames: whether to search the frames instead of the page itself.
    """

    roles: tuple[str, ...]
    name: str = ""
    text: str = ""
    frames: bool = False


@attrs.frozen
class _Candidates:
    elements: tuple[ElementDescription, ...]


@answers(DescribeCandidates)
async def describe_candidates(
    runner: ActionRunner, request: DescribeCandidates
) -> tuple[ElementDescription, ...]:
    """Return the elements that may be meant, of the page or of all its frames."""
    documents = (
        await runner.documents.frames() if request.frames else (await runner.documents.main(),)
    )
    found = list[ElementDescription]()
    for document in documents:
        answer = await runner.documents.call(
            document,
            "describedCandidates",
            request.roles,
            request.name,
            request.text,
            answer=_Candidates,
        )
        found += [
            attrs.evolve(one, ref=f"{document.number}.{one.ref}", frame=is_in_frame(document))
            for one in answer.elements
        ]
    return tuple(found)


@attrs.frozen
class RecordPage(Inspection[PageRecord]):
    """Return the state of the page for a trace; from now on, describe the elements of actions.

    It changes nothing that other requests see: neither refs of changes nor numbers of pictures.

    Attributes:
        picture: whether to take a screenshot.
        is_last: whether to stop describing elements.
    """

    picture: bool = False
    is_last: bool = False


@answers(RecordPage, dialog=True)
async def record_page(runner: ActionRunner, request: RecordPage) -> PageRecord:
    """Return what the page did since it was last recorded."""
    performed = runner.observer
    if not isinstance(performed, PerformedActions):
        performed = runner.observer = PerformedActions(runner.documents, runner.password_fields)
    performed.is_on = not request.is_last
    # The requests that are new, or have changed since they were last recorded.
    known = performed.requests
    changed = [one for one in runner.requests.logged if one.entry != known.get(one.entry.number)]
    performed.requests = {one.entry.number: one.entry for one in runner.requests.logged}
    requests = tuple(
        RecordedRequest(runner.requests.details(one), one.started, one.http_version)
        for one in changed
    )
    record = PageRecord(
        console=runner.console.entries(after=performed.console),
        requests=requests,
        performed=performed.take(),
    )
    performed.console = runner.console.last
    with runner.dialogs.until_open():
        taken = await runner.outliner.take({})
        text = outline_text(written(taken, WHOLE))
        record = attrs.evolve(record, url=taken.url, title=taken.title, outline=text)
        if request.picture:
            record = attrs.evolve(record, picture=await _picture(runner))
    return record


async def _picture(runner: ActionRunner) -> bytes:
    """Return a picture of the visible part of the page, or none if that takes too long."""
    with trio.move_on_after(PICTURE_S):
        extent = await runner.documents.ask_main("extent", answer=PageExtent)
        async with mask_secret_fields(runner):
            clip = ScreenshotClip(
                Box(extent.x, extent.y, extent.width, extent.height),
                beyond=False,
                device=extent.ratio,
            )
            return (await capture_screenshot(runner.session, clip, PICTURE)).data
    return b""

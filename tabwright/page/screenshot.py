"""Screenshots of a page, within a size limit and without secrets."""

import base64
import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from io import BytesIO

import attrs
import trio

from tabwright.cdp.domains import page
from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import JSON
from tabwright.page.action_runner import ActionRunner
from tabwright.page.actions.actionability import Box
from tabwright.page.frames import FrameDocument
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.inspection import Capture, ImageFormat
from tabwright.protocol.snapshot import Thumbnail

QUALITIES = {"jpeg": (80, 60, 40, 25), "webp": (80, 60, 40, 25), "png": (None,)}
"""Qualities tried in turn; PNG has none."""

SCALE_STEP = 0.7
"""The scale for a picture that is still too large at the lowest quality."""

SCALE_MIN = 0.05

SIDE_MAX = 16_000
"""Maximum height of a whole page, in CSS pixels; the picture is cut there."""


@attrs.frozen
class ScreenshotClip:
    """The area of a picture.

    Attributes:
        box: the box on the page, in CSS pixels from its upper left corner.
        beyond: whether it extends beyond the visible part.
        device: device pixels in a CSS pixel.
    """

    box: Box
    beyond: bool
    device: float


async def capture_screenshot(
    session: CDPSession, view: ScreenshotClip, request: Capture
) -> Thumbnail:
    """Return a picture of a part of the page, within the maximum size in bytes and pixels.

    Raises:
        CDPError: the page provides none.
    """
    box = attrs.evolve(view.box, height=min(view.box.height, SIDE_MAX))
    view = attrs.evolve(view, box=box)
    wanted = 1 / view.device if request.css else 1.0
    side = max(box.width, box.height, 1) * view.device
    scale = min(wanted, request.side_max / side) if request.side_max else wanted
    if request.area_max:
        area = max(box.width * box.height, 1) * view.device**2
        scale = min(scale, math.sqrt(request.area_max / area))
    while True:
        for quality in QUALITIES[request.image_format]:
            data = await _capture(session, view, request.image_format, scale, quality)
            if not request.bytes_max or len(data) <= request.bytes_max or scale < SCALE_MIN:
                width, height = _size(data)
                kind = f"image/{request.image_format}"
                return Thumbnail(0, "", "", kind, data, width, height, scale / wanted)
        scale *= SCALE_STEP


async def _capture(
    session: CDPSession,
    view: ScreenshotClip,
    image_format: ImageFormat,
    scale: float,
    quality: int | None,
) -> bytes:
    box = view.box
    clip: dict[str, JSON] = {
        "x": box.x,
        "y": box.y,
        "width": max(box.width, 1),
        "height": max(box.height, 1),
        "scale": scale,
    }
    command = page.capture_screenshot(image_format, quality, clip, beyond=view.beyond)
    return base64.b64decode((await session.execute(command)).data)


def _size(data: bytes) -> tuple[int, int]:
    from PIL import Image  # noqa: PLC0415  (rarely needed)

    with Image.open(BytesIO(data), formats=("JPEG", "PNG", "WEBP")) as picture:
        return picture.size


# Covering the fields that contain secrets.

RESTORE_S = 3.0
"""Seconds for a page to restore its fields."""


@attrs.frozen
class _Field:
    """A field: its number, and its text; None if the text is too long to be searched."""

    ref: int
    value: str | None


@attrs.frozen
class _Fields:
    fields: tuple[_Field, ...]


@asynccontextmanager
async def mask_secret_fields(stage: ActionRunner) -> AsyncGenerator[None]:
    """Hide all fields during the block that contain a secret, or into which a secret was typed.

    The fields are restored when the block is left, even if cancelled.

    Raises:
        CDPError, PageFailed, TooSlowError: the fields cannot be hidden.
    """
    covered: list[FrameDocument] = []
    try:
        if stage.secrets:
            covered.append(await stage.documents.main())
            await _cover(stage, covered[0])
            for frame in await stage.documents.frames():
                covered.append(frame)
                with suppress(CommandFailed):  # it has just disappeared
                    await _cover(stage, frame)
        yield
    finally:
        with trio.move_on_after(RESTORE_S, shield=True):
            for document in covered:
                with suppress(CDPError, PageFailed, trio.TooSlowError):
                    await stage.documents.call(document, "restore", answer=bool)


async def _cover(stage: ActionRunner, document: FrameDocument) -> None:
    listed = await stage.documents.call(document, "fieldValues", answer=_Fields)
    secret = tuple(one.ref for one in listed.fields if _is_secret(stage, document, one))
    if secret:
        await stage.documents.call(document, "blacken", secret, answer=bool)


def _is_secret(stage: ActionRunner, document: FrameDocument, field: _Field) -> bool:
    typed = f"{document.number}.{field.ref}" in stage.secret_fields
    return typed or field.value is None or stage.secrets.masked(field.value) != field.value

"""Screenshots of a page, within a size limit, without secrets, and with marks at its controls."""

import base64
import math
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from functools import partial
from io import BytesIO

import attrs
import trio

from tabwright.cdp.domains import page
from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import JSON
from tabwright.page.action_runner import ActionRunner, answers
from tabwright.page.actions.actionability import Box, Point, box_on_page, wait_actionable
from tabwright.page.frames import FrameDocument
from tabwright.page.picture_points import PictureArea
from tabwright.protocol.errors import BadInput, PageFailed
from tabwright.protocol.inspection import Capture, ImageFormat, Screenshot

QUALITIES = {"jpeg": (80, 60, 40, 25), "webp": (80, 60, 40, 25), "png": (None,)}
"""Qualities tried in turn; PNG has none."""

SCALE_STEP = 0.7
"""The scale for a picture that is still too large at the lowest quality."""

SCALE_MIN = 0.05

SIDE_MAX = 16_000
"""Maximum height of a whole page, in CSS pixels; the picture is cut there."""


PICTURE_S = 60.0
"""Seconds to render or print a page; long pages need seconds."""


@attrs.frozen
class PageExtent:
    """The viewport, and the size of the page, in CSS pixels; `ratio` is the device's scale."""

    x: float
    y: float
    width: float
    height: float
    full_width: float
    full_height: float
    ratio: float


@answers(Capture)
async def capture(runner: ActionRunner, request: Capture) -> Screenshot:
    if (request.ref != "") + request.full + (request.region is not None) > 1:
        raise BadInput(
            "A screenshot shows an element, a region or the whole page.", advice="Choose one."
        )
    box = None
    if request.ref:
        checks: dict[str, JSON] = {"visible": True, "rests": True}
        box = (await wait_actionable(runner.targets, request.ref, checks)).box
    elif request.region is not None:
        box = Box(*request.region)
    extent = await runner.documents.ask_main("extent", answer=PageExtent)
    if box is not None:
        shown = Box(extent.x + box.x, extent.y + box.y, box.width, box.height)
    elif request.full:
        height = min(extent.full_height, SIDE_MAX)
        shown = Box(0, 0, extent.full_width, height)
    else:
        shown = Box(extent.x, extent.y, extent.width, extent.height)
    beyond = request.full or shown.width > extent.width or shown.height > extent.height
    with trio.fail_after(PICTURE_S):
        async with mask_secret_fields(runner):
            shot, document = await runner.points.remember()
            marks = await marks_of(runner) if request.marks else ()
            taken = await capture_screenshot(
                runner.session, ScreenshotClip(shown, beyond, extent.ratio), request
            )
    scale = taken.width / max(shown.width, 1)
    corner = Point(shown.x - extent.x, shown.y - extent.y)
    runner.points.add(shot, PictureArea(corner.x, corner.y, scale, request.full, document))
    is_changed = runner.points.is_new(attrs.astuple(request), taken.data)
    if marks:
        drawing = partial(draw_marks, taken, marks, corner, scale, request)
        taken = await trio.to_thread.run_sync(drawing)
    return attrs.evolve(taken, shot=shot, is_changed=is_changed)


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
) -> Screenshot:
    """Return a picture of a part of the page, within the maximum size in bytes and pixels.

    Raises:
        CDPError: the page provides none.
    """
    box = view.box
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
                return Screenshot(0, "", "", kind, data, width, height, scale / wanted)
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


# Marks: a box around each control, with its ref.

MARKS_MAX = 300

MARK_COLORS = ("#d00000", "#0050d0", "#007a33", "#8a00c2", "#b35900", "#006d77")
"""Dark enough for white digits, and different from one mark to the next."""

DIGITS_PX = 12


@attrs.frozen
class Mark:
    """A control and its box, in CSS pixels of the viewport."""

    ref: str
    box: Box


@attrs.frozen
class _ControlBox:
    ref: int
    box: Box


async def marks_of(runner: ActionRunner) -> tuple[Mark, ...]:
    """Return the visible controls of the page and its frames.

    Raises:
        BadInput, CDPError, PageFailed: see `ActionRunner.outline`.
    """
    outline = await runner.outline()
    listed: dict[int, list[JSON]] = {}
    for line in outline.lines:
        listed.setdefault(line.document, []).extend(control.ref for control in line.controls)
    marks = list[Mark]()
    for document in (await runner.documents.main(), *await runner.documents.frames()):
        refs = listed.get(document.number, [])
        if not refs:
            continue
        boxes = await runner.documents.call(
            document, "boxesInView", refs, answer=tuple[_ControlBox, ...]
        )
        for one in boxes:
            box = await box_on_page(runner.documents, document, one.box)
            marks.append(Mark(f"{document.number}.{one.ref}", box))
    return tuple(marks[:MARKS_MAX])


def draw_marks(
    picture: Screenshot, marks: Iterable[Mark], corner: Point, scale: float, request: Capture
) -> Screenshot:
    """Return the picture with the marks drawn on it, within the same maximum size in bytes.

    Args:
        picture: the picture.
        marks: the controls.
        corner: the top left corner of the picture, in CSS pixels of the viewport.
        scale: pixels of the picture in a CSS pixel.
        request: its format, and its maximum size in bytes.
    """
    from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415  (rarely needed)

    with Image.open(BytesIO(picture.data), formats=("JPEG", "PNG", "WEBP")) as opened:
        image = opened.convert("RGB")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(DIGITS_PX)
    for number, mark in enumerate(marks):
        color = MARK_COLORS[number % len(MARK_COLORS)]
        left, top = (mark.box.x - corner.x) * scale, (mark.box.y - corner.y) * scale
        right, bottom = left + mark.box.width * scale, top + mark.box.height * scale
        if right <= 0 or bottom <= 0 or left >= image.width or top >= image.height:
            continue
        draw.rectangle((left, top, max(right, left + 1), max(bottom, top + 1)), outline=color)
        width = draw.textlength(mark.ref, font=font) + 3
        x = min(max(left, 0), image.width - width)
        y = top - DIGITS_PX - 1 if top > DIGITS_PX else min(max(top, 0), image.height - DIGITS_PX)
        draw.rectangle((x, y, x + width, y + DIGITS_PX + 1), fill=color)
        draw.text((x + 2, y), mark.ref, fill="white", font=font)
    data = b""
    for quality in QUALITIES[request.image_format]:
        written = BytesIO()
        options = {} if quality is None else {"quality": quality}
        image.save(written, request.image_format.upper(), **options)
        data = written.getvalue()
        if not request.bytes_max or len(data) <= request.bytes_max:
            break
    return attrs.evolve(picture, data=data)


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
async def mask_secret_fields(runner: ActionRunner) -> AsyncGenerator[None]:
    """Hide all fields during the block that contain a secret, or into which a secret was typed.

    The fields are restored when the block is left, even if cancelled.

    Raises:
        CDPError, PageFailed, TooSlowError: the fields cannot be hidden.
    """
    covered: list[FrameDocument] = []
    try:
        if runner.secrets or runner.password_fields:
            covered.append(await runner.documents.main())
            await _cover(runner, covered[0])
            for frame in await runner.documents.frames():
                covered.append(frame)
                with suppress(CommandFailed):  # it has just disappeared
                    await _cover(runner, frame)
        yield
    finally:
        with trio.move_on_after(RESTORE_S, shield=True):
            for document in covered:
                with suppress(CDPError, PageFailed, trio.TooSlowError):
                    await runner.documents.call(document, "restore", answer=bool)


async def _cover(runner: ActionRunner, document: FrameDocument) -> None:
    listed = await runner.documents.call(document, "fieldValues", answer=_Fields)
    secret = tuple(one.ref for one in listed.fields if _is_secret(runner, document, one))
    if secret:
        await runner.documents.call(document, "blacken", secret, answer=bool)


def _is_secret(runner: ActionRunner, document: FrameDocument, field: _Field) -> bool:
    ref = f"{document.number}.{field.ref}"
    if ref in runner.password_fields or not runner.secrets:
        return ref in runner.password_fields
    typed = ref in runner.secret_fields
    return typed or field.value is None or runner.secrets.masked(field.value) != field.value

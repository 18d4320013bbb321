"""Pictures of a page, within a size."""

import base64
import math
from io import BytesIO

import attrs

from tabwright.cdp.domains import page
from tabwright.cdp.session import Session
from tabwright.cdp.wire import JSON
from tabwright.page.actions.actionability import Box
from tabwright.protocol.inspection import Capture, ImageFormat
from tabwright.protocol.snapshot import SmallPicture

QUALITIES = {"jpeg": (80, 60, 40, 25), "webp": (80, 60, 40, 25), "png": (None,)}
"""Tried in turn; PNG has none."""

SCALE_STEP = 0.7
"""What is still too large at the lowest quality is made so much smaller."""

SCALE_MIN = 0.05

SIDE_MAX = 16_000
"""Of a whole page, in CSS pixels; what is below is not in the picture."""


@attrs.frozen
class View:
    """What is to be in a picture.

    Attributes:
        box: on the page, in CSS pixels from its left upper corner.
        beyond: whether there is more in it than is seen.
        device: pixels of the device in a CSS pixel.
    """

    box: Box
    beyond: bool
    device: float


async def captured(session: Session, view: View, request: Capture) -> SmallPicture:
    """A picture of a part of the page, with no more bytes and pixels on a side than it may have.

    Raises:
        CDPError: the page gives none.
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
                return SmallPicture(0, "", "", kind, data, width, height, scale / wanted)
        scale *= SCALE_STEP


async def _capture(
    session: Session, view: View, image_format: ImageFormat, scale: float, quality: int | None
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
    from PIL import Image  # noqa: PLC0415  (few need it)

    with Image.open(BytesIO(data), formats=("JPEG", "PNG", "WEBP")) as picture:
        return picture.size

"""Pictures of a page, within a size."""

import base64
from io import BytesIO

import attrs

from tabwright.actors.tabs.acting.reaching import Box
from tabwright.cdp.domains import page
from tabwright.cdp.session import Session
from tabwright.cdp.wire import JSON
from tabwright.protocol.pictures import SmallPicture

QUALITIES = (80, 60, 40, 25)
"""Of JPEG, tried in turn."""

SCALE_STEP = 0.7
"""What is still too large at the lowest quality is made so much smaller."""

SCALE_MIN = 0.05

SIDE_MAX = 16_000
"""Of a whole page, in CSS pixels; what is below is not in the picture."""


@attrs.frozen
class View:
    """What is to be in a picture: a box on the page, in CSS pixels from its left upper corner."""

    box: Box
    beyond: bool


async def captured(session: Session, view: View, bytes_max: int, side_max: int) -> SmallPicture:
    """A picture of a part of the page, with no more bytes and pixels on a side than it may have.

    Raises:
        CDPError: the page gives none.
    """
    box = attrs.evolve(view.box, height=min(view.box.height, SIDE_MAX))
    view = attrs.evolve(view, box=box)
    scale = min(1.0, side_max / max(box.width, box.height, 1))
    while True:
        for quality in QUALITIES:
            data = await _capture(session, view, scale, quality)
            if len(data) <= bytes_max or scale < SCALE_MIN:
                width, height = _size(data)
                return SmallPicture(0, "", "", "image/jpeg", data, width, height)
        scale *= SCALE_STEP


async def _capture(session: Session, view: View, scale: float, quality: int) -> bytes:
    box = view.box
    clip: dict[str, JSON] = {
        "x": box.x,
        "y": box.y,
        "width": max(box.width, 1),
        "height": max(box.height, 1),
        "scale": scale,
    }
    command = page.capture_screenshot("jpeg", quality, clip, beyond=view.beyond)
    return base64.b64decode((await session.execute(command)).data)


def _size(data: bytes) -> tuple[int, int]:
    from PIL import Image  # noqa: PLC0415  (few need it)

    with Image.open(BytesIO(data), formats=("JPEG",)) as picture:
        return picture.size

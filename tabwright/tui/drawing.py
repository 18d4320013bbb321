"""A picture as half blocks, two pixels in a cell: what any terminal with colours can show."""

import io

from PIL import Image
from rich.console import RenderableType
from rich.text import Text
from rich_pixels import Pixels

COLUMNS_MAX = 60
LINES_MAX = 20
"""What a picture may take of the page; one that is smaller stays as it is."""

PIXELS_MAX = 4_000_000
"""The server sends small pictures; what claims to be larger is not decoded."""


def drawn(file: bytes, width: int) -> RenderableType:
    """The picture in lines of at most `width` cells; what cannot be decoded is said to be so."""
    try:
        with Image.open(io.BytesIO(file)) as picture:
            if picture.width * picture.height > PIXELS_MAX:
                return Text("[image: too large]")
            size = _size(picture.width, picture.height, width)
            shown: Pixels = Pixels.from_image(picture.convert("RGB").resize(size))
            return shown
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):  # Pillow's ways
        return Text("[image: damaged]")


def _size(width: int, height: int, room: int) -> tuple[int, int]:
    scale = min(1.0, min(room, COLUMNS_MAX) / width, 2 * LINES_MAX / height)
    return max(round(width * scale), 1), max(round(height * scale / 2) * 2, 2)

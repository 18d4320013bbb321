"""Live pictures within a number of bytes: small while a page moves, sharp once it rests."""

import math
from collections.abc import Iterator
from io import BytesIO

import attrs

FRAME_BYTES_MAX = 40_000
"""Maximum size of a picture, in bytes."""

QUALITY = 40
"""Quality of a picture that is made smaller, 0 to 100."""

SHARP_QUALITY = 70
"""Quality of the parts of a sharp picture, as WebP."""

SCALE_MIN = 0.25

ROWS_MIN = 16
"""A part that is not higher, in pixels, is sent whatever its size."""


@attrs.frozen
class PicturePart:
    """A part of a picture, in fractions of the whole.

    Attributes:
        sharp: whether it shows all that the browser sent.
    """

    data: bytes = attrs.field(repr=False)
    media_type: str = "image/jpeg"
    y: float = 0
    height: float = 1
    sharp: bool = True


@attrs.define(eq=False)
class PictureFitter:
    """Makes pictures of one page small enough; remembers the scale that was right."""

    _scale: float = 1.0

    def fit(self, data: bytes, bytes_max: int) -> PicturePart:
        """Return a JPEG within a number of bytes, of a lower quality or smaller if needed."""
        if len(data) <= bytes_max:
            self._scale = 1.0
            return PicturePart(data)
        from PIL import Image  # noqa: PLC0415  (rarely needed)

        with Image.open(BytesIO(data), formats=("JPEG",)) as opened:
            full = opened.size
            opened.draft("RGB", (round(full[0] * self._scale), round(full[1] * self._scale)))
            whole = opened.convert("RGB")
        scale = self._scale
        while True:
            small = BytesIO()
            size = (max(1, round(full[0] * scale)), max(1, round(full[1] * scale)))
            whole.resize(size, Image.Resampling.BILINEAR).save(small, "JPEG", quality=QUALITY)
            fitted = small.getvalue()
            ratio = bytes_max / len(fitted)
            if ratio >= 1 or scale <= SCALE_MIN:
                self._scale = min(1.0, scale * min(1.1, math.sqrt(ratio)))
                return PicturePart(fitted, sharp=False)
            scale = max(SCALE_MIN, scale * math.sqrt(ratio) * 0.95)


def sharp_parts(data: bytes, bytes_max: int) -> Iterator[PicturePart]:
    """Yield the parts of a picture from top to bottom, each within a number of bytes."""
    from PIL import Image  # noqa: PLC0415  (rarely needed)

    with Image.open(BytesIO(data), formats=("JPEG",)) as opened:
        whole = opened.convert("RGB")
    top, rows = 0, whole.height
    while top < whole.height:
        rows = min(rows, whole.height - top)
        part = BytesIO()
        whole.crop((0, top, whole.width, top + rows)).save(
            part, "WEBP", quality=SHARP_QUALITY, method=1
        )
        encoded = part.getvalue()
        if len(encoded) > bytes_max and rows > ROWS_MIN:
            rows = max(ROWS_MIN, int(rows * min(0.8, bytes_max / len(encoded))))
            continue
        yield PicturePart(encoded, "image/webp", top / whole.height, rows / whole.height)
        top += rows

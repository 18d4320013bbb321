"""Thumbnails: a model needs only a few hundred pixels of a picture."""

import warnings
from io import BytesIO

from PIL import Image

from tabwright.protocol.extraction import PictureFormat
from tabwright.protocol.snapshot import MediaItem, Thumbnail

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "ICO", "AVIF")
"""Formats of web pages. Others run external programs: EPS runs Ghostscript."""

PIXELS_MAX = 64_000_000
"""Maximum size of a decoded picture: a few bytes can declare any size."""

SIDE_MIN = 16
"""A smaller picture is a bullet or a tracking pixel."""


def shrunk(
    medium: MediaItem,
    data: bytes,
    size: tuple[int, int],
    quality: int,
    image_format: PictureFormat = "jpeg",
) -> Thumbnail | None:
    """Return the picture scaled down to a width and height in pixels; it is never enlarged.

    Return None for a picture that cannot be read, or is too small or too large. Transparent areas
    become white.
    """
    try:
        with (
            warnings.catch_warnings(action="ignore"),
            Image.open(BytesIO(data), formats=FORMATS) as picture,
        ):
            if min(picture.size) < SIDE_MIN or picture.width * picture.height > PIXELS_MAX:
                return None
            picture.draft("RGB", size)
            if "A" not in picture.getbands() and "transparency" not in picture.info:
                opaque = picture.convert("RGB")
            else:
                layered = picture.convert("RGBA")
                ground = Image.new("RGBA", layered.size, "white")
                opaque = Image.alpha_composite(ground, layered).convert("RGB")
            opaque.thumbnail(size)
            written = BytesIO()
            chosen = {} if image_format == "png" else {"quality": quality}
            opaque.save(written, image_format.upper(), optimize=True, **chosen)
    except Exception:  # noqa: BLE001  (whatever the error, the picture cannot be shown)
        return None
    return Thumbnail(
        medium.number,
        medium.url,
        medium.alt,
        f"image/{image_format}",
        written.getvalue(),
        opaque.width,
        opaque.height,
    )

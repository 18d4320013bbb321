"""Pictures made small: for a model, a few hundred pixels say as much as a few thousand."""

import warnings
from io import BytesIO

from PIL import Image

from tabwright.protocol.snapshot import MediaItem, Thumbnail

MEDIA_TYPE = "image/jpeg"

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "ICO")
"""What pages show. Others have other programs started: EPS is one of Ghostscript's."""

PIXELS_MAX = 64_000_000
"""A picture with more is not decoded: a few bytes can claim any number."""

SIDE_MIN = 16
"""A smaller picture is a bullet, or counts visitors."""


def shrunk(
    medium: MediaItem, data: bytes, width: int, height: int, quality: int
) -> Thumbnail | None:
    """The picture within `width` and `height` pixels; never larger than it was.

    None for what is no picture that can be read, or one too small or too large to be looked at.
    What is transparent becomes white.
    """
    try:
        with (
            warnings.catch_warnings(action="ignore"),
            Image.open(BytesIO(data), formats=FORMATS) as picture,
        ):
            if min(picture.size) < SIDE_MIN or picture.width * picture.height > PIXELS_MAX:
                return None
            picture.draft("RGB", (width, height))
            if "A" not in picture.getbands() and "transparency" not in picture.info:
                opaque = picture.convert("RGB")
            else:
                layered = picture.convert("RGBA")
                ground = Image.new("RGBA", layered.size, "white")
                opaque = Image.alpha_composite(ground, layered).convert("RGB")
            opaque.thumbnail((width, height))
            written = BytesIO()
            opaque.save(written, "JPEG", quality=quality, optimize=True)
    except Exception:  # noqa: BLE001  (whatever is wrong with it, it cannot be looked at)
        return None
    return Thumbnail(
        medium.number,
        medium.url,
        medium.alt,
        MEDIA_TYPE,
        written.getvalue(),
        opaque.width,
        opaque.height,
    )

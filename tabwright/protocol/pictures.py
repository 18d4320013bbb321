"""Pictures of a page, made small enough to be shown to a model."""

import attrs


@attrs.frozen
class SmallPicture:
    """A picture as it is handed on.

    Attributes:
        number: that of its `tabwright.protocol.snapshot.Medium`.
        url: where it came from; empty for what a page has drawn.
        alt: what it shows, in words.
        media_type: of `data`, as ``image/jpeg``.
        width, height: of `data`, in pixels.
        reduced: how much smaller it is than was asked for, so that it fits: 0.5 for half as wide.
    """

    number: int
    url: str
    alt: str
    media_type: str
    data: bytes
    width: int
    height: int
    reduced: float = 1.0

"""Notices about pictures and drawings of a page that its text does not show."""

from collections.abc import Sequence
from urllib.parse import urlsplit

import attrs

from tabwright.protocol.page_text import PageText
from tabwright.protocol.snapshot import MediaItem, Thumbnail

DRAWINGS_MAX = 10
"""Maximum number of pictures that a notice lists."""


def with_notices(page: PageText, *notices: str) -> PageText:
    """Return the page with further notices after its own; empty ones are left out."""
    return attrs.evolve(page, notice=" ".join(filter(None, (page.notice, *notices))))


def picture_notice(page: PageText, pictures: Sequence[Thumbnail]) -> str:
    """Return a notice about pictures that cannot be shown; empty if there are none."""
    images = [medium for medium in page.media if medium.kind == "image" and medium.url]
    if images and not pictures:
        return (
            "None of the pictures can be shown: they are missing, too small or too large, or of an "
            "unsupported format such as SVG. To see one, navigate to its URL and take a screenshot."
        )
    drawings = [str(one.number) for one in images if urlsplit(one.url).path.endswith(".svg")]
    if not drawings:
        return ""
    return (
        f"Not shown, because they are SVG: pictures {', '.join(drawings[:DRAWINGS_MAX])}. To see "
        "one, navigate to its URL and take a screenshot."
    )


def canvas_notice(
    page: PageText,
    pictures: Sequence[Thumbnail] | None,
    way: str,
) -> str:
    """Return a notice about canvases with drawings that are not among the pictures.

    Args:
        page: the page.
        pictures: the pictures of the result; None if they can be had and were not requested.
        way: how they can be had.
    """
    shown = {one.number for one in pictures or ()}
    drawn = [one for one in page.media if one.drawn and one.number not in shown]
    readable = _numbers([one for one in drawn if one.drawing])
    unread = _numbers([one for one in drawn if not one.drawing])
    sentences: list[str] = []
    if readable and pictures is None:
        sentences.append(f"The page shows drawings (canvas {readable}): {way}.")
    elif readable:
        sentences.append(f"Drawings that are not among the pictures: canvas {readable}.")
    if unread:
        sentences.append(
            f"Canvas {unread} was not read, as it has pictures of another site or the page has too"
            " many drawings."
        )
    if unread or (readable and pictures is not None):
        sentences.append("To see what is missing, take a screenshot.")
    return " ".join(sentences)


def _numbers(media: Sequence[MediaItem]) -> str:
    more = ", …" if len(media) > DRAWINGS_MAX else ""
    return ", ".join(str(one.number) for one in media[:DRAWINGS_MAX]) + more

"""The script that reads a document's source, and what it answers."""

from importlib.resources import files

import attrs
import msgspec

from tabwright.protocol.errors import PageFailed
from tabwright.protocol.pages import LoadedPage, PageSource

READ_SOURCE = files("tabwright.reading").joinpath("source.js").read_text(encoding="utf-8")
"""A function declaration that answers a JSON string for `parse_source`."""


@attrs.frozen
class _Answer:
    url: str
    html: str
    cut: bool


def parse_source(answer: str, loaded: LoadedPage) -> PageSource:
    """What the script answered, about a page that was `loaded` and may have moved on since.

    Raises:
        PageFailed: the answer is not the script's; the page may have been torn down.
    """
    try:
        read = msgspec.json.decode(answer, type=_Answer)
    except msgspec.MsgspecError as error:
        raise PageFailed(f"The page gave no readable source: {error}.") from error
    return PageSource(attrs.evolve(loaded, url=read.url), read.html, cut=read.cut)

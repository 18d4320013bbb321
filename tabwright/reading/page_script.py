"""The script that reads a document's source, and what it answers."""

from importlib.resources import files

import attrs
import msgspec

from tabwright.protocol.pages import LoadedPage, PageSource

READ_SOURCE = files("tabwright.reading").joinpath("source.js").read_text(encoding="utf-8")
"""A function declaration that answers a JSON string for `parse_source`."""


@attrs.frozen
class _Answer:
    url: str
    html: str
    cut: bool


def parse_source(answer: str, loaded: LoadedPage) -> PageSource:
    """What the script answered, about a page that was `loaded` and may have moved on since."""
    read = msgspec.json.decode(answer, type=_Answer)
    return PageSource(attrs.evolve(loaded, url=read.url), read.html, cut=read.cut)

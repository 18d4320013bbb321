"""The scripts that read a document's source and send its forms, and what they say."""

from collections.abc import Mapping
from importlib.resources import files

import attrs
import msgspec

from tabwright.protocol.errors import PageFailed
from tabwright.protocol.snapshot import LoadedPage, PageSource

_SCRIPTS = files("tabwright.page").joinpath("js")

READ_SOURCE = _SCRIPTS.joinpath("source.js").read_text(encoding="utf-8")
"""A function declaration that answers a JSON string for `parse_source`."""

SUBMIT_FORM = _SCRIPTS.joinpath("submit_form.js").read_text(encoding="utf-8")
"""One that sends a form: of the place given, with values as `form_values` writes them."""


@attrs.frozen
class _SourceAnswer:
    url: str
    html: str
    cut: bool
    frames: tuple[str, ...] = ()
    charset: str = ""


def parse_source(answer: str, loaded: LoadedPage) -> PageSource:
    """What the script answered, about a page that was `loaded` and may have moved on since.

    Raises:
        PageFailed: the answer is not the script's; the page may have been torn down.
    """
    try:
        read = msgspec.json.decode(answer, type=_SourceAnswer)
    except msgspec.MsgspecError as error:
        raise PageFailed(f"The page gave no readable source: {error}.") from error
    page = attrs.evolve(loaded, url=read.url)
    return PageSource(page, read.html, read.cut, read.frames, charset=read.charset.lower())


def form_values(values: Mapping[str, tuple[str, ...]]) -> str:
    """Values of fields by name, for `SUBMIT_FORM`."""
    return msgspec.json.encode(values).decode()

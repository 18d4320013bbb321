"""Turning pages into text."""

from typing import Protocol

import attrs

from tabwright.protocol.pages import PageFormat, PageSource, PageText


class Extractor(Protocol):
    """Does the CPU work on pages, off the event loop."""

    async def extract(self, request: "Extract", /) -> PageText:
        """See `Extract`."""
        ...


@attrs.frozen
class Extract:
    """The text of a page."""

    source: PageSource
    format: PageFormat

    async def visit(self, extractor: Extractor, /) -> PageText:
        """Has `extractor` answer."""
        return await extractor.extract(self)

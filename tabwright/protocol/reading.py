"""Turning pages into text and into results."""

from typing import Protocol

import attrs

from tabwright.protocol.pages import PageFormat, PageSource, PageText
from tabwright.protocol.result_pages import ResultPage, ResultParser


class Extractor(Protocol):
    """Does the CPU work on pages, off the event loop."""

    async def extract(self, request: "Extract", /) -> PageText:
        """See `Extract`."""
        ...

    async def results(self, request: "ReadResults", /) -> ResultPage:
        """See `ReadResults`."""
        ...


@attrs.frozen
class Extract:
    """The text of a page."""

    source: PageSource
    format: PageFormat

    async def visit(self, extractor: Extractor, /) -> PageText:
        """Has `extractor` answer."""
        return await extractor.extract(self)


@attrs.frozen
class ReadResults:
    """What an engine's result page lists, or why it lists nothing.

    Attributes:
        page: which page of results was asked for, counted from 1.
    """

    parser: ResultParser
    source: PageSource
    page: int

    async def visit(self, extractor: Extractor, /) -> ResultPage:
        """Has `extractor` answer."""
        return await extractor.results(self)

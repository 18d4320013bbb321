"""The ExtractorActor: CPU work on pages, where it holds up nobody."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import partial

import attrs

from tabwright.actors.kit.supervision import Care
from tabwright.content.extract import take
from tabwright.content.relevance import Judge, by_words
from tabwright.content.render.write import write
from tabwright.protocol.actor import Offload
from tabwright.protocol.errors import ErrorCode, PageFailed, TabwrightError
from tabwright.protocol.extraction import ReadResults, Shrink, Taken, TakeSnapshot, Write
from tabwright.protocol.page_text import Writing
from tabwright.protocol.snapshot import SmallPicture
from tabwright.protocol.web_search import ResultPage
from tabwright.search.serp.parser import read_result_page

CARE = Care(at_once=2)
"""As many as there are cores on a small machine; the work holds the interpreter lock in part."""


@attrs.frozen
class ExtractorActor:
    """Answers what `tabwright.protocol.extraction.Extractor` asks."""

    _offload: Offload
    _judge: Judge

    async def take(self, request: TakeSnapshot, /) -> Taken:
        """See `TakeSnapshot`."""
        taking = partial(take, request.source, request.selection, request.tier)
        with _unreadable(request.source.page.url):
            return await self._offload(taking)

    async def write(self, request: Write, /) -> Writing:
        """See `Write`."""
        with _unreadable(request.snapshot.url):
            return await self._offload(partial(write, request.snapshot, request.view, self._judge))

    async def shrink(self, request: Shrink, /) -> SmallPicture | None:
        """See `Shrink`."""
        return await self._offload(partial(_shrunk, request))

    async def results(self, request: ReadResults, /) -> ResultPage:
        """See `ReadResults`."""
        source = request.source
        read = partial(
            read_result_page,
            request.parser,
            source.html,
            source.page.url,
            source.page.status,
            request.page,
        )
        with _unreadable(source.page.url):
            return await self._offload(read)


@contextmanager
def _unreadable(url: str) -> Generator[None]:
    """What a page may do to our reading of it is its own failure, and not the actor's.

    Raises:
        PageFailed: the block came upon something that nobody has thought of.
    """
    try:
        yield
    except TabwrightError:
        raise
    except Exception as error:
        raise PageFailed(
            f"{url} cannot be read: {type(error).__name__}.",
            advice="Try another format, or readability.",
            retryable=False,
            code=ErrorCode.EXTRACTION,
        ) from error


def _shrunk(request: Shrink) -> SmallPicture | None:
    from tabwright.content.thumbnail import shrunk  # noqa: PLC0415  (few need it)

    return shrunk(request.medium, request.data, request.width, request.height, request.quality)


@asynccontextmanager
async def extractor(offload: Offload, judge: Judge = by_words) -> AsyncGenerator[ExtractorActor]:
    """The life of an extractor, which keeps nothing; `judge` says what is near to a query."""
    yield ExtractorActor(offload, judge)

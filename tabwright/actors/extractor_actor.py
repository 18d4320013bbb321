"""The ExtractorActor: CPU-bound work on pages, outside the event loop."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import partial

import attrs

from tabwright.actors.kit.supervision import RestartPolicy
from tabwright.content.relevance import Ranker, rank_bm25
from tabwright.content.render.write import write
from tabwright.protocol.actor import Offload
from tabwright.protocol.errors import ErrorCode, PageFailed, TabwrightError
from tabwright.protocol.extraction import (
    MakeThumbnail,
    ReadAnswer,
    ReadResults,
    RenderSnapshot,
    Taken,
    TakeSnapshot,
)
from tabwright.protocol.page_text import Writing
from tabwright.protocol.snapshot import Thumbnail
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.web_search import ResultPage
from tabwright.search.serp.api_answer import read_answer
from tabwright.search.serp.parser import read_result_page

RESTART_POLICY = RestartPolicy(at_once=2)
"""Two at once, the cores of a small machine; the work holds the GIL for part of its time."""


@attrs.frozen
class ExtractorActor:
    """The implementation of `tabwright.protocol.extraction.Extractor`."""

    _offload: Offload
    _judge: Ranker

    async def take(self, request: TakeSnapshot, /) -> Taken:
        """See `TakeSnapshot`."""
        with _unreadable(request.source.page.url):
            return await self._offload(partial(_taken, request))

    async def write(self, request: RenderSnapshot, /) -> Writing:
        """See `RenderSnapshot`."""
        with _unreadable(request.snapshot.url):
            return await self._offload(
                partial(write, request.snapshot, request.view, self._judge, request.read)
            )

    async def shrink(self, request: MakeThumbnail, /) -> Thumbnail | None:
        """See `MakeThumbnail`."""
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
            targets=request.targets,
        )
        with _unreadable(source.page.url):
            return await self._offload(read)

    async def answer(self, request: ReadAnswer, /) -> ResultPage:
        """See `ReadAnswer`."""
        read = partial(read_answer, request.api, request.body, request.language, request.page)
        with _unreadable(request.api.name):
            return await self._offload(read)


@contextmanager
def _unreadable(url: str) -> Generator[None]:
    """Convert an unexpected error of the block into a failure of the page, so that the actor lives.

    Raises:
        PageFailed: the block raised an unexpected error.
    """
    try:
        yield
    except TabwrightError:
        raise
    except Exception as error:
        raise PageFailed(
            (Quoted(url), f" could not be read: {type(error).__name__}."),
            advice="Try another format, or set readability.",
            retryable=False,
            code=ErrorCode.EXTRACTION,
        ) from error


def _taken(request: TakeSnapshot) -> Taken:
    from tabwright.content.extract import extract_snapshot  # noqa: PLC0415  (imported off the loop)

    return extract_snapshot(request.source, request.selection, request.tier)


def _shrunk(request: MakeThumbnail) -> Thumbnail | None:
    from tabwright.content.thumbnail import shrunk  # noqa: PLC0415  (few need it)

    return shrunk(request.medium, request.data, request.size, request.quality, request.format)


@asynccontextmanager
async def extractor(offload: Offload, judge: Ranker = rank_bm25) -> AsyncGenerator[ExtractorActor]:
    """Run an extractor, which is stateless; `judge` ranks passages by relevance to a query."""
    yield ExtractorActor(offload, judge)

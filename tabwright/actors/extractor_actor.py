"""The ExtractorActor: CPU-bound work on pages, outside the event loop."""

from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import partial

import attrs

from tabwright.actors.kit.supervision import RestartPolicy
from tabwright.content.relevance import Ranker, rank_bm25
from tabwright.content.render.write import write
from tabwright.protocol.actor import Offload
from tabwright.protocol.errors import ErrorCode, PageFailed, TabwrightError
from tabwright.protocol.extraction import NO_TARGETS, PictureShape, Source, Taken
from tabwright.protocol.page_text import RenderOptions, TextMark, Writing
from tabwright.protocol.search_apis import SearchApi
from tabwright.protocol.snapshot import (
    MediaItem,
    PageSnapshot,
    PageSource,
    Selection,
    Thumbnail,
    Tier,
)
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.web_search import ResultPage, ResultParser
from tabwright.search.serp.api_answer import read_answer
from tabwright.search.serp.parser import read_result_page

RESTART_POLICY = RestartPolicy(at_once=2)
"""Two at once, the cores of a small machine; the work holds the GIL for part of its time."""


@attrs.frozen
class ExtractorActor:
    """The implementation of `tabwright.protocol.extraction.Extractor`."""

    _offload: Offload
    _judge: Ranker
    _enabled: tuple[str, ...] = ()

    async def take(self, source: Source, selection: Selection, tier: Tier) -> Taken:
        with _unreadable(source.page.url):
            return await self._offload(partial(_taken, source, selection, tier, self._enabled))

    async def write(
        self, snapshot: PageSnapshot, view: RenderOptions, read: TextMark | None = None
    ) -> Writing:
        with _unreadable(snapshot.url):
            return await self._offload(partial(write, snapshot, view, self._judge, read))

    async def shrink(self, medium: MediaItem, data: bytes, shape: PictureShape) -> Thumbnail | None:
        return await self._offload(partial(_shrunk, medium, data, shape))

    async def results(
        self,
        parser: ResultParser,
        source: PageSource,
        page: int,
        targets: Mapping[str, str] = NO_TARGETS,
    ) -> ResultPage:
        read = partial(
            read_result_page,
            parser,
            source.html,
            source.page.url,
            source.page.status,
            page,
            targets=targets,
        )
        with _unreadable(source.page.url):
            return await self._offload(read)

    async def answer(self, api: SearchApi, body: bytes, language: str, page: int) -> ResultPage:
        read = partial(read_answer, api, body, language, page)
        with _unreadable(api.name):
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


def _taken(source: Source, selection: Selection, tier: Tier, enabled: tuple[str, ...]) -> Taken:
    from tabwright.content.extract import extract_snapshot  # noqa: PLC0415  (imported off the loop)

    return extract_snapshot(source, selection, tier, enabled)


def _shrunk(medium: MediaItem, data: bytes, shape: PictureShape) -> Thumbnail | None:
    from tabwright.content.thumbnail import shrunk  # noqa: PLC0415  (few need it)

    return shrunk(medium, data, shape.size, shape.quality, shape.format)


@asynccontextmanager
async def extractor(
    offload: Offload, judge: Ranker = rank_bm25, enabled: tuple[str, ...] = ()
) -> AsyncGenerator[ExtractorActor]:
    """Run an extractor, which is stateless.

    Args:
        offload: runs its work.
        judge: ranks passages by relevance to a query.
        enabled: the plugins of others whose formats are read.
    """
    yield ExtractorActor(offload, judge, enabled)

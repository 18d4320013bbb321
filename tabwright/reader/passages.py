"""Reading the first results of a web search: the passages that answer the query."""

from collections.abc import Sequence
from math import ceil

import attrs
import trio

from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.progress import OnProgress
from tabwright.protocol.web_search import ReadResult, WebResult, WebResults, WebSearch
from tabwright.reader.page_reader import PageReader
from tabwright.reader.tiers import LoadResult, check_status
from tabwright.text.token_budget import count_tokens

_Loaded = LoadResult | TabwrightError


async def read_results(
    reader: PageReader,
    results: WebResults,
    request: WebSearch,
    reading: ReadOptions,
    progress: OnProgress,
) -> WebResults:
    """Return the results with the passages of the first ones that are relevant to the query.

    The pages are loaded at the same time. They share the token budget: what one page does not need
    is left to the next ones. A page that cannot be read is reported, and fails nothing else.
    Cancellation stops the loading of every page.
    """
    chosen = results.results[: request.read]
    loaded = await _load_all(reader, chosen, reading, progress)
    pages: list[ReadResult] = []
    left = request.read_tokens
    for number, (result, page) in enumerate(zip(chosen, loaded, strict=True), 1):
        others = sum(not isinstance(one, TabwrightError) for one in loaded[number:])
        share = max(1, ceil(left / (others + 1)))
        view = RenderOptions(format="text", query=request.query, max_tokens=share, tells_rest=False)
        read = await _passages(reader, result, page, view)
        left -= count_tokens(read.text)
        pages.append(attrs.evolve(read, number=number))
    return attrs.evolve(results, read=tuple(pages))


async def _load_all(
    reader: PageReader,
    results: Sequence[WebResult],
    reading: ReadOptions,
    progress: OnProgress,
) -> Sequence[_Loaded]:
    loaded: dict[int, _Loaded] = {}

    async def load(number: int, url: str) -> None:
        """Load one page, or record why it cannot be read."""
        try:
            page = await reader.load(url, reading, progress)
            check_status(page.snapshot.url, page.snapshot.status)
        except TabwrightError as error:
            loaded[number] = error
        else:
            loaded[number] = page

    async with trio.open_nursery() as nursery:
        for number, result in enumerate(results):
            nursery.start_soon(load, number, result.url)
    return [loaded[number] for number in range(len(results))]


async def _passages(
    reader: PageReader, result: WebResult, page: _Loaded, view: RenderOptions
) -> ReadResult:
    """Return the relevant passages of a loaded page, or why there are none; not its number."""
    try:
        if isinstance(page, TabwrightError):
            raise page
        text = await reader.written(page, view, trio.current_time())
    except TabwrightError as error:
        return ReadResult(
            0,
            result.url,
            result.title,
            kind=error.kind,
            message=str(error),
            retryable=error.retryable,
        )
    return ReadResult(
        0,
        text.url,
        text.title or result.title,
        text.text,
        notice=text.notice,
        shortened=text.truncation is not None,
    )

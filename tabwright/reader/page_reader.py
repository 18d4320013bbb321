"""Reading pages: loaded by the lowest sufficient tier and written as requested."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from math import ceil

import attrs
import trio

from tabwright.concurrency.grants import hold_grant
from tabwright.config.settings import NetworkSettings
from tabwright.page.errors import translate_tab_loss
from tabwright.page.render import status_text
from tabwright.protocol.actor import Address, Expiry
from tabwright.protocol.browser_pool import BrowserPool, Lease, LeaseTab, Queued, TabUse
from tabwright.protocol.errors import ErrorCode, PageFailed, TabwrightError
from tabwright.protocol.extraction import Extractor, ReadOptions
from tabwright.protocol.fetch import Fetch
from tabwright.protocol.page_text import (
    CUTS,
    PageText,
    RenderOptions,
    TextMark,
    Timing,
    Truncation,
)
from tabwright.protocol.progress import OnProgress, ignore_progress, report_wait
from tabwright.protocol.structured_data import DataRequest, ExtractedPage
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.web_search import ReadResult, WebResult, WebResults, WebSearch
from tabwright.reader.tiers import LoadResult, Tabs, TieredLoader, check_status, site_of
from tabwright.reader.video import TranscriptReader
from tabwright.text.token_budget import count_tokens

CHANGED = (
    "The page has changed since its beginning was read: some of it may be missing, or come again. "
    "Read it from the beginning, without offset."
)

NO_TEXT = "The page has no text, or none that was selected."
NO_MATCH = "No text of the page matches what was asked for."

MARKS_MAX = 1000
"""Number of texts that were cut whose end is remembered."""


@attrs.frozen(eq=False)
class ReadingMarks:
    """The marks at which the latest texts were cut, by URL and view."""

    _marks: dict[tuple[str, RenderOptions], TextMark] = attrs.field(
        factory=dict[tuple[str, RenderOptions], TextMark], init=False
    )

    def get(self, url: str, view: RenderOptions) -> TextMark | None:
        """Return where a text stopped; None if none did, or too long ago."""
        return self._marks.get((url, attrs.evolve(view, offset=0)))

    def put(self, url: str, view: RenderOptions, mark: TextMark | None) -> None:
        """Remember where a text stopped; the oldest of too many is forgotten."""
        if mark is None:
            return
        key = url, attrs.evolve(view, offset=0)
        self._marks.pop(key, None)
        self._marks[key] = mark
        if len(self._marks) > MARKS_MAX:
            del self._marks[next(iter(self._marks))]


@attrs.frozen(eq=False)
class PageReader:
    """A reader of pages."""

    supervisor: Address[BrowserPool]
    extractor: Address[Extractor]
    tiers: TieredLoader
    transcripts: TranscriptReader
    marks: ReadingMarks = attrs.field(factory=ReadingMarks)

    def with_network(self, settings: NetworkSettings) -> "PageReader":
        """Return a reader that loads pages with these network settings."""
        return attrs.evolve(self, tiers=attrs.evolve(self.tiers, settings=settings))

    async def read(
        self, url: str, reading: ReadOptions, progress: OnProgress = ignore_progress
    ) -> PageText:
        """Return the text of the page at `url`, read with no cookies but its own.

        Cancellation stops the loading and closes the tab, if there is one.

        Raises:
            BadInput: the URL is not allowed, the selector is invalid, or the offset belongs to
                another text.
            RateLimited: the host refused earlier requests and is paused for a while.
            NavigationFailed: there is no page: the host is unreachable, or refuses programs.
            PageFailed: the page crashed, is too large, or cannot be read.
            TimeOut: the page did not load within the settings' `page_timeout_s`.
            BrowserUnavailable: the page needs a browser, and none is available.
        """
        began_s = trio.current_time()
        result = await self.load(url, reading, progress)
        return await self.written(result, reading.view, began_s)

    async def extract(
        self,
        url: str,
        request: DataRequest,
        reading: ReadOptions,
        progress: OnProgress = ignore_progress,
    ) -> ExtractedPage:
        """Return the structured data of the page at `url`; see `read` for loading and errors.

        Raises:
            BadInput: a selector of the schema is not valid CSS.
            PageFailed: it is not an HTML page.
            ErrorPage: the server answered with an error status.
            TabwrightError: see `read`.
        """
        selection = attrs.evolve(reading.selection, data=request)
        reading = attrs.evolve(reading, selection=selection)
        result = await self.load(url, reading, progress)
        snapshot = result.snapshot
        check_status(snapshot.url, snapshot.status)
        if snapshot.data is None:
            raise PageFailed(
                (Quoted(snapshot.url), " is ", Quoted(snapshot.media_type), ", not an HTML page."),
                advice="Read it as text instead.",
                retryable=False,
                code=ErrorCode.PARSE,
            )
        return ExtractedPage(
            url=snapshot.url,
            title=snapshot.title,
            status=snapshot.status,
            tier=result.tier,
            data=snapshot.data,
            notice=" ".join(filter(None, (result.notice, CUTS[result.cut] if result.cut else ""))),
        )

    async def load(self, url: str, reading: ReadOptions, progress: OnProgress) -> LoadResult:
        """Return the page at `url`, loaded without a session.

        Raises:
            TabwrightError: see `read`.
        """
        fetch = Fetch(
            url,
            headers=reading.headers,
            user_agent=reading.user_agent,
            max_age_s=reading.max_age_s,
        )
        tabs = partial(self._own_tab, site_of(url), partial(report_wait, progress))
        return await self.load_in(fetch, reading, tabs, progress)

    async def load_in(
        self, fetch: Fetch, reading: ReadOptions, tabs: Tabs, progress: OnProgress
    ) -> LoadResult:
        """Return the page of `fetch`, loaded in `tabs`, with transcripts if requested.

        Raises:
            TabwrightError: see `read`.
        """
        result = await self.tiers.load(fetch, reading, tabs, progress)
        if not reading.transcripts:
            return result
        snapshot = await self.transcripts.with_transcripts(result.snapshot, fetch.session)
        return attrs.evolve(result, snapshot=snapshot)

    async def written(self, result: LoadResult, view: RenderOptions, began_s: float) -> PageText:
        """Return a loaded page as text.

        `began_s` is the start of the loading, on trio's clock.

        Raises:
            BadInput: the view does not fit the page.
        """
        there_s = trio.current_time()
        snapshot = result.snapshot
        read = self.marks.get(snapshot.url, view)
        writing = await self.extractor.ask(Extractor.write, snapshot, view, read)
        self.marks.put(snapshot.url, view, writing.mark)
        done_s = trio.current_time()
        changed = CHANGED if writing.changed else ""
        no_text = NO_MATCH if snapshot.content else NO_TEXT
        empty = "" if writing.text.strip() else no_text
        notices = status_text(snapshot.status), empty, result.notice, changed
        return PageText(
            url=snapshot.url,
            title=snapshot.title,
            status=snapshot.status,
            media_type=snapshot.media_type,
            format=view.format,
            text=writing.text,
            tier=result.tier,
            tier_reason=result.tier_reason,
            metadata=snapshot.metadata,
            timing=Timing(
                fetch_ms=round((there_s - began_s) * 1000, 1),
                extract_ms=round((done_s - there_s) * 1000, 1),
                total_ms=round((done_s - began_s) * 1000, 1),
            ),
            redirects=result.redirects,
            truncation=writing.truncation or (Truncation(result.cut) if result.cut else None),
            notice=" ".join(filter(None, notices)),
            media=snapshot.media,
            screenshot=result.screenshot,
            controls=snapshot.controls,
        )

    @asynccontextmanager
    async def _own_tab(self, host: str, waiting: Queued) -> AsyncGenerator[Lease]:
        async with hold_grant(
            self.supervisor, BrowserPool.lease_tab, partial(_reading_tab, host, waiting)
        ) as lease:
            with translate_tab_loss():
                yield lease


def _reading_tab(host: str, waiting: Queued, over: Expiry) -> LeaseTab:
    return LeaseTab(over, TabUse.READING, f"reading {host}", private=True, queued=waiting)


# Reading several: the passages of the first results of a web search that answer its query.

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

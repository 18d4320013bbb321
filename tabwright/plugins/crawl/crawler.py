"""The crawler: takes URLs from the store, reads their pages, and writes what they lead to."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b, sha256
from typing import Literal, TypeAlias, TypeVar

import attrs
import msgspec
import trio

from tabwright.client import Tabwright
from tabwright.concurrency.grants import hold_grant
from tabwright.concurrency.nursery import isolate_callback, one_of_a_kind
from tabwright.plugins.crawl.frontier import CrawlCounts, FoundUrl, QueuedUrl, UrlState
from tabwright.plugins.crawl.judge import PageJudge, ReadPage
from tabwright.plugins.crawl.scope import (
    normal_form,
    requested_form,
    scope_of,
)
from tabwright.plugins.crawl.sitemaps import hints_of, listed_urls
from tabwright.plugins.crawl.store import CrawlStore
from tabwright.protocol.argument_types import checks_its_arguments
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.fetch import Fetch, Fetched, Fetcher
from tabwright.protocol.rate_limit import AcquirePermit, Governor
from tabwright.protocol.web_urls import WebUrl
from tabwright.reader.page_reader import PageReader
from tabwright.reader.pages import (
    ATTEMPTS,
    LocalPages,
    PageContent,
    PageFailure,
    Pages,
    Record,
    read_with_retries,
)
from tabwright.reader.tiers import site_of

AHEAD = 64
"""The number of URLs that are taken from the store at once."""

ResultT = TypeVar("ResultT")
StopReason: TypeAlias = Literal["complete", "pages", "bytes", "seconds", "paused"]


@attrs.frozen(kw_only=True)
class CrawlRequest:
    """The start, the scope and the limits of a crawl.

    Attributes:
        start: the URLs where the crawl starts.
        include, exclude, subdomains, depth_max: see `tabwright.crawl.scope.CrawlScope`.
        pages_max: the maximum number of pages.
        bytes_max: the maximum number of bytes that are read, after decompression.
        seconds_max: the time limit of one run; None for none.
        sitemaps: whether the sitemaps of the sites are used.
        text: whether the text of the pages is kept; otherwise only URL, title and status.
        ordered: whether the result must not depend on how fast pages arrive.
        at_once: the number of pages that are read at the same time.
        delay_s: seconds between the starts of two requests to a host; ``Crawl-delay`` can raise it.
        reading: how each page is read.
    """

    start: tuple[str, ...]
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    subdomains: bool = False
    depth_max: int = 1_000
    pages_max: int = 1_000
    bytes_max: int = 1 << 30
    seconds_max: float | None = None
    sitemaps: bool = True
    text: bool = True
    ordered: bool = False
    at_once: int = 8
    delay_s: float = 0.0
    reading: ReadOptions = attrs.field(factory=ReadOptions)

    def __attrs_post_init__(self) -> None:
        for name, least in (("depth_max", 0), ("pages_max", 1), ("bytes_max", 1), ("at_once", 1)):
            if getattr(self, name) < least:
                raise BadInput(f"{name} is {getattr(self, name)}; it must be at least {least}.")
        if self.delay_s < 0 or (self.seconds_max is not None and self.seconds_max <= 0):
            raise BadInput("A delay must not be negative, and a time limit must be positive.")

    def digest(self) -> str:
        """Return a digest of all options that must be the same when the crawl is resumed."""
        limits = attrs.evolve(
            self, pages_max=1, bytes_max=1, seconds_max=None, at_once=1, delay_s=0.0
        )
        return sha256(msgspec.json.encode(limits)).hexdigest()


@attrs.frozen
class CrawlReport:
    """The end of a run.

    Attributes:
        stopped: why it ended: everything was read, a limit was reached, or a site asked for a long
            pause.
        counts: the numbers of all runs of the crawl.
    """

    stopped: StopReason
    counts: CrawlCounts


@attrs.frozen
class CrawlStep:
    """A URL that is done.

    Attributes:
        url: as it was requested.
        record: its page, or why it failed; None if it was skipped.
        reason: why it was skipped; empty if it was not.
        pages: the number of pages so far.
        pending: the number of URLs that wait.
    """

    url: str
    record: Record | None
    reason: str
    pages: int
    pending: int


OnCrawlStep: TypeAlias = Callable[[CrawlStep], None]
"""Called after each URL; must not block."""


def ignore_step(_step: CrawlStep) -> None:
    """Ignore a step."""


@checks_its_arguments
async def crawl(  # noqa: PLR0913
    tabwright: Tabwright,
    request: CrawlRequest,
    store: CrawlStore,
    *,
    on_step: OnCrawlStep = ignore_step,
    known: Sequence[FoundUrl] = (),
    pages: Pages | None = None,
) -> CrawlReport:
    """Crawl until everything is read or a limit is reached; continue what the store has begun.

    Cancellation leaves the store as it is after the last page, and the crawl can be resumed.

    Args:
        tabwright: reads the files of the sites, and the pages unless others do.
        request: what to crawl.
        store: the state of the crawl, which has the pages.
        on_step: is called after each page.
        known: URLs that are requested even if no link leads to them.
        pages: reads the pages; None for this process.

    Raises:
        BadInput: a URL or a pattern is not valid, or the store cannot be written.
    """
    scope, start = scope_of(
        request.start,
        include=request.include,
        exclude=request.exclude,
        subdomains=request.subdomains,
        depth_max=request.depth_max,
    )
    judge = PageJudge(scope, store, request.text)
    reader = tabwright.parts.reader
    pages = pages or LocalPages(reader, request.reading)
    with isolate_callback(on_step) as report:
        return await _Crawl(reader, pages, request, store, report, judge, start, known).run()


@attrs.define(eq=False)
class _Crawl:
    """One run of a crawl."""

    _reader: PageReader
    _source: Pages
    _request: CrawlRequest
    _store: CrawlStore
    _on_step: OnCrawlStep
    _judge: PageJudge
    _start: tuple[WebUrl, ...]
    _known: Sequence[FoundUrl]
    _threads: trio.CapacityLimiter = attrs.field(factory=lambda: trio.CapacityLimiter(1))
    _ahead: deque[QueuedUrl] = attrs.field(factory=deque[QueuedUrl])
    _in_work: set[int] = attrs.field(factory=set[int])
    _taking: trio.Lock = attrs.field(factory=trio.Lock)
    _writing: trio.Lock = attrs.field(factory=trio.Lock)
    _changed: trio.Event = attrs.field(factory=trio.Event)
    _next_start_s: dict[str, float] = attrs.field(factory=dict[str, float])
    _delay_s: float = 0.0
    _handed_out: int = 0
    _written: int = 0
    _pages: int = 0
    _pending: int = 0
    _bytes: int = 0
    _stopped: StopReason | None = None

    async def run(self) -> CrawlReport:
        """Crawl."""
        self._delay_s = self._request.delay_s
        if stopped := await self._over():
            return CrawlReport(stopped, await self._in_thread(self._store.counts))
        with trio.move_on_after(self._request.seconds_max or float("inf")) as limit:
            await self._prepare()
            failure: BaseException | None = None
            try:
                async with trio.open_nursery() as workers:
                    for _ in range(self._request.at_once):
                        workers.start_soon(self._work)
            except BaseExceptionGroup as group:
                failure = one_of_a_kind(group, TabwrightError)
            if failure is not None:
                raise failure
        counts = await self._in_thread(self._store.counts)
        if not counts.pending:
            await self._in_thread(partial(self._store.set_fact, "complete", "1"))
            return CrawlReport("complete", counts)
        stopped = "seconds" if limit.cancelled_caught else self._stopped
        return CrawlReport(stopped or "complete", counts)

    async def _over(self) -> StopReason | None:
        """Return why nothing is left to do for this run; None if there is something."""
        if await self._in_thread(partial(self._store.fact, "complete")):
            return "complete"
        counts = await self._in_thread(self._store.counts)
        return "pages" if counts.done >= self._request.pages_max else None

    async def _prepare(self) -> None:
        """Queue the start and the sitemaps, or take up what an earlier run has left."""
        if await self._in_thread(partial(self._store.fact, "begun")):
            await self._in_thread(self._store.retry_failed)
            await self._in_thread(self._judge.restore)
        else:
            starts = [FoundUrl(normal_form(one), requested_form(one), 0) for one in self._start]
            await self._in_thread(partial(self._store.add, starts))
        await self._in_thread(partial(self._store.add, self._known))
        origins = dict.fromkeys(f"{one.scheme}://{one.authority}" for one in self._start)
        for origin in origins:
            # Hints from the site itself: its robots.txt, its sitemaps, a page that is missing.
            hints = await hints_of(origin, self._fetch)
            self._delay_s = max(self._delay_s, hints.delay_s)
            if self._request.sitemaps:
                sitemaps = hints.sitemaps or (f"{origin}/sitemap.xml",)
                await listed_urls(sitemaps, self._fetch, self._add_listed)
            name = blake2b(origin.encode(), digest_size=12).hexdigest()
            missing = f"{origin}/{name}"
            read = await self._read(missing, attempts=1)
            await self._source.saved(missing)
            if read.content is not None and read.content.url.endswith(name):
                self._judge.learn_missing(read.content.text)
        await self._in_thread(partial(self._store.set_fact, "begun", "1"))
        counts = await self._in_thread(self._store.counts)
        self._pages, self._pending, self._bytes = counts.done, counts.pending, counts.bytes

    async def _add_listed(self, urls: Sequence[str]) -> None:
        """Queue the URLs of a sitemap that belong to the crawl."""
        await self._in_thread(lambda: self._store.add(self._judge.listed(urls)))

    async def _fetch(self, url: str) -> Fetched:
        """Fetch a file of a site within its rate limit.

        Raises:
            TabwrightError: there is none.
        """
        tiers = self._reader.tiers
        async with hold_grant(
            tiers.governor, Governor.permit, lambda over: AcquirePermit(over, site_of(url))
        ):
            return await tiers.fetcher.ask(Fetcher.fetch, Fetch(url))

    async def _work(self) -> None:
        """Read one page after another, until there are no more."""
        while (one := await self._next()) is not None:
            number = self._handed_out = self._handed_out + 1
            try:
                reason = await self._in_thread(partial(self._judge.skip_before, one))
                read = ReadPage(skip=reason) if reason else await self._read(one.url)
                if self._request.ordered:
                    while self._written != number - 1:
                        await self._changed.wait()
                if read.failure is not None and read.failure.retry_after_s is not None:
                    self._stopped = "paused"  # the URL stays pending, as do all others
                else:
                    async with self._writing:
                        await self._write(one, read)
                await self._source.saved(one.url)
            finally:
                self._in_work.discard(one.id)
                self._written += 1
                self._changed.set()
                self._changed = trio.Event()

    async def _next(self) -> QueuedUrl | None:
        """Return the next URL, once there is one; None at the end of the crawl."""
        async with self._taking:
            while True:
                if self._stopped is None and self._bytes >= self._request.bytes_max:
                    self._stopped = "bytes"
                if self._stopped is None and self._pages >= self._request.pages_max:
                    self._stopped = "pages"
                if self._stopped is not None:
                    return None
                changed = self._changed
                if self._pages + len(self._in_work) < self._request.pages_max:
                    if not self._ahead:
                        take = partial(self._store.take, AHEAD, tuple(self._in_work))
                        self._ahead.extend(await self._in_thread(take))
                    if self._ahead:
                        one = self._ahead.popleft()
                        self._in_work.add(one.id)
                        return one
                    if not self._in_work and not changed.is_set():
                        return None
                await changed.wait()

    async def _read(self, url: str, attempts: int = ATTEMPTS) -> ReadPage:
        """Read a page, again if it fails for a reason that can pass."""

        async def read(attempt: int) -> PageContent | PageFailure:
            """Request the page; requests to a host start no sooner than its delay allows."""
            if self._delay_s:
                host, now_s = site_of(url), trio.current_time()
                start_s = max(self._next_start_s.get(host, now_s), now_s)
                self._next_start_s[host] = start_s + self._delay_s
                await trio.sleep_until(start_s)
            return await self._source.read(url, attempt)

        page = await read_with_retries(read, attempts)
        return ReadPage(page) if isinstance(page, PageContent) else ReadPage(failure=page)

    async def _write(self, one: QueuedUrl, read: ReadPage) -> None:
        """Judge a page and write it, unless a limit was reached by the pages before it."""
        if self._pages >= self._request.pages_max:
            return
        finished = await self._in_thread(partial(self._judge.finish, one, read))
        if finished is None:
            return
        result, new = finished
        self._pending += new - 1
        self._pages += result.state is UrlState.DONE
        self._bytes += result.size
        step = CrawlStep(one.url, result.record, result.reason, self._pages, self._pending)
        self._on_step(step)

    async def _in_thread(self, work: Callable[[], ResultT]) -> ResultT:
        return await trio.to_thread.run_sync(work, limiter=self._threads)

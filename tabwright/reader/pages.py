"""Reading pages one by one, by this process or by others: one protocol for both.

A page is read into data that can be sent: a record for the output, and what a crawler needs in
addition.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from random import Random
from typing import Protocol, TypeAlias

import attrs
import trio

from tabwright.content.render.json_record import page_record
from tabwright.protocol.errors import RateLimited, TabwrightError, error_record
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.snapshot import PageLink
from tabwright.reader.page_reader import PageReader
from tabwright.reader.tiers import check_status

Record: TypeAlias = Mapping[str, object]
"""A page, or why it could not be read, for the output; its values can be written as JSON."""


@attrs.frozen(kw_only=True)
class PageContent:
    """A page that was read.

    Attributes:
        record: the page for the output; see `page_record`.
        url: after all redirects.
        text: its text.
        links: where it leads to.
        canonical: the URL that it declares to be its own; empty for none.
        robots: what it asks of robots, such as ``noindex``.
        size: the bytes that were read.
    """

    record: Record
    url: str
    text: str
    links: tuple[PageLink, ...]
    canonical: str
    robots: tuple[str, ...]
    size: int


@attrs.frozen(kw_only=True)
class PageFailure:
    """Why a page could not be read.

    Attributes:
        record: the error for the output; see `error_record`.
        kind: the `TabwrightError.kind` of the error.
        retryable: whether another attempt can succeed.
        retry_after_s: the pause that the site asks for; None for none.
    """

    record: Record
    kind: str
    retryable: bool
    retry_after_s: float | None = None


class Pages(Protocol):
    """Reads pages with the same options."""

    async def read(
        self, url: str, attempt: int = 0, progress: OnProgress = ignore_progress, /
    ) -> PageContent | PageFailure:
        """Return the page at `url`, or why it could not be read.

        Args:
            url: of the page, http or https.
            attempt: the number of earlier attempts in the same command, whose ends do not count.
            progress: is called with each step, if that is known.
        """
        ...

    async def saved(self, url: str) -> None:
        """Note that the caller has saved what the page was read as, or why it failed."""
        ...


def failure_of(error: TabwrightError) -> PageFailure:
    """Return an error as a value that can be sent."""
    return PageFailure(
        record=error_record(error),
        kind=error.kind,
        retryable=error.retryable,
        retry_after_s=error.retry_after_s if isinstance(error, RateLimited) else None,
    )


ATTEMPTS = 3
"""The number of times that a page is requested, if it fails for a reason that can pass."""

PAUSE_S = 2.0
"""The pause before the second attempt; it doubles with each further one."""

PAUSE_MAX_S = 120.0
"""The longest pause that a site can ask for; a crawl stops then, and can be resumed later."""


async def read_with_retries(
    read: Callable[[int], Awaitable[PageContent | PageFailure]], attempts: int = ATTEMPTS
) -> PageContent | PageFailure:
    """Read a page, again if it fails for a reason that can pass.

    Args:
        read: reads it; is called with the number of earlier attempts.
        attempts: the maximum of all.
    """
    for attempt in range(attempts):
        page = await read(attempt)
        if isinstance(page, PageContent):
            return page
        pause_s = page.retry_after_s
        if pause_s is None:
            pause_s = PAUSE_S * 2**attempt
        if not page.retryable or attempt + 1 == attempts or pause_s > PAUSE_MAX_S:
            return page
        await trio.sleep(pause_s)
    raise AssertionError("unreachable")


@attrs.frozen(eq=False)
class LocalPages:
    """Reads pages in this process; see `Pages` for its methods."""

    _reader: PageReader
    _reading: ReadOptions

    async def read(
        self, url: str, _attempt: int = 0, progress: OnProgress = ignore_progress, /
    ) -> PageContent | PageFailure:
        """Return the page at `url`, or why it could not be read; each attempt requests it."""
        try:
            began_s = trio.current_time()
            loaded = await self._reader.load(url, self._reading, progress)
            page = await self._reader.written(loaded, self._reading.view, began_s)
            check_status(page.url, page.status, page.text)
        except TabwrightError as error:
            return failure_of(error)
        return PageContent(
            record=page_record(page),
            url=loaded.snapshot.url,
            text=page.text,
            links=loaded.snapshot.links,
            canonical=loaded.snapshot.metadata.canonical,
            robots=tuple(loaded.snapshot.metadata.robots),
            size=loaded.size,
        )

    async def saved(self, url: str) -> None:
        """Do nothing: no other process keeps it."""


# Pages that other processes read.


@attrs.frozen
class PageWorkers:
    """Other processes that read pages in place of this one.

    Attributes:
        at_once: how many pages wait for them at the same time, unless the caller says otherwise.
        open: lets them read the pages of a batch during the block; it has the options and the name
            of the batch, which the same command has again when it continues.
    """

    at_once: int
    open: Callable[[ReadOptions, str], AbstractAsyncContextManager[Pages]]


def new_batch_name(chance: Random) -> str:
    """Return a name for a batch."""
    return f"{chance.getrandbits(64):016x}"

"""Reading pages one by one, here or by the workers of a fleet: one protocol for both.

A page is read into data that can be sent: a record for the output, and what a crawler needs in
addition.
"""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Protocol

import attrs
import msgspec
import trio

from tabwright.content.render.json_record import page_record
from tabwright.crawl.frontier import Record
from tabwright.fleet.batch import JobBatch
from tabwright.fleet.jobs import NewJob
from tabwright.protocol.errors import JobGivenUp, RateLimited, TabwrightError, error_record
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.snapshot import PageLink
from tabwright.protocol.untrusted_text import Quoted
from tabwright.reader.page_reader import PageReader
from tabwright.reader.tiers import check_status


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


# Pages that are read by workers.


@attrs.frozen
class PageJob:
    """The job of a worker: read a page."""

    url: str
    reading: ReadOptions


@attrs.frozen
class PageEnd:
    """The result of the job: one of the two."""

    content: PageContent | None = None
    failure: PageFailure | None = None


@attrs.frozen(eq=False)
class QueuedPages:
    """Reads pages by the workers of a fleet; see `Pages` for its methods.

    The key of a job is made of the batch, the URL, the options and the attempt. So a command that
    was killed finds what was read meanwhile, and no page is read twice.
    """

    _batch: JobBatch
    _reading: ReadOptions
    _unsaved: dict[str, list[str]] = attrs.field(factory=dict[str, list[str]])

    async def read(
        self, url: str, attempt: int = 0, _progress: OnProgress = ignore_progress, /
    ) -> PageContent | PageFailure:
        """Return the page at `url`, or why it could not be read; workers report no progress.

        Raises:
            FleetUnavailable: see `JobBatch.result`.
        """
        payload = msgspec.json.encode(PageJob(url, self._reading), order="sorted")
        named = f"{self._batch.name} {attempt} ".encode()
        key = sha256(named + payload).hexdigest()[:KEY_CHARS]
        self._unsaved.setdefault(url, []).append(key)
        end = await self._batch.result(NewJob(key, payload.decode()))
        if end.is_dead:
            return failure_of(JobGivenUp(("No worker could read this page: ", Quoted(end.text))))
        try:
            read = msgspec.json.decode(end.text, type=PageEnd)
        except msgspec.DecodeError:
            read = PageEnd()  # as if it had none of the fields of this version
        other_version = JobGivenUp(
            "A worker of another version of tabwright read this page, and its result cannot be"
            " used.",
            advice="Run the same version on all machines, and read the page again.",
        )
        return read.content or read.failure or failure_of(other_version)

    async def saved(self, url: str) -> None:
        """Drop the results of the workers.

        Raises:
            FleetUnavailable: see `JobBatch.result`.
        """
        for key in self._unsaved.pop(url, ()):
            await self._batch.forget(key)


KEY_CHARS = 32
"""The length of a key, in hexadecimal digits."""


async def do_page_job(reader: PageReader, payload: str) -> str:
    """Read the page of a `PageJob`, and return its `PageEnd`.

    Raises:
        msgspec.ValidationError: the job is of another version of tabwright.
    """
    job = msgspec.json.decode(payload, type=PageJob)
    read = await LocalPages(reader, job.reading).read(job.url)
    end = PageEnd(content=read) if isinstance(read, PageContent) else PageEnd(failure=read)
    return msgspec.json.encode(end).decode()

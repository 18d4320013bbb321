"""Pages that are read by the workers of a fleet."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from hashlib import sha256
from random import Random

import attrs
import msgspec

from tabwright.plugins.fleet.batch import JobBatch, open_batch
from tabwright.plugins.fleet.redis import open_redis
from tabwright.plugins.fleet.redis_jobs import RedisJobQueue
from tabwright.plugins.fleet.settings import FleetSettings
from tabwright.protocol.errors import JobGivenUp
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.jobs import NewJob
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.untrusted_text import Quoted
from tabwright.reader.page_reader import PageReader
from tabwright.reader.pages import LocalPages, PageContent, PageFailure, Pages, failure_of


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


@asynccontextmanager
async def open_pages(
    settings: FleetSettings, chance: Random, reading: ReadOptions, name: str
) -> AsyncGenerator[Pages]:
    """Let the workers of a fleet read pages during the block.

    Args:
        settings: `redis` must be set.
        chance: the source of randomness.
        reading: how each page is read.
        name: of the batch; the same command has the same one when it is run again.

    Raises:
        FleetUnavailable: Redis cannot be reached at the beginning, or was away for too long.
        SettingsError: the URL is not set, or the extra ``fleet`` is not installed.
    """

    def report(sentence: str) -> None:
        sys.stderr.write(f"{sentence}\n")

    async with open_redis(settings, chance) as redis:
        batch = JobBatch(
            queue=RedisJobQueue(redis),
            name=name,
            outage_max_s=settings.outage_max_s,
            on_outage=report,
            chance=chance,
        )
        async with open_batch(batch):
            yield QueuedPages(batch, reading)

"""``tabwright read`` for many pages: concurrent, with progress, and resumable."""

import os
import sys
import time
from collections.abc import (
    AsyncGenerator,
    Callable,
    Iterable,
    Sequence,
)
from contextlib import asynccontextmanager, suppress
from functools import partial
from hashlib import sha256
from io import FileIO
from pathlib import Path

import attrs
import msgspec
import trio
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TimeRemainingColumn
from rich.progress import Progress as Bar

from tabwright.app import open_tabwright
from tabwright.cli.exit_codes import ExitCode
from tabwright.cli.output import LiveProgress, draws, live, page_with_url, stderr_console
from tabwright.cli.page_files import (
    checked_output,
    failure_line,
    is_incomplete,
    notice_line,
    write_output,
)
from tabwright.client import Tabwright
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.loader import open_private
from tabwright.config.settings import Settings
from tabwright.content.render.json_record import page_record
from tabwright.environment import Environment
from tabwright.protocol.errors import BadInput, FleetUnavailable, TabwrightError, error_record
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.progress import OnProgress
from tabwright.protocol.web_urls import WebUrl, completed
from tabwright.reader.pages import Pages, PageWorkers, Record, new_batch_name, read_with_retries
from tabwright.text.file_errors import file_problem
from tabwright.text.lines import counted
from tabwright.text.records import record_as_it_stands

# The journal on disk, from which an interrupted batch resumes.
#
# A line is written for each page as it arrives, and is on disk before the same worker begins the
# next page. The file next to the output is removed once the output is complete.


@attrs.frozen
class Journal:
    """The journal file of a running batch.

    Attributes:
        options_digest: of the read options, which it does not reveal: they can have secrets. A
            journal of another batch is not resumed.
        new_name: the name of the batch, if it is a new one.
    """

    path: Path
    options_digest: str
    new_name: str = ""

    def name(self) -> str:
        """Return the name of the batch, which is the same when it is continued.

        Raises:
            BadInput: the journal is damaged.
        """
        with self.path.open("rb") as file:
            return str(self._decoded(file.readline()).get("batch"))

    def done(self) -> dict[str, Record]:
        """Return the finished pages by their URLs as given; failed ones are retried.

        Pages that are incomplete are finished: most would be so again with the same options.

        Raises:
            BadInput: the journal is of another batch, or cannot be read.
        """
        try:
            whole = (
                line
                for line in self.path.read_bytes().splitlines(keepends=True)
                if line.endswith(b"\n")
            )
            lines = [self._decoded(line) for line in whole]
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise BadInput(file_problem(error, self.path)) from error
        if lines and lines[0].get("options") != self.options_digest:
            raise BadInput(
                f"{self.path} belongs to an interrupted batch with other options.",
                advice="Use the same options to resume it, or remove the file.",
            )
        return {str(line["asked"]): line for line in lines[1:] if line.get("success")}

    def opened(self) -> FileIO:
        """Open the file for appending; an incomplete last line is cut off.

        Raises:
            BadInput: it cannot be written.
        """
        try:
            try:
                whole = self.path.read_bytes().rfind(b"\n") + 1
            except FileNotFoundError:
                whole = 0
            # Without a buffer, so that nothing is left to write when writing has failed.
            opened = open_private(str(self.path), os.O_RDWR | os.O_CREAT)
            file = os.fdopen(opened, "r+b", buffering=0)
            file.seek(whole)
            file.truncate()
            if not whole:
                add(file, {"options": self.options_digest, "batch": self.new_name})
        except OSError as error:
            raise BadInput(
                file_problem(error, self.path, writing=True), advice="Use another file."
            ) from error
        return file

    def _decoded(self, line: bytes) -> dict[str, object]:
        try:
            return msgspec.json.decode(line, type=dict[str, object])
        except msgspec.MsgspecError as error:
            raise BadInput(
                f"{self.path} is damaged: {error}.", advice="Remove it to start over."
            ) from error


def add(file: FileIO, record: Record) -> None:
    """Write a record durably.

    Raises:
        OSError: the disk is full, for example; the record may be written in part.
    """
    left = memoryview(msgspec.json.encode(record) + b"\n")
    while left:
        left = left[file.write(left) :]
    os.fsync(file.fileno())


COLUMNS: Sequence[str] = (
    "asked",
    "success",
    "url",
    "title",
    "status",
    "tier",
    "text",
    "notice",
    "truncation",
    "error",
    "kind",
    "reason",
)
"""The columns of a batch in CSV and Parquet; JSON contains all fields."""


# The pages and options that ``read`` is called with.


@attrs.frozen(kw_only=True)
class BatchOptions:
    """The pages to read, and where to save them.

    Attributes:
        urls: as given; duplicates are read once.
        session: the session whose cookies are sent and updated; empty for none.
        media_dir: the folder for reduced pictures; None for none.
        download_media: whether to save all media unchanged instead; without `media_dir`, in the
            user's cache.
        output: the file of a batch; None for standard output.
        at_once: the number of pages that are read at the same time.
        workers: other processes that read the pages; None for this one.
    """

    urls: tuple[str, ...]
    reading: ReadOptions
    session: str = ""
    media_dir: Path | None = None
    download_media: bool = False
    as_json: bool = False
    output: Path | None = None
    at_once: int = 1
    workers: PageWorkers | None = None

    def __attrs_post_init__(self) -> None:
        if self.at_once < 1:
            raise BadInput(f"--batch-concurrency is {self.at_once}; it must be at least 1.")
        if self.workers and self.session:
            raise BadInput(
                "A session is on this machine, so that workers cannot read with it.",
                advice="Use --session or --queue.",
            )
        if self.wants_media and (self.workers or len(self.urls) > 1 or self.output is not None):
            raise BadInput(
                "Media can be saved from one page at a time only.", advice="Give one URL."
            )

    @property
    def wants_media(self) -> bool:
        """Return whether any media are saved on disk."""
        return self.download_media or self.media_dir is not None


async def read_all(settings: Settings, environment: Environment, batch: BatchOptions) -> int:
    """Read the pages, write the result of each, and return the exit code.

    An interrupted batch continues with the same command. Failed pages are reported, and make the
    exit code a failure only at the end.
    """
    urls, records = _distinct(batch.urls), dict[str, Record]()
    try:
        async with open_tabwright(settings, environment) as tabwright:
            reading = _Reading(settings, environment, tabwright, batch)
            await _read(reading, urls, records)
            if batch.session:
                await tabwright.session(batch.session).save()
    except TabwrightError as error:
        sys.stderr.write(f"{error}\n")
        return ExitCode.WRONG_USE if isinstance(error, BadInput) else ExitCode.FAILED
    except trio.Cancelled:
        resume = " Run the same command again to continue." if batch.output else ""
        sys.stderr.write(f"Interrupted: {len(records)} of {len(urls)} pages done.{resume}\n")
        raise
    failed = sum(not record["success"] for record in records.values())
    incomplete = sum(map(is_incomplete, records.values()))
    part = f", {incomplete} of them incomplete" if incomplete else ""
    sys.stderr.write(f"{len(records) - failed} of {len(records)} pages read{part}.\n")
    return ExitCode.FAILED if failed else ExitCode.OK


async def _read(reading: "_Reading", urls: tuple[str, ...], records: dict[str, Record]) -> None:
    """Read the pages and add the record of each to `records`, by the URL that was given."""
    batch = reading.batch
    if len(urls) < len(batch.urls):
        skipped = counted(len(batch.urls) - len(urls), "duplicate URL")
        sys.stderr.write(f"{skipped} skipped.\n")
    if batch.output is None:
        await _to_terminal(reading, urls, records)
        return
    output = checked_output(batch.output)
    digest = sha256(msgspec.json.encode((batch.reading, batch.session))).hexdigest()
    journal = Journal(output.with_name(f"{output.name}.part"), digest, reading.new_name())
    wanted = frozenset(urls)
    done = {url: record for url, record in journal.done().items() if url in wanted}
    records.update(done)
    if done:
        sys.stderr.write(f"{len(done)} of {len(urls)} pages are already done.\n")
    with journal.opened() as file:
        left = tuple(url for url in urls if url not in records)

        def keep(record: Record) -> None:
            """Write a record to the file first, and then keep it in memory."""
            try:
                add(file, record)
            except OSError as error:
                raise BadInput(
                    file_problem(error, journal.path, writing=True),
                    advice="Run the same command again once it can be written, to continue.",
                ) from error
            records[str(record["asked"])] = record

        await _read_side_by_side(reading, journal.name(), left, keep)
    write_output(output, (records[url] for url in urls), COLUMNS)
    journal.path.unlink()


def _distinct(urls: Iterable[str]) -> tuple[str, ...]:
    """Return the URLs without those that name the same page as one before."""
    first: dict[str, str] = {}
    for url in urls:
        try:
            read_as = WebUrl.read(completed(url)).text
        except BadInput:
            read_as = url
        first.setdefault(read_as, url)
    return tuple(first.values())


async def _to_terminal(
    reading: "_Reading", urls: tuple[str, ...], records: dict[str, Record]
) -> None:
    """Print the pages in order, each as soon as the previous ones are done."""
    ahead = list(urls)

    def show(record: Record) -> None:
        """Print a record, and the records after it that waited for it."""
        records[str(record["asked"])] = record
        while ahead and ahead[0] in records:
            ready = records[ahead.pop(0)]
            if reading.batch.as_json:
                text = msgspec.json.encode(ready).decode() + "\n"
            elif not ready["success"]:
                text = ""
            else:
                text = page_with_url(str(ready["url"]), str(ready["text"]).rstrip())
            sys.stdout.write(text)
        sys.stdout.flush()

    await _read_side_by_side(reading, reading.new_name(), urls, show)


REPORT_EVERY_S = 10.0
"""How often progress is reported where no bar can be drawn."""


async def _read_side_by_side(
    reading: "_Reading", name: str, urls: tuple[str, ...], keep: Callable[[Record], None]
) -> None:
    ahead = iter(urls)

    async def work() -> None:
        """Read one URL after another that no other worker has begun."""
        for url in ahead:
            progress.watch.begin(url)
            record = await pages.record(url, partial(progress.watch.take, who=url))
            keep(record)
            await pages.saved(url)
            progress.advance(record)

    async with (
        reading.pages(name) as pages,
        _shown_progress(len(urls)) as progress,
        trio.open_nursery() as workers,
    ):
        for _ in range(min(reading.batch.at_once, len(urls))):
            workers.start_soon(work)


@attrs.frozen(eq=False)
class _Reading:
    """The parts that the reading of a batch uses."""

    settings: Settings
    environment: Environment
    tabwright: Tabwright
    batch: BatchOptions

    def new_name(self) -> str:
        """Return a name for a new batch."""
        return new_batch_name(self.environment.system.random)

    @asynccontextmanager
    async def pages(self, name: str) -> AsyncGenerator["_PageRecords"]:
        """Open what reads the pages of a batch: this process, or others.

        Raises:
            TabwrightError: the others cannot be reached.
        """
        if self.batch.workers is None:
            yield _PageRecords(self.tabwright, self.batch)
            return
        async with self.batch.workers.open(self.batch.reading, name) as queued:
            yield _PageRecords(self.tabwright, self.batch, queued)


@attrs.frozen(eq=False)
class _PageRecords:
    """Reads pages as records.

    Attributes:
        queued: lets workers read them; None for this process.
    """

    tabwright: Tabwright
    batch: BatchOptions
    queued: Pages | None = None

    async def record(self, url: str, progress: OnProgress) -> Record:
        """Return the record of a page, or of the reason why it could not be read.

        Raises:
            FleetUnavailable: see `QueuedPages.read`.
        """
        record: Record
        try:
            if (queued := self.queued) is not None:
                read = partial(queued.read, completed(url))
                record = (await read_with_retries(lambda number: read(number, progress))).record
            else:
                page = await self.tabwright.read(
                    completed(url),
                    self.batch.reading,
                    session=self.batch.session,
                    progress=progress,
                )
                record = page_record(page)
        except FleetUnavailable:
            raise
        except TabwrightError as error:
            record = error_record(error)
        return {
            "asked": url,
            "success": True,
            **msgspec.convert(record_as_it_stands(record), dict[str, object]),
        }

    async def saved(self, url: str) -> None:
        """Note that the record of a page has been saved.

        Raises:
            FleetUnavailable: see `QueuedPages.saved`.
        """
        if self.queued is not None:
            with suppress(BadInput):  # not a URL
                await self.queued.saved(completed(url))


@attrs.frozen(eq=False)
class _BatchProgress:
    """The progress display of a batch: a bar, the pages in progress, a line for each failure."""

    console: Console
    bar: Bar
    task: TaskID
    watch: LiveProgress

    def advance(self, record: Record) -> None:
        """Count a page that is done."""
        url = str(record["asked"])
        self.watch.end(url)
        self.bar.update(self.task, advance=1)
        if not record["success"]:
            self.console.print(failure_line(record), soft_wrap=True)
        elif record.get("notice"):
            self.console.print(notice_line(record), soft_wrap=True)

    async def report(self) -> None:
        """Print a line now and then; runs until cancelled."""
        while True:
            await trio.sleep(REPORT_EVERY_S)
            (task,) = self.bar.tasks
            self.console.print(f"{task.completed:.0f} of {task.total:.0f} pages done.")


@asynccontextmanager
async def _shown_progress(total: int) -> AsyncGenerator[_BatchProgress]:
    """Show progress on standard error: a bar in a terminal, lines elsewhere."""
    console = stderr_console()
    bar = Bar(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console)
    watch = LiveProgress(time.monotonic)
    progress = _BatchProgress(console, bar, bar.add_task("", total=total), watch)
    if draws(console):
        with live(console, watch, above=bar):
            yield progress
    else:
        async with background_nursery() as reporting:
            reporting.start_soon(progress.report)
            yield progress

"""``tabwright crawl``: many pages of a site, resumable; or only their URLs."""

import logging
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
import msgspec
import trio
from rich.console import Console
from rich.status import Status

from tabwright.app import open_tabwright
from tabwright.cli.batch import REPORT_EVERY_S
from tabwright.cli.exit_codes import ExitCode, exit_code
from tabwright.cli.output import draws, page_with_url, stderr_console
from tabwright.cli.page_files import (
    checked_output,
    failure_line,
    is_incomplete,
    notice_line,
    write_output,
)
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.settings import Settings
from tabwright.environment import Environment
from tabwright.plugins.crawl.compare import Comparison, earlier_urls
from tabwright.plugins.crawl.crawler import CrawlReport, CrawlRequest, CrawlStep, crawl
from tabwright.plugins.crawl.store import CrawlStore, known_urls
from tabwright.protocol.errors import TabwrightError
from tabwright.reader.pages import Pages, PageWorkers, Record, new_batch_name
from tabwright.text.lines import counted, strip_invisible, verbatim

_log = logging.getLogger("tabwright.shell")

STATE_FILES = ("", "-wal", "-shm")
"""The endings of the files of SQLite."""

STOPPED = {
    "complete": ("", ""),
    "pages": ("Stopped at --max-pages.", "Raise it and run the same command again to continue."),
    "bytes": ("Stopped at --max-bytes.", "Raise it and run the same command again to continue."),
    "seconds": ("Stopped at --max-time.", "Run the same command again to continue."),
    "paused": ("The site asked for a pause.", "Run the same command again later to continue."),
}
"""Why a crawl stopped, and how to continue one whose state is kept."""

BATCH = "batch"
"""The fact of a crawl that names the batch of its jobs."""

NOT_KEPT = "To continue a crawl later, run it with --output or --state."


@attrs.frozen(kw_only=True)
class CrawlOptions:
    """A crawl with its output and its state.

    Attributes:
        output: the file or folder; None for standard output.
        state: the state file; None for one beside the output, or a temporary one.
        since: the state file of an earlier crawl to compare with; None for none.
        restart: whether an existing state file is removed first.
        only_urls: whether the result is the list of URLs.
        workers: other processes that read the pages; None for this one.
    """

    request: CrawlRequest
    output: Path | None = None
    state: Path | None = None
    since: Path | None = None
    restart: bool = False
    as_json: bool = False
    only_urls: bool = False
    workers: PageWorkers | None = None


async def run_crawl(settings: Settings, environment: Environment, options: CrawlOptions) -> int:
    """Crawl, write the result, and return the exit code."""
    try:
        with ExitStack() as files:
            return await _run(settings, environment, options, files)
    except TabwrightError as error:
        sys.stderr.write(f"{error}\n")
        return exit_code(error)


async def _run(
    settings: Settings, environment: Environment, options: CrawlOptions, files: ExitStack
) -> int:
    output = checked_output(options.output) if options.output else None
    state = _state_file(options, output, files)
    earlier = _opened(files, CrawlStore.read(options.since)) if options.since else None
    store = _opened(files, CrawlStore.open(state, options.request.digest()))
    printing = None if output or options.only_urls or earlier else _printer(options.as_json)
    known = earlier_urls(earlier) if earlier else ()
    is_kept = bool(output or options.state)
    if store.fact("complete"):
        sys.stderr.write("This crawl is complete; --restart crawls again.\n")
        report = CrawlReport("complete", store.counts())
    else:
        try:
            with _progress(printing) as progress:
                async with (
                    open_tabwright(settings, environment) as tabwright,
                    _pages(environment, options, store) as pages,
                    background_nursery() as n,
                ):
                    n.start_soon(progress.report)
                    report = await crawl(
                        tabwright,
                        options.request,
                        store,
                        on_step=progress.step,
                        known=known,
                        pages=pages,
                    )
        finally:
            if trio.current_effective_deadline() == -inf:  # it was cancelled
                _report_interruption(store, output, is_kept=is_kept)
    if printing is None:
        records = _result(options, store, earlier)
        if output is not None:
            write_output(output, records)
        elif options.only_urls and not options.as_json:
            for record in records:
                sys.stdout.write(f"{strip_invisible(str(record['url']))}\n")
        else:
            show = _printer(options.as_json)
            for record in records:
                show(record)
    changes = Comparison(store, earlier).counts() if earlier else dict[str, int]()
    incomplete = sum(map(is_incomplete, store.records()))
    _report_end(report, changes, incomplete, is_kept=is_kept)
    return ExitCode.OK if report.counts.done else ExitCode.FAILED


@asynccontextmanager
async def _pages(
    environment: Environment, options: CrawlOptions, store: CrawlStore
) -> AsyncGenerator[Pages | None]:
    """Open what reads the pages, if it is not this process.

    The name of the batch is in the state file, so that a crawl that is continued has the same one.

    Raises:
        TabwrightError: the others cannot be reached.
    """
    if options.workers is None:
        yield None
        return
    name = store.fact(BATCH) or new_batch_name(environment.system.random)
    store.set_fact(BATCH, name)
    async with options.workers.open(options.request.reading, name) as pages:
        yield pages


def _report_interruption(store: CrawlStore, output: Path | None, *, is_kept: bool) -> None:
    """Print how far an interrupted crawl came, and how to go on."""
    resume = "Run the same command again to continue." if is_kept else NOT_KEPT
    if output is not None:
        resume = (
            f"The state is in {store.path}. Run the same command again to continue;"
            f" {output} is written at the end."
        )
    done = counted(store.counts().done, "page")
    sys.stderr.write(f"Interrupted: {done} done. {resume}\n")


def _result(
    options: CrawlOptions, store: CrawlStore, earlier: CrawlStore | None
) -> Iterator[Record]:
    """Return what is written at the end."""
    if earlier is not None:
        return Comparison(store, earlier).records()
    if options.only_urls:  # also those that were not read
        urls = known_urls(store)
        return (one.record or {"asked": one.url, "url": one.url} for one in urls)
    return store.records()


def _opened(files: ExitStack, store: CrawlStore) -> CrawlStore:
    files.callback(store.close)
    return store


def _state_file(options: CrawlOptions, output: Path | None, files: ExitStack) -> Path:
    if options.state is not None:
        state = options.state
    elif output is not None:
        state = output.with_name(f"{output.name}.crawl")
    else:
        return Path(files.enter_context(TemporaryDirectory(prefix="tabwright-"))) / "crawl"
    if options.restart:
        for ending in STATE_FILES:
            state.with_name(f"{state.name}{ending}").unlink(missing_ok=True)
    return state


def _printer(as_json: bool) -> Callable[[Record], None]:  # noqa: FBT001
    """Return a function that prints a record, as JSON or as text."""

    def show(record: Record) -> None:
        if as_json:
            text = msgspec.json.encode(record).decode() + "\n"
        elif not record.get("success"):
            text = f"{record['change']}: {record['asked']}\n" if "change" in record else ""
        else:
            text = page_with_url(str(record["url"]), verbatim(str(record.get("text", ""))))
        sys.stdout.write(text)
        sys.stdout.flush()

    return show


@attrs.define(eq=False)
class _CrawlProgress:
    """The progress display: a line that is redrawn in a terminal, or a line now and then."""

    console: Console
    status: Status | None
    show: Callable[[Record], None] | None
    latest: CrawlStep | None = None

    def step(self, step: CrawlStep) -> None:
        """Take a URL that is done."""
        self.latest = step
        if step.reason:
            _log.info("%s: skipped (%s)", strip_invisible(step.url), step.reason)
        if step.record is not None and not step.record["success"]:
            self.console.print(failure_line(step.record), soft_wrap=True)
        elif step.record is not None:
            if step.record.get("notice"):
                self.console.print(notice_line(step.record), soft_wrap=True)
            if self.show:
                self.show(step.record)
        if self.status is not None:
            self.status.update(_line(step))

    async def report(self) -> None:
        """Print a line now and then; runs until cancelled."""
        while True:
            await trio.sleep(REPORT_EVERY_S)
            if self.status is None and self.latest is not None:
                self.console.print(_line(self.latest), soft_wrap=True)


def _line(step: CrawlStep) -> str:
    pages, waiting = counted(step.pages, "page"), counted(step.pending, "URL")
    return f"{pages} read, {waiting} left. {strip_invisible(step.url)}"


@contextmanager
def _progress(show: Callable[[Record], None] | None) -> Generator[_CrawlProgress]:
    console = stderr_console()
    if not draws(console):
        yield _CrawlProgress(console, None, show)
        return
    with console.status("") as status:
        yield _CrawlProgress(console, status, show)


def _report_end(
    report: CrawlReport, changes: Mapping[str, int], incomplete: int, *, is_kept: bool
) -> None:
    """Print the numbers of a crawl, and how to go on, which needs a state that is kept."""
    counts = report.counts
    parts = [f"{counted(counts.done, 'page')} read"]
    if incomplete:
        parts.append(f"{incomplete} of them incomplete")
    if counts.failed:
        parts.append(f"{counts.failed} failed")
    if counts.pending:
        parts.append(f"{counted(counts.pending, 'URL')} left")
    lines = [f"{', '.join(parts)}."]
    if counts.skipped:
        reasons = (f"{number} {reason}" for reason, number in sorted(counts.skipped.items()))
        lines.append(
            f"Skipped: {', '.join(reasons)}. With -v, each URL is logged when it is skipped."
        )
    if changes:
        lines.append(
            ", ".join(f"{changes.get(one, 0)} {one}" for one in ("new", "changed", "same", "gone"))
            + "."
        )
    why, resume = STOPPED[report.stopped]
    if why:
        lines.append(f"{why} {resume if is_kept else NOT_KEPT}")
    sys.stderr.write("\n".join(lines) + "\n")

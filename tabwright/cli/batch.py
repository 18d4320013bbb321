"""Many pages at a shell: side by side, with their progress, and to be gone on with."""

import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from hashlib import sha256
from typing import BinaryIO

import attrs
import msgspec
import trio
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TimeRemainingColumn
from rich.progress import Progress as Bar

from tabwright.actors.shell.batch_journal import Journal, Record, add
from tabwright.actors.shell.batch_output import checked_output, write_output
from tabwright.actors.shell.reading_order import Order
from tabwright.actors.shell.terminal import ExitCode, error_record
from tabwright.app import open_tabwright
from tabwright.cli.output import Watch, draws, live, stderr_console
from tabwright.client import Tabwright
from tabwright.config.settings import Settings
from tabwright.content.documents import record_as_it_stands
from tabwright.content.render.json_record import page_record
from tabwright.environment import Seams
from tabwright.protocol.ai_search import Progress
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.sessions import SaveSession
from tabwright.protocol.web_urls import WebUrl, completed

RULE = "-" * 72


async def read_all(settings: Settings, seams: Seams, batch: Order) -> int:
    """Reads the pages, and writes what came of each; gives the exit code.

    Interrupted, it goes on with the same command where it was. Pages that fail are told of, and
    fail the whole only at its end.
    """
    try:
        async with open_tabwright(settings, seams) as house:
            records = await _read(house, batch)
            if batch.session:
                await house.sessions.ask(SaveSession(batch.session))
    except TabwrightError as error:
        sys.stderr.write(f"{error}\n")
        return ExitCode.WRONG_USE if isinstance(error, BadInput) else ExitCode.FAILED
    failed = sum(not record["success"] for record in records.values())
    sys.stderr.write(f"{len(records) - failed} of {len(records)} pages read.\n")
    return ExitCode.FAILED if failed else ExitCode.OK


async def _read(house: Tabwright, batch: Order) -> Mapping[str, Record]:
    first: dict[str, str] = {}
    for url in batch.urls:
        first.setdefault(_read_as(url), url)
    urls = tuple(first.values())
    if batch.output is None:
        return await _to_terminal(house, batch, urls)
    output = checked_output(batch.output)
    wishes = sha256(msgspec.json.encode((batch.reading, batch.session))).hexdigest()
    journal = Journal(output.with_name(f"{output.name}.part"), wishes)
    records = dict(journal.done())
    with journal.opened() as file:
        left = tuple(url for url in urls if url not in records)
        await _read_side_by_side(house, batch, left, _kept_in(file, records))
    write_output(output, (records[url] for url in urls))
    journal.path.unlink()
    return {url: records[url] for url in urls}


def _read_as(url: str) -> str:
    """The URL that one of the list stands for, so that each page is read once."""
    try:
        return WebUrl.read(completed(url)).text
    except BadInput:
        return url


def _kept_in(file: BinaryIO, records: dict[str, Record]) -> Callable[[Record], None]:
    def keep(record: Record) -> None:
        """Puts a record into the file first, and then where it is looked up."""
        add(file, record)
        records[str(record["asked"])] = record

    return keep


async def _to_terminal(
    house: Tabwright, batch: Order, urls: tuple[str, ...]
) -> Mapping[str, Record]:
    """Prints the pages in their order, each as soon as those before it are there."""
    records: dict[str, Record] = {}
    ahead = list(urls)

    def show(record: Record) -> None:
        """Prints a record, and those behind it that waited for it."""
        records[str(record["asked"])] = record
        while ahead and ahead[0] in records:
            sys.stdout.write(_shown(records[ahead.pop(0)], as_json=batch.as_json))
        sys.stdout.flush()

    await _read_side_by_side(house, batch, urls, show)
    return records


def _shown(record: Record, *, as_json: bool) -> str:
    if as_json:
        return msgspec.json.encode(record).decode() + "\n"
    if not record["success"]:
        return ""
    return f"{RULE}\n{record['url']}\n{RULE}\n{str(record['text']).rstrip()}\n\n"


async def _read_side_by_side(
    house: Tabwright, batch: Order, urls: tuple[str, ...], keep: Callable[[Record], None]
) -> None:
    ahead = iter(urls)
    with _told_of(len(urls)) as told:
        async with trio.open_nursery() as nursery:

            async def work() -> None:
                """Reads URL after URL, of those that nobody has begun."""
                for url in ahead:
                    told.watch.begin(url)
                    record = await _record(house, batch, url, partial(told.watch.take, who=url))
                    keep(record)
                    told.advance(record)

            for _ in range(min(batch.at_once, len(urls))):
                nursery.start_soon(work)


async def _record(house: Tabwright, batch: Order, url: str, progress: Progress) -> Record:
    try:
        page = await house.browse(
            completed(url), batch.reading, session=batch.session, progress=progress
        )
    except TabwrightError as error:
        return {"asked": url, **_seen(error_record(error))}
    return {"asked": url, "success": True, **_seen(page_record(page))}


def _seen(record: Record) -> Record:
    return msgspec.convert(record_as_it_stands(record), dict[str, object])


@attrs.frozen(eq=False)
class _Telling:
    """What a person sees of a batch: a bar, what is read just now, a line for each failure."""

    console: Console
    bar: Bar
    task: TaskID
    watch: Watch

    def advance(self, record: Record) -> None:
        """A page has come to its end."""
        url = str(record["asked"])
        self.watch.end(url)
        self.bar.update(self.task, advance=1)
        if not record["success"]:
            self.console.print(f"{url}: {record['error']}", soft_wrap=True)


@contextmanager
def _told_of(total: int) -> Generator[_Telling]:
    """On standard error; without the bar where that is no terminal."""
    console = stderr_console()
    bar = Bar(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console)
    telling = _Telling(console, bar, bar.add_task("", total=total), Watch(time.monotonic))
    with live(console, telling.watch, above=bar) if draws(console) else nullcontext():
        yield telling

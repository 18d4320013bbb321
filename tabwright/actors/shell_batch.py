"""Many pages at a shell: side by side, with their progress, and to be gone on with."""

import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import BinaryIO

import msgspec
import trio
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tabwright.actors.batch_journal import Journal, Record, add
from tabwright.actors.batch_output import checked_output, write_output
from tabwright.actors.house import Seams, Tabwright, open_tabwright
from tabwright.actors.reading_order import Order
from tabwright.actors.terminal import ExitCode, error_record
from tabwright.config.settings import Settings
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.sessions import SaveSession
from tabwright.reading.page_record import page_record

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
    urls = tuple(dict.fromkeys(batch.urls))
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


def _kept_in(file: BinaryIO, records: dict[str, Record]) -> Callable[[Record], None]:
    def keep(record: Record) -> None:
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
    async with _told_of(len(urls)) as advance, trio.open_nursery() as nursery:

        async def work() -> None:
            for url in ahead:
                record = await _record(house, batch, url)
                keep(record)
                advance(record)

        for _ in range(min(batch.at_once, len(urls))):
            nursery.start_soon(work)


async def _record(house: Tabwright, batch: Order, url: str) -> Record:
    try:
        page = await house.browse(url, batch.reading, session=batch.session)
    except TabwrightError as error:
        return {"asked": url, **error_record(error)}
    return {"asked": url, "success": True, **page_record(page)}


@asynccontextmanager
async def _told_of(total: int) -> AsyncGenerator[Callable[[Record], None]]:
    """A bar on standard error where that is a terminal, and a line for each page that fails."""
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[url]}", markup=False),
    )
    console = Console(stderr=True, highlight=False, markup=False)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=total, url="")

        def advance(record: Record) -> None:
            progress.update(task, advance=1, url=str(record["asked"]))
            if not record["success"]:
                console.print(f"{record['asked']}: {record['error']}", soft_wrap=True)

        yield advance

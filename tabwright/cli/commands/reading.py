"""The commands that read pages: one or many."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tabwright.cli.commands.command import CLICommand, add_browser, add_json, environment_of
from tabwright.cli.page_options import add_browse, reading, urls
from tabwright.config.settings import Settings

if TYPE_CHECKING:
    from tabwright.cli.batch import BatchOptions
    from tabwright.cli.query import Query
    from tabwright.reader.pages import PageWorkers


def _page_order(settings: Settings, options: argparse.Namespace) -> "BatchOptions":
    """Return which pages to read and how.

    Raises:
        BadInput: no page is named, or an option has a value that cannot be used.
    """
    from tabwright.cli.batch import BatchOptions

    workers = page_workers(settings)
    return BatchOptions(
        urls=urls(options, sys.stdin),
        reading=reading(options, settings),
        session=options.session,
        media_dir=options.media_dir,
        download_media=options.download_media,
        as_json=options.json,
        output=options.batch_output,
        at_once=pages_at_once(options.batch_concurrency, 1, workers),
        workers=workers,
    )


def _page_query(settings: Settings, options: argparse.Namespace) -> "Query | None":
    from tabwright.cli.read import page_query

    if len(options.url) != 1 or options.batch or options.batch_output:
        return None  # a batch, or the URLs are on standard input
    return page_query(_page_order(settings, options))


async def _read(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.batch import read_all
    from tabwright.cli.query import run_alone
    from tabwright.cli.read import page_query

    order = _page_order(settings, options)
    environment = environment_of(settings)
    if len(order.urls) > 1 or order.output is not None or order.workers:
        return await read_all(settings, environment, order)
    return await run_alone(page_query(order), settings, environment)


READ = CLICommand(
    "read",
    "Read web pages and print them as text.",
    _read,
    (add_browser, add_browse, add_json),
    examples=(
        "tabwright read https://example.com",
        "tabwright read --readability --max-tokens 2000 https://example.com/article",
        "tabwright read --batch urls.txt --batch-output pages.ndjson --batch-concurrency 8",
    ),
    query=_page_query,
)


def add_extract(extract: argparse.ArgumentParser) -> None:
    """Add the arguments of `extract`."""
    extract.add_argument("url", metavar="URL", help="page to extract data from")
    extract.add_argument(
        "--schema",
        type=Path,
        metavar="FILE",
        help="JSON Schema to fill in; its properties can have a CSS selector",
    )
    extract.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write the records to FILE: .ndjson, .json or .csv; without the sources of values",
    )


def _data_query(_settings: Settings, options: argparse.Namespace) -> "Query":
    from tabwright.cli.extract import data_query

    return data_query(options.url, options.schema, options.output)


async def _extract(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.query import run_alone

    return await run_alone(_data_query(settings, options), settings, environment_of(settings))


EXTRACT = CLICommand(
    "extract",
    "Print the structured data of a page as JSON, each value with its source.",
    _extract,
    (add_browser, add_extract),
    examples=(
        "tabwright extract https://shop.example/lamps",
        "tabwright extract --schema product.json https://shop.example/lamps/1",
        "tabwright extract --schema lamps.json https://shop.example/lamps -o lamps.csv",
    ),
    query=_data_query,
)


def page_workers(settings: Settings) -> "PageWorkers | None":
    """Return the processes that read the pages of a batch; None for this one."""
    from tabwright.environment import changed_by_plugins

    return changed_by_plugins(environment_of(settings), settings).page_workers


def pages_at_once(given: int | None, alone: int, workers: "PageWorkers | None") -> int:
    """Return the number of pages that are read at the same time."""
    if given is not None:
        return given
    return workers.at_once if workers else alone


READING = (READ, EXTRACT)

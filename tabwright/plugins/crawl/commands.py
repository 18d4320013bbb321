"""The commands that read many pages of a site, or list its URLs."""

import argparse
from typing import TYPE_CHECKING

from tabwright.cli.commands.command import (
    CLICommand,
    add_browser,
    add_json,
    environment_of,
    refuse_options,
)
from tabwright.cli.commands.reading import page_workers, pages_at_once
from tabwright.cli.page_options import add_choice, add_writing
from tabwright.config.settings import Settings
from tabwright.plugins.crawl.crawl_options import PAGES_MAX, PAGES_TO_LIST, add_crawl

if TYPE_CHECKING:
    from tabwright.plugins.crawl.crawl_command import CrawlOptions


def _crawl_options(settings: Settings, options: argparse.Namespace) -> "CrawlOptions":
    """Return what `crawl` is to do.

    Raises:
        BadInput: an option has a value that cannot be used.
    """
    from tabwright.plugins.crawl.crawl_command import CrawlOptions
    from tabwright.plugins.crawl.crawl_options import crawl_reading
    from tabwright.plugins.crawl.crawler import CrawlRequest

    workers = page_workers(settings)
    only_urls = options.list
    if only_urls:
        for add in (add_choice, add_writing):
            refuse_options(options, add, "does not apply to --list")
    request = CrawlRequest(
        start=tuple(options.url),
        include=tuple(options.include),
        exclude=tuple(options.exclude),
        subdomains=options.subdomains,
        depth_max=options.max_depth,
        pages_max=options.max_pages or (PAGES_TO_LIST if only_urls else PAGES_MAX),
        bytes_max=options.max_bytes,
        seconds_max=options.max_time,
        sitemaps=not options.no_sitemaps,
        text=not only_urls,
        ordered=options.ordered,
        at_once=pages_at_once(options.concurrency, 8, workers),
        delay_s=options.delay,
        reading=crawl_reading(options, settings),
    )
    return CrawlOptions(
        request=request,
        output=options.output,
        state=options.state,
        since=options.since,
        restart=options.restart,
        as_json=options.json,
        only_urls=only_urls,
        workers=workers,
    )


async def _crawl(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.plugins.crawl.crawl_command import run_crawl

    order = _crawl_options(settings, options)
    return await run_crawl(settings, environment_of(settings), order)


CRAWL = CLICommand(
    "crawl",
    "Read many pages of a site into one file, or list its URLs.",
    _crawl,
    (add_browser, add_crawl, add_json),
    examples=(
        "tabwright crawl https://example.com --max-pages 500 -o pages.ndjson",
        "tabwright crawl https://example.com/docs/ --include '/docs/*' -o docs",
        "tabwright crawl https://example.com -o today.csv --since yesterday.csv.crawl",
        "tabwright crawl --list https://example.com --include '/blog/*' --max-pages 20",
    ),
)


COMMANDS = (CRAWL,)

"""The options of `crawl`: which pages of a site to read, and how far to go."""

import argparse
import re
from pathlib import Path

from tabwright.cli.page_options import add_choice, add_way, add_writing, reading
from tabwright.config.settings import Settings
from tabwright.protocol.extraction import ReadOptions

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?", re.IGNORECASE)
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*([smh]?)", re.IGNORECASE)
_FACTORS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


PAGES_MAX, PAGES_TO_LIST = 1000, 100
"""The maximum numbers of pages to read, unless the options have one."""


def add_crawl(crawl: argparse.ArgumentParser) -> None:
    """Add the options of `crawl`."""
    _add_scope(crawl)
    add_way(crawl)
    add_choice(crawl)
    add_writing(crawl)


def _add_scope(command: argparse.ArgumentParser) -> None:
    command.add_argument("url", nargs="+", metavar="URL", help="where the crawl starts")
    command.add_argument(
        "--list",
        action="store_true",
        help="list the URLs of the site instead: those of its sitemaps, and those that the pages"
        " that are read lead to",
    )
    scope = command.add_argument_group("scope")
    scope.add_argument(
        "--include",
        action="append",
        default=[],
        metavar="PATTERN",
        help="only URLs that match, for example '/docs/*' (repeatable); a start that does not match"
        " is read only for its links",
    )
    scope.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="PATTERN",
        help="no URLs that match, for example '/tags/*' (repeatable)",
    )
    scope.add_argument("--subdomains", action="store_true", help="the subdomains of the site, too")
    scope.add_argument("--no-sitemaps", action="store_true", help="do not read the sitemaps")
    limits = command.add_argument_group("limits")
    limits.add_argument(
        "--max-depth",
        type=int,
        default=1000,
        metavar="N",
        help="maximum number of links from the start to a page (default: 1000)",
    )
    limits.add_argument(
        "--max-pages",
        type=int,
        metavar="N",
        help=f"pages to read (default: {PAGES_MAX}; {PAGES_TO_LIST} with --list)",
    )
    limits.add_argument(
        "--max-bytes", type=_bytes, default=1 << 30, metavar="SIZE", help="e.g. 200M (default: 1G)"
    )
    limits.add_argument(
        "--max-time", type=_seconds, metavar="TIME", help="of this run, for example 90s or 2h"
    )
    limits.add_argument(
        "--concurrency",
        type=int,
        metavar="N",
        help="pages at once (default: 8)",
    )
    limits.add_argument(
        "--delay",
        type=float,
        default=0.0,
        metavar="S",
        help="seconds between two requests to a host",
    )
    result = command.add_argument_group("result")
    result.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write to FILE: .ndjson, .json, .csv or .parquet; without an extension, a folder of"
        " Markdown",
    )
    result.add_argument(
        "--ordered",
        action="store_true",
        help="make the result independent of the speed of the pages",
    )
    result.add_argument(
        "--state", type=Path, metavar="FILE", help="state file (default: FILE.crawl)"
    )
    result.add_argument(
        "--since",
        type=Path,
        metavar="FILE",
        help="report what changed since the crawl with this state file",
    )
    result.add_argument(
        "--restart", action="store_true", help="start over, and forget the earlier state"
    )


def crawl_reading(options: argparse.Namespace, settings: Settings) -> ReadOptions:
    """Return how the pages are read.

    Raises:
        BadInput: the options contradict each other.
    """
    return reading(options, settings)


def _bytes(text: str) -> int:
    return round(_amount(text, _SIZE, _FACTORS, "200M"))


def _seconds(text: str) -> float:
    return _amount(text, _TIME, _SECONDS, "90s")


def _amount(text: str, form: re.Pattern[str], units: dict[str, int], example: str) -> float:
    match = form.fullmatch(text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form {example}")
    return float(match[1]) * units[match[2].lower()]

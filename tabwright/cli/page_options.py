"""The options of `read`: which pages to read, and how."""

import argparse
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

import msgspec

from tabwright.config.settings import Settings
from tabwright.protocol.errors import BadInput
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.page_text import KeywordMode, LinkStyle, PageFormat, RenderOptions
from tabwright.protocol.snapshot import Selection, Tier
from tabwright.text.file_errors import file_problem


def add_browse(browse: argparse.ArgumentParser) -> None:
    """Add the options of `read`, in five groups."""
    browse.add_argument("url", nargs="*", help="URLs to read (default: from standard input)")
    add_way(browse)
    add_choice(browse)
    add_writing(browse)
    _add_media(browse)
    _add_batch(browse)


def add_way(browse: argparse.ArgumentParser) -> None:
    """Add the options for loading a page."""
    way = browse.add_argument_group("loading")
    tier = way.add_mutually_exclusive_group()
    tier.add_argument(
        "-t",
        "--tier",
        type=int,
        choices=(1, 2, 3),
        help="use only this tier: 1 HTTP, 2 a browser tab, 3 a tab that loads everything",
    )
    tier.add_argument(
        "--max-tier",
        type=int,
        choices=(1, 2, 3),
        help="use the lowest sufficient tier up to this one",
    )
    tier.add_argument("--no-js", action="store_true", help="use HTTP only (same as --tier 1)")
    way.add_argument(
        "--wait-for",
        default="",
        metavar="TEXT",
        help="wait until the page shows TEXT, or css= and a selector; needs a browser",
    )
    way.add_argument(
        "--scroll", action="store_true", help="scroll to the end first; needs a browser"
    )
    way.add_argument(
        "--timeout", type=float, metavar="S", help="time limit for loading a page, in seconds"
    )
    way.add_argument(
        "-u", "--user-agent", default="", metavar="TEXT", help="User-Agent header (only for HTTP)"
    )
    way.add_argument(
        "-H",
        "--header",
        action="append",
        default=[],
        type=_header,
        metavar="N: V",
        help="header to send, repeatable (only for HTTP)",
    )
    way.add_argument(
        "--max-age",
        type=float,
        metavar="S",
        help="accept a cached response of at most S seconds (see network.cache)",
    )
    way.add_argument(
        "--session", default="", metavar="NAME", help="use and keep the cookies of this session"
    )


def add_choice(browse: argparse.ArgumentParser) -> None:
    """Add the options that select parts of a page."""
    choice = browse.add_argument_group("selection")
    choice.add_argument(
        "-s",
        "--selector",
        action="append",
        default=[],
        metavar="CSS",
        help="CSS selector: keep only matches (repeatable)",
    )
    choice.add_argument(
        "--exclude-selector",
        action="append",
        default=[],
        metavar="CSS",
        help="CSS selector: remove matches (repeatable)",
    )
    choice.add_argument("-r", "--readability", action="store_true", help="only the main content")
    choice.add_argument(
        "-k",
        "--keyword",
        action="append",
        default=[],
        metavar="WORD",
        help="keep only passages with this word (repeatable)",
    )
    choice.add_argument(
        "--keyword-mode",
        choices=get_args(KeywordMode),
        default="any",
        help="match any or all keywords",
    )
    choice.add_argument(
        "--query", default="", metavar="TEXT", help="keep only passages relevant to this question"
    )


def add_writing(browse: argparse.ArgumentParser) -> None:
    """Add the options for the text of a page."""
    writing = browse.add_argument_group("output")
    writing.add_argument(
        "-f",
        "--format",
        choices=get_args(PageFormat),
        help="output format (default: reading.format, markdown)",
    )
    writing.add_argument("--links", choices=get_args(LinkStyle), help="in Markdown")
    writing.add_argument("--max-tokens", type=int, metavar="N", help="limit the output to N tokens")
    writing.add_argument(
        "--offset",
        type=int,
        default=0,
        metavar="N",
        help="continue from here (next_offset of the previous output)",
    )


def _add_media(browse: argparse.ArgumentParser) -> None:
    media = browse.add_argument_group("media")
    media.add_argument("--media-dir", type=Path, metavar="DIR", help="save thumbnails to DIR")
    media.add_argument(
        "--download-media",
        action="store_true",
        help="save original images, videos and audio to DIR (default: your cache)",
    )
    media.add_argument(
        "--image-size", type=_size, metavar="WxH", help="maximum thumbnail size, e.g. 640x480"
    )
    media.add_argument(
        "--image-quality", type=int, metavar="N", help="JPEG quality of thumbnails, 1 to 100"
    )
    media.add_argument(
        "--video-frames", type=int, metavar="N", help="frames to take from each video"
    )


def _add_batch(browse: argparse.ArgumentParser) -> None:
    batch = browse.add_argument_group("batch")
    batch.add_argument(
        "--batch", type=Path, metavar="FILE", help="read URLs from FILE, one per line"
    )
    batch.add_argument(
        "--batch-output",
        type=Path,
        metavar="FILE",
        help="write to FILE: .ndjson, .json, .csv or .parquet; without an extension, a folder of"
        " Markdown",
    )
    batch.add_argument(
        "--batch-concurrency",
        type=int,
        metavar="N",
        help="pages to read at once (default: 1)",
    )


def _size(text: str) -> tuple[int, int]:
    size = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if size is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form 640x480")
    return int(size[1]), int(size[2])


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form 'Name: value'")
    return name.strip(), value.strip()


def reading(options: argparse.Namespace, settings: Settings) -> ReadOptions:
    """Return the read options of `read`.

    Raises:
        BadInput: the options contradict each other.
    """
    defaults = settings.reading
    tier = 1 if options.no_js else options.tier
    highest = tier or options.max_tier or defaults.max_tier
    view = RenderOptions(
        format=options.format or defaults.format,
        links=options.links or defaults.links,
        keywords=tuple(options.keyword),
        keyword_mode=options.keyword_mode,
        query=options.query,
        max_tokens=defaults.max_tokens if options.max_tokens is None else options.max_tokens,
        offset=options.offset,
    )
    return ReadOptions(
        selection=Selection(
            tuple(options.selector),
            (*defaults.exclude_selectors, *options.exclude_selector),
            readability=options.readability or defaults.readability,
            tree=options.format == "a11y",
        ),
        view=view,
        min_tier=msgspec.convert(tier or 1, Tier),
        wait_for=options.wait_for,
        scroll=options.scroll,
        max_age_s=options.max_age,
        max_tier=msgspec.convert(highest, Tier),
        headers=tuple(options.header),
        user_agent=options.user_agent,
    )


def urls(options: argparse.Namespace, lines: Iterable[str]) -> tuple[str, ...]:
    """Return the pages to read: from arguments, a file, or `lines` of a pipe.

    Raises:
        BadInput: there are none.
    """
    if options.url and options.batch:
        raise BadInput("Both URLs and a file of URLs are given.", advice="Use one of the two.")
    if options.url:
        return tuple(options.url)
    if options.batch:
        try:
            lines = options.batch.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeError) as error:
            raise BadInput(
                file_problem(error, options.batch), advice="Use a text file of URLs."
            ) from error
    elif sys.stdin.isatty():
        raise BadInput("No URL is given.", advice="Give a URL, or pipe URLs in.")
    stripped = (line.strip() for line in lines)
    found = tuple(line for line in stripped if line and not line.startswith("#"))
    if not found:
        where = options.batch or "Standard input"
        raise BadInput(f"{where} has no URL.", advice="Give a URL, or pipe URLs in.")
    return found

"""What can be said on the command line, and the settings and values that it stands for."""

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias, get_args

import attrs
import msgspec

from tabwright import __version__
from tabwright.actors.tools.interventions import Action
from tabwright.config.file import read_layer
from tabwright.config.layers import Entry, Layer, Rank
from tabwright.config.settings import TOOL_GROUPS, Settings
from tabwright.protocol.errors import BadInput
from tabwright.protocol.reading import Reading
from tabwright.protocol.result_pages import TIME_RANGES
from tabwright.protocol.snapshots import Selection, Tier
from tabwright.protocol.views import KeywordMode, LinkStyle, PageFormat, View

Run: TypeAlias = Callable[[Settings, argparse.Namespace], int]
"""What a command does; gives the exit code."""

DESCRIPTION = "Search with Google AI Mode and read web pages, in a real browser."
EPILOG = """\
exit codes: 0 done; 1 no answer or server; 2 wrong use or settings; 3 no browser; 128 + n ended by
signal n. browse ends with what kept the page from being read, modulo 256: 100 network, 101 name,
102 time-out, 103 TLS, 200 and 201 an error of HTTP, 44 script, 45 blocked, 144 to 146 unreadable.
"""


@attrs.frozen(kw_only=True)
class Runs:
    """What each command does."""

    serve: Run
    search: Run
    web_search: Run
    browse: Run
    task: Run
    tui: Run
    interventions: Run
    pool: Run
    top: Run
    doctor: Run
    demo: Run


def parser(runs: Runs) -> argparse.ArgumentParser:
    """The parser; what it gives has the chosen command's `run`."""
    whole = argparse.ArgumentParser(prog="tabwright", description=DESCRIPTION, epilog=EPILOG)
    whole.add_argument("--version", action="version", version=f"tabwright {__version__}")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")
    shared = _shared()

    def command(name: str, text: str, run: Run) -> argparse.ArgumentParser:
        added = commands.add_parser(name, parents=[shared], help=text, description=text)
        added.set_defaults(run=run, fills_screen=False)
        return added

    serve = command("serve", "Serve an MCP client over standard input and output.", runs.serve)
    search = command("search", "Ask Google AI Mode a question.", runs.search)
    web_search = command(
        "web-search", "Search the result pages of several engines.", runs.web_search
    )
    browse = command("browse", "Print pages as text.", runs.browse)
    task = command("task", "Have a model do a task in the browser.", runs.task)
    tui = command("tui", "Browse in this terminal.", runs.tui)
    interventions = command(
        "interventions", "List the CAPTCHAs that wait for you, or act on one.", runs.interventions
    )
    pool = command("pool", "Say how it stands with the tabs of running servers.", runs.pool)
    top = command("top", "Watch running servers, live.", runs.top)
    doctor = command("doctor", "Say which browser is used and why, and try it.", runs.doctor)
    command("demo", "Search and read in a replica of the web, without the net.", runs.demo)
    _add_serve(serve)
    _add_search(search)
    _add_web_search(web_search)
    _add_browse(browse)
    _add_task(task)
    _add_tui(tui)
    _add_interventions(interventions)
    top.set_defaults(fills_screen=True)
    top.add_argument("--once", action="store_true", help="as they stand now, and end")
    pool.add_argument("--reset", action="store_true", help="let all tabs search again")
    for printing in (search, web_search, browse, task, interventions, pool, top, doctor):
        printing.add_argument("--json", action="store_true", help="print JSON for a program")
    return whole


def _shared() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--config", type=Path, metavar="FILE", help="a YAML file of settings")
    shared.add_argument("--headed", action="store_true", help="show the browser's window")
    shared.add_argument("--browser", metavar="PATH", help="the browser to start")
    shared.add_argument("--profile", metavar="DIR", help="keep cookies and log-ins there")
    shared.add_argument("--cdp-endpoint", metavar="URL", help="use a running browser")
    shared.add_argument("-v", "--verbose", action="store_true", help="say more on standard error")
    shared.add_argument("-q", "--quiet", action="store_true", help="say errors alone there")
    return shared


def _add_serve(serve: argparse.ArgumentParser) -> None:
    serve.add_argument(
        "--tools", type=_names, metavar="A,B", help=f"only these groups: {', '.join(TOOL_GROUPS)}"
    )
    serve.add_argument(
        "--compat", choices=("playwright",), help="the tools of another server, by their names"
    )


def _add_search(search: argparse.ArgumentParser) -> None:
    search.add_argument("query", nargs="+")
    search.add_argument("--language", metavar="CODE", help="zh-CN, en-US, ja-JP, ko-KR, …")


def _add_web_search(web_search: argparse.ArgumentParser) -> None:
    web_search.add_argument("query", nargs="+")
    web_search.add_argument("--engines", type=_names, metavar="A,B", help="whom to ask")
    web_search.add_argument("--page", type=int, default=1, metavar="N", help="1, 2, …")
    web_search.add_argument("--limit", type=int, default=10, metavar="N", help="results on a page")
    web_search.add_argument("--time-range", choices=TIME_RANGES, help="only results of the last …")
    web_search.add_argument("--language", metavar="CODE", help="of results: de, pt-BR, …")


def _add_browse(browse: argparse.ArgumentParser) -> None:
    browse.add_argument("url", nargs="*", help="one or more; without any, from standard input")
    _add_way(browse)
    _add_choice(browse)
    _add_writing(browse)
    _add_media(browse)
    _add_batch(browse)


def _add_way(browse: argparse.ArgumentParser) -> None:
    way = browse.add_argument_group("how a page is got")
    way.add_argument(
        "-t",
        "--tier",
        type=int,
        choices=(1, 2, 3),
        help="by this tier and no other: 1 HTTP, 2 a tab",
    )
    way.add_argument(
        "--max-tier", type=int, choices=(1, 2, 3), help="by the lowest that will do, up to this one"
    )
    way.add_argument("--no-js", action="store_true", help="by HTTP alone")
    way.add_argument("--timeout", type=float, metavar="S", help="seconds for a page to be there")
    way.add_argument("-u", "--user-agent", default="", metavar="TEXT", help="for HTTP")
    way.add_argument(
        "-H", "--header", action="append", default=[], type=_header, metavar="N: V", help="for HTTP"
    )
    way.add_argument(
        "--session", default="", metavar="NAME", help="with its cookies, and keep them"
    )


def _add_choice(browse: argparse.ArgumentParser) -> None:
    choice = browse.add_argument_group("which part of it is wanted")
    choice.add_argument(
        "-s", "--selector", action="append", default=[], metavar="CSS", help="only what matches"
    )
    choice.add_argument(
        "--exclude-selector",
        action="append",
        default=[],
        metavar="CSS",
        help="without what matches",
    )
    choice.add_argument("-r", "--readability", action="store_true", help="the main content alone")
    choice.add_argument(
        "-k",
        "--keyword",
        action="append",
        default=[],
        metavar="WORD",
        help="only passages that hold it",
    )
    choice.add_argument("--keyword-mode", choices=get_args(KeywordMode), default="any")
    choice.add_argument("--query", default="", metavar="TEXT", help="only the nearest passages")


def _add_writing(browse: argparse.ArgumentParser) -> None:
    writing = browse.add_argument_group("how it is written")
    writing.add_argument("-f", "--format", choices=get_args(PageFormat), default="markdown")
    writing.add_argument("--links", choices=get_args(LinkStyle), help="in Markdown")
    writing.add_argument("--max-tokens", type=int, metavar="N", help="what the text may have")
    writing.add_argument("--offset", type=int, default=0, metavar="N", help="go on from there")


def _add_media(browse: argparse.ArgumentParser) -> None:
    media = browse.add_argument_group("what it shows and plays")
    media.add_argument("--media-dir", type=Path, metavar="DIR", help="put small pictures there")
    media.add_argument(
        "--download-media",
        action="store_true",
        help="put pictures, videos and sounds there as they are; without DIR, into your cache",
    )
    media.add_argument(
        "--image-size", type=_size, metavar="WxH", help="what small pictures may have: 640x480"
    )
    media.add_argument("--image-quality", type=int, metavar="N", help="of their JPEG, 1 to 100")
    media.add_argument("--video-frames", type=int, metavar="N", help="pictures out of a video")


def _add_batch(browse: argparse.ArgumentParser) -> None:
    batch = browse.add_argument_group("many pages")
    batch.add_argument("--batch", type=Path, metavar="FILE", help="read the URLs in it, one a line")
    batch.add_argument(
        "--batch-output", type=Path, metavar="FILE", help="write there: .json, .csv or .ndjson"
    )
    batch.add_argument("--batch-concurrency", type=int, default=1, metavar="N", help="at once")


def _add_task(task: argparse.ArgumentParser) -> None:
    task.add_argument("task", nargs="+", help="what to do, and what to tell in the end")
    task.add_argument("--session", default="task", metavar="NAME", help="whose cookies and tabs")
    task.add_argument("--provider", metavar="NAME", help="whose model: openai, anthropic, …")
    task.add_argument("--model", metavar="NAME", help="which of them")
    task.add_argument("--max-steps", type=int, metavar="N", help="then it is given up")
    task.add_argument("--no-validate", action="store_true", help="take its answer as it is")


def _add_tui(tui: argparse.ArgumentParser) -> None:
    tui.set_defaults(fills_screen=True)
    tui.add_argument("url", nargs="?", default="", help="where to begin; or pipe it in")
    tui.add_argument("--dump", action="store_true", help="print the page as text, and end")
    tui.add_argument(
        "--session", default="", metavar="NAME", help="with its cookies, and keep them"
    )
    tui.add_argument(
        "--server",
        default="",
        metavar="WHERE",
        help="a server that runs elsewhere: its URL, or a command that starts one, as "
        "'ssh box tabwright serve'",
    )


def server_arguments(options: argparse.Namespace) -> list[str]:
    """The arguments for a `serve` that is to run as this command would."""
    given = {
        "--config": options.config,
        "--browser": options.browser,
        "--profile": options.profile,
        "--cdp-endpoint": options.cdp_endpoint,
    }
    named = [part for flag, value in given.items() if value for part in (flag, str(value))]
    return [*named, *(["--headed"] if options.headed else [])]


def _add_interventions(interventions: argparse.ArgumentParser) -> None:
    interventions.add_argument("action", nargs="?", choices=get_args(Action), default="list")
    interventions.add_argument("id", nargs="?", metavar="ID", help="which one; not for list")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


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


def layers(options: argparse.Namespace) -> list[Layer]:
    """The layers of settings that the command line gives."""
    width, height = getattr(options, "image_size", None) or (None, None)
    given = {
        "browser.headless": (False if options.headed else None, "--headed"),
        "browser.path": (options.browser, "--browser"),
        "browser.profile": (options.profile, "--profile"),
        "browser.cdp_endpoint": (options.cdp_endpoint, "--cdp-endpoint"),
        "network.page_timeout_s": (getattr(options, "timeout", None), "--timeout"),
        "reading.picture_width": (width, "--image-size"),
        "reading.picture_height": (height, "--image-size"),
        "reading.video_frames": (getattr(options, "video_frames", None), "--video-frames"),
        "reading.picture_quality": (getattr(options, "image_quality", None), "--image-quality"),
        "models.provider": (getattr(options, "provider", None), "--provider"),
        "models.name": (getattr(options, "model", None), "--model"),
        "agent.steps_max": (getattr(options, "max_steps", None), "--max-steps"),
        "agent.validate": (_validates(options), "--no-validate"),
        "mcp.tools": (getattr(options, "tools", None), "--tools"),
        "mcp.compat": (getattr(options, "compat", None), "--compat"),
        "log.level": (_level(options), "--verbose or --quiet"),
    }
    flags = {key: Entry(*entry) for key, entry in given.items() if entry[0] is not None}
    files = [read_layer(options.config)] if options.config else []
    return [Layer(Rank.FLAGS, flags), *files]


def _validates(options: argparse.Namespace) -> bool | None:
    return False if getattr(options, "no_validate", False) else None


def _level(options: argparse.Namespace) -> str | None:
    if options.quiet:
        return "error"
    return "info" if options.verbose else None


def reading(options: argparse.Namespace, settings: Settings) -> Reading:
    """How `browse` is to read its pages.

    Raises:
        BadInput: what was asked for does not fit together.
    """
    wishes = settings.reading
    tier = 1 if options.no_js else options.tier
    highest = tier or options.max_tier or wishes.max_tier
    view = View(
        format=options.format,
        links=options.links or wishes.links,
        keywords=tuple(options.keyword),
        keyword_mode=options.keyword_mode,
        query=options.query,
        max_tokens=wishes.max_tokens if options.max_tokens is None else options.max_tokens,
        offset=options.offset,
    )
    return Reading(
        selection=Selection(
            tuple(options.selector),
            tuple(options.exclude_selector),
            readability=options.readability,
            tree=options.format == "a11y",
        ),
        view=view,
        min_tier=msgspec.convert(tier or 1, Tier),
        max_tier=msgspec.convert(highest, Tier),
        headers=tuple(options.header),
        user_agent=options.user_agent,
    )


def urls(options: argparse.Namespace, lines: Iterable[str]) -> tuple[str, ...]:
    """The pages that `browse` is to read: named, from a file, or from `lines` of a pipe.

    Raises:
        BadInput: there are none.
    """
    if options.url and options.batch:
        raise BadInput("URLs are given, and a file of them.", advice="Give one of the two.")
    if options.url:
        return tuple(options.url)
    if options.batch:
        lines = _lines_of(options.batch)
    elif sys.stdin.isatty():
        raise BadInput("No URL is given.", advice="Name one, or pipe some in.")
    stripped = (line.strip() for line in lines)
    found = tuple(line for line in stripped if line and not line.startswith("#"))
    if not found:
        raise BadInput("There is no URL to read.")
    return found


def _lines_of(path: Path) -> Iterable[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}.", advice="Give a text file.") from error

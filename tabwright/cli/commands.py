"""All commands: descriptions, options and implementations.

Heavy modules are imported by the command that needs them: ``serve`` answers its client first.
"""

import argparse
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import attrs
import trio

from tabwright._version import __version__
from tabwright.cli import shell, user_client
from tabwright.cli.crawl_options import add_crawl, add_map
from tabwright.cli.layers import add_set
from tabwright.cli.page_options import add_browse, reading, urls
from tabwright.cli.parsing import WRONG_USE, CommandParser, examples_text
from tabwright.config.settings import TOOL_GROUPS, Settings
from tabwright.protocol.errors import SettingsError
from tabwright.protocol.web_search import CATEGORIES, READ_TOKENS, SAFE_SEARCH, TIME_RANGES

if TYPE_CHECKING:
    from tabwright.cli.batch import BatchOptions
    from tabwright.cli.crawl import CrawlOptions
    from tabwright.cli.query import Query
    from tabwright.config.engines import EngineConfig
    from tabwright.environment import Environment

Work: TypeAlias = Callable[[Settings, argparse.Namespace], Awaitable[int]]
"""The implementation of a command on trio; returns the exit code."""

Options: TypeAlias = Callable[[argparse.ArgumentParser], None]
"""Adds options to a command."""


def server_arguments(options: argparse.Namespace) -> list[str]:
    """Return the arguments for a `serve` with the same options as this command."""
    given = {
        "--config": options.config and options.config.absolute(),
        "--browser": options.browser,
        "--profile": options.profile,
        "--cdp-endpoint": options.cdp_endpoint,
    }
    named = [part for flag, value in given.items() if value for part in (flag, str(value))]
    named += [part for line in options.cdp_header or () for part in ("--cdp-header", line)]
    assigned = [part for key, text in options.set for part in ("--set", f"{key}={text}")]
    switches = [f"--{name}" for name in ("headed", "stealth") if getattr(options, name)]
    return [*named, *switches, *assigned]


INTERVENTION_ACTIONS = ("list", "open", "solved", "skip")
"""The actions of the tool `interventions`, whose module takes long to import."""

TASK_ACTIONS = ("list", "pause", "resume", "cancel")
"""The actions of the tool `task_control`."""

QUEUED_AT_ONCE = 64
"""The number of pages that wait for workers at the same time, unless an option says otherwise."""

QUEUE_ACTIONS = ("list", "retry", "drop")
"""What can be done with dead letters."""

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
"""The shells that shtab writes completions for."""


# Options of the commands except `browse`; each function adds one kind.


def add_general(command: argparse.ArgumentParser) -> None:
    """Add the options of all commands."""
    command.add_argument(
        "--config", type=Path, metavar="FILE", help="settings file (default: the file of the user)"
    )
    add_set(command)
    command.add_argument("-v", "--verbose", action="store_true", help="log more to standard error")
    command.add_argument("-q", "--quiet", action="store_true", help="log only errors")


def add_browser(command: argparse.ArgumentParser) -> None:
    """Add the options that choose a browser."""
    command.add_argument("--headed", action="store_true", help="show the browser's window")
    command.add_argument(
        "--stealth",
        action="store_true",
        help="identify as the same browser with a window (browser.identity: ordinary)",
    )
    command.add_argument("--browser", metavar="PATH", help="browser executable to use")
    command.add_argument("--profile", metavar="DIR", help="keep cookies and log-ins in DIR")
    command.add_argument("--cdp-endpoint", metavar="URL", help="connect to a running browser")
    command.add_argument(
        "--cdp-header",
        action="append",
        metavar="'NAME: VALUE'",
        help="HTTP header for the connection to it; can be repeated",
    )


def add_json(command: argparse.ArgumentParser) -> None:
    """Add the option for JSON output."""
    command.add_argument("--json", action="store_true", help="print JSON")


def add_serve(serve: argparse.ArgumentParser) -> None:
    """Add the options of `serve`."""
    serve.add_argument(
        "--tools",
        type=_names,
        metavar="A,B",
        help=f"tool groups to serve: {', '.join(TOOL_GROUPS)}",
    )
    serve.add_argument("--compat", choices=("playwright",), help="use another server's tool names")
    serve.add_argument(
        "--caps",
        type=_names,
        metavar="A,B",
        help="with --compat: vision, pdf, storage, network, testing",
    )
    serve.add_argument("--vision", action="store_true", help="the same as --caps vision")
    serve.add_argument(
        "--own",
        nargs="?",
        const="default",
        metavar="NAME",
        help="session that acts in your own browser or profile (default: default)",
    )
    serve.add_argument(
        "--storage-state", metavar="FILE", help="cookies and localStorage of new sessions"
    )
    serve.add_argument(
        "--init-script",
        action="append",
        metavar="FILE",
        help="script that runs in every document; can be repeated",
    )
    serve.add_argument(
        "--shared",
        action="store_true",
        help="share the process of `tabwright up`, and its sessions",
    )
    serve.add_argument("--device", metavar="NAME", help="device to emulate, such as 'iPhone 15'")
    serve.add_argument("--mobile", action="store_true", help="emulate a mobile device")
    serve.add_argument(
        "--grant-permissions", type=_names, metavar="A,B", help="permissions of all pages"
    )


def add_http(serve: argparse.ArgumentParser) -> None:
    """Add the options for serving over HTTP."""
    serve.add_argument(
        "--http", metavar="HOST:PORT", help="serve many clients over HTTP at this address"
    )
    serve.add_argument(
        "--token-file", metavar="FILE", help="file of bearer tokens; created if it does not exist"
    )
    serve.add_argument(
        "--allow-host", type=_names, metavar="A,B", help="names of this server in requests"
    )
    serve.add_argument(
        "--allow-origin", type=_names, metavar="A,B", help="origins of pages that can use it"
    )


def add_foreground(up: argparse.ArgumentParser) -> None:
    """Add the option of `up`."""
    up.add_argument(
        "--foreground", action="store_true", help="run in this terminal instead of the background"
    )


def add_skills(skills: argparse.ArgumentParser) -> None:
    """Add the arguments of `skills`."""
    skills.add_argument(
        "action",
        nargs="?",
        choices=("show", "install"),
        default="show",
        help="print the skill (default), or write it to a folder of skills",
    )
    skills.add_argument(
        "folder", nargs="?", type=Path, metavar="FOLDER", help="default: .claude/skills"
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


def add_login(login: argparse.ArgumentParser) -> None:
    """Add the arguments of `login`."""
    login.add_argument("url", metavar="URL", help="page to log in at")
    login.add_argument(
        "--session",
        default="default",
        metavar="NAME",
        help="session that keeps the log-in (default: default)",
    )


def add_search(search: argparse.ArgumentParser) -> None:
    """Add the arguments of `search`."""
    search.add_argument("query", nargs="+", help="question or search terms")
    search.add_argument(
        "--language", metavar="CODE", help="language of the answer, for example en-US"
    )
    search.add_argument(
        "--follow-up",
        action="store_true",
        help="continue the latest conversation, or begin one if none is open; `tabwright up` must"
        " run before the first question",
    )


def add_web_search(web_search: argparse.ArgumentParser) -> None:
    """Add the arguments of `web-search`."""
    web_search.add_argument("query", nargs="+", help="search terms")
    web_search.add_argument(
        "--engines", type=_names, metavar="A,B", help="search engines to use, e.g. mojeek,brave"
    )
    web_search.add_argument(
        "--page", type=int, default=1, metavar="N", help="page of results (default: 1)"
    )
    web_search.add_argument(
        "--limit",
        type=int,
        default=10,
        metavar="N",
        help="number of results, 1 to 50 (default: 10)",
    )
    web_search.add_argument(
        "--time-range",
        choices=TIME_RANGES,
        help="only results of the last day, week, month or year",
    )
    web_search.add_argument(
        "--language", metavar="CODE", help="language of the results, e.g. de or pt-BR"
    )
    web_search.add_argument(
        "--category",
        choices=CATEGORIES,
        default="web",
        help="kind of results; selects the engines if none are named (default: web)",
    )
    web_search.add_argument(
        "--region", metavar="CODE", help="region of the results: two letters, e.g. AT"
    )
    web_search.add_argument(
        "--safe-search", choices=SAFE_SEARCH, help="how much explicit content is left out"
    )
    web_search.add_argument(
        "--site", default="", metavar="HOST", help="only results of this host, e.g. docs.python.org"
    )
    web_search.add_argument(
        "--filetype", default="", metavar="TYPE", help="only files of this type, e.g. pdf"
    )
    web_search.add_argument(
        "--read",
        type=int,
        default=0,
        metavar="N",
        help="read the first N results, and print the passages that are relevant to the query",
    )
    web_search.add_argument(
        "--read-tokens",
        type=int,
        default=READ_TOKENS,
        metavar="N",
        help="maximum number of tokens of these passages in total (default: 6000)",
    )


def add_task(task: argparse.ArgumentParser) -> None:
    """Add the arguments of `task`."""
    task.add_argument("task", nargs="+", help="what to do, and what to report at the end")
    task.add_argument("--session", default="task", metavar="NAME", help="session to use")
    task.add_argument("--provider", metavar="NAME", help="model provider, e.g. openai or anthropic")
    task.add_argument("--model", metavar="NAME", help="model name")
    task.add_argument("--max-steps", type=int, metavar="N", help="stop after N steps")
    task.add_argument("--no-validate", action="store_true", help="do not check the answer")


def add_tui(tui: argparse.ArgumentParser) -> None:
    """Add the arguments of `tui`."""
    tui.add_argument("url", nargs="?", default="", help="URL to open (or pipe it in)")
    tui.add_argument("--dump", action="store_true", help="print the page as text and exit")
    tui.add_argument(
        "--session", default="", metavar="NAME", help="use and keep the cookies of this session"
    )
    tui.add_argument(
        "--server",
        default="",
        metavar="WHERE",
        help="a server elsewhere: its URL, or a command that starts one, e.g. "
        "'ssh box tabwright serve'",
    )


def add_install(install: argparse.ArgumentParser) -> None:
    """Add the arguments of `install`."""
    install.add_argument(
        "client", nargs="?", metavar="CLIENT", help="the client; without it, list all clients"
    )
    change = install.add_mutually_exclusive_group()
    change.add_argument("--print", action="store_true", help="print the entry, change nothing")
    change.add_argument("--remove", action="store_true", help="remove the entry again")


def add_interventions(interventions: argparse.ArgumentParser) -> None:
    """Add the arguments of `interventions`."""
    interventions.add_argument("action", nargs="?", choices=INTERVENTION_ACTIONS, default="list")
    interventions.add_argument(
        "id", nargs="?", metavar="ID", help="id of the intervention (not for list)"
    )


def add_view(view: argparse.ArgumentParser) -> None:
    """Add the options of `view`."""
    view.add_argument("--open", action="store_true", help="open the link in your browser")
    view.add_argument(
        "--tab", type=int, metavar="N", help="show this tab alone (`tabwright pool` lists them)"
    )
    view.add_argument(
        "--minutes",
        type=float,
        default=10.0,
        metavar="N",
        help="time in which the link can be used (default: 10)",
    )
    view.add_argument("--user", default="", metavar="NAME", help="user of a server with several")


def add_tasks(tasks: argparse.ArgumentParser) -> None:
    """Add the arguments of `tasks`."""
    tasks.add_argument("action", nargs="?", choices=TASK_ACTIONS, default="list")
    tasks.add_argument("id", nargs="?", metavar="ID", help="id of the task (not for list)")


def add_pool(pool: argparse.ArgumentParser) -> None:
    """Add the options of `pool`."""
    pool.add_argument("--reset", action="store_true", help="allow all tabs to search again")


def add_config_action(config: argparse.ArgumentParser) -> None:
    """Add the arguments of `config`."""
    config.add_argument(
        "action",
        nargs="?",
        choices=("show", "path", "init", "explain"),
        default="show",
        help="show all settings and where they are set (default), print the path of the settings "
        "file, create that file, or explain one setting",
    )
    config.add_argument("key", nargs="?", metavar="KEY", help="the setting to explain")


def add_trace(trace: argparse.ArgumentParser) -> None:
    """Add the arguments of `trace`."""
    trace.add_argument(
        "action",
        choices=("show", "export"),
        help="show the trace in a browser, or write it in another form",
    )
    trace.add_argument("file", type=Path, metavar="FILE", help="trace file")
    form = trace.add_mutually_exclusive_group()
    form.add_argument("--text", action="store_true", help="print it as text instead")
    form.add_argument("--json", action="store_true", help="print it as JSON instead")
    trace.add_argument(
        "--to",
        choices=("run", "python", "playwright", "har", "video"),
        help="export as steps for the tool run, a Python program, a Playwright script in "
        "JavaScript, a HAR file of the requests, or a WebM video of the pictures",
    )
    trace.add_argument("--url", default="", metavar="URL", help="page that the export begins at")
    trace.add_argument(
        "--output", "-o", type=Path, metavar="FILE", help="where to write it, without opening it"
    )


def add_replay(replay: argparse.ArgumentParser) -> None:
    """Add the arguments of `replay`."""
    replay.add_argument("file", type=Path, metavar="FILE", help="trace file")
    replay.add_argument(
        "--url", default="", metavar="URL", help="page to begin at, instead of the recorded one"
    )
    replay.add_argument(
        "--session", default="replay", metavar="NAME", help="session to use (default: replay)"
    )
    replay.add_argument(
        "--secret",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="value of a name in the trace, or the name of a secret of acting.secrets; can be "
        "repeated",
    )


def add_completion(completion: argparse.ArgumentParser) -> None:
    """Add the argument of `completion`."""
    completion.add_argument("shell", choices=SHELLS, help="shell to complete commands in")


def add_top(top: argparse.ArgumentParser) -> None:
    """Add the options of `top`."""
    top.add_argument("--once", action="store_true", help="print the status once and exit")


def add_worker(worker: argparse.ArgumentParser) -> None:
    """Add the options of `worker`."""
    worker.add_argument("--queue", metavar="URL", help="Redis server (default: fleet.redis)")
    worker.add_argument(
        "--concurrency", type=_count, metavar="N", help="pages to read at once (default: 8)"
    )
    worker.add_argument("--name", metavar="NAME", help="name in the fleet (default: a random one)")
    worker.add_argument(
        "--health", metavar="HOST:PORT", help="answer /health, /ready and /metrics there"
    )


def add_queue_action(queue: argparse.ArgumentParser) -> None:
    """Add the arguments of `queue`."""
    queue.add_argument("action", nargs="?", choices=QUEUE_ACTIONS, default="list")
    queue.add_argument("key", nargs="*", metavar="KEY", help="keys of dead letters, or all")
    queue.add_argument("--queue", metavar="URL", help="Redis server (default: fleet.redis)")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return int(text)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


# What the commands do.


async def _serve(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.serve import serve_shared, serve_stdio
    from tabwright.config.engines import configured_engines

    if options.shared:
        connection = user_client.connect() or user_client.start(server_arguments(options))
        if connection is None:
            return WRONG_USE
        await serve_shared(connection)
        return 0
    if settings.server.http is not None:
        from tabwright.server.http import serve_http

        await serve_http(settings.server.http, settings, _environment(settings), _announce)
        return 0
    try:
        engines = configured_engines(settings.engines)
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return WRONG_USE
    await serve_stdio(settings, engines, partial(_environment, settings, engines))
    return 0


async def _up(settings: Settings, options: argparse.Namespace) -> int:
    if options.foreground:
        from tabwright.cli.layers import layers
        from tabwright.cli.query import SharedQueries
        from tabwright.cli.user_process import run_user_process

        queries = SharedQueries(settings, layers(options), partial(parse, of=shell.ShellParser))
        await run_user_process(settings, _environment(settings), queries)
        return 0
    return await trio.to_thread.run_sync(_start_user_process, server_arguments(options))


def _start_user_process(options: Sequence[str]) -> int:
    if connection := user_client.connect():
        connection.close()
        if options:
            sys.stderr.write(
                "The user process is already running, with the settings of its start."
                " Run `tabwright down` first to change them.\n"
            )
            return WRONG_USE
        sys.stdout.write("The user process is already running.\n")
        return 0
    connection = user_client.start(options)
    if connection is None:
        return WRONG_USE
    return user_client.exchange(connection, ["status"])


def _status(_options: argparse.Namespace) -> int:
    connection = user_client.connect()
    if connection is None:
        sys.stdout.write("The user process is not running.\n")
        return 1
    return user_client.exchange(connection, ["status"])


def _skills(options: argparse.Namespace) -> int:
    from tabwright.cli.skill import skills

    return skills(options.action, options.folder)


def _announce(url: str) -> None:
    sys.stdout.write(f"Serving MCP at {url}\n")
    sys.stdout.flush()


def _answer_query(settings: Settings, options: argparse.Namespace) -> "Query":
    from tabwright.cli.search import answer_query

    language = options.language or settings.language
    words = " ".join(options.query)
    return answer_query(words, language, follow_up=options.follow_up, as_json=options.json)


async def _search(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.query import run_alone

    if options.follow_up:
        sys.stderr.write(
            "No conversation is open: the process of `tabwright up`, which keeps them, is not "
            "running or has other settings. Run it, ask the first question, and then follow up.\n"
        )
        return WRONG_USE
    return await run_alone(_answer_query(settings, options), settings, _environment(settings))


def _results_query(settings: Settings, options: argparse.Namespace) -> "Query":
    from tabwright.cli.search import results_query
    from tabwright.protocol.web_search import WebSearch

    request = WebSearch(
        " ".join(options.query),
        options.engines,
        options.page,
        options.limit,
        options.time_range,
        options.language,
        options.read,
        options.read_tokens,
        options.category,
        options.region,
        options.safe_search,
        options.site,
        options.filetype,
    )
    return results_query(settings, request, as_json=options.json)


async def _web_search(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.query import run_alone

    if options.engines is None or len(options.engines) > 1:
        # Interventions end with this command, so no person is called as long as there may be other
        # results.
        search = attrs.evolve(settings.search, person_timeout_s=0.0)
        settings = attrs.evolve(settings, search=search)
    return await run_alone(_results_query(settings, options), settings, _environment(settings))


def _page_order(settings: Settings, options: argparse.Namespace) -> "BatchOptions":
    """Return which pages to read and how.

    Raises:
        BadInput: no page is named, or an option has a value that cannot be used.
    """
    from tabwright.cli.batch import BatchOptions

    return BatchOptions(
        urls=urls(options, sys.stdin),
        reading=reading(options, settings),
        session=options.session,
        media_dir=options.media_dir,
        download_media=options.download_media,
        as_json=options.json,
        output=options.batch_output,
        at_once=_at_once(options.batch_concurrency, 1, options),
        is_queued=options.queue is not None,
    )


def _page_query(settings: Settings, options: argparse.Namespace) -> "Query | None":
    from tabwright.cli.browse import page_query

    if len(options.url) != 1 or options.batch or options.batch_output or options.queue:
        return None  # a batch, or the URLs are on standard input
    return page_query(_page_order(settings, options))


async def _browse(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.batch import read_all
    from tabwright.cli.browse import page_query
    from tabwright.cli.query import run_alone

    order = _page_order(settings, options)
    environment = _environment(settings)
    if len(order.urls) > 1 or order.output is not None or order.is_queued:
        return await read_all(settings, environment, order)
    return await run_alone(page_query(order), settings, environment)


def _crawl_options(settings: Settings, options: argparse.Namespace) -> "CrawlOptions":
    """Return what `crawl` or `map` is to do.

    Raises:
        BadInput: an option has a value that cannot be used.
    """
    from tabwright.cli.crawl import CrawlOptions
    from tabwright.cli.crawl_options import crawl_reading
    from tabwright.crawl.crawler import CrawlRequest

    only_urls = options.command.name == "map"
    request = CrawlRequest(
        start=tuple(options.url),
        include=tuple(options.include),
        exclude=tuple(options.exclude),
        subdomains=options.subdomains,
        depth_max=options.max_depth,
        pages_max=options.max_pages,
        bytes_max=options.max_bytes,
        seconds_max=options.max_time,
        sitemaps=not options.no_sitemaps,
        text=not only_urls,
        ordered=options.ordered,
        at_once=_at_once(options.concurrency, 8, options),
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
        is_queued=options.queue is not None,
    )


def _at_once(given: int | None, alone: int, options: argparse.Namespace) -> int:
    """Return the number of pages that are read at the same time."""
    if given is not None:
        return given
    return alone if options.queue is None else QUEUED_AT_ONCE


async def _crawl(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.crawl import run_crawl

    order = _crawl_options(settings, options)
    return await run_crawl(settings, _environment(settings), order)


def _data_query(_settings: Settings, options: argparse.Namespace) -> "Query":
    from tabwright.cli.extract import data_query

    return data_query(options.url, options.schema, options.output)


async def _extract(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.query import run_alone

    return await run_alone(_data_query(settings, options), settings, _environment(settings))


async def _login(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.login import login

    return await login(settings, _environment, options.url, options.session)


async def _task(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import task

    words, environment = " ".join(options.task), _environment(settings)
    return await task.task(settings, environment, words, options.session, as_json=options.json)


async def _install(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import install

    folders = install.folders_of(sys.platform, os.environ, Path.home())
    tools = ("--tools", ",".join(options.tools)) if options.tools else ()
    compat = ("--compat", options.compat) if options.compat else ()
    own = ("--own", options.own) if options.own else ()
    named = (*server_arguments(options), *tools, *compat, *own)
    entry = install.server_entry(named, os.environ)
    if options.client is None:
        text = install.listing(folders)
    elif options.print:
        text = install.client_file(options.client, folders).snippet(entry)
    elif options.remove:
        text = install.uninstall(options.client, folders)
    else:
        text = install.install(options.client, entry, folders)
    sys.stdout.write(text)
    return 0


async def _interventions(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import servers

    return await servers.interventions(options.action, options.id, as_json=options.json)


async def _view(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import view
    from tabwright.control.transport import ViewRequest

    return await view.print_links(
        ViewRequest(options.tab, options.user, options.minutes * 60),
        opens=options.open,
        as_json=options.json,
    )


async def _tasks(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import servers

    return await servers.tasks(options.action, options.id, as_json=options.json)


async def _pool(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import servers

    return await servers.pool(reset=options.reset, as_json=options.json)


async def _top(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import servers

    return await servers.top(once=options.once, as_json=options.json)


async def _worker(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import fleet

    return await fleet.run_worker(
        settings, _environment(settings), options.concurrency, options.health
    )


async def _queue(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import fleet

    environment = _environment(settings)
    return await fleet.show_queue(
        settings.fleet, environment, options.action, options.key, as_json=options.json
    )


async def _doctor(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import doctor

    return await doctor.report(settings, os.environ, file=options.config, as_json=options.json)


async def _completion(_settings: Settings, options: argparse.Namespace) -> int:
    import shtab

    sys.stdout.write(f"{shtab.complete(parser(), options.shell)}\n")
    return 0


async def _demo(settings: Settings, _options: argparse.Namespace) -> int:
    from tabwright.testing.demo import show

    return await show(settings)


def _tui(_settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.tui.main import browse_in_terminal

    return browse_in_terminal(options, server_arguments(options))  # the settings are the server's


async def _replay(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli.replay import ReplayOptions, replay

    given = ReplayOptions(
        path=options.file,
        url=options.url,
        session=options.session,
        secrets=tuple(options.secret),
        as_json=options.json,
    )
    return await replay(settings, _environment(settings), given)


async def _trace(settings: Settings, options: argparse.Namespace) -> int:
    from tabwright.cli import trace

    return await trace.trace(settings, options)


def _config(options: argparse.Namespace) -> int:
    from tabwright.cli import config

    return config.config(options)


def _environment(settings: Settings, engines: "EngineConfig | None" = None) -> "Environment":
    from tabwright.actors.kit.tracing import ActorSystem, log_record
    from tabwright.environment import Environment

    wire = logging.getLogger("tabwright.wire").debug if settings.log.wire else None
    return Environment(system=ActorSystem(tracer=log_record), engines=engines, wire_log=wire)


# The commands.

DESCRIPTION = "Search the web, read pages and act on them in a real browser."
EPILOG = """\
examples:
  tabwright install claude-code
  tabwright browse https://example.com
  tabwright search "What is structured concurrency?"

exit codes:
  0        success
  1        failure; `crawl` and `map` only if no page was read
  2        usage or configuration error
  3        no browser available
  10-51    a page could not be read: 10 network, 11 name lookup, 12 time-out, 13 TLS,
           20 HTTP 4xx, 21 HTTP 5xx, 30 script, 31 blocked, 40 file type, 41 encoding,
           42 content, 50 unknown session, 51 expired session
  128 + n  ended by signal n
"""


@attrs.frozen
class OwnLoop:
    """The implementation of a command with its own event loop; returns the exit code."""

    run: Callable[[Settings, argparse.Namespace], int]


@attrs.frozen
class BeforeSettings:
    """The implementation of a command that reads the settings itself; returns the exit code."""

    run: Callable[[argparse.Namespace], int]


@attrs.frozen
class CLICommand:
    """A command.

    Attributes:
        text: its description, in a sentence.
        work: its implementation.
        options: its options, in the order of the help.
        examples: command lines for its help.
        fills_screen: whether it uses the whole terminal, so that no log may be written there.
        has_settings: whether it accepts the options that choose settings.
        query: returns what the user process can run instead of `work`; None if it cannot.
    """

    name: str
    text: str
    work: Work | OwnLoop | BeforeSettings
    options: tuple[Options, ...]
    examples: tuple[str, ...] = ()
    fills_screen: bool = False
    has_settings: bool = True
    query: "Callable[[Settings, argparse.Namespace], Query | None] | None" = None


def parser(only: str | None = None, of: type[CommandParser] = CommandParser) -> CommandParser:
    """Return the parser of the program; the parsed options have the chosen `command`.

    Args:
        only: the command that gets its options; None for all.
        of: the class of the parser; it decides what a mistake ends.
    """
    whole = of("tabwright", DESCRIPTION, EPILOG)
    whole.add_argument("--version", action="version", version=f"tabwright {__version__}")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")
    for one in COMMANDS:
        command = commands.add_parser(
            one.name, help=one.text, description=one.text, epilog=examples_text(one.examples)
        )
        command.set_defaults(command=one, parser=command)
        if only not in {None, one.name}:
            continue  # its options take time
        for add in (*((add_general,) if one.has_settings else ()), *one.options):
            add(command)
    return whole


def parse(
    arguments: Sequence[str] | None = None, of: type[CommandParser] = CommandParser
) -> argparse.Namespace:
    """Return the options of a command line, by default that of this process.

    A mistake in it ends the program with `WRONG_USE`, unless the parser class `of` says otherwise.
    """
    given = sys.argv[1:] if arguments is None else arguments
    options, unknown = parser(given[0] if given else "", of).parse_known_args(given or ["--help"])
    if unknown:
        chosen: CommandParser = options.parser
        chosen.refuse(unknown)
    return options


def _page_command(command: shell.ShellCommand) -> CLICommand:
    """Return a command that runs in the user process, for the help of the program."""

    def add(parser: argparse.ArgumentParser) -> None:
        """Add the options of its tool."""
        from tabwright.mcp.registry import PAGE_TOOLS

        shell.add_options(
            parser, command, next(one for one in PAGE_TOOLS if one.name == command.tool)
        )

    return CLICommand(
        command.name,
        command.text,
        BeforeSettings(lambda _: user_client.run_in_user_process(sys.argv[1:])),
        (add,),
        command.examples,
        has_settings=False,
    )


COMMANDS = (
    CLICommand(
        "serve",
        "Run an MCP server on standard input and output, or over HTTP.",
        _serve,
        (add_browser, add_serve, add_http),
        examples=(
            "tabwright serve",
            "tabwright serve --tools search,read,act,debug",
            "tabwright serve --compat playwright",
            "tabwright serve --http 127.0.0.1:8931",
            "tabwright serve --http 0.0.0.0:8931 --token-file tokens.txt",
        ),
    ),
    CLICommand(
        "install",
        "Add this server to an MCP client.",
        _install,
        (add_browser, add_serve, add_install),
        examples=(
            "tabwright install",
            "tabwright install claude-desktop",
            "tabwright install cursor --headed",
            "tabwright install vscode --print",
        ),
    ),
    CLICommand(
        "search",
        "Ask Google AI Mode a question.",
        _search,
        (add_browser, add_search, add_json),
        examples=(
            'tabwright search "What is structured concurrency?"',
            'tabwright search --language de-DE --json "Was ist ein Nursery?"',
            'tabwright search --follow-up "And how are errors handled?"',
        ),
        query=_answer_query,
    ),
    CLICommand(
        "web-search",
        "Search several web engines and print one list of results.",
        _web_search,
        (add_browser, add_web_search, add_json),
        examples=(
            "tabwright web-search trio nurseries",
            "tabwright web-search --read 3 how do trio cancel scopes work",
            "tabwright web-search --engines brave,mojeek --time-range month python 3.15",
        ),
        query=_results_query,
    ),
    CLICommand(
        "browse",
        "Read web pages and print them as text.",
        _browse,
        (add_browser, add_browse, add_json),
        examples=(
            "tabwright browse https://example.com",
            "tabwright browse --readability --max-tokens 2000 https://example.com/article",
            "tabwright browse --batch urls.txt --batch-output pages.ndjson --batch-concurrency 8",
        ),
        query=_page_query,
    ),
    CLICommand(
        "crawl",
        "Read many pages of a site into one file.",
        _crawl,
        (add_browser, add_crawl, add_json),
        examples=(
            "tabwright crawl https://example.com --max-pages 500 -o pages.ndjson",
            "tabwright crawl https://example.com/docs/ --include '/docs/*' -o docs",
            "tabwright crawl https://example.com -o today.csv --since yesterday.csv.crawl",
        ),
    ),
    CLICommand(
        "map",
        "List the URLs of a site.",
        _crawl,
        (add_browser, add_map, add_json),
        examples=(
            "tabwright map https://example.com",
            "tabwright map https://example.com --include '/blog/*' --max-pages 20",
        ),
    ),
    CLICommand(
        "worker",
        "Read pages for `browse` and `crawl` with --queue on other machines.",
        _worker,
        (add_browser, add_worker),
        examples=(
            "tabwright worker --queue redis://redis.example:6379",
            "tabwright worker --queue redis://redis.example:6379 --concurrency 16",
        ),
    ),
    CLICommand(
        "queue",
        "Show the jobs and workers of a queue, and retry or drop jobs that were given up.",
        _queue,
        (add_queue_action, add_json),
        examples=(
            "tabwright queue --queue redis://redis.example:6379",
            "tabwright queue retry all --queue redis://redis.example:6379",
        ),
    ),
    CLICommand(
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
    ),
    CLICommand(
        "login",
        "Let you log in to a site, in a window or by a link, and keep the session.",
        _login,
        (add_browser, add_login),
        examples=(
            "tabwright login https://shop.example/login",
            "tabwright login --session work https://tracker.example",
        ),
    ),
    CLICommand(
        "task",
        "Let an AI model do a task in the browser.",
        _task,
        (add_browser, add_task, add_json),
        examples=(
            'tabwright task "Find the cheapest lamp at https://shop.example"',
            'tabwright task --provider ollama --model qwen3 "…"',
        ),
    ),
    CLICommand(
        "up",
        "Start the process that keeps a browser for the commands that act on pages.",
        _up,
        (add_browser, add_foreground),
        examples=("tabwright up", "tabwright up --headed"),
    ),
    CLICommand(
        "down",
        "Stop that process and its browser.",
        BeforeSettings(lambda _: user_client.stop()),
        (),
        examples=("tabwright down",),
        has_settings=False,
    ),
    CLICommand(
        "status",
        "Show that process.",
        BeforeSettings(_status),
        (),
        examples=("tabwright status",),
        has_settings=False,
    ),
    *map(_page_command, shell.COMMANDS),
    CLICommand(
        "trace",
        "Show a recorded session, or export it as a program, a HAR file or a video.",
        _trace,
        (add_trace,),
        examples=(
            "tabwright trace show shop.trace.zip",
            "tabwright trace show --text shop.trace.zip",
            "tabwright trace export --to playwright -o shop.js shop.trace.zip",
            "tabwright trace export --to video -o shop.webm shop.trace.zip",
        ),
    ),
    CLICommand(
        "replay",
        "Repeat the actions of a trace in a browser, without a model.",
        _replay,
        (add_browser, add_replay, add_json),
        examples=(
            "tabwright replay shop.trace.zip",
            "tabwright replay --url https://staging.shop.example shop.trace.zip",
            "tabwright replay --secret PASSWORD shop.trace.zip",
        ),
    ),
    CLICommand(
        "skills",
        "Show or install the skill that teaches coding agents these commands.",
        BeforeSettings(_skills),
        (add_skills,),
        examples=(
            "tabwright skills",
            "tabwright skills install",
            "tabwright skills install ~/.codex/skills",
        ),
        has_settings=False,
    ),
    CLICommand(
        "tui",
        "Browse the web in this terminal.",
        OwnLoop(_tui),
        (add_browser, add_tui),
        examples=(
            "tabwright tui https://example.com",
            "tabwright tui --dump https://example.com | less",
        ),
        fills_screen=True,
    ),
    CLICommand(
        "tasks",
        "List running tasks, or pause, resume or cancel one.",
        _tasks,
        (add_tasks, add_json),
        examples=(
            "tabwright tasks",
            "tabwright tasks pause task-1",
            "tabwright tasks cancel 4711:task-1",
        ),
    ),
    CLICommand(
        "interventions",
        "List CAPTCHAs that need you, or act on one.",
        _interventions,
        (add_interventions, add_json),
        examples=(
            "tabwright interventions",
            "tabwright interventions open ID",
            "tabwright interventions solved ID",
        ),
    ),
    CLICommand(
        "view",
        "Create a link to watch the tabs of running servers, and to act in them.",
        _view,
        (add_view, add_json),
        examples=("tabwright view", "tabwright view --open", "tabwright view --tab 3 --minutes 60"),
    ),
    CLICommand(
        "pool",
        "Show the tab usage of running servers.",
        _pool,
        (add_pool, add_json),
        examples=(
            "tabwright pool",
            "tabwright pool --reset",
        ),
    ),
    CLICommand(
        "top",
        "Monitor running servers.",
        _top,
        (add_top, add_json),
        fills_screen=True,
        examples=(
            "tabwright top",
            "tabwright top --once --json",
        ),
    ),
    CLICommand(
        "doctor",
        "Check the installation: show which browser is used and why, and try it.",
        _doctor,
        (add_browser, add_json),
        examples=(
            "tabwright doctor",
            "tabwright doctor --headed",
        ),
    ),
    CLICommand(
        "completion",
        "Print a script that completes commands and options in a shell.",
        _completion,
        (add_completion,),
        examples=(
            "tabwright completion bash > ~/.local/share/bash-completion/completions/tabwright",
            "tabwright completion fish > ~/.config/fish/completions/tabwright.fish",
        ),
    ),
    CLICommand(
        "config",
        "Show or explain the settings, or create your settings file.",
        BeforeSettings(_config),
        (add_browser, add_config_action, add_json),
        examples=(
            "tabwright config",
            "tabwright config explain search.language",
            "tabwright config init",
        ),
    ),
    CLICommand(
        "demo",
        "Run a demo on local copies of the sites, without network access.",
        _demo,
        (add_browser,),
        examples=("tabwright demo",),
    ),
)

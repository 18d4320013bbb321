"""The options of the commands but for `browse`; each function adds one kind of them."""

import argparse
from pathlib import Path
from typing import get_args

from tabwright.config.settings import TOOL_GROUPS
from tabwright.mcp.tools.interventions import Action
from tabwright.protocol.web_search import TIME_RANGES


def add_general(command: argparse.ArgumentParser) -> None:
    """What all commands take."""
    command.add_argument("--config", type=Path, metavar="FILE", help="a YAML file of settings")
    command.add_argument("-v", "--verbose", action="store_true", help="say more on standard error")
    command.add_argument("-q", "--quiet", action="store_true", help="say errors alone there")


def add_browser(command: argparse.ArgumentParser) -> None:
    """Which browser a command uses."""
    command.add_argument("--headed", action="store_true", help="show the browser's window")
    command.add_argument("--browser", metavar="PATH", help="the browser to start")
    command.add_argument("--profile", metavar="DIR", help="keep cookies and log-ins there")
    command.add_argument("--cdp-endpoint", metavar="URL", help="use a running browser")


def add_json(command: argparse.ArgumentParser) -> None:
    """How an answer is printed."""
    command.add_argument("--json", action="store_true", help="print JSON for a program")


def add_serve(serve: argparse.ArgumentParser) -> None:
    """What a client is offered."""
    serve.add_argument(
        "--tools", type=_names, metavar="A,B", help=f"only these groups: {', '.join(TOOL_GROUPS)}"
    )
    serve.add_argument(
        "--compat", choices=("playwright",), help="the tools of another server, by their names"
    )


def add_search(search: argparse.ArgumentParser) -> None:
    """A question."""
    search.add_argument("query", nargs="+", help="search terms, or a question")
    search.add_argument(
        "--language", metavar="CODE", help="of the answer, as en-US; else search.language (zh-CN)"
    )


def add_web_search(web_search: argparse.ArgumentParser) -> None:
    """Words, and which results are wanted."""
    web_search.add_argument("query", nargs="+", help="search terms")
    web_search.add_argument(
        "--engines", type=_names, metavar="A,B", help="whom to ask: mojeek, brave, …"
    )
    web_search.add_argument(
        "--page", type=int, default=1, metavar="N", help="of results: 1 (default), 2, …"
    )
    web_search.add_argument(
        "--limit",
        type=int,
        default=10,
        metavar="N",
        help="results in the list, 1 to 50 (default 10)",
    )
    web_search.add_argument("--time-range", choices=TIME_RANGES, help="only results of the last …")
    web_search.add_argument("--language", metavar="CODE", help="of results: de, pt-BR, …")


def add_task(task: argparse.ArgumentParser) -> None:
    """A task, and who does it."""
    task.add_argument("task", nargs="+", help="what to do, and what to tell in the end")
    task.add_argument("--session", default="task", metavar="NAME", help="whose cookies and tabs")
    task.add_argument("--provider", metavar="NAME", help="whose model: openai, anthropic, …")
    task.add_argument("--model", metavar="NAME", help="which of them")
    task.add_argument("--max-steps", type=int, metavar="N", help="then it is given up")
    task.add_argument("--no-validate", action="store_true", help="take its answer as it is")


def add_tui(tui: argparse.ArgumentParser) -> None:
    """Where a person begins."""
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


def add_interventions(interventions: argparse.ArgumentParser) -> None:
    """What to do with which of those that wait."""
    interventions.add_argument("action", nargs="?", choices=get_args(Action), default="list")
    interventions.add_argument("id", nargs="?", metavar="ID", help="which one; not for list")


def add_pool(pool: argparse.ArgumentParser) -> None:
    """What to do besides."""
    pool.add_argument("--reset", action="store_true", help="let all tabs search again")


def add_top(top: argparse.ArgumentParser) -> None:
    """How long to watch."""
    top.add_argument("--once", action="store_true", help="as they stand now, and end")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))

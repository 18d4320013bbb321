"""``tabwright top``: how it stands with all running servers, live."""

import shutil
import sys

import attrs
import trio
from rich.console import Console
from rich.live import Live
from rich.text import Text

from tabwright.actors.shell.keyboard import Keys, open_keyboard
from tabwright.actors.shell.overview_text import overview_text
from tabwright.actors.shell.terminal import ExitCode, json_text, print_outcome
from tabwright.control.client import Answers, Errors, all_answers, answers_and_errors
from tabwright.control.transport import Overview

EVERY_S = 1.0
"""Between two looks."""

ANSWER_S = 3.0
"""A server that takes longer is said to hang, and the others are shown."""

WAITING = "No server of yours is running. Waiting for one."

QUIT = "q"
HINT = "q ends this"


async def top(*, once: bool, as_json: bool) -> int:
    """Shows all servers until the person ends it; on no terminal, or `once`, as they stand now.

    Gives the exit code. Cancellation gives the terminal back as it was.
    """
    if as_json or once or not sys.stdout.isatty():
        return await print_outcome(lambda: _now(as_json=as_json), as_json=as_json)
    with open_keyboard() as keys:
        await _watch(keys)
    return ExitCode.OK


async def _now(*, as_json: bool) -> str:
    answers = await all_answers("overview", Overview)
    if as_json:
        listed = [{"server": server.pid, **attrs.asdict(seen)} for server, seen in answers]
        return json_text({"servers": listed})
    return _text(answers, (), shutil.get_terminal_size().columns)


async def _watch(keys: Keys) -> None:
    """Looks again and again until the person has had enough."""
    console = Console(highlight=False, markup=False)
    with Live(console=console, screen=True, auto_refresh=False) as live:
        async with trio.open_nursery() as nursery:

            async def look() -> None:
                """Asks every server anew every `EVERY_S` seconds, until it is cancelled."""
                while True:
                    answers, errors = await answers_and_errors("overview", Overview, ANSWER_S)
                    text = _text(answers, errors, console.width)
                    live.update(_page(text, console.height), refresh=True)
                    await trio.sleep(EVERY_S)

            nursery.start_soon(look)
            while await keys() != QUIT:
                pass
            nursery.cancel_scope.cancel()


def _text(answers: Answers[Overview], errors: Errors, columns: int) -> str:
    parts = [f"Server {server.pid}  {overview_text(seen, columns)}" for server, seen in answers]
    return "\n\n".join([*parts, *map(str, errors)]) or WAITING


def _page(text: str, lines: int) -> Text:
    """As much of the text as there are lines, no line wider than the window."""
    shown = text.splitlines()[: lines - 1]
    return Text("\n".join([*shown, HINT]), no_wrap=True, overflow="ellipsis")

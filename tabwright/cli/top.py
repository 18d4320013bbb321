"""``tabwright top``: the live status of all running servers."""

import os
import shutil
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import TypeAlias

import attrs
import trio
from rich.console import Console
from rich.live import Live
from rich.text import Text

from tabwright.cli.output import ExitCode, json_text, print_outcome
from tabwright.cli.servers import overview_text
from tabwright.control.client import Answers, Errors, all_answers, answers_and_errors
from tabwright.control.transport import Overview

# Reading single keys while a view is on the screen.

Keys: TypeAlias = Callable[[], Awaitable[str]]
"""Waits for the next key. Cancellation leaves the keyboard as it is."""


@contextmanager
def open_keyboard() -> Generator[Keys]:
    """The keys of standard input, without Enter, and without an echo; as before after the block.

    Where that is no terminal there are none, and who asks waits until it is cancelled.
    """
    if sys.platform == "win32" or not sys.stdin.isatty():
        yield trio.sleep_forever
        return
    import termios  # noqa: PLC0415  (where there are terminals)
    import tty  # noqa: PLC0415

    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    tty.setcbreak(number)
    try:
        yield lambda: _key(number)
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


async def _key(number: int) -> str:
    await trio.lowlevel.wait_readable(number)
    key = os.read(number, 1)
    if not key:  # the terminal has gone, and no key comes any more
        await trio.sleep_forever()
    return key.decode(errors="replace")


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
        # Looks again and again until the person has had enough.
        console = Console(highlight=False, markup=False)
        with Live(console=console, screen=True, auto_refresh=False) as live:
            async with trio.open_nursery() as nursery:

                async def look() -> None:
                    """Asks every server anew every `EVERY_S` seconds, until it is cancelled."""
                    while True:
                        answers, errors = await answers_and_errors("overview", Overview, ANSWER_S)
                        text = _text(answers, errors, console.width)
                        shown = text.splitlines()[: console.height - 1]
                        live.update(
                            Text("\n".join([*shown, HINT]), no_wrap=True, overflow="ellipsis"),
                            refresh=True,
                        )
                        await trio.sleep(EVERY_S)

                nursery.start_soon(look)
                while await keys() != QUIT:
                    pass
                nursery.cancel_scope.cancel()
    return ExitCode.OK


async def _now(*, as_json: bool) -> str:
    answers = await all_answers("overview", Overview)
    if as_json:
        listed = [{"server": server.pid, **attrs.asdict(seen)} for server, seen in answers]
        return json_text({"servers": listed})
    return _text(answers, (), shutil.get_terminal_size().columns)


def _text(answers: Answers[Overview], errors: Errors, columns: int) -> str:
    parts = [f"Server {server.pid}  {overview_text(seen, columns)}" for server, seen in answers]
    return "\n\n".join([*parts, *map(str, errors)]) or WAITING

"""Keys as they are pressed, for as long as a view is on the screen."""

import os
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import TypeAlias

import trio

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

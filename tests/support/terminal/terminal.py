"""A program in a pseudo terminal, and what a person sees of it and types."""

import os
import re
import signal
import subprocess
import termios
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TypeAlias

import trio
from pyte.screens import Char

from tabwright.concurrency.nursery import background_nursery
from tests.support.terminal.screen import TerminalScreen
from tests.support.terminal.sequences import (
    APPLICATION_KEYS,
    BRACKETED_PASTE,
    MOUSE,
    MOUSE_SGR,
    sent,
)

READ_BYTES = 65536
LAST_READS_MAX = 64
"""More than a kernel keeps for a program that has ended."""

RAW_MAX_BYTES = 4 << 20
"""The maximum number of last bytes of the program's output that are kept."""

WITHIN_S = 60.0
"""After so long what does not show up is not expected any more."""

GRACE_S = 5
"""For a program to end by itself, once it is variables that its terminal goes away."""

KIND: Mapping[str, str] = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
"""The variables that describe the terminal to a program."""

OTHERS = re.compile(
    "COLUMNS|LINES|NO_COLOR|FORCE_COLOR|LC_TERMINAL.*|TERM_.*|TMUX.*|TEXTUAL.*|ESCDELAY|VTE_VERSION"
)
"""Variables in which a program would find another terminal, in which the tests were started."""

BY_KEYS = (signal.SIGINT, signal.SIGQUIT)
"""The signals sent by keys of a terminal; see termios(3)."""

_SHIM = 'exec "$@" <>"$0" >&0 2>&0'
"""Opens the terminal, which so becomes that of its session, then becomes the program."""

Fact: TypeAlias = "str | Callable[[Terminal], bool]"
"""A text that is on the screen, or something that a terminal is looked at for."""


class Terminal:
    """A program's terminal, as `open_terminal` yields it.

    Input is sent at once; wait for its effect with `until`. The screen does not change between two
    awaits.

    Attributes:
        screen: what it shows.
        raw: all that the program has written, or the last 4 MiB of it.
    """

    def __init__(self, process: trio.Process, device: int, screen: TerminalScreen) -> None:
        self.screen = screen
        self.raw = bytearray()
        self._process = process
        self._device = device
        self._outbox = bytearray()
        self._typed = trio.Event()
        self._changed = trio.Event()
        self._over = False

    @property
    def pid(self) -> int:
        """The program's process, which leads a session and a group of its own."""
        return self._process.pid

    @property
    def text(self) -> str:
        """The whole screen, its lines without the blanks at their ends."""
        return "\n".join(self.screen.text)

    def line(self, number: int) -> str:
        """A line of the screen, counted from 0; from the last one back if it is negative."""
        return self.screen.text[number]

    def cell(self, text: str) -> Char:
        """The first cell of a text on the screen: its ``fg``, ``bg``, ``bold``, ``reverse``.

        Raises:
            AssertionError: it is not there.
        """
        column, line = self._place(text)
        return self.screen.rows[line][column]

    def keys(self, *keys: str) -> None:
        """Press keys one after the other; see `tests.support.terminal.sequences`.

        Raises:
            ValueError: there is no such key, or one follows on Escape, which a program would take
                for one with Alt: wait for what Escape does first.
        """
        if "Escape" in keys[:-1]:
            raise ValueError("Escape comes last: a key right after it would be one with Alt.")
        application = APPLICATION_KEYS in self.screen.modes
        self._send(b"".join(sent(key, application=application) for key in keys))

    def type(self, text: str) -> None:
        """Type a text, character by character."""
        self._send(text.replace("\n", "\r").encode())

    def paste(self, text: str) -> None:
        """Pastes a text, in brackets where the program wants them; without ESC, as xterm does."""
        pasted = text.replace("\n", "\r").replace("\x1b", "")
        if BRACKETED_PASTE in self.screen.modes:
            pasted = f"\x1b[200~{pasted}\x1b[201~"
        self._send(pasted.encode())

    def click(self, text: str) -> None:
        """Click where a text begins.

        Raises:
            AssertionError: it is not there, or the program does not listen to the mouse.
        """
        column, line = self._place(text)
        if MOUSE_SGR not in self.screen.modes or not MOUSE & self.screen.modes:
            raise AssertionError("The program does not listen to the mouse.")
        for end in "Mm":
            self._send(f"\x1b[<0;{column + 1};{line + 1}{end}".encode())

    def resize(self, columns: int, lines: int) -> None:
        """Resize it, and notify the program (SIGWINCH)."""
        self.screen.resize(columns, lines)
        termios.tcsetwinsize(self._device, (lines, columns))
        self.signal(signal.SIGWINCH)  # not every kernel does so by itself

    def signal(self, number: int) -> None:
        """Send a signal to the program and all in its group; SIGHUP is a window that is closed."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    async def until(self, fact: Fact, within_s: float = WITHIN_S) -> None:
        """Wait for a text on the screen, or until `fact` holds for this terminal.

        A fact that fails by an `AssertionError`, as `cell` does, does not hold yet.

        Raises:
            AssertionError: it did not come in time, or the program ended without it; with the
                whole screen.
        """
        name = repr(fact) if isinstance(fact, str) else "What was waited for"
        await self._wait(lambda: self._holds(fact), f"{name} did not come", within_s)

    async def gone(self, text: str, within_s: float = WITHIN_S) -> None:
        """Wait until a text is no longer on the screen.

        Raises:
            AssertionError: it stayed; with the whole screen.
        """
        await self._wait(lambda: text not in self.text, f"{text!r} did not go", within_s)

    async def ended(self, within_s: float = WITHIN_S) -> int:
        """Wait for the end of the program, and gives its exit code; minus a signal's number.

        All that it wrote has then been read.

        Raises:
            AssertionError: it goes on; with the whole screen.
        """
        await self._wait(lambda: self._over, "The program did not end", within_s)
        return await self._process.wait()

    def drawing(self) -> str:
        """The screen in a frame, for a person to read."""
        edge = "─" * self.screen.columns
        rows = ("".join(cell.data for cell in row) for row in self.screen.rows)
        return "\n".join((f"┌{edge}┐", *(f"│{row}│" for row in rows), f"└{edge}┘"))

    async def run(self, life: trio.CancelScope) -> None:
        """Show the program's output and send the typed keys, until `life` is cancelled."""
        with life:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read)
                nursery.start_soon(self._write)
                nursery.start_soon(self._drain)

    async def end(self) -> None:
        """End the program, by force if need be, and all that it has left in its group."""
        with trio.CancelScope(shield=True):
            for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGKILL):
                if self._process.returncode is None:
                    self.signal(number)
                    with trio.move_on_after(GRACE_S):
                        await self._process.wait()
            self.signal(signal.SIGKILL)

    async def _wait(self, fact: Callable[[], bool], complaint: str, within_s: float) -> None:
        with trio.move_on_after(within_s):
            while not fact():
                if self._over:
                    code = await self._process.wait()
                    raise AssertionError(f"{complaint}; it ended, {code}:\n{self.drawing()}")
                await self._changed.wait()
            return
        raise AssertionError(f"{complaint} within {within_s:g} s:\n{self.drawing()}")

    def _holds(self, fact: Fact) -> bool:
        if isinstance(fact, str):
            return fact in self.text
        with suppress(AssertionError):  # what it looks at is not there yet, as in `cell`
            return fact(self)
        return False

    def _place(self, text: str) -> tuple[int, int]:
        place = self.screen.place(text)
        if place is None:
            raise AssertionError(f"{text!r} is not there:\n{self.drawing()}")
        return place

    def _send(self, data: bytes) -> None:
        self._outbox += data
        self._typed.set()

    async def _read(self) -> None:
        with suppress(OSError):  # the kernel has taken the terminal away, as the program has ended
            while True:
                await trio.lowlevel.wait_readable(self._device)
                self._show(os.read(self._device, READ_BYTES))

    async def _drain(self) -> None:
        """Read the last output of the program, unless a process it left behind still writes."""
        await self._process.wait()
        with suppress(OSError):  # that was all
            for _ in range(LAST_READS_MAX):
                self._show(os.read(self._device, READ_BYTES))
        self._over = True
        self._wake_waiters()

    def _show(self, data: bytes) -> None:
        self.raw += data
        del self.raw[:-RAW_MAX_BYTES]
        if answer := self.screen.feed(data):
            self._send(answer)
        self._wake_waiters()

    def _wake_waiters(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def _write(self) -> None:
        with suppress(OSError):  # the program no longer reads
            while True:
                while self._outbox:
                    await trio.lowlevel.wait_writable(self._device)
                    del self._outbox[: os.write(self._device, self._outbox)]
                self._typed = trio.Event()
                await self._typed.wait()


@asynccontextmanager
async def open_terminal(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    columns: int = 80,
    lines: int = 24,
) -> AsyncGenerator[Terminal]:
    """Start a program in a new terminal, and keep it until the context is left.

    Leaving it, in whichever way, ends the program like a window that is closed: SIGHUP, then
    SIGTERM, then SIGKILL, with `GRACE_S` in between, to it and all in its group. Cancellation does
    not cut that short. Errors of the body leave unchanged.

    Args:
        command: the program and its arguments.
        env: its environment; ours without one. Variables about other terminals are removed.
        columns: the width of the terminal, in cells.
        lines: its height.
    """
    with _pseudo_terminal(columns, lines) as (device, place):
        with _keys_received():
            variables = {
                name: value
                for name, value in (os.environ if env is None else env).items()
                if not OTHERS.fullmatch(name)
            }
            process = await trio.lowlevel.open_process(
                ["/bin/sh", "-c", _SHIM, place, *command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={**variables, **KIND},
            )
        terminal = Terminal(process, device, TerminalScreen(columns, lines))
        async with background_nursery() as nursery:
            life = trio.CancelScope(shield=True)  # its last words are read, whatever happens
            nursery.start_soon(terminal.run, life)
            try:
                yield terminal
            finally:
                await terminal.end()
                life.cancel()


@contextmanager
def _pseudo_terminal(columns: int, lines: int) -> Generator[tuple[int, str]]:
    """Open a pseudo-terminal: yield our end and the path of the program's end.

    The program's end is kept open, too: otherwise the kernel would report the end of the terminal
    while no program has it open.
    """
    ours, theirs = os.openpty()
    try:
        os.set_blocking(ours, False)
        termios.tcsetwinsize(ours, (lines, columns))
        yield ours, os.ttyname(theirs)
    finally:
        os.close(ours)
        os.close(theirs)


@contextmanager
def _keys_received() -> Generator[None]:
    """Has a program end by Ctrl+C, also where we do not.

    A shell has it ignored by what it starts in the background, and execve(2) hands that on; what
    is handled it does not.
    """
    ignored = [number for number in BY_KEYS if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)

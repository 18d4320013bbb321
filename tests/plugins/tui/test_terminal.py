"""The terminal for tests of the terminal browser, with programs of a few lines."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from tests.support.terminal import open_terminal, terminal

RAW = """
import os, sys, termios, tty
tty.setraw(0)
print('ready', end='\\r\\n', flush=True)
while (data := os.read(0, 1000)) != b'q':
    print(data, end='\\r\\n', flush=True)
sys.exit(7)
"""

RESIZED = """
import os, signal
def tell(*_):
    size = os.get_terminal_size()
    print(f'{size.columns}x{size.lines}', flush=True)
signal.signal(signal.SIGWINCH, tell)
tell()
while True:
    signal.pause()
"""

STUBBORN = """
import signal
for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
print('here', flush=True)
while True:
    print('x' * 10_000, flush=True)
"""


def python(script: str) -> list[str]:
    return [sys.executable, "-S", "-c", script]


async def test_typed_and_echoed_text_appears_on_screen() -> None:
    async with open_terminal(["cat"]) as cat:
        cat.type("one 漢\n")
        await cat.until("one 漢\none 漢")
        assert cat.line(1) == "one 漢"
        cat.keys("Ctrl+D")
        assert await cat.ended() == 0
    assert b"one" in cat.raw


@pytest.fixture(params=[signal.default_int_handler, signal.SIG_IGN], ids=["heard", "ignored"])
def ctrl_c(request: pytest.FixtureRequest) -> Iterator[None]:
    """Set how this process handles SIGINT; shells have background processes ignore it."""
    before = signal.signal(signal.SIGINT, request.param)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
async def test_ctrl_c_interrupts_program_in_terminal() -> None:
    async with open_terminal(["cat"]) as cat:
        cat.type("x\n")
        await cat.until("x\nx")  # the terminal echoes by itself, also before there is a program
        cat.keys("Ctrl+C")
        assert await cat.ended() == -signal.SIGINT


async def test_program_receives_bytes_of_pressed_keys() -> None:
    async with open_terminal(python(RAW)) as program:
        await program.until("ready")
        for key in ("j", "Enter", "Shift+Tab", "PageDown", "Ctrl+C", "Escape", "é"):
            program.keys(key)
            await program.until(f"{key.encode() if len(key) == 1 else BYTES[key]!r}")
        program.keys("q")
        assert await program.ended() == 7


BYTES = {
    "Enter": b"\r",
    "Shift+Tab": b"\x1b[Z",
    "PageDown": b"\x1b[6~",
    "Ctrl+C": b"\x03",
    "Escape": b"\x1b",
}


async def test_paste_is_bracketed_only_if_program_enables_it() -> None:
    asking = RAW.replace("ready", "\\x1b[?2004hready")
    for script, expected in ((RAW, b"a\rb[Ac"), (asking, b"\x1b[200~a\rb[Ac\x1b[201~")):
        async with open_terminal(python(script)) as program:
            await program.until("ready")
            program.paste("a\nb\x1b[Ac")
            await program.until(repr(expected))


async def test_click_is_sent_at_position_of_its_text() -> None:
    asking = RAW.replace("ready", "\\x1b[?1000h\\x1b[?1006h漢 ready")
    async with open_terminal(python(asking)) as program:
        await program.until("ready")
        program.click("ready")
        await program.until("\\x1b[<0;4;1m")
        assert "\\x1b[<0;4;1M" in program.text
        with pytest.raises(AssertionError, match="is not there"):
            program.click("nowhere")


async def test_cursor_position_query_is_answered() -> None:
    async with open_terminal(python(RAW.replace("ready", "ready\\x1b[6n"))) as program:
        await program.until(repr(b"\x1b[1;6R"))


async def test_program_sees_terminal_size_and_its_changes() -> None:
    async with open_terminal(python(RESIZED), columns=70, lines=20) as program:
        await program.until("70x20")
        program.resize(100, 40)
        await program.until("100x40")


async def test_wait_timeout_error_shows_the_screen() -> None:
    async with open_terminal(["cat"], columns=20, lines=2) as cat:
        cat.type("here")
        await cat.until("here")
        for wait in (cat.until("there", 0.1), cat.gone("here", 0.1), cat.ended(0.1)):
            with pytest.raises(AssertionError, match="within") as complaint:
                await wait
            assert "│here                │" in str(complaint.value)


async def test_wait_on_ended_program_fails_with_its_last_output() -> None:
    async with open_terminal(["sh", "-c", "echo last words; exit 3"]) as ending:
        with pytest.raises(AssertionError, match=r"it ended, 3:(.|\n)*last words"):
            await ending.until("more")
        assert await ending.ended() == 3


async def test_escape_before_another_key_is_refused() -> None:
    async with open_terminal(["cat"]) as cat:
        with pytest.raises(ValueError, match="Escape comes last"):
            cat.keys("Escape", "j")


async def test_missing_program_is_reported_on_screen() -> None:
    async with open_terminal(["/nowhere/to/be/found"]) as nobody:
        assert await nobody.ended() == 127
        assert "not found" in nobody.text


async def test_program_that_ignores_all_signals_is_killed(monkeypatch, processes) -> None:
    monkeypatch.setattr(terminal, "GRACE_S", 0.2)
    async with open_terminal(python(STUBBORN)) as stubborn:
        await stubborn.until("x" * 80)
        pids = {stubborn.pid}
    assert await processes.gone(pids)


async def test_background_process_left_by_program_is_killed(processes, tmp_path: Path) -> None:
    place = tmp_path / "pid"
    script = f"trap '' HUP; sleep 1000 & echo $! > {place}; echo left"
    async with open_terminal(["sh", "-c", script]) as parent:
        await parent.until("left")
        await parent.ended()
        left = {int(place.read_text())}
        assert not await processes.gone(left, 0.1)
    assert await processes.gone(left)


async def test_errors_and_cancellations_leave_no_process(monkeypatch, processes) -> None:
    monkeypatch.setattr(terminal, "GRACE_S", 0.2)
    pids = set[int]()
    with pytest.raises(RuntimeError, match="mine"):
        async with open_terminal(python(STUBBORN)) as stubborn:
            pids.add(stubborn.pid)
            await stubborn.until("x")
            raise RuntimeError("mine")
    with trio.CancelScope() as scope:
        async with open_terminal(python(STUBBORN)) as stubborn:
            pids.add(stubborn.pid)
            await stubborn.until("x")
            scope.cancel()
            await trio.sleep_forever()
    assert scope.cancelled_caught
    assert await processes.gone(pids)


async def test_hostile_bytes_do_not_break_terminal() -> None:
    script = """
import os, random
chance = random.Random(1)
for _ in range(200):
    os.write(1, b'\\x1b' + bytes(chance.randrange(256) for _ in range(200)))
os.write(1, b'\\x18\\x1bc\\x1b[?2026lstill here')
"""
    async with open_terminal(python(script)) as program:
        assert await program.ended() == 0
        assert program.text.startswith("still here")


async def test_output_written_right_before_exit_is_read() -> None:
    script = "import os; os.write(1, b'x' * 3000 + b'END')"
    for _ in range(20):
        async with open_terminal(python(script), columns=100, lines=40) as program:
            await program.ended()
            assert "END" in program.text


async def test_terminal_does_not_inherit_environment_of_outer_terminal(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    monkeypatch.setenv("TERM_PROGRAM", "Apple_Terminal")
    reported = 'echo "$TERM,$COLORTERM,$COLUMNS,$TERM_PROGRAM,$(tty)"'
    async with open_terminal(["sh", "-c", reported]) as shell:
        await shell.ended()
        assert shell.line(0).startswith("xterm-256color,truecolor,,,/dev/pts/")

"""The terminal browser's server: lost, missing or remote; and how the program exits."""

import os
import shlex
import signal
import socket
import sys
from functools import partial
from pathlib import Path

import pytest
import trio

from tests.support.terminal import open_terminal
from tests.support.terminal.sequences import ALTERNATE, BRACKETED_PASTE, CURSOR, MOUSE

pytestmark = pytest.mark.chromium

RELAY = Path(__file__).with_name("http_relay.py")

HAS_ENDED = "The server ended."


@pytest.fixture
def open_with(write_config, quick_tabwright):
    """Return a function that opens the program with other arguments."""

    def opened(*arguments: str):
        program = [*quick_tabwright, "tui", "--config", str(write_config())]
        return open_terminal([*program, *arguments])

    return opened


def servers(t) -> set[int]:
    """Return the ids of the program's child processes."""
    listed = Path(f"/proc/{t.pid}/task/{t.pid}/children")
    return {int(pid) for pid in listed.read_text().split()}


def killed(t, processes) -> set[int]:
    """Kill the server, as for a lack of memory; return the killed process ids."""
    lost = servers(t)
    processes.kill(lost)
    return lost


async def fill_in(t, words: str) -> None:
    """Type words into the first field of the page."""
    t.type(":forms\n")
    await t.until(lambda now: now.screen.place("[___") and now.cell("[___").reverse)
    t.keys("Enter")
    await t.until(" =")
    t.type(f"{words}\n")
    await t.until(f"[{words}")


async def test_lost_server_is_reported_and_restarted(web, open_tui, processes) -> None:
    async with open_tui(web.url("/article")) as t:
        await t.until("story[1]")
        lost = killed(t, processes)
        assert len(lost) == 1
        await t.until(HAS_ENDED)
        await t.until("story[1]")
        t.keys("r")
        await t.until(lambda _: web.asked("/article") == 2)
        await t.gone("Loading")
        await t.until("story[1]")
        assert HAS_ENDED not in t.text
        assert not servers(t) & lost
        t.type(":open " + web.url("/slow") + "\n")
        await t.until(lambda _: web.asked("/slow") == 1)
        killed(t, processes)
        await t.until(HAS_ENDED)
        await t.until("story[1]")
        t.type(f":open {web.url('/emoji')}\n")
        await t.until("Signs of several parts")


@pytest.mark.nightly
async def test_a_server_that_is_lost_while_pictures_load_is_reported(
    web, open_tui, processes
) -> None:
    web.put("/gallery", "<h1>Gallery</h1><img src=/slow alt=Slow width=320 height=200>")
    async with open_tui(web.url("/gallery")) as t:
        await t.until(lambda _: web.asked("/slow") == 1)
        killed(t, processes)
        await t.until(HAS_ENDED)
        await t.until("Gallery")


@pytest.mark.nightly
async def test_a_form_is_sent_although_its_server_was_lost(web, open_tui, processes) -> None:
    async with open_tui(web.url("/form")) as t:
        await t.until("Order")
        killed(t, processes)
        await t.until(HAS_ENDED)
        await fill_in(t, "words")
        t.type(":submit\n")
        await t.until("q is words")


@pytest.mark.nightly
async def test_server_start_failure_is_reported_with_its_reason(
    web, open_tui, processes, tmp_path
) -> None:
    async with open_tui(web.url("/article"), columns=250) as t:
        await t.until("story[1]")
        settings = tmp_path / "settings.yaml"
        right = settings.read_text()
        settings.write_text("network: {allow_privat: true}\n")
        killed(t, processes)
        await t.until("allow_privat")
        await t.until("There is no server")
        await t.until("story[1]")
        settings.write_text(right)
        t.type(f":open {web.url('/emoji')}\n")
        await t.until("Signs of several parts")


async def test_invalid_settings_are_reported_before_tui_starts(tmp_path, quick_tabwright) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("network: {allow_privat: true}\n")
    program = [*quick_tabwright, "tui", "--config", str(settings)]
    async with open_terminal(program) as t:
        assert await t.ended() == 2
        await t.until("allow_privat")
        assert "Traceback" not in t.text


async def test_unknown_server_command_is_reported(web, open_with) -> None:
    async with open_with("--server", "no-such-command", web.url("/article")) as t:
        await t.until("There is no server")
        await t.until("no-such-command")
        t.keys("?")
        await t.until("The browser of the terminal")
        t.keys("q")
        assert await t.ended() == 0


async def test_tui_uses_server_started_by_given_command(web, open_with, write_config) -> None:
    command = [sys.executable, "-m", "tabwright", "serve", "--config", str(write_config())]
    async with open_with("--server", shlex.join(command), web.url("/form")) as t:
        await t.until("Order")
        await fill_in(t, "words")
        t.type(":submit\n")
        await t.until("q is words")


async def test_tui_connects_to_server_at_a_url(web, open_with, write_config) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    async with trio.open_nursery() as nursery:
        config = write_config(mcp={"structured_content": True})  # the relay asks for none
        command = [sys.executable, RELAY, str(port), str(config)]
        relay = await nursery.start(partial(trio.run_process, command, check=False))
        with trio.fail_after(60):
            while not await answers(port):
                await trio.sleep(0.05)
        server = f"http://127.0.0.1:{port}/mcp"
        async with open_with("--server", server, web.url("/form")) as t:
            await t.until("Order")
            await fill_in(t, "words")
            t.type(":submit\n")
            await t.until("q is words")
            t.keys("q")
            assert await t.ended() == 0
        relay.send_signal(signal.SIGINT)


async def answers(port: int) -> bool:
    """Return whether a server listens on the port."""
    try:
        stream = await trio.open_tcp_stream("127.0.0.1", port)
    except OSError:
        return False
    await stream.aclose()
    return True


@pytest.mark.parametrize(
    ("end", "code"),
    [("q", 0), ("Ctrl+C", 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
async def test_tui_exits_cleanly_and_restores_terminal(web, open_tui, processes, end, code) -> None:
    async with open_tui(web.url("/scripted")) as t:
        await t.until("Made by a script")
        left = processes.family({t.pid, *servers(t)})
        if isinstance(end, str):
            t.keys(end)
        else:
            os.kill(t.pid, end)
        assert await t.ended() == code
        assert CURSOR in t.screen.modes
        assert not t.screen.modes & {*ALTERNATE, *MOUSE, BRACKETED_PASTE}
        assert not t.text.strip()
        assert await processes.gone(left)

"""``tabwright session login`` on a real Chromium: log in in a window, and keep the session."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import msgspec
import pytest
import trio

from tabwright.app import open_tabwright
from tabwright.cli.exit_codes import ExitCode
from tabwright.config.loader import override, settings_from
from tabwright.testing.replica.server import Exchange, Seen, html, open_server

pytestmark = pytest.mark.chromium

REAL = [sys.executable, "-m", "tabwright"]


async def site(exchange: Exchange) -> None:
    """Set a cookie, and show the one that was sent."""
    text = f"<h1>Hello {exchange.cookies.get('who', 'nobody')}</h1>"
    await exchange.answer(html(text, cookie="who=user; Max-Age=3600"))


@asynccontextmanager
async def logging_in(
    program: list[str], folder: Path, **options: object
) -> AsyncGenerator[tuple[trio.Process, str, list[Seen]]]:
    """Run the login command, and yield its process, URL and log of requests."""
    log: list[Seen] = []
    async with open_server(site, log) as port:
        url = f"http://127.0.0.1:{port}/"
        settings = {
            "network.allow_private": "true",
            "network.proxy": "none",
            "browser.profile": "null",
            "session.dir": str(folder),
            **options,
        }
        chosen = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        command = [*program, "session", "login", url, "--session", "shop", *chosen]
        async with trio.open_nursery() as nursery:
            run = partial(
                trio.run_process,
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                check=False,
            )
            process: trio.Process = await nursery.start(run)
            yield process, url, log


async def seen_as(folder: Path, url: str) -> str:
    """Return the text that the site shows to a later run with the session."""
    chosen = override(
        network__allow_private=True,
        network__proxy="none",
        browser__profile=None,
        session__dir=str(folder),
    )
    async with open_tabwright(settings_from(chosen)) as tabwright:
        return (await tabwright.read(url, session="shop")).text


def unused_port() -> int:
    """Return a port that is currently free."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def close_pages(port: int) -> None:
    """Close all tabs, as a person would."""
    listed = urlopen(f"http://127.0.0.1:{port}/json/list").read()
    for page in msgspec.json.decode(listed, type=list[dict[str, object]]):
        urlopen(f"http://127.0.0.1:{port}/json/close/{page['id']}").close()


def saved(folder: Path) -> list[str]:
    """Return the names of the files of saved sessions."""
    return [one.name for one in folder.iterdir()]


async def requested(log: list[Seen]) -> None:
    while not log:
        await trio.sleep(0.05)
    await trio.sleep(2)  # the page is read, and then waited for


@pytest.mark.usefixtures("screen")
async def test_login_keeps_the_session_after_enter(
    tmp_path: Path, quick_tabwright: list[str]
) -> None:
    with trio.fail_after(60):
        async with logging_in(quick_tabwright, tmp_path) as (process, url, log):
            await requested(log)
            assert process.stdin is not None
            await process.stdin.send_all(b"\n")
            assert await process.wait() == ExitCode.OK
            assert "Hello user" in await seen_as(tmp_path, url)


@pytest.mark.usefixtures("screen")
async def test_login_keeps_the_session_after_the_tab_is_closed(
    tmp_path: Path, quick_tabwright: list[str]
) -> None:
    with trio.fail_after(60):
        port = unused_port()
        options = {"browser.port_base": port}
        async with logging_in(quick_tabwright, tmp_path, **options) as (process, url, log):
            await requested(log)
            await trio.to_thread.run_sync(close_pages, port)
            assert await process.wait() == ExitCode.OK
            assert "Hello user" in await seen_as(tmp_path, url)


@pytest.mark.usefixtures("screen")
async def test_login_that_is_interrupted_keeps_nothing(tmp_path: Path) -> None:
    with trio.fail_after(60):
        async with logging_in(REAL, tmp_path) as (process, _, log):
            await requested(log)
            process.send_signal(signal.SIGINT)
            assert await process.wait() != ExitCode.OK
    assert saved(tmp_path) == []


async def test_login_without_a_screen_and_a_live_view_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick_tabwright: list[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert "DISPLAY" not in os.environ
    with trio.fail_after(60):
        async with logging_in(quick_tabwright, tmp_path, **{"view.address": "null"}) as (
            process,
            _,
            log,
        ):
            assert await process.wait() == ExitCode.NO_BROWSER
            assert not log

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    suppress,
)
from math import inf
from pathlib import Path
from typing import Any, Literal

import pytest
import trio
import yaml
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.cdp.connection import CDPConnection
from tabwright.cdp.domains import runtime, target
from tabwright.cdp.errors import CDPError, LinkLost, SessionEnded
from tabwright.cdp.session import CDPSession
from tabwright.cdp.websocket import open_websocket_link
from tabwright.cdp.wire import CDPCommand, Nothing, Shape
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.loader import override, settings_from
from tabwright.testing.replica import Replica

WriteConfig = Callable[..., Path]
OpenClient = Callable[..., AbstractAsyncContextManager[Client]]

PASSED_ON = ("DISPLAY", "SHARED_BROWSERS", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
"""What a server is told of where things are; what it keeps is the test's alone."""


@pytest.fixture
def write_config(tmp_path: Path) -> WriteConfig:
    """Write a settings file for a server, with `replica` as the whole web.

    Unless a group says otherwise, the server keeps no profile and looks for no proxy: a proxy of
    this machine would not know the replica.
    """

    def write(replica: Replica | None = None, **groups: dict[str, object]) -> Path:
        settings: dict[str, dict[str, object]] = {
            **groups,
            "browser": {"profile": None, **groups.get("browser", {})},
            "network": {"allow_private": True, "proxy": "none", **groups.get("network", {})},
        }
        if replica is not None:
            settings["browser"]["extra_args"] = list(replica.chromium_args)
            settings["network"] |= replica.network(tmp_path)
        path = tmp_path / "settings.yaml"
        path.write_text(yaml.safe_dump(settings))
        return path

    return write


@pytest.fixture
def open_client(request: pytest.FixtureRequest, quick_tabwright: list[str]) -> OpenClient:
    """Open a real MCP client of a server in a subprocess (a fork, if it may be one)."""
    real = [sys.executable, "-m", "tabwright"]
    command, *arguments = real if "processes" in request.fixturenames else quick_tabwright

    @asynccontextmanager
    async def open_with(
        config: Path, mode: Literal["auto", "legacy"] = "auto", **options: Any
    ) -> AsyncGenerator[Client]:
        server = StdioServerParameters(
            command=command,
            args=[*arguments, "serve", "--config", str(config)],
            env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
        )
        async with Client(server, mode=mode, **options) as client:
            yield client

    return open_with


@pytest.fixture
def client_on(tmp_path: Path) -> Callable[..., AbstractAsyncContextManager[Tabwright]]:
    """Open a client that sees `replica` as the whole web, on kept profiles."""

    @asynccontextmanager
    async def opened(
        replica: Replica, profiles: Path, **settings: object
    ) -> AsyncGenerator[Tabwright]:
        chosen: dict[str, object] = {
            "browser__extra_args": replica.chromium_args,
            "browser__profile": str(profiles),
            "network__proxy": "none",
            "network__allow_private": True,
            **{f"network__{key}": value for key, value in replica.network(tmp_path).items()},
            **settings,
        }
        async with open_tabwright(settings_from(override(**chosen))) as tabwright:
            yield tabwright

    return opened


class Processes:
    """Processes on this machine, and those of servers with a settings file."""

    def servers(self, config: Path) -> set[int]:
        return {pid for pid, line in self._lines() if f"serve\0--config\0{config}\0" in line}

    def browsers(self, config: Path) -> set[int]:
        """Return the browser processes whose parents are these servers."""
        servers = self.servers(config)
        return {
            pid
            for pid, line in self._lines()
            if "--user-data-dir=" in line and "--type=" not in line and _stat(pid)[1] in servers
        }

    def family(self, leaders: set[int]) -> set[int]:
        """Return all processes in the process groups of these leaders."""
        return {pid for pid, _ in self._lines() if _stat(pid)[2] in leaders}

    async def gone(self, pids: set[int], within_s: float = 5) -> bool:
        """Wait until all processes are gone; return whether they are."""
        with trio.move_on_after(within_s):
            while any(_alive(pid) for pid in pids):
                await trio.sleep(0.02)
        return not any(_alive(pid) for pid in pids)

    def kill(self, pids: set[int], number: int = signal.SIGKILL) -> None:
        for pid in pids:
            os.kill(pid, number)

    def _lines(self) -> Iterator[tuple[int, str]]:
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                with suppress(OSError):
                    yield int(folder.name), (folder / "cmdline").read_text()


def _alive(pid: int) -> bool:
    return _stat(pid)[0] not in {"", "Z"}


def _stat(pid: int) -> tuple[str, int, int]:
    """Return the state, parent and group of a process (proc(5))."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "", 0, 0
    return fields[0], int(fields[1]), int(fields[2])


@pytest.fixture
def processes() -> Processes:
    return Processes()


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A virtual display (Xvfb), named by DISPLAY."""
    server = shutil.which("Xvfb")
    assert server is not None, "Xvfb is missing: scripts/get_test_programs.sh installs it"
    reading, writing = os.pipe()
    command = [server, "-displayfd", str(writing), "-screen", "0", "1280x1024x24"]
    with subprocess.Popen([*command, "-nolisten", "tcp"], pass_fds=[writing]) as process:
        os.close(writing)
        with os.fdopen(reading) as numbers:
            name = f":{numbers.readline().strip()}"
        monkeypatch.setenv("DISPLAY", name)
        yield name
        process.terminate()


GONE_S = 1.5
"""For a page that is on its way to show its box again."""

ATTEMPT_S = 10
"""After so long a person tries it in another way."""

BOX = """(() => {
  const frame = document.querySelector('#recaptcha iframe');
  const ready = frame?.contentDocument?.querySelector('#recaptcha-anchor');
  return ready ? JSON.stringify(frame.getBoundingClientRect()) : '';
})()"""
"""Where the box of Google's CAPTCHA is; empty as long as there is none."""


class Targets(Shape, frozen=True):
    """Result of ``Target.getTargets``."""

    target_infos: tuple[target.TargetInfo, ...]


class Started(Shape, frozen=True):
    """Result of ``SystemInfo.getInfo``."""

    command_line: str


class Person:
    """Solves CAPTCHAs in a worker's window over CDP, in place of a person."""

    def __init__(self, profile: Path) -> None:
        self._profile = profile / "tabwright-00"

    async def solve(self, url_part: str = "/sorry/", box: str = BOX) -> str:
        """Click the box of a CAPTCHA until it is gone; return the user agent."""
        async with self._window() as root:
            while True:
                with trio.move_on_after(ATTEMPT_S):  # a page on its way may answer nothing for good
                    page = await self._page(root, url_part, box)
                    seen = await page.execute(runtime.evaluate("navigator.userAgent"))
                    await self._click_until_gone(page, box)
                    if not await self._is_back(root, url_part, box):
                        return str(seen.result.value)

    async def _is_back(self, root: CDPSession, url_part: str, box: str) -> bool:
        """Return whether the box appears again, as after a reload of the page."""
        with trio.move_on_after(GONE_S), suppress(CDPError, LinkLost):
            await self._page(root, url_part, box)
            return True
        return False

    async def _click_until_gone(self, page: CDPSession, box: str) -> None:
        with suppress(SessionEnded):  # what is solved may be closed
            while found := str((await page.execute(runtime.evaluate(box))).result.value):
                await self._click(page, json.loads(found))
                await trio.sleep(1)

    async def _click(self, page: CDPSession, place: dict[str, float]) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            x, y = place["x"] + min(24, place["width"] / 2), place["y"] + place["height"] / 2
            click = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            await page.execute(CDPCommand("Input.dispatchMouseEvent", click, Nothing))

    @asynccontextmanager
    async def _window(self) -> AsyncGenerator[CDPSession]:
        """Connect to the browser with a window once it replaces the headless one."""
        while True:
            with suppress(OSError, ValueError, CDPError, LinkLost):  # it is not there yet
                port, path = (self._profile / "DevToolsActivePort").read_text().split("\n")
                with trio.move_on_after(ATTEMPT_S) as attempt:  # one that is just ending is silent
                    async with self._talk(f"ws://127.0.0.1:{port}{path}") as root:
                        if await self._shows(root):
                            attempt.deadline = inf
                            yield root
                            return
            await trio.sleep(0.1)

    async def _shows(self, root: CDPSession) -> bool:
        """Return whether a browser has windows."""
        started = await root.execute(CDPCommand("SystemInfo.getInfo", {}, Started))
        return "--headless" not in started.command_line

    @asynccontextmanager
    async def _talk(self, url: str) -> AsyncGenerator[CDPSession]:
        async with open_websocket_link(url) as link, background_nursery() as talking:
            connection = CDPConnection(link)
            talking.start_soon(connection.run)
            yield connection.root

    async def _page(self, root: CDPSession, url_part: str, box: str) -> CDPSession:
        """Wait for a page that shows the box, and return its session."""
        while True:
            found = await root.execute(CDPCommand("Target.getTargets", {}, Targets))
            for info in found.target_infos:
                if info.type == "page" and url_part in info.url:
                    attached = await root.execute(target.attach_to_target(info.target_id))
                    page = root.connection.session(attached.session_id)
                    if (await page.execute(runtime.evaluate(box))).result.value:
                        return page
            await trio.sleep(0.1)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return tmp_path / "profiles"


@pytest.fixture
def person(profile: Path) -> Person:
    return Person(profile)

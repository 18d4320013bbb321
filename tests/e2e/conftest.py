import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import pytest
import trio
import yaml
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from tabwright.testing.replica import Replica

WriteConfig = Callable[..., Path]
OpenClient = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def write_config(tmp_path: Path) -> WriteConfig:
    """Writes a settings file for a server that is to see `replica` as the whole web.

    Unless a group says otherwise, it keeps no profile, and looks for no proxy: one that the
    machine happens to have would not know the replica.
    """

    def write(replica: Replica | None = None, **groups: dict[str, object]) -> Path:
        settings: dict[str, dict[str, object]] = {
            **groups,
            "browser": {"profile": None, **groups.get("browser", {})},
            "network": {"allow_private": True, "proxy": "none", **groups.get("network", {})},
        }
        if replica is not None:
            settings["browser"]["extra_args"] = list(replica.chromium_args)
        path = tmp_path / "settings.yaml"
        path.write_text(yaml.safe_dump(settings))
        return path

    return write


@pytest.fixture
def open_client() -> OpenClient:
    """A real MCP client whose server is a subprocess."""

    @asynccontextmanager
    async def open_with(
        config: Path, mode: Literal["auto", "legacy"] = "auto", **options: Any
    ) -> AsyncGenerator[Client]:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "tabwright", "serve", "--config", str(config)],
            env={"DISPLAY": os.environ.get("DISPLAY", "")},
        )
        async with Client(server, mode=mode, **options) as client:
            yield client

    return open_with


class Processes:
    """What runs on this machine, and what belongs to the servers with one settings file."""

    def servers(self, config: Path) -> set[int]:
        return {pid for pid, line in self._lines() if f"serve\0--config\0{config}\0" in line}

    def browsers(self, config: Path) -> set[int]:
        """The browser processes of these servers, by parentage; not their children."""
        servers = self.servers(config)
        return {
            pid
            for pid, line in self._lines()
            if "--user-data-dir=" in line and "--type=" not in line and _stat(pid)[1] in servers
        }

    def family(self, leaders: set[int]) -> set[int]:
        """Every process in the groups of these leaders."""
        return {pid for pid, _ in self._lines() if _stat(pid)[2] in leaders}

    async def gone(self, pids: set[int], within_s: float = 5) -> bool:
        """Whether none of the processes is left, in the end."""
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
    """State, parent and group of a process; proc(5)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "", 0, 0
    return fields[0], int(fields[1]), int(fields[2])


@pytest.fixture
def processes() -> Processes:
    return Processes()

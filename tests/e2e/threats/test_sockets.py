"""The sockets that a running server opens, and the programs it starts (T1, T20)."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.chromium

LISTENS = "0A"
"""The state of such a socket (proc(5), /proc/net/tcp)."""

CANARY = "--renderer-cmd-prefix=/bin/CANARY"


def listening(pids: set[int]) -> list[tuple[int, str]]:
    """Return the listening TCP sockets of the processes, with addresses in hex."""
    places = dict(listeners())
    return [(pid, places[inode]) for pid in pids for inode in sockets(pid) if inode in places]


def listeners() -> Iterator[tuple[str, str]]:
    for name in ("tcp", "tcp6"):
        for line in Path("/proc/net", name).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENS:
                yield fields[9], fields[1].partition(":")[0]


def sockets(pid: int) -> Iterator[str]:
    """Yield the inodes of a process's sockets; none if it has ended."""
    with suppress(FileNotFoundError):
        yield from _sockets_in(Path(f"/proc/{pid}/fd"))


def _sockets_in(folder: Path) -> Iterator[str]:
    for link in folder.iterdir():
        with suppress(OSError):  # it has been closed meanwhile
            target = str(link.readlink())
            if target.startswith("socket:["):
                yield target[len("socket:[") : -1]


def arguments_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


@pytest.mark.parametrize(("private", "guards"), [(True, 0), (False, 1)])
async def test_only_network_guard_listens_and_only_on_loopback(
    private, guards, write_config, open_client, processes
):
    config = write_config(network={"allow_private": private})
    async with open_client(config) as client:
        nowhere = {"url": "http://nowhere.invalid/", "format": "outline"}  # starts the browser
        await client.call_tool("navigate", nowhere)
        servers, browsers = processes.servers(config), processes.browsers(config)
        family = processes.family(browsers)
        found = listening(servers | family)
    assert servers
    assert len(family) > 3
    assert found == [(pid, "0100007F") for pid in servers] * guards


async def test_tool_arguments_never_appear_in_process_arguments(
    web, write_config, open_client, processes
):
    web.put("/", "<input aria-label=Word>")
    calls = {
        "navigate": {"url": f"{web.url('/')}?{CANARY}", "session": CANARY, "format": "outline"},
        "fill_form": {"fields": {"Word": CANARY}, "session": CANARY},
        "google_ai_search": {"query": CANARY, "language": CANARY},
        "web_search": {"query": CANARY, "language": CANARY},
        "browse": {"url": CANARY, "min_tier": 2},
        "emulate": {"locale": CANARY, "timezone": CANARY, "session": CANARY},
        "upload": {"ref": "1.1", "paths": [CANARY], "session": CANARY},
    }
    config = write_config()
    async with open_client(config) as client:
        for tool, arguments in calls.items():
            await client.call_tool(tool, arguments)
        pids = processes.servers(config) | processes.family(processes.browsers(config))
        lines = [arguments_of(pid) for pid in pids]
    assert len(lines) > 3
    assert [line for line in lines if "CANARY" in line] == []

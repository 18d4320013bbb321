"""Two workers: real browsers with their own profiles, ports and cookies."""

import os
import re
import signal
import socket
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import pytest
import trio

from tabwright.cdp.websocket import websocket_url
from tabwright.concurrency.grants import hold_grant
from tabwright.content.render.markdown import markdown_of
from tabwright.protocol.browser_pool import BrowserPool, LeaseTab, TabUse
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.progress import ProgressEvent, ignore_progress
from tabwright.testing.replica import Scenario, open_replica

IN_TAB = ReadOptions(min_tier=2)
pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]

TWO = {"pool__workers": 2}


def browsers(profiles: Path) -> dict[str, int]:
    """Return the process ids of running browsers, by the name of their profile.

    A browser leads its own process group. A child that it has just forked still has the browser's
    command line, and may lead a group too, so children are excluded.
    """
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_text()
                leads = os.getpgid(int(folder.name)) == int(folder.name)
                parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
                is_child = "--user-data-dir=" in Path("/proc", parent, "cmdline").read_text()
            except OSError:
                continue
            match = re.search(rf"--user-data-dir={re.escape(str(profiles))}/([^\0]+)", line)
            if (
                match
                and leads
                and not is_child
                and "--type=" not in line
                and "chromium" in line.partition("\0")[0]
            ):
                found[match[1]] = int(folder.name)
    return found


async def test_concurrent_searches_use_separate_browsers_with_separate_cookies(client_on, profile):
    async with (
        open_replica(Scenario(step_s=0.1)) as replica,
        client_on(replica, profile, **TWO) as tabwright,
    ):
        assert browsers(profile) == {}
        async with trio.open_nursery() as nursery:
            for query in ("A?", "B?"):
                nursery.start_soon(tabwright.search, query)
        assert set(browsers(profile)) == {"tabwright-00", "tabwright-01"}
        cookies = {
            match[1]
            for seen in replica.log
            if (match := re.search(r"\bNID=(\w+)", seen.cookie)) and "folwr" in seen.path
        }
    assert len(cookies) == 2
    assert browsers(profile) == {}


@pytest.mark.nightly
async def test_killed_browser_does_not_affect_searches_in_other_browser(client_on, profile):
    endings: dict[str, str] = {}
    async with (
        open_replica(Scenario(step_s=0.1)) as replica,
        client_on(replica, profile, **TWO) as tabwright,
    ):

        async def search(query: str, received=ignore_progress) -> None:
            try:
                result = await tabwright.search(query, language="en-US", progress=received)
                endings[query] = result.ai_answer
            except TabwrightError as error:
                endings[query] = error.kind

        killed = trio.Event()

        def kill(_step: ProgressEvent) -> None:
            if not killed.is_set():
                killed.set()
                os.kill(browsers(profile)["tabwright-00"], signal.SIGKILL)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(search, "A?", kill)
            await trio.sleep(0.3)
            nursery.start_soon(search, "B?")
        assert endings["A?"] == "browser_died"
        (truth,) = (replica.truth(turn) for turn in (0, 1) if replica.truth(turn).question == "B?")
        assert endings["B?"] == markdown_of(truth.blocks)
        await search("C?")
        assert len(endings["C?"]) > 100


@pytest.mark.nightly  # one browser on the fake: tests/simulation/test_system.py
async def test_twenty_callers_start_each_browser_once(client_on, profile):
    async with open_replica() as replica, client_on(replica, profile, **TWO) as tabwright:
        seen: set[int] = set()
        async with trio.open_nursery() as nursery:

            async def watch() -> None:
                while True:
                    seen.update(browsers(profile).values())
                    await trio.sleep(0.05)

            async def come() -> None:
                request = partial(LeaseTab, use=TabUse.READING, purpose="somebody")
                async with hold_grant(tabwright.parts.supervisor, BrowserPool.lease_tab, request):
                    pass

            nursery.start_soon(watch)
            async with trio.open_nursery() as callers:
                for _ in range(20):
                    callers.start_soon(come)
            nursery.cancel_scope.cancel()
    assert len(seen) == 2


def free_ports(count: int) -> int:
    """Return the first of `count` consecutive free ports.

    They are below the range of ephemeral ports; the process id determines where the search begins.
    """
    for base in range(10_000 + os.getpid() * 7 % 20_000, 32_000):
        with suppress(OSError), ExitStack() as taken:
            for number in range(count):
                taken.enter_context(socket.create_server(("127.0.0.1", base + number)))
            return base
    raise AssertionError("Every port is in use.")


async def test_each_browser_listens_on_its_own_port(client_on, profile):
    base = free_ports(4)
    ports = {"browser__port_base": base}
    async with open_replica() as replica, client_on(replica, profile, **TWO, **ports) as tabwright:
        async with trio.open_nursery() as nursery:
            for number in range(2):
                nursery.start_soon(tabwright.search, f"{number}?")
                nursery.start_soon(tabwright.read, f"https://news{number}.example/", IN_TAB)
        for number in range(4):
            url = await websocket_url(f"http://127.0.0.1:{base + number}")
            assert url.startswith(f"ws://127.0.0.1:{base + number}/devtools/browser/")

"""Processes of Chromium's, and our own, that die or stop. In a real Chromium."""

import os
import signal
import subprocess
from functools import partial
from pathlib import Path

import pytest
import trio
from mcp.shared.exceptions import MCPError

from tabwright.protocol.errors import BrowserDied, PageFailed, TimeOut
from tabwright.protocol.inspection import Capture, LocateOnPage

pytestmark = pytest.mark.chromium

SOON_S = 30
"""Far less than a page may take to load, on a machine with too much to do."""

FOREVER = "fetch('/never'); new Promise(() => {})"


def send(number: int, *pids: int) -> None:
    for pid in pids:
        os.kill(pid, number)


async def test_a_renderer_that_is_killed_fails_what_its_page_is_asked_and_nothing_else(oracle):
    async with oracle() as trial:
        die = partial(send, signal.SIGKILL, await trial.renderer())
        error = await trial.refused_amid(partial(trial.value, FOREVER), "/never", die)
        assert await trial.value("6 * 7") == "42"
    assert isinstance(error, PageFailed)
    assert "crashed" in error.message
    assert error.retryable


async def test_a_renderer_that_crashes_fails_where_its_page_goes_and_nothing_else(oracle):
    async with oracle() as trial:
        die = partial(send, signal.SIGSEGV, await trial.renderer())
        error = await trial.refused_amid(partial(trial.enter, "/half"), "/half", die)
    assert isinstance(error, PageFailed)
    assert "crashed" in error.message
    assert error.retryable


async def test_a_renderer_that_is_shared_takes_the_pages_in_it_along_and_no_others(
    oracle, web, until
):
    async with oracle(browser__extra_args=["--process-per-site"]) as trial:
        await trial.enter("/article", new_tab=True)
        errors = []

        async def wait(tab: int, path: str) -> None:
            script = f"fetch('{path}'); new Promise(() => {{}})"
            errors.append(await trial.refused(partial(trial.value, script, tab=tab)))

        pid = await trial.renderer()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait, 1, "/never")
            nursery.start_soon(wait, 2, "/half")
            await until(lambda: web.asked("/never") and web.asked("/half"))
            send(signal.SIGKILL, pid)
    assert ["crashed" in error.message for error in errors] == [True, True]


async def test_a_renderer_that_dies_when_nothing_is_asked_of_it_stops_nobody_from_going_on(oracle):
    async with oracle() as trial:
        send(signal.SIGKILL, await trial.renderer())
        with trio.fail_after(SOON_S):
            while "session s" in [tab.purpose for tab in (await trial.tabwright.pool()).tabs]:
                await trio.sleep(0.02)
        assert (await trial.enter("/table")).url.endswith("/table")


async def test_a_renderer_that_stops_costs_a_page_its_time_and_a_session_its_tab(oracle):
    async with oracle(network__page_timeout_s=15) as trial:
        own, stopped, errors = await trial.renderer(), trio.Event(), []
        known = trial.members.of_type("renderer")

        def stop() -> None:
            send(signal.SIGSTOP, own, *(trial.members.of_type("renderer") - known))
            stopped.set()

        async def read() -> None:
            half = partial(trial.browse, "/half", "localhost")
            errors.append(await trial.refused_amid(half, "/half", stop))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(read)
            await stopped.wait()
            await trial.refused(partial(trial.ask, LocateOnPage()))
        with trio.fail_after(SOON_S):
            assert (await trial.enter("/table")).url.endswith("/table")
    assert [type(error) for error in errors] == [TimeOut]


async def test_a_browser_that_stops_is_found_in_the_middle_of_a_call(oracle):
    async with oracle("goes") as trial:
        (pid,) = trial.members.browsers
        stop = partial(send, signal.SIGSTOP, pid)
        error = await trial.refused_amid(partial(trial.browse, "/never"), "/never", stop)
    assert isinstance(error, BrowserDied)
    assert "does not respond" in error.message


async def test_the_network_service_is_replaced(oracle):
    async with oracle(network__page_timeout_s=15) as trial:
        kill = partial(send, signal.SIGKILL, *trial.members.service("network"))
        error = await trial.refused_amid(partial(trial.browse, "/never"), "/never", kill)
        assert error.retryable
        assert (await trial.browse("/article")).status == 200


async def test_network_service_that_stops_is_found_and_its_browser_replaced(oracle):
    async with oracle("goes") as trial:
        stop = partial(send, signal.SIGSTOP, *trial.members.service("network"))
        error = await trial.refused_amid(partial(trial.browse, "/never"), "/never", stop)
    assert isinstance(error, BrowserDied)
    assert error.retryable


async def test_page_that_takes_long_ends_no_browser(oracle):
    async with oracle(network__page_timeout_s=15) as trial:
        error = await trial.refused(partial(trial.browse, "/never"))
    assert isinstance(error, TimeOut)


async def test_the_gpu_process_is_not_missed(oracle, screen):
    async with oracle(browser__headless=False) as trial:
        gpu = trial.members.of_type("gpu-process")
        assert gpu
        send(signal.SIGKILL, *gpu)
        picture = await trial.ask(Capture())
    assert picture.data


def name_of(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()


def children(pid: int) -> set[int]:
    """Zombies too."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return {int(child) for one in threads for child in (one / "children").read_text().split()}


async def test_a_guardian_that_was_killed_first_has_a_successor_that_clears_up(
    open_served, members, until
):
    with pytest.raises((MCPError, BaseExceptionGroup)):
        async with open_served() as served:
            await served.browse()
            killed = members.guardians
            send(signal.SIGKILL, *killed)
            await until(lambda: members.guardians - killed)
            send(signal.SIGSTOP, *members.browsers)
            send(signal.SIGKILL, *served.servers)
            await until(lambda: members.gone)
            await served.browse()


APART = "unshare --pid --fork --mount-proc"


@pytest.fixture
def apart() -> str:
    """Has a command be the first process of a namespace."""
    if subprocess.run([*APART.split(), "true"], capture_output=True, check=False).returncode:
        pytest.skip("a namespace of processes cannot be made here")
    return f'set -- {APART} "$@"'


async def test_the_first_process_of_a_container_buries_the_orphans_of_its_browsers(
    open_served, apart, members, until
):
    async with open_served(apart) as served:
        await served.browse()
        killed = members.browsers
        send(signal.SIGKILL, *killed)
        await until(lambda: members.browsers - killed)
        assert not (await served.browse()).is_error
        (server,) = [pid for pid in served.servers if name_of(pid) == "python"]
        browsers = {pid for pid in children(server) if name_of(pid).startswith("chrom")}
        assert browsers == members.browsers

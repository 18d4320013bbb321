"""Chromium's and our own processes that die or stop, in a real Chromium."""

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

pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]

SOON_S = 30
"""Far less than a page may take to load, on a machine with too much to do."""

FOREVER = "fetch('/never'); new Promise(() => {})"


def send(number: int, *pids: int) -> None:
    for pid in pids:
        os.kill(pid, number)


async def test_killed_renderer_fails_only_the_pending_call_of_its_page(oracle):
    async with oracle() as trial:
        die = partial(send, signal.SIGKILL, await trial.renderer())
        error = await trial.refused_amid(partial(trial.value, FOREVER), "/never", die)
        assert await trial.value("6 * 7") == "42"
    assert isinstance(error, PageFailed)
    assert "crashed" in error.message
    assert error.retryable


async def test_renderer_crash_fails_only_the_navigation_of_its_page(oracle):
    async with oracle() as trial:
        die = partial(send, signal.SIGSEGV, await trial.renderer())
        error = await trial.refused_amid(partial(trial.enter, "/half"), "/half", die)
    assert isinstance(error, PageFailed)
    assert "crashed" in error.message
    assert error.retryable


@pytest.mark.nightly
async def test_shared_renderer_crash_fails_only_the_pages_in_it(oracle, web, until):
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


@pytest.mark.nightly
async def test_renderer_crash_while_idle_does_not_break_session(oracle):
    async with oracle() as trial:
        send(signal.SIGKILL, await trial.renderer())
        with trio.fail_after(SOON_S):
            while "session s" in [tab.purpose for tab in (await trial.tabwright.pool()).tabs]:
                await trio.sleep(0.02)
        assert (await trial.enter("/table")).url.endswith("/table")


@pytest.mark.nightly
async def test_suspended_renderer_times_out_its_page_and_loses_the_session_tab(oracle):
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


@pytest.mark.nightly
async def test_suspended_browser_is_detected_during_a_call(oracle):
    async with oracle("goes") as trial:
        (pid,) = trial.members.browsers
        stop = partial(send, signal.SIGSTOP, pid)
        error = await trial.refused_amid(partial(trial.browse, "/never"), "/never", stop)
    assert isinstance(error, BrowserDied)
    assert "does not respond" in error.message


@pytest.mark.nightly
async def test_killed_network_service_is_replaced(oracle):
    async with oracle(network__page_timeout_s=15) as trial:
        kill = partial(send, signal.SIGKILL, *trial.members.service("network"))
        error = await trial.refused_amid(partial(trial.browse, "/never"), "/never", kill)
        assert error.retryable
        assert (await trial.browse("/article")).status == 200


@pytest.mark.nightly
async def test_suspended_network_service_is_detected_and_its_browser_replaced(oracle):
    async with oracle("goes") as trial:
        stop = partial(send, signal.SIGSTOP, *trial.members.service("network"))
        error = await trial.refused_amid(partial(trial.browse, "/never"), "/never", stop)
    assert isinstance(error, BrowserDied)
    assert error.retryable


@pytest.mark.nightly
async def test_slow_page_times_out_without_ending_the_browser(oracle):
    async with oracle(network__page_timeout_s=15) as trial:
        error = await trial.refused(partial(trial.browse, "/never"))
    assert isinstance(error, TimeOut)


@pytest.mark.nightly
async def test_screenshot_works_after_gpu_process_is_killed(oracle, screen):
    async with oracle(browser__headless=False) as trial:
        gpu = trial.members.of_type("gpu-process")
        assert gpu
        send(signal.SIGKILL, *gpu)
        picture = await trial.ask(Capture())
    assert picture.data


def name_of(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()


def children(pid: int) -> set[int]:
    """Return the ids of a process's children, including zombies."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return {int(child) for one in threads for child in (one / "children").read_text().split()}


@pytest.mark.nightly
async def test_killed_guardian_is_replaced_by_one_that_cleans_up(open_served, members, until):
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
    """A shell command that makes the server the first process of a PID namespace."""
    if subprocess.run([*APART.split(), "true"], capture_output=True, check=False).returncode:
        pytest.skip("a namespace of processes cannot be made here")
    return f'set -- {APART} "$@"'


@pytest.mark.nightly
async def test_container_init_process_reaps_orphans_of_its_browsers(
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

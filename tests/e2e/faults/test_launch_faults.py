"""Browsers that fail to start, mostly replaced by programs that are no browsers."""

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.directory import claimed
from tabwright.cdp.chromium.finding import find_browser
from tabwright.cdp.chromium.process import launch
from tabwright.protocol.errors import BrowserUnavailable

pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]

MUTE = {
    "says nothing": "exec sleep 1000",
    "says what nobody understands": "cat /dev/urandom >&4",
    "says a word without end": "tr '\\0' x </dev/zero >&4",
    "says that it understands nothing": (
        """printf '{"error":{"code":-32700,"message":"no"}}\\0' >&4; exec sleep 1000"""
    ),
    "hangs up": "exec 3<&- 4>&-; exec sleep 1000",
}


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that writes a program that logs each of its starts."""

    def make(body: str) -> str:
        path = tmp_path / "browser"
        path.write_text(f"#!/bin/sh\necho started >>{tmp_path}/starts\n{body}\n")
        path.chmod(0o755)
        return str(path)

    return make


async def test_a_browser_that_dies_at_its_start_is_started_once_for_each_call(
    oracle, program, tmp_path
):
    async with oracle("none", browser__path=program("echo alas >&2; kill -9 $$")) as trial:
        for _ in range(3):
            error = await trial.refused(partial(trial.browse, "/article"))
            assert isinstance(error, BrowserUnavailable)
            assert "exited with code -9" in error.message
            assert "alas" in error.message
            assert error.retryable
    assert (tmp_path / "starts").read_text().split() == ["started"] * 3


@pytest.mark.parametrize("body", MUTE.values(), ids=MUTE)
async def test_unresponsive_browser_program_fails_with_retryable_error(oracle, program, body):
    settings = {"browser__path": program(body), "browser__start_timeout_s": 2}
    async with oracle("none", **settings) as trial:
        error = await trial.refused(partial(trial.browse, "/article"))
    assert isinstance(error, BrowserUnavailable)
    assert "does not respond" in error.message
    assert error.retryable


@pytest.mark.parametrize("path", ["/no/such/browser", "/etc/passwd", "/etc"])
async def test_launch_error_names_path_that_cannot_be_started(oracle, path):
    async with oracle("none", browser__path=path) as trial:
        error = await trial.refused(partial(trial.browse, "/article"))
    assert path in error.message
    assert not error.retryable


@pytest.fixture
def profiles(temporary: Path) -> Path:
    """A folder for profiles, which may remain after the test."""
    path = temporary / "profiles"
    path.mkdir()
    return path


def be_a_file(profile: Path) -> None:
    profile.write_text("")


def have_a_file_for_a_lock(profile: Path) -> None:
    profile.mkdir()
    (profile / "SingletonLock").write_text("")


def have_a_directory_for_a_port(profile: Path) -> None:
    (profile / "DevToolsActivePort").mkdir(parents=True)


@pytest.mark.parametrize("spoil", [be_a_file, have_a_file_for_a_lock, have_a_directory_for_a_port])
async def test_unusable_profile_is_named_and_not_replaced_by_another(oracle, tmp_path, spoil):
    spoil(tmp_path / "tabwright-00")
    async with oracle("none", browser__profile=str(tmp_path)) as trial:
        error = await trial.refused(trial.lacking)
    assert isinstance(error, BrowserUnavailable)
    assert str(tmp_path / "tabwright-00") in error.message
    assert not error.retryable


async def test_occupied_debugging_port_is_named_in_the_error(oracle):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        settings = {"browser__port_base": port}
        async with oracle("none", **settings) as trial:
            error = await trial.refused(trial.lacking)
    assert f"Port {port}" in error.message
    assert not error.retryable


async def test_profile_in_use_by_a_hanging_browser_is_left_alone(oracle, tmp_path):
    browser, profile = find_browser(("chromium",)).path, tmp_path / "tabwright-00"
    plan = LaunchPlan(path=browser, profile=profile, link="websocket")
    async with launch(plan) as theirs:  # it listens, so it is through with its start
        os.killpg(theirs.pid, signal.SIGSTOP)  # all of it: what it starts counts as left behind
        try:
            async with oracle(searches=True, browser__profile=str(tmp_path)) as trial:
                notice = await trial.lacking()
        finally:
            os.killpg(theirs.pid, signal.SIGCONT)
        assert theirs.exit_code is None
    assert f"in use by process {os.getpid()}" in notice


async def test_stale_profile_lock_of_a_vanished_host_is_removed(oracle, profiles, monkeypatch):
    profile = profiles / "tabwright-00"
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(socket, "gethostname", lambda: "gone")
        with claimed(profile):
            (profile / "SingletonLock").symlink_to("gone-123")
    async with oracle(searches=True, browser__profile=str(profiles)) as trial:
        assert await trial.lacking() == ""


@pytest.fixture
def full_disk(profiles: Path) -> Iterator[Path]:
    """A folder for profiles on a 256 KiB disk, which the first profile fills."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(profiles)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield profiles
    subprocess.run(["umount", profiles], check=True)


@pytest.mark.nightly
async def test_full_disk_does_not_prevent_reading(oracle, full_disk):
    for _ in range(2):
        async with oracle(searches=True, browser__profile=str(full_disk)) as trial:
            assert await trial.lacking() == ""
            await trial.browse("/table")
        assert os.statvfs(full_disk).f_bavail == 0


FILLS_THE_DISK = """
for a; do case $a in --user-data-dir=*) profile=${a#*=};; esac; done
cat /dev/zero >"$profile/all"
exit 5
"""


async def test_browser_death_from_a_full_disk_names_the_disk(oracle, full_disk, program):
    settings = {"browser__path": program(FILLS_THE_DISK), "browser__profile": str(full_disk)}
    async with oracle("none", **settings) as trial:
        error = await trial.refused(trial.lacking)
    assert isinstance(error, BrowserUnavailable)
    assert str(full_disk) in error.advice + error.message


@pytest.mark.parametrize(
    ("limit", "says"),
    [("ulimit -n 200", "at most 200 files"), ("ulimit -v 2097152", "address space")],
)
async def test_resource_limit_that_prevents_browser_launch_is_named(open_served, limit, says):
    async with open_served(limit, browser={"path": "chromium"}) as served:
        to_act = {"session": "s", "url": served.web.url("/article"), "format": "outline"}
        found = [await served.browse(), await served.client.call_tool("navigate", to_act)]
    for answer in found:
        assert answer.meta["tabwright/error"]["kind"] == "browser_unavailable"
        assert says in answer.content[0].text


def profile_of(browser: int) -> Path:
    line = Path(f"/proc/{browser}/cmdline").read_text()
    return Path(line.partition("--user-data-dir=")[2].partition("\0")[0])


async def test_browser_profile_avoids_a_too_long_temporary_directory(
    open_served, processes, until, tmp_path
):
    long = tmp_path / ("x" * 150)
    async with open_served(f"mkdir {long}; export TMPDIR={long}") as served:
        found = await served.browse()
        (browser,) = processes.browsers(served.config)
        profile = profile_of(browser)
    assert not found.is_error
    assert len(str(profile)) < len(long.name)
    assert await processes.gone({browser})
    await until(lambda: not profile.parent.exists())

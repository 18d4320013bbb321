"""Launch a real Chromium, talk to it, end it, and check that no file remains."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import trio

from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.errors import BrowserExited, ProfileLocked
from tabwright.cdp.chromium.finding import PREFERENCE, find_browser
from tabwright.cdp.chromium.process import Chromium, PipeEnds, launch

pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]

VERSION = {"id": 1, "method": "Browser.getVersion"}


@pytest.fixture
def browser() -> Path:
    return find_browser(PREFERENCE).path


@pytest.fixture
def temporary(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """A system temporary directory for one test, with a short path."""
    tmp_path_factory.getbasetemp()  # which would else come to lie in it
    path = Path(tempfile.mkdtemp(prefix="t"))
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    yield path
    shutil.rmtree(path)


@contextmanager
def nothing_left(temporary: Path) -> Iterator[None]:
    """Check that the body leaves no descriptor, child process or private directory.

    Zombies count as children. The body must end within a minute. A thread of an earlier test can
    still be closing what it had open.
    """
    descriptors, children = open_descriptors(), own_children()
    with trio.fail_after(60):
        yield
    give_up_s = time.monotonic() + 10
    while open_descriptors().keys() != descriptors.keys() and time.monotonic() < give_up_s:
        time.sleep(0.05)
    left = open_descriptors()
    assert left.keys() == descriptors.keys(), (left, descriptors)
    assert own_children() == children
    assert list(temporary.iterdir()) == []


def open_descriptors() -> dict[str, str]:
    """Return the open descriptors of this process with their targets."""
    found: dict[str, str] = {}
    for one in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the one of this listing
            found[one.name] = str(one.readlink())
    return found


def own_children() -> list[str]:
    """Return the process groups of this process's children, including zombies."""
    return sorted(group for _state, parent, group in stats() if parent == str(os.getpid()))


def stats() -> list[list[str]]:
    """Return the state, parent and group of every process (proc(5))."""
    texts = map(read, Path("/proc").glob("[0-9]*/stat"))
    return [text.rpartition(b")")[2].decode().split()[:3] for text in texts if text]


def naming(path: Path) -> list[bytes]:
    """Return the command lines of all processes that contain `path`."""
    lines = map(read, Path("/proc").glob("[0-9]*/cmdline"))
    return [line for line in lines if os.fsencode(path) in line]


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


async def until_gone(group: int, path: Path) -> None:
    """Wait until the group, all processes that name `path`, and `path` are gone."""
    with trio.fail_after(20):
        while is_there(group, path):
            await trio.sleep(0.02)


def is_there(group: int, path: Path) -> bool:
    members = [stat for stat in stats() if stat[0] != "Z" and stat[2] == str(group)]
    return path.exists() or bool(members or naming(path))


async def ask(pipe: PipeEnds | None, question: dict[str, object]) -> dict[str, object]:
    """Send one command through the pipe and return its reply, skipping events."""
    assert pipe is not None
    os.write(pipe.write_fd, json.dumps(question).encode() + b"\0")
    received = b""
    while True:
        await trio.lowlevel.wait_readable(pipe.read_fd)
        received += os.read(pipe.read_fd, 1 << 20)
        *frames, received = received.split(b"\0")
        for reply in map(json.loads, frames):
            if reply.get("id") == question["id"]:
                return dict(reply)


def private(chromium: Chromium) -> Path:
    return chromium.profile.parent


@pytest.mark.parametrize("ending", ["Browser.close", "end of file"])
async def test_browser_on_a_pipe_answers_and_exits_cleanly(
    browser: Path, temporary: Path, ending: str
) -> None:
    with nothing_left(temporary):
        async with launch(LaunchPlan(path=browser, stop_grace_s=10)) as chromium:
            reply = await ask(chromium.pipe, VERSION)
            assert "Chrome/" in str(reply)
            assert "Headless" in str(reply), "the identity is the browser's own"
            if ending == "Browser.close":
                await ask(chromium.pipe, {"id": 2, "method": "Browser.close"})
                assert await chromium.wait_exit() == 0
        assert chromium.exit_code == 0
        await until_gone(chromium.pid, private(chromium))


async def test_browser_on_a_pipe_opens_no_listening_socket(browser: Path, temporary: Path) -> None:
    with nothing_left(temporary):
        async with launch(LaunchPlan(path=browser)) as chromium:
            await ask(chromium.pipe, VERSION)
            assert not (chromium.profile / "DevToolsActivePort").exists()
            assert listening_inodes() & socket_inodes(chromium.pid) == set()


def listening_inodes() -> set[str]:
    lines = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
    rows = [line.split() for line in lines.splitlines()]
    return {row[9] for row in rows if row[3] == "0A"}


def socket_inodes(pid: int) -> set[str]:
    names = [read_link(fd) for fd in Path(f"/proc/{pid}/fd").iterdir()]
    return {name[len("socket:[") : -1] for name in names if name.startswith("socket:[")}


def read_link(fd: Path) -> str:
    try:
        return str(fd.readlink())
    except OSError:
        return ""


async def test_browser_on_a_websocket_answers_at_its_endpoint(
    browser: Path, temporary: Path
) -> None:
    plan = LaunchPlan(path=browser, link="websocket", stop_grace_s=10)
    with nothing_left(temporary):
        async with launch(plan) as chromium:
            assert chromium.endpoint is not None
            host, _, path = chromium.endpoint.removeprefix("ws://").partition("/")
            status = await trio.to_thread.run_sync(handshake, host, f"/{path}")
            assert b"101 WebSocket" in status
        assert chromium.exit_code == 0
        await until_gone(chromium.pid, private(chromium))


def handshake(host: str, path: str) -> bytes:
    """Return the status line of a WebSocket upgrade (RFC 6455, section 4.1)."""
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port))) as connection:
        connection.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        return connection.recv(1000).partition(b"\r\n")[0]


async def test_pages_see_language_of_launch_plan(browser: Path, temporary: Path) -> None:
    with nothing_left(temporary):
        async with launch(LaunchPlan(path=browser, language="fr-CA")) as chromium:
            target = await ask(
                chromium.pipe,
                {"id": 1, "method": "Target.createTarget", "params": {"url": "about:blank"}},
            )
            session = await ask(
                chromium.pipe,
                {
                    "id": 2,
                    "method": "Target.attachToTarget",
                    "params": {"targetId": field(target, "targetId"), "flatten": True},
                },
            )
            answer = await ask(
                chromium.pipe,
                {
                    "id": 3,
                    "sessionId": field(session, "sessionId"),
                    "method": "Runtime.evaluate",
                    "params": {"expression": "navigator.languages.join()"},
                },
            )
            assert "fr-CA,fr" in str(answer)


async def test_fresh_browser_has_no_targets_beyond_those_opened(
    browser: Path, temporary: Path
) -> None:
    with nothing_left(temporary):
        async with launch(LaunchPlan(path=browser)) as chromium:
            page = {"url": "about:blank"}
            await ask(chromium.pipe, {"id": 1, "method": "Target.createTarget", "params": page})
            every = {"id": 2, "method": "Target.getTargets", "params": {"filter": [{}]}}
            infos = field(await ask(chromium.pipe, every), "targetInfos")
            assert isinstance(infos, list)
            assert sorted(info["type"] for info in infos) == ["page", "tab"], infos


def field(reply: dict[str, object], name: str) -> object:
    result = reply["result"]
    assert isinstance(result, dict)
    return result[name]


async def test_crash_dumps_and_sockets_stay_in_the_private_directory(
    browser: Path, temporary: Path
) -> None:
    with nothing_left(temporary):
        async with launch(LaunchPlan(path=browser)) as chromium:
            await ask(chromium.pipe, VERSION)
            socket_link = (chromium.profile / "SingletonSocket").readlink()
            assert socket_link.is_relative_to(private(chromium))
            handlers = [line for line in naming(private(chromium)) if b"crashpad_handler\0" in line]
            assert handlers
            assert all(b"--database=" + bytes(private(chromium)) in line for line in handlers)


async def test_browser_that_is_killed_is_noticed_and_cleaned_up(
    browser: Path, temporary: Path
) -> None:
    with nothing_left(temporary):
        async with launch(LaunchPlan(path=browser)) as chromium:
            await ask(chromium.pipe, VERSION)
            os.kill(chromium.pid, signal.SIGKILL)
            assert await chromium.wait_exit() == -signal.SIGKILL
            assert isinstance(chromium.failure(), BrowserExited)
        await until_gone(chromium.pid, private(chromium))


async def test_suspended_browser_is_killed_after_the_grace_period(
    browser: Path, temporary: Path
) -> None:
    with nothing_left(temporary):
        async with launch(LaunchPlan(path=browser, stop_grace_s=0.2)) as chromium:
            await ask(chromium.pipe, VERSION)
            os.killpg(chromium.pid, signal.SIGSTOP)
        assert chromium.exit_code == -signal.SIGKILL
        await until_gone(chromium.pid, private(chromium))


@pytest.mark.parametrize("after_s", [0.005, 0.1, 0.4])
async def test_cancelled_launch_leaves_nothing(
    browser: Path, temporary: Path, after_s: float
) -> None:
    with nothing_left(temporary):
        with trio.move_on_after(after_s) as deadline:
            async with launch(LaunchPlan(path=browser)):
                await trio.sleep_forever()
        assert deadline.cancelled_caught


async def test_persistent_profile_survives_and_does_not_keep_the_old_port(
    browser: Path, temporary: Path, tmp_path: Path
) -> None:
    plan = LaunchPlan(path=browser, profile=tmp_path / "profile", link="websocket")
    with nothing_left(temporary):
        async with launch(plan) as first:
            pass
        async with launch(plan) as second:
            assert second.endpoint != first.endpoint
        assert (tmp_path / "profile" / "Local State").exists()


async def test_profile_in_use_by_a_foreign_browser_is_left_alone(
    browser: Path, temporary: Path, tmp_path: Path
) -> None:
    profile = tmp_path / "profile"
    plan = LaunchPlan(path=browser, profile=profile)
    with nothing_left(temporary):
        async with launch(plan) as theirs:
            await ask(theirs.pipe, VERSION)
            (profile / "tabwright-owner").unlink()  # as if it were not ours
            os.killpg(theirs.pid, signal.SIGSTOP)
            with pytest.raises(ProfileLocked) as caught:
                async with launch(plan):
                    pytest.fail("the profile is in use")
            os.killpg(theirs.pid, signal.SIGCONT)
            await ask(theirs.pipe, {"id": 2, "method": "Browser.getVersion"})
        assert caught.value.pid == theirs.pid


OWNER = """
import sys, trio
from pathlib import Path
from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.process import launch

async def main():
    async with launch(LaunchPlan(path=Path(sys.argv[1]), link=sys.argv[2])) as chromium:
        if chromium.pipe is not None:
            await trio.lowlevel.wait_writable(chromium.pipe.write_fd)
            await trio.sleep(1)
        print(f"{chromium.pid} {chromium.profile.parent}", flush=True)
        await trio.sleep_forever()

trio.run(main)
"""


@pytest.mark.parametrize("link", ["pipe", "websocket"])
@pytest.mark.parametrize("stopped", [False, True], ids=["running", "stopped"])
async def test_killed_owner_leaves_no_browser_processes_or_files(
    browser: Path,
    temporary: Path,
    link: str,
    stopped: bool,
) -> None:
    command = [sys.executable, "-c", OWNER, str(browser), link]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with nothing_left(temporary):
        owner = await trio.lowlevel.open_process(command, stdout=subprocess.PIPE, env=environment)
        assert owner.stdout is not None
        try:
            pid, directory = (await owner.stdout.receive_some()).split()
            if stopped:
                os.killpg(int(pid), signal.SIGSTOP)
        finally:
            owner.kill()
            await owner.wait()
            await owner.stdout.aclose()
        await until_gone(int(pid), Path(directory.decode()))

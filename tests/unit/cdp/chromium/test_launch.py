"""`launch` with shell scripts in place of browsers: all that needs no real one."""

import ctypes
import errno
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import trio

from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.errors import (
    ArgumentRefused,
    BrowserExited,
    BrowserNotFound,
    BrowserSilent,
    LaunchError,
    NotSupported,
    PortTaken,
    ProfileLocked,
    ProfileUnusable,
    SystemRefused,
)
from tabwright.cdp.chromium.guardian import Guardian
from tabwright.cdp.chromium.process import Chromium, PipeEnds, launch

FakeBrowser = Callable[[str], Path]
NothingLeft = Callable[[], AbstractContextManager[None]]

ECHO = "cat <&3 >&4"
SILENT = "exec sleep 1000"
DEAF = "trap '' TERM; while :; do sleep 1000; done"
PROFILE = "for a; do case $a in --user-data-dir=*) profile=${a#*=};; esac; done"
PORT = """
mkdir -p "$profile"
echo 4711 > "$profile/DevToolsActivePort"
sleep 0.1
printf '4711\\n/devtools/browser/%s' 7a81d51d-cec5-42e6-8e07-fa2db62e16d7 \
  > "$profile/DevToolsActivePort"
"""
GRACE_S = 0.1
PR_SET_CHILD_SUBREAPER = 36


def members(group: int) -> list[str]:
    """Return the process status lines of the living processes of a group."""
    return [
        stat
        for stat in map(read_stat, Path("/proc").glob("[0-9]*"))
        if stat and stat.rpartition(")")[2].split()[2] == str(group) and ") Z " not in stat
    ]


def naming(path: Path) -> dict[int, bytes]:
    """Return the processes whose command line names `path`, with those command lines."""
    lines = {int(p.name): read_command(p) for p in Path("/proc").glob("[0-9]*")}
    return {pid: line for pid, line in lines.items() if os.fsencode(path) in line}


def guardians(path: Path) -> set[int]:
    """Return the processes that guard `path`: they name it and are not browsers."""
    return {pid for pid, line in naming(path).items() if b"--user-data-dir" not in line}


def read_stat(process: Path) -> str:
    try:
        return (process / "stat").read_text()
    except OSError:
        return ""


def read_command(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


async def variables(pid: int) -> set[bytes]:
    """Return the names of the environment variables with which a process was started.

    A process has none for a moment while it becomes another program (execve(2)).
    """
    path = trio.Path(f"/proc/{pid}/environ")
    with trio.fail_after(30):
        while not (text := await path.read_bytes()):
            await trio.sleep(0.01)
    return {entry.partition(b"=")[0] for entry in text.split(b"\0") if entry}


@pytest.fixture
def adopting() -> Iterator[None]:
    """Make orphans children of this process, as if it were process 1 (prctl(2))."""
    system = ctypes.CDLL(None)
    system.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield
    system.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


async def until(condition: Callable[[], bool]) -> None:
    with trio.fail_after(30):
        while not condition():
            await trio.sleep(0.01)


async def replace_guardian(path: Path) -> None:
    await until(lambda: bool(guardians(path)))  # a program that begins has no name for a moment
    (first,) = guardians(path)
    os.kill(first, signal.SIGKILL)
    await until(lambda: bool(guardians(path) - {first}))


async def reply(pipe: PipeEnds, question: bytes) -> bytes:
    os.write(pipe.write_fd, question)
    await trio.lowlevel.wait_readable(pipe.read_fd)
    return os.read(pipe.read_fd, 65536)


def private(chromium: Chromium) -> Path:
    return chromium.profile.parent


async def test_browser_and_guardian_get_only_needed_environment_variables(
    fake_browser: FakeBrowser, nothing_left: NothingLeft, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("HTTPS_PROXY", "http://user:password@proxy.example:3128")
    monkeypatch.setenv("LC_TIME", "de_DE.UTF-8")
    with nothing_left():
        async with launch(LaunchPlan(path=fake_browser(SILENT))) as chromium:
            await until(lambda: bool(guardians(private(chromium))))
            held = [await variables(pid) for pid in (chromium.pid, *guardians(private(chromium)))]
    assert len(held) == 2
    for names in held:
        assert {b"PATH", b"LC_TIME"} <= names
        assert not names & {b"OPENAI_API_KEY", b"HTTPS_PROXY"}


async def test_pipe_is_on_descriptors_three_and_four(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    with nothing_left():
        async with launch(LaunchPlan(path=fake_browser(ECHO))) as chromium:
            assert chromium.pipe is not None
            assert chromium.endpoint is None
            assert await reply(chromium.pipe, b"ping\0") == b"ping\0"
            assert chromium.exit_code is None
        assert chromium.exit_code == 0


async def test_browser_inherits_only_its_own_descriptors(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    with nothing_left():
        async with launch(LaunchPlan(path=fake_browser("exec ls /proc/self/fd >&2"))) as chromium:
            assert await chromium.wait_exit() == 0
    the_listed_directory = ["5"]
    assert chromium.stderr_tail().split() == ["0", "1", "2", "3", "4", *the_listed_directory]


async def test_browser_output_is_captured_and_not_printed(
    fake_browser: FakeBrowser, nothing_left: NothingLeft, capfd: pytest.CaptureFixture[str]
) -> None:
    with nothing_left():
        async with launch(LaunchPlan(path=fake_browser("echo out; echo err >&2"))) as chromium:
            await chromium.wait_exit()
    assert chromium.stderr_tail() == "out\nerr"
    assert capfd.readouterr() == ("", "")


async def test_browser_has_a_group_a_profile_and_a_temporary_directory_of_its_own(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    browser = fake_browser(f'{PROFILE}; echo "$TMPDIR $profile" >&2')
    with nothing_left():
        async with launch(LaunchPlan(path=browser)) as chromium:
            assert os.getpgid(chromium.pid) == chromium.pid
            assert await chromium.wait_exit() == 0
            assert chromium.stderr_tail() == f"{private(chromium)} {chromium.profile}"


async def test_taken_pipe_can_be_closed_by_its_new_owner(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    with nothing_left():
        async with launch(LaunchPlan(path=fake_browser(ECHO))) as chromium:
            assert chromium.pipe is not None
            for fd in chromium.pipe.take():
                os.close(fd)
            assert await chromium.wait_exit() == 0


async def test_endpoint_is_read_once_it_is_complete(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    plan = LaunchPlan(path=fake_browser(f"{PROFILE}{PORT}{SILENT}"), link="websocket")
    with nothing_left():
        async with launch(plan) as chromium:
            assert chromium.pipe is None
            assert chromium.endpoint == (
                "ws://127.0.0.1:4711/devtools/browser/7a81d51d-cec5-42e6-8e07-fa2db62e16d7"
            )
        assert chromium.exit_code == -signal.SIGTERM


async def test_stale_port_file_of_previous_run_is_ignored(
    fake_browser: FakeBrowser, nothing_left: NothingLeft, tmp_path: Path
) -> None:
    profile = tmp_path / "profile"
    plan = LaunchPlan(path=fake_browser(f"{PROFILE}{PORT}"), link="websocket", profile=profile)
    with nothing_left():
        async with launch(plan) as chromium:
            await chromium.wait_exit()
        assert (profile / "DevToolsActivePort").exists()
        plan = LaunchPlan(path=fake_browser(SILENT), link="websocket", profile=profile)
        with trio.move_on_after(0.3) as deadline:
            async with launch(plan):
                pytest.fail("there is no port yet")
        assert deadline.cancelled_caught


async def test_launch_waits_for_endpoint_until_the_deadline(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    plan = LaunchPlan(path=fake_browser(SILENT), link="websocket")
    with nothing_left(), pytest.raises(trio.TooSlowError), trio.fail_after(0.2):
        async with launch(plan):
            pytest.fail("there is no port")


async def test_browser_exit_before_port_is_known_is_reported_with_output(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    plan = LaunchPlan(path=fake_browser("echo no display >&2; exit 7"), link="websocket")
    with nothing_left(), pytest.raises(BrowserExited) as caught:
        async with launch(plan):
            pytest.fail("there is no port")
    assert caught.value.exit_code == 7
    assert caught.value.stderr_tail == "no display"


async def test_browser_exit_code_21_is_reported_as_locked_profile(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    with nothing_left(), pytest.raises(ProfileLocked):
        async with launch(LaunchPlan(path=fake_browser("exit 21"), link="websocket")):
            pytest.fail("there is no port")


async def test_browser_exit_on_the_pipe_is_reported_with_output(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    with nothing_left():
        async with launch(LaunchPlan(path=fake_browser("echo alas >&2; exit 1"))) as chromium:
            assert chromium.pipe is not None
            await trio.lowlevel.wait_readable(chromium.pipe.read_fd)
            assert os.read(chromium.pipe.read_fd, 1) == b""
            assert await chromium.wait_exit() == 1
            failure = chromium.failure()
    assert isinstance(failure, BrowserExited)
    assert failure.stderr_tail == "alas"


async def test_running_browser_that_does_not_answer_is_reported_as_silent(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    with nothing_left():
        async with launch(LaunchPlan(path=fake_browser(SILENT), stop_grace_s=0)) as chromium:
            failure = chromium.failure()
        assert chromium.exit_code == -signal.SIGKILL
    assert isinstance(failure, BrowserSilent)


@pytest.mark.parametrize("link", ["pipe", "websocket"])
async def test_browser_that_ignores_sigterm_is_killed_with_its_children(
    fake_browser: FakeBrowser, nothing_left: NothingLeft, link: str
) -> None:
    browser = fake_browser(f"{PROFILE}; sleep 1000 & {PORT} {DEAF}")
    plan = LaunchPlan(
        path=browser, link="pipe" if link == "pipe" else "websocket", stop_grace_s=GRACE_S
    )
    with nothing_left():
        async with launch(plan) as chromium:
            await until(lambda: len(members(chromium.pid)) == 3)
        assert chromium.exit_code == -signal.SIGKILL
        await until(lambda: members(chromium.pid) == [])


async def test_children_of_a_browser_that_ended_by_itself_are_killed(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    with nothing_left():
        async with launch(LaunchPlan(path=fake_browser("sleep 1000 & exit 3"))) as chromium:
            assert await chromium.wait_exit() == 3
            await until(lambda: members(chromium.pid) == [])


async def test_adopted_orphans_of_a_browser_are_reaped(
    fake_browser: FakeBrowser, nothing_left: NothingLeft, adopting: None
) -> None:
    orphans = "sleep 1000 & sleep 1000 & (sleep 0.1; exit 2) & exit 3"
    with nothing_left():
        async with launch(LaunchPlan(path=fake_browser(orphans))) as chromium:
            assert await chromium.wait_exit() == 3


async def test_suspended_browser_is_killed(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    with nothing_left():
        plan = LaunchPlan(path=fake_browser(ECHO), stop_grace_s=GRACE_S)
        async with launch(plan) as chromium:
            os.killpg(chromium.pid, signal.SIGSTOP)
        assert chromium.exit_code == -signal.SIGKILL


async def test_large_browser_output_does_not_block_and_is_truncated(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    browser = fake_browser("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo; echo last >&2")
    with nothing_left():
        async with launch(LaunchPlan(path=browser)) as chromium:
            assert await chromium.wait_exit() == 0
    assert chromium.stderr_tail().endswith("last")
    assert len(chromium.stderr_tail()) <= 8192


async def test_error_of_the_launch_block_is_raised_unchanged(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    error = KeyError("mine")
    with nothing_left(), pytest.raises(KeyError) as caught:
        async with launch(LaunchPlan(path=fake_browser(ECHO))):
            raise error
    assert caught.value is error
    assert error.__context__ is None


async def test_cancellation_waits_for_the_browser_to_be_gone(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    plan = LaunchPlan(path=fake_browser(DEAF), stop_grace_s=GRACE_S)
    with nothing_left():
        with trio.CancelScope() as scope:
            async with launch(plan) as chromium:
                scope.cancel()
                await trio.sleep_forever()
        assert scope.cancelled_caught
        assert chromium.exit_code == -signal.SIGKILL


@pytest.mark.parametrize("step", range(12))
async def test_cancellation_at_any_time_of_the_launch_leaves_nothing(
    fake_browser: FakeBrowser, nothing_left: NothingLeft, step: int
) -> None:
    plan = LaunchPlan(path=fake_browser(SILENT), link="websocket")
    with nothing_left():
        with trio.move_on_after(0.0007 * step) as deadline:
            async with launch(plan):
                pytest.fail("there is no port")
        assert deadline.cancelled_caught


@pytest.mark.parametrize("spare", range(1, 24))
async def test_descriptor_exhaustion_is_a_launch_error_and_leaves_nothing(
    fake_browser: FakeBrowser, nothing_left: NothingLeft, spare: int
) -> None:
    plan = LaunchPlan(path=fake_browser(ECHO))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    first_free = os.dup(0)
    os.close(first_free)
    with nothing_left():
        resource.setrlimit(resource.RLIMIT_NOFILE, (first_free + spare, hard))
        try:
            async with launch(plan):
                pass
        except SystemRefused as error:
            assert os.strerror(errno.EMFILE) in str(error)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"path": Path("/no/such/browser")}, BrowserNotFound),
        ({"profile": Path("/dev/null")}, ProfileUnusable),
        ({"extra_args": ("--remote-debugging-port=1",)}, ArgumentRefused),
    ],
)
async def test_invalid_launch_plan_is_refused_before_browser_starts(
    fake_browser: FakeBrowser,
    nothing_left: NothingLeft,
    change: dict[str, object],
    error: type[LaunchError],
) -> None:
    plan = LaunchPlan(**{"path": fake_browser("touch $0.ran"), **change})  # type: ignore[arg-type]
    with nothing_left(), pytest.raises(error):
        async with launch(plan):
            pytest.fail("it cannot start")
    assert not plan.path.with_name("browser.ran").exists()


async def test_launch_with_port_in_use_fails_before_starting_browser(
    fake_browser: FakeBrowser, nothing_left: NothingLeft, taken_port: int
) -> None:
    plan = LaunchPlan(path=fake_browser("touch $0.ran"), link="websocket", port=taken_port)
    with nothing_left(), pytest.raises(PortTaken):
        async with launch(plan):
            pytest.fail("it cannot start")
    assert not plan.path.with_name("browser.ran").exists()


async def test_port_in_use_does_not_matter_to_pipe_launch(
    fake_browser: FakeBrowser, nothing_left: NothingLeft, taken_port: int
) -> None:
    with nothing_left():
        async with launch(LaunchPlan(path=fake_browser(ECHO), port=taken_port)) as chromium:
            assert chromium.pipe is not None


async def test_persistent_profile_is_kept_and_locked_while_browser_runs(
    fake_browser: FakeBrowser, nothing_left: NothingLeft, tmp_path: Path
) -> None:
    plan = LaunchPlan(path=fake_browser(ECHO), profile=tmp_path / "profile")
    with nothing_left():
        async with launch(plan) as chromium:
            (chromium.profile / "Cookies").write_text("kept")
            with pytest.raises(ProfileLocked) as caught:
                async with launch(plan):
                    pytest.fail("it is in use")
            assert chromium.exit_code is None
        assert caught.value.pid == os.getpid()
        async with launch(plan) as chromium:
            assert (chromium.profile / "Cookies").read_text() == "kept"


async def test_concurrent_launches_have_separate_profiles_and_processes(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    plan = LaunchPlan(path=fake_browser(ECHO))
    with nothing_left():
        async with launch(plan) as one, launch(plan) as other:
            assert one.profile != other.profile
            assert one.pid != other.pid


async def test_launch_on_windows_raises_not_supported(
    fake_browser: FakeBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(NotSupported, match="Windows"):
        async with launch(LaunchPlan(path=fake_browser(ECHO))):
            pytest.fail("it cannot start")


async def test_browser_is_not_started_when_guardian_cannot_watch_it(
    fake_browser: FakeBrowser, nothing_left: NothingLeft, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_guardian: Guardian, _group: int) -> None:
        raise KeyError("the guardian was not told")

    monkeypatch.setattr(Guardian, "watch", fail)
    plan = LaunchPlan(path=fake_browser("touch $0.ran"))
    with nothing_left(), pytest.raises(KeyError):
        async with launch(plan):
            pytest.fail("it may not start")
    assert not plan.path.with_name("browser.ran").exists()


async def test_killed_guardian_is_replaced_and_still_cleans_up(
    fake_browser: FakeBrowser, nothing_left: NothingLeft
) -> None:
    with nothing_left():
        async with launch(LaunchPlan(path=fake_browser(SILENT), stop_grace_s=0)) as chromium:
            await replace_guardian(private(chromium))
        assert naming(private(chromium)) == {}


OWNER = """
import sys, trio
from pathlib import Path
from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.process import launch

async def main():
    async with launch(LaunchPlan(path=Path(sys.argv[1]))) as chromium:
        print(f"{chromium.pid} {chromium.profile.parent}", flush=True)
        await trio.sleep_forever()

trio.run(main)
"""


@pytest.mark.parametrize("browser_state", ["deaf", "stopped", "guardian replaced"])
async def test_killed_owner_leaves_no_browser_processes_or_files(
    fake_browser: FakeBrowser, nothing_left: NothingLeft, temporary: Path, browser_state: str
) -> None:
    browser = fake_browser(f"sleep 1000 & {DEAF}")
    command = [sys.executable, "-c", OWNER, str(browser)]
    with nothing_left():
        owner = await trio.lowlevel.open_process(
            command, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(temporary)}
        )
        assert owner.stdout is not None
        try:
            pid, directory = (await owner.stdout.receive_some()).split()
            group, path = int(pid), Path(directory.decode())
            await until(lambda: len(members(group)) == 3)
            if browser_state == "stopped":
                os.killpg(group, signal.SIGSTOP)
            if browser_state == "guardian replaced":
                await replace_guardian(path)
        finally:
            owner.kill()
            await owner.wait()
            await owner.stdout.aclose()
        await until(lambda: members(group) == [] and not path.exists() and not naming(path))

"""Fixtures for all tests: isolation from the user's environment, shared servers."""

import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest
import trio
from hypothesis import settings

from tabwright.browser.machine import SCREENS
from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.process import launch
from tabwright.config.loader import VARIABLE_PREFIX
from tabwright.config.settings import FleetSettings
from tabwright.http.proxy_discovery import BYPASS_VARIABLES, PROXY_VARIABLES
from tabwright.testing.redis_server import RedisServer

START_S = 20.0
"""Far longer than a browser takes to start."""

# A busy machine is no failure. What a commit shows does not depend on luck: the same examples
# each time; `make explore` is for those that nobody has seen yet.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("steady")


# A shell that starts the tests in the background has them ignore SIGINT, and so would the programs
# that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Exclude all objects that exist before the first test from garbage collection."""
    gc.collect()  # also the classes that attrs has replaced by classes with slots
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def environment_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hide the user's settings, profile, proxies and display from the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        patch.setenv("LC_ALL", "C.UTF-8")
        for variable in [name for name in os.environ if name.startswith(VARIABLE_PREFIX)]:
            patch.delenv(variable)
        for variable in (*PROXY_VARIABLES, *BYPASS_VARIABLES, *SCREENS, "XDG_RUNTIME_DIR"):
            patch.delenv(variable, raising=False)
        patch.setenv("NO_PROXY", "*")  # for one that is found on this machine
        patch.setenv("TABWRIGHT_SERVER__AUTOSTART", "false")  # a command leaves no process behind
        yield


@pytest.fixture(scope="session")
def new_states(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An iterator of paths for the state directories of the tests.

    They are not inside the `tmp_path` base, which pytest scans for each new directory.
    """
    folder = tmp_path_factory.mktemp("states")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def state_of_its_own(new_states: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own state directory."""
    folder = next(new_states)
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))


@pytest.fixture(scope="session")
def quick_tabwright(environment_of_its_own: None) -> Iterator[list[str]]:
    """The `tabwright` command, run in forks of a process with its modules loaded."""
    del environment_of_its_own
    with forks_of("tabwright") as command:
        yield command


@pytest.fixture(scope="session")
def quick_pytest() -> Iterator[list[str]]:
    """The `pytest` command for the tests of the working directory, run in forks."""
    with forks_of("pytest") as command:
        yield command


@contextmanager
def forks_of(program: str) -> Generator[list[str]]:
    """Run a fork server for a program, and yield the command of its client."""
    server, client = (
        str(Path(__file__).with_name(f"fork_{end}.py")) for end in ("server", "client")
    )
    with TemporaryDirectory() as short:  # the path of a socket has at most 108 bytes
        address = str(Path(short) / "socket")
        serving = [sys.executable, "-P", server, address, program]
        with subprocess.Popen(serving, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdout
            assert process.stdout.readline() == b"listening\n"
            yield [sys.executable, "-I", "-S", client, address]
            process.communicate()


@pytest.fixture(scope="session")
def browser_in_thread(
    environment_of_its_own: None,
) -> Callable[[LaunchPlan], AbstractContextManager[str]]:
    """A context manager that runs a browser for several tests, and returns its endpoint.

    Each test has an event loop of its own, so that none of them can run the browser.
    """
    del environment_of_its_own
    return running_browser


@contextmanager
def running_browser(plan: LaunchPlan) -> Generator[str]:
    started, leave = SimpleQueue[str](), threading.Event()

    async def run() -> None:
        async with launch(plan) as chromium:
            started.put(str(chromium.endpoint))
            await trio.to_thread.run_sync(leave.wait)

    thread = threading.Thread(target=trio.run, args=(run,))
    thread.start()
    try:
        yield started.get(timeout=START_S)
    finally:
        leave.set()
        thread.join()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """A Redis server for all tests; each test uses its own fleet name."""
    with RedisServer() as server:
        yield server


@pytest.fixture
def fleet_settings(redis_server: RedisServer) -> FleetSettings:
    """Settings of a fleet with a unique name."""
    return FleetSettings(
        redis=redis_server.url, name=f"test-{uuid4().hex}", worker=None, lease_s=30, outage_max_s=60
    )


@pytest.fixture(autouse=True)
def no_child_left() -> Iterator[None]:
    """Fail a test that leaves a child process behind, running or as a zombie."""
    before = children()
    yield
    assert children() <= before


def children() -> set[str]:
    """Return the ids of child processes of all threads, including zombies."""
    found = set[str]()
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # the thread has ended, and another has its children
            found.update((thread / "children").read_text().split())
    return found

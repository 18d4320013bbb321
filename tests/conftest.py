"""Fixtures for all tests: isolation from the user's environment, shared servers."""

import gc
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tabwright.browser import launch
from tabwright.browser.machine import SCREENS
from tabwright.cdp.chromium import finding
from tabwright.config.variables import VARIABLE_PREFIX
from tabwright.http.proxy_discovery import BYPASS_VARIABLES, PROXY_VARIABLES
from tabwright.plugins.fleet.settings import FleetSettings
from tests.support.redis_server import RedisServer

from .second_look import FIRST, SecondLook
from .shared_browser import VARIABLE, SharedBrowsers, sharing_launcher

EVERY_NTH_SEED = 8
"""Which seeds of a simulation each change runs."""

SEEDS = "tests/seeds/"
EXAMPLES = 25
"""How many examples of a property each change tries; of those in `SEEDS` a hundred."""

TRIED = "_hypothesis_internal_use_settings"
"""Where Hypothesis keeps the settings of a test."""

PROCESSES = {"quick_tabwright", "redis_server", "own_redis_server"}
"""Fixtures of tests that start processes; so do those with the mark `chromium`."""

MARK_OF_FIXTURE = {"redis_server": "redis", "own_redis_server": "redis", "screen": "screen"}
PROGRAM_OF_MARK = {"redis": "redis-server", "screen": "Xvfb"}

WHOLE = "--whole-browser"
PLUGINS = "--all-plugins"
STEADY = "steady"
NO_CONSTANTS = providers._local_constants

# A busy machine is no failure. What a commit shows does not depend on luck: the same examples
# each time; `make explore` is for those that nobody has seen yet.
settings.register_profile(STEADY, deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile(STEADY)


# A shell that starts the tests in the background has them ignore SIGINT, and so would the programs
# that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for a second look at the tests that fail, and for the browser."""
    parser.addoption(FIRST, action="store_true", help="Run failed tests again, alone, at the end.")
    parser.addoption(PLUGINS, action="store_true", help="Run all end-to-end tests of plugins.")
    parser.addoption(WHOLE, action="store_true", help="Use Chromium instead of its headless shell.")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Take the second look in the process that hands out the tests, not in its workers.

    Examples do not depend on the modules that other tests of a worker have imported: Hypothesis
    would also try the constants in them.
    """
    if settings.get_current_profile_name() == STEADY:
        providers._get_local_constants = lambda: NO_CONSTANTS
    if config.getoption(WHOLE):
        finding._PLACES["linux"][finding.SHELL] = finding._Places()
    if config.getoption(FIRST) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(SecondLook())


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, object, object]:
    """Mark tests by their fixtures, leave some to `make nightly`, and order the others.

    Those that are left are seven of eight seeds, and the end-to-end tests of plugins but for the
    smoke tests, unless the command line asks for those of plugins.
    """
    runs_plugins = config.getoption(PLUGINS) or any("tests/plugins" in one for one in config.args)
    for item in items:
        seeds = getattr(getattr(item, "callspec", None), "indices", {})
        if seeds.get("seed", 0) % EVERY_NTH_SEED:
            item.add_marker(pytest.mark.nightly)
        for fixture in MARK_OF_FIXTURE.keys() & {*getattr(item, "fixturenames", ())}:
            item.add_marker(MARK_OF_FIXTURE[fixture])
        if not item.nodeid.startswith(SEEDS):
            _limit_examples(getattr(item, "obj", None))
        if not runs_plugins and "tests/plugins" in item.nodeid and _is_long(item):
            item.add_marker(pytest.mark.nightly)
    result = yield
    if workers := os.environ.get("PYTEST_XDIST_WORKER_COUNT"):
        items[:] = _by_worker(items, int(workers))
    return result


def _limit_examples(test: object) -> None:
    """Limit the examples of a property that has no settings of its own."""
    usual = settings.default
    if settings.get_current_profile_name() == STEADY and getattr(test, TRIED, None) == usual:
        setattr(test, TRIED, settings(usual, max_examples=EXAMPLES))


def _by_worker(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """Return the tests in an order in which each worker begins with tests in Chromium.

    A worker gets one of as many equal parts, and later what others have not begun. At the end
    these are short tests.
    """
    long = [item for item in items if item.get_closest_marker("chromium")]
    short = [item for item in items if not item.get_closest_marker("chromium")]
    order: list[pytest.Item] = []
    for number in range(workers):
        order += long[number::workers]  # each has some of the slow files
        order += short[len(short) * number // workers : len(short) * (number + 1) // workers]
    return order


def _is_long(item: pytest.Item) -> bool:
    marks = {mark.name for mark in item.iter_markers()}
    starts = "chromium" in marks or PROCESSES & {*getattr(item, "fixturenames", ())}
    return bool(starts) and "smoke" not in marks


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Say which program is missing, instead of failing somewhere inside a test."""
    for mark in item.iter_markers():
        program = PROGRAM_OF_MARK.get(mark.name)
        if program is not None and shutil.which(program) is None:
            pytest.fail(f"{program} is missing; `make test-programs` installs it.", pytrace=False)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage in a step that makes thousands of objects, nearly all of which stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


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
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("LC_ALL", "C.UTF-8")
        for variable in [name for name in os.environ if name.startswith(VARIABLE_PREFIX)]:
            patch.delenv(variable)
        for variable in (*PROXY_VARIABLES, *BYPASS_VARIABLES, *SCREENS, "XDG_RUNTIME_DIR"):
            patch.delenv(variable, raising=False)
        patch.setenv("NO_PROXY", "*")  # for one that is found on this machine
        patch.setenv("TABWRIGHT_DAEMON__AUTOSTART", "false")  # a command leaves no process behind
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
def shared_browsers(environment_of_its_own: None) -> Iterator[SharedBrowsers]:
    """The browsers that the tests of this process share."""
    del environment_of_its_own
    with closing(SharedBrowsers()) as browsers:
        yield browsers


@pytest.fixture(autouse=True)
def sharing_of_browsers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the clients of a test share browsers, except with the mark `own_browser`.

    That includes clients in forks of `quick_tabwright`.
    """
    marks = {mark.name for mark in request.node.iter_markers()}
    if "chromium" in marks and "own_browser" not in marks:
        browsers: SharedBrowsers = request.getfixturevalue("shared_browsers")
        endpoints = browsers.launch(whole="whole_browser" in marks)
        monkeypatch.setenv(VARIABLE, json.dumps(endpoints))
        monkeypatch.setattr(launch, "ChromiumLauncher", sharing_launcher())


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """A Redis server for all tests; each test uses its own fleet name."""
    with RedisServer() as server:
        yield server


@pytest.fixture
def own_redis_server() -> Iterator[RedisServer]:
    """A Redis server that a test can kill; it keeps its data in a file."""
    with RedisServer(keeps=True) as server:
        yield server


@pytest.fixture
def fleet_settings(redis_server: RedisServer) -> FleetSettings:
    """Settings of a fleet with a unique name."""
    return FleetSettings(
        redis=redis_server.url,
        name=f"test-{uuid4().hex}",
        worker=None,
        lease_s=30,
        outage_max_s=60,
        drain_s=20,
        reads_pages=False,
    )


@pytest.fixture(autouse=True)
def no_child_left(sharing_of_browsers: None) -> Iterator[None]:
    """Fail a test that leaves a child process behind, running or as a zombie."""
    del sharing_of_browsers  # which are launched before
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

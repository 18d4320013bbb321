"""Fixtures for fault tests: clients to put faults into, and checks around them."""

import os
import shutil
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Literal, Protocol, TypeAlias, TypeVar

import attrs
import mcp_types as mcp
import pytest
import trio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from tabwright import Environment, Tabwright
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.protocol.actions import Action, Outcome
from tabwright.protocol.browser_pool import BrowserPool, LeaseTab, TabUse
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import Evaluate, Inspection, LocateOnPage
from tabwright.protocol.page_text import PageText
from tabwright.protocol.sessions import Sessions
from tabwright.testing.replica.server import Exchange, Seen, ServerResponse, html, open_server
from tabwright.testing.replica.site import answer_page

AnswerT = TypeVar("AnswerT")
Work: TypeAlias = Callable[[], Awaitable[object]]
Fate: TypeAlias = Literal["stays", "goes", "none"]

IN_TAB = ReadOptions(min_tier=2)
BOUND_S = 90.0
"""For any call to end, under any fault, on a machine with too much to do."""

REST_S = 10.0
"""For what a fault has stirred up to come to rest."""

FIRST_S = 30.0
"""For the site to listen."""

SESSION = "s"
"""Whose tab a fault is put into."""

BYSTANDER = "bystander"
"""A session whose tab has nothing to do with any fault."""

DOWNLOADS = "downloads"
WANTED = (DOWNLOADS, "profiles")
"""What may stay in the temporary directory."""

BALLAST_BYTES = 64 << 20
"""More than any page takes in the blink of an eye."""

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@attrs.define(eq=False)
class Web:
    """A site on loopback, with ordinary, faulty and test-specific pages.

    Attributes:
        pages: the responses for additional paths.
        log: every request.
    """

    port: int = 0
    pages: dict[str, ServerResponse] = attrs.field(factory=dict[str, ServerResponse])
    log: list[Seen] = attrs.field(factory=list[Seen])

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def put(self, path: str, body: str) -> None:
        self.pages[path] = html(f"<!doctype html>{body}")

    def asked(self, path: str) -> int:
        """Return how often a path was requested, with any query."""
        return sum(seen.path.partition("?")[0] == path for seen in self.log)

    async def answer(self, exchange: Exchange) -> None:
        if page := self.pages.get(exchange.path):
            await exchange.answer(page)
        else:
            await answer_page(exchange, otherwise=partial(ServerResponse, status=404))

    async def serve(self, listening: Callable[[None], None], leave: threading.Event) -> None:
        async with open_server(self.answer, self.log) as self.port:
            listening(None)
            await trio.to_thread.run_sync(leave.wait)


@pytest.fixture(scope="session")
def site() -> Iterator[Web]:
    """A site in its own thread, which runs even if a fault blocks our event loop."""
    own, listening, leave = Web(), SimpleQueue[None](), threading.Event()
    thread = threading.Thread(target=trio.run, args=(own.serve, listening.put, leave))
    thread.start()
    try:
        listening.get(timeout=FIRST_S)
        yield own
    finally:
        leave.set()
        thread.join()


@pytest.fixture
def web(site: Web) -> Web:
    """The site, cleared of the pages and the requests of other tests."""
    site.pages.clear()
    site.log.clear()
    return site


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


@attrs.frozen
class Members:
    """Processes and files of the browsers with private directories in a folder."""

    folder: Path

    @property
    def browsers(self) -> set[int]:
        """The main processes of the browsers, which lead their groups."""
        needle = f"--user-data-dir={self.folder}/"
        return {pid for pid, line in lines() if needle in line and leads(pid)}

    def of_type(self, kind: str) -> set[int]:
        """Return processes by type: ``renderer``, ``gpu-process``, ``utility``."""
        return {pid for pid, line in self._children() if f"--type={kind}" in line}

    def service(self, name: str) -> set[int]:
        """Return the processes of a Chromium service such as ``network``."""
        return {pid for pid, line in self._children() if f"--utility-sub-type={name}." in line}

    @property
    def guardians(self) -> set[int]:
        """The guardian processes that clean up after browsers."""
        needle = f"\0{self.folder}/tabwright-"
        return {pid for pid, line in lines() if needle in line and "done" in line}

    @property
    def all(self) -> set[int]:
        """All processes that name the folder, and the browsers' children."""
        named = {pid for pid, line in lines() if f"{self.folder}/" in line}
        return named | {pid for pid, _ in self._children()}

    @property
    def files(self) -> set[str]:
        """The names in the folder, except those that may stay."""
        return {path.name for path in self.folder.iterdir()} - {*WANTED}

    @property
    def gone(self) -> bool:
        """Whether all processes and files are gone."""
        return not self.all and not self.files

    def _children(self) -> Iterator[tuple[int, str]]:
        groups = self.browsers
        return ((pid, line) for pid, line in lines() if group_of(pid) in groups)


def lines() -> Iterator[tuple[int, str]]:
    """Yield the id and the command line of every process that has one."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError, UnicodeDecodeError):
                yield int(folder.name), (folder / "cmdline").read_text()


def size_of(pid: int) -> int:
    """Return the resident memory of a process in bytes, or 0 if it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
    except OSError:
        return 0


def leads(pid: int) -> bool:
    return group_of(pid) == pid


def group_of(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0


@attrs.frozen(eq=False)
class Trial:
    """A client under test while a fault is put into it.

    Attributes:
        browser: whether the browser ``stays`` or ``goes``, or there is ``none``.
        members: the processes of its browsers.
        searches: whether the browser for searches, which has the profile, is also started.
    """

    tabwright: Tabwright
    web: Web
    browser: Fate
    members: Members
    searches: bool = False

    async def read(self) -> PageText:
        """Read a page without a browser."""
        return await self.tabwright.read(self.web.url("/article"), ReadOptions(max_tier=1))

    async def browse(self, path: str, host: str = "127.0.0.1") -> PageText:
        """Read a page in its own tab."""
        return await self.tabwright.read(self.web.url(path, host), IN_TAB)

    async def lacking(self) -> str:
        """Return the notice that a lease of a searching tab comes with."""
        over = trio.Event()
        lease = await self.tabwright.parts.supervisor.ask(
            BrowserPool.lease_tab, LeaseTab(over, TabUse.SEARCHING, "a look")
        )
        over.set()
        return lease.notice

    async def enter(self, path: str, *, session: str = SESSION, new_tab: bool = False) -> Outcome:
        """Navigate to a page in a session's tab."""
        return await self.tabwright.parts.sessions.ask(
            Sessions.enter, session, self.web.url(path), new_tab=new_tab
        )

    async def ask(
        self,
        request: Action | Inspection[AnswerT],
        *,
        session: str = SESSION,
        tab: int | None = None,
    ) -> AnswerT:
        """Perform an action or an inspection in a session's tab."""
        method = Sessions.act if isinstance(request, Action) else Sessions.inspect
        return await self.tabwright.parts.sessions.ask(method, session, request, tab=tab)

    async def value(self, script: str, *, session: str = SESSION, tab: int | None = None) -> str:
        """Return the value of a script as JSON."""
        return (await self.ask(Evaluate(script), session=session, tab=tab)).json

    async def renderer(self, session: str = SESSION) -> int:
        """Return the renderer of a session's page, found by its memory growth."""
        before = {pid: size_of(pid) for pid in self.members.of_type("renderer")}
        await self.value(f"window.ballast = new Uint8Array({BALLAST_BYTES}).fill(1); 1")
        grown = {pid: size_of(pid) - size for pid, size in before.items()}
        return max(grown, key=lambda pid: grown[pid])

    async def refused(self, work: Work) -> TabwrightError:
        """Return the error of `work`, which has a message and advice or a retry."""
        with trio.fail_after(BOUND_S), pytest.raises(TabwrightError) as caught:
            await work()
        error = caught.value
        assert error.message
        assert error.advice or error.retryable, f"{error.kind}: {error.message}"
        return error

    async def refused_amid(
        self, work: Work, path: str, fault: Callable[[], object]
    ) -> TabwrightError:
        """Return the error of `work`; `fault` runs once `path` is requested."""
        errors: list[TabwrightError] = []

        async def end() -> None:
            errors.append(await self.refused(work))

        before = self.web.asked(path)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(end)
            await until_true(lambda: self.web.asked(path) > before or errors)
            fault()
        return errors[0]

    async def warm_up(self) -> None:
        """Start everything that starts on first need, and open both sessions."""
        with trio.fail_after(BOUND_S):
            await self.read()
            if self.browser == "none":
                return
            await self.browse("/article")
            if self.searches:
                await self.lacking()
            for session in (BYSTANDER, SESSION):
                await self.enter("/article", session=session)
            await self.value("window.mine = 'untouched'", session=BYSTANDER)
            while len((await self.tabwright.pool()).tabs) > len((BYSTANDER, SESSION)):
                await trio.sleep(0.02)

    async def judge(self, first: set[int]) -> None:
        """Check that further calls work, and compare the browsers with `first`."""
        with trio.fail_after(BOUND_S):
            await self.read()
            if self.browser == "none":
                return
            if self.browser == "goes":
                await until_true(lambda: self.members.browsers - first)
                await self._come_back(BYSTANDER)
            else:
                assert await self.value("window.mine", session=BYSTANDER) == '"untouched"'
                assert self.members.browsers == first
            await self.browse("/article")
            await self._come_back(SESSION)

    async def _come_back(self, session: str) -> None:
        """Check that a session works again in one tab, after at most one error."""
        with suppress(TabwrightError):
            await self.ask(LocateOnPage(), session=session)
        _first, *others = await self.tabwright.parts.sessions.ask(Sessions.change_tabs, session)
        for tab in others:
            await self.tabwright.parts.sessions.ask(
                Sessions.change_tabs, session, "close", tab.number
            )
        await self.enter("/article", session=session)
        assert await self.value("1 + 1", session=session) == "2"


async def until_true(fact: Callable[[], object]) -> None:
    """Wait until a condition is true, at most `BOUND_S`."""
    with trio.fail_after(BOUND_S):
        while not fact():
            await trio.sleep(0.02)


OpenTrial: TypeAlias = Callable[..., AbstractAsyncContextManager[Trial]]


@pytest.fixture
def until() -> Callable[[Callable[[], object]], Awaitable[None]]:
    return until_true


@pytest.fixture
def members(temporary: Path) -> Members:
    return Members(temporary)


@pytest.fixture
def oracle(web: Web, members: Members) -> OpenTrial:
    """Open a client for a block that puts in a fault, and check the effects.

    After the block, the next call works, the bystander is untouched (unless the browser was to go
    and has been replaced), and the block has left no tab, permit or task. After the client, no
    process, folder or descriptor is left.
    """

    @asynccontextmanager
    async def opened(
        browser: Fate = "stays",
        *,
        searches: bool = False,
        environment: Environment | None = None,
        **settings: object,
    ) -> AsyncGenerator[Trial]:
        chosen = {
            "browser__profile": None,
            "network__allow_private": True,
            "network__proxy": "none",
            "acting__downloads": str(members.folder / DOWNLOADS),
            **settings,
        }
        async with nothing_more(partial(traces, members)):
            around = trio.lowlevel.current_task()
            others = len(around.child_nurseries)
            async with open_tabwright(settings_from(override(**chosen)), environment) as tabwright:
                trial = Trial(tabwright, web, browser, members, searches)
                await trial.warm_up()
                async with nothing_more(lambda: held(tabwright, around.child_nurseries[others:])):
                    first = members.browsers
                    yield trial
                    await trial.judge(first)

    return opened


@asynccontextmanager
async def nothing_more(count: Callable[[], Awaitable[Counter[str]]]) -> AsyncGenerator[None]:
    """Check that the block leaves nothing behind, after at most `REST_S`."""
    before = await count()
    yield
    with trio.move_on_after(REST_S):
        while await count() - before:
            await trio.sleep(0.02)
    left = await count() - before
    assert not left


async def held(tabwright: Tabwright, nurseries: Sequence[trio.Nursery]) -> Counter[str]:
    """Count the tabs, permits, waiting requests and tasks."""
    pool, rates = await tabwright.pool(), await tabwright.rates()
    found = Counter(tab.purpose for tab in pool.tabs) + tasks(nurseries)
    found["waits for a tab"] = pool.waiting
    for rate in rates:
        found[f"permit for {rate.site}"] = rate.in_work + rate.waiting
    return found


def tasks(nurseries: Sequence[trio.Nursery]) -> Counter[str]:
    """Count the tasks in the nurseries by name, including nested ones."""
    found = Counter[str]()
    for nursery in nurseries:
        for task in nursery.child_tasks:
            found[task.name] += 1
            found += tasks(task.child_nurseries)
    return found


async def traces(members: Members) -> Counter[str]:
    """Count the processes, the files that may not stay, and the descriptors."""
    await trio.lowlevel.checkpoint()
    found = Counter(members.files)
    found.update(f"process {pid}" for pid in members.all)
    found["descriptors"] = descriptors()
    return found


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


class Processes(Protocol):
    """The parts of the `processes` fixture that are used here."""

    def servers(self, config: Path) -> set[int]: ...


@attrs.frozen(eq=False)
class Served:
    """A real MCP client of `tabwright serve`."""

    client: Client
    web: Web
    config: Path
    processes: Processes

    @property
    def servers(self) -> set[int]:
        return self.processes.servers(self.config)

    async def browse(self, path: str = "/article") -> mcp.CallToolResult:
        """Read a page in a tab of the server."""
        arguments = {"url": self.web.url(path), "min_tier": 2}
        return await self.client.call_tool("browse", arguments)


OpenServed: TypeAlias = Callable[..., AbstractAsyncContextManager[Served]]


@pytest.fixture
def open_served(
    write_config: Callable[..., Path], processes: Processes, members: Members, web: Web
) -> OpenServed:
    """Open MCP clients of servers; a shell runs `before` and starts each server.

    The servers' temporary directory is the test's, and is removed with it.
    """

    @asynccontextmanager
    async def opened(before: str = ":", **groups: dict[str, object]) -> AsyncGenerator[Served]:
        config = write_config(**groups)
        command = [sys.executable, "-m", "tabwright", "serve", "--config", str(config)]
        parameters = StdioServerParameters(
            command="/bin/sh",
            args=["-c", f'{before}; exec "$@"', "sh", *command],
            env={**os.environ, "TMPDIR": str(members.folder)},
        )
        async with nothing_more(partial(traces, members)), Client(parameters) as client:
            yield Served(client, web, config, processes)

    return opened

"""A client with a fault in it, and what must hold of it all the same: the oracle."""

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

from tabwright import Environment, Tabwright, load_settings, open_tabwright, override
from tabwright.protocol.actions import Action, Outcome
from tabwright.protocol.browser_pool import LeaseTab, TabUse
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import Evaluate, Inspection, LocateOnPage
from tabwright.protocol.page_text import PageText
from tabwright.protocol.sessions import ChangeTabs, InTab, OpenSession
from tabwright.protocol.tab import Act, Inspect
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
    """Pages on loopback, served by a thread of their own: good and bad ones, and those of a test.

    Attributes:
        pages: what a path is answered with that is not among the ordinary ones.
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
        """How often requested a path, whatever its query."""
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
    """Where a fault stops our event loop, it does not stop this."""
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
    """The same, without the pages and the requests of other tests."""
    site.pages.clear()
    site.log.clear()
    return site


@pytest.fixture
def temporary(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The system's temporary directory during a test: short, and its own."""
    tmp_path_factory.getbasetemp()  # which would else come to lie in it
    path = Path(tempfile.mkdtemp(prefix="t"))
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    yield path
    shutil.rmtree(path)


@attrs.frozen
class Members:
    """The processes of the browsers whose private directories lie in a folder."""

    folder: Path

    @property
    def browsers(self) -> set[int]:
        """Those that lead the others."""
        needle = f"--user-data-dir={self.folder}/"
        return {pid for pid, line in lines() if needle in line and leads(pid)}

    def of_type(self, kind: str) -> set[int]:
        """Their children of a kind: ``renderer``, ``gpu-process``, ``utility``."""
        return {pid for pid, line in self._children() if f"--type={kind}" in line}

    def service(self, name: str) -> set[int]:
        """Those that keep a service of Chromium's, as ``network``."""
        return {pid for pid, line in self._children() if f"--utility-sub-type={name}." in line}

    @property
    def guardians(self) -> set[int]:
        """Those that clear up after us."""
        needle = f"\0{self.folder}/tabwright-"
        return {pid for pid, line in lines() if needle in line and "done" in line}

    @property
    def all(self) -> set[int]:
        """All that know of the folder, and their children."""
        named = {pid for pid, line in lines() if f"{self.folder}/" in line}
        return named | {pid for pid, _ in self._children()}

    @property
    def files(self) -> set[str]:
        """What is in the folder, but for what may stay."""
        return {path.name for path in self.folder.iterdir()} - {*WANTED}

    @property
    def gone(self) -> bool:
        """Whether there is nothing of them any more."""
        return not self.all and not self.files

    def _children(self) -> Iterator[tuple[int, str]]:
        groups = self.browsers
        return ((pid, line) for pid, line in lines() if group_of(pid) in groups)


def lines() -> Iterator[tuple[int, str]]:
    """The command lines of all processes that have one."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError, UnicodeDecodeError):
                yield int(folder.name), (folder / "cmdline").read_text()


def size_of(pid: int) -> int:
    """The bytes of memory that a process has; 0 where it is gone."""
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
    """A client that is on trial.

    Attributes:
        browser: what becomes of it.
        members: the processes of its browsers.
        searches: whether the browser of searches, which has the profile, is started, too.
    """

    tabwright: Tabwright
    web: Web
    browser: Fate
    members: Members
    searches: bool = False

    async def read(self) -> PageText:
        """Reads a page without a browser."""
        return await self.tabwright.browse(self.web.url("/article"), ReadOptions(max_tier=1))

    async def browse(self, path: str, host: str = "127.0.0.1") -> PageText:
        """Reads a page in a tab of its own."""
        return await self.tabwright.browse(self.web.url(path, host), IN_TAB)

    async def lacking(self) -> str:
        """What a searching tab is told that the start of its browser had to do without."""
        over = trio.Event()
        lease = await self.tabwright.supervisor.ask(LeaseTab(over, TabUse.SEARCHING, "a look"))
        over.set()
        return lease.notice

    async def enter(self, path: str, *, session: str = SESSION, new_tab: bool = False) -> Outcome:
        """Goes to a page in a session's tab."""
        return await self.tabwright.sessions.ask(OpenSession(session, self.web.url(path), new_tab))

    async def ask(
        self,
        request: Action | Inspection[AnswerT],
        *,
        session: str = SESSION,
        tab: int | None = None,
    ) -> AnswerT:
        """Has a session's tab do something."""
        asked = Act(request) if isinstance(request, Action) else Inspect(request)
        return await self.tabwright.sessions.ask(InTab(session, asked, tab))

    async def value(self, script: str, *, session: str = SESSION, tab: int | None = None) -> str:
        """What a script gives, as JSON."""
        return (await self.ask(Evaluate(script), session=session, tab=tab)).json

    async def renderer(self, session: str = SESSION) -> int:
        """The process that a session's page is drawn in: the one that grows as the page does."""
        before = {pid: size_of(pid) for pid in self.members.of_type("renderer")}
        await self.value(f"window.ballast = new Uint8Array({BALLAST_BYTES}).fill(1); 1")
        grown = {pid: size_of(pid) - size for pid, size in before.items()}
        return max(grown, key=lambda pid: grown[pid])

    async def refused(self, work: Work) -> TabwrightError:
        """The error that `work` ends with, in good time: it says what happened and what to do."""
        with trio.fail_after(BOUND_S), pytest.raises(TabwrightError) as caught:
            await work()
        error = caught.value
        assert error.message
        assert error.advice or error.retryable, f"{error.kind}: {error.message}"
        return error

    async def refused_amid(
        self, work: Work, path: str, fault: Callable[[], object]
    ) -> TabwrightError:
        """The same, where `fault` comes once `work` has the web asked for `path`."""
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
        """Has all that is started on first need, and both sessions at their pages."""
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
        """Asks for more, and looks at the browsers that were there at `first`."""
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
        """A session that has lost its tab may say so once; then all is as before, in one tab."""
        with suppress(TabwrightError):
            await self.ask(LocateOnPage(), session=session)
        _first, *others = await self.tabwright.sessions.ask(ChangeTabs(session))
        for tab in others:
            await self.tabwright.sessions.ask(ChangeTabs(session, "close", tab.number))
        await self.enter("/article", session=session)
        assert await self.value("1 + 1", session=session) == "2"


async def until_true(fact: Callable[[], object]) -> None:
    """Waits for a fact, as long as anything may take."""
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
    """Opens a client for a block in which a fault is put, and judges what comes of it.

    After the block the next call works, the bystander is untouched (unless the browser was to go,
    which has another one come of itself), and no tab, permit or task is left of the block; after
    the client no process, folder or descriptor is.
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
            async with open_tabwright(load_settings(override(**chosen)), environment) as tabwright:
                trial = Trial(tabwright, web, browser, members, searches)
                await trial.warm_up()
                async with nothing_more(lambda: held(tabwright, around.child_nurseries[others:])):
                    first = members.browsers
                    yield trial
                    await trial.judge(first)

    return opened


@asynccontextmanager
async def nothing_more(count: Callable[[], Awaitable[Counter[str]]]) -> AsyncGenerator[None]:
    """In the end there is nothing that was not there before the block."""
    before = await count()
    yield
    with trio.move_on_after(REST_S):
        while await count() - before:
            await trio.sleep(0.02)
    left = await count() - before
    assert not left


async def held(tabwright: Tabwright, nurseries: Sequence[trio.Nursery]) -> Counter[str]:
    """Who has a tab or a permit, or waits for one; and the tasks."""
    pool, rates = await tabwright.pool(), await tabwright.rates()
    found = Counter(tab.purpose for tab in pool.tabs) + tasks(nurseries)
    found["waits for a tab"] = pool.waiting
    for rate in rates:
        found[f"permit for {rate.site}"] = rate.in_work + rate.waiting
    return found


def tasks(nurseries: Sequence[trio.Nursery]) -> Counter[str]:
    """Those in the nurseries, all the way down."""
    found = Counter[str]()
    for nursery in nurseries:
        for task in nursery.child_tasks:
            found[task.name] += 1
            found += tasks(task.child_nurseries)
    return found


async def traces(members: Members) -> Counter[str]:
    """What there is of processes, of files but those that were wanted, and of descriptors."""
    await trio.lowlevel.checkpoint()
    found = Counter(members.files)
    found.update(f"process {pid}" for pid in members.all)
    found["descriptors"] = descriptors()
    return found


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


class Processes(Protocol):
    """See the fixture of all tests with real servers."""

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
        """Has a page read in a tab."""
        arguments = {"url": self.web.url(path), "min_tier": 2}
        return await self.client.call_tool("browse", arguments)


OpenServed: TypeAlias = Callable[..., AbstractAsyncContextManager[Served]]


@pytest.fixture
def open_served(
    write_config: Callable[..., Path], processes: Processes, members: Members, web: Web
) -> OpenServed:
    """Opens servers, each in a shell that has run `before`.

    What they put into the temporary directory is in ours, and gone with them.
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

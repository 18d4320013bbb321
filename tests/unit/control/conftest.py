from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import attrs
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from tabwright.concurrency.nursery import background_nursery
from tabwright.config.loader import settings_from
from tabwright.config.secrets import Secrets
from tabwright.config.settings import Settings
from tabwright.control.server import serve_control
from tabwright.control.transport import ServerSocket, running_servers
from tabwright.protocol.browser_pool import PoolState, TabState, TabUse, WorkerState
from tabwright.protocol.errors import BadInput
from tabwright.protocol.interventions import Intervention, InterventionState
from tabwright.protocol.rate_limit import RateShare, SiteRate
from tabwright.protocol.session_data import StorageState
from tabwright.protocol.sessions import SessionState
from tabwright.protocol.tasks import Tasks, TaskState


def intervention(name: str, state: InterventionState = InterventionState.PENDING) -> Intervention:
    left_s = 10_620 if state.is_open else 0
    url = "https://www.mojeek.com/search?q=x"
    return Intervention(name, state, "mojeek", url, 0, False, 1, 180, left_s)


@attrs.frozen
class FakeSession:
    """A session of a fake `Tabwright`."""

    running: "FakeTabwright"
    name: str

    async def storage_state(self):
        await self.running.begin()
        return self.running.states[self.name]

    async def set_storage_state(self, state):
        await self.running.begin()
        self.running.states[self.name] = state

    async def change_cookies(self, put=()):
        await self.running.begin()
        states = self.running.states
        states[self.name] = states[self.name].updated(StorageState(tuple(put)))


@attrs.define(eq=False)
class FakeTabwright:
    """Fake `Tabwright` that returns preset answers to the control channel."""

    queue: tuple[Intervention, ...] = (intervention("7f3a"),)
    lowered: dict[str, int] = attrs.field(factory=lambda: {"mojeek": 1})
    gate: Callable[[], object] = lambda: None
    """Is called before each answer, and awaited; may fail."""
    answered: list[tuple[str, str]] = attrs.field(factory=list)
    secrets: Secrets = attrs.field(factory=Secrets)
    running: tuple[TaskState, ...] = ()
    changes: list[tuple[str, str]] = attrs.field(factory=list)
    settings: Settings = attrs.field(factory=settings_from)
    states: dict[str, StorageState] = attrs.field(factory=dict)
    """The cookies and the storage of its open sessions."""

    @property
    def parts(self) -> "FakeTabwright":
        """Return this object, in the role of its own parts, and of the task runner."""
        return self

    tasks = parts

    async def ask(self, method, *change):
        await self.begin()
        if method is Tasks.list:
            return self.running
        self.changes.append(change)
        (task,) = (one for one in self.running if one.id == change[0])
        return attrs.evolve(task, paused=change[1] == "pause")

    async def interventions(self):
        await self.begin()
        return self.queue

    async def answer_intervention(self, name, answer):
        await self.begin()
        self.answered.append((name, answer))
        for one in self.queue:
            if one.id == name:
                return attrs.evolve(one, state=InterventionState.IN_PROGRESS, held=True)
        raise BadInput(f"There is no intervention {name!r}.", advice="None waits.")

    async def view_link(self, tab, *, valid_s):
        await self.begin()
        if tab not in {None, 3}:
            raise BadInput(f"There is no tab {tab}.")
        return f"http://127.0.0.1:1/view#{tab}-{valid_s:g}"

    async def list_sessions(self):
        await self.begin()
        return tuple(SessionState(name, "", "", None, 0, 0, saved=False) for name in self.states)

    def session(self, name):
        return FakeSession(self, name)

    async def pool(self):
        await self.begin()
        workers = (WorkerState(0, "Chrome/156.0.8078.79", True, 1), WorkerState(1, "", False, 0))
        tabs = (TabState(3, "mojeek", TabUse.SEARCHING, 0, trio.current_time() - 12),)
        return PoolState(2, 4, workers, tabs, lowered_max_tabs=self.lowered)

    async def rates(self):
        await self.begin()
        used = SiteRate("mojeek", 1, 2, 12, 50, 3.2, 0)
        return (SiteRate("bing", 0, 0, 0, 10, 0, 0), used)

    async def rate_share(self):
        await self.begin()
        return RateShare(is_whole=False, processes=3)

    async def reset_back_off(self):
        await self.begin()
        self.lowered = {}

    async def begin(self):
        waiting = self.gate()
        if waiting is None:
            await trio.lowlevel.checkpoint()
        else:
            await waiting


ServeClient = Callable[..., AbstractAsyncContextManager[ServerSocket]]


@pytest.fixture
def runtime_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A temporary directory as the user's runtime directory."""
    folder = tmp_path_factory.mktemp("run")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


@pytest.fixture
def tabwright() -> FakeTabwright:
    return FakeTabwright()


@pytest.fixture
def new_client() -> type[FakeTabwright]:
    return FakeTabwright


@pytest.fixture
def new_intervention() -> Callable[..., Intervention]:
    return intervention


@pytest.fixture
def serve_client(runtime_folder: Path) -> ServeClient:
    """Return a context manager that serves control requests, also under another pid."""

    @asynccontextmanager
    async def served(
        tabwright: FakeTabwright, pid: int | None = None
    ) -> AsyncGenerator[ServerSocket]:
        before = {server.pid for server in running_servers()}
        async with background_nursery() as nursery:
            nursery.start_soon(serve_control, tabwright)
            await wait_all_tasks_blocked()
            (server,) = [one for one in running_servers() if one.pid not in before]
            if pid is not None:
                server = ServerSocket(
                    pid, server.place.rename(server.place.with_name(f"{pid}.sock"))
                )
            yield server
        if pid is not None:
            server.place.unlink()

    return served

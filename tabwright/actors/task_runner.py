"""The TaskRunner: the running tasks, their sessions, and the history of each session."""

import itertools
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from random import Random

import attrs
import trio

from tabwright.agent.events import TaskEventLog
from tabwright.agent.executor import AgentBrowser
from tabwright.agent.history import PromptHistory
from tabwright.agent.model_calls import ModelCaller
from tabwright.agent.prompts import Fence
from tabwright.agent.task import RunningTask
from tabwright.config.secrets import NAME, Secrets
from tabwright.config.settings import Settings
from tabwright.page.upload_paths import allowed_path
from tabwright.protocol.actor import Address
from tabwright.protocol.errors import BadInput
from tabwright.protocol.sessions import Sessions
from tabwright.protocol.tasks import RunTask, TaskControl, TaskResult, TaskState

TASKS_MAX = 32
"""The maximum number of running tasks."""

HISTORIES_MAX = 64
"""Sessions whose last task is remembered; the least recently used is dropped."""

NONCE_BITS = 64


@attrs.define(eq=False)
class TaskRunner:
    """The implementation of `tabwright.protocol.tasks.Tasks`."""

    _sessions: Address[Sessions]
    _secrets: Secrets
    _random: Random
    _now: Callable[[], float]
    _upload_path: Callable[[str], str]
    _numbers: Iterator[int] = attrs.field(factory=lambda: itertools.count(1), init=False)
    _at_work: dict[str, RunningTask] = attrs.field(factory=dict[str, RunningTask], init=False)
    _histories: dict[str, PromptHistory] = attrs.field(factory=dict[str, PromptHistory], init=False)
    _unopened: set[str] = attrs.field(factory=set[str], init=False)
    _named: dict[str, frozenset[str]] = attrs.field(factory=dict[str, frozenset[str]], init=False)

    async def run(self, request: RunTask, /) -> TaskResult:
        await self._forget_closed_sessions()
        self._check(request)
        task = self._begun(request)
        self._at_work[task.id] = task
        try:
            result = await task.run()
        finally:
            del self._at_work[task.id]
        # A session of which no browser was used has a history, too.
        if request.session in await self._open_sessions():
            self._unopened.discard(request.session)
        else:
            self._unopened.add(request.session)
        return result

    async def list(self) -> tuple[TaskState, ...]:
        await trio.lowlevel.checkpoint()
        return tuple(task.state for task in self._at_work.values())

    async def change(self, task: str, change: TaskControl) -> TaskState:
        await trio.lowlevel.checkpoint()
        found = self._at_work.get(task)
        if found is None:
            known = ", ".join(self._at_work)
            raise BadInput(
                f"No task {task!r} is running.",
                advice=f"There are: {known}." if known else "There is none.",
            )
        found.change(change)
        return found.state

    async def _forget_closed_sessions(self) -> None:
        if self._histories:
            busy = {task.request.session for task in self._at_work.values()}
            kept = await self._open_sessions() | busy | self._unopened
            for session in self._histories.keys() - kept:
                del self._histories[session], self._named[session]
            self._unopened &= self._histories.keys()

    async def _open_sessions(self) -> set[str]:
        return {state.name for state in await self._sessions.ask(Sessions.list)}

    def _check(self, request: RunTask) -> None:
        """Check that a request can be served.

        Raises:
            BadInput: it cannot.
        """
        if not request.task.strip():
            raise BadInput("The task is empty.", advice="Describe what to do.")
        limits = request.limits
        counts = (limits.steps_max, limits.actions_max, limits.failures_max)
        if min(*counts, limits.validations_max, limits.planning_interval) < 1:
            raise BadInput("A limit is less than 1.", advice="Set it to 1 or more.")
        if len(self._at_work) >= TASKS_MAX:
            raise BadInput(
                f"{TASKS_MAX} tasks are running.", advice="Wait for one to end, or cancel one."
            )
        for task in self._at_work.values():
            if task.request.session == request.session:
                raise BadInput(
                    f"Task {task.id} is running in session {request.session!r}.",
                    advice="Wait for it, cancel it, or use another session.",
                )

    def _begun(self, request: RunTask) -> RunningTask:
        history = self._history(request)
        number = f"task-{next(self._numbers)}"
        browser = AgentBrowser(
            self._sessions,
            request.session,
            self._secrets,
            self._named[request.session],
            self._upload_path,
        )
        limits = request.limits
        models = ModelCaller(request.model, history)
        log = TaskEventLog(
            number, limits.steps_max, request.report, self._now, self._secrets.masked
        )
        return RunningTask(number, request, browser, models, history, log)

    def _history(self, request: RunTask) -> PromptHistory:
        """Return the prompt history, which continues the session's last one for a follow-up."""
        before = self._histories.pop(request.session, None)
        fence = Fence(f"{self._random.getrandbits(NONCE_BITS):016x}")
        follows = before is not None and request.follow_up
        history = before if before and follows else PromptHistory(fence, self._secrets)
        history.begin(request.task)
        self._histories[request.session] = history
        self._named[request.session] = frozenset(NAME.findall(request.task)) | (
            self._named.get(request.session, frozenset()) if follows else frozenset()
        )
        for session in list(self._histories)[:-HISTORIES_MAX]:
            del self._histories[session], self._named[session]
        return history


@asynccontextmanager
async def task_runner(
    sessions: Address[Sessions],
    secrets: Secrets,
    random: Random,
    now: Callable[[], float],
    settings: Settings,
) -> AsyncGenerator[TaskRunner]:
    """Run a task runner; its tasks are cancelled with it.

    Args:
        sessions: where tasks are done.
        secrets: the secrets that tasks can type by name.
        random: generates nonces.
        now: returns the time in seconds since 1970 UTC.
        settings: name the folders with files that can be uploaded.
    """
    await trio.lowlevel.checkpoint()
    yield TaskRunner(sessions, secrets, random, now, partial(allowed_path, settings=settings))

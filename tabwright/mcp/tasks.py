"""Long calls as tasks: the MCP extension ``io.modelcontextprotocol/tasks`` (SEP-2663).

A call of a client that declares the extension becomes a task if it does not end soon. The client
then polls the task, answers its questions, or cancels it, and needs no open connection meanwhile.
"""

import logging
import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal, TypeAlias

import attrs
import mcp_types as mcp
import msgspec
import trio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from tabwright.config.loader import write_private
from tabwright.mcp.client_questions import CallClient, ClientRequest
from tabwright.mcp.handshake import TASKS
from tabwright.mcp.results import CallResult
from tabwright.mcp.sdk_client import name_of, request_for, take_answer
from tabwright.mcp.tool import CallProgress, ToolResult
from tabwright.mcp.tool_calls import Render, RunningCall
from tabwright.text.file_errors import file_problem

# The files of tasks: after the end of a server, the next one still knows its tasks.
# A task whose call was running then has failed. What it did until then is not known.

ENDED: Final = "The server ended before the call. What the call did until then is not known."

_TASK_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")

_log = logging.getLogger("tabwright.tasks")


@attrs.frozen
class TaskFiles:
    """A folder with a file for each task, readable only by its owner.

    Without the folder, or on a full disk, tasks work as before, and the log has the reason.
    """

    folder: Path

    def write(self, task_id: str, state: dict[str, object]) -> None:
        """Write the state of a task atomically (see `CallTask.state`)."""
        path = self.folder / f"{task_id}.json"
        try:
            write_private(path, msgspec.json.encode(state))
        except OSError as error:
            _log.warning("A task was not saved. %s", file_problem(error, path, writing=True))

    def read(self, task_id: str) -> dict[str, object] | None:
        """Return the state of a task of an earlier server; None if there is none."""
        if not _TASK_ID.fullmatch(task_id):
            return None
        try:
            text = (self.folder / f"{task_id}.json").read_bytes()
            state = msgspec.json.decode(text, type=dict[str, object])
        except (OSError, msgspec.DecodeError):
            return None
        if state.get("status") not in {"working", "input_required"}:
            return state
        error = {"code": mcp.INTERNAL_ERROR, "message": ENDED}
        kept = {name: value for name, value in state.items() if name != "inputRequests"}
        return {**kept, "status": "failed", "statusMessage": ENDED, "error": error}

    def drop_before(self, moment: datetime) -> None:
        """Delete the files that were written before a moment."""
        for path in self.folder.glob("*.*"):
            try:
                if path.stat().st_mtime < moment.timestamp():
                    path.unlink()
            except OSError:
                continue  # another server has deleted it


# The tasks of this server.

TASK_AFTER_S = 5.0
"""A call that takes longer becomes a task, in seconds."""

POLL_MS = 1_000
"""How often clients should ask, in milliseconds."""

KEPT = timedelta(hours=1)
"""How long the result of a task is kept after its end."""

TASKS_MAX = 256
"""The maximum number of kept tasks; beyond it, the earliest ended ones are dropped."""

Status: TypeAlias = Literal["working", "input_required", "completed", "cancelled"]
Context = ServerRequestContext[dict[str, object]]


class TaskParams(mcp.RequestParams):
    """Parameters of `tasks/get` and `tasks/cancel`."""

    task_id: str


class TaskUpdateParams(TaskParams):
    """Parameters of `tasks/update`."""

    input_responses: mcp.InputResponses


def declares_tasks(client: CallClient) -> bool:
    """Return whether the client of a request accepts a task instead of a result."""
    return TASKS in (client.capabilities.extensions or {})


@attrs.define(eq=False)
class TaskSteps:
    """Takes the progress of a task; see `tabwright.mcp.tool_calls.Steps`."""

    task: "CallTask"
    client: CallClient
    shown: Callable[[str], str]

    def put(self, step: CallProgress) -> None:
        """Note the next step."""
        self.task.change("working", self.shown(str(step)))

    def ends_with(self, question: ClientRequest) -> bool:
        """Return whether the client answers such questions."""
        return self.client.capabilities.can_be_asked(question)

    async def forward(self) -> None:
        """Wait until cancelled: the client asks for the steps."""
        await trio.sleep_forever()


@attrs.define(eq=False)
class CallTask:
    """A call that has become a task.

    Attributes:
        status: its current status; the last two are final.
        message: its latest step.
    """

    task_id: str
    call: RunningCall
    now: Callable[[], datetime]
    status: Status = attrs.field(default="working", init=False)
    message: str = attrs.field(default="", init=False)
    created: datetime = attrs.field(init=False)
    updated: datetime = attrs.field(init=False)
    result: CallResult | None = attrs.field(default=None, init=False)
    _answered: trio.Event = attrs.field(factory=trio.Event, init=False)

    def __attrs_post_init__(self) -> None:
        self.created = self.updated = self.now()

    @property
    def is_over(self) -> bool:
        """Return whether the task has ended."""
        return self.status in {"completed", "cancelled"}

    def change(self, status: Status, message: str = "") -> None:
        """Note the status and the latest step."""
        self.status, self.message, self.updated = status, message, self.now()

    async def follow(self, steps: TaskSteps, render: Render) -> None:
        """Wait for the end of the call, and for the client's answers to its questions."""
        end: ToolResult | Exception
        try:
            while not isinstance(step := await self.call.result(steps), ToolResult):
                self.change("input_required", str(step))
                await self._answered.wait()
                self._answered = trio.Event()
                self.change("working")
            end = step
        except Exception as error:  # noqa: BLE001  (`render` tells them apart)
            end = error
        if not self.is_over:
            self.result = render(end)
            self.change("completed")

    def answer(self, answers: mcp.InputResponses) -> None:
        """Take the client's answers; those to other questions are ignored."""
        question = self.call.question
        if self.status == "input_required" and question and name_of(question) in answers:
            take_answer(question, answers[name_of(question)])
            self._answered.set()

    def cancel(self) -> None:
        """Cancel the call, unless it has ended."""
        if not self.is_over:
            self.call.cancel()
            self.change("cancelled")
            self._answered.set()

    def state(self) -> dict[str, object]:
        """Return the task as the extension describes it (``DetailedTask``)."""
        kept = self.updated + KEPT - self.created
        details: dict[str, object] = {
            "taskId": self.task_id,
            "status": self.status,
            "createdAt": self.created.isoformat(),
            "lastUpdatedAt": self.updated.isoformat(),
            "ttlMs": int(kept.total_seconds() * 1000) if self.is_over else None,
            "pollIntervalMs": POLL_MS,
        }
        if self.message:
            details["statusMessage"] = self.message
        if self.status == "input_required" and self.call.question is not None:
            question = self.call.question
            asked = request_for(question)
            sent = asked.model_dump(by_alias=True, mode="json", exclude_none=True)
            details["inputRequests"] = {name_of(question): sent}
        if self.result is not None:
            details["result"] = self.result.as_json()
        return details


@attrs.define(eq=False)
class CallTasks:
    """The tasks of a user by their unguessable ids.

    Attributes:
        files: keep the tasks beyond the end of the server; None for a server of one client.
    """

    _nursery: trio.Nursery
    files: TaskFiles | None = attrs.field(default=None, init=False)
    _now: Callable[[], datetime] = attrs.field(default=lambda: datetime.now(UTC))
    _tasks: dict[str, CallTask] = attrs.field(factory=dict[str, CallTask], init=False)

    def serve(self, server: Server[dict[str, object]]) -> None:
        """Have a server offer the extension."""
        server.extensions[TASKS] = {}
        server.add_request_handler("tasks/get", TaskParams, self.get)
        server.add_request_handler("tasks/update", TaskUpdateParams, self.update)
        server.add_request_handler("tasks/cancel", TaskParams, self.cancel)

    def begin(
        self, call: RunningCall, client: CallClient, shown: Callable[[str], str], render: Render
    ) -> dict[str, object]:
        """Make a task of a call, and return the result that names it.

        Args:
            call: the call.
            client: who called.
            shown: converts a text for display.
            render: converts the result of the call.
        """
        self._drop_old()
        task = CallTask(secrets.token_urlsafe(), call, self._now)
        self._tasks[task.task_id] = task
        self._nursery.start_soon(self._follow, task, TaskSteps(task, client, shown), render)
        return {**task.state(), "resultType": "task"}

    async def _follow(self, task: CallTask, steps: TaskSteps, render: Render) -> None:
        """Follow a call to its end, and write its state at the beginning and at the end."""
        await self._write(task)
        await task.follow(steps, render)
        await self._write(task)

    async def _write(self, task: CallTask) -> None:
        if self.files is not None:
            await trio.to_thread.run_sync(self.files.write, task.task_id, task.state())

    async def get(self, _context: Context, params: TaskParams) -> dict[str, object]:
        """Return the state of a task, with its result or its questions (`tasks/get`).

        Raises:
            MCPError: there is no such task.
        """
        await trio.lowlevel.checkpoint()
        if params.task_id not in self._tasks and self.files is not None:
            self.files.drop_before(self._now() - KEPT)
            if state := self.files.read(params.task_id):
                return {**state, "resultType": "complete"}
        return {**self._find(params.task_id).state(), "resultType": "complete"}

    async def update(self, _context: Context, params: TaskUpdateParams) -> dict[str, object]:
        """Take the client's answers (`tasks/update`).

        Raises:
            MCPError: there is no such task.
        """
        await trio.lowlevel.checkpoint()
        self._find(params.task_id).answer(params.input_responses)
        return {"resultType": "complete"}

    async def cancel(self, _context: Context, params: TaskParams) -> dict[str, object]:
        """Cancel a task (`tasks/cancel`).

        Raises:
            MCPError: there is no such task.
        """
        await trio.lowlevel.checkpoint()
        task = self._find(params.task_id)
        task.cancel()
        await self._write(task)
        return {"resultType": "complete"}

    def _find(self, task_id: str) -> CallTask:
        self._drop_old()
        task = self._tasks.get(task_id)
        if task is None:
            raise MCPError(mcp.INVALID_PARAMS, "There is no such task, or it ended long ago.")
        return task

    def _drop_old(self) -> None:
        ended = [task for task in self._tasks.values() if task.is_over]
        first = self._now() - KEPT
        too_many = max(0, len(self._tasks) - TASKS_MAX)
        for number, task in enumerate(sorted(ended, key=lambda one: one.updated)):
            if number < too_many or task.updated < first:
                del self._tasks[task.task_id]

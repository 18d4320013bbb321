"""A call that has become a task: polling, questions, answers, cancellation, expiry."""

from datetime import UTC, datetime, timedelta

import mcp_types as mcp
import pytest
import trio
from mcp.shared.exceptions import MCPError

from tabwright.mcp.client_questions import ConfirmationQuestion
from tabwright.mcp.handshake import TASKS
from tabwright.mcp.results import CallResult, TextContent
from tabwright.mcp.sdk_client import SDKClient
from tabwright.mcp.tasks import (
    KEPT,
    TASKS_MAX,
    CallTasks,
    TaskFiles,
    TaskParams,
    TaskUpdateParams,
    declares_tasks,
)
from tabwright.mcp.tool import ToolResult
from tabwright.mcp.tool_calls import RunningCall
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.progress import AnswerProgress

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class Session:
    """A fake client of the modern protocol era that can show questions to its user."""

    client_capabilities = mcp.ClientCapabilities(
        elicitation=mcp.ElicitationCapability(form=mcp.FormElicitationCapability())
    )
    can_send_request = False


class Clock:
    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tasks(nursery, clock) -> CallTasks:
    return CallTasks(nursery, clock)


def render(end):
    text = end.message if isinstance(end, Exception) else str(end.parts[0])
    return CallResult(content=(TextContent(text),), is_error=isinstance(end, Exception))


@pytest.fixture
def begin(tasks, nursery):
    def begun(work) -> str:
        call = RunningCall(work)
        nursery.start_soon(call.run)
        made = tasks.begin(call, SDKClient(Session()), lambda text: f"<{text}>", render)
        assert made["resultType"] == "task"
        return made["taskId"]

    return begun


async def state(tasks, task_id):
    await trio.testing.wait_all_tasks_blocked()
    return await tasks.get(None, TaskParams(task_id=task_id))


async def test_task_result_is_polled_with_progress(tasks, begin, autojump_clock):
    async def work(progress):
        await trio.sleep(1)
        progress(AnswerProgress("one"))
        await trio.sleep(9)
        return ToolResult("done")

    task_id = begin(work)
    await trio.sleep(2)
    working = await state(tasks, task_id)
    assert working["status"] == "working"
    assert working["resultType"] == "complete"
    assert working["statusMessage"].startswith("<")
    assert working["ttlMs"] is None
    assert datetime.fromisoformat(working["createdAt"]) == BEGIN
    await trio.sleep(20)
    ended = await state(tasks, task_id)
    assert ended["status"] == "completed"
    assert ended["result"]["content"][0]["text"] == "done"
    assert ended["ttlMs"] == KEPT.total_seconds() * 1000


async def test_failed_task_completes_with_an_error_result(tasks, begin, autojump_clock):
    async def work(_progress):
        await trio.sleep(1)
        raise PageFailed("gone")

    task_id = begin(work)
    await trio.sleep(5)
    ended = await state(tasks, task_id)
    assert ended["status"] == "completed"
    assert ended["result"]["isError"] is True


@pytest.mark.parametrize("action", ["accept", "decline"])
async def test_task_question_is_answered_by_an_update(tasks, begin, action, autojump_clock):
    async def work(progress):
        question = ConfirmationQuestion("Really?")
        progress(question)
        return ToolResult(str(await question.confirmed(1000)))

    task_id = begin(work)
    asked = await state(tasks, task_id)
    assert asked["status"] == "input_required"
    [(name, request)] = asked["inputRequests"].items()
    assert request["method"] == "elicitation/create"
    assert request["params"]["message"] == "Really?"
    for key in ("something else", name):
        answers = {key: mcp.ElicitResult(action=action)}
        await tasks.update(None, TaskUpdateParams(task_id=task_id, input_responses=answers))
    ended = await state(tasks, task_id)
    assert ended["status"] == "completed"
    assert ended["result"]["content"][0]["text"] == str(action == "accept")


async def test_a_cancelled_task_stops_its_work(tasks, begin, autojump_clock):
    stopped = trio.Event()

    async def work(_progress):
        try:
            await trio.sleep(1000)
        finally:
            stopped.set()

    task_id = begin(work)
    await state(tasks, task_id)
    await tasks.cancel(None, TaskParams(task_id=task_id))
    await stopped.wait()
    assert (await state(tasks, task_id))["status"] == "cancelled"
    await tasks.cancel(None, TaskParams(task_id=task_id))


async def test_task_result_expires_after_the_retention_period(tasks, begin, clock, autojump_clock):
    async def work(_progress):
        return ToolResult("done")

    task_id = begin(work)
    await state(tasks, task_id)
    clock.now += KEPT - timedelta(seconds=1)
    assert (await state(tasks, task_id))["status"] == "completed"
    clock.now += timedelta(seconds=2)
    with pytest.raises(MCPError):
        await state(tasks, task_id)


async def test_oldest_finished_tasks_are_dropped_above_the_limit(
    tasks, begin, clock, autojump_clock
):
    async def work(_progress):
        return ToolResult("done")

    ids = list[str]()
    for _ in range(TASKS_MAX + 3):
        clock.now += timedelta(seconds=1)
        ids.append(begin(work))
        await trio.testing.wait_all_tasks_blocked()
    assert (await state(tasks, ids[-1]))["status"] == "completed"
    with pytest.raises(MCPError):
        await state(tasks, ids[0])


async def test_an_unknown_task_is_an_error(tasks):
    for asked in (tasks.get, tasks.cancel):
        with pytest.raises(MCPError):
            await asked(None, TaskParams(task_id="unknown"))


@pytest.mark.parametrize(
    ("extensions", "declares"),
    [(None, False), ({}, False), ({"other": {}}, False), ({TASKS: {}}, True)],
)
def test_only_a_client_that_declares_the_extension_gets_tasks(extensions, declares):
    session = Session()
    session.client_capabilities = mcp.ClientCapabilities(extensions=extensions)
    assert declares_tasks(SDKClient(session)) == declares


async def test_restarted_server_has_finished_results_and_reports_lost_tasks(
    tasks, begin, nursery, tmp_path
):
    async def quick(_progress):
        await trio.sleep(0.01)
        return ToolResult("done")

    async def endless(_progress):
        await trio.sleep_forever()

    tasks.files = TaskFiles(tmp_path / "tasks")
    done, lost = begin(quick), begin(endless)
    states = {f"{done}.json": "completed", f"{lost}.json": "working"}
    with trio.fail_after(10):
        while not all(
            (file := tmp_path / "tasks" / name).exists() and state in file.read_text()
            for name, state in states.items()
        ):
            await trio.sleep(0.01)
    later = CallTasks(nursery)
    later.files = tasks.files
    ended = await later.get(None, TaskParams(task_id=done))
    assert ended["result"]["content"][0]["text"] == "done"
    failed = await later.get(None, TaskParams(task_id=lost))
    assert (failed["status"], failed["error"]["code"]) == ("failed", mcp.INTERNAL_ERROR)
    with pytest.raises(MCPError):
        await later.get(None, TaskParams(task_id=f"../tasks/{done}"))
    late = CallTasks(nursery, lambda: datetime.now(UTC) + 2 * KEPT)
    late.files = tasks.files
    with pytest.raises(MCPError):
        await late.get(None, TaskParams(task_id=done))
    assert not list((tmp_path / "tasks").iterdir())

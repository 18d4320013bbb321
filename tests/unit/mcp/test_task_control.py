"""``task_control`` over MCP: listing, pausing, resuming and cancelling tasks."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from random import Random

import pytest
import trio
from mcp.client.client import Client

from tabwright import Tabwright
from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.protocol.llm import ModelRequest, ModelResponse
from tabwright.protocol.tasks import Limits, RunTask, TaskEnd, TaskResult
from tabwright.testing.demo import text_of
from tabwright.testing.determinism import simulated_environment
from tabwright.testing.fake import FakeSite, fake_launcher
from tests.support.tasks import run_task

NOTE = '{"current_state": {}, "action": [{"cache_content": {"content": "x"}}]}'
PLAN = '{"done": false, "next_steps": "Wait."}'


class Thinker:
    """A fake model that never ends its task and takes a second for each answer."""

    async def answer(self, question: ModelRequest, /) -> ModelResponse:
        await trio.sleep(1)
        return ModelResponse(PLAN if question.part == "planner" else NOTE)


@asynccontextmanager
async def running() -> AsyncGenerator[tuple[Tabwright, Client, list[TaskResult]]]:
    """Run an endless task; its result is added to the list when it has ended."""
    random, ends = Random(0), list[TaskResult]()
    environment = simulated_environment(fake_launcher(FakeSite(), random), random)
    settings = settings_from(override(acting__downloads=None))
    async with open_tabwright(settings, environment) as tabwright, trio.open_nursery() as nursery:

        async def run() -> None:
            limits = Limits(steps_max=1000)
            ends.append(
                await run_task(
                    tabwright, RunTask(task="Wait.", session="s", model=Thinker(), limits=limits)
                )
            )

        nursery.start_soon(run)
        async with Client(MCPGateway(tabwright, nursery).server) as client:
            await trio.sleep(5)
            yield tabwright, client, ends
        nursery.cancel_scope.cancel()


async def test_running_task_is_listed_with_its_step(autojump_clock) -> None:
    async with running() as (_, client, _ends):
        text = text_of(await client.call_tool("task_control", {}))
    assert text.startswith("task-1  running  step ")
    assert text.endswith("of 1000, session s: Wait.")


async def test_paused_task_goes_no_further_until_it_is_resumed(autojump_clock) -> None:
    async def step(client: Client) -> str:
        return text_of(await client.call_tool("task_control", {})).partition("step ")[2]

    async with running() as (_, client, ends):
        paused = await client.call_tool("task_control", {"action": "pause", "id": "task-1"})
        assert "paused" in text_of(paused)
        await trio.sleep(5)
        before = await step(client)
        await trio.sleep(30)
        assert await step(client) == before
        await client.call_tool("task_control", {"action": "resume", "id": "task-1"})
        await trio.sleep(30)
        assert await step(client) != before
        assert not ends


async def test_cancelled_task_ends(autojump_clock) -> None:
    async with running() as (_, client, ends):
        await client.call_tool("task_control", {"action": "cancel", "id": "task-1"})
        await trio.sleep(1)
        assert [one.end for one in ends] == [TaskEnd.CANCELLED]
        assert text_of(await client.call_tool("task_control", {})) == "No task is running."


@pytest.mark.parametrize("arguments", [{"action": "pause"}, {"action": "pause", "id": "task-9"}])
async def test_task_that_is_not_running_is_refused(arguments, autojump_clock) -> None:
    async with running() as (_, client, _ends):
        result = await client.call_tool("task_control", arguments)
    assert result.is_error
    assert result.meta["tabwright/error"]["kind"] == "bad_input"

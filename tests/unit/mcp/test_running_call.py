"""A search that continues between two calls of its client."""

import attrs
import mcp_types as mcp
import pytest
import trio

from tabwright.mcp.sdk_client import SDKClient
from tabwright.mcp.tool_calls import ProgressSender, RunningCall
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.progress import AnswerProgress, HumanNeededProgress

RESULT = mcp.CallToolResult(content=[])
NEED = HumanNeededProgress("Please.", "https://www.google.com/sorry/", 300, lambda: None)


SHOWS_URLS = mcp.ClientCapabilities(
    elicitation=mcp.ElicitationCapability(url=mcp.UrlElicitationCapability())
)


@attrs.define
class Session:
    """A fake session that records progress messages."""

    client_capabilities: mcp.ClientCapabilities = SHOWS_URLS
    can_send_request: bool = False
    reported: list[str] = attrs.field(factory=list)

    async def report_progress(self, progress, total, message):
        self.reported.append(message)


async def answering(progress):
    progress(AnswerProgress("one"))
    await trio.sleep(5)
    return RESULT


async def needing(progress):
    progress(NEED)
    await trio.sleep(30)
    progress(AnswerProgress("late"))
    await trio.sleep(5)
    return RESULT


async def failing(progress):
    await trio.sleep(1)
    raise PageFailed("gone")


async def test_running_call_returns_its_result_and_reports_steps(nursery, autojump_clock):
    session, search = Session(), RunningCall(answering)
    nursery.start_soon(search.run)
    assert await search.result(ProgressSender(SDKClient(session), "1")) is RESULT
    assert session.reported == ["one"]


async def test_error_of_a_running_call_is_raised_to_its_waiter(nursery, autojump_clock):
    search = RunningCall(failing)
    nursery.start_soon(search.run)
    with pytest.raises(PageFailed):
        await search.result(ProgressSender(SDKClient(Session()), "1"))


async def test_running_call_returns_a_question_and_then_the_result(nursery, autojump_clock):
    search, second = RunningCall(needing), Session()
    nursery.start_soon(search.run)
    assert await search.result(ProgressSender(SDKClient(Session()), "1")) is NEED
    assert search.question is NEED
    await trio.sleep(10)
    assert await search.result(ProgressSender(SDKClient(second), "2")) is RESULT
    assert second.reported == ["late"]


async def test_finished_running_call_returns_its_result_at_once(nursery, autojump_clock):
    search = RunningCall(needing)
    nursery.start_soon(search.run)
    await search.result(ProgressSender(SDKClient(Session()), "1"))
    await trio.sleep(100)
    assert await search.result(ProgressSender(SDKClient(Session()), "2")) is RESULT
    assert trio.current_time() < 101


async def test_client_without_elicitation_waits_for_the_result(nursery, autojump_clock):
    session, search = Session(mcp.ClientCapabilities()), RunningCall(needing)
    nursery.start_soon(search.run)
    assert await search.result(ProgressSender(SDKClient(session), "1")) is RESULT
    assert session.reported[0] == "Please."


async def test_cancelled_running_call_ends(autojump_clock):
    async with trio.open_nursery() as nursery:
        search = RunningCall(needing)
        nursery.start_soon(search.run)
        await trio.sleep(1)
        search.cancel()
    assert trio.current_time() < 5

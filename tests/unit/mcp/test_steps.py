"""Progress messages and questions that an MCP client gets before an answer."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import attrs
import mcp_types as mcp
import pytest
import trio
from mcp.shared.exceptions import MCPError

from tabwright.concurrency.nursery import background_nursery
from tabwright.mcp.sdk_client import SDKClient
from tabwright.mcp.tool_calls import ALIVE_EVERY_S, ProgressSender
from tabwright.protocol.progress import AnswerProgress, HumanNeededProgress

URL = "https://www.google.com/sorry/index?continue=x"
SHOWS_URLS = mcp.ClientCapabilities(
    elicitation=mcp.ElicitationCapability(url=mcp.UrlElicitationCapability())
)
SHOWS_FORMS = mcp.ClientCapabilities(
    elicitation=mcp.ElicitationCapability(form=mcp.FormElicitationCapability())
)


@attrs.define
class Session:
    """Fake SDK session with only the methods that progress steps use."""

    client_capabilities: mcp.ClientCapabilities | None = SHOWS_URLS
    can_send_request: bool = True
    answer: str = "accept"
    reported: list[tuple[float, str]] = attrs.field(factory=list)
    asked: list[tuple[str, str]] = attrs.field(factory=list)
    slow_s: float = 0.0

    async def report_progress(self, progress, total, message):
        await trio.sleep(self.slow_s)
        self.reported.append((progress, message))

    async def elicit_url(self, message, url, elicitation_id):
        self.asked.append((url, elicitation_id))
        if self.answer == "never":
            await trio.sleep_forever()
        if self.answer == "error":
            raise MCPError(mcp.INVALID_PARAMS, "no")
        return mcp.ElicitResult(action=self.answer)


@asynccontextmanager
async def telling(session: Session) -> AsyncGenerator[ProgressSender]:
    steps = ProgressSender(SDKClient(session), "7")
    async with background_nursery() as nursery:
        nursery.start_soon(steps.forward)
        yield steps


def needed(declined: list[bool]) -> HumanNeededProgress:
    return HumanNeededProgress("Please.", URL, 300, lambda: declined.append(True))


async def test_slow_client_receives_only_the_newest_progress(autojump_clock):
    session = Session(slow_s=1.0)
    async with telling(session) as steps:
        for text in ("a", "ab", "abc", "abcd"):
            steps.put(AnswerProgress(text))
            await trio.sleep(0.4)
        await trio.sleep(3)
    assert session.reported == [(1, "a"), (2, "abc"), (3, "abcd")]


async def test_silent_search_repeats_its_last_progress(autojump_clock):
    session = Session()
    async with telling(session) as steps:
        await trio.sleep(2 * ALIVE_EVERY_S)
        assert session.reported == []
        steps.put(AnswerProgress("a"))
        await trio.sleep(2.5 * ALIVE_EVERY_S)
    assert session.reported == [(1, "a"), (2, "a"), (3, "a")]


async def test_client_with_url_elicitation_is_asked_to_show_the_page(autojump_clock):
    session, declined = Session(), []
    async with telling(session) as steps:
        steps.put(needed(declined))
        await trio.sleep(1)
    assert session.asked == [(URL, "captcha-7")]
    assert session.reported == [(1, "Please.")]
    assert not declined


@pytest.mark.parametrize("answer", ["decline", "cancel"])
async def test_declined_elicitation_declines_the_intervention(answer, autojump_clock):
    session, declined = Session(answer=answer), []
    async with telling(session) as steps:
        steps.put(needed(declined))
        await trio.sleep(1)
    assert declined == [True]


@pytest.mark.parametrize("answer", ["never", "error"])
async def test_unanswered_or_failed_elicitation_does_not_count_as_declined(answer, autojump_clock):
    session, declined = Session(answer=answer), []
    async with telling(session) as steps:
        steps.put(needed(declined))
        await trio.sleep(100)
        steps.put(AnswerProgress("a"))
        await trio.sleep(1)
    assert not declined
    assert session.reported[-1][1] == "a"


@pytest.mark.parametrize(
    ("capabilities", "can_send"), [(None, True), (SHOWS_FORMS, True), (SHOWS_URLS, False)]
)
async def test_client_without_url_elicitation_gets_the_message_as_progress(
    capabilities, can_send, autojump_clock
):
    session = Session(client_capabilities=capabilities, can_send_request=can_send)
    async with telling(session) as steps:
        steps.put(needed([]))
        await trio.sleep(1)
    assert session.asked == []
    assert session.reported == [(1, "Please.")]

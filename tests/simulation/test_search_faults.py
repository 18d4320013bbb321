"""A search, its follow-up and a hand-over, with each fault at each command in turn."""

from itertools import product

import pytest
import trio

from tabwright.actors.kit.tracing import RequestStarted
from tabwright.protocol.errors import PageFailed, TabwrightError
from tabwright.search.ai_mode.result import failure_message
from tabwright.testing.fake import FakeAnswer, FakeBarrier, FakeSite, Fault, FaultKind
from tabwright.text.languages import texts_of

COMMANDS = (
    "Browser.getVersion",
    "Browser.setDownloadBehavior",
    "Browser.close",
    "Target.createTarget",
    "Target.attachToTarget",
    "Target.closeTarget",
    "Page.enable",
    "Page.setLifecycleEventsEnabled",
    "Page.navigate",
    "Page.createIsolatedWorld",
    "Network.enable",
    "Fetch.enable",
    "Emulation.setUserAgentOverride",
    "Runtime.callFunctionOn",
    "Input.insertText",
    "Input.dispatchKeyEvent",
)
ANSWER = FakeAnswer(paragraphs=("One.", "Two."), sources=(("News", "https://news.example/"),))
SIGNED_LINK = "https://www.google.com/goto?url=CAESabc_123"
FAULTS = [*product((1, 2, 3, 5), COMMANDS, FaultKind)]
OF_EACH_CHANGE = {*FAULTS[: len(COMMANDS) * len(FaultKind) : 2]}
"""Every second fault at the first of each command: three or four of the seven kinds."""

ENDS_WITHIN_S = 1000
"""Far longer than every time-out of a search taken together."""


@pytest.mark.parametrize(
    ("nth", "command", "harm"),
    [
        pytest.param(*fault, marks=() if fault in OF_EACH_CHANGE else pytest.mark.nightly)
        for fault in FAULTS
    ],
)
async def test_search_ends_after_any_fault_and_next_one_is_answered(
    nth, command, harm, open_client, autojump_clock
):
    barrier = FakeBarrier("captcha", 5.0)
    site = FakeSite(answer=ANSWER, barrier=barrier)
    async with open_client(site, Fault(harm, command, nth)) as world:
        with trio.fail_after(ENDS_WITHIN_S):
            await _ended(world.tabwright, "A?", follow_up=False)
            await _ended(world.tabwright, "B?", follow_up=True)
            barrier.lifted = True
            result = await _answered(world.tabwright)
        assert result.ai_answer == "One.\n\nTwo."
        assert len(result.sources) == 1


async def _ended(tabwright, query, *, follow_up):
    """Assert that a search ends with an answer, or with an error that has a message."""
    try:
        result = await tabwright.search(query, language="en-US", follow_up=follow_up)
    except TabwrightError as error:
        assert failure_message(error, "zh-CN").startswith(("搜索失败: ", "Search failed: "))
        assert len(str(error)) > 10
    else:
        assert result.success


async def _answered(tabwright):
    """Return the answer of the next search; retry once if the planned fault comes now."""
    try:
        return await tabwright.search("C?", language="en-US")
    except TabwrightError as error:
        assert error.retryable
        return await tabwright.search("D?", language="en-US")


async def test_search_fails_if_page_rejects_the_extraction_script(open_client, autojump_clock):
    faults = [Fault(FaultKind.ERROR, "Runtime.callFunctionOn", nth) for nth in range(1, 200)]
    async with open_client(FakeSite(answer=ANSWER), *faults) as world:
        with trio.fail_after(ENDS_WITHIN_S), pytest.raises(PageFailed) as failed:
            await world.tabwright.search("A?", language="en-US")
        await trio.sleep(5)
        assert world.pages == 0
    own = texts_of("en-US").extraction_failed.partition("{")[0]
    assert own in failure_message(failed.value, "en-US")


@pytest.mark.parametrize(
    "harm", [FaultKind.CRASH, FaultKind.CUT, FaultKind.DETACH, FaultKind.ERROR]
)
async def test_complete_answer_is_returned_when_link_resolution_fails(
    harm, open_client, autojump_clock
):
    site = FakeSite(answer=FakeAnswer(("One.",), (("News", SIGNED_LINK),)))
    async with open_client(site) as world:
        await world.tabwright.search("A?", language="en-US")
        scripts = world.browsers[-1]._faults._calls["Runtime.callFunctionOn"]  # that is the last
    async with open_client(site, Fault(harm, "Runtime.callFunctionOn", scripts)) as world:
        result = await world.tabwright.search("A?", language="en-US")
        assert result.ai_answer == "One."
        assert began(world.trace, "find_redirects") == began(world.trace, "search") == 1
        assert (await world.tabwright.search("B?", language="en-US", follow_up=True)).success


def began(trace, *requests):
    return sum(
        isinstance(record, RequestStarted) and record.request in requests for record in trace
    )

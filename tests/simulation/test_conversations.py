"""Concurrent conversations with AI Mode: a follow-up goes to the one it names."""

import pytest
import trio
import trio.testing

from tabwright.protocol.errors import BadInput
from tabwright.search.ai_mode.search_run import OPEN_MAX
from tabwright.testing.fake import FakeAnswer, FakeSite

SITE = FakeSite(answer=FakeAnswer(paragraphs=("One.",)))


async def test_follow_up_with_an_id_goes_on_in_that_conversation(open_client, autojump_clock):
    async with open_client(SITE) as world:
        first = await world.tabwright.search("Topic A?", language="en-US")
        second = await world.tabwright.search("Topic B?", language="de-DE")
        result = await world.tabwright.search("And for A?", follow_up=first.conversation)
        threads = {thread.id: thread for thread in await world.tabwright.threads()}
    assert first.conversation != second.conversation
    assert (result.conversation, result.continued) == (first.conversation, True)
    assert (result.language, result.warning) == ("en-US", "")
    assert (threads[first.conversation].topic, threads[first.conversation].questions) == (
        "Topic A?",
        2,
    )
    assert threads[second.conversation].questions == 1


async def test_follow_up_without_an_id_continues_the_latest_and_names_it(
    open_client, autojump_clock
):
    async with open_client(SITE) as world:
        await world.tabwright.search("Topic A?", language="en-US")
        latest = await world.tabwright.search("Topic B?", language="en-US")
        result = await world.tabwright.search("And?", language="en-US", follow_up=True)
    assert result.conversation == latest.conversation
    assert "Topic B?" in result.warning


async def test_follow_up_without_an_id_in_the_only_conversation_has_no_warning(
    open_client, autojump_clock
):
    async with open_client(SITE) as world:
        await world.tabwright.search("Topic A?", language="en-US")
        result = await world.tabwright.search("And?", language="en-US", follow_up=True)
    assert (result.continued, result.warning) == (True, "")


async def test_follow_up_in_another_language_warns_that_language_stays(open_client, autojump_clock):
    async with open_client(SITE) as world:
        first = await world.tabwright.search("A?", language="en-US")
        result = await world.tabwright.search("B?", language="de-DE", follow_up=first.conversation)
    assert result.language == "en-US"
    assert "en-US" in result.warning


async def test_follow_up_with_unknown_id_is_refused_without_searching(open_client, autojump_clock):
    async with open_client(SITE) as world:
        first = await world.tabwright.search("A?", language="en-US")
        with pytest.raises(BadInput) as caught:
            await world.tabwright.search("B?", follow_up="c1")
        (thread,) = await world.tabwright.threads()
    assert first.conversation in caught.value.advice
    assert thread.questions == 1


async def test_follow_up_of_closed_conversation_starts_new_one_with_warning(
    open_client, autojump_clock
):
    async with open_client(SITE) as world:
        first = await world.tabwright.search("A?", language="en-US")
        other = await world.tabwright.search("B?", language="en-US")
        await world.tabwright.close_threads()
        third = await world.tabwright.search("C?", language="en-US")
        result = await world.tabwright.search("D?", language="en-US", follow_up=first.conversation)
    assert not result.continued
    assert result.warning
    assert len({one.conversation for one in (first, other, third, result)}) == 4


async def test_concurrent_follow_ups_in_one_conversation_run_in_turn(open_client, autojump_clock):
    async with open_client(SITE) as world:
        first = await world.tabwright.search("A?", language="en-US")
        results = []

        async def ask(query: str) -> None:
            results.append(await world.tabwright.search(query, follow_up=first.conversation))

        async with trio.open_nursery() as nursery:
            for query in ("B?", "C?", "D?"):
                nursery.start_soon(ask, query)
        (thread,) = await world.tabwright.threads()
    assert [result.continued for result in results] == [True] * 3
    assert thread.questions == 4


async def test_cancelled_follow_up_does_not_block_its_conversation(open_client, autojump_clock):
    async with open_client(SITE) as world:
        first = await world.tabwright.search("A?", language="en-US")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: world.tabwright.search("B?", follow_up=first.conversation))
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        with trio.fail_after(60):
            result = await world.tabwright.search("C?", follow_up=first.conversation)
    assert result.success


async def test_oldest_conversation_is_closed_beyond_limit(open_client, autojump_clock):
    async with open_client(SITE) as world:
        asked = [await world.tabwright.search(f"{n}?") for n in range(OPEN_MAX + 2)]
        threads = await world.tabwright.threads()
        await trio.sleep(5)
        assert world.pages == OPEN_MAX
    assert [one.id for one in threads] == [one.conversation for one in asked[2:]]


async def test_conversation_reports_the_number_of_its_tab(open_client, autojump_clock):
    async with open_client(SITE, pool__max_tabs=2) as world:
        await world.tabwright.search("A?", language="en-US")
        await world.tabwright.search("B?", language="en-US")
        threads = await world.tabwright.threads()
        tabs = {tab.number for tab in (await world.tabwright.pool()).tabs}
        shown = {live.state().number for live in world.tabwright.parts.view.pages()}
    assert {thread.tab for thread in threads} == tabs == shown
    assert len(tabs) == 2

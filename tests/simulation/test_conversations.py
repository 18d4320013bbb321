"""Conversations with AI Mode side by side: a follow-up is asked in the one that it names."""

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


async def test_follow_up_without_an_id_says_which_of_several_it_took(open_client, autojump_clock):
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


async def test_follow_up_in_another_language_says_that_the_conversation_keeps_its_own(
    open_client, autojump_clock
):
    async with open_client(SITE) as world:
        first = await world.tabwright.search("A?", language="en-US")
        result = await world.tabwright.search("B?", language="de-DE", follow_up=first.conversation)
    assert result.language == "en-US"
    assert "en-US" in result.warning


async def test_follow_up_with_an_id_that_never_was_is_refused_and_asks_nobody(
    open_client, autojump_clock
):
    async with open_client(SITE) as world:
        first = await world.tabwright.search("A?", language="en-US")
        with pytest.raises(BadInput) as caught:
            await world.tabwright.search("B?", follow_up="c1")
        (thread,) = await world.tabwright.threads()
    assert first.conversation in caught.value.advice
    assert thread.questions == 1


async def test_follow_up_with_the_id_of_a_closed_one_begins_a_new_one_and_says_so(
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


async def test_follow_ups_at_the_same_time_in_one_conversation_wait_for_each_other(
    open_client, autojump_clock
):
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


async def test_follow_up_that_is_cancelled_leaves_the_others_of_its_conversation_unstuck(
    open_client, autojump_clock
):
    async with open_client(SITE) as world:
        first = await world.tabwright.search("A?", language="en-US")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: world.tabwright.search("B?", follow_up=first.conversation))
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        with trio.fail_after(60):
            result = await world.tabwright.search("C?", follow_up=first.conversation)
    assert result.success


async def test_of_too_many_conversations_the_oldest_is_closed(open_client, autojump_clock):
    async with open_client(SITE) as world:
        asked = [await world.tabwright.search(f"{n}?") for n in range(OPEN_MAX + 2)]
        threads = await world.tabwright.threads()
        await trio.sleep(5)
        assert world.pages == OPEN_MAX
    assert [one.id for one in threads] == [one.conversation for one in asked[2:]]


async def test_conversation_names_its_tab_so_that_it_can_be_looked_at(open_client, autojump_clock):
    async with open_client(SITE, pool__max_tabs=2) as world:
        await world.tabwright.search("A?", language="en-US")
        await world.tabwright.search("B?", language="en-US")
        threads = await world.tabwright.threads()
        tabs = {tab.number for tab in (await world.tabwright.pool()).tabs}
        shown = {live.state().number for live in world.tabwright.view.pages()}
    assert {thread.tab for thread in threads} == tabs == shown
    assert len(tabs) == 2

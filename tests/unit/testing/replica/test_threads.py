from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias
from urllib.parse import urlencode

import pytest
from selectolax.lexbor import LexborHTMLParser

from tabwright.protocol.blocks import Paragraph, Quote, TextSpan
from tabwright.testing.replica import Replica, Scenario
from tabwright.testing.replica.scenario import Repeat, Shadow

Shell: TypeAlias = Callable[[str], Awaitable[LexborHTMLParser]]
Watch: TypeAlias = Callable[[str], Awaitable[list[dict[str, object]]]]
Listen: TypeAlias = Callable[[str], Any]

SEARCH = "https://www.google.com/search?udm=50&q=why"
TURN = '[data-xid="aim-mars-turn-root"]'
WAITING = "#aim-chrome-initial-inline-async-container"


def path(page: LexborHTMLParser, endpoint: str, question: str) -> str:
    token = page.css("[data-ei]")[0].attributes["data-ei"]
    return f"/async/{endpoint}?{urlencode({'ei': token, 'q': question})}"


def url(page: LexborHTMLParser, endpoint: str, question: str) -> str:
    return f"https://www.google.com{path(page, endpoint, question)}"


@pytest.mark.parametrize("count", [1, 3, 40])
async def test_thread_scenario_shows_completed_turns_on_load(
    replica: Replica, shell: Shell, count: int
) -> None:
    replica.scenario = Scenario(thread=count)
    page = await shell(SEARCH)
    turns = page.css(TURN)
    asked = [turn.css("span.VndcI > span")[0].text() for turn in turns]
    assert asked == [*(f"why ({number})" for number in range(1, count)), "why"]
    assert [replica.truth(number).question for number in range(count)] == asked
    for number, turn in enumerate(turns):
        assert turn.css('[data-scope-id="turn"][data-complete="true"]')
        assert turn.css('[data-xid="Gd7Hsc"]')
        assert len(turn.css('[role="dialog"] [data-src-id]')) == 10
        opening = replica.truth(number).blocks[0]
        assert isinstance(opening, Paragraph)
        assert isinstance(opening.content[0], TextSpan)
        first_sentence = turn.css('[data-subtree="aimfl"]')[0].text()
        assert first_sentence == opening.content[0].text
    assert not page.css(WAITING)


async def test_follow_up_comes_after_the_turns_of_the_page(
    replica: Replica, shell: Shell, watch: Watch
) -> None:
    replica.scenario = Scenario(step_s=0, thread=5)
    page = await shell(SEARCH)
    with pytest.raises(LookupError):
        replica.truth(5)
    await watch(url(page, "folif", "and then"))
    assert replica.truth(5).question == "and then"


async def test_the_start_page_has_no_earlier_turns(replica: Replica, shell: Shell) -> None:
    replica.scenario = Scenario(thread=3)
    assert not (await shell("https://www.google.com/aimode")).css(TURN)


@pytest.mark.parametrize("shadow", ["open", "closed"])
async def test_earlier_answers_can_be_in_shadow_roots(
    replica: Replica, visit: Callable[..., Any], shadow: Shadow
) -> None:
    replica.scenario = Scenario(thread=2, shadow=shadow)
    html = (await visit(SEARCH)).text
    assert html.count(f'<template data-shadow="{shadow}">') == 2


async def test_completion_signs_can_be_dropped_from_earlier_turns(
    replica: Replica, shell: Shell
) -> None:
    replica.scenario = Scenario(thread=1, drop_signals=frozenset({"complete", "action_bar"}))
    page = await shell(SEARCH)
    assert page.css(TURN)
    assert not page.css("[data-complete]")
    assert not page.css('[data-xid="Gd7Hsc"]')


async def test_reloaded_page_shows_its_turns_again(
    replica: Replica, shell: Shell, watch: Watch, listen: Listen
) -> None:
    page = await shell(SEARCH)
    await watch(url(page, "folwr", "why"))
    replica.scenario = Scenario(step_s=0, reload_at=3)
    async with listen(path(page, "folif", "and then")) as listener:
        await listener.until(b'"reload"')
        other = await shell(f"{SEARCH}&hl=de")
        again = await shell(SEARCH)
    assert [turn.css("span.VndcI > span")[0].text() for turn in again.css(TURN)] == [
        "why",
        "and then",
    ]
    assert not again.css(WAITING)
    assert other.css(WAITING)
    assert replica.truth(-1).question == "and then"
    assert (await shell(SEARCH)).css(WAITING), "only a page that was told to reloads its thread"


async def test_tokens_change_on_every_load(shell: Shell) -> None:
    tokens = {(await shell(SEARCH)).css("[data-ei]")[0].attributes["data-ei"] for _ in range(3)}
    assert len(tokens) == 3


async def asked_thrice(repeat: Repeat, replica: Replica, shell: Shell, watch: Watch) -> None:
    replica.scenario = Scenario(step_s=0, repeat=repeat)
    page = await shell(SEARCH)
    for endpoint in ("folwr", "folif", "folif"):
        await watch(url(page, endpoint, "why"))


async def test_repeated_question_alternates_answers_in_cycle_scenario(
    replica: Replica, shell: Shell, watch: Watch
) -> None:
    await asked_thrice("cycle", replica, shell, watch)
    one, two, three = (replica.truth(turn) for turn in range(3))
    assert one.question == two.question == three.question
    assert one.blocks == three.blocks != two.blocks
    assert one.sources != three.sources


async def test_same_scenario_repeats_answer_and_sources_in_every_turn(
    replica: Replica, shell: Shell, watch: Watch
) -> None:
    await asked_thrice("same", replica, shell, watch)
    assert replica.truth(0) == replica.truth(1) == replica.truth(2)


async def test_quote_scenario_makes_each_answer_quote_the_previous_one(
    replica: Replica, shell: Shell, watch: Watch
) -> None:
    await asked_thrice("quote", replica, shell, watch)
    one, two, three = (replica.truth(turn).blocks for turn in range(3))
    assert not isinstance(one[0], Quote)
    assert isinstance(two[0], Quote)
    assert isinstance(three[0], Quote)
    assert three[1:] == one
    assert three[0].blocks[: len(two[0].blocks)] == two[0].blocks, "a quotation is quoted too"
    assert len(three[0].blocks) > len(two[0].blocks)


async def test_new_page_does_not_quote_answers_of_another_page(
    replica: Replica, shell: Shell, watch: Watch
) -> None:
    await asked_thrice("quote", replica, shell, watch)
    await watch(url(await shell(SEARCH), "folwr", "why"))
    assert not isinstance(replica.truth(3).blocks[0], Quote)


async def test_thread_continues_under_the_next_scenario(
    replica: Replica, shell: Shell, watch: Watch
) -> None:
    page = await shell(SEARCH)
    await watch(url(page, "folwr", "why"))
    replica.scenario = Scenario(step_s=0, repeat="quote")
    await watch(url(page, "folif", "why"))
    assert isinstance(replica.truth(0).blocks[0], Quote)


async def test_quote_scenario_also_applies_to_preloaded_turns(
    replica: Replica, shell: Shell
) -> None:
    replica.scenario = Scenario(thread=3, repeat="quote")
    await shell(SEARCH)
    assert [isinstance(replica.truth(turn).blocks[0], Quote) for turn in range(3)] == [
        False,
        True,
        True,
    ]

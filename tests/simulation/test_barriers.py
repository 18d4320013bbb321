"""CAPTCHAs and consent pages in front of answers: the whole system in virtual time."""

from functools import partial

import pytest
import trio

from tabwright.browser.worker import DRAIN_S
from tabwright.concurrency.grants import hold_grant
from tabwright.protocol.browser_pool import BrowserPool, LeaseTab, TabUse
from tabwright.protocol.errors import BadInput, Barrier, Refusal, SearchBlocked, TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.interventions import InterventionState
from tabwright.protocol.progress import (
    AnswerProgress,
    HumanNeededProgress,
    ProgressEvent,
    ignore_progress,
)
from tabwright.protocol.proxy import ProxyChoice
from tabwright.protocol.tab import Tab
from tabwright.testing.fake import FakeAnswer, FakeBarrier, FakePage, FakeSite

IN_TAB = ReadOptions(min_tier=2)
SLOW_URL = "https://slow.example/"
ENDLESS_URL = "https://endless.example/"
ANSWER = FakeAnswer(paragraphs=("One.", "Two."))


def site(barrier: FakeBarrier) -> FakeSite:
    pages = {SLOW_URL: FakePage(load_s=5.0), ENDLESS_URL: FakePage(load_s=1e6)}
    return FakeSite(pages=pages, answer=ANSWER, barrier=barrier)


def captcha(solved_after_s: float | None) -> FakeSite:
    return site(FakeBarrier("captcha", solved_after_s))


async def test_search_resumes_after_captcha_is_solved_in_window(open_client, autojump_clock):
    steps: list[ProgressEvent] = []
    async with open_client(captcha(40.0)) as world:
        result = await world.tabwright.search("A?", language="en-US", progress=steps.append)
        assert result.ai_answer == "One.\n\nTwo."
        assert [browser.visible for browser in world.browsers] == [False, True]
    assert isinstance(steps[0], HumanNeededProgress)
    assert steps[0].within_s == 300
    assert "5 min" in str(steps[0])
    assert all(isinstance(step, AnswerProgress) for step in steps[1:])


async def test_the_person_is_called_before_the_window_opens(open_client, autojump_clock):
    seen: list[int] = []
    async with open_client(captcha(1.0)) as world:
        await world.tabwright.search(
            "A?",
            progress=lambda step: (
                isinstance(step, HumanNeededProgress) and seen.append(len(world.browsers))
            ),
        )
    assert seen == [1]


async def test_follow_ups_continue_in_captcha_window_until_it_closes(open_client, autojump_clock):
    async with open_client(captcha(1.0)) as world:
        await world.tabwright.search("A?")
        second = await world.tabwright.search("B?", follow_up=True)
        assert second.continued
        assert len(world.browsers) == 2
        await world.tabwright.close_threads()
        await trio.sleep(5)
        await world.tabwright.search("C?")
        assert [browser.visible for browser in world.browsers] == [False, True, False]


async def test_unsolved_captcha_blocks_search_and_its_intervention_expires(
    open_client, autojump_clock
):
    async with open_client(captcha(None), pool__hold_expiry_s=900) as world:
        with pytest.raises(SearchBlocked, match="not solved within 5 min") as caught:
            await world.tabwright.search("A?", language="en-US")
        assert caught.value.barrier is Barrier.CAPTCHA
        assert 300 < trio.current_time() < 310
        (waiting,) = await world.tabwright.interventions()
        assert waiting.id == caught.value.intervention
        assert waiting.state is InterventionState.IN_PROGRESS
        await trio.sleep(900)
        (waiting,) = await world.tabwright.interventions()
        assert waiting.state is InterventionState.EXPIRED
        assert world.pages == 0


async def test_captcha_declined_by_person_fails_the_search(open_client, autojump_clock):
    def decline(step: ProgressEvent) -> None:
        if isinstance(step, HumanNeededProgress):
            step.decline()

    async with open_client(captcha(10.0)) as world:
        with pytest.raises(SearchBlocked, match="declined"):
            await world.tabwright.search("A?", language="en-US", progress=decline)
        assert len(world.browsers) == 1


async def test_captcha_without_screen_fails_without_calling_a_person(open_client, autojump_clock):
    steps: list[ProgressEvent] = []
    async with open_client(captcha(10.0), has_screen=False) as world:
        with pytest.raises(SearchBlocked, match="no screen") as caught:
            await world.tabwright.search("A?", language="en-US", progress=steps.append)
        assert steps == []
        assert len(world.browsers) == 1
        assert caught.value.details()["barrier"] == "captcha"


async def test_captcha_without_screen_keeps_its_tab_for_the_live_view(open_client, autojump_clock):
    steps: list[ProgressEvent] = []
    wall = site(FakeBarrier("captcha", 10.0, in_view=True))
    async with open_client(wall, has_screen=False, view__address="127.0.0.1:0") as world:
        world.tabwright.parts.view.shared.served_at("http://view.example", ())  # not a real port
        result = await world.tabwright.search("A?", language="en-US", progress=steps.append)
        assert result.ai_answer
        assert len(world.browsers) == 1
        assert isinstance(steps[0], HumanNeededProgress)
        assert steps[0].url.startswith("http://view.example/view#")
        assert steps[0].url in steps[0].text
        (ended,) = await world.tabwright.interventions()
        assert (ended.state, ended.link) == (InterventionState.SOLVED, "")


async def test_zero_person_timeout_opens_no_captcha_window(open_client, autojump_clock):
    async with open_client(captcha(1.0), search__person_timeout_s=0) as world:
        with pytest.raises(SearchBlocked):
            await world.tabwright.search("A?")
        assert len(world.browsers) == 1


async def test_one_window_serves_all_waiting_searches(open_client, autojump_clock):
    called: list[ProgressEvent] = []

    def on_progress(step: ProgressEvent) -> None:
        if isinstance(step, HumanNeededProgress):
            called.append(step)

    async with open_client(captcha(30.0)) as world:
        async with trio.open_nursery() as nursery:
            for query in ("A?", "B?", "C?", "D?"):
                nursery.start_soon(_successful, world.tabwright, query, on_progress)
        assert sum(browser.visible for browser in world.browsers) == 1
    assert len(called) == 1


async def _successful(tabwright, query, progress):
    result = await tabwright.search(query, progress=progress)
    assert result.ai_answer


async def navigate(tabwright, url: str) -> None:
    """Open a page in the browser that does the searches."""
    request = partial(LeaseTab, use=TabUse.READING, purpose="somebody")
    async with hold_grant(tabwright.parts.supervisor, BrowserPool.lease_tab, request) as own:
        await own.tab.ask(Tab.navigate, url)


async def test_page_load_in_progress_finishes_before_browser_is_replaced(
    open_client, autojump_clock
):
    async with open_client(captcha(1.0)) as world, trio.open_nursery() as nursery:
        nursery.start_soon(navigate, world.tabwright, SLOW_URL)
        await trio.sleep(0.5)
        result = await world.tabwright.search("A?")
        assert result.ai_answer


async def test_endless_work_is_cut_with_retryable_error_at_handover(open_client, autojump_clock):
    ended_s: list[float] = []

    async def work(tabwright) -> None:
        with pytest.raises(TabwrightError) as caught:
            await navigate(tabwright, ENDLESS_URL)
        assert caught.value.retryable
        ended_s.append(trio.current_time())

    async with open_client(captcha(60.0), network__page_timeout_s=1000) as world:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(work, world.tabwright)
            await trio.sleep(0.5)
            result = await world.tabwright.search("A?")
            assert result.ai_answer
    assert DRAIN_S < ended_s[0] < DRAIN_S + 5


async def test_page_read_during_captcha_hand_over_keeps_its_browser(open_client, autojump_clock):
    async with open_client(captcha(60.0), network__page_timeout_s=1000) as world:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(world.tabwright.read, SLOW_URL, IN_TAB)
            await trio.sleep(0.5)
            assert (await world.tabwright.search("A?")).ai_answer
        assert [browser.visible for browser in world.browsers] == [False, False, True]


async def test_cancelled_captcha_hand_over_leaves_no_page(open_client, autojump_clock):
    barrier = FakeBarrier("captcha", None)
    async with open_client(site(barrier)) as world:
        with trio.CancelScope() as scope:

            def give_up(step: ProgressEvent) -> None:
                if isinstance(step, HumanNeededProgress):
                    scope.cancel()

            await world.tabwright.search("A?", progress=give_up)
        await trio.sleep(5)
        assert world.pages == 0
        (waiting,) = await world.tabwright.interventions()
        assert waiting.state is InterventionState.CANCELLED
        barrier.lifted = True
        assert (await world.tabwright.search("B?")).ai_answer


async def test_follow_up_blocked_by_captcha_warns_of_new_conversation(open_client, autojump_clock):
    barrier = FakeBarrier("captcha", 5.0, lifted=True)
    async with open_client(site(barrier)) as world:
        await world.tabwright.search("A?", language="en-US")
        barrier.lifted = False
        second = await world.tabwright.search("B?", language="en-US", follow_up=True)
        assert second.ai_answer
        assert not second.continued
        assert "starts a new one" in second.warning


@pytest.mark.parametrize("wait_s", [0.0, 400.0])
async def test_follow_up_without_conversation_warns_of_new_conversation(
    wait_s, open_client, autojump_clock
):
    async with open_client(FakeSite(answer=ANSWER)) as world:
        if wait_s:
            await world.tabwright.search("A?", language="en-US")
            await trio.sleep(wait_s)
        result = await world.tabwright.search("B?", language="en-US", follow_up=True)
        assert result.ai_answer
        assert "starts a new one" in result.warning


async def test_consent_is_refused_by_us_and_no_window_opens(open_client, autojump_clock):
    async with open_client(site(FakeBarrier("consent"))) as world:
        result = await world.tabwright.search("A?")
        assert result.ai_answer
        assert len(world.browsers) == 1


async def test_consent_page_that_cannot_be_passed_is_an_error(open_client, autojump_clock):
    settings = {"search__consent": "accept"}  # this fake page takes a refusal only
    async with open_client(site(FakeBarrier("consent")), **settings) as world:
        with pytest.raises(Refusal) as caught:
            await world.tabwright.search("A?", language="en-US")
        assert caught.value.details()["barrier"] == "consent"


async def test_searches_waiting_for_one_window_share_its_failure(open_client, autojump_clock):
    async def blocked(tabwright) -> None:
        with pytest.raises(SearchBlocked, match="not solved"):
            await tabwright.search("A?", language="en-US")

    async with open_client(captcha(None)) as world:
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(blocked, world.tabwright)
        assert trio.current_time() < 330


async def test_other_requests_do_not_wait_for_captcha_solution(open_client, autojump_clock):
    async with open_client(captcha(None)) as world, trio.open_nursery() as nursery:
        for _ in range(2):
            nursery.start_soon(_blocked, world.tabwright)
        await trio.sleep(30)
        with trio.fail_after(1):
            await world.tabwright.close_threads()
            assert not await world.tabwright.threads()
        nursery.cancel_scope.cancel()


async def _blocked(tabwright):
    with pytest.raises(SearchBlocked):
        await tabwright.search("A?")


async def test_closed_captcha_window_declines_search_and_is_not_reopened(
    open_client, autojump_clock
):
    async with open_client(captcha(None)) as world, trio.open_nursery() as nursery:

        async def close_it() -> None:
            await trio.sleep(30)
            world.browsers[-1].die()

        nursery.start_soon(close_it)
        with pytest.raises(SearchBlocked, match="declined"):
            await world.tabwright.search("A?", language="en-US")
        await trio.sleep(60)
        assert [browser.visible for browser in world.browsers] == [False, True]


async def test_a_proxy_that_changes_does_not_close_the_window(open_client, autojump_clock):
    outages: list[str] = []
    stand_in = FakeSite(answer=ANSWER, barrier=FakeBarrier("captcha", 60.0), outages=outages)

    def proxy() -> ProxyChoice:
        return ProxyChoice(source="old" if trio.current_time() < 20 else "none")

    async with open_client(stand_in, proxy=proxy) as world, trio.open_nursery() as nursery:
        nursery.start_soon(_successful, world.tabwright, "A?", ignore_progress)
        await trio.sleep(25)
        outages.append("net::ERR_CONNECTION_RESET")
        await _successful(world.tabwright, "B?", ignore_progress)
    assert sum(browser.visible for browser in world.browsers) == 1


async def test_follow_up_without_its_thread_starts_a_new_one_with_warning(
    open_client, autojump_clock
):
    barrier = FakeBarrier("captcha", 20.0, lifted=True)
    async with open_client(site(barrier)) as world:
        await world.tabwright.search("Paris?", language="en-US")
        barrier.lifted = False
        results = {}

        async def ask(query: str, *, follow_up: bool) -> None:
            results[query] = await world.tabwright.search(
                query, language="en-US", follow_up=follow_up
            )

        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(ask, "Who wrote Faust?", follow_up=False))
            nursery.start_soon(partial(ask, "And its population?", follow_up=True))
    assert not results["And its population?"].continued
    assert "starts a new one" in results["And its population?"].warning


async def test_follow_up_too_long_for_new_search_is_refused_without_a_person(
    open_client, autojump_clock
):
    barrier = FakeBarrier("captcha", 5.0, lifted=True)
    steps: list[ProgressEvent] = []
    async with open_client(site(barrier)) as world:
        await world.tabwright.search("A?")
        barrier.lifted = False
        with pytest.raises(BadInput, match="1,000"):
            await world.tabwright.search("b" * 2000, follow_up=True, progress=steps.append)
        assert not [step for step in steps if isinstance(step, HumanNeededProgress)]
        assert len(world.browsers) == 1


async def test_failing_progress_callback_fails_only_its_own_search(open_client, autojump_clock):
    def broken(step: ProgressEvent) -> None:
        raise OSError("nobody reads")

    async def fails(tabwright) -> None:
        with pytest.raises(OSError, match="nobody reads"):
            await tabwright.search("A?", progress=broken)

    async with open_client(FakeSite(answer=ANSWER)) as world, trio.open_nursery() as nursery:
        nursery.start_soon(fails, world.tabwright)
        nursery.start_soon(_successful, world.tabwright, "B?", ignore_progress)

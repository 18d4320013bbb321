"""The queue of interventions by a person, in the whole system on fake browsers."""

import itertools
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from random import Random

import attrs
import pytest
import trio

from tabwright.actors.intervention_queue import ENDED_MAX
from tabwright.actors.kit.tracing import ActorCrashed, ActorStopped, RequestAnswered, RequestRecord
from tabwright.protocol.actor import Address
from tabwright.protocol.browser_pool import BrowserPool, LeaseTab, TabUse
from tabwright.protocol.errors import (
    BadInput,
    BrowserUnavailable,
    NavigationFailed,
    PageFailed,
    RateLimited,
    Refusal,
    TabsBusy,
    TabwrightError,
)
from tabwright.protocol.interventions import (
    CallPerson,
    HeldTab,
    Intervention,
    Interventions,
    InterventionState,
    Solution,
)
from tabwright.protocol.rate_limit import AcquirePermit, Governor
from tabwright.protocol.tab import Tab
from tabwright.testing.determinism import run_seeded
from tabwright.testing.fake import FakePage, FakeSite

POLL_S = 10.0
URL = "https://wall.example/"
SITE = FakeSite(pages={URL: FakePage()})
SEARCHING = partial(LeaseTab, use=TabUse.SEARCHING, purpose="a search")
PENDING, IN_PROGRESS = InterventionState.PENDING, InterventionState.IN_PROGRESS
SOLVED, SKIPPED = InterventionState.SOLVED, InterventionState.SKIPPED
EXPIRED, CANCELLED = InterventionState.EXPIRED, InterventionState.CANCELLED


@attrs.define(eq=False, slots=False)
class Wall:
    """A simulated CAPTCHA, without a page of its own.

    Attributes:
        is_solved: whether a person has solved it.
        asker: identifies the search that needs the person.
        polls_s: the times at which the page was polled.
    """

    site: str = "engine"
    worker: int = 0
    is_solved: bool = False
    asker: object = None
    polls_s: list[float] = attrs.field(factory=list)

    def call(self, held: HeldTab | None = None) -> CallPerson:
        return CallPerson(
            site=self.site,
            url=URL,
            worker=self.worker,
            way=self.go,
            solved=self.poll,
            held=held,
            asker=self.asker,
        )

    async def go(self, tab: Address[Tab]) -> None:
        await tab.ask(Tab.navigate, URL)

    async def poll(self, tab: Address[Tab]) -> bool:
        await tab.ask(Tab.traffic)
        self.polls_s.append(trio.current_time())
        return self.is_solved


def nobody(_called: object) -> None:
    """Ignore that a person was called."""


async def solution(
    world, name: str, over: trio.Event | None = None, asker: object = None
) -> Solution:
    ends = trio.Event() if over is None else over
    return await world.tabwright.parts.queue.ask(Interventions.solution, ends, name, asker, nobody)


async def only(world) -> Intervention:
    (waiting,) = await world.tabwright.interventions()
    return waiting


async def tabs(world) -> int:
    await trio.sleep(1)  # for the browser to close them
    return len((await world.tabwright.pool()).tabs)


async def called(world, wall: Wall, *, opened: bool = False) -> str:
    """Call a person, open the window if asked to, and return the intervention's id."""
    name = (await world.tabwright.parts.queue.ask(Interventions.call_person, wall.call())).id
    if opened:
        await world.tabwright.answer_intervention(name, "open")
    return name


async def test_intervention_stays_pending_without_window_until_requested(
    open_client, autojump_clock
):
    async with open_client(SITE) as world:
        await called(world, Wall())
        await trio.sleep(1000)
        waiting = await only(world)
        assert waiting.state is PENDING
        assert (waiting.held, waiting.waiting) == (False, 0)
        assert waiting.age_s + waiting.left_s == pytest.approx(10800)
        assert world.browsers == []


async def test_interventions_are_shared_per_site_and_profile(open_client, autojump_clock):
    async with open_client(SITE, pool__workers=2) as world:
        walls = [Wall("one"), Wall("one"), Wall("two"), Wall("one", worker=1)]
        names = [await called(world, wall) for wall in walls]
        assert names[0] == names[1]
        assert len(set(names)) == 3
        await world.tabwright.answer_intervention(names[0], "skip")
        await trio.sleep(1)
        assert await called(world, walls[0]) not in names  # what has ended is joined by nobody


@pytest.mark.parametrize("opened", [False, True], ids=["pending", "open"])
async def test_intervention_expires_and_its_tab_is_closed(opened, open_client, autojump_clock):
    async with open_client(SITE, pool__hold_expiry_s=3600) as world:
        name = await called(world, Wall(), opened=opened)
        began_s = trio.current_time()
        if opened:
            assert (await solution(world, name)).state is EXPIRED
        await trio.sleep_until(began_s + 3600.1)
        assert 3590 < trio.current_time() - began_s < 3601
        waiting = await only(world)
        assert waiting.state is EXPIRED
        assert waiting.left_s == 0
        assert await tabs(world) == 0


async def test_page_is_polled_every_ten_seconds(open_client, autojump_clock):
    wall = Wall()
    async with open_client(SITE) as world:
        name = await called(world, wall, opened=True)
        wall.polls_s.clear()
        await trio.sleep(200)
        gaps = [after - before for before, after in itertools.pairwise(wall.polls_s)]
        assert len(gaps) >= 18
        assert all(gap == pytest.approx(POLL_S, abs=0.1) for gap in gaps[1:])
        wall.is_solved = True
        assert (await solution(world, name)).state is SOLVED


async def test_intervention_is_polled_at_once_after_navigation(open_client, autojump_clock):
    wall = Wall()
    async with open_client(SITE) as world:
        await called(world, wall, opened=True)
        await trio.sleep(13)
        wall.is_solved = True
        (target,) = world.browsers[-1].targets.values()
        world.browsers[-1]._pages.methods["Page.navigate"](target, {"url": URL})
        await trio.sleep(0.5)
        assert (await only(world)).state is SOLVED


@pytest.mark.parametrize("delay_s", [3.0, 0.0])
async def test_person_can_report_intervention_as_solved(delay_s, open_client, autojump_clock):
    """A person can report a CAPTCHA as solved, also during a poll."""
    wall = Wall()
    began = trio.Event()

    async def poll(_tab: Address[Tab]) -> bool:
        answer = wall.is_solved
        if not delay_s:
            began.set()
            await trio.sleep(0.5)
        return answer

    wall.poll = poll
    async with open_client(SITE) as world:
        name = await called(world, wall, opened=True)
        await trio.sleep(POLL_S + 1)
        began = trio.Event()
        await trio.sleep(delay_s)
        if not delay_s:
            await began.wait()
        wall.is_solved = True
        await world.tabwright.answer_intervention(name, "solved")
        with trio.fail_after(2):
            while (await only(world)).state is not SOLVED:
                await trio.sleep(0.1)


async def test_page_that_cannot_be_read_is_polled_again(open_client, autojump_clock):
    refusals = [PageFailed("It is on its way."), BadInput("It shows an error of the browser.")]
    wall = Wall(is_solved=True)

    async def poll(_tab: Address[Tab]) -> bool:
        if refusals:
            raise refusals.pop()
        return True

    wall.poll = poll
    async with open_client(SITE) as world:
        name = await called(world, wall)
        assert (await solution(world, name)).state is SOLVED


async def test_solved_tab_goes_to_waiter_that_raised_the_intervention(open_client, autojump_clock):
    askers = [object() for _ in range(3)]
    wall, over, ends = Wall(asker=askers[1]), trio.Event(), {}

    async def wait(world, name: str, asker: object) -> None:
        ends[asker] = await solution(world, name, over, asker)

    async with open_client(SITE) as world:
        name = await called(world, wall)
        async with trio.open_nursery() as nursery:
            for asker in askers:
                nursery.start_soon(wait, world, name, asker)
            await trio.sleep(20)
            assert (await only(world)).waiting == 3
            assert sum(browser.visible for browser in world.browsers) == 1
            wall.is_solved = True
        assert [ends[asker].state for asker in askers] == [SOLVED] * 3
        assert [ends[asker].lease is None for asker in askers] == [True, False, True]
        lease = ends[wall.asker].lease
        await lease.tab.ask(Tab.traffic)
        assert await tabs(world) == 1
        over.set()
        assert await tabs(world) == 0


async def test_tab_of_solved_intervention_without_waiter_is_closed(open_client, autojump_clock):
    wall = Wall()
    async with open_client(SITE) as world:
        await called(world, wall, opened=True)
        assert await tabs(world) == 1
        wall.is_solved = True
        await trio.sleep(POLL_S)
        assert (await only(world)).state is SOLVED
        assert await tabs(world) == 0


async def test_solved_intervention_ends_the_rate_limit_pause_of_its_site(
    open_client, autojump_clock
):
    wall = Wall("mojeek")
    async with open_client(SITE) as world:
        await world.tabwright.parts.governor.ask(Governor.note_refusal, "mojeek")
        name = await called(world, wall, opened=True)
        with pytest.raises(RateLimited):
            await world.tabwright.parts.governor.ask(
                Governor.permit, AcquirePermit(trio.Event(), "mojeek")
            )
        wall.is_solved = True
        assert (await solution(world, name)).state is SOLVED
        over = trio.Event()
        with trio.fail_after(5):
            await world.tabwright.parts.governor.ask(Governor.permit, AcquirePermit(over, "mojeek"))
        over.set()


@pytest.mark.parametrize("answer", ["skip", "close", "expire"])
async def test_unsolved_intervention_keeps_the_rate_limit_pause_of_its_site(
    answer, open_client, autojump_clock
):
    async with open_client(SITE, pool__hold_expiry_s=60) as world:
        await world.tabwright.parts.governor.ask(Governor.note_refusal, "mojeek")
        name = await called(world, Wall("mojeek"), opened=True)
        if answer == "skip":
            await world.tabwright.answer_intervention(name, "skip")
        elif answer == "close":
            world.browsers[-1].die()
        await trio.sleep(61)
        assert (await only(world)).state is (EXPIRED if answer == "expire" else SKIPPED)
        with pytest.raises(RateLimited):
            await world.tabwright.parts.governor.ask(
                Governor.permit, AcquirePermit(trio.Event(), "mojeek")
            )


async def test_waiter_cancelled_before_window_opens_cancels_intervention(
    open_client, autojump_clock
):
    async with open_client(SITE) as world:
        name = await called(world, Wall())
        with trio.move_on_after(0.005):
            await solution(world, name)
        await trio.sleep(5)
        assert (await only(world)).state is CANCELLED
        assert await tabs(world) == 0


async def test_waiter_cancelled_after_window_opens_leaves_intervention_open(
    open_client, autojump_clock
):
    wall = Wall()
    async with open_client(SITE) as world:
        name = await called(world, wall)
        with trio.move_on_after(30):
            await solution(world, name)
        assert (await only(world)).state is IN_PROGRESS
        wall.is_solved = True
        assert (await solution(world, name)).state is SOLVED


async def test_intervention_stays_open_while_another_caller_waits(open_client, autojump_clock):
    wall = Wall()
    async with open_client(SITE) as world, trio.open_nursery() as nursery:
        name = await called(world, wall)
        nursery.start_soon(solution, world, name)
        with trio.move_on_after(0.005):
            await solution(world, name)
        await trio.sleep(5)
        assert (await only(world)).state is IN_PROGRESS
        wall.is_solved = True


async def test_held_tabs_are_limited_to_configured_maximum(open_client, autojump_clock):
    walls = [Wall(str(number)) for number in range(4)]
    async with open_client(SITE, pool__max_held_tabs=2) as world:
        names = [await called(world, wall) for wall in walls]
        for name in names[:2]:
            await world.tabwright.answer_intervention(name, "open")
        for name in names[2:]:
            with pytest.raises(TabsBusy, match=r"2 of 2 held tabs .* pool\.max_held_tabs"):
                await world.tabwright.answer_intervention(name, "open")
            with pytest.raises(TabsBusy):
                await solution(world, name)
        states = [waiting.state for waiting in await world.tabwright.interventions()]
        assert states == [IN_PROGRESS, IN_PROGRESS, PENDING, PENDING]
        await world.tabwright.answer_intervention(names[0], "skip")
        await trio.sleep(1)
        shown = await world.tabwright.answer_intervention(names[2], "open")
        assert shown.state is IN_PROGRESS


async def test_intervention_stays_pending_when_no_window_can_open(open_client, autojump_clock):
    async with open_client(SITE, has_screen=False) as world:
        name = await called(world, Wall())
        with pytest.raises(BrowserUnavailable, match="no screen"):
            await solution(world, name)
        assert (await only(world)).state is PENDING
        assert await tabs(world) == 0


async def test_failed_load_of_intervention_page_is_reported_and_tab_closed(
    open_client, autojump_clock
):
    down = FakeSite(pages={URL: FakePage(error="net::ERR_CONNECTION_RESET")})
    async with open_client(down) as world:
        name = await called(world, Wall())
        for _ in range(2):
            with pytest.raises(NavigationFailed):
                await solution(world, name)
            assert await tabs(world) == 0
        assert (await only(world)).state is PENDING


async def test_intervention_holds_one_tab_and_releases_a_second(open_client, autojump_clock):
    async with open_client(SITE, headed=True) as world:
        for _ in range(2):  # the place of the first is free for the second
            over = trio.Event()
            with trio.fail_after(5):
                lease = await world.tabwright.parts.supervisor.ask(
                    BrowserPool.lease_tab, SEARCHING(over)
                )
            await world.tabwright.parts.queue.ask(
                Interventions.call_person, Wall().call(HeldTab(lease, over.set))
            )
        assert over.is_set()
        assert await tabs(world) == 1
        assert (await only(world)).held
        (tab,) = (await world.tabwright.pool()).tabs
        assert tab.use is TabUse.HELD


async def test_only_the_latest_ended_interventions_are_listed(open_client, autojump_clock):
    async with open_client(SITE) as world:
        for number in range(2 * ENDED_MAX):
            name = await called(world, Wall(str(number)))
            await world.tabwright.answer_intervention(name, "skip")
            await trio.sleep(0.1)
        assert ENDED_MAX <= len(await world.tabwright.interventions()) <= ENDED_MAX + 1
        with pytest.raises(BadInput, match="No intervention is open"):
            await solution(world, "none")


@attrs.define(eq=False)
class AtStep(trio.abc.Instrument):
    """Calls a function after a number of steps of any tasks."""

    harm: Callable[[], object]
    steps_left: int

    def after_task_step(self, _task: trio.lowlevel.Task) -> None:
        self.steps_left -= 1
        if not self.steps_left:
            self.harm()


async def test_window_closed_at_any_step_skips_only_its_intervention(open_client, autojump_clock):
    """Closing the window skips its own intervention, and nothing else in the queue."""
    async with open_client(SITE) as world:
        other = await called(world, Wall("other"))
        for step in range(1, 150):
            name = await called(world, Wall(), opened=True)
            await trio.sleep(POLL_S / 2)
            instrument = AtStep(world.browsers[-1].die, step)
            trio.lowlevel.add_instrument(instrument)
            with trio.fail_after(1000):
                assert (await solution(world, name)).state is SKIPPED
            trio.lowlevel.remove_instrument(instrument)
            assert await tabs(world) == 0
        states = {waiting.id: waiting.state for waiting in await world.tabwright.interventions()}
        assert states[other] is PENDING
        crashed = {record.actor for record in world.trace if isinstance(record, ActorCrashed)}
        assert not crashed & {"interventions", "supervisor", "governor"}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("headed", [False, True], ids=["window", "tab"])
async def test_search_cancelled_at_any_step_leaks_no_lease(
    headed, seed, open_client, autojump_clock
):
    async with open_client(SITE, headed=headed) as world:
        for step in itertools.count(1 + seed, 8):
            wall = Wall(str(step))
            with trio.CancelScope() as scope:
                instrument = AtStep(scope.cancel, step)
                trio.lowlevel.add_instrument(instrument)
                await _search(world, wall)
            trio.lowlevel.remove_instrument(instrument)
            for waiting in await world.tabwright.interventions():
                with suppress(BadInput):  # it has ended, or is just about to
                    await world.tabwright.answer_intervention(waiting.id, "skip")
            await trio.sleep(3)
            assert await tabs(world) == 0, step
            if not scope.cancelled_caught:
                break
        assert step > 50


async def _search(world, wall: Wall) -> None:
    """Run a search that meets a CAPTCHA, has it solved, and continues in the tab."""
    over = trio.Event()
    try:
        lease = await world.tabwright.parts.supervisor.ask(BrowserPool.lease_tab, SEARCHING(over))
        name = ""
        try:
            held = HeldTab(lease, over.set) if lease.visible else None
            name = (
                await world.tabwright.parts.queue.ask(Interventions.call_person, wall.call(held))
            ).id
        finally:
            if held is None or not name:
                over.set()
    except BaseException:
        over.set()
        raise
    mine = trio.Event()
    wall.is_solved = True
    try:
        found = await solution(world, name, mine)
        assert found.state is SOLVED
        assert found.lease is not None
        await found.lease.tab.ask(Tab.traffic)
    finally:
        mine.set()


WAYS = {
    PENDING: {IN_PROGRESS, SOLVED, SKIPPED, EXPIRED, CANCELLED},
    IN_PROGRESS: {SOLVED, SKIPPED, EXPIRED, CANCELLED},
}
HELD_MAX = 2
EXPIRY_S = 90.0
PERSON_S = 40.0
LIFE_S = 300.0


@attrs.define
class Life:
    """Random searches that meet CAPTCHAs, and a person with random reactions.

    Attributes:
        states: the states of each intervention, in order.
        unsolved: how many were reported as solved, but were not.
    """

    random: Random
    walls: list[Wall] = attrs.field(
        factory=lambda: [Wall(site, worker) for site in ("a", "b", "c") for worker in (0, 1)]
    )
    states: dict[str, list[InterventionState]] = attrs.field(factory=dict)
    unsolved: int = 0

    async def live(self, world) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.watch, world)
            nursery.start_soon(self.person, world)
            nursery.start_soon(self.harm, world)
            async with trio.open_nursery() as searching:
                for _ in range(6):
                    searching.start_soon(self.searcher, world)
            nursery.cancel_scope.cancel()

    async def searcher(self, world) -> None:
        for _ in range(4):
            await trio.sleep(self.random.uniform(0, 30))
            with suppress(TabwrightError), trio.fail_after(LIFE_S):
                await self.search(world, self.random.choice(self.walls))

    async def search(self, world, wall: Wall) -> None:
        over, name = trio.Event(), ""
        if self.random.random() < 0.3:
            wall.is_solved = False
        try:
            lease = await world.tabwright.parts.supervisor.ask(
                BrowserPool.lease_tab, SEARCHING(over, worker=wall.worker)
            )
            held = HeldTab(lease, over.set) if lease.visible else None
            with trio.move_on_after(self.random.choice((0.02, 100))):
                name = (
                    await world.tabwright.parts.queue.ask(
                        Interventions.call_person, wall.call(held)
                    )
                ).id
        finally:
            if not name or not lease.visible:
                over.set()
        if name and self.random.random() < 0.7:
            await self.wait(world, wall, name)

    async def wait(self, world, wall: Wall, name: str) -> None:
        over = trio.Event()
        try:
            with trio.move_on_after(self.random.choice((0.01, 0.03, PERSON_S, LIFE_S))):
                found = await solution(world, name, over)
                self.unsolved += found.state is SOLVED and not wall.is_solved
                assert found.lease is None or found.state is SOLVED
                if found.lease is not None:
                    with suppress(TabwrightError):
                        await found.lease.tab.ask(Tab.traffic)
                    await trio.sleep(self.random.uniform(0, 5))
        finally:
            over.set()

    async def person(self, world) -> None:
        while True:
            await trio.sleep(self.random.uniform(0, 20))
            waiting = [one for one in await world.tabwright.interventions() if one.state.is_open]
            if not waiting:
                continue
            one = self.random.choice(waiting)
            answer = self.random.choice(("open", "open", "solved", "skip", "solve"))
            if answer == "solve":
                for wall in self.walls:
                    wall.is_solved |= (wall.site, wall.worker) == (one.site, one.worker)
            else:
                with suppress(Refusal):
                    await world.tabwright.answer_intervention(one.id, answer)

    async def harm(self, world) -> None:
        while True:
            await trio.sleep(self.random.uniform(0, 60))
            if world.browsers:
                browser = self.random.choice(world.browsers)
                if self.random.random() < 0.5:
                    browser.die()
                elif browser.targets:
                    browser.crash(self.random.choice(list(browser.targets.values())))

    async def watch(self, world) -> None:
        while True:
            self.check(await world.tabwright.interventions())
            held = [tab for tab in (await world.tabwright.pool()).tabs if tab.use is TabUse.HELD]
            assert len(held) <= HELD_MAX
            await trio.sleep(0.5)

    def check(self, listed: tuple[Intervention, ...]) -> None:
        opened = [(one.site, one.worker) for one in listed if one.state.is_open]
        assert len(set(opened)) == len(opened)
        for one in listed:
            assert one.left_s <= EXPIRY_S
            assert one.age_s < EXPIRY_S + 1 or not one.state.is_open
            seen = self.states.setdefault(one.id, [one.state])
            if one.state is not seen[-1]:
                assert one.state in WAYS[seen[-1]]
                seen.append(one.state)


def lived(open_client, seed: int, *, lasts_s: float) -> tuple[Life, object]:
    """Run random searches in a client for `lasts_s`, or to their end; return both."""

    async def live(random: Random) -> tuple[Life, object]:
        life = Life(random)
        settings = {
            "pool__workers": 2,
            "pool__max_tabs": 2,
            "pool__max_held_tabs": HELD_MAX,
            "pool__hold_expiry_s": EXPIRY_S,
        }
        async with open_client(SITE, headed=random.random() < 0.5, **settings) as world:
            with trio.move_on_after(lasts_s) as scope:
                await life.live(world)
            if not scope.cancelled_caught:
                await trio.sleep(EXPIRY_S + 10)
                assert (await world.tabwright.pool()).tabs == ()
                life.check(await world.tabwright.interventions())
                assert not any(states[-1].is_open for states in life.states.values())
                assert not any(rate.in_work for rate in await world.tabwright.rates())
        return life, world

    return run_seeded(live, seed)


@pytest.mark.parametrize("seed", range(40))
def test_every_intervention_ends_exactly_once_in_random_lives(seed, open_client):
    life, world = lived(open_client, seed, lasts_s=10_000)
    assert life.states
    assert life.unsolved == 0
    crashed = {record.actor for record in world.trace if isinstance(record, ActorCrashed)}
    assert not crashed & {"interventions", "supervisor", "governor"}


@pytest.mark.nightly
def test_random_lives_reach_every_final_intervention_state(open_client):
    ends = set()
    for seed in range(10):
        life, _world = lived(open_client, seed, lasts_s=10_000)
        ends.update(states[-1] for states in life.states.values())
    assert ends == {SOLVED, SKIPPED, EXPIRED, CANCELLED}


@pytest.mark.parametrize("seed", range(40))
def test_client_stop_at_any_time_stops_every_tab(seed, open_client):
    _life, world = lived(open_client, seed, lasts_s=1 + 3 * seed)
    requests = [record for record in world.trace if isinstance(record, RequestRecord)]
    leases = [r for r in requests if isinstance(r, RequestAnswered) and r.request == "lease_tab"]
    stopped = [record.actor for record in world.trace if isinstance(record, ActorStopped)]
    tabs_stopped = {actor for actor in stopped if actor.startswith("tab-")}
    assert len(leases) <= len(tabs_stopped)  # one that did not open is tried again, by its name
    assert [actor for actor in stopped if actor in {"interventions", "supervisor", "governor"}] == [
        "interventions",
        "supervisor",
        "governor",
    ]

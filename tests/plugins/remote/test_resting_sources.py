"""Several sources of browsers that fail and recover, in virtual time."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from random import Random

import attrs
import pytest
import trio

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.browser.endpoint import SourceBusy
from tabwright.browser.running import BrowserLink, Launcher, LaunchOptions
from tabwright.browser.sources import ManySources, Sources
from tabwright.concurrency.grants import hold_grant
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.loader import override, settings_from
from tabwright.plugins.remote.settings import SourceSettings
from tabwright.plugins.remote.sources import sources_of
from tabwright.protocol.browser_pool import BrowserPool, LeaseTab, SourceState, TabUse
from tabwright.protocol.errors import BrowserUnavailable, Effect, TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.proxy import ProxyAnswer, ProxyChoice, ProxyReport
from tabwright.testing.determinism import run_seeded, simulated_environment
from tabwright.testing.fake import FakeBrowser, FakePage, FakeSite, fake_launcher

URL = "https://news.example/"
SITE = FakeSite(pages={URL: FakePage("<title>News</title><main><p>Text.</p></main>")})
CALL_S = 400.0
IN_TAB = ReadOptions(min_tier=2)


@attrs.define(eq=False)
class Place:
    """A source under test; a `Launcher`.

    Attributes:
        failure: creates the current error; None if it works.
        browsers: all browsers it has started.
        open_now: the number of its open browsers.
        most: the maximum of that number.
        tries: how often a browser was requested.
    """

    random: Random
    failure: Callable[[], BrowserUnavailable] | None = None
    browsers: list[FakeBrowser] = attrs.field(factory=list)
    open_now: int = 0
    most: int = 0
    tries: int = 0

    @asynccontextmanager
    async def open(self, options: LaunchOptions, /) -> AsyncGenerator[BrowserLink]:
        self.tries += 1
        await trio.sleep(self.random.uniform(0, 0.5))
        if self.failure is not None:
            raise self.failure()
        self.open_now += 1
        self.most = max(self.most, self.open_now)
        try:
            launcher = fake_launcher(SITE, self.random, on_start=self.browsers.append)
            async with launcher.open(options) as link:
                yield link
        finally:
            self.open_now -= 1

    async def check_proxy(self, used: ProxyChoice) -> ProxyReport:
        await trio.lowlevel.checkpoint()
        return ProxyReport(used, ProxyAnswer.UNASKED, used)

    def require_screen(self) -> None:
        raise BrowserUnavailable("There is no screen.")

    def die(self) -> None:
        """Kill every browser, and fail to start any more."""
        self.failure = gone
        for browser in self.browsers:
            browser.die()


def gone() -> BrowserUnavailable:
    return BrowserUnavailable("Nobody answers.", retryable=True)


def busy() -> BrowserUnavailable:
    return SourceBusy("All are in use.")


@attrs.frozen
class World:
    tabwright: Tabwright
    places: dict[str, Place]

    async def states(self) -> tuple[SourceState, ...]:
        return (await self.tabwright.pool()).sources

    async def read(self) -> None:
        await self.tabwright.read(URL, IN_TAB)


@asynccontextmanager
async def open_world(
    random: Random, *sources: tuple[str, int], **settings: object
) -> AsyncGenerator[World]:
    places = {url: Place(random) for url, _ in sources}

    listed = [SourceSettings(url=url, browsers=browsers) for url, browsers in sources]
    chosen = settings_from(override(view__address=None, acting__downloads=None, **settings))

    def opened(_local: Launcher) -> Sources:
        patience_s = chosen.browser.start_timeout_s
        return sources_of(listed, lambda source: places[source.url], random, patience_s)

    many = ManySources(sum(browsers for _, browsers in sources), opened)
    launcher = fake_launcher(SITE, random)
    environment = attrs.evolve(simulated_environment(launcher, random), sources=many)
    async with open_tabwright(chosen, environment) as tabwright:
        yield World(tabwright, places)


LEASE = partial(LeaseTab, use=TabUse.READING, purpose="somebody")
GRID, STEEL = "grid+http://hub.example:4444", "steel+http://me:pw@steel.example?key=hunter2"


async def test_leases_are_spread_over_sources_by_free_capacity(autojump_clock):
    async with open_world(Random(1), (GRID, 4), (STEEL, 2)) as world:
        async with AsyncExitStack() as stack:
            for expected in ([1, 0], [1, 1], [2, 1], [3, 1], [3, 2], [4, 2]):
                await stack.enter_async_context(
                    hold_grant(world.tabwright.parts.supervisor, BrowserPool.lease_tab, LEASE)
                )
                assert [one.in_use for one in await world.states()] == expected


async def test_failed_source_rests_and_the_other_serves(autojump_clock):
    async with open_world(Random(1), (GRID, 1), (STEEL, 1)) as world:
        world.places[GRID].failure = gone
        await world.read()
        first, second = await world.states()
        assert first.resting_s > 0
        assert first.why == "Nobody answers."
        assert (second.in_use, second.resting_s) == (1, 0)
        await world.tabwright.read(URL, IN_TAB)
        assert world.places[GRID].tries == 1


async def test_source_that_works_again_is_used_again(autojump_clock):
    async with open_world(Random(1), (GRID, 1), (STEEL, 1)) as world:
        world.places[GRID].failure = gone
        await world.read()
        world.places[GRID].failure = None
        await trio.sleep(2)
        await world.read()
        assert [one.in_use for one in await world.states()] == [1, 1]
        assert (await world.states())[0].why == ""


async def test_source_rest_time_grows_with_each_failure(autojump_clock):
    rests = []
    async with open_world(Random(1), (GRID, 1), (STEEL, 1)) as world:
        world.places[GRID].failure = gone
        for _ in range(12):
            await world.read()
            resting_s = (await world.states())[0].resting_s
            rests.append(resting_s)
            await trio.sleep(resting_s + 0.01)
    assert rests[0] <= 1
    assert all(rest < later for rest, later in zip(rests[:7:2], rests[2:9:2], strict=True))
    assert 100 < rests[-1] <= 300


async def test_error_names_all_resting_sources_without_their_secrets(autojump_clock):
    async with open_world(Random(1), (GRID, 1), (STEEL, 1)) as world:
        for place in world.places.values():
            place.failure = gone
        with pytest.raises(BrowserUnavailable):
            await world.read()
        tries = [place.tries for place in world.places.values()]
        with pytest.raises(BrowserUnavailable) as caught:
            await world.read()
        assert [place.tries for place in world.places.values()] == tries
    error = caught.value
    assert (error.retryable, error.effect) == (True, Effect.NONE)
    for part in ("grid hub.example:4444", "steel steel.example", "Nobody answers."):
        assert part in str(error)
    assert not any(secret in str(error) for secret in ("hunter2", "me:pw"))


async def test_single_source_is_tried_each_time_and_reports_its_own_error(autojump_clock):
    async with open_world(Random(1), (GRID, 1)) as world:
        world.places[GRID].failure = gone
        for _ in range(3):
            with pytest.raises(BrowserUnavailable) as caught:
                await world.read()
            assert caught.value.message == "Nobody answers."
        assert world.places[GRID].tries >= 3
        assert (await world.states())[0].resting_s == 0


async def test_busy_source_is_retried_when_it_is_the_only_one(autojump_clock):
    async with open_world(Random(1), (GRID, 1)) as world, trio.open_nursery() as nursery:
        world.places[GRID].failure = busy
        nursery.start_soon(world.read)
        await trio.sleep(5)
        world.places[GRID].failure = None
    assert world.places[GRID].tries > 1


async def test_busy_source_is_given_up_after_start_timeout(autojump_clock):
    async with open_world(Random(1), (GRID, 1), browser__start_timeout_s=10) as world:
        world.places[GRID].failure = busy
        began_s = trio.current_time()
        with pytest.raises(SourceBusy):
            await world.read()
        assert trio.current_time() - began_s < 15


async def test_session_goes_on_in_another_source_if_its_own_dies(autojump_clock):
    async with open_world(Random(1), (GRID, 1), (STEEL, 1)) as world:
        await world.tabwright.session("shop").enter(URL)
        used = next(place for place in world.places.values() if place.open_now)
        used.die()
        for _ in range(3):
            try:
                await world.tabwright.session("shop").enter(URL)
                break
            except TabwrightError as error:
                assert error.retryable
        else:
            pytest.fail("the session never went on")
        assert used.open_now == 0
        assert sum(place.open_now for place in world.places.values()) == 1


async def trouble(places: Sequence[Place], random: Random) -> None:
    """Repeatedly let any of these sources fail, die and recover."""
    while True:
        await trio.sleep(random.uniform(0, 20))
        for place in places:
            match random.choice(("works", "works", "dies", "fails")):
                case "works":
                    place.failure = None
                case "dies":
                    place.die()
                case _:
                    place.failure = random.choice((gone, busy))


async def call(world: World, random: Random) -> None:
    """Read pages, with timeouts at random; a browser can die in the middle of a call."""
    for _ in range(random.randint(1, 6)):
        await trio.sleep(random.uniform(0, 10))
        for tries in range(4):
            with trio.move_on_after(random.choice((0.4, CALL_S, CALL_S))):
                try:
                    await world.read()
                except TabwrightError as error:
                    assert error.retryable, error
                    assert tries < 3, error
                    continue
            break


async def _live(random: Random) -> None:
    capacities = [random.randint(1, 3) for _ in range(random.randint(2, 4))]
    sources = [(f"grid+http://hub{n}.example", most) for n, most in enumerate(capacities)]
    async with open_world(random, *sources, pool__max_reading_tabs=2) as world:
        _always, *others = places = list(world.places.values())
        async with background_nursery() as living:
            living.start_soon(trouble, others, random)
            async with trio.open_nursery() as callers:
                for _ in range(random.randint(1, 8)):
                    callers.start_soon(call, world, random)
        for place in places:
            place.failure = None
        await trio.sleep(600)
        await world.read()
        assert not any(one.resting_s for one in await world.states())
    assert all(place.most <= most for place, most in zip(places, capacities, strict=True))
    assert not any(place.open_now for place in places)


@pytest.mark.parametrize("seed", range(6))
def test_source_capacities_hold_and_all_requests_are_served(seed):
    run_seeded(_live, seed)

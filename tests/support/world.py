"""A small simulated world: all of tabwright on fake browsers, driven by one seed.

First everything goes wrong that the seed has drawn: commands that fail, pages that crash, links
that break, people who go away. Then all is healed, and the next caller must be served: that is
how a world ends that has lost nothing (`tests.support.world` judges it).

``python -m tests.support.world SEED`` prints its trace; the same seed gives the same trace
in every process.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from random import Random

import attrs
import trio

from tabwright.actors.kit.tracing import (
    ActorCrashed,
    ActorStopped,
    RequestAnswered,
    RequestCancelled,
    RequestFailed,
    RequestLost,
    RequestRecord,
    RequestRefused,
    RequestSent,
    TraceRecord,
)
from tabwright.app import open_tabwright
from tabwright.client import Tabwright
from tabwright.config.loader import override, settings_from
from tabwright.config.settings import Settings
from tabwright.protocol.actions import AnswerDialog, Click
from tabwright.protocol.browser_pool import PoolState
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import LocateOnPage, TakeOutline
from tabwright.protocol.interventions import Intervention, PersonsAnswer
from tabwright.protocol.rate_limit import SiteRate
from tabwright.protocol.web_search import WebSearch
from tabwright.testing.determinism import run_seeded, simulated_environment
from tabwright.testing.fake import FakeBrowser, Fault, fake_launcher
from tabwright.testing.fake.link import HARMS
from tests.support.small_web import ARTICLE_URL, REFUSED_URL, SHOP_URL, small_web

HARMED_METHODS = (
    "Browser.getVersion",
    "Browser.setDownloadBehavior",
    "Input.dispatchMouseEvent",
    "Network.enable",
    "Page.bringToFront",
    "Page.createIsolatedWorld",
    "Page.enable",
    "Page.handleJavaScriptDialog",
    "Page.navigate",
    "Runtime.callFunctionOn",
    "Runtime.enable",
    "Target.attachToTarget",
    "Target.closeTarget",
    "Target.createBrowserContext",
    "Target.createTarget",
)
CALLS = (
    "search",
    "follow_up",
    "article",
    "in_tab",
    "refused",
    "web_search",
    "many_pages",
    "impatient",
    "sudden",
    "enter",
    "act",
    "act",
)
FRESH = ("article", "in_tab", "enter", "act")
"""The calls that must succeed after the last fault: their sites show no CAPTCHA."""

ANSWERS: tuple[PersonsAnswer, ...] = ("open", "solved", "skip")
IN_TAB = ReadOptions(min_tier=2)

WORKERS_MAX, CALLS_MAX, FAULTS_MAX = 4, 4, 6
DEATH_RATE = 0.05
"""How often a browser is killed after a call."""

PERSON_S = 20.0
EXPIRY_S = 60.0
CALL_S = 400.0
"""Longer than anything here may take: a call that reaches it was lost."""


@attrs.frozen
class WorldOutcome:
    """How one call ended: the kind of its error, or ``ok``; ``lost`` where it never did."""

    call: str
    ending: str


@attrs.frozen
class WorldHistory:
    """The history of a world.

    Attributes:
        afterwards: the results of calls after the last fault.
        interventions: all interventions.
        pool: the final state of the tabs.
        rates: the final state of the sites.
        pages: the final number of open pages.
    """

    trace: Sequence[TraceRecord]
    outcomes: Sequence[WorldOutcome]
    afterwards: Sequence[WorldOutcome]
    interventions: Sequence[Intervention]
    pool: PoolState
    rates: Sequence[SiteRate]
    pages: int


@attrs.define
class _World:
    """A world that is lived in."""

    tabwright: Tabwright
    random: Random
    browsers: list[FakeBrowser]
    outcomes: list[WorldOutcome] = attrs.field(factory=list[WorldOutcome])


def run_world(seed: int) -> WorldHistory:
    """Run the world of a seed: some clients with some calls each, faults and a person."""
    return run_seeded(_live, seed)


def random_faults(random: Random) -> list[Fault]:
    """Draw the faults of a world, each at most once."""
    return [
        Fault(random.choice(HARMS), random.choice(HARMED_METHODS), random.randint(1, 8))
        for _ in range(random.randint(0, FAULTS_MAX))
    ]


async def _live(random: Random) -> WorldHistory:
    trace: list[TraceRecord] = []
    browsers: list[FakeBrowser] = []
    headed = random.choice((True, False, False))
    launcher = fake_launcher(
        small_web(random), random, *random_faults(random), on_start=browsers.append, headed=headed
    )
    environment = simulated_environment(launcher, random, trace.append)
    async with open_tabwright(_settings(random), environment) as tabwright:
        world = _World(tabwright, random, browsers)
        # Some clients at work, and a person who may help them, until the clients are through.
        async with trio.open_nursery() as living:
            living.start_soon(_help_or_not, world)
            async with trio.open_nursery() as clients:
                for _ in range(world.random.randint(1, WORKERS_MAX)):
                    clients.start_soon(_work, world)
            living.cancel_scope.cancel()
        launcher.faults.planned = ()
        afterwards = [WorldOutcome(call, await _ending(world, call, CALL_S)) for call in FRESH]
        # Ends what is kept for a caller, and waits until all else that was pending has expired.
        await tabwright.close_threads()
        for session in await tabwright.list_sessions():
            await tabwright.session(session.name).close()
        await trio.sleep(2 * EXPIRY_S)
        return WorldHistory(
            trace,
            world.outcomes,
            afterwards,
            await tabwright.interventions(),
            await tabwright.pool(),
            await tabwright.rates(),
            sum(len(browser.targets) for browser in browsers if browser.is_alive),
        )


def _settings(random: Random) -> Settings:
    return settings_from(
        override(
            pool__workers=random.choice((1, 1, 2)),
            pool__max_tabs=random.choice((1, 1, 3)),
            pool__max_held_tabs=random.choice((1, 4)),
            pool__hold_expiry_s=EXPIRY_S,
            search__person_timeout_s=PERSON_S,
            engines__failed_pages=None,
            acting__downloads=None,
            view__address=None,  # a port would be a real one
        )
    )


async def _help_or_not(world: _World) -> None:
    """The person, who looks at the pending interventions, and may skip them."""
    tabwright, random = world.tabwright, world.random
    while True:
        await trio.sleep(random.uniform(0, 2 * PERSON_S))
        for waiting in await tabwright.interventions():
            if waiting.state.is_open:
                with suppress(TabwrightError):
                    await tabwright.answer_intervention(waiting.id, random.choice(ANSWERS))


async def _work(world: _World) -> None:
    random = world.random
    for _ in range(random.randint(1, CALLS_MAX)):
        call = random.choice(CALLS)
        within_s = {"impatient": 0.3, "sudden": random.uniform(0, PERSON_S)}.get(call, CALL_S)
        world.outcomes.append(WorldOutcome(call, await _ending(world, call, within_s)))
        if random.random() < DEATH_RATE and world.browsers:
            world.browsers[-1].die()
        await trio.sleep(random.uniform(0, 2))


async def _ending(world: _World, call: str, within_s: float) -> str:
    with trio.move_on_after(within_s):
        try:
            tabwright = world.tabwright
            match call:
                case "article":
                    await tabwright.read(ARTICLE_URL)
                case "in_tab":
                    await tabwright.read(ARTICLE_URL, IN_TAB)
                case "refused":
                    await tabwright.read(REFUSED_URL)
                case "web_search" | "sudden":
                    await tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
                case "many_pages":
                    await tabwright.web_search(WebSearch("q", ("mojeek",), limit=30))
                case "enter":
                    await tabwright.session("shop").enter(SHOP_URL)
                case "act":
                    await _act(world)
                case _:
                    await tabwright.search("What is trio?", follow_up=call == "follow_up")
        except TabwrightError as error:
            return error.kind
        return "ok"
    return "lost" if within_s == CALL_S else "cancelled"


async def _act(world: _World) -> None:
    """Uses something in the shop, and answers what it asks, or has asked before."""
    tabwright, session = world.tabwright, "shop"
    try:
        await tabwright.session(session).enter(SHOP_URL)
        outline = await tabwright.session(session).inspect(TakeOutline())
        if outline.controls:  # none where another client has gone on meanwhile
            ref = world.random.choice(outline.controls).ref
            await tabwright.session(session).act(Click(ref))
    except BadInput:
        if (await tabwright.session(session).inspect(LocateOnPage())).dialog is None:
            raise
    if (await tabwright.session(session).inspect(LocateOnPage())).dialog is not None:
        await tabwright.session(session).act(AnswerDialog(accept=True))


def main() -> None:
    """Print the trace of the seed on the command line."""
    history = run_world(int(sys.argv[1]))
    for entry in (*history.trace, *history.outcomes, *history.afterwards):
        sys.stdout.write(f"{entry}\n")


if __name__ == "__main__":
    main()


# Invariants of every world, whatever went wrong in it.

ENDINGS = (RequestAnswered, RequestRefused, RequestCancelled, RequestFailed, RequestLost)

ORDER = (
    "tasks",
    "sessions",
    "ai_search",
    "interventions",
    "fetcher",
    "supervisor",
    "extractor",
    "governor",
)
"""The order in which actors stop: the reverse of their start."""

NEVER_CRASH = set(ORDER)


def check_invariants(history: WorldHistory) -> tuple[str, ...]:
    """Return the violated invariants as sentences; none for a good world."""
    return (*_lost_calls(history), *_unsettled(history), *_left(history), *_actors(history))


def _lost_calls(history: WorldHistory) -> Iterator[str]:
    for outcome in (*history.outcomes, *history.afterwards):
        if outcome.ending == "lost":
            yield f"{outcome.call} never ended."
    for outcome in history.afterwards:
        if outcome.ending != "ok":
            yield f"{outcome.call} failed when nothing went wrong any more: {outcome.ending}."


def _unsettled(history: WorldHistory) -> Iterator[str]:
    requests = [record for record in history.trace if isinstance(record, RequestRecord)]
    sent = Counter(record.number for record in requests if isinstance(record, RequestSent))
    ended = Counter(record.number for record in requests if isinstance(record, ENDINGS))
    if set(sent.values()) != {1}:
        yield "A request was sent twice."
    if not set(ended) <= set(sent):
        yield "A request ended that was never sent."
    if not set(ended.values()) <= {1}:
        yield "A request ended twice."


def _left(history: WorldHistory) -> Iterator[str]:
    if history.pool.tabs:
        yield f"Tabs are left: {history.pool.tabs}."
    if history.pool.waiting:
        yield f"Leases still wait: {history.pool.waiting}."
    if history.pages:
        yield f"Pages are left in browsers: {history.pages}."
    if any(one.state.is_open for one in history.interventions):
        yield "Something waits for a person for ever."
    for rate in history.rates:
        if rate.in_work or rate.waiting:
            yield f"A permit of {rate.site} was not given back."


def _actors(history: WorldHistory) -> Iterator[str]:
    crashed = {record.actor for record in history.trace if isinstance(record, ActorCrashed)}
    if wrong := crashed & NEVER_CRASH:
        yield f"Crashed: {', '.join(sorted(wrong))}."
    stopped = [record.actor for record in history.trace if isinstance(record, ActorStopped)]
    if tuple(actor for actor in stopped if actor in ORDER) != ORDER:
        yield f"The actors stopped in another order: {', '.join(stopped)}."

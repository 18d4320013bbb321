"""A small simulated world: the whole house on fake browsers, driven by one seed.

``python -m tabwright.testing.world SEED`` prints its trace; the same seed gives the same trace
in every process.
"""

import sys
from collections.abc import Sequence
from contextlib import suppress
from random import Random

import attrs
import trio

from tabwright.actors.house import Tabwright, open_tabwright
from tabwright.actors.tracing import Record
from tabwright.config.file import load_settings
from tabwright.config.layers import override
from tabwright.config.settings import Settings
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.interventions import Intervention, PersonsAnswer
from tabwright.protocol.leases import PoolState
from tabwright.protocol.permits import SiteRate
from tabwright.protocol.web_search import WebSearch
from tabwright.testing.determinism import run_seeded
from tabwright.testing.fake import (
    FakeAnswer,
    FakeBarrier,
    FakePage,
    FakeSite,
    Fault,
    Harm,
    fake_launcher,
)
from tabwright.testing.seams import simulated_seams

ARTICLE_URL = "https://news.example/article"
REFUSED_URL = "https://down.example/"
ENGINE_URLS = {
    "mojeek": "https://www.mojeek.com/search?q=q",
    "ecosia": "https://www.ecosia.org/search?q=q",
}
"""The first result pages of engines, for the query "q"."""

WALL = '<html><body><form id="challenge-form">Who are you?</form></body></html>'
HARMED_METHODS = (
    "Page.navigate",
    "Runtime.callFunctionOn",
    "Target.createTarget",
    "Target.attachToTarget",
    "Page.bringToFront",
)
CALLS = (
    "search",
    "follow_up",
    "article",
    "refused",
    "web_search",
    "many_pages",
    "impatient",
    "sudden",
)
ANSWERS: tuple[PersonsAnswer, ...] = ("open", "solved", "skip")
WORKERS = 4
CALLS_PER_WORKER = 3
PERSON_S = 20.0
EXPIRY_S = 60.0
CALL_S = 400.0
"""Longer than anything here may take: a call that reaches it was lost."""


@attrs.frozen
class Outcome:
    """How one call ended: the kind of its error, or ``ok``; ``lost`` where it never did."""

    call: str
    ending: str


@attrs.frozen
class History:
    """What happened in a world.

    Attributes:
        interventions: what has waited for a person.
        pool: how it stood with the tabs when all was over.
        rates: and with the sites.
    """

    trace: Sequence[Record]
    outcomes: Sequence[Outcome]
    interventions: Sequence[Intervention]
    pool: PoolState
    rates: Sequence[SiteRate]


def run_world(seed: int) -> History:
    """Lives through the world of a seed: some workers, some calls each, faults and a person."""
    return run_seeded(_live, seed)


def result_page(engine: str, *names: str) -> str:
    """A page of an engine that lists these sites."""
    if engine == "mojeek":
        items = "".join(
            f'<li><a class="ob" href="https://{name}.example/">x</a><h2><a class="title" '
            f'href="https://{name}.example/">{name}</a></h2><p class="s">About {name}.</p></li>'
            for name in names
        )
        return f'<html><body><ul class="results-standard">{items}</ul></body></html>'
    items = "".join(
        f'<article data-test-id="mainline-result-web"><a data-test-id="result-link" '
        f'href="https://{name}.example/"><h2 class="result-title__heading">{name}</h2></a>'
        f'<p class="result__description">About {name}.</p></article>'
        for name in names
    )
    return f"<html><body>{items}</body></html>"


def wall(solved_after_s: float | None, html: str = "") -> FakePage:
    """A CAPTCHA before a page; see `FakeBarrier`."""
    barrier = FakeBarrier("captcha", solved_after_s)
    return FakePage(html, barrier=barrier, barrier_html=WALL)


async def _live(random: Random) -> History:
    trace: list[Record] = []
    outcomes: list[Outcome] = []
    launcher = fake_launcher(
        _site(random), random, *_faults(random), headed=random.choice((True, False, False))
    )
    seams = simulated_seams(launcher, random, trace.append)
    async with open_tabwright(_settings(random), seams) as house:
        async with trio.open_nursery() as living:
            living.start_soon(_skip_some, house, random)
            async with trio.open_nursery() as nursery:
                for _ in range(WORKERS):
                    nursery.start_soon(_work, house, random, outcomes)
            living.cancel_scope.cancel()
        await house.close_thread()
        await trio.sleep(2 * EXPIRY_S)
        return History(
            trace, outcomes, await house.interventions(), await house.pool(), await house.rates()
        )


def _site(random: Random) -> FakeSite:
    """A web on which some sites show CAPTCHAs, which the person solves, or never does."""
    mojeek = result_page("mojeek", "a", "b")
    return FakeSite(
        pages={
            ARTICLE_URL: FakePage(
                "<html><body><main><h1>News</h1><p>Text.</p></main></body></html>"
            ),
            REFUSED_URL: FakePage(error="net::ERR_CONNECTION_REFUSED"),
            ENGINE_URLS["mojeek"]: FakePage(mojeek, barrier=_barrier(random), barrier_html=WALL),
            f"{ENGINE_URLS['mojeek']}&s=10": FakePage(result_page("mojeek", "c")),
            f"{ENGINE_URLS['mojeek']}&s=20": FakePage(result_page("mojeek")),
            ENGINE_URLS["ecosia"]: FakePage(
                result_page("ecosia", "b"), status=random.choice((200, 200, 403, 500))
            ),
        },
        answer=FakeAnswer(
            paragraphs=("One.", "Two.", "Three."), sources=(("News", ARTICLE_URL),), step_s=0.4
        ),
        barrier=_barrier(random),
    )


def _barrier(random: Random) -> FakeBarrier | None:
    if random.choice((True, True, False)):
        return None
    return FakeBarrier("captcha", random.choice((None, 0.0, 5.0, 15.0)))


def _settings(random: Random) -> Settings:
    return load_settings(
        override(
            pool__workers=random.choice((1, 1, 2)),
            pool__max_tabs=random.choice((1, 1, 3)),
            pool__max_held_tabs=random.choice((1, 4)),
            pool__hold_expiry_s=EXPIRY_S,
            search__person_timeout_s=PERSON_S,
            engines__failed_pages=None,
        )
    )


def _faults(random: Random) -> list[Fault]:
    return [
        Fault(random.choice(list(Harm)), random.choice(HARMED_METHODS), random.randint(1, 6))
        for _ in range(random.randint(0, 3))
    ]


async def _skip_some(house: Tabwright, random: Random) -> None:
    """The person, who looks at what there is to do, and may not like it."""
    while True:
        await trio.sleep(random.uniform(0, 2 * PERSON_S))
        for waiting in await house.interventions():
            if waiting.state.is_open:
                with suppress(TabwrightError):
                    await house.answer_intervention(waiting.id, random.choice(ANSWERS))


async def _work(house: Tabwright, random: Random, outcomes: list[Outcome]) -> None:
    for _ in range(CALLS_PER_WORKER):
        call = random.choice(CALLS)
        within_s = {"impatient": 0.3, "sudden": random.uniform(0, PERSON_S)}.get(call, CALL_S)
        outcomes.append(Outcome(call, await _ending(house, call, within_s)))
        await trio.sleep(random.uniform(0, 2))


async def _ending(house: Tabwright, call: str, within_s: float) -> str:
    with trio.move_on_after(within_s):
        try:
            await _call(house, call)
        except TabwrightError as error:
            return error.kind
        return "ok"
    return "lost" if within_s == CALL_S else "cancelled"


async def _call(house: Tabwright, call: str) -> None:
    match call:
        case "article":
            await house.browse(ARTICLE_URL)
        case "refused":
            await house.browse(REFUSED_URL)
        case "web_search" | "sudden":
            await house.web_search(WebSearch("q", ("mojeek", "ecosia")))
        case "many_pages":
            await house.web_search(WebSearch("q", ("mojeek",), limit=30))
        case _:
            await house.search("What is trio?", follow_up=call == "follow_up")


def main() -> None:
    """Prints the trace of the seed on the command line."""
    history = run_world(int(sys.argv[1]))
    for entry in (*history.trace, *history.outcomes):
        sys.stdout.write(f"{entry}\n")


if __name__ == "__main__":
    main()

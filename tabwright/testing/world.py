"""A small simulated world: the whole house on fake browsers, driven by one seed.

``python -m tabwright.testing.world SEED`` prints its trace; the same seed gives the same trace
in every process.
"""

import sys
from collections.abc import Sequence
from random import Random

import attrs
import trio

from tabwright.actors.extractor import inline
from tabwright.actors.house import Seams, Tabwright, open_tabwright
from tabwright.actors.tracing import ActorSystem, Record
from tabwright.config.file import load_settings
from tabwright.protocol.errors import TabwrightError
from tabwright.testing.determinism import run_seeded
from tabwright.testing.fake import FakeAnswer, FakePage, FakeSite, Fault, Harm, fake_launcher

ARTICLE_URL = "https://news.example/article"
REFUSED_URL = "https://down.example/"

SITE = FakeSite(
    pages={
        ARTICLE_URL: FakePage("<html><body><main><h1>News</h1><p>Text.</p></main></body></html>"),
        REFUSED_URL: FakePage(error="net::ERR_CONNECTION_REFUSED"),
    },
    answer=FakeAnswer(
        paragraphs=("One.", "Two.", "Three."), sources=(("News", ARTICLE_URL),), step_s=0.4
    ),
)

HARMED_METHODS = (
    "Page.navigate",
    "Runtime.callFunctionOn",
    "Target.createTarget",
    "Target.attachToTarget",
)
WORKERS = 4
CALLS_PER_WORKER = 3
CALL_S = 60.0
"""Longer than anything here may take: a call that reaches it was lost."""


@attrs.frozen
class Outcome:
    """How one call ended: the kind of its error, or ``ok``; ``lost`` where it never did."""

    call: str
    ending: str


@attrs.frozen
class History:
    """What happened in a world."""

    trace: Sequence[Record]
    outcomes: Sequence[Outcome]


def run_world(seed: int) -> History:
    """Lives through the world of a seed: some workers, some calls each, some faults."""
    return run_seeded(_live, seed)


async def _live(random: Random) -> History:
    trace: list[Record] = []
    outcomes: list[Outcome] = []
    seams = Seams(
        launcher=fake_launcher(SITE, random, *_faults(random)),
        system=ActorSystem(tracer=trace.append, random=random),
        offload=inline,
    )
    async with open_tabwright(load_settings(), seams) as house, trio.open_nursery() as nursery:
        for _ in range(WORKERS):
            nursery.start_soon(_work, house, random, outcomes)
    return History(trace, outcomes)


def _faults(random: Random) -> list[Fault]:
    return [
        Fault(random.choice(list(Harm)), random.choice(HARMED_METHODS), random.randint(1, 6))
        for _ in range(random.randint(0, 3))
    ]


async def _work(house: Tabwright, random: Random, outcomes: list[Outcome]) -> None:
    for _ in range(CALLS_PER_WORKER):
        call = random.choice(("search", "follow_up", "article", "refused", "impatient"))
        outcomes.append(Outcome(call, await _ending(house, call)))
        await trio.sleep(random.uniform(0, 2))


async def _ending(house: Tabwright, call: str) -> str:
    with trio.move_on_after(0.3 if call == "impatient" else CALL_S) as patience:
        try:
            await _call(house, call)
        except TabwrightError as error:
            return error.kind
        return "ok"
    return "cancelled" if call == "impatient" and patience.cancelled_caught else "lost"


async def _call(house: Tabwright, call: str) -> None:
    match call:
        case "article":
            await house.browse(ARTICLE_URL)
        case "refused":
            await house.browse(REFUSED_URL)
        case _:
            await house.search("What is trio?", follow_up=call == "follow_up")


def main() -> None:
    """Prints the trace of the seed on the command line."""
    history = run_world(int(sys.argv[1]))
    for entry in (*history.trace, *history.outcomes):
        sys.stdout.write(f"{entry}\n")


if __name__ == "__main__":
    main()

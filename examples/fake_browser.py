"""Test a program that uses tabwright without a browser, a network or waiting.

``python examples/fake_browser.py [SEED]`` runs tabwright on a fake browser. The clock is virtual
and jumps over every wait. The seed decides each latency and each order of tasks, so that the same
seed gives the same run, event by event.
"""

import sys
from random import Random

import trio

import tabwright
from tabwright.advanced import TraceRecord
from tabwright.testing import (
    FakeAnswer,
    FakePage,
    FakeSite,
    Fault,
    FaultKind,
    fake_launcher,
    run_seeded,
    simulated_environment,
)

NEWS_URL = "https://news.example/weather"
SITE = FakeSite(
    pages={NEWS_URL: FakePage("<title>Weather</title><main><p>Rain by noon.</p></main>", load_s=2)},
    answer=FakeAnswer(("It will rain.", "Take a coat."), sources=(("News", NEWS_URL),), step_s=5),
)
IN_TAB = tabwright.ReadOptions(min_tier=2)
"""Read the page in the browser, although HTTP would suffice."""

FAULT = Fault(FaultKind.CRASH, "Page.navigate", nth=2)
"""The second page that is opened, that of the source, crashes while it loads."""


async def report(tw: tabwright.Tabwright) -> str:
    """Ask a question and read the first source, twice if needed: the program under test."""
    answer = await tw.search("Will it rain?", language="en-US")
    url = answer.sources[0].url
    try:
        page = await tw.read(url, IN_TAB)
    except tabwright.TabwrightError as error:
        print(f"{error.kind}, retryable: {error.retryable}, effect: {error.effect}")
        page = await tw.read(url, IN_TAB)
    return f"{answer.ai_answer} {page.text}"


async def rehearse(random: Random) -> None:
    """Run the program once and print what happened: the test."""
    trace: list[TraceRecord] = []
    environment = simulated_environment(fake_launcher(SITE, random, FAULT), random, trace.append)
    began_s = trio.current_time()
    async with tabwright.open(environment=environment) as tw:
        print(await report(tw))
    print(f"{trio.current_time() - began_s:.3f} s of virtual time, {len(trace)} trace records")


run_seeded(rehearse, seed=int(sys.argv[1]) if len(sys.argv) > 1 else 0)

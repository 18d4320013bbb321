"""How to test a program that uses tabwright, without a browser, without the net, without waiting.

``python examples/fake_browser.py [SEED]``: the whole house on a fake browser. The clock is
virtual and jumps over every wait; the seed decides each latency and each order of tasks, so that
the same seed gives the same run, event by event.
"""

import sys
from random import Random

import trio

from tabwright import ReadOptions, Tabwright, TabwrightError, open_tabwright
from tabwright.actors.kit.tracing import TraceRecord
from tabwright.testing.determinism import run_seeded, simulated_environment
from tabwright.testing.fake import FakeAnswer, FakePage, FakeSite, Fault, FaultKind, fake_launcher

NEWS_URL = "https://news.example/weather"
SITE = FakeSite(
    pages={NEWS_URL: FakePage("<title>Weather</title><main><p>Rain by noon.</p></main>", load_s=2)},
    answer=FakeAnswer(("It will rain.", "Take a coat."), sources=(("News", NEWS_URL),), step_s=5),
)
IN_TAB = ReadOptions(min_tier=2)
"""In the browser, although its text is there without one."""

FAULT = Fault(FaultKind.CRASH, "Page.navigate", nth=2)
"""The second page that is opened, the one of the source, crashes while it loads."""


async def report(tabwright: Tabwright) -> str:
    """The program under test: asks, and reads the first source, twice if need be."""
    answer = await tabwright.search("Will it rain?", language="en-US")
    url = answer.sources[0].url
    try:
        page = await tabwright.browse(url, IN_TAB)
    except TabwrightError as error:
        print(f"{error.kind}, retryable: {error.retryable}, effect: {error.effect}")
        page = await tabwright.browse(url, IN_TAB)
    return f"{answer.ai_answer} {page.text}"


async def rehearse(random: Random) -> None:
    """The test: one run of the program, and what can be said about it afterwards."""
    trace: list[TraceRecord] = []
    environment = simulated_environment(fake_launcher(SITE, random, FAULT), random, trace.append)
    began_s = trio.current_time()
    async with open_tabwright(environment=environment) as tabwright:
        print(await report(tabwright))
    print(f"{trio.current_time() - began_s:.3f} s of virtual time, {len(trace)} trace records")


run_seeded(rehearse, seed=int(sys.argv[1]) if len(sys.argv) > 1 else 0)

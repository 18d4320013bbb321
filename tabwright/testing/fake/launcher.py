"""Starting fake browsers as the house starts real ones."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from random import Random

import trio

from tabwright.actors.browser import BrowserLink, Launcher
from tabwright.testing.fake.browser import FakeBrowser
from tabwright.testing.fake.faults import Fault, Faults
from tabwright.testing.fake.site import FakeSite


def fake_launcher(
    site: FakeSite,
    random: Random,
    *faults: Fault,
    on_start: Callable[[FakeBrowser], None] = lambda _browser: None,
) -> Launcher:
    """A `Launcher` for `Seams`: each start gives a new fake browser on the same site.

    Args:
        site: what there is to be found.
        random: draws the latencies; give it the seed of the run.
        faults: what goes wrong, counted over all starts.
        on_start: is shown each browser as it starts.
    """
    planned = Faults(faults)

    @asynccontextmanager
    async def launch() -> AsyncGenerator[BrowserLink]:
        async with trio.open_nursery() as nursery:
            browser = FakeBrowser(nursery, site, random, planned)
            on_start(browser)
            nursery.start_soon(browser.run)
            yield BrowserLink(browser.link, ours=True, last_words=_last_words)
            browser.die()
            nursery.cancel_scope.cancel()

    return launch


async def _last_words() -> str:
    await trio.lowlevel.checkpoint()
    return "The fake browser has ended."

"""Compare pages per second over HTTP with the same pages in a tab of a real Chromium.

``python bench/tiers.py``

One tabwright reads both in turn from a server on loopback, so that other load affects both equally:
rely on the ratio. No page is read twice, and the text of each is extracted.
"""

import argparse
import statistics
import time
from functools import partial

import trio

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.snapshot import Tier
from tabwright.testing.replica.server import Exchange, ServerResponse, open_server

PAGES_PER_TURN = 20
PARAGRAPHS = 60
SENTENCE = "Every task has a parent that waits for it, and no error is lost. "

SETTINGS = {
    "browser__profile": None,
    "engines__counts": None,
    "network__allow_private": True,
    "network__proxy": "none",
    "network__robots": False,
}


async def answer(exchange: Exchange) -> None:
    """Answer with an article of 20 kB with links, a table and two pictures."""
    number = exchange.query.get("page", "")
    text = "".join(
        f"<p>{SENTENCE * 4}<a href=/?page={number}-{place}>More</a></p>"
        for place in range(PARAGRAPHS)
    )
    row = "<tr><td>nursery<td>scope<td>channel</tr>"
    body = f"<h1>Page {number}</h1><img src=/a.png><img src=/b.png>{text}<table>{row * 10}</table>"
    await exchange.answer(ServerResponse(f"<!doctype html><title>{number}</title>{body}".encode()))


async def turn(tabwright: Tabwright, port: int, tier: Tier, at_once: int, name: str) -> float:
    """Return the pages per second of one turn."""
    urls = iter([f"http://127.0.0.1:{port}/?page={name}-{n}" for n in range(PAGES_PER_TURN)])
    reading = ReadOptions(min_tier=tier, max_tier=tier)

    async def work() -> None:
        for url in urls:
            page = await tabwright.read(url, reading)
            if page.tier != tier or SENTENCE.strip() not in page.text:
                raise RuntimeError(f"{url} was not read by tier {tier}")

    began_s = time.perf_counter()
    async with trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(work)
    return PAGES_PER_TURN / (time.perf_counter() - began_s)


async def measure(rounds: int, at_once: int) -> list[tuple[float, float]]:
    """Return the pages per second of tiers 1 and 2 in each round after the warm-up."""
    async with (
        open_server(answer, []) as port,
        open_tabwright(settings_from(override(**SETTINGS))) as tabwright,
    ):
        pairs = [
            (
                await turn(tabwright, port, 1, at_once, f"{number}-http"),
                await turn(tabwright, port, 2, at_once, f"{number}-tab"),
            )
            for number in range(rounds + 1)
        ]
    return pairs[1:]


def main() -> None:
    """Print medians, and the median of the ratios round by round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    for at_once in (1, 4):
        pairs = trio.run(partial(measure, options.rounds, at_once))
        http = statistics.median(one for one, _ in pairs)
        tab = statistics.median(other for _, other in pairs)
        ratios = sorted(one / other for one, other in pairs)
        print(
            f"{at_once} at once   tier 1 {http:6.1f} pages/s   tier 2 {tab:6.1f} pages/s   "
            f"ratio {statistics.median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})"
        )


if __name__ == "__main__":
    main()

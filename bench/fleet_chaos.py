"""Run a batch on several workers, each in a network namespace, while processes are killed.

Workers, their browsers, Redis and the coordinator are killed with SIGKILL, workers are stopped for
a while, and their links to Redis and to the sites are cut. At the end, each page must be in the
output once, with its own text, and no site may have received requests faster than its rate allows.

Needs root, ``ip`` and ``redis-server``.
"""

import argparse
import random
import signal
import sys
import time
from collections import Counter, defaultdict, deque
from functools import partial
from operator import attrgetter
from pathlib import Path

import attrs
import msgspec
import psutil
import trio
from fleet_parts import (
    HOST,
    REDIS_PORT,
    SITE_PORT,
    TABWRIGHT,
    Chaos,
    Fault,
    Harm,
    PageRequest,
    PageResponse,
    Program,
    kept_in,
    network,
    redis_words,
    run_and_print,
    start_site,
)

SCRIPTED = 50
"""One page in this many shows its text only by script, so that a worker needs a browser for it."""

ARRIVES_S = 10.0
"""How long after its link failed a request can arrive: TCP retries at growing intervals."""

LOST_S = 30.0
"""Maximum age of a request that is lost when its worker dies."""

CONFIG = """network: {allow_private: true, proxy: none}
browser: {profile: null, extra_args: [--no-sandbox]}
log: {dir: null}
engines: {policy: POLICY, counts: COUNTS}
"""

HTML = """<!doctype html><html lang=en><title>Page NUMBER</title><h1>Page NUMBER</h1>
<p>This is page NUMBER of SITE, and its word is WORD. It has a second sentence for readers."""

BY_SCRIPT = """<!doctype html><html lang=en><title>Page</title><div id=root></div><script>
root.innerHTML = `WHOLE`</script>"""


def word(number: int) -> str:
    """Return the word that only the page of this number has."""
    return f"w{number * 7919 % 1_000_003:06d}x{number}"


# The sites.


@attrs.frozen
class Visit:
    """A request to a site: its time by the clock of this machine, and its worker."""

    time_s: float
    site: str
    worker: str
    number: int


@attrs.define(eq=False)
class Sites:
    """The sites: one server with many addresses."""

    visits: list[Visit] = attrs.field(factory=list[Visit])
    working: Counter[str] = attrs.field(factory=Counter[str])
    most: Counter[str] = attrs.field(factory=Counter[str])

    async def answer(self, request: PageRequest) -> PageResponse:
        """Return a page."""
        site, path = request.site, request.target
        if not path.startswith("/page/"):
            return PageResponse(b"", 404)
        number = int(path.removeprefix("/page/"))
        self.visits.append(Visit(time.time(), site, request.client, number))
        self.working[site] += 1
        self.most[site] = max(self.most[site], self.working[site])
        await trio.sleep(0.02)
        self.working[site] -= 1
        text = HTML.replace("NUMBER", str(number)).replace("SITE", site)
        text = text.replace("WORD", word(number))
        whole = text if number % SCRIPTED else BY_SCRIPT.replace("WHOLE", text)
        return PageResponse(whole.encode())


@attrs.define(eq=False, kw_only=True)
class BatchChaos(Chaos):
    """The faults, and in addition the kill of the command that waits for the results."""

    coordinator: Program

    def faults(self) -> list[tuple[int, Fault]]:
        """Return the faults, each with its weight."""
        return [*super().faults(), (1, self.kill_coordinator)]

    async def kill_coordinator(self) -> str:
        """Kill the command, which is then started again."""
        return self.killed(self.coordinator)


# The verdict.


class Record(msgspec.Struct):
    """A line of the output."""

    asked: str
    success: bool
    text: str = ""
    error: str = ""


def verdict(
    output: Path, urls: list[str], sites: Sites, interval_s: float, concurrency: int
) -> dict[str, object]:
    """Return the numbers of lost, repeated, failed and too frequent pages."""
    lines = output.read_bytes().splitlines() if output.exists() else []
    records = [msgspec.json.decode(line, type=Record) for line in lines]
    times = Counter(one.asked for one in records)
    right = {one.asked for one in records if one.success and word(number_of(one.asked)) in one.text}
    failed = [one for one in records if not one.success]
    visits = Counter(one.number for one in sites.visits)
    starts: dict[str, list[float]] = defaultdict(list)
    for one in sites.visits:
        starts[one.site].append(one.time_s)
    windows = {
        f"{window_s:g} s": max(
            (most_in(sorted(each), window_s) for each in starts.values()), default=0
        )
        for window_s in (1.0, 10.0, 60.0)
    }
    return {
        "jobs": len(urls),
        "in the output": len(records),
        "lost": len(set(urls) - right),
        "failed": len(failed),
        "first failures": sorted({one.error for one in failed})[:3],
        "twice in the output": sum(count - 1 for count in times.values()),
        "pages fetched": len(sites.visits),
        "fetched again": sum(
            count - (1 if number % SCRIPTED else 2)  # by HTTP, and then in a browser
            for number, count in visits.items()
        ),
        "most starts of a site": windows,
        "allowed": {f"{one:g} s": int(one / interval_s) + 1 for one in (1.0, 10.0, 60.0)},
        "most at once": max(sites.most.values(), default=0),
        "allowed at once": concurrency,
    }


def causes(visits: list[Visit], harms: list[Harm], names: dict[str, str]) -> dict[str, object]:
    """Return the causes of repeated fetches, and the ages of the lost requests at the fault.

    The cause is the first fault of the worker after the request, within `LOST_S`.
    """
    by_page = defaultdict[int, list[Visit]](list)
    for one in visits:
        by_page[one.number].append(one)
    ages_s, unknown = defaultdict[str, list[float]](list), 0
    for number, each in by_page.items():
        again = len(each) - (1 if number % SCRIPTED else 2)
        lost = [
            min(
                (
                    (harm.from_s - one.time_s, harm.kind)
                    for harm in harms
                    if harm.target == names[one.worker] and 0 <= harm.from_s - one.time_s < LOST_S
                ),
                default=None,
            )
            for one in each[:-1]
        ]
        found = sorted(one for one in lost if one)[: max(again, 0)]
        unknown += max(again, 0) - len(found)
        for age_s, kind in found:
            ages_s[kind].append(round(age_s, 2))
    return {**{kind: sorted(each) for kind, each in ages_s.items()}, "unknown": unknown}


def late(
    visits: list[Visit], harms: list[Harm], names: dict[str, str], most: int
) -> dict[str, int]:
    """Return the causes of windows in which more than `most` requests reached a site in a second.

    A request that is in flight when its worker is stopped or its link is cut arrives late, among
    those that are allowed after it. Any other cause is unknown.
    """
    delaying = [harm for harm in harms if harm.kind.startswith(("stop", "cut"))]
    found = Counter[str]()
    for site in {one.site for one in visits}:
        window = deque[Visit]()
        for visit in sorted((one for one in visits if one.site == site), key=attrgetter("time_s")):
            window.append(visit)
            while window[0].time_s <= visit.time_s - 1:
                window.popleft()
            if len(window) > most:
                reasons = {
                    harm.kind
                    for harm in delaying
                    for one in window
                    if names[one.worker] == harm.target
                    and harm.from_s <= one.time_s < harm.to_s + ARRIVES_S
                }
                found[", ".join(sorted(reasons)) or "unknown"] += 1
    return dict(found)


def number_of(url: str) -> int:
    """Return the number of a page."""
    return int(url.rpartition("/")[2])


def most_in(times_s: list[float], window_s: float) -> int:
    """Return the maximum number of the sorted times in any window of this length."""
    most = begin = 0
    for end, time_s in enumerate(times_s):
        while times_s[begin] <= time_s - window_s:
            begin += 1
        most = max(most, end - begin + 1)
    return most


async def run_chaos(options: argparse.Namespace, folder: Path) -> dict[str, object]:
    """Run it, and return the verdict."""
    source = random.Random(options.seed)  # noqa: S311
    policy, config = folder / "engines.yaml", folder / "config.yaml"
    policy.write_text(
        f"web: {{min_interval_s: {options.interval}, concurrency: {options.concurrency}}}\n"
    )
    config.write_text(
        CONFIG.replace("POLICY", str(policy)).replace("COUNTS", str(folder / "counts.sqlite"))
    )
    queue = f"redis://{HOST}:{REDIS_PORT}"
    sites, over = Sites(), trio.Event()
    async with network(options.sites, options.workers) as (addresses, spaces):
        urls = [
            f"http://{addresses[number % len(addresses)]}:{SITE_PORT}/page/{number}"
            for number in range(options.jobs)
        ]
        (folder / "urls.txt").write_text("\n".join(urls))
        output = folder / "out.ndjson"
        program = kept_in(folder)
        redis = program("redis", *redis_words(folder))
        workers = [
            program(
                space.name,
                *(
                    "ip",
                    "netns",
                    "exec",
                    space.name,
                    *TABWRIGHT,
                    "fleet",
                    "worker",
                    "--config",
                    config,
                ),
                *("--queue", queue, "--concurrency", options.at_once),
            )
            for space in spaces
        ]
        coordinator = program(
            "coordinator",
            *(*TABWRIGHT, "read", "--config", config, "--queue", queue, "--max-tier", "2"),
            *("--batch", "urls.txt", "--batch-output", output, "--batch-concurrency", "64"),
        )
        chaos = BatchChaos(source, workers, spaces, redis, coordinator=coordinator)
        began_s = trio.current_time()
        async with trio.open_nursery() as nursery:
            await start_site(nursery, sites.answer)
            pause = partial(source.uniform, 0.2, 3.0)
            for one in (redis, *workers):
                nursery.start_soon(partial(one.keep, pause, until=over))
            await trio.sleep(1)
            if options.mean:
                nursery.start_soon(chaos.rage, options.mean)
            if options.say:
                nursery.start_soon(say, sites, chaos, options.jobs)
            with trio.move_on_after(options.limit):
                await coordinator.keep(pause, until=over)
            took_s = trio.current_time() - began_s
            over.set()
            for one in (*workers, redis, coordinator):
                one.send(signal.SIGCONT)
                one.send(signal.SIGTERM)
            with trio.move_on_after(30):
                while any(one.send(0) for one in workers):
                    await trio.sleep(0.1)
            ended = [one.name for one in workers if one.send(signal.SIGKILL)]
            nursery.cancel_scope.cancel()
        left = [one.pid for one in psutil.process_iter(["name"]) if one.info["name"] == "chromium"]
        return {
            **verdict(output, urls, sites, options.interval, options.concurrency),
            "seconds": round(took_s),
            "exit code": coordinator.last_code,
            "starts": {one.name: one.starts for one in (*workers, redis, coordinator)},
            "faults": dict(chaos.done),
            "age at the fault of what was fetched again, s": causes(
                sites.visits, chaos.history, {one.address: one.name for one in spaces}
            ),
            "too many within a second": late(
                sites.visits,
                chaos.history,
                {one.address: one.name for one in spaces},
                int(1 / options.interval) + 1,
            ),
            "workers that did not end": ended,
            "browsers left": len(left),
        }


async def say(sites: Sites, chaos: Chaos, jobs: int) -> None:
    """Print the progress until cancelled."""
    while True:
        await trio.sleep(10)
        distinct = len({one.number for one in sites.visits})
        print(f"{distinct} of {jobs} pages; {dict(chaos.done)}", file=sys.stderr, flush=True)


def main() -> None:
    """Run the chaos and print the verdict as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--sites", type=int, default=20)
    parser.add_argument("--at-once", type=int, default=8, help="concurrent pages of a worker")
    parser.add_argument("--interval", type=float, default=0.1, help="seconds between two starts")
    parser.add_argument("--concurrency", type=int, default=4, help="concurrent requests to a site")
    parser.add_argument("--mean", type=float, default=4.0, help="seconds between faults; 0: none")
    parser.add_argument("--limit", type=float, default=1800, help="maximum number of seconds")
    parser.add_argument("--say", action="store_true", help="print progress")
    parser.add_argument("--keep", help="folder in which to keep logs and output")
    run_and_print(run_chaos, parser.parse_args())


if __name__ == "__main__":
    main()

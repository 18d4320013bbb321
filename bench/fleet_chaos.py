"""A batch on several workers, each in a network namespace, while all kinds of processes are killed.

Workers, their browsers, Redis and the coordinator are killed with SIGKILL, workers are stopped for
a while, and their links to Redis and to the sites are cut. At the end each page must be there,
once, with the text of its own page, and no site may have been asked faster than its rate allows.

Needs root, ``ip`` and ``redis-server``.
"""

import argparse
import ipaddress
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import attrs
import msgspec
import psutil
import trio

BRIDGE = "tw-bridge"
NETWORK = ipaddress.ip_network("10.77.0.0/16")
HOST = NETWORK[1]
REDIS_PORT = 6390
SITE_PORT = 8080
SCRIPTED = 50
"""One of so many pages shows its text by script only, so that a worker needs a browser for it."""

TABWRIGHT = (sys.executable, "-m", "tabwright")

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
    """A request to a site: when it came, on the clock of this machine."""

    time_s: float
    site: str
    number: int


@attrs.define(eq=False)
class Sites:
    """The sites: one server, which many addresses lead to."""

    visits: list[Visit] = attrs.field(factory=list[Visit])
    working: Counter[str] = attrs.field(factory=Counter[str])
    most: Counter[str] = attrs.field(factory=Counter[str])

    async def answer(self, stream: trio.SocketStream) -> None:
        """Answer the requests of a connection."""
        waiting = b""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async with stream:
                while True:
                    while b"\r\n\r\n" not in waiting:
                        some = await stream.receive_some()
                        if not some:
                            return
                        waiting += some
                    head, _, waiting = waiting.partition(b"\r\n\r\n")
                    site = str(stream.socket.getsockname()[0])
                    status, body = await self._page(site, head.split()[1].decode())
                    await stream.send_all(
                        f"HTTP/1.1 {status} OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n".encode()
                        + body
                    )

    async def _page(self, site: str, path: str) -> tuple[int, bytes]:
        if not path.startswith("/page/"):
            return 404, b""
        number = int(path.removeprefix("/page/"))
        self.visits.append(Visit(trio.current_time(), site, number))
        self.working[site] += 1
        self.most[site] = max(self.most[site], self.working[site])
        await trio.sleep(0.02)
        self.working[site] -= 1
        text = HTML.replace("NUMBER", str(number)).replace("SITE", site)
        text = text.replace("WORD", word(number))
        return 200, (text if number % SCRIPTED else BY_SCRIPT.replace("WHOLE", text)).encode()


# The network, and the processes on it.


def run(*words: object) -> None:
    """Run a command of the system."""
    subprocess.run([str(one) for one in words], check=True, capture_output=True)


@attrs.frozen
class Namespace:
    """A network namespace with one link to the bridge."""

    number: int

    @property
    def name(self) -> str:
        """Return its name."""
        return f"tw-{self.number}"

    def add(self) -> None:
        """Create it."""
        inside = ("ip", "netns", "exec", self.name)
        outer, inner = f"{self.name}-out", f"{self.name}-in"
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", outer, "type", "veth", "peer", "name", inner)
        run("ip", "link", "set", inner, "netns", self.name)
        run("ip", "link", "set", outer, "master", BRIDGE, "up")
        run(*inside, "ip", "addr", "add", f"{NETWORK[256 + self.number]}/16", "dev", inner)
        run(*inside, "ip", "link", "set", inner, "up")
        run(*inside, "ip", "link", "set", "lo", "up")

    def cut(self, *, is_cut: bool) -> None:
        """Cut the link, or restore it."""
        run("ip", "link", "set", f"{self.name}-out", "down" if is_cut else "up")

    def remove(self) -> None:
        """Remove it."""
        with suppress(subprocess.CalledProcessError):
            run("ip", "netns", "del", self.name)


@asynccontextmanager
async def network(sites: int, workers: int) -> AsyncGenerator[tuple[list[str], list[Namespace]]]:
    """Yield the addresses of the sites, and a namespace for each worker."""
    addresses = [str(NETWORK[65536 // 2 + number]) for number in range(sites)]
    spaces = [Namespace(number) for number in range(workers)]
    remove_network(spaces)
    try:
        run("ip", "link", "add", BRIDGE, "type", "bridge")
        run("ip", "addr", "add", f"{HOST}/16", "dev", BRIDGE)
        for address in addresses:
            run("ip", "addr", "add", f"{address}/16", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
        for space in spaces:
            space.add()
        yield addresses, spaces
    finally:
        remove_network(spaces)


def remove_network(spaces: list[Namespace]) -> None:
    """Remove what is there of the network."""
    for space in spaces:
        space.remove()
    with suppress(subprocess.CalledProcessError):
        run("ip", "link", "del", BRIDGE)


@attrs.define(eq=False)
class Program:
    """A program that is started again whenever it was killed."""

    name: str
    words: tuple[str, ...]
    environment: dict[str, str]
    log: Path
    starts: int = 0
    process: trio.Process | None = None
    last_code: int | None = None

    async def keep(self, pause: Callable[[], float], *, until: trio.Event) -> None:
        """Run it until the event, or until it has ended by itself."""
        while not until.is_set():
            with self.log.open("ab") as log:
                self.process = await trio.lowlevel.open_process(
                    self.words, stdout=log, stderr=log, env=self.environment, cwd=self.log.parent
                )
                self.starts += 1
                self.last_code = await self.process.wait()
            if self.last_code != -signal.SIGKILL:
                return
            await trio.sleep(pause())

    def send(self, number: int) -> bool:
        """Send a signal; return whether the program was running."""
        if self.process is None or self.process.poll() is not None:
            return False
        self.process.send_signal(number)
        return True

    def browsers(self) -> Iterator[psutil.Process]:
        """Return its browsers."""
        if self.process is not None and self.process.poll() is None:
            with suppress(psutil.Error):
                yield from psutil.Process(self.process.pid).children()


# The faults.


@attrs.define(eq=False)
class Chaos:
    """What goes wrong, by a seed."""

    random: random.Random
    workers: list[Program]
    spaces: list[Namespace]
    redis: Program
    coordinator: Program
    done: Counter[str] = attrs.field(factory=Counter[str])

    async def rage(self, mean_s: float) -> None:
        """Do harm until cancelled."""
        faults: list[tuple[int, Callable[[], Coroutine[object, object, bool]]]] = [
            (4, self.kill_worker),
            (3, self.kill_browser),
            (2, self.kill_redis),
            (1, self.kill_coordinator),
            (2, self.stop_worker),
            (3, self.cut_worker),
        ]
        weights = [weight for weight, _ in faults]
        async with trio.open_nursery() as nursery:
            while True:
                await trio.sleep(self.random.expovariate(1 / mean_s))
                _, fault = self.random.choices(faults, weights)[0]
                nursery.start_soon(self._note, fault)

    async def _note(self, fault: Callable[[], Coroutine[object, object, bool]]) -> None:
        if await fault():
            self.done[fault.__name__] += 1

    async def kill_worker(self) -> bool:
        """Kill a worker, and leave its browsers to themselves."""
        return self.random.choice(self.workers).send(signal.SIGKILL)

    async def kill_browser(self) -> bool:
        """Kill a browser of a worker."""
        browsers = [one for worker in self.workers for one in worker.browsers()]
        if not browsers:
            return False
        with suppress(psutil.Error):
            self.random.choice(browsers).kill()
        return True

    async def kill_redis(self) -> bool:
        """Kill Redis, which comes back with what is in its file."""
        return self.redis.send(signal.SIGKILL)

    async def kill_coordinator(self) -> bool:
        """Kill the command that waits for the results; it is given again."""
        return self.coordinator.send(signal.SIGKILL)

    async def stop_worker(self) -> bool:
        """Stop a worker for a while, as a suspended machine would be."""
        worker, time_s = self.random.choice(self.workers), self.random.uniform(0.5, 25)
        if not worker.send(signal.SIGSTOP):
            return False
        await trio.sleep(time_s)
        worker.send(signal.SIGCONT)
        return True

    async def cut_worker(self) -> bool:
        """Cut the link of a worker for a while."""
        space, time_s = self.random.choice(self.spaces), self.random.uniform(0.5, 15)
        space.cut(is_cut=True)
        try:
            await trio.sleep(time_s)
        finally:
            space.cut(is_cut=False)
        return True


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
    """Return what was lost, repeated, wrong, or too fast."""
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


def number_of(url: str) -> int:
    """Return the number of a page."""
    return int(url.rpartition("/")[2])


def most_in(times_s: list[float], window_s: float) -> int:
    """Return the most of the sorted times that are in any window of this length."""
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
    environment = {**os.environ, "HOME": str(folder)}
    sites, over = Sites(), trio.Event()
    async with network(options.sites, options.workers) as (addresses, spaces):
        urls = [
            f"http://{addresses[number % len(addresses)]}:{SITE_PORT}/page/{number}"
            for number in range(options.jobs)
        ]
        (folder / "urls.txt").write_text("\n".join(urls))
        output = folder / "out.ndjson"

        def program(name: str, *words: object) -> Program:
            given = tuple(str(one) for one in words)
            return Program(name, given, environment, folder / f"{name}.log")

        redis = program(
            "redis",
            *("redis-server", "--port", REDIS_PORT, "--bind", HOST, "--protected-mode", "no"),
            *("--appendonly", "yes", "--save", "", "--dir", folder),
        )
        workers = [
            program(
                space.name,
                *("ip", "netns", "exec", space.name, *TABWRIGHT, "worker", "--config", config),
                *("--queue", queue, "--concurrency", options.at_once),
            )
            for space in spaces
        ]
        coordinator = program(
            "coordinator",
            *(*TABWRIGHT, "browse", "--config", config, "--queue", queue, "--max-tier", "2"),
            *("--batch", "urls.txt", "--batch-output", output, "--batch-concurrency", "64"),
        )
        chaos = Chaos(source, workers, spaces, redis, coordinator)
        began_s = trio.current_time()
        async with trio.open_nursery() as nursery:
            serve = partial(trio.serve_tcp, sites.answer, SITE_PORT, host="0.0.0.0")  # noqa: S104
            await nursery.start(serve)
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
            "workers that did not end": ended,
            "browsers left": len(left),
        }


async def say(sites: Sites, chaos: Chaos, jobs: int) -> None:
    """Print how far it is, until cancelled."""
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
    parser.add_argument("--at-once", type=int, default=8, help="pages of a worker at a time")
    parser.add_argument("--interval", type=float, default=0.1, help="seconds between two starts")
    parser.add_argument("--concurrency", type=int, default=4, help="requests of a site at a time")
    parser.add_argument("--mean", type=float, default=4.0, help="seconds between faults; 0: none")
    parser.add_argument("--limit", type=float, default=1800, help="seconds at most")
    parser.add_argument("--say", action="store_true", help="print progress")
    parser.add_argument("--keep", help="a folder for logs and output")
    options = parser.parse_args()
    if options.keep:
        Path(options.keep).mkdir(parents=True, exist_ok=True)
        found = trio.run(run_chaos, options, Path(options.keep).resolve())
    else:
        with tempfile.TemporaryDirectory() as folder:
            found = trio.run(run_chaos, options, Path(folder))
    print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())


if __name__ == "__main__":
    main()

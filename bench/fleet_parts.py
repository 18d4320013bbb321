"""Network namespaces, programs, faults and a site for the chaos runs of a fleet."""

import argparse
import ipaddress
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Iterator,
    Mapping,
)
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeAlias

import attrs
import msgspec
import psutil
import trio

BRIDGE = "tw-bridge"
NETWORK = ipaddress.ip_network("10.77.0.0/16")
HOST = NETWORK[1]
REDIS_PORT = 6390
SITE_PORT = 8080
TABWRIGHT = (sys.executable, "-m", "tabwright")


# The network, and the processes on it.


def run(*words: object) -> None:
    """Run a system command."""
    subprocess.run([str(one) for one in words], check=True, capture_output=True)


@attrs.frozen
class Namespace:
    """A network namespace with one link to the bridge."""

    number: int

    @property
    def name(self) -> str:
        """Return its name."""
        return f"tw-{self.number}"

    @property
    def address(self) -> str:
        """Return its address."""
        return str(NETWORK[256 + self.number])

    def add(self) -> None:
        """Create it."""
        inside = ("ip", "netns", "exec", self.name)
        outer, inner = f"{self.name}-out", f"{self.name}-in"
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", outer, "type", "veth", "peer", "name", inner)
        run("ip", "link", "set", inner, "netns", self.name)
        run("ip", "link", "set", outer, "master", BRIDGE, "up")
        run(*inside, "ip", "addr", "add", f"{self.address}/16", "dev", inner)
        run(*inside, "ip", "link", "set", inner, "up")
        run(*inside, "ip", "link", "set", "lo", "up")

    def cut(self, *, is_cut: bool) -> None:
        """Cut the link, or restore it."""
        run("ip", "link", "set", f"{self.name}-out", "down" if is_cut else "up")

    def remove(self) -> None:
        """Remove it."""
        for words in (("link", "del", f"{self.name}-out"), ("netns", "del", self.name)):
            with suppress(subprocess.CalledProcessError):
                run("ip", *words)


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
    """Remove the parts of the network that exist."""
    for space in spaces:
        space.remove()
    with suppress(subprocess.CalledProcessError):
        run("ip", "link", "del", BRIDGE)


@attrs.define(eq=False)
class Program:
    """A program that is started again whenever it is killed."""

    name: str
    words: tuple[str, ...]
    environment: dict[str, str]
    log: Path
    starts: int = 0
    started_s: float = 0.0
    process: trio.Process | None = None
    last_code: int | None = None

    async def keep(
        self,
        pause: Callable[[], float],
        *,
        until: trio.Event,
        codes: Collection[int] = (-signal.SIGKILL,),
    ) -> None:
        """Run it until the event, or until it exits with a code other than `codes`."""
        while not until.is_set():
            with self.log.open("ab") as log:
                self.process = await trio.lowlevel.open_process(
                    self.words, stdout=log, stderr=log, env=self.environment, cwd=self.log.parent
                )
                self.starts += 1
                self.started_s = time.time()
                try:
                    self.last_code = await self.process.wait()
                finally:
                    self.send(signal.SIGKILL)  # if the run was stopped
            if self.last_code not in codes:
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


def kept_in(folder: Path) -> Callable[..., Program]:
    """Return a function that makes programs whose home and logs are in a folder."""
    environment = {**os.environ, "HOME": str(folder)}

    def program(name: str, *words: object) -> Program:
        return Program(name, tuple(map(str, words)), environment, folder / f"{name}.log")

    return program


def redis_words(folder: Path) -> tuple[object, ...]:
    """Return the command of a Redis whose file has every change that it has acknowledged."""
    return (
        *("redis-server", "--port", REDIS_PORT, "--bind", HOST, "--protected-mode", "no"),
        *("--appendonly", "yes", "--auto-aof-rewrite-percentage", 0, "--save", ""),
        *("--dir", folder),
    )


# The faults.


@attrs.frozen
class Harm:
    """A fault that has happened, by the clock of this machine.

    Attributes:
        target: the program or the link.
        from_s, to_s: when it began, and when its direct effect ended.
    """

    kind: str
    target: str
    from_s: float
    to_s: float


Fault: TypeAlias = Callable[[], Coroutine[object, object, str]]
"""Causes a fault and returns its target, or an empty string if there was none."""


@attrs.define(eq=False)
class Chaos:
    """Random faults from a seed."""

    random: random.Random
    workers: list[Program]
    spaces: list[Namespace]
    redis: Program
    history: list[Harm] = attrs.field(factory=list[Harm], init=False)

    @property
    def done(self) -> Counter[str]:
        """Return how often each fault has happened."""
        return Counter(one.kind for one in self.history)

    def faults(self) -> list[tuple[int, Fault]]:
        """Return the faults, each with its weight."""
        return [
            (4, self.kill_worker),
            (3, self.kill_browser),
            (2, self.kill_redis),
            (2, self.stop_worker),
            (3, self.cut_worker),
        ]

    async def rage(self, mean_s: float) -> None:
        """Cause faults until cancelled."""
        faults = self.faults()
        weights = [weight for weight, _ in faults]
        async with trio.open_nursery() as nursery:
            while True:
                await trio.sleep(self.random.expovariate(1 / mean_s))
                _, fault = self.random.choices(faults, weights)[0]
                nursery.start_soon(self._note, fault)

    async def _note(self, fault: Fault) -> None:
        from_s = time.time()
        if target := await fault():
            self.history.append(Harm(fault.__name__, target, from_s, time.time()))

    def killed(self, program: Program, number: int = signal.SIGKILL) -> str:
        """Kill a program; return its name if it was running."""
        return program.name if program.send(number) else ""

    def chosen(self) -> list[Program]:
        """Return a worker that can be killed, or none if all have to stay."""
        return [self.random.choice(self.workers)]

    async def kill_worker(self) -> str:
        """Kill a worker, but not its browsers."""
        return "".join(self.killed(one) for one in self.chosen())

    async def kill_browser(self) -> str:
        """Kill a browser of a worker."""
        browsers = [(worker, one) for worker in self.workers for one in worker.browsers()]
        if not browsers:
            return ""
        worker, browser = self.random.choice(browsers)
        with suppress(psutil.Error):
            browser.kill()
        return worker.name

    async def kill_redis(self) -> str:
        """Kill Redis, which restarts with the contents of its file."""
        return self.killed(self.redis)

    async def stop_worker(self) -> str:
        """Stop a worker for a while, as if its machine were suspended."""
        worker, time_s = self.random.choice(self.workers), self.random.uniform(0.5, 25)
        if not worker.send(signal.SIGSTOP):
            return ""
        await trio.sleep(time_s)
        worker.send(signal.SIGCONT)
        return worker.name

    async def cut_worker(self) -> str:
        """Cut the link of a worker for a while."""
        space, time_s = self.random.choice(self.spaces), self.random.uniform(0.5, 15)
        space.cut(is_cut=True)
        try:
            await trio.sleep(time_s)
        finally:
            space.cut(is_cut=False)
        return space.name


# A site.


@attrs.frozen
class PageRequest:
    """A request to the site: the addresses of both sides, the target and the headers."""

    site: str
    client: str
    target: str
    headers: Mapping[str, str]


@attrs.frozen
class PageResponse:
    """The response to it."""

    body: bytes
    status: int = 200
    headers: tuple[str, ...] = ()


Answer: TypeAlias = Callable[[PageRequest], Awaitable[PageResponse]]


async def start_site(nursery: trio.Nursery, answer: Answer) -> None:
    """Serve a site on all addresses of this machine until the nursery is cancelled."""
    host = "0.0.0.0"  # noqa: S104
    await nursery.start(partial(trio.serve_tcp, partial(serve_pages, answer), SITE_PORT, host=host))


async def serve_pages(answer: Answer, stream: trio.SocketStream) -> None:
    """Answer the requests of a connection."""
    waiting = b""
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        async with stream:
            site, client = (
                str(one[0]) for one in (stream.socket.getsockname(), stream.socket.getpeername())
            )
            while True:
                while b"\r\n\r\n" not in waiting:
                    some = await stream.receive_some()
                    if not some:
                        return
                    waiting += some
                head, _, waiting = waiting.partition(b"\r\n\r\n")
                first, *lines = head.decode("latin-1").split("\r\n")
                headers = {name.lower(): value for name, _, value in map(parted, lines)}
                response = await answer(PageRequest(site, client, first.split()[1], headers))
                extra = "".join(f"{one}\r\n" for one in response.headers)
                await stream.send_all(
                    f"HTTP/1.1 {response.status} OK\r\nContent-Type: text/html; charset=utf-8\r\n"
                    f"Content-Length: {len(response.body)}\r\n{extra}\r\n".encode()
                    + response.body
                )


def parted(line: str) -> tuple[str, str, str]:
    """Return the name of a header, and its value."""
    return line.partition(": ")


# A run.

Chaotic: TypeAlias = Callable[
    [argparse.Namespace, Path], Coroutine[object, object, dict[str, object]]
]
"""Runs the chaos with these options in a folder and returns the verdict."""


def run_and_print(chaos: Chaotic, options: argparse.Namespace) -> None:
    """Run it in the folder ``options.keep``, or in a temporary one; print the verdict as JSON."""
    if options.keep:
        Path(options.keep).mkdir(parents=True, exist_ok=True)
        found = trio.run(chaos, options, Path(options.keep).resolve())
    else:
        with tempfile.TemporaryDirectory() as folder:
            found = trio.run(chaos, options, Path(folder))
    print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())

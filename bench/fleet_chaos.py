"""A batch that workers read while workers, Redis and the command itself are killed at random.

Run as ``python bench/fleet_chaos.py --pages 1000 --seed 1``. Each page must be in the output once;
pages that a killed worker was reading are read again, and counted.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Final

import attrs
import msgspec
import trio

from tabwright.testing.redis_server import RedisServer
from tabwright.testing.replica.server import Exchange, Seen, html, open_server

WORKERS: Final = 3
CAPACITY: Final = 8
SLOW_S: Final = 0.02
KILL_EVERY_S: Final = (3.0, 6.0)
VICTIMS: Final = ("worker",) * 4 + ("redis",) * 2 + ("command",)
ALLOWED: Final = ("--set", "network.allow_private=true", "--set", "network.proxy=none")


@attrs.define(eq=False)
class Chaos:
    """A fleet, and what has been killed."""

    random: Random
    redis: RedisServer
    reading: list[str]
    workers: list[trio.Process] = attrs.field(factory=list[trio.Process])
    command: trio.Process | None = None
    killed: Counter[str] = attrs.field(factory=Counter[str])

    async def start(self, *arguments: str) -> trio.Process:
        """Start a process of the fleet."""
        whole = [sys.executable, "-m", "tabwright", *arguments, "--queue", self.redis.url, *ALLOWED]
        return await trio.lowlevel.open_process(
            whole, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    async def worker(self) -> trio.Process:
        """Start a worker."""
        lease = ("--set", "fleet.lease_s=5")
        return await self.start("worker", "--concurrency", str(CAPACITY), *lease)

    async def run(self) -> None:
        """Run the command until it has written its output, however often it is killed."""
        self.workers = [await self.worker() for _ in range(WORKERS)]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.kill)
            while self.command is None or self.command.returncode not in {0, 2}:
                self.command = await self.start(*self.reading)
                await self.command.wait()
            nursery.cancel_scope.cancel()
        for one in self.workers:
            one.terminate()
            await one.wait()

    async def kill(self) -> None:
        """Kill something every few seconds."""
        while True:
            await trio.sleep(self.random.uniform(*KILL_EVERY_S))
            victim = self.random.choice(VICTIMS)
            self.killed[victim] += 1
            if victim == "worker":
                number = self.random.randrange(WORKERS)
                self.workers[number].kill()
                await self.workers[number].wait()
                self.workers[number] = await self.worker()
            elif victim == "redis":
                self.redis.kill()
                await trio.sleep(self.random.uniform(0, 2))
                self.redis.start()
            elif self.command is not None and self.command.poll() is None:
                self.command.kill()


async def read(chaos: Chaos, urls: Path, pages: int) -> Counter[str]:
    """Read pages by the fleet, and return how often each was requested."""
    seen: list[Seen] = []

    async def serve(exchange: Exchange) -> None:
        await trio.sleep(SLOW_S)
        if not (name := exchange.path.strip("/")).isdecimal():
            await exchange.answer(html("<h1>Not found</h1>", status=404))
            return
        text = f"<h1>Page {name}</h1><p>This is the text of page number {name}.</p>"
        await exchange.answer(html(f"<title>Page {name}</title><main>{text}</main>"))

    async with open_server(serve, seen) as port:
        lines = (f"http://127.0.0.1:{port}/{number}" for number in range(pages))
        await trio.Path(urls).write_text("\n".join(lines))
        await chaos.run()
    return Counter(one.path for one in seen if one.path.strip("/").isdecimal())


def main(pages: int, seed: int) -> int:
    """Read the pages and print the numbers; return the exit code."""
    with tempfile.TemporaryDirectory() as folder, RedisServer(keeps=True) as redis:
        urls, output = Path(folder, "urls"), Path(folder, "out.ndjson")
        reading = ["browse", "--tier", "1", "--batch", str(urls), "--batch-output", str(output)]
        chaos = Chaos(Random(seed), redis, reading)  # noqa: S311
        began_s = time.monotonic()
        requested = trio.run(read, chaos, urls, pages)
        took_s = time.monotonic() - began_s
        lines = output.read_bytes().splitlines()
    records = [msgspec.json.decode(line, type=dict[str, object]) for line in lines]
    titles = Counter(str(one.get("title")) for one in records if one["success"])
    lost = pages - sum(titles[f"Page {number}"] == 1 for number in range(pages))
    again = requested.total() - len(requested)
    print(f"{pages} pages in {took_s:.0f} s; killed: {dict(chaos.killed)}")
    print(f"lost or repeated in the output: {lost}; read again: {again}")
    return 1 if lost else 0


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    sys.exit(main(given.pages, given.seed))

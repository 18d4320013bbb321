"""Run mixed work on a real Chromium for minutes, with a fault every few seconds.

Run as ``python bench/soak.py --minutes 10``, or ``make soak MINUTES=10``. Every call
must succeed or fail with an error that explains why; a call that does neither is lost, which is a
failure of the run. The resources of the browser and of this program are sampled, printed, and drawn
as a picture (SVG).
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Final

import attrs
import psutil
import trio
from soak_chart import Sample, chart
from soak_faults import FAULTS, processes

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.protocol.actions import Click
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import TakeOutline
from tabwright.testing.replica import Replica, Scenario, open_replica

CLIENTS: Final = 4
CALL_S: Final = 90.0
"""A call that takes this long is lost: it is longer than the limits of any call."""

SAMPLE_S: Final = 5.0
SAY_EVERY: Final = 6
QUIET_S: Final = 10.0
"""Time without work and faults at the end, in which everything opened for calls is closed."""

SITE: Final = "https://pages.example"
IN_TAB: Final = ReadOptions(min_tier=2)


@attrs.define
class Soak:
    """The state of a run."""

    tabwright: Tabwright
    random: Random
    began_s: float
    in_flight: int = 0
    endings: Counter[str] = attrs.field(factory=Counter[str])
    faults: Counter[str] = attrs.field(factory=Counter[str])
    samples: list[Sample] = attrs.field(factory=list[Sample])

    @property
    def lost(self) -> int:
        """Return the number of calls that never ended."""
        return self.endings["lost"]

    async def client(self, number: int) -> None:
        """Make one call after another until cancelled."""
        while True:
            work = self.random.choice(WORKS)
            self.in_flight += 1
            try:
                self.endings[await self._ending(work, number)] += 1
            finally:
                self.in_flight -= 1
            await trio.sleep(self.random.uniform(0, 0.5))

    async def _ending(self, work: "Work", number: int) -> str:
        with trio.move_on_after(CALL_S):
            try:
                await work(self.tabwright, f"client-{number}", self.random)
            except TabwrightError as error:
                return error.kind
            return "ok"
        return "lost"

    async def break_things(self, every_s: float) -> None:
        """Cause faults until cancelled."""
        while True:
            await trio.sleep(self.random.uniform(0.5, 1.5) * every_s)
            name = self.random.choice(tuple(FAULTS))
            if FAULTS[name](self.random):
                self.faults[name] += 1

    async def watch(self) -> None:
        """Take samples until cancelled, and print some of them."""
        while True:
            self.samples.append(await trio.to_thread.run_sync(self._sample))
            if len(self.samples) % SAY_EVERY == 1:
                say(str(self.samples[-1]))
            await trio.sleep(SAMPLE_S)

    def _sample(self) -> Sample:
        own = psutil.Process()
        family = processes()
        answered = sum(self.endings.values()) - self.lost
        return Sample(
            at_s=time.perf_counter() - self.began_s,
            in_flight=self.in_flight,
            answered=answered,
            lost=self.lost,
            own_mb=own.memory_info().rss / 1e6,
            browser_mb=sum(map(memory_mb, family)),
            descriptors=own.num_fds(),
            tasks=self._tasks(),
            processes=len(family),
        )

    @staticmethod
    def _tasks() -> int:
        return trio.from_thread.run_sync(lambda: trio.lowlevel.current_statistics().tasks_living)


Work = Callable[[Tabwright, str, Random], Awaitable[object]]


async def read(tabwright: Tabwright, _session: str, random: Random) -> None:
    """Read a page over HTTP or in a tab."""
    path = random.choice(("/article", "/table", "/spa", "/script"))
    await tabwright.read(SITE + path, random.choice((IN_TAB, ReadOptions())))


async def read_badly(tabwright: Tabwright, _session: str, random: Random) -> None:
    """Read a page that fails, hangs or is broken."""
    path = random.choice(("/alerts", "/reset", "/half", "/redirect-loop", "/busy", "/garbage"))
    await tabwright.read(SITE + path, IN_TAB)


async def act(tabwright: Tabwright, session: str, random: Random) -> None:
    """Open a page in a session, and click a control."""
    await tabwright.session(session).enter(f"{SITE}/article")
    outline = await tabwright.session(session).inspect(TakeOutline())
    if outline.controls:
        await tabwright.session(session).act(Click(random.choice(outline.controls).ref))


async def ask(tabwright: Tabwright, _session: str, random: Random) -> None:
    """Ask Google AI Mode, in a new conversation or in the open one."""
    follow_up = random.choice((True, False))
    await tabwright.search("What is a nursery?", language="en-US", follow_up=follow_up)


WORKS: Final[tuple[Work, ...]] = (read, read, read, read, act, act, act, ask, read_badly)


def memory_mb(process: psutil.Process) -> float:
    """Return the unshared memory of a process; 0 if it has ended meanwhile."""
    try:
        memory = process.memory_info()
    except psutil.Error:
        return 0.0
    return (memory.rss - memory.shared) / 1e6


async def soak(replica: Replica, folder: Path, options: argparse.Namespace) -> Soak:
    """Work for the requested time, and then do nothing for `QUIET_S`."""
    network = {f"network__{key}": value for key, value in replica.network(folder).items()}
    settings = settings_from(
        override(
            browser__extra_args=replica.chromium_args,
            browser__profile=str(folder / "profiles"),
            network__allow_private=True,
            network__proxy="none",
            network__page_timeout_s=8.0,
            engines__counts=None,
            engines__failed_pages=None,
            search__timeout_s=30.0,
            **network,
        )
    )
    async with open_tabwright(settings) as tabwright, trio.open_nursery() as watching:
        state = Soak(tabwright, Random(options.seed), time.perf_counter())  # noqa: S311
        watching.start_soon(state.watch)
        with trio.move_on_after(options.minutes * 60):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(state.break_things, options.every)
                for number in range(CLIENTS):
                    nursery.start_soon(state.client, number)
        await trio.sleep(QUIET_S)
        watching.cancel_scope.cancel()
    return state


async def run(options: argparse.Namespace) -> int:
    """Run the whole soak; return 0 if nothing was lost and nothing is left."""
    with tempfile.TemporaryDirectory(prefix="tabwright-soak-") as name:
        folder = Path(name)
        async with open_replica(Scenario(language="en-US")) as replica:
            state = await soak(replica, folder, options)
        left = len(processes())
        profiles = list((folder / "profiles").glob("*/SingletonLock"))
    options.picture.write_text(chart(state.samples))
    say(f"calls: {dict(state.endings.most_common())}")
    say(f"faults: {dict(state.faults.most_common())}")
    say(f"lost: {state.lost}; processes left: {left}; locks left: {len(profiles)}")
    say(f"load of the machine: {os.getloadavg()[0]:.1f}; picture: {options.picture}")
    return int(bool(state.lost or left or profiles))


def say(text: str) -> None:
    """Print a line without buffering."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Run the soak with the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--every", type=float, default=5, help="seconds between two faults")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", type=Path, default=Path("soak.svg"))
    return trio.run(run, parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())

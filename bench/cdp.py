"""What a command and an event cost over CDP: ours and others', in one interleaved run.

Run as ``python bench/cdp.py``, with ``--peers`` for other people's clients too; see README.md.
Each client is a process of its own (see `peers`) that measures itself, and is asked for one case
at a time, so that whatever else the machine does meanwhile hits all of them alike.
"""

# ruff: noqa: S101  (an assertion is what makes the number a measurement)

import argparse
import json
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Final

import attrs
import trio

from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.finding import find_browser
from tabwright.cdp.chromium.process import launch

PEERS: Final = Path(__file__).parent / "peers"
OURS: Final = ("floor", "tabwright_pipe", "tabwright_websocket")
THEIRS: Final = ("nodriver_", "zendriver_", "playwright_")
PATIENCE_S: Final = 30
"""A client that takes so long for a case, which takes seconds, has lost something."""

LEAVE_S: Final = 5

CASES: Final = {
    "sequential": "one at a time",
    "in_flight": "64 in flight",
    "large": "5 MB result",
    "flood": "10,000 events",
}


@attrs.frozen
class Cost:
    """Of one operation, in microseconds."""

    wall_us: float
    cpu_us: float


@attrs.frozen
class Client:
    """One client, in its own process."""

    name: str
    process: subprocess.Popen[str]

    def measure(self, case: str) -> Cost:
        """Has it run a case once, after all it needs is there."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{case}\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], PATIENCE_S)[0]:
            self.process.kill()
            raise SystemExit(f"{self.name} hangs in the case {case}.")
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended with code {self.process.wait()}.")
        return Cost(**json.loads(line))


@contextmanager
def running(name: str, python: str, endpoint: str) -> Iterator[Client]:
    """Starts a client; at the end its standard input is closed, and it leaves or is killed."""
    command = [python, str(PEERS / f"{name}.py"), endpoint]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Client(name, process)
        finally:
            leave(process)


def leave(process: subprocess.Popen[str]) -> None:
    try:
        process.communicate(timeout=LEAVE_S)
    except subprocess.TimeoutExpired:
        process.kill()


def measure(clients: Sequence[Client], rounds: int) -> dict[tuple[str, str], Cost]:
    """Medians by client and case, of rounds in which all take turns; the first one warms up."""
    costs: dict[tuple[str, str], list[Cost]] = {}
    for turn in range(rounds + 1):
        for case in CASES:
            for client in clients:
                cost = client.measure(case)
                if turn:
                    costs.setdefault((client.name, case), []).append(cost)
    return {key: _median(values) for key, values in costs.items()}


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(median(c.wall_us for c in costs), median(c.cpu_us for c in costs))


def table(costs: dict[tuple[str, str], Cost], names: Sequence[str]) -> Iterator[str]:
    """Lines of Markdown: wall and CPU time of an operation, and how many times ours by pipe."""
    yield "| | " + " | ".join(CASES.values()) + " |"
    yield "|---" * (len(CASES) + 1) + "|"
    for name in names:
        cells = (_cell(costs[name, case], costs["tabwright_pipe", case]) for case in CASES)
        yield f"| {name.strip('_').replace('_', ', ')} | " + " | ".join(cells) + " |"


def _cell(cost: Cost, ours: Cost) -> str:
    wall, cpu = cost.wall_us / ours.wall_us, cost.cpu_us / ours.cpu_us
    return f"{cost.wall_us:,.0f} / {cost.cpu_us:,.0f} µs ({wall:.1f} / {cpu:.1f})"


async def main(options: argparse.Namespace) -> None:
    plan = LaunchPlan(path=find_browser(("chromium", "chrome", "edge")).path, link="websocket")
    names = [*OURS, *(THEIRS if options.peers else ())]
    async with launch(plan) as chromium:
        await trio.to_thread.run_sync(compare, names, options, str(chromium.endpoint))


def compare(names: Sequence[str], options: argparse.Namespace, endpoint: str) -> None:
    with ExitStack() as stack:
        clients: list[Client] = []
        for name in names:
            python = options.python if name in THEIRS else sys.executable
            clients.append(stack.enter_context(running(name, python, endpoint)))
        costs = measure(clients, options.rounds)
    for line in table(costs, names):
        print(line)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="store_true", help="also measure others' clients")
    parser.add_argument("--python", default=sys.executable, help="which has them installed")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    trio.run(main, parse())

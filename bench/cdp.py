"""Measure the cost of commands and events over CDP, for tabwright and other clients in turn.

Run as ``python bench/cdp.py``, with ``--peers`` for other clients too; see README.md. Each client
runs in a process of its own (see `peers`) and measures itself. It runs one case at a time, in turn
with the others, so that other load on the machine affects all of them equally.
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
"""Maximum time for a case, which normally takes seconds."""

LEAVE_S: Final = 5

CASES: Final = {
    "sequential": "one at a time",
    "in_flight": "64 in flight",
    "large": "5 MB result",
    "flood": "10,000 events",
}


@attrs.frozen
class Cost:
    """The cost of one operation, in microseconds."""

    wall_us: float
    cpu_us: float


@attrs.frozen
class Client:
    """A client in a process of its own."""

    name: str
    process: subprocess.Popen[str]

    def measure(self, case: str) -> Cost:
        """Run a case once, and return its cost without the preparation."""
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
    """Start a client; at the end, close its standard input and kill it if it does not exit."""
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
    """Return medians by client and case over all rounds but the first, which is a warm-up."""
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
    """Yield a Markdown table: wall and CPU time per operation, and their ratios to our pipe's."""
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
    parser.add_argument("--peers", action="store_true", help="also measure other clients")
    parser.add_argument(
        "--python", default=sys.executable, help="the Python that has them installed"
    )
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    trio.run(main, parse())

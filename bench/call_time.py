"""Measure where a call of a tool spends its time, in a real Chromium.

Run as ``python -P bench/call_time.py`` (-P: ``bench/mcp.py`` is not MCP's SDK). The client, the
server and all actors are in this process, so that Python's part is the whole of both sides.

The wait for the browser is the time in which it has a command without a reply; where a script of
ours is among them, the time counts as that of scripts, which includes the layout that they cause.
Python is the CPU time of this process; its parts are shares by cProfile, in a second run.
"""

import argparse
import cProfile
import pstats
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import attrs
import trio
from mcp.client.client import Client

import tabwright
from tabwright import load_settings
from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import open_tabwright
from tabwright.cdp.conversation import CommandMultiplexer, PendingCall

sys.path.append(str(Path(__file__).parent))  # after everything else
from mcp_site import open_site

PACKAGE = Path(tabwright.__file__).parent
PARTS = ("page", "cdp", "actors", "mcp", "others of ours", "trio", "libraries")
"""The parts of Python's time: packages of ours, and what they use."""


@attrs.define
class Waits:
    """The times in which the browser has commands without a reply.

    Attributes:
        commands: their number.
        scripts_s, others_s: the seconds with and without a script among them.
    """

    commands: int = 0
    scripts_s: float = 0.0
    others_s: float = 0.0
    _open: dict[int, bool] = attrs.field(factory=dict[int, bool])
    _since_s: float = 0.0

    def begin(self, call: PendingCall) -> None:
        """Count a command that is sent."""
        self._pass()
        self.commands += 1
        self._open[call.number] = call.method.startswith("Runtime.")

    def end(self, call: PendingCall) -> None:
        """Note that a command has its reply."""
        self._pass()
        self._open.pop(call.number, None)

    def _pass(self) -> None:
        now_s = time.perf_counter()
        if any(self._open.values()):
            self.scripts_s += now_s - self._since_s
        elif self._open:
            self.others_s += now_s - self._since_s
        self._since_s = now_s


WAITS = Waits()
"""Those of everything so far."""


def count_waits() -> None:
    """Count the commands of all connections from now on."""
    conversation = CommandMultiplexer
    open_, settle = conversation.open, conversation._settle  # noqa: SLF001  (each command passes)

    def opening(self: CommandMultiplexer, *given: object) -> tuple[PendingCall, bytes]:
        opened = open_(self, *given)  # type: ignore[arg-type]
        WAITS.begin(opened[0])
        return opened

    def settling(self: CommandMultiplexer, call: PendingCall, *given: object) -> None:
        WAITS.end(call)
        settle(self, call, *given)  # type: ignore[arg-type]

    conversation.open = opening  # type: ignore[method-assign,assignment]
    conversation._settle = settling  # type: ignore[method-assign,assignment]  # noqa: SLF001


@attrs.frozen
class Cost:
    """What one call has cost; the times are in milliseconds."""

    wall: float
    scripts: float
    others: float
    python: float
    commands: float


@contextmanager
def measured(costs: list[Cost]) -> Generator[None]:
    """Add what the block costs."""
    before, wall_s, cpu_s = attrs.evolve(WAITS), time.perf_counter(), time.process_time()
    yield
    costs.append(
        Cost(
            1000 * (time.perf_counter() - wall_s),
            1000 * (WAITS.scripts_s - before.scripts_s),
            1000 * (WAITS.others_s - before.others_s),
            1000 * (time.process_time() - cpu_s),
            WAITS.commands - before.commands,
        )
    )


def shares(profile: cProfile.Profile) -> Counter[str]:
    """Return the share of each part of Python in the time of its own functions."""
    spent: Counter[str] = Counter()
    stats = pstats.Stats(profile)
    for (file, _, name), (_, _, own_s, _, _) in stats.stats.items():  # type: ignore[attr-defined]
        if "poll" in name and "epoll" in name:
            continue  # waiting
        if file.startswith(f"{PACKAGE}/"):
            package = Path(file).relative_to(PACKAGE).parts[0]
            spent[package if package in PARTS else "others of ours"] += own_s
        else:
            spent["trio" if "/trio/" in file else "libraries"] += own_s
    whole = spent.total()
    return Counter({part: own_s / whole for part, own_s in spent.items()})


def row(name: str, costs: Sequence[Cost], parts: Mapping[str, float]) -> str:
    """Return a row of the table: medians of the rounds, and the parts of Python's time."""
    wall, scripts, others, python, commands = (
        statistics.median(column) for column in zip(*map(attrs.astuple, costs), strict=True)
    )
    cells = [f"{commands:.0f}", *(f"{ms:.1f}" for ms in (wall, scripts, others, python))]
    return "| ".join(("", name, *cells, *(f"{parts[part]:.0%}" for part in PARTS), "")).strip()


async def measure(client: Client, url: str, rounds: int) -> None:
    """Print the table of all calls."""

    async def call(tool: str, **arguments: object) -> str:
        answer = await client.call_tool(tool, dict(arguments))
        text = "".join(getattr(part, "text", "") for part in answer.content)
        if answer.is_error:
            raise RuntimeError(text)
        return text

    calls: dict[str, Callable[[], Awaitable[str]]] = {}
    for what in ("article", "links", "form"):
        outline = {"url": f"{url}/{what}", "format": "outline"}
        calls[f"navigate, {what}"] = partial(call, "navigate", **outline)
        calls[f"snapshot, {what}"] = partial(call, "snapshot", format="outline")
        calls[f"snapshot as text, {what}"] = partial(call, "snapshot", format="text")
    calls["click"] = partial(call, "click", ref="role=button[name=Add]")
    calls["evaluate"] = partial(call, "evaluate", script="document.title")
    await client.list_tools()
    costs: dict[str, list[Cost]] = defaultdict(list)
    for _ in range(rounds + 1):
        for name, work in calls.items():
            with measured(costs[name]):
                await work()
    profiles = {name: cProfile.Profile() for name in calls}
    for _ in range(rounds):
        for name, work in calls.items():
            with profiles[name]:
                await work()
    print(f"| | commands | wall, ms | scripts | other commands | Python | {' | '.join(PARTS)} |")
    print("| --- " * (6 + len(PARTS)) + "|")
    for name in calls:
        print(row(name, costs[name][1:], shares(profiles[name])))  # the first round warms up


async def main(rounds: int) -> None:
    count_waits()
    settings = load_settings(network__allow_private=True, acting__scripts=True)
    with open_site() as url:
        async with open_tabwright(settings) as opened, trio.open_nursery() as nursery:
            async with Client(MCPGateway(opened, nursery).server) as client:
                await measure(client, url, rounds)
            nursery.cancel_scope.cancel()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    trio.run(main, parser.parse_args().rounds)

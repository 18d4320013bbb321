"""Count what a call of a tool costs, on the fake browser: modules, commands, messages and bytes.

Run as ``python -P bench/hops.py``, with ``-v`` for their names (-P: ``bench/mcp.py`` is not MCP's
SDK). ``--check`` compares the counts with `hops.json`, and fails if one has risen; ``--write``
writes them down.

A module counts if any of its functions runs, in any task or thread, until the result has arrived
and every task waits: what a call starts belongs to it, and nothing is left to the next. Code that
runs during an import does not count, and neither does the fake browser with its site and all that
they call. The plumbing that every call shares is left out of the second column, which is checked.
The tools are listed, and a session is prepared, before the counting begins.

The other columns are the commands to the browser (CDP), the bytes of these, and the messages
between actors. One seed and a virtual clock make each run the same, so that a rise is a change of
the code and never of the load.
"""

import json
import re
import sys
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from inspect import CO_OPTIMIZED
from pathlib import Path
from random import Random
from types import FrameType
from typing import TypeAlias

import attrs
import trio
from mcp.client.client import Client
from trio.testing import wait_all_tasks_blocked

import tabwright
from tabwright import load_settings
from tabwright.actors.kit.tracing import RequestSent, TraceRecord
from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import ON_DEMAND, import_modules, open_tabwright
from tabwright.cdp.connection import CDPConnection
from tabwright.cdp.conversation import PendingCall
from tabwright.testing import (
    FakeControl,
    FakePage,
    FakeSite,
    fake_launcher,
    run_seeded,
    simulated_environment,
)

PACKAGE = Path(tabwright.__file__).parent
FAKE = str(PACKAGE / "testing" / "fake")
PLUMBING = ("cdp/", "actors/kit/", "protocol/", "config/", "text/", "concurrency/", "testing/")
WRITTEN = Path(__file__).with_name("hops.json")
Post: TypeAlias = Callable[[CDPConnection, PendingCall, bytes], Awaitable[None]]
WORDS = "Every task has a parent that waits for it. "
URL = "https://a.example/"
SITE = FakeSite(
    pages={
        URL: FakePage(
            f"<title>T</title><p>{WORDS * 40}</p>", controls=(FakeControl("Go", shows="Gone"),)
        )
    }
)


def is_of_the_call(frame: FrameType) -> bool:
    """Return whether a function is run neither by an import nor by the fake browser."""
    caller: FrameType | None = frame
    while caller is not None:
        code = caller.f_code
        is_body = not code.co_flags & CO_OPTIMIZED  # of a module or a class
        if code.co_filename.startswith(str(PACKAGE) if is_body else FAKE):
            return False
        caller = caller.f_back
    return True


@attrs.define
class Cost:
    """What a call has cost.

    Attributes:
        ran: the modules that ran.
        commands, sent: the number of commands to the browser, and their bytes.
        messages: the number of requests to actors.
    """

    ran: frozenset[str] = frozenset()
    commands: int = 0
    sent: int = 0
    messages: int = 0

    @property
    def own(self) -> list[str]:
        """The modules without the plumbing."""
        return sorted(module for module in self.ran if not module.startswith(PLUMBING))

    @property
    def counts(self) -> dict[str, int]:
        """What is written down and checked."""
        return {
            "modules": len(self.own),
            "commands": self.commands,
            "bytes": self.sent,
            "messages": self.messages,
        }


TOTAL = Cost()
"""What everything has cost so far."""


def count_message(record: TraceRecord) -> None:
    """Count a request to an actor. A `Tracer`."""
    TOTAL.messages += isinstance(record, RequestSent)


def count_commands(post: Post) -> Post:
    """Let the method that sends a command to a browser count it."""

    def counting(connection: CDPConnection, pending: PendingCall, frame: bytes) -> Awaitable[None]:
        TOTAL.commands += 1
        TOTAL.sent += len(frame)
        return post(connection, pending, frame)

    return counting


@contextmanager
def counted() -> Generator[set[str]]:
    """Yield a set that contains the modules that ran in the block, once it has ended."""
    seen: set[str] = set()
    inside = f"{PACKAGE}/"

    def look(frame: FrameType, event: str, _argument: object) -> None:
        file = frame.f_code.co_filename
        is_new = event == "call" and file not in seen and file.startswith(inside)
        if is_new and is_of_the_call(frame):
            seen.add(file)

    threading.setprofile(look)
    sys.setprofile(look)
    modules: set[str] = set()
    try:
        yield modules
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        modules |= {Path(file).relative_to(PACKAGE).as_posix() for file in seen}


async def call(client: Client, tool: str, **arguments: object) -> tuple[Cost, str]:
    """Call a tool; return what it has cost, and the text of its result."""
    before = attrs.evolve(TOTAL)
    with counted() as modules:
        answer = await client.call_tool(tool, arguments)
        await wait_all_tasks_blocked()
    text = "".join(getattr(part, "text", "") for part in answer.content)
    if answer.is_error:
        raise RuntimeError(text)
    cost = Cost(
        frozenset(modules),
        TOTAL.commands - before.commands,
        TOTAL.sent - before.sent,
        TOTAL.messages - before.messages,
    )
    return cost, text


async def measure(random: Random) -> dict[str, Cost]:
    """Make calls of five tools; return what each has cost."""
    environment = simulated_environment(fake_launcher(SITE, random), random, count_message)
    ran: dict[str, Cost] = {}
    settings = load_settings(acting__downloads=None)  # virtual time does not wait for threads
    async with open_tabwright(settings, environment) as opened, trio.open_nursery() as nursery:
        async with Client(MCPGateway(opened, nursery).server) as client:
            await client.list_tools()
            await wait_all_tasks_blocked()
            ran["browse over HTTP"], _ = await call(client, "browse", url=URL)
            ran["browse in a tab"], _ = await call(client, "browse", url=URL, min_tier=2)
            ran["navigate"], outline = await call(client, "navigate", url=URL, format="outline")
            ref = re.findall(r"\[\*?(\d+\.\d+)\]", outline)[0]
            ran["snapshot"], _ = await call(client, "snapshot", format="markdown")
            ran["outline"], _ = await call(client, "snapshot")
            ran["click"], _ = await call(client, "click", ref=ref)
            asked = {"query": "What is trio?"}
            ran["google_ai_search"], _ = await call(client, "google_ai_search", **asked)
        nursery.cancel_scope.cancel()
    return ran


def main(options: set[str]) -> int:
    """Print the counts; return 1 if they are checked and one has risen."""
    import_modules(ON_DEMAND)  # modules that are imported during a call would count as if they ran
    CDPConnection._post = count_commands(CDPConnection._post)  # type: ignore[method-assign]  # noqa: SLF001  (no other place sees each frame)
    costs = run_seeded(measure, seed=1)
    print(
        f"{'':22} {'all modules':>11} {'modules':>8} {'commands':>8} {'bytes':>8} {'messages':>8}"
    )
    for name, cost in costs.items():
        print(f"{name:22} {len(cost.ran):11}", *(f"{count:11}" for count in cost.counts.values()))
        if "-v" in options:
            print(*cost.own, sep="\n", end="\n\n")
    counts = {name: cost.counts for name, cost in costs.items()}
    if "--write" in options:
        WRITTEN.write_text(f"{json.dumps(counts, indent=2)}\n", encoding="utf-8")
    if "--check" not in options:
        return 0
    limits: dict[str, dict[str, int]] = json.loads(WRITTEN.read_text(encoding="utf-8"))
    risen = [
        f"{name}: {kind} {count}, {limits[name][kind]} before"
        for name, cost in counts.items()
        for kind, count in cost.items()
        if count > limits[name][kind]
    ]
    for rise in risen:
        print(rise)
    if not risen and counts != limits:
        print("Less than before: run python -P bench/hops.py --write, and commit.")
    return 1 if risen else 0


if __name__ == "__main__":
    sys.exit(main({*sys.argv[1:]}))

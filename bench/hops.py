"""Count the modules of tabwright that run while a tool is called, on the fake browser.

Run as ``python -P bench/hops.py``, with ``-v`` for their names (-P: ``bench/mcp.py`` is not MCP's
SDK). ``--check`` compares the counts with `hops.json`, and fails if one has risen; ``--write``
writes them down.

A module counts if any of its functions runs, in any task or thread, until the result has arrived
and every task waits: what a call starts belongs to it, and nothing is left to the next. Code that
runs during an import does not count, and neither does the fake browser with its site and all that
they call. The plumbing that every call shares is left out of the second column, which is checked.
The tools are listed, and a session is prepared, before the counting begins.
"""

import json
import re
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from inspect import CO_OPTIMIZED
from pathlib import Path
from random import Random
from types import FrameType

import trio
from mcp.client.client import Client
from trio.testing import wait_all_tasks_blocked

import tabwright
from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import ON_DEMAND, import_modules, open_tabwright
from tabwright.testing import (
    FakeControl,
    FakePage,
    FakeSite,
    fake_launcher,
    simulated_environment,
)

PACKAGE = Path(tabwright.__file__).parent
FAKE = str(PACKAGE / "testing" / "fake")
PLUMBING = ("cdp/", "actors/kit/", "protocol/", "config/", "text/", "concurrency/", "testing/")
WRITTEN = Path(__file__).with_name("hops.json")
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


async def call(client: Client, tool: str, **arguments: object) -> tuple[set[str], str]:
    """Call a tool; return the modules that ran, and the text of its result."""
    with counted() as modules:
        answer = await client.call_tool(tool, arguments)
        await wait_all_tasks_blocked()
    text = "".join(getattr(part, "text", "") for part in answer.content)
    if answer.is_error:
        raise RuntimeError(text)
    return modules, text


async def measure(random: Random) -> dict[str, set[str]]:
    """Make five calls of four tools; return the modules that each has run."""
    environment = simulated_environment(fake_launcher(SITE, random), random)
    ran: dict[str, set[str]] = {}
    async with open_tabwright(environment=environment) as opened, trio.open_nursery() as nursery:
        async with Client(MCPGateway(opened, nursery).server) as client:
            await client.list_tools()
            await wait_all_tasks_blocked()
            ran["browse over HTTP"], _ = await call(client, "browse", url=URL)
            ran["browse in a tab"], _ = await call(client, "browse", url=URL, min_tier=2)
            ran["navigate"], outline = await call(client, "navigate", url=URL, format="outline")
            ref = re.findall(r"\[\*?(\d+\.\d+)\]", outline)[0]
            ran["click"], _ = await call(client, "click", ref=ref)
            asked = {"query": "What is trio?"}
            ran["google_ai_search"], _ = await call(client, "google_ai_search", **asked)
        nursery.cancel_scope.cancel()
    return ran


def main(options: set[str]) -> int:
    """Print the counts; return 1 if they are checked and one has risen."""
    import_modules(ON_DEMAND)  # modules that are imported during a call would count as if they ran
    ran = trio.run(measure, Random(1))  # noqa: S311  (chance is seeded, not secret)
    own = {name: sorted(m for m in ran[name] if not m.startswith(PLUMBING)) for name in ran}
    print(f"{'':22} {'all':>4} {'without plumbing':>4}")
    for name, modules in own.items():
        print(f"{name:22} {len(ran[name]):4} {len(modules):4}")
        if "-v" in options:
            print(*modules, sep="\n", end="\n\n")
    counts = {name: len(modules) for name, modules in own.items()}
    if "--write" in options:
        WRITTEN.write_text(f"{json.dumps(counts, indent=2)}\n", encoding="utf-8")
    if "--check" not in options:
        return 0
    limits: dict[str, int] = json.loads(WRITTEN.read_text(encoding="utf-8"))
    risen = [name for name, count in counts.items() if count > limits[name]]
    for name in risen:
        print(f"{name} runs {counts[name]} modules, {limits[name]} before; -v names them.")
    if not risen and counts != limits:
        print("Fewer modules than before: run python -P bench/hops.py --write, and commit.")
    return 1 if risen else 0


if __name__ == "__main__":
    sys.exit(main({*sys.argv[1:]}))

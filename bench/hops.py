"""Count the modules of tabwright that run while a tool is called, on the fake browser.

Run as ``python -P bench/hops.py``, with ``-v`` for their names (-P: ``bench/mcp.py`` is not MCP's
SDK). A module counts if any of its functions runs during the call, in any task or thread, so tasks
that an earlier call left behind count too, and runs can differ by a module. Code that runs during
an import does not count, and neither does the fake browser with its site and all that they call.
The plumbing that every call shares is counted separately. The tools are listed, and a session is
prepared, before the counting begins.
"""

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

import tabwright
from tabwright import open_tabwright
from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import ON_DEMAND, import_modules
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

    def look(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and is_of_the_call(frame):
            seen.add(frame.f_code.co_filename)

    threading.setprofile(look)
    sys.setprofile(look)
    modules: set[str] = set()
    try:
        yield modules
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        paths = (Path(file) for file in seen)
        modules |= {
            path.relative_to(PACKAGE).as_posix() for path in paths if path.is_relative_to(PACKAGE)
        }


async def call(client: Client, tool: str, title: str, **arguments: object) -> str:
    """Call a tool, print the modules that ran, and return its text."""
    with counted() as modules:
        answer = await client.call_tool(tool, arguments)
    text = "".join(getattr(part, "text", "") for part in answer.content)
    if answer.is_error:
        raise RuntimeError(text)
    own = sorted(one for one in modules if not one.startswith(PLUMBING))
    print(f"{title:22} {len(modules):4} {len(own):4}")
    if "-v" in sys.argv:
        print(*own, sep="\n", end="\n\n")
    return text


async def measure(random: Random) -> None:
    """Make five calls of four tools, and print how many modules each has run."""
    environment = simulated_environment(fake_launcher(SITE, random), random)
    async with open_tabwright(environment=environment) as opened, trio.open_nursery() as nursery:
        async with Client(MCPGateway(opened, nursery).server) as client:
            await client.list_tools()
            print(f"{'':22} {'all':>4} {'without plumbing':>4}")
            await call(client, "browse", "browse over HTTP", url=URL)
            await call(client, "browse", "browse in a tab", url=URL, min_tier=2)
            outline = await call(client, "navigate", "navigate", url=URL, format="outline")
            ref = re.findall(r"\[\*?(\d+\.\d+)\]", outline)[0]
            await call(client, "click", "click", ref=ref)
            await call(client, "google_ai_search", "google_ai_search", query="What is trio?")
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    import_modules(ON_DEMAND)  # modules that are imported during a call would count as if they ran
    trio.run(measure, Random(1))  # noqa: S311  (chance is seeded, not secret)

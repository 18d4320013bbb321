"""Playwright for Python, through a CDP session; its driver's CPU time counts too."""

# ruff: noqa: S101  (an assertion is what makes the number a measurement)

import asyncio
import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

from cases import AT_ONCE, EVENTS, EXPRESSION, FLOOD, LARGE, LARGE_BYTES, OPERATIONS, Stopwatch
from playwright.async_api import CDPSession, async_playwright


def driver_s() -> float:
    """Return the CPU time of the driver, which is our only child process (proc(5))."""
    (pid,) = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def evaluate(session: CDPSession, expression: str, count: int) -> object:
    for _ in range(count):
        parameters = {"expression": expression, "returnByValue": True}
        evaluated = await session.send("Runtime.evaluate", parameters)
    return evaluated["result"]["value"]


async def sequential(session: CDPSession) -> None:
    assert await evaluate(session, EXPRESSION, OPERATIONS["sequential"]) == 2


async def in_flight(session: CDPSession) -> None:
    each = OPERATIONS["in_flight"] // AT_ONCE
    await asyncio.gather(*(evaluate(session, EXPRESSION, each) for _ in range(AT_ONCE)))


async def large(session: CDPSession) -> None:
    text = await evaluate(session, LARGE, OPERATIONS["large"])
    assert isinstance(text, str)
    assert len(text) == LARGE_BYTES


async def flood(session: CDPSession) -> None:
    all_received, received = asyncio.Event(), 0

    def hear(_event: object) -> None:
        nonlocal received
        received += 1
        if received == EVENTS:
            all_received.set()

    session.on("Runtime.consoleAPICalled", hear)
    await session.send("Runtime.evaluate", {"expression": FLOOD})
    await all_received.wait()
    session.remove_listener("Runtime.consoleAPICalled", hear)


CASES = {"sequential": sequential, "in_flight": in_flight, "large": large, "flood": flood}


async def main() -> None:
    async with async_playwright() as playwright:
        address = urlsplit(sys.argv[1])
        browser = await playwright.chromium.connect_over_cdp(f"http://{address.netloc}")
        context = await browser.new_context()
        session = await context.new_cdp_session(await context.new_page())
        await session.send("Runtime.enable")
        while case := (await asyncio.to_thread(sys.stdin.readline)).strip():
            watch = Stopwatch(driver_s())
            await CASES[case](session)
            watch.report(case, driver_s())
        await context.close()


asyncio.run(main())

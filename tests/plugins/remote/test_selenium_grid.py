"""A real Selenium Grid with two slots, in a single test as it is slow to start."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx2
import psutil
import pytest
import trio

from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.testing.replica.server import Exchange, html, open_server

JAR = Path(__file__).parents[3] / ".grid" / "selenium-server.jar"

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(not JAR.exists(), reason="scripts/get_grid.sh was not run"),
]

IN_TAB = ReadOptions(min_tier=2)
TEST_S = 600
"""Far more than it needs: a test that reaches it hangs."""

STEREOTYPE = '{"browserName":"chrome","goog:chromeOptions":{"binary":"/usr/bin/chromium"}}'
OPTIONS = (
    *("--host", "127.0.0.1"),
    *("--selenium-manager", "false"),
    *("--detect-drivers", "false"),
    *("--max-sessions", "2"),
    *("--override-max-sessions", "true"),
    *("--driver-configuration", "display-name=chromium", f"stereotype={STEREOTYPE}"),
    *("max-sessions=2", "webdriver-executable=/usr/bin/chromedriver"),
)


@contextmanager
def running_grid(folder: Path) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    java = ("java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-jar", str(JAR), "standalone")
    command = (*java, "--port", str(port), *OPTIONS)
    with (
        (folder / "grid.log").open("wb") as log,
        subprocess.Popen(
            command, stdout=log, stderr=log, cwd=folder, start_new_session=True
        ) as process,
    ):
        try:
            yield port, process
        finally:
            os.killpg(process.pid, signal.SIGKILL)


async def until_ready(grid: str, process: "subprocess.Popen[bytes]") -> None:
    async with httpx2.AsyncClient(trust_env=False) as client:
        while True:
            assert process.poll() is None, "it has ended; see its log"
            try:
                if (await client.get(f"{grid}/status")).json()["value"]["ready"]:
                    return
            except httpx2.HTTPError:
                pass
            await trio.sleep(0.2)


async def slots_in_use(grid: str) -> int:
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as client:
        value = (await client.get(f"{grid}/status")).json()["value"]
    return sum(slot["session"] is not None for node in value["nodes"] for slot in node["slots"])


def browsers_of(process: "subprocess.Popen[bytes]") -> list[psutil.Process]:
    """Return the main processes of the Grid's browsers."""
    drivers = psutil.Process(process.pid).children()
    return [browser for driver in drivers for browser in driver.children()]


@asynccontextmanager
async def open_site(waiting: trio.Event):
    """Run a site whose page ``/slow`` never arrives; `waiting` is set when it was requested."""

    async def answer(exchange: Exchange) -> None:
        if exchange.path == "/slow":
            waiting.set()
            await trio.sleep_forever()
        await exchange.answer(html("<title>Shop</title><main><p>All that is sold.</p></main>"))

    async with open_server(answer, []) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.mark.nightly
async def test_grid_browsers_are_replaced_after_death_and_slots_released(tmp_path, open_agent):
    with trio.fail_after(TEST_S), running_grid(tmp_path) as (port, process):
        grid = f"http://127.0.0.1:{port}"
        source = {"url": f"grid+{grid}", "browsers": 2}
        no_sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        settings = {"browser__extra_args": no_sandbox, "browser__start_timeout_s": TEST_S}
        await until_ready(grid, process)
        waiting = trio.Event()
        async with open_site(waiting) as site, open_agent(source, **settings) as agent:
            assert "All that is sold." in (await agent.read(f"{site}/", IN_TAB)).text
            await agent.session("shop").enter(f"{site}/")
            assert await slots_in_use(grid) == 2

            # Its browsers die in the middle of a call; the sockets of the Grid stay open.
            errors = list[TabwrightError]()

            async def read() -> None:
                try:
                    await agent.read(f"{site}/slow", IN_TAB)
                except TabwrightError as error:
                    errors.append(error)

            async with trio.open_nursery() as nursery:
                nursery.start_soon(read)
                await waiting.wait()
                for browser in browsers_of(process):
                    browser.kill()
            assert errors[0].retryable
            while True:  # the other browser is dead too, and may not be given up yet
                try:
                    assert (await agent.read(f"{site}/", IN_TAB)).text
                    break
                except TabwrightError as error:
                    assert error.retryable
        while await slots_in_use(grid):
            await trio.sleep(0.2)

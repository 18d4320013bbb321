"""A CAPTCHA in the middle of the work: real Chromium, a real window on a virtual screen."""

import json
import os
import shutil
import subprocess
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import mcp_types as mcp
import pytest
import trio

from tabwright import Tabwright, load_settings, open_tabwright, override
from tabwright.cdp.background import open_background
from tabwright.cdp.command import Command
from tabwright.cdp.connection import Connection
from tabwright.cdp.domains import browser, runtime, target
from tabwright.cdp.errors import CDPError, LinkLost
from tabwright.cdp.session import Session
from tabwright.cdp.websocket import open_websocket_link
from tabwright.cdp.wire import Nothing, Shape
from tabwright.protocol.errors import SearchBlocked
from tabwright.protocol.searching import PersonNeeded, Step
from tabwright.searching.markdown import markdown_of
from tabwright.testing.replica import Replica, Scenario, open_replica

pytestmark = pytest.mark.chromium

TOOL = "google_ai_search"

FRAME = """(() => {
  const frame = document.querySelector('#recaptcha iframe');
  const ready = frame?.contentDocument?.querySelector('#recaptcha-anchor');
  return ready ? JSON.stringify(frame.getBoundingClientRect()) : '';
})()"""


PATH = "location.pathname"


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A screen that nobody sees, named by DISPLAY."""
    server = shutil.which("Xvfb")
    assert server is not None, "Xvfb is missing: scripts/get_screen.sh installs it"
    reading, writing = os.pipe()
    command = [server, "-displayfd", str(writing), "-screen", "0", "1280x1024x24"]
    with subprocess.Popen([*command, "-nolisten", "tcp"], pass_fds=[writing]) as process:
        os.close(writing)
        with os.fdopen(reading) as numbers:
            name = f":{numbers.readline().strip()}"
        monkeypatch.setenv("DISPLAY", name)
        yield name
        process.terminate()


class Targets(Shape, frozen=True):
    """What ``Target.getTargets`` answers."""

    target_infos: tuple[target.TargetInfo, ...]


class Person:
    """Somebody at the window: sees it by its port, and clicks where a mouse would."""

    def __init__(self, profile: Path) -> None:
        self._profile = profile

    async def solve(self) -> str:
        """Clicks the box of the CAPTCHA until it is gone; gives what the browser calls itself."""
        async with self._window() as root:
            page = await self._page_with_captcha(root)
            seen = await page.execute(runtime.evaluate("navigator.userAgent"))
            while "/sorry/" in str((await page.execute(runtime.evaluate(PATH))).result.value):
                await self._click(page)
                await trio.sleep(1)
        return str(seen.result.value)

    async def _click(self, page: Session) -> None:
        found = await page.execute(runtime.evaluate(FRAME))
        if not found.result.value:
            return
        frame = json.loads(str(found.result.value))
        for kind in ("mousePressed", "mouseReleased"):
            at = {"type": kind, "x": frame["x"] + 24, "y": frame["y"] + 38}
            click = {**at, "button": "left", "clickCount": 1}
            await page.execute(Command("Input.dispatchMouseEvent", click, Nothing))

    @asynccontextmanager
    async def _window(self) -> AsyncGenerator[Session]:
        """The browser with a window, once it has taken the place of the one without."""
        while True:
            with suppress(OSError, ValueError, CDPError, LinkLost):  # it is not there yet
                port, path = (self._profile / "DevToolsActivePort").read_text().split("\n")
                async with self._talk(f"ws://127.0.0.1:{port}{path}") as root:
                    version = await root.execute(browser.get_version())
                    if "Headless" not in version.user_agent:
                        yield root
                        return
            await trio.sleep(0.1)

    @asynccontextmanager
    async def _talk(self, url: str) -> AsyncGenerator[Session]:
        async with open_websocket_link(url) as link, open_background() as talking:
            connection = Connection(link)
            talking.start_soon(connection.run)
            yield connection.root

    async def _page_with_captcha(self, root: Session) -> Session:
        while True:
            found = await root.execute(Command("Target.getTargets", {}, Targets))
            for info in found.target_infos:
                if info.type == "page" and "/sorry/" in info.url:
                    attached = await root.execute(target.attach_to_target(info.target_id))
                    return root.connection.session(attached.session_id)
            await trio.sleep(0.1)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return tmp_path / "profile"


@pytest.fixture
def person(profile: Path) -> Person:
    return Person(profile)


@asynccontextmanager
async def house_on(
    replica: Replica, profile: Path, **settings: object
) -> AsyncGenerator[Tabwright]:
    chosen: dict[str, object] = {
        "browser__extra_args": replica.chromium_args,
        "browser__profile": str(profile),
        "browser__link": "websocket",
        "network__proxy": "none",
        **settings,
    }
    async with open_tabwright(load_settings(override(**chosen))) as house:
        yield house


async def test_a_person_solves_it_in_a_window_on_the_same_profile(screen, profile, person):
    steps: list[Step] = []
    agents: list[str] = []

    async def help_out() -> None:
        agents.append(await person.solve())

    async with open_replica(Scenario(captcha=True)) as replica:
        async with house_on(replica, profile) as house, open_background() as nursery:

            def hear(step: Step) -> None:
                steps.append(step)
                if isinstance(step, PersonNeeded):
                    nursery.start_soon(help_out)

            result = await house.search("Q?", language="en-US", progress=hear)
            follow_up = await house.search("And?", language="en-US", follow_up=True)
        assert result.ai_answer == markdown_of(replica.truth(0).blocks)
        assert follow_up.ai_answer == markdown_of(replica.truth(1).blocks)
        assert follow_up.continued
        async with house_on(replica, profile) as house:
            again = await house.search("Later?", language="en-US")
        assert again.ai_answer
    assert isinstance(steps[0], PersonNeeded)
    assert "/sorry/" in steps[0].url
    assert "Headless" not in agents[0]


async def test_nobody_comes_to_the_window(screen, profile):
    async with open_replica(Scenario(captcha=True)) as replica:
        async with house_on(replica, profile, search__person_timeout_s=1) as house:
            with pytest.raises(SearchBlocked, match="not solved"):
                await house.search("Q?", language="en-US")


async def test_a_follow_up_that_is_blocked_is_answered_in_the_window(screen, profile, person):
    async with open_replica(Scenario(captcha_after=1)) as replica:
        async with house_on(replica, profile) as house, open_background() as nursery:

            def hear(step: Step) -> None:
                if isinstance(step, PersonNeeded):
                    nursery.start_soon(person.solve)

            await house.search("Q?", language="en-US", progress=hear)
            blocked = await house.search("And?", language="en-US", follow_up=True, progress=hear)
        assert blocked.ai_answer == markdown_of(replica.truth(-1).blocks)
        assert replica.truth(-1).question == "And?"
    assert not blocked.continued
    assert blocked.warning


@pytest.mark.usefixtures("screen")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_mcp_client_is_asked_to_show_the_page_in_both_eras(
    mode, profile, person, write_config, open_client
):
    asked: list[mcp.ElicitRequestURLParams] = []

    async with open_replica(Scenario(captcha=True)) as replica:
        config = write_config(replica, browser={"profile": str(profile), "link": "websocket"})
        async with open_background() as nursery:

            async def elicited(_context, params):
                asked.append(params)
                nursery.start_soon(person.solve)
                return mcp.ElicitResult(action="accept")

            async with open_client(config, mode, elicitation_callback=elicited) as client:
                result = await client.call_tool(TOOL, {"query": "Q?", "language": "en-US"})
    assert not result.is_error
    assert result.structured_content["sources"]
    (params,) = asked
    assert params.mode == "url"
    assert params.url.startswith("https://www.google.com/sorry/")


@pytest.mark.usefixtures("screen")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_mcp_client_may_decline(mode, profile, write_config, open_client):
    async def elicited(_context, _params):
        return mcp.ElicitResult(action="decline")

    async with open_replica(Scenario(captcha=True)) as replica:
        config = write_config(replica, browser={"profile": str(profile)})
        async with open_client(config, mode, elicitation_callback=elicited) as client:
            result = await client.call_tool(TOOL, {"query": "Q?", "language": "de-DE"})
    assert result.is_error
    assert "abgelehnt" in result.content[0].text
    assert result.meta["tabwright/error"]["barrier"] == "captcha"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.usefixtures("screen")
async def test_other_mcp_clients_hear_of_it_as_progress(
    mode, profile, person, write_config, open_client
):
    heard: list[str] = []

    async with open_replica(Scenario(captcha=True)) as replica:
        config = write_config(replica, browser={"profile": str(profile), "link": "websocket"})
        async with open_background() as nursery:

            async def progress(_progress, _total, message):
                if not heard:
                    nursery.start_soon(person.solve)
                heard.append(message)

            async with open_client(config, mode) as client:
                result = await client.call_tool(
                    TOOL, {"query": "Q?", "language": "en-US"}, progress_callback=progress
                )
    assert not result.is_error
    assert "browser window" in heard[0]

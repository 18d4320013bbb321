"""A person solves a CAPTCHA in a real Chromium, in a window on a virtual screen."""

import json
from functools import partial

import mcp_types as mcp
import pytest

from tabwright.concurrency.nursery import background_nursery
from tabwright.content.render.markdown import markdown_of
from tabwright.protocol.browser_pool import BrowserUse
from tabwright.protocol.errors import SearchBlocked
from tabwright.protocol.inspection import Evaluate, TakeOutline
from tabwright.protocol.progress import HumanNeededProgress, ProgressEvent
from tabwright.testing.demo import record_of, text_of
from tabwright.testing.replica import Scenario, open_replica

pytestmark = pytest.mark.chromium

BY_PORT = {"browser__port_base": 0}
"""So that the person can see the window too."""

TOOL = "google_ai_search"

ERAS = ["auto", pytest.param("legacy", marks=pytest.mark.nightly)]
"""Each change asks a client of the first to show the page."""


@pytest.fixture
def write_config(write_config):
    """Write settings of a server that returns structured content."""
    return partial(write_config, mcp={"structured_content": True})


async def test_captcha_is_solved_by_a_person_in_a_window_on_the_same_profile(
    client_on, screen, profile, person
):
    steps: list[ProgressEvent] = []
    agents: list[str] = []

    async def help_out() -> None:
        agents.append(await person.solve())

    async with open_replica(Scenario(captcha=True)) as replica:
        async with (
            client_on(replica, profile, **BY_PORT) as tabwright,
            background_nursery() as nursery,
        ):

            def on_progress(step: ProgressEvent) -> None:
                steps.append(step)
                if isinstance(step, HumanNeededProgress):
                    nursery.start_soon(help_out)

            result = await tabwright.search("Q?", language="en-US", progress=on_progress)
            follow_up = await tabwright.search("And?", language="en-US", follow_up=True)
        assert result.ai_answer == markdown_of(replica.truth(0).blocks)
        assert follow_up.ai_answer == markdown_of(replica.truth(1).blocks)
        assert follow_up.continued
        async with client_on(replica, profile, **BY_PORT) as tabwright:
            again = await tabwright.search("Later?", language="en-US")
        assert again.ai_answer
    assert isinstance(steps[0], HumanNeededProgress)
    assert "/view#" in steps[0].url
    output = {(seen.user_agent, seen.hints) for seen in replica.log if seen.hints}
    assert [agent for agent, _ in output] == agents  # the same in the window


@pytest.mark.usefixtures("screen")
async def test_captcha_window_keeps_the_pages_of_open_sessions(client_on, profile, person):
    async with open_replica(Scenario(captcha=True)) as replica:
        async with (
            client_on(replica, profile, **BY_PORT, acting__scripts=True) as tabwright,
            background_nursery() as nursery,
        ):

            def on_progress(step: ProgressEvent) -> None:
                if isinstance(step, HumanNeededProgress):
                    nursery.start_soon(person.solve)

            await tabwright.session("acting").enter("https://site1.example/")
            before = await tabwright.session("acting").inspect(TakeOutline())
            await tabwright.session("acting").inspect(Evaluate("window.draft = 'not sent'"))
            await tabwright.search("Q?", language="en-US", progress=on_progress)
            draft = await tabwright.session("acting").inspect(Evaluate("window.draft"))
            after = await tabwright.session("acting").inspect(TakeOutline())
            uses = [worker.use for worker in (await tabwright.pool()).workers]
    assert json.loads(draft.json) == "not sent"
    assert after.text == before.text
    assert uses == [BrowserUse.SEARCH, BrowserUse.PAGES]


async def test_search_is_blocked_when_captcha_in_window_is_not_solved(client_on, screen, profile):
    async with open_replica(Scenario(captcha=True)) as replica:
        async with client_on(replica, profile, **BY_PORT, search__person_timeout_s=1) as tabwright:
            with pytest.raises(SearchBlocked, match="not solved"):
                await tabwright.search("Q?", language="en-US")


@pytest.mark.nightly  # on a fake browser: tests/simulation/test_barriers.py
async def test_blocked_follow_up_is_answered_after_captcha_in_the_window(
    client_on, screen, profile, person
):
    async with open_replica(Scenario(captcha_after=1)) as replica:
        async with (
            client_on(replica, profile, **BY_PORT) as tabwright,
            background_nursery() as nursery,
        ):

            def on_progress(step: ProgressEvent) -> None:
                if isinstance(step, HumanNeededProgress):
                    nursery.start_soon(person.solve)

            await tabwright.search("Q?", language="en-US", progress=on_progress)
            blocked = await tabwright.search(
                "And?", language="en-US", follow_up=True, progress=on_progress
            )
        assert blocked.ai_answer == markdown_of(replica.truth(-1).blocks)
        assert replica.truth(-1).question == "And?"
    assert not blocked.continued
    assert blocked.warning


@pytest.mark.usefixtures("screen")
@pytest.mark.parametrize("mode", ERAS)
async def test_mcp_client_of_either_era_is_asked_to_show_the_captcha_page(
    mode, profile, person, write_config, open_client
):
    asked: list[mcp.ElicitRequestURLParams] = []

    async with open_replica(Scenario(captcha=True)) as replica:
        config = write_config(replica, browser={"profile": str(profile), "port_base": 0})
        async with background_nursery() as nursery:

            async def elicited(_context, params):
                asked.append(params)
                nursery.start_soon(person.solve)
                return mcp.ElicitResult(action="accept")

            async with open_client(config, mode, elicitation_callback=elicited) as client:
                result = await client.call_tool(TOOL, {"query": "Q?", "language": "en-US"})
    assert not result.is_error
    assert record_of(result)["sources"]
    (params,) = asked
    assert params.mode == "url"
    assert "/view#" in params.url


@pytest.mark.usefixtures("screen")
@pytest.mark.parametrize("mode", ERAS)
async def test_captcha_declined_by_mcp_client_is_a_search_error(
    mode, profile, write_config, open_client
):
    async def elicited(_context, _params):
        return mcp.ElicitResult(action="decline")

    async with open_replica(Scenario(captcha=True)) as replica:
        config = write_config(replica, browser={"profile": str(profile)})
        async with open_client(config, mode, elicitation_callback=elicited) as client:
            result = await client.call_tool(TOOL, {"query": "Q?", "language": "de-DE"})
    assert result.is_error
    assert "abgelehnt" in text_of(result)
    assert result.meta["tabwright/error"]["barrier"] == "captcha"


@pytest.mark.nightly  # in the live view: tests/e2e/view/test_captcha_by_link.py
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.usefixtures("screen")
async def test_client_without_elicitation_gets_captcha_request_as_progress(
    mode, profile, person, write_config, open_client
):
    received: list[str] = []

    async with open_replica(Scenario(captcha=True)) as replica:
        config = write_config(replica, browser={"profile": str(profile), "port_base": 0})
        async with background_nursery() as nursery:

            async def progress(_progress, _total, message):
                if not received:
                    nursery.start_soon(person.solve)
                received.append(message)

            async with open_client(config, mode) as client:
                result = await client.call_tool(
                    TOOL, {"query": "Q?", "language": "en-US"}, progress_callback=progress
                )
    assert not result.is_error, result
    assert "browser window" in received[0]

"""A CAPTCHA on a machine without a screen, solved by a person through the live view."""

import re
import subprocess
from contextlib import suppress
from functools import partial

import mcp_types as mcp
import pytest
import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.protocol.errors import SearchBlocked, TabwrightError
from tabwright.protocol.interventions import InterventionState
from tabwright.protocol.progress import HumanNeededProgress, ProgressEvent
from tabwright.testing.demo import record_of, text_of
from tabwright.testing.replica import Scenario, open_replica
from tabwright.testing.replica.server import ServerResponse, open_server

pytestmark = pytest.mark.chromium

TOOL = "google_ai_search"
QUESTION = {"query": "Q?", "language": "en-US"}
LINK = re.compile(r"http://127\.0\.0\.1:\d+/view#[\w-]{40,}")
BOX = (36, 56)
"""Where the box of the CAPTCHA is."""


@pytest.fixture(autouse=True)
def no_screen(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)


ASKED = "document.getElementById('help').textContent.includes('CAPTCHA')"


async def solve(person, link: str) -> None:
    """Open the link and click the box of the CAPTCHA, again if it is still shown."""
    await person.open(link)
    await person.take_over()
    await person.sees(ASKED)
    await person.click_at(*BOX)
    for _ in range(20):
        await trio.sleep(3)
        with suppress(TabwrightError):  # the view has ended
            if await person.read(ASKED):
                await person.click_at(*BOX)


async def test_captcha_is_solved_by_the_link_of_an_elicitation(person, write_config, open_client):
    asked: list[mcp.ElicitRequestURLParams] = []
    async with open_replica(Scenario(captcha=True)) as replica, background_nursery() as nursery:

        async def elicited(_context, params):
            asked.append(params)
            nursery.start_soon(solve, person, params.url)
            return mcp.ElicitResult(action="accept")

        config = write_config(replica, mcp={"structured_content": True})
        async with open_client(config, elicitation_callback=elicited) as client:
            result = await client.call_tool(TOOL, QUESTION)
    assert not result.is_error
    assert record_of(result)["sources"]
    (params,) = asked
    assert LINK.fullmatch(params.url)


async def test_captcha_is_solved_by_the_link_in_progress(person, write_config, open_client):
    texts: list[str] = []
    async with open_replica(Scenario(captcha=True)) as replica, background_nursery() as nursery:

        async def progress(_progress, _total, message):
            if not texts:
                nursery.start_soon(solve, person, LINK.search(message)[0])
            texts.append(message)

        config = write_config(replica)
        async with open_client(config, "legacy") as client:
            result = await client.call_tool(TOOL, QUESTION, progress_callback=progress)
    assert not result.is_error


async def test_captcha_not_solved_in_time_stays_queued_with_its_link(person, open_local, tmp_path):
    async with open_replica(Scenario(captcha=True)) as replica:
        settings = {f"network__{key}": one for key, one in replica.network(tmp_path).items()}
        arguments = {"browser__extra_args": replica.chromium_args, **settings}
        async with open_local("agent", search__person_timeout_s=1, **arguments) as agent:
            with pytest.raises(SearchBlocked) as blocked:
                await agent.search("Q?", language="en-US")
            (waiting,) = await agent.interventions()
            assert (waiting.id, waiting.held) == (blocked.value.intervention, True)
            assert (await agent.interventions())[0].link == waiting.link
            await person.open(waiting.link)
            assert (await agent.interventions())[0].link != waiting.link  # it was used
            await person.sees("document.getElementById('help').textContent.includes('CAPTCHA')")
            skipped = await agent.answer_intervention(waiting.id, "skip")
            assert skipped.state is InterventionState.SKIPPED
            assert skipped.link == ""
            await person.sees("document.getElementById('status').textContent.includes('skipped')")


async def test_captcha_in_a_connected_browser_without_a_window_is_solved_by_link(
    person, open_local, tmp_path, running_browser
):
    async with open_replica(Scenario(captcha=True)) as replica, background_nursery() as nursery:
        settings = {f"network__{key}": one for key, one in replica.network(tmp_path).items()}
        endpoint = await nursery.start(running_browser, replica.chromium_args)

        to_person, links = trio.open_memory_channel[str](1)

        def report(step: ProgressEvent) -> None:
            if isinstance(step, HumanNeededProgress):
                to_person.send_nowait(step.url)

        async def help_out() -> None:
            await solve(person, await links.receive())

        nursery.start_soon(help_out)

        async with open_local("agent", browser__cdp_endpoint=endpoint, **settings) as agent:
            result = await agent.search("Q?", language="en-US", progress=report)
    assert result.ai_answer


WALL = """<!doctype html><title>Who are you?</title><form id=challenge-form><input type=checkbox
style="position: absolute; left: 16px; top: 36px; width: 40px; height: 40px" onclick="
document.cookie = 'passed=1; max-age=600'; location.reload()"></form><script></script>"""
OFFER = f"<!doctype html><title>Offer</title><p>{'Nine of ten are sold. ' * 40}</p>"


@pytest.fixture
async def walled():
    """The URL of a page that shows a CAPTCHA until it has been solved."""

    async def answer(exchange):
        passed = "passed" in exchange.seen.cookie
        page = OFFER if passed else WALL
        await exchange.answer(ServerResponse(page.encode(), status=200 if passed else 403))

    async with open_server(answer, []) as port:
        yield f"http://127.0.0.1:{port}/"


@pytest.fixture
def reading_config(write_config, tmp_path):
    return write_config(session={"dir": str(tmp_path / "sessions")}, log={"dir": None})


@pytest.mark.parametrize("session", ["", "shopping"])
async def test_page_is_read_once_its_captcha_is_solved_by_the_link_of_an_elicitation(
    session, walled, person, reading_config, open_client
):
    asked: list[mcp.ElicitRequestURLParams] = []
    async with background_nursery() as nursery:

        async def elicited(_context, params):
            asked.append(params)
            nursery.start_soon(solve, person, params.url)
            return mcp.ElicitResult(action="accept")

        given = {"url": walled, **({"session": session} if session else {})}
        async with open_client(reading_config, elicitation_callback=elicited) as client:
            first = await client.call_tool("browse", given)
            again = await client.call_tool("browse", given) if session else first
    assert not first.is_error, text_of(first)
    assert "Nine of ten" in text_of(first)
    assert "Nine of ten" in text_of(again)  # with the cookie of the session
    (params,) = asked
    assert LINK.fullmatch(params.url)


async def test_captcha_page_is_an_error_when_no_person_can_be_asked(
    walled, reading_config, open_client
):
    async with open_client(reading_config) as client:
        result = await client.call_tool("browse", {"url": walled})
        listed = await client.call_tool("interventions", {"action": "list"})
    assert result.is_error
    assert result.meta["tabwright/error"]["status"] == 403
    assert "No intervention" in text_of(listed)


@pytest.fixture
def running_browser(tmp_path):
    """Return a function that starts a headless browser and reports its address."""

    async def run(arguments, task_status) -> None:
        folder = tmp_path / "running"
        command = ["chromium", "--headless", "--no-sandbox", "--remote-debugging-port=0"]
        command += [f"--user-data-dir={folder}", *arguments]
        start = partial(trio.run_process, command, stderr=subprocess.DEVNULL, check=False)
        async with background_nursery() as nursery:
            await nursery.start(start)
            port = trio.Path(folder / "DevToolsActivePort")
            while not await port.exists() or "\n" not in await port.read_text():
                await trio.sleep(0.05)
            task_status.started(f"http://127.0.0.1:{(await port.read_text()).split()[0]}")
            await trio.sleep_forever()

    return run

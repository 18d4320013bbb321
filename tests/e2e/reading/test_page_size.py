"""The viewport size that the settings give to pages, in a real Chromium."""

import pytest

from tabwright.config.devices import device
from tabwright.protocol.actions import Click, Emulate
from tabwright.protocol.context_options import ContextOptions
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import Evaluate
from tabwright.testing.replica.server import ServerResponse, open_server

pytestmark = pytest.mark.chromium

PAGE = b"""<title>Size</title><p id=size></p>
<script>size.textContent = `${innerWidth} by ${innerHeight}`</script>"""


async def test_read_and_session_pages_have_the_configured_viewport(open_reading_client):
    async def answer(exchange):
        await exchange.answer(ServerResponse(PAGE))

    async with open_server(answer, []) as port:
        url = f"http://127.0.0.1:{port}/"
        settings = {"browser__viewport": "1111x777", "acting__scripts": True}
        async with open_reading_client(**settings) as tabwright:
            page = await tabwright.browse(url, ReadOptions(min_tier=2))
            assert "1111 by 777" in page.text
            await tabwright.enter(url, session="s")
            size = await tabwright.inspect(Evaluate("[innerWidth, innerHeight]"), session="s")
            assert size.json == "[1111,777]"


async def test_configured_viewport_returns_after_emulation_is_reset(open_reading_client):
    async def answer(exchange):
        await exchange.answer(ServerResponse(PAGE))

    async with open_server(answer, []) as port:
        settings = {"browser__viewport": "1111x777", "acting__scripts": True}
        async with open_reading_client(**settings) as tabwright:

            async def size() -> str:
                shown = await tabwright.inspect(Evaluate("[innerWidth, innerHeight]"), session="s")
                return shown.json

            await tabwright.enter(f"http://127.0.0.1:{port}/", session="s")
            await tabwright.act(Emulate(viewport=(500, 400)), session="s")
            assert await size() == "[500,400]"
            await tabwright.act(Emulate(viewport=(0, 0)), session="s")
            assert await size() == "[1111,777]"
            for chosen in (device("pixel 10"), None):
                options = ContextOptions(device=chosen)
                await tabwright.change_context("s", lambda _, options=options: options)
            assert await size() == "[1111,777]"


@pytest.mark.parametrize("browser", ["headless-shell", "chromium"])
async def test_pages_and_their_pop_ups_are_1280_by_720_by_default(open_reading_client, browser):
    async def answer(exchange):
        await exchange.answer(ServerResponse(PAGE + b"<a href=/ target=_blank>Open</a>"))

    size = Evaluate("[innerWidth, innerHeight, screen.width, screen.height]")
    async with open_server(answer, []) as port:
        settings = {"browser__path": browser, "acting__scripts": True}
        async with open_reading_client(**settings) as tabwright:
            await tabwright.enter(f"http://127.0.0.1:{port}/", session="s")
            assert (await tabwright.inspect(size, session="s")).json == "[1280,720,1280,720]"
            outcome = await tabwright.act(Click("text=Open"), session="s")
            assert outcome.tabs[0].current
            assert (await tabwright.inspect(size, session="s")).json == "[1280,720,1280,720]"

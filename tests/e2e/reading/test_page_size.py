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
            page = await tabwright.read(url, ReadOptions(min_tier=2))
            assert "1111 by 777" in page.text
            await tabwright.session("s").enter(url)
            size = await tabwright.session("s").inspect(Evaluate("[innerWidth, innerHeight]"))
            assert size.json == "[1111,777]"


async def test_configured_viewport_returns_after_emulation_is_reset(open_reading_client):
    async def answer(exchange):
        await exchange.answer(ServerResponse(PAGE))

    async with open_server(answer, []) as port:
        settings = {"browser__viewport": "1111x777", "acting__scripts": True}
        async with open_reading_client(**settings) as tabwright:

            async def size() -> str:
                shown = await tabwright.session("s").inspect(Evaluate("[innerWidth, innerHeight]"))
                return shown.json

            await tabwright.session("s").enter(f"http://127.0.0.1:{port}/")
            await tabwright.session("s").act(Emulate(viewport=(500, 400)))
            assert await size() == "[500,400]"
            await tabwright.session("s").act(Emulate(viewport=(0, 0)))
            assert await size() == "[1111,777]"
            for chosen in (device("pixel 10"), None):
                options = ContextOptions(device=chosen)
                await tabwright.session("s").change_context(lambda _, options=options: options)
            assert await size() == "[1111,777]"


@pytest.mark.parametrize("browser", ["headless-shell", "chromium"])
async def test_pages_and_their_pop_ups_are_1280_by_720_by_default(open_reading_client, browser):
    async def answer(exchange):
        await exchange.answer(ServerResponse(PAGE + b"<a href=/ target=_blank>Open</a>"))

    size = Evaluate("[innerWidth, innerHeight, screen.width, screen.height]")
    async with open_server(answer, []) as port:
        settings = {"browser__path": browser, "acting__scripts": True}
        async with open_reading_client(**settings) as tabwright:
            await tabwright.session("s").enter(f"http://127.0.0.1:{port}/")
            assert (await tabwright.session("s").inspect(size)).json == "[1280,720,1280,720]"
            outcome = await tabwright.session("s").act(Click("text=Open"))
            assert outcome.tabs[0].current
            assert (await tabwright.session("s").inspect(size)).json == "[1280,720,1280,720]"

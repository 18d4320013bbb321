"""Reading settings also hold for pages open for actions, in a real Chromium."""

import pytest

from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.sessions import LinkChoice
from tabwright.testing.replica.server import ServerResponse, open_server

pytestmark = pytest.mark.chromium

PROSE = "<p>Every task has a parent that waits for it, and no error is lost.</p>" * 8
PAGE = (
    "<!doctype html><title>Tasks</title><main><h1>Tasks</h1>"
    "<p class=offer>Only today, <a href=/shop>buy our lamps</a> at half of their price.</p>"
    f"{PROSE}<p>What comes <a href=/next>after this page</a> is another.</p></main>"
)


@pytest.fixture
async def site():
    async def answer(exchange):
        await exchange.answer(ServerResponse(PAGE.encode()))

    async with open_server(answer, []) as port:
        yield f"http://127.0.0.1:{port}"


async def test_exclude_selectors_apply_to_text_and_links_of_an_open_page(site, open_reading_client):
    async with open_reading_client(reading__exclude_selectors=[".offer"]) as tabwright:
        await tabwright.session("s").enter(site)
        page = await tabwright.session("s").view(RenderOptions(links="numbered"))
        followed = await tabwright.session("s").follow(LinkChoice(1), RenderOptions())
    assert "lamps" not in page.text
    assert "[1]" in page.text
    assert followed.url == f"{site}/next"
    assert "lamps" not in followed.text


async def test_open_page_text_and_links_are_complete_without_exclusions(site, open_reading_client):
    async with open_reading_client() as tabwright:
        await tabwright.session("s").enter(site)
        page = await tabwright.session("s").view(RenderOptions())
        followed = await tabwright.session("s").follow(LinkChoice(1), RenderOptions())
    assert "lamps" in page.text
    assert followed.url == f"{site}/shop"

"""What the settings say about reading, of pages that are open for actions in a real Chromium."""

import pytest

from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.sessions import FollowLink
from tabwright.testing.replica.server import ServerResponse, open_server

pytestmark = pytest.mark.chromium

PROSE = "<p>Every task has a parent that waits for it, and no error is lost.</p>" * 8
PAGE = (
    "<!doctype html><title>Tasks</title><nav><a href=/account>Account</a></nav>"
    f"<main><h1>Tasks</h1>{PROSE}<p><a href=/next>Next</a></p></main>"
)


@pytest.fixture
async def site():
    async def answer(exchange):
        await exchange.answer(ServerResponse(PAGE.encode()))

    async with open_server(answer, []) as port:
        yield f"http://127.0.0.1:{port}"


async def test_text_and_links_of_an_open_page_lack_what_the_settings_leave_out(
    site, open_reading_house
):
    async with open_reading_house(reading__exclude_selectors=["nav"]) as tabwright:
        await tabwright.enter(site, session="s")
        page = await tabwright.view_page("s", RenderOptions(links="numbered"))
        followed = await tabwright.follow_link(FollowLink("s", RenderOptions(), number=1))
    assert "Account" not in page.text
    assert "[1]" in page.text
    assert followed.url == f"{site}/next"
    assert "Account" not in followed.text

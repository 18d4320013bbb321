"""Requests of pages to advertising and tracking hosts, in a real Chromium."""

import pytest

from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import TakeOutline
from tabwright.testing.replica.server import Exchange, Seen, ServerResponse, open_server

pytestmark = pytest.mark.chromium

TRACKER = "stats.doubleclick.net"
PAGE = f"""<title>Shop</title><script src=http://{TRACKER}/t.js></script><h1>Lamps</h1>
<p>{"One of them is red, and the others are blue. " * 20}"""


async def shop(exchange: Exchange) -> None:
    await exchange.answer(ServerResponse(PAGE.encode(), content_type="text/html"))


@pytest.mark.parametrize(
    ("settings", "is_asked"),
    [({}, True), ({"network__block": ["ads"]}, False)],
    ids=["by default", "protected"],
)
async def test_ads_block_stops_known_hosts_in_all_tabs(open_reading_client, settings, is_asked):
    log: list[Seen] = []

    def seen() -> bool:
        asked = any(one.host == TRACKER for one in log)
        del log[:]
        return asked

    async with open_server(shop, log) as port:
        rules = f"--host-resolver-rules=MAP {TRACKER} 127.0.0.1:{port}"
        url = f"http://127.0.0.1:{port}/"
        async with open_reading_client(browser__extra_args=[rules], **settings) as tabwright:
            for tier in (2, 3):
                page = await tabwright.read(url, ReadOptions(min_tier=tier))
                assert "One of them is red" in page.text
                assert seen() is is_asked
            await tabwright.session("s").enter(url)
            assert "Lamps" in (await tabwright.session("s").inspect(TakeOutline())).text
            assert seen() is is_asked

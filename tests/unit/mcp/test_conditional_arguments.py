"""Interdependent arguments: a call that lacks one is refused and does nothing."""

from random import Random

import trio
from mcp.client.client import Client

from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import open_tabwright
from tabwright.config.loader import override, settings_from
from tabwright.testing.determinism import simulated_environment
from tabwright.testing.fake import FakePage, FakeSite, fake_launcher

SHOP = "https://shop.example/"
WRONG = [
    ("navigate", {}),
    ("navigate", {"url": " "}),
    ("navigate", {"url": "ftp://shop.example/"}),
    ("navigate", {"url": "https://"}),
    ("scroll", {"to": "sideways"}),
    ("scroll", {"to": "element"}),
    ("scroll", {"to": "text"}),
    ("scroll", {"y": "far"}),
    ("tabs", {"action": "switch"}),
    ("select", {"ref": "no-ref"}),
]


async def test_call_without_a_conditionally_required_argument_is_refused(autojump_clock):
    random = Random(0)
    site = FakeSite(pages={SHOP: FakePage("<html><body><p>Shop</p></body></html>")})
    environment = simulated_environment(fake_launcher(site, random), random)
    settings = settings_from(override(acting__downloads=None))
    async with open_tabwright(settings, environment) as tabwright, trio.open_nursery() as nursery:
        async with Client(MCPGateway(tabwright, nursery).server) as client:
            await client.call_tool("navigate", {"url": SHOP, "format": "outline"})
            for tool, given in WRONG:
                result = await client.call_tool(tool, given)
                error = result.meta["tabwright/error"]
                assert (tool, given, error["kind"]) == (tool, given, "bad_input")
                assert error["effect"] == "none"
            [state] = await tabwright.list_sessions()
    assert (state.url, state.pages) == (SHOP, 1)

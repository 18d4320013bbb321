"""Addresses that pages may reach through our egress proxy, in a real Chromium."""

import socket
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from itertools import chain, repeat

import attrs
import pytest
import trio

from tabwright import Environment, Tabwright
from tabwright.app import open_tabwright
from tabwright.browser.launch import ChromiumLauncher
from tabwright.config.loader import override, settings_from
from tabwright.http.net import NetworkBackend, connect
from tabwright.protocol.actions import Click, WaitFor
from tabwright.protocol.errors import BadInput, NavigationFailed
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import TakeOutline
from tabwright.testing.replica.server import (
    Exchange,
    Seen,
    ServerResponse,
    html,
    open_server,
    redirect,
)

pytestmark = pytest.mark.chromium

IN_TAB = ReadOptions(min_tier=2)
SOME_TIME_S = 0.5
"""For what must not come."""
PUBLIC = "93.184.215.14"

NAMES: dict[str, list[str]] = {
    "public.test": [PUBLIC],
    "other.test": [PUBLIC],
    "inside.test": ["10.0.0.7"],
    "both.test": [PUBLIC, "127.0.0.1"],
    "six.test": ["::ffff:127.0.0.1"],
}

INSIDE = (
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "localhost",
    "foo.localhost",
    "inside.test",
)

CALLING = """<!doctype html><title>Calling</title><p>Calling</p><script>
  const call = new RTCPeerConnection({iceServers: [{urls: "STUN"}]});
  call.createDataChannel("x");
  call.createOffer().then((offer) => call.setLocalDescription(offer));
  call.onicegatheringstatechange = () => {
    if (call.iceGatheringState === "complete") document.body.append("All found");
  };
</script>"""

TRICKS = """
<title>Tricks</title><h1>Tricks</h1><img src="/seen.png">
<img src="{0}img"><iframe src="{0}frame"></iframe><link rel=prefetch href="{0}prefetch">
<script src="{0}script"></script><video src="{0}video"></video>
<form id=form action="{0}form" target=_blank></form>
<script>
  const quietly = (work) => {{ try {{ work(); }} catch {{ }} }};
  quietly(() => fetch("{0}fetch", {{mode: "no-cors"}}).catch(() => 0));
  quietly(() => navigator.sendBeacon("{0}beacon", "x"));
  quietly(() => new EventSource("{0}events"));
  quietly(() => new WebSocket("{0}socket".replace("http", "ws")));
  quietly(() => window.open("{0}window"));
  quietly(() => form.submit());
  quietly(() => new Worker(URL.createObjectURL(
    new Blob(['fetch("{0}worker", {{mode: "no-cors"}}).catch(() => 0)'])
  )));
</script>
"""


@attrs.define
class World:
    """A client, and a single server that answers under many host names."""

    tabwright: Tabwright
    port: int
    pages: dict[str, ServerResponse]
    log: list[Seen]

    @property
    def paths(self) -> list[str]:
        """The requested paths, without Chromium's own requests."""
        return [seen.path for seen in self.log if seen.host in NAMES]


@asynccontextmanager
async def open_world(**settings: object) -> AsyncGenerator[World]:
    pages: dict[str, ServerResponse] = {}
    log: list[Seen] = []
    turns = chain([[PUBLIC]], repeat(["127.0.0.1"]))

    async def serve(exchange: Exchange) -> None:
        answer = pages.get(exchange.path) or html("<h1>Here</h1>")
        await exchange.answer(answer)

    async def resolve(host: str) -> Sequence[str]:
        if host.endswith(".invalid"):
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return next(turns) if host == "turns.test" else NAMES.get(host, [host])

    async with open_server(serve, log) as port:

        async def connected(_address: str, _port: int) -> trio.abc.Stream:
            return await connect("127.0.0.1", port)

        options = {"network__proxy": "none", "browser__profile": None, **settings}
        chosen = settings_from(override(**options))
        launcher = ChromiumLauncher(chosen, NetworkBackend(resolve=resolve, connect=connected))
        async with open_tabwright(chosen, Environment(launcher=launcher)) as tabwright:
            yield World(tabwright, port, pages, log)


async def test_public_page_is_read_with_its_subresources():
    async with open_world() as world:
        world.pages["/"] = html("<h1>Front</h1><img src='http://other.test/seen.png'>")
        await world.tabwright.session("a").enter("http://public.test/")
        assert "Front" in (await world.tabwright.session("a").inspect(TakeOutline())).text
        with trio.fail_after(60):
            while "/seen.png" not in world.paths:
                await trio.sleep(0.05)


@pytest.mark.parametrize("browser", ["chromium", "headless-shell"])
async def test_webrtc_sends_nothing_past_the_guard(browser):
    with trio.socket.socket(type=trio.socket.SOCK_DGRAM) as inside:
        await inside.bind(("127.0.0.1", 0))
        stun = f"stun:127.0.0.1:{inside.getsockname()[1]}"
        async with open_world(browser__path=browser) as world:
            world.pages["/"] = html(CALLING.replace("STUN", stun))
            await world.tabwright.session("a").enter("http://public.test/")
            await world.tabwright.session("a").act(WaitFor(text="All found", seconds=15))
            with trio.move_on_after(SOME_TIME_S):
                pytest.fail(f"got {await inside.recv(2000)!r}")


@pytest.mark.parametrize("host", ["inside.test", "both.test", "six.test"])
async def test_host_resolving_to_private_address_is_refused(host):
    async with open_world() as world:
        with pytest.raises(BadInput, match=rf"{host} resolves to .* a private address"):
            await world.tabwright.read(f"http://{host}/", IN_TAB)
        assert world.paths == []


async def test_redirect_to_private_host_is_refused_before_any_request():
    async with open_world() as world:
        world.pages["/"] = redirect("http://inside.test/secret")
        with pytest.raises(BadInput, match=r"inside\.test resolves to"):
            await world.tabwright.read("http://public.test/", IN_TAB)
        assert world.paths[0] == "/"
        assert "/secret" not in world.paths


async def test_host_address_is_checked_again_at_each_connection():
    async with open_world() as world:
        world.pages["/"] = html("<h1>First</h1>")
        assert "First" in (await world.tabwright.read("http://turns.test/", IN_TAB)).text
        with pytest.raises(BadInput, match="resolves to 127"):
            await world.tabwright.read("http://turns.test:81/later", IN_TAB)
        assert "/later" not in [seen.path for seen in world.log]


async def test_subresources_of_public_page_cannot_reach_private_hosts():
    async with open_world() as world:
        for host in INSIDE:
            world.pages["/"] = html(TRICKS.format(f"http://{host}:{world.port}/victim-"))
            outcome = await world.tabwright.session("a").enter("http://public.test/")
            assert outcome.title == "Tricks"
            assert "/seen.png" in world.paths
        assert [seen.path for seen in world.log if "victim" in seen.path] == []


async def test_click_on_link_to_private_host_is_refused():
    async with open_world() as world:
        world.pages["/"] = html('<a href="http://inside.test/secret">In</a>')
        await world.tabwright.session("a").enter("http://public.test/")
        outline = await world.tabwright.session("a").inspect(TakeOutline())
        with pytest.raises(BadInput, match=r"inside\.test resolves to"):
            await world.tabwright.session("a").act(Click(outline.controls[0].ref))
        assert "/secret" not in world.paths


async def test_unresolvable_host_is_reported_as_failed_navigation():
    async with open_world() as world:
        with pytest.raises(NavigationFailed, match=r"nowhere\.invalid"):
            await world.tabwright.read("http://nowhere.invalid/", IN_TAB)


async def test_private_ip_literal_is_refused_even_without_the_guard():
    async with open_world(network__guard=False) as world:
        with pytest.raises(BadInput, match="private address"):
            await world.tabwright.read("http://127.1/", IN_TAB)

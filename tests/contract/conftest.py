"""Fixtures for the contract tests: a fake browser, and Chromium on every link."""

import os
import signal
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from random import Random
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

import attrs
import pytest
import trio

from tabwright.browser.identity import identity_of
from tabwright.browser.running import RunningBrowser
from tabwright.browser.watchdogs import MemoryWatchdog
from tabwright.cdp.chromium import finding
from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.errors import BrowserNotFound
from tabwright.cdp.chromium.finding import PREFERENCE, find_browser
from tabwright.cdp.chromium.process import Chromium, launch
from tabwright.cdp.connection import CDPConnection, Transport
from tabwright.cdp.domains import browser
from tabwright.cdp.pipe import PipeLink
from tabwright.cdp.websocket import open_websocket_link, websocket_url
from tabwright.cdp.wire import CDPCommand, Nothing
from tabwright.concurrency.nursery import background_nursery
from tabwright.page.open_page import AttachedPage, PageOptions, open_page
from tabwright.testing.fake import FakeBrowser, FakeControl, FakeDialog, FakePage, FakeSite
from tabwright.testing.fake.site import NEVER, AddedFrame, OpenedPage
from tabwright.testing.replica.server import Exchange, html, open_server
from tabwright.testing.replica.site import answer_page

from ..shared_browser import SHARED, WHOLE, SharedBrowsers, launch_plan  # noqa: TID252

Link: TypeAlias = Literal["pipe", "websocket"]

SHELL: Final = pytest.param("shell endpoint", marks=pytest.mark.chromium)
CHROMIUM: Final = pytest.param(
    "endpoint", marks=[pytest.mark.chromium, pytest.mark.whole_browser, pytest.mark.nightly]
)
"""Chromium in place of its headless shell, which each change uses."""

PAGES: Final = count(1)
BODY_S: Final = 120.0
"""Far longer than any test takes: one that reaches it hangs."""

ARTICLE_SCRIPTS: Final = {
    "1 + 1": 2,
    "location.pathname": "/article",
    "'\\ud800 lone'": "\ud800 lone",
    "'x'.repeat(5_000_000)": "x" * 5_000_000,
    "new Promise(() => {})": NEVER,
}
FORM: Final = """<!doctype html><title>A form</title>
<form id="search" action="/article"><input name="q"></form>"""
CONTROLS: Final = """<!doctype html><title>Controls</title><p>Hello</p>
<button onclick="show('Sold')">Buy</button>
<button onclick="if (confirm('Sure?')) show('Gone')">Delete</button>
<button onclick="alert('Hi'); show('Greeted')">Greet</button>
<button onclick="window.open('/article')">Open</button>
<a href="/article">Leave</a>
<input aria-label="Name">
<script>function show(text) {
  document.body.append(Object.assign(document.createElement("p"), {textContent: text}));
}</script>"""
TABLE_SCRIPTS: Final = {"location.pathname": "/table", "new Promise(() => {})": NEVER}
FAKE_PORT: Final = 8000
REFUSED_PORT: Final = 8001


@attrs.frozen
class Peer:
    """A running browser, fake or real, and a site for it.

    Attributes:
        port: of a site on 127.0.0.1.
        refused_port: where nothing listens.
        kill: ends the browser as SIGKILL does.
    """

    running: RunningBrowser
    port: int
    refused_port: int
    kill: Callable[[], None]

    @property
    def connection(self) -> CDPConnection:
        return self.running.connection

    def page(self) -> AbstractAsyncContextManager[AttachedPage]:
        return open_page(self.running, PageOptions(context=f"page {next(PAGES)}"))

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def opening_a_page(self, path: str) -> CDPCommand[Nothing]:
        """Return a command that opens a pop-up with a simulated user gesture."""
        script = {"expression": open_page_script(self.url(path)), "userGesture": True}
        return CDPCommand("Runtime.evaluate", script, Nothing)

    def adding_a_frame(self, path: str) -> CDPCommand[Nothing]:
        """Return a command that adds a frame of another site."""
        url = f"http://localhost:{self.port}{path}"
        return CDPCommand("Runtime.evaluate", {"expression": add_frame_script(url)}, Nothing)


@pytest.fixture(
    params=[
        "fake",
        pytest.param("pipe", marks=[pytest.mark.chromium, pytest.mark.nightly]),
        pytest.param("shell", marks=pytest.mark.chromium),
        pytest.param("websocket", marks=[pytest.mark.chromium, pytest.mark.nightly]),
        CHROMIUM,
        SHELL,
    ],
)
def way(request: pytest.FixtureRequest) -> str:
    """The name of a link to a browser, or the endpoint of one that tests share.

    ``shell`` is the headless shell on a pipe.
    """
    way = str(request.param)
    if not way.endswith("endpoint"):
        return way
    shared: SharedBrowsers = request.getfixturevalue("shared_browsers")
    settings = SHARED if way == "shell endpoint" else WHOLE
    endpoint = shared.launch(whole=settings is WHOLE)[str(launch_plan(settings).path)]
    return f"http://{urlsplit(endpoint).netloc}"


def plan(link: Link) -> LaunchPlan:
    return LaunchPlan(path=find_browser(PREFERENCE).path, link=link)


def shell_plan(link: Link) -> LaunchPlan:
    try:
        return LaunchPlan(path=find_browser((finding.SHELL,)).path, link=link)
    except BrowserNotFound as error:
        pytest.skip(error.message)


@pytest.fixture
async def peer(way: str) -> AsyncGenerator[Peer]:
    with trio.fail_after(BODY_S):
        async with open_peer(way) as peer:
            yield peer


def open_peer(way: str) -> AbstractAsyncContextManager[Peer]:
    match way:
        case "fake":
            return fake_peer()
        case "pipe":
            return pipe_peer(plan("pipe"))
        case "shell":
            return pipe_peer(shell_plan("pipe"))
        case "websocket":
            return websocket_peer()
        case endpoint:
            return endpoint_peer(endpoint)


@asynccontextmanager
async def fake_peer() -> AsyncGenerator[Peer]:
    async with background_nursery() as nursery:
        fake = FakeBrowser(nursery, fake_site(), Random(1))
        nursery.start_soon(fake.run)
        async with conversing(fake.link) as running:
            yield Peer(running, FAKE_PORT, REFUSED_PORT, fake.die)


def fake_site() -> FakeSite:
    table_url = f"http://127.0.0.1:{FAKE_PORT}/table"
    other_url = f"http://localhost:{FAKE_PORT}/table"
    scripts = {
        **ARTICLE_SCRIPTS,
        open_page_script(table_url): OpenedPage(table_url),
        add_frame_script(other_url): AddedFrame(other_url),
    }
    return FakeSite(
        pages={
            f"http://127.0.0.1:{FAKE_PORT}/article": FakePage(values=scripts),
            table_url: FakePage(values=TABLE_SCRIPTS),
            other_url: FakePage(values=TABLE_SCRIPTS),
            f"http://127.0.0.1:{FAKE_PORT}/form": FakePage(
                html=FORM, forms={"#search": f"http://127.0.0.1:{FAKE_PORT}/article?q=bread"}
            ),
            f"http://127.0.0.1:{FAKE_PORT}/article?q=bread": FakePage(),
            f"http://127.0.0.1:{FAKE_PORT}/controls": fake_controls(),
            f"http://127.0.0.1:{REFUSED_PORT}/": FakePage(error="net::ERR_CONNECTION_REFUSED"),
        }
    )


def fake_controls() -> FakePage:
    """Return the fake equivalent of the page `CONTROLS`."""
    article = f"http://127.0.0.1:{FAKE_PORT}/article"
    return FakePage(
        "<title>Controls</title>",
        says=("Hello",),
        values={"1 + 1": 2},
        controls=(
            FakeControl("Buy", shows="Sold"),
            FakeControl("Delete", asks=FakeDialog("confirm", "Sure?"), shows="Gone"),
            FakeControl("Greet", asks=FakeDialog("alert", "Hi"), shows="Greeted"),
            FakeControl("Open", opens=article),
            FakeControl("Leave", "link", leads_to=article),
            FakeControl("Name", "textbox"),
        ),
    )


def open_page_script(url: str) -> str:
    return f"void window.open({url!r})"


def add_frame_script(url: str) -> str:
    frame = f"Object.assign(document.createElement('iframe'), {{src: {url!r}}})"
    return f"void document.body.append({frame})"


@asynccontextmanager
async def pipe_peer(plan: LaunchPlan) -> AsyncGenerator[Peer]:
    async with launch(plan) as chromium:
        assert chromium.pipe is not None
        link = PipeLink(*chromium.pipe.take())
        try:
            async with real_peer(link, chromium) as peer:
                yield peer
        finally:
            await link.aclose()


@asynccontextmanager
async def websocket_peer() -> AsyncGenerator[Peer]:
    async with launch(plan("websocket")) as chromium:
        async with open_websocket_link(str(chromium.endpoint)) as link:
            async with real_peer(link, chromium) as peer:
                yield peer


@asynccontextmanager
async def endpoint_peer(endpoint: str) -> AsyncGenerator[Peer]:
    async with open_websocket_link(await websocket_url(endpoint)) as link:
        async with real_peer(link, None) as peer:
            yield peer


@asynccontextmanager
async def real_peer(link: Transport, chromium: Chromium | None) -> AsyncGenerator[Peer]:
    def kill() -> None:
        assert chromium is not None, "the browser of all tests is not killed"
        os.killpg(chromium.pid, signal.SIGKILL)

    with trio.socket.socket() as ignored:
        await ignored.bind(("127.0.0.1", 0))
        async with open_server(answer, []) as port, conversing(link) as running:
            yield Peer(running, port, ignored.getsockname()[1], kill)


async def answer(exchange: Exchange) -> None:
    """Serve the ordinary site, plus a page with a form and one with controls."""
    page = CONTROLS if exchange.path == "/controls" else FORM
    await answer_page(exchange, otherwise=lambda: html(page))


@asynccontextmanager
async def conversing(link: Transport) -> AsyncGenerator[RunningBrowser]:
    connection = CDPConnection(link)
    async with background_nursery() as nursery:
        nursery.start_soon(connection.run)
        version = await connection.root.execute(browser.get_version())
        identity = identity_of(None, version.user_agent, visible=False)
        yield RunningBrowser(connection, version.product, identity, MemoryWatchdog(1 << 40))

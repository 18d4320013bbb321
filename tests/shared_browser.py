"""The browsers that the tests of a process share: each client has a browser context of its own.

To launch a browser takes more time than most tests need. A browser context has cookies, storage and
a cache of its own, as a new browser of the headless shell has; nothing of it is left to the next
test. A test with the mark `own_browser` launches its browsers itself, and so does every client
whose settings need another command line.
"""

import json
import os
import re
import socket
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from queue import SimpleQueue
from typing import Final
from urllib.parse import urlsplit

import attrs
import trio

from tabwright import Settings
from tabwright.browser import launch as launching
from tabwright.browser.launch import ChromiumLauncher, Launcher
from tabwright.browser.machine import ThisMachine, fitted
from tabwright.browser.running import BrowserLink, LaunchOptions
from tabwright.browser.watchdogs import OwnProcesses
from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.process import launch
from tabwright.cdp.connection import CDPConnection, Transport
from tabwright.cdp.domains import target
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.websocket import open_websocket_link
from tabwright.concurrency.nursery import background_nursery
from tabwright.config.loader import override, settings_from
from tabwright.protocol.proxy import ProxyAnswer, ProxyChoice, ProxyReport

SHARED: Final = settings_from(
    override(
        browser__profile=None,
        browser__port_base=0,
        network__allow_private=True,
        network__proxy="none",
    )
)
"""The settings of the shared headless shell."""

WHOLE: Final = attrs.evolve(SHARED, browser=attrs.evolve(SHARED.browser, path="chromium"))
"""The settings of the shared Chromium."""

CREATED: Final = re.compile(rb'"result":\{"browserContextId":"(\w+)"\}')
"""A reply of ``Target.createBrowserContext``."""

VARIABLE: Final = "SHARED_BROWSERS"
"""The environment variable with the URLs of the shared browsers of a test, as JSON."""

ONE_PROCESS_A_PAGE: Final = ("--disable-features=SpareRendererForSitePerProcess",)
"""Start no process in advance for the next page of a context: most contexts have one page."""

START_S: Final = 60.0
"""Far longer than a browser takes to start."""

OF_A_CONTEXT: Final = {
    "Browser.cancelDownload",
    "Browser.grantPermissions",
    "Browser.resetPermissions",
    "Browser.setDownloadBehavior",
    "Target.createTarget",
}
"""The commands that are for the default context unless they name another one."""

CALLED: Final = re.compile(rb'"method":"(%s)"' % "|".join(sorted(OF_A_CONTEXT)).encode())
"""One of them in a frame, as the product encodes it; the text of a script may look like it."""


def launch_plan(settings: Settings) -> LaunchPlan:
    """Return how a client without a proxy would launch a browser on a WebSocket."""
    browser = attrs.evolve(settings.browser, port_base=0)
    chosen = attrs.evolve(settings, browser=browser)
    return launching._plan(chosen, ProxyChoice(source="network.proxy"), None, 0, kept=True)


def can_share(settings: Settings) -> bool:
    """Return whether a shared browser is as good as a browser that these settings launch.

    Args:
        settings: those of a launcher, with the limits of this machine.
    """
    shared = fitted(SHARED, ThisMachine())
    if settings.browser.path not in {None, "chromium", "headless-shell"}:
        return False
    if settings.browser.port_base:
        return False
    ours = attrs.evolve(
        shared.browser, port_base=settings.browser.port_base, path=settings.browser.path
    )
    if (settings.browser, settings.pool) != (ours, shared.pool):
        return False
    if settings.network.bounds != SHARED.network.bounds:
        return False
    own_plan, shared_plan = launch_plan(settings), launch_plan(shared)
    return attrs.evolve(own_plan, path=shared_plan.path) == shared_plan


class SharedBrowsers:
    """The browsers of a test process: the headless shell, and Chromium once a test needs it.

    They run in threads: each test has an event loop of its own, so that none can run a browser.
    """

    def __init__(self) -> None:
        self._endpoints = dict[str, str]()
        self._running = ExitStack()

    def launch(self, *, whole: bool) -> Mapping[str, str]:
        """Launch those that do not run; return the URL of each by the path of its program.

        Args:
            whole: whether Chromium itself is needed too.
        """
        for settings in (SHARED, WHOLE)[: 1 + whole]:
            plan = launch_plan(settings)
            path = str(plan.path)
            if path not in self._endpoints or not is_listening(self._endpoints[path]):
                self._endpoints[path] = self._running.enter_context(running_browser(plan))
        return self._endpoints

    def close(self) -> None:
        self._running.close()


def is_listening(endpoint: str) -> bool:
    parts = urlsplit(endpoint)
    with suppress(OSError), socket.create_connection((parts.hostname, parts.port)):
        return True
    return False


@contextmanager
def running_browser(plan: LaunchPlan) -> Generator[str]:
    started, leave = SimpleQueue[str](), threading.Event()

    async def run() -> None:
        async with launch(attrs.evolve(plan, extra_args=ONE_PROCESS_A_PAGE)) as chromium:
            started.put(str(chromium.endpoint))
            await trio.to_thread.run_sync(leave.wait)

    thread = threading.Thread(target=trio.run, args=(run,))
    thread.start()
    try:
        yield started.get(timeout=START_S)
    finally:
        leave.set()
        thread.join()


@attrs.frozen(eq=False)
class ContextLink:
    """A `Transport` with one of the browser's contexts in place of the default one.

    Attributes:
        link: the transport of the browser.
        context_id: the context.
        created: the ids of contexts, to which those that the client creates are added.
    """

    link: Transport
    context_id: str
    created: set[str]

    def send_nowait(self, frame: bytes) -> bool:
        return self.link.send_nowait(self._in_context(frame))

    async def send(self, frame: bytes) -> None:
        await self.link.send(self._in_context(frame))

    async def receive(self) -> Sequence[bytes]:
        frames = await self.link.receive()
        self.created.update(found.decode() for frame in frames for found in CREATED.findall(frame))
        return frames

    async def aclose(self) -> None:
        await self.link.aclose()

    def _in_context(self, frame: bytes) -> bytes:
        if not CALLED.search(frame):  # most frames, of which some are long
            return frame
        command = json.loads(frame)
        if command["method"] not in OF_A_CONTEXT:
            return frame
        params = {"browserContextId": self.context_id, **command["params"]}
        return json.dumps({**command, "params": params}).encode()


@attrs.frozen
class SharedBrowserLauncher:
    """A `Launcher` that connects to a running browser as if it had started it."""

    endpoint: str

    @asynccontextmanager
    async def open(self, _: LaunchOptions, /) -> AsyncGenerator[BrowserLink]:
        async with open_websocket_link(self.endpoint) as control, background_nursery() as nursery:
            connection = CDPConnection(control)
            nursery.start_soon(connection.run)
            own = await connection.root.execute(target.create_browser_context())
            contexts = {own.browser_context_id}
            try:
                async with open_websocket_link(self.endpoint) as link:
                    yield BrowserLink(
                        ContextLink(link, own.browser_context_id, contexts),
                        ours=True,
                        last_words=self._last_words,
                        visible=False,
                        processes=OwnProcesses(),
                        is_asked_to_close=False,
                    )
            finally:
                with trio.CancelScope(shield=True):
                    for context_id in contexts:
                        with suppress(CommandFailed):  # the end of its connection disposed of it
                            await connection.root.execute(
                                target.dispose_browser_context(context_id)
                            )

    async def check_proxy(self, used: ProxyChoice) -> ProxyReport:
        await trio.lowlevel.checkpoint()
        return ProxyReport(used, ProxyAnswer.UNASKED, used)

    def require_screen(self) -> None:
        raise AssertionError("the shared browser has no window")

    async def _last_words(self) -> str:
        await trio.lowlevel.checkpoint()
        return "The shared browser is gone."


def sharing_launcher() -> Callable[..., Launcher]:
    """Return what takes the place of `ChromiumLauncher` where the variable names browsers."""

    def launcher(settings: Settings, *others: object) -> Launcher:
        endpoints: Mapping[str, str] = json.loads(os.environ.get(VARIABLE, "{}"))
        if endpoints and can_share(settings):
            endpoint = endpoints.get(str(launch_plan(settings).path))
            if endpoint is not None:
                return SharedBrowserLauncher(endpoint)
        return ChromiumLauncher(settings, *others)

    return launcher

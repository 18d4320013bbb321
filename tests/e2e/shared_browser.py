"""A browser that tests share: each client of it has a browser context of its own.

To launch a browser takes more time than most tests need. A browser context has cookies, storage and
a cache of its own, as a new browser of the headless shell has; nothing of it is left to the next
test.
"""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

import attrs
import trio

from tabwright import Settings, load_settings, override
from tabwright.browser.launch import _plan
from tabwright.browser.running import BrowserLink, LaunchOptions
from tabwright.browser.watchdogs import OwnProcesses
from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.connection import CDPConnection, Transport
from tabwright.cdp.domains import target
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.websocket import open_websocket_link
from tabwright.concurrency.nursery import background_nursery
from tabwright.protocol.proxy import ProxyAnswer, ProxyChoice, ProxyReport

SHARED: Final = load_settings(
    override(
        browser__profile=None,
        browser__link="websocket",
        network__allow_private=True,
        network__proxy="none",
    )
)
"""The settings of the shared browser."""

OF_A_CONTEXT: Final = {
    "Browser.cancelDownload",
    "Browser.grantPermissions",
    "Browser.resetPermissions",
    "Browser.setDownloadBehavior",
    "Target.createTarget",
}
"""The commands that are for the default context unless they name another one."""


def launch_plan(settings: Settings) -> LaunchPlan:
    """Return how the browser of a client without a proxy is launched."""
    return _plan(settings, ProxyChoice(source="network.proxy"), None, 0, kept=True)


def can_share(settings: Settings) -> bool:
    """Return whether the shared browser is as good as a browser that these settings launch."""
    browser = attrs.evolve(settings.browser, link=SHARED.browser.link)
    return (
        browser == SHARED.browser
        and settings.pool == SHARED.pool
        and settings.network.bounds == SHARED.network.bounds
        and launch_plan(attrs.evolve(settings, browser=browser)) == launch_plan(SHARED)
    )


@attrs.frozen(eq=False)
class ContextLink:
    """A `Transport` with one of the browser's contexts in place of the default one."""

    link: Transport
    context_id: str

    def send_nowait(self, frame: bytes) -> bool:
        return self.link.send_nowait(self._in_context(frame))

    async def send(self, frame: bytes) -> None:
        await self.link.send(self._in_context(frame))

    async def receive(self) -> Sequence[bytes]:
        return await self.link.receive()

    async def aclose(self) -> None:
        await self.link.aclose()

    def _in_context(self, frame: bytes) -> bytes:
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
            context = await connection.root.execute(target.create_browser_context())
            try:
                async with open_websocket_link(self.endpoint) as link:
                    yield BrowserLink(
                        ContextLink(link, context.browser_context_id),
                        ours=True,
                        last_words=self._last_words,
                        visible=False,
                        processes=OwnProcesses(),
                        is_asked_to_close=False,
                    )
            finally:
                with trio.CancelScope(shield=True):
                    await self._dispose_contexts(connection)

    async def check_proxy(self, used: ProxyChoice) -> ProxyReport:
        await trio.lowlevel.checkpoint()
        return ProxyReport(used, ProxyAnswer.UNASKED, used)

    def require_screen(self) -> None:
        raise AssertionError("the shared browser has no window")

    async def _dispose_contexts(self, connection: CDPConnection) -> None:
        """Dispose also of those that the client did not have the time to dispose of."""
        open_contexts = await connection.root.execute(target.get_browser_contexts())
        for context_id in open_contexts.browser_context_ids:
            with suppress(CommandFailed):  # the end of its connection has just disposed of it
                await connection.root.execute(target.dispose_browser_context(context_id))

    async def _last_words(self) -> str:
        await trio.lowlevel.checkpoint()
        return "The shared browser is gone."

"""A browser that is launched before the actors are there, because a call waits for it."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial

import attrs
import outcome
import trio

from tabwright.browser.launch import launcher_of_settings
from tabwright.browser.machine import ThisMachine, fitted
from tabwright.browser.running import BrowserLink, Launcher, LaunchOptions
from tabwright.cdp.connection import CDPConnection
from tabwright.cdp.domains import target
from tabwright.cdp.errors import CDPError
from tabwright.concurrency.nursery import background_nursery, shielded
from tabwright.config.settings import Settings
from tabwright.http.net import web_network
from tabwright.protocol.browser_pool import BrowserUse
from tabwright.protocol.errors import BrowserUnavailable
from tabwright.protocol.proxy import ProxyChoice, ProxyReport

UNTAKEN_S = 60.0
"""Seconds after which a browser that no worker has taken is closed."""


@attrs.define(eq=False)
class EarlyBrowser:
    """Launches one browser before it is asked for; otherwise the `Launcher` that it is made of.

    The first worker that opens such a browser takes it. Once a worker has launched one, none is
    launched early any more.
    """

    _launcher: Launcher
    _warm_up: Callable[[BrowserLink], Awaitable[None]]
    _options: LaunchOptions | None = attrs.field(default=None, init=False)
    _is_late: bool = attrs.field(default=False, init=False)
    _opened: outcome.Outcome[BrowserLink] | None = attrs.field(default=None, init=False)
    _ready: trio.Event = attrs.field(factory=trio.Event, init=False)
    _taken: trio.Event = attrs.field(factory=trio.Event, init=False)
    _over: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    _ended: trio.Event = attrs.field(factory=trio.Event, init=False)

    async def run(self, options: LaunchOptions) -> None:
        """Launch a browser, and keep it until its worker leaves it, or no worker takes it.

        Cancellation closes it, unless a worker has taken it: then it is the worker that is stopped,
        and that may still need its browser. Return at once if a worker has launched one.
        """
        if self._is_late:
            return
        self._options = options
        try:
            async with shielded(self._close_untaken):
                with self._over:
                    await self._keep(options)
        except Exception as error:  # noqa: BLE001  (raised where the browser is taken)
            self._opened = outcome.Error(error)
        finally:
            self._options = None
            self._ready.set()
            self._ended.set()

    def open(self, options: LaunchOptions, /) -> AbstractAsyncContextManager[BrowserLink]:
        if options == self._options and not self._taken.is_set():
            return self._take()
        self._is_late = True
        return self._launcher.open(options)

    async def check_proxy(self, used: ProxyChoice) -> ProxyReport:
        return await self._launcher.check_proxy(used)

    def require_screen(self) -> None:
        self._launcher.require_screen()

    async def _keep(self, options: LaunchOptions) -> None:
        async with self._launcher.open(options) as link:
            if not self._taken.is_set():
                await self._warm_up(link)
            self._opened = outcome.Value(link)
            self._ready.set()
            with trio.move_on_after(UNTAKEN_S):
                await self._taken.wait()
            if self._taken.is_set():
                await trio.sleep_forever()
            self._options = None  # it cannot be taken while it closes

    def _close_untaken(self, life: trio.CancelScope) -> None:
        if not self._taken.is_set():
            self._options = None
            life.cancel()

    @asynccontextmanager
    async def _take(self) -> AsyncGenerator[BrowserLink]:
        self._taken.set()
        try:
            await self._ready.wait()
            if self._opened is None:  # only if it is cancelled
                raise BrowserUnavailable("The browser was closed.", retryable=True)
            yield self._opened.unwrap()
        finally:
            self._over.cancel()
            with trio.CancelScope(shield=True):
                await self._ended.wait()


def early_browser(settings: Settings) -> EarlyBrowser | None:
    """Return the browser of the settings; None if it is not of this machine."""
    if settings.browser.cdp_endpoint is not None:
        return None
    return EarlyBrowser(
        launcher_of_settings(fitted(settings, ThisMachine()), web_network(settings)),
        partial(warm_up, timeout_s=settings.browser.start_timeout_s),
    )


async def warm_up(link: BrowserLink, *, timeout_s: float) -> None:
    """Open a blank page and close it, so that the first page opens in a third of the time.

    Chromium makes much of what all windows and pages share with its first one. A browser with
    windows is left alone: a window would appear and disappear.

    Raises:
        BrowserUnavailable: the browser does not respond within `timeout_s` seconds.
    """
    if link.visible:
        return
    connection = CDPConnection(link.link)
    try:
        # A failure is reported by the connection of the worker.
        with trio.fail_after(timeout_s), suppress(CDPError):
            async with background_nursery() as talking:
                talking.start_soon(connection.run)
                create = target.create_target(background=False, new_window=True)
                created = await connection.root.execute(create)
                await connection.root.execute(target.close_target(created.target_id))
    except trio.TooSlowError as error:
        raise BrowserUnavailable(
            f"The browser did not respond within {timeout_s:g} s.",
            advice="Run `tabwright doctor`, or raise browser.start_timeout_s.",
            retryable=True,
        ) from error


def first_options(settings: Settings, use: BrowserUse) -> LaunchOptions:
    """Return the options of the first browser that the actors launch for a use; see `Workers`."""
    kept = use is BrowserUse.SEARCH or not settings.browser.headless
    return LaunchOptions(visible=False, worker=0, kept=kept)

"""The house's own `Launcher`: Chromium as the settings say, or with a window."""

import os
import sys
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager

import attrs

from tabwright.actors.browsers.browser import BrowserLink
from tabwright.browser.launch import chosen_browser, open_browser
from tabwright.config.settings import Settings
from tabwright.http.net import Net
from tabwright.http.proxy_discovery import ProxyFinder
from tabwright.protocol.errors import BrowserUnavailable, SettingsError
from tabwright.protocol.proxy import ProxyAnswer, ProxyChoice, ProxyLook

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
"""The variables that name the screen of a Linux or BSD machine; others always have one."""


@attrs.frozen
class ChromiumLauncher:
    """See `Launcher`.

    Attributes:
        settings: which browser, and how.
        net: where browsers get to, unless a proxy is in between.
        environment: names the screen, and maybe a proxy.
    """

    settings: Settings
    net: Net
    environment: Mapping[str, str] = attrs.field(factory=lambda: os.environ)

    @property
    def proxies(self) -> ProxyFinder:
        """Finds the way out."""
        return ProxyFinder(self.settings.network.proxy, self.environment)

    def open(self, *, visible: bool, worker: int) -> AbstractAsyncContextManager[BrowserLink]:
        """See `Launcher.open`."""
        settings = _with_window(self.settings) if visible else self.settings
        if not settings.browser.headless and not settings.browser.cdp_endpoint:
            self.require_screen()
        return open_browser(settings, self.proxies, self.net, worker)

    async def look_at_proxy(self, used: ProxyChoice) -> ProxyLook:
        """See `Launcher.look_at_proxy`; how a browser gets out that is not ours, is not ours."""
        if self.settings.browser.cdp_endpoint:
            return ProxyLook(used, ProxyAnswer.UNASKED, used)
        try:
            return await self.proxies.look(used)
        except SettingsError as error:
            raise BrowserUnavailable(error.message, advice=error.advice) from error

    def require_screen(self) -> None:
        """See `Launcher.require_screen`."""
        if self.settings.browser.cdp_endpoint:
            raise BrowserUnavailable(
                "The browser that is connected to has no window.",
                advice="Connect to one that a person can see.",
            )
        on_x11 = sys.platform not in {"win32", "darwin"}
        if on_x11 and not any(self.environment.get(name) for name in SCREENS):
            raise BrowserUnavailable(
                "There is no screen here on which a browser window could open.",
                advice="Start tabwright where DISPLAY or WAYLAND_DISPLAY is set.",
            )
        chosen_browser(_with_window(self.settings).browser)


def _with_window(settings: Settings) -> Settings:
    return attrs.evolve(settings, browser=attrs.evolve(settings.browser, headless=False))

"""The house's own `Launcher`: Chromium as the settings say, or with a window."""

import os
import sys
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager

import attrs

from tabwright.actors.browser import BrowserLink
from tabwright.actors.launching import open_browser
from tabwright.config.settings import Settings
from tabwright.protocol.errors import BrowserUnavailable

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
"""The variables that name the screen of a Linux or BSD machine; others always have one."""


@attrs.frozen
class ChromiumLauncher:
    """See `Launcher`.

    Attributes:
        settings: which browser, and how.
        environment: says whether there is a screen.
    """

    settings: Settings
    environment: Mapping[str, str] = attrs.field(factory=lambda: os.environ)

    def open(self, *, visible: bool) -> AbstractAsyncContextManager[BrowserLink]:
        """See `Launcher.open`."""
        return open_browser(_with_window(self.settings) if visible else self.settings)

    def require_screen(self) -> None:
        """See `Launcher.require_screen`."""
        if endpoint := self.settings.browser.cdp_endpoint:
            raise BrowserUnavailable(
                f"The browser at {endpoint} has no window.",
                advice="Connect to one that a person can see.",
            )
        on_x11 = sys.platform not in {"win32", "darwin"}
        if on_x11 and not any(self.environment.get(name) for name in SCREENS):
            raise BrowserUnavailable(
                "There is no screen here on which a browser window could open.",
                advice="Start tabwright where DISPLAY or WAYLAND_DISPLAY is set.",
            )


def _with_window(settings: Settings) -> Settings:
    return attrs.evolve(settings, browser=attrs.evolve(settings.browser, headless=False))

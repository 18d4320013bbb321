"""From settings to a browser: find and start one, or connect to one that runs."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from tabwright.actors.browser import BrowserLink
from tabwright.cdp.chromium.errors import LaunchError
from tabwright.cdp.chromium.finding import Found, find_browser
from tabwright.cdp.chromium.plan import LaunchPlan
from tabwright.cdp.chromium.process import Chromium, launch
from tabwright.cdp.endpoint import EndpointUnreachable, websocket_url
from tabwright.cdp.link import Link
from tabwright.cdp.pipe import PipeLink
from tabwright.cdp.websocket import open_websocket_link
from tabwright.config.settings import BrowserSettings, Settings
from tabwright.protocol.errors import BrowserMissing, BrowserUnavailable

EXIT_S = 0.5
"""For the exit code of a browser whose link was just lost."""


@asynccontextmanager
async def open_browser(settings: Settings) -> AsyncGenerator[BrowserLink]:
    """The browser that the settings ask for, as a `Launcher` gives it.

    Raises:
        BrowserUnavailable: there is none, or it does not start.
    """
    if settings.browser.cdp_endpoint:
        async with _connected(settings.browser.cdp_endpoint) as link:
            yield BrowserLink(link, ours=False, last_words=_cut_off)
        return
    async with _launched(settings) as chromium, _link(chromium) as link:

        async def last_words() -> str:
            with trio.move_on_after(EXIT_S):
                await chromium.wait_exit()
            return str(chromium.failure())

        yield BrowserLink(link, ours=True, last_words=last_words)


def chosen_browser(settings: BrowserSettings) -> Found:
    """The browser that would be started.

    Raises:
        BrowserUnavailable: there is none.
    """
    explicit = Path(settings.path).expanduser() if settings.path else None
    try:
        return find_browser(settings.order, explicit=explicit)
    except LaunchError as error:
        raise BrowserMissing(error.message, advice=error.advice) from error


@asynccontextmanager
async def _launched(settings: Settings) -> AsyncGenerator[Chromium]:
    started = False
    try:
        with trio.fail_after(settings.browser.start_timeout_s) as limit:
            async with launch(_plan(settings)) as chromium:
                started, limit.deadline = True, float("inf")
                yield chromium
    except (LaunchError, trio.TooSlowError) as error:
        if started:
            raise
        text = str(error) or "The browser did not open its port in time."
        retryable = not isinstance(error, LaunchError) or error.retryable
        raise BrowserUnavailable(text, retryable=retryable) from error


def _plan(settings: Settings) -> LaunchPlan:
    browser = settings.browser
    return LaunchPlan(
        path=chosen_browser(browser).path,
        profile=Path(browser.profile).expanduser() if browser.profile else None,
        headless=browser.headless,
        link=browser.link,
        language=settings.search.language,
        extra_args=browser.extra_args,
    )


@asynccontextmanager
async def _link(chromium: Chromium) -> AsyncGenerator[Link]:
    if chromium.pipe is None:
        async with open_websocket_link(chromium.endpoint or "") as socket:
            yield socket
        return
    pipe = PipeLink(*chromium.pipe.take())
    try:
        yield pipe
    finally:
        await pipe.aclose()


@asynccontextmanager
async def _connected(endpoint: str) -> AsyncGenerator[Link]:
    async with open_websocket_link(await _address(endpoint)) as link:
        yield link


async def _address(endpoint: str) -> str:
    try:
        return await websocket_url(endpoint)
    except EndpointUnreachable as error:
        raise BrowserUnavailable(
            str(error),
            advice="Start a browser with --remote-debugging-port, or leave out --cdp-endpoint.",
        ) from error


async def _cut_off() -> str:
    return "The browser that was connected to is gone."

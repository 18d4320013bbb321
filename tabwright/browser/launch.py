"""From settings to a browser on this machine: find and launch it."""

import logging
import os
import platform
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import TypeVar

import attrs
import trio
from platformdirs import user_data_path

from tabwright.browser.egress_proxy import Egress, EgressRules, open_egress
from tabwright.browser.identity import read_kept
from tabwright.browser.machine import display_problem
from tabwright.browser.running import EXIT_S, BrowserLink, Launcher, LaunchOptions, exit_reason
from tabwright.browser.watchdogs import OwnProcesses
from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.errors import LaunchError, ProfileLocked
from tabwright.cdp.chromium.finding import (
    PREFERENCE,
    SHELL,
    BrowserExecutable,
    BrowserName,
    find_browser,
    is_shell,
)
from tabwright.cdp.chromium.process import Chromium, launch
from tabwright.cdp.connection import Transport
from tabwright.cdp.domains import web_mcp
from tabwright.cdp.errors import LinkLost
from tabwright.cdp.pipe import PipeLink
from tabwright.concurrency.timers import lift
from tabwright.config.endpoints import header_items, host_of
from tabwright.config.loader import private_folder, resolve_path
from tabwright.config.settings import BrowserSettings, Settings
from tabwright.http.host_rules import SWITCH
from tabwright.http.net import NetworkBackend
from tabwright.http.proxy_discovery import ProxyFinder
from tabwright.protocol.browser_pool import CDP
from tabwright.protocol.errors import BrowserMissing, BrowserUnavailable, SettingsError
from tabwright.protocol.proxy import ProxyChoice, ProxyReport

_log = logging.getLogger("tabwright.actors")

OpenedT = TypeVar("OpenedT")

LAST_LINES_MAX = 5


@asynccontextmanager
async def open_browser(
    settings: Settings,
    proxies: ProxyFinder,
    net: NetworkBackend,
    worker: int,
    *,
    kept: bool = True,
) -> AsyncGenerator[BrowserLink]:
    """Open the browser that the settings select; see `Launcher`.

    If another browser uses the profile, a private one is used, and the link's notice says so.

    Args:
        settings: which browser, and its options.
        proxies: finds the proxy.
        net: the network, if no proxy is in between.
        worker: the number of the worker, from 0.
        kept: see `LaunchOptions`.

    Raises:
        BrowserUnavailable: there is no browser, it does not start, or its proxy cannot be used.
    """
    timeout_s = settings.browser.start_timeout_s
    try:
        proxy_choice = await proxies.choose()
    except SettingsError as error:
        raise BrowserUnavailable(error.chunks, advice=error.advice) from error
    async with (
        _judged(settings, proxy_choice, net) as egress,
        _started(_plan(settings, proxy_choice, egress, worker, kept=kept), timeout_s) as link,
    ):
        yield attrs.evolve(link, proxy=proxy_choice, egress=egress, lists=settings.listed_bounds)


def eligible_browsers(settings: BrowserSettings) -> tuple[BrowserName, ...]:
    """Return the browsers to look for, best first; none if the settings have a path.

    The headless shell is suitable only without window and profile, unless it is named.
    """
    if settings.path is None:
        return (SHELL, *PREFERENCE) if _is_bare(settings) else PREFERENCE
    return tuple(name for name in (SHELL, *PREFERENCE) if name == settings.path)


def chosen_browser(settings: BrowserSettings) -> BrowserExecutable:
    """Return the browser that would be launched.

    Raises:
        BrowserUnavailable: there is no browser.
    """
    eligible = eligible_browsers(settings)
    explicit = Path(settings.path).expanduser() if settings.path and not eligible else None
    is_headless_shell = is_shell(explicit) if explicit else eligible == (SHELL,)
    if is_headless_shell and not _is_bare(settings):
        raise BrowserMissing(
            f"{settings.path} is a headless shell, which supports neither profiles nor windows.",
            advice="Use another browser, or neither a profile nor a window.",
        )
    try:
        return find_browser(eligible, explicit=explicit)
    except LaunchError as error:
        raise BrowserMissing(error.message, advice=error.advice) from error


def _is_bare(settings: BrowserSettings) -> bool:
    """Return whether a browser that can have neither windows nor a kept profile is enough."""
    return settings.headless and settings.profile is None and settings.identity == "honest"


def kept_profile(settings: BrowserSettings, worker: int) -> Path | None:
    """Return the directory of a worker's profile, or None if each launch has a private one."""
    if settings.profile is None:
        return None
    automatic = user_data_path("tabwright", appauthor=False) / "profiles"
    return resolve_path(settings.profile, automatic) / f"tabwright-{worker:02d}"


@asynccontextmanager
async def _opened(
    opening: AbstractAsyncContextManager[OpenedT], timeout_s: float
) -> AsyncGenerator[OpenedT]:
    """Open within the time limit; translate failures to `BrowserUnavailable`."""
    opened = False
    try:
        with trio.fail_after(timeout_s) as limit:
            async with opening as thing:
                await lift(limit)
                opened = True
                yield thing
    except (LaunchError, LinkLost, trio.TooSlowError) as error:
        if opened:
            raise
        raise _unavailable(error, timeout_s) from error


def _unavailable(error: Exception, timeout_s: float) -> BrowserUnavailable:
    if isinstance(error, LaunchError):
        what = exit_reason(_shortened(f"{error.message}\n{error.stderr_tail}"))
        return BrowserUnavailable(what, advice=error.advice, retryable=error.retryable)
    return BrowserUnavailable(
        str(error) or f"The browser did not start within {timeout_s:g} s.",
        advice="Run `tabwright doctor`, or raise browser.start_timeout_s.",
        retryable=True,
    )


@asynccontextmanager
async def _started(plan: LaunchPlan, timeout_s: float) -> AsyncGenerator[BrowserLink]:
    async with (
        _opened(_launched(plan), timeout_s) as (chromium, notice),
        _opened(_link(chromium), timeout_s) as link,
    ):

        async def last_words() -> str:
            """Return how the browser ended; wait at most `EXIT_S` seconds for its end."""
            with trio.move_on_after(EXIT_S):
                await chromium.wait_exit()
            return _shortened(str(chromium.failure()))

        yield BrowserLink(
            link,
            ours=True,
            last_words=last_words,
            visible=not plan.headless,
            notice=notice,
            profile=None if notice else plan.profile,
            build=_build(plan),
            processes=OwnProcesses(),
            trouble=chromium.trouble,
        )


def _build(plan: LaunchPlan) -> str:
    """Return what the client hints of a browser depend on; see `BrowserLink`."""
    options = plan.path, plan.headless, plan.user_agent, plan.features, plan.extra_args
    system = platform.system(), platform.release(), platform.version(), platform.machine()
    return repr((options, system))


@asynccontextmanager
async def _judged(
    settings: Settings, proxy_choice: ProxyChoice, net: NetworkBackend
) -> AsyncGenerator[Egress | None]:
    """Run an egress proxy limited to the lists and to public addresses, or None if unrestricted.

    Addresses are not checked if a proxy or the user's own rules decide where a name leads.
    """
    network, bounds = settings.network, settings.network.bounds
    has_rules = any(one.startswith(SWITCH) for one in settings.browser.extra_args)
    led = proxy_choice.proxy is not None or has_rules
    by_system = proxy_choice.server is None and sys.platform in {"darwin", "win32"}
    free = network.allow_private or led
    if not network.guard or by_system or (free and not bounds.are_listed):
        yield None
        return
    rules = EgressRules(
        bounds=attrs.evolve(bounds, private=free),
        proxy_choice=proxy_choice,
    )
    async with open_egress(net, rules) as egress:
        yield egress


def _plan(
    settings: Settings, proxy_choice: ProxyChoice, egress: Egress | None, worker: int, *, kept: bool
) -> LaunchPlan:
    browser = settings.browser
    profile = kept_profile(browser, worker) if kept else None
    identity = None if browser.headless else read_kept(profile)
    port = worker if kept else worker + settings.pool.workers
    return LaunchPlan(
        path=chosen_browser(browser).path,
        profile=profile,
        headless=browser.headless,
        link="pipe" if browser.port_base is None else "websocket",
        port=browser.port_base + port if browser.port_base else 0,
        language=settings.language,
        user_agent=identity.user_agent if identity and browser.identity == "honest" else None,
        says_automated=browser.identity == "honest",
        proxy=str(egress.proxy) if egress else proxy_choice.server,
        proxy_bypass=() if egress else proxy_choice.bypass,
        proxy_only=egress is not None,
        features=() if settings.acting.page_tools == "off" else (web_mcp.FEATURE,),
        extra_args=tuple(
            one for one in browser.extra_args if egress is None or not one.startswith(SWITCH)
        ),
        stop_grace_s=EXIT_S,
    )


@asynccontextmanager
async def _launched(plan: LaunchPlan) -> AsyncGenerator[tuple[Chromium, str]]:
    """Return the browser, and a notice if it had to be launched with a private profile."""
    async with AsyncExitStack() as stack:
        if plan.profile is not None:
            with suppress(OSError):  # the launch reports what is wrong with it
                private_folder(plan.profile.parent)
        try:
            chromium, notice = await stack.enter_async_context(launch(plan)), ""
        except ProfileLocked as error:
            notice = f"{error.message} Cookies and log-ins are not kept this time."
            _log.warning("%s %s", notice, error.advice)
            private = attrs.evolve(plan, profile=None)
            chromium = await stack.enter_async_context(launch(private))
        yield chromium, notice


@asynccontextmanager
async def _link(chromium: Chromium) -> AsyncGenerator[Transport]:
    if chromium.pipe is None:
        from tabwright.cdp.websocket import open_websocket_link  # noqa: PLC0415  (not light)

        async with open_websocket_link(chromium.endpoint or "") as socket:
            yield socket
        return
    pipe = PipeLink(*chromium.pipe.take())
    try:
        yield pipe
    finally:
        await pipe.aclose()


def _shortened(text: str) -> str:
    """Return the first line, which says what happened, and the browser's last few lines."""
    what, *rest = text.splitlines()
    return "\n".join([what, *rest[-LAST_LINES_MAX:]])


# Launching the Chromium that the settings name, or one with a window.


@attrs.frozen
class ChromiumLauncher:
    """A launcher of Chromium by the settings; see `Launcher`.

    Attributes:
        settings: which browser, and its options.
        net: the network, unless a proxy is in between.
        environment: the environment variables that name the display and a proxy.
    """

    settings: Settings
    net: NetworkBackend
    environment: Mapping[str, str] = attrs.field(factory=lambda: os.environ)

    @property
    def proxies(self) -> ProxyFinder:
        """Return the finder of the proxy."""
        return ProxyFinder(self.settings.network.proxy, self.environment)

    def open(self, options: LaunchOptions, /) -> AbstractAsyncContextManager[BrowserLink]:
        settings = _with_window(self.settings) if options.visible else self.settings
        if not settings.browser.headless:
            self.require_screen()
        return open_browser(settings, self.proxies, self.net, options.worker, kept=options.kept)

    async def check_proxy(self, used: ProxyChoice) -> ProxyReport:
        try:
            return await self.proxies.check(used)
        except SettingsError as error:
            raise BrowserUnavailable(error.chunks, advice=error.advice) from error

    def require_screen(self) -> None:
        if problem := display_problem(self.environment):
            raise BrowserUnavailable(
                f"No browser window can open: {problem}.",
                advice="Start tabwright in a session with a display, or start Xvfb (a virtual "
                "display) and set DISPLAY.",
            )
        chosen_browser(_with_window(self.settings).browser)


def _with_window(settings: Settings) -> Settings:
    return attrs.evolve(settings, browser=attrs.evolve(settings.browser, headless=False))


def launcher_of_settings(
    settings: Settings, net: NetworkBackend, environment: Mapping[str, str] | None = None
) -> Launcher:
    """Return the launcher of this machine, or of the browser that the settings connect to.

    Args:
        settings: which browser, and its options.
        net: the network of local browsers, unless a proxy is in between.
        environment: see `ChromiumLauncher`; by default that of this process.
    """
    endpoint = settings.browser.cdp_endpoint
    if endpoint is None:
        return ChromiumLauncher(settings, net, os.environ if environment is None else environment)
    from tabwright.browser.endpoint import CDPEndpoint, EndpointLauncher  # noqa: PLC0415

    headers = header_items(settings.browser.cdp_headers)
    host = CDPEndpoint(f"{CDP} {host_of(endpoint)}", endpoint, headers)
    return EndpointLauncher(host, settings)

"""A running browser: its connection, its contexts and its end."""

from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from math import inf
from pathlib import Path
from typing import Protocol

import attrs
import trio

from tabwright.browser.egress_proxy import Egress
from tabwright.browser.identity import HEADLESS, Identity, identity_of, ordinary_identity
from tabwright.browser.partial_downloads import PartialDownloads
from tabwright.browser.popups import PopupTracker
from tabwright.browser.url_guard import URLGuard
from tabwright.browser.watchdogs import MemoryWatchdog, NetworkWatch, ProcessTable
from tabwright.cdp.connection import CDPConnection, Transport
from tabwright.cdp.domains import browser
from tabwright.cdp.errors import CDPError, CommandFailed, ConnectionLost
from tabwright.config.settings import BrowserSettings
from tabwright.http.signatures import RequestSigner
from tabwright.protocol.errors import BrowserDied, BrowserUnavailable
from tabwright.protocol.proxy import ProxyChoice, ProxyReport
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.urls import Bounds

EXIT_S = 0.5
"""Seconds for a browser to exit: on request, then once its pipe is closed; then it is killed. An
MCP client waits 2 s in total."""


@attrs.frozen
class BrowserLink:
    """A connection to a browser.

    Attributes:
        link: the address of its CDP link.
        ours: whether it was started for us alone, and so its pages end with it.
        visible: whether it has windows; None if only its name shows it.
        last_words: returns why it does not respond, in a sentence, for an error.
        proxy: its proxy, as far as we set it.
        notice: what it lacks, for example its profile; usually empty.
        profile: the directory of its cookies; None if they are removed together with it.
        build: its program, options and system, as far as its client hints depend on them; empty
            if unknown.
        egress: the proxy that checks all its connections; None if they are not checked.
        lists: the bounds of its pages; None if there are no lists.
        processes: the processes of its machine; None if that is not this machine.
        trouble: returns what is wrong on its machine, for example a full disk; empty for nothing.
        is_asked_to_close: whether it is asked to close at the end; otherwise the end of the
            launcher's context ends it, or leaves it open.
    """

    link: Transport
    ours: bool
    last_words: Callable[[], Awaitable[str]]
    visible: bool | None = None
    proxy: ProxyChoice = attrs.field(factory=ProxyChoice)
    notice: str = ""
    profile: Path | None = None
    build: str = ""
    egress: Egress | None = None
    lists: Bounds | None = None
    processes: ProcessTable | None = None
    trouble: Callable[[], str] = str
    is_asked_to_close: bool = True


@attrs.frozen(kw_only=True)
class LaunchOptions:
    """The browser that a worker needs.

    Attributes:
        visible: whether it must have a window; otherwise the settings decide.
        worker: the number of the worker, from 0; each has its own profile and port.
        kept: whether it uses the profile of the settings; otherwise a temporary profile.
    """

    visible: bool
    worker: int
    kept: bool = True


class Launcher(Protocol):
    """A source of browsers."""

    def open(self, options: LaunchOptions, /) -> AbstractAsyncContextManager[BrowserLink]:
        """Start or find a browser; leaving the context leaves nothing of it behind.

        Raises:
            BrowserUnavailable: no browser is available.
        """
        ...

    async def check_proxy(self, used: ProxyChoice) -> ProxyReport:
        """Check whether a new browser would still use the same proxy as this browser.

        Raises:
            BrowserUnavailable: the configured proxy cannot be used.
        """
        ...

    def require_screen(self) -> None:
        """Check whether a browser with a window can be opened.

        Raises:
            BrowserUnavailable: it cannot, with the reason.
        """
        ...


@attrs.define(eq=False)
class BrowserContexts:
    """The named browser contexts: each has its own cookies and storage.

    Attributes:
        ids: their browser context ids, by name.
        uses: the number of pages in each.
        opening: locked while a context is opened, so that each name has one.
        front: the page in front in each context, as far as known.
        pages: the pages that leases have.
    """

    ids: dict[str, str] = attrs.field(factory=dict[str, str])
    uses: Counter[str] = attrs.field(factory=Counter[str])
    opening: trio.Lock = attrs.field(factory=trio.Lock)
    front: dict[str | None, str] = attrs.field(factory=dict[str | None, str])
    pages: set[str] = attrs.field(factory=set[str])


@attrs.frozen
class RunningBrowser:
    """A browser that responds.

    Attributes:
        product: its name and version, for example ``Chrome/156.0.8078.79``.
        identity: its identity towards sites.
        visible: whether it has windows.
        ours: whether it was started for us alone, and so its pages end with it.
        proxy: its proxy.
        notice: what it lacks, for example its profile; usually empty.
        contexts: the browser contexts of open pages.
        pop_ups: the pages that pages have opened.
        egress: the proxy that checks all its connections; None if they are not checked.
        guard: blocks or signs the requests of its pages; None if it has nothing to do.
        memory: the watchdog of its memory.
        partial_downloads: the folders of unfinished downloads.
        network: the watchdog of its network service while pages load.
    """

    connection: CDPConnection
    product: str
    identity: Identity
    memory: MemoryWatchdog
    visible: bool = False
    ours: bool = True
    proxy: ProxyChoice = attrs.field(factory=ProxyChoice)
    notice: str = ""
    contexts: BrowserContexts = attrs.field(factory=BrowserContexts)
    pop_ups: PopupTracker = attrs.field(factory=PopupTracker)
    egress: Egress | None = None
    guard: URLGuard | None = None
    partial_downloads: PartialDownloads = attrs.field(factory=PartialDownloads)
    network: NetworkWatch = attrs.field(factory=NetworkWatch)


class BrowserRole(Protocol):
    """One running browser."""

    async def running(self) -> RunningBrowser:
        """Return the browser once it runs; a request waits for a restart to finish."""
        ...


async def greet_browser(
    connection: CDPConnection,
    opened: BrowserLink,
    settings: BrowserSettings,
    signer: RequestSigner | None,
) -> RunningBrowser:
    """Read the version of a browser, and return it as a running browser.

    Args:
        connection: the connection to the browser.
        opened: its link.
        settings: its time limit for responses, and its memory limit.
        signer: signs the requests of its pages; None to leave them unsigned.

    Raises:
        BrowserUnavailable: it did not respond in time, or not as a browser does.
    """
    try:
        with trio.fail_after(settings.start_timeout_s):
            version = await connection.root.execute(browser.get_version())
            if opened.ours:
                await connection.root.execute(browser.deny_downloads())
    except (CDPError, trio.TooSlowError) as error:
        if not opened.ours:
            raise _no_browser(error, connection) from error
        raise BrowserUnavailable(
            exit_reason(await opened.last_words()),
            advice="Run `tabwright doctor`, or raise browser.start_timeout_s.",
            retryable=True,
        ) from error
    # The name of a browser that we did not start shows whether it has windows.
    visible = "Headless" not in version.user_agent if opened.visible is None else opened.visible
    contexts = BrowserContexts()
    build = opened.build and f"{opened.build} {version.product} {version.user_agent}"
    return RunningBrowser(
        connection,
        product=version.product,
        identity=ordinary_identity(version.user_agent, build)
        if settings.identity == "ordinary"
        else identity_of(
            opened.profile,
            version.user_agent,
            visible=visible,
            # The product of the headless shell has the brand, and so have its hints.
            agrees=not opened.ours
            or HEADLESS not in version.user_agent
            or version.product.startswith(HEADLESS),
            build=build,
        ),
        memory=MemoryWatchdog(settings.memory_bytes_max or inf),
        visible=visible,
        ours=opened.ours,
        proxy=opened.proxy,
        notice=opened.notice,
        contexts=contexts,
        egress=opened.egress,
        guard=_url_guard(opened, signer, contexts),
    )


def exit_reason(text: str) -> tuple[str | Quoted, ...]:
    """Return the reason why a browser ended, followed by the last lines that it printed."""
    what, _, printed = text.partition("\n")
    return (what, "\n", Quoted(printed)) if printed else (what,)


def _no_browser(
    error: CDPError | trio.TooSlowError, connection: CDPConnection
) -> BrowserUnavailable:
    """Return the error for a running browser that does not respond as a browser does."""
    check = "Check its address: no browser listens there."
    match error:
        case ConnectionLost():
            return BrowserUnavailable(
                "The browser closed the connection at once.",
                advice="Check whether it is still running.",
                retryable=True,
            )
        case CommandFailed():
            return BrowserUnavailable(
                ("The browser rejected the connection: ", Quoted(error.text), "."), advice=check
            )
        case CDPError():
            return BrowserUnavailable("The endpoint responds, but is not a browser.", advice=check)
        case _ if connection.frames_received:
            return BrowserUnavailable(
                "The endpoint sends messages that a browser would not send.", advice=check
            )
        case _:
            return BrowserUnavailable(
                "The browser does not respond.",
                advice="Check whether it hangs, or raise browser.start_timeout_s.",
                retryable=True,
            )


def _url_guard(
    opened: BrowserLink, signer: RequestSigner | None, contexts: BrowserContexts
) -> URLGuard | None:
    """If every connection is checked, only rules on paths require all requests to be paused."""
    bounds = opened.lists
    if bounds is None and signer is None:
        return None
    has_paths = bounds is not None and (opened.egress is None or bounds.have_paths)
    return URLGuard(bounds, signer, signer is not None or has_paths, opened.ours, contexts.ids)


async def crash_when_lost(connection: CDPConnection, opened: BrowserLink) -> None:
    """Wait until the connection is lost, then raise `BrowserDied` with the browser's last words."""
    await connection.lost.wait()
    what, *_rest = (await opened.last_words()).splitlines()
    raise BrowserDied(what)


async def close_gracefully(running: RunningBrowser) -> None:
    """Ask a browser to close, and wait briefly until it has closed.

    Requests that its pages sent at their end are answered before.
    """
    connection = running.connection
    if running.guard is not None:
        with trio.move_on_after(EXIT_S), suppress(CDPError):
            await running.guard.settled()
    with trio.move_on_after(EXIT_S), suppress(CDPError):
        await connection.root.execute(browser.close())
        await connection.lost.wait()

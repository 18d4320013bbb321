"""..."""

from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import Protocol

import attrs
import trio

from tabwright.browser.egress_proxy import Egress
from tabwright.browser.identity import Identity, identity_of
from tabwright.browser.partial_downloads import PartialDownloads
from tabwright.browser.popups import PopupTracker
from tabwright.browser.url_guard import URLGuard
from tabwright.browser.watchdogs import MemoryWatchdog, NetworkWatch, ProcessTable
from tabwright.cdp.connection import CDPConnection, Transport
from tabwright.cdp.domains import browser
from tabwright.cdp.errors import CDPError, CommandFailed, ConnectionLost
from tabwright.config.settings import BrowserSettings
from tabwright.protocol.errors import BrowserDied, BrowserUnavailable
from tabwright.protocol.proxy import ProxyChoice, ProxyReport
from tabwright.protocol.urls import Bounds

HEARTBEAT_INTERVAL_S = 2.0
"""Between two looks whether the browser still answers."""

MISSES_MAX = 2
"""In a row, without a word in between, before a browser is given up."""

ANSWER_S = 5.0
"""For a running browser to say its version: a millisecond, or seconds where the machine is full."""

GOODBYE_S = 0.5
"""For a browser to end when it is asked to; then its pipe is closed, then it is killed."""


@attrs.frozen
class BrowserLink:
    """A link to a browser that is there.

    Attributes:
        link: where it can be talked to.
        ours: whether we started it, and so may end it.
        visible: whether it has windows; None where only its name could tell.
        last_words: why it does not answer, in a sentence, for an error.
        proxy: how it gets out, as far as we say so.
        notice: what it had to do without, as its profile; empty as a rule.
        profile: the directory that keeps its cookies; None where they go with it.
        egress: where all of its connections are judged; None where they are not.
        lists: the bounds that its pages are kept in; None where there are no lists.
        processes: those of the machine that it runs on; None where that is not this one.
        trouble: what is wrong by now where it runs, as a disk that is full; empty for nothing.
    """

    link: Transport
    ours: bool
    last_words: Callable[[], Awaitable[str]]
    visible: bool | None = None
    proxy: ProxyChoice = attrs.field(factory=ProxyChoice)
    notice: str = ""
    profile: Path | None = None
    egress: Egress | None = None
    lists: Bounds | None = None
    processes: ProcessTable | None = None
    trouble: Callable[[], str] = str


class Launcher(Protocol):
    """Where browsers come from."""

    def open(self, *, visible: bool, worker: int) -> AbstractAsyncContextManager[BrowserLink]:
        """Starts or finds a browser; leaving the context leaves nothing of it behind.

        Args:
            visible: whether it must have a window; otherwise as the settings say.
            worker: for which worker, counted from 0; each has its own profile and port.

        Raises:
            BrowserUnavailable: there is none to be had.
        """
        ...

    async def look_at_proxy(self, used: ProxyChoice) -> ProxyReport:
        """Looks whether a browser would still get out as this one was told to.

        Raises:
            BrowserUnavailable: what is set cannot be used.
        """
        ...

    def require_screen(self) -> None:
        """Asks whether a browser with a window could be had.

        Raises:
            BrowserUnavailable: it could not, and why.
        """
        ...


@attrs.define(eq=False)
class BrowserContexts:
    """The named browser contexts: each has cookies and storage of its own.

    Attributes:
        ids: what the browser calls them.
        uses: how many pages are in each.
        opening: held while one is opened, so that there is one of each name.
        front: which page is before the others of its context, as far as we know.
    """

    ids: dict[str, str] = attrs.field(factory=dict[str, str])
    uses: Counter[str] = attrs.field(factory=Counter[str])
    opening: trio.Lock = attrs.field(factory=trio.Lock)
    front: dict[str | None, str] = attrs.field(factory=dict[str | None, str])


@attrs.frozen
class RunningBrowser:
    """A browser that answers.

    Attributes:
        product: its name and version, as ``Chrome/156.0.8078.79``.
        identity: what it says of itself to sites.
        visible: whether it has windows.
        proxy: how it gets out.
        notice: what it had to do without, as its profile; empty as a rule.
        contexts: those that pages are open in.
        pop_ups: pages that pages have opened.
        egress: where all of its connections are judged; None where they are not.
        lists: keeps its pages within lists; None where there are none.
        memory: how much of it it takes.
        partial_downloads: where files lie that pages download, while they come.
        network: looks after its network service while pages load.
    """

    connection: CDPConnection
    product: str
    identity: Identity
    memory: MemoryWatchdog
    visible: bool = False
    proxy: ProxyChoice = attrs.field(factory=ProxyChoice)
    notice: str = ""
    contexts: BrowserContexts = attrs.field(factory=BrowserContexts)
    pop_ups: PopupTracker = attrs.field(factory=PopupTracker)
    egress: Egress | None = None
    lists: URLGuard | None = None
    partial_downloads: PartialDownloads = attrs.field(factory=PartialDownloads)
    network: NetworkWatch = attrs.field(factory=NetworkWatch)


class BrowserRole(Protocol):
    """One running browser."""

    async def running(self) -> RunningBrowser:
        """The browser, once it runs: a request that comes during a restart waits for its end."""
        ...


async def greet_browser(
    connection: CDPConnection, opened: BrowserLink, settings: BrowserSettings
) -> RunningBrowser:
    """Ask a browser what it is, and return it as one that answers.

    Raises:
        BrowserUnavailable: it did not answer in time, or not as browsers do.
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
            await opened.last_words(),
            advice="Run `tabwright doctor`, or raise browser.start_timeout_s.",
            retryable=True,
        ) from error
    visible = _has_windows(opened, version.user_agent)
    contexts = BrowserContexts()
    return RunningBrowser(
        connection,
        product=version.product,
        identity=identity_of(opened.profile, version.user_agent, visible=visible),
        memory=MemoryWatchdog(settings.memory_bytes_max, settings.page_memory_bytes_max),
        visible=visible,
        proxy=opened.proxy,
        notice=opened.notice,
        contexts=contexts,
        egress=opened.egress,
        lists=_url_guard(opened, contexts),
    )


def _no_browser(
    error: CDPError | trio.TooSlowError, connection: CDPConnection
) -> BrowserUnavailable:
    """What is said of a running browser that does not greet us as browsers do."""
    check = "Check browser.cdp_endpoint: no browser listens there."
    match error:
        case ConnectionLost():
            return BrowserUnavailable(
                "The browser closed the connection at once.",
                advice="Check whether it is still running.",
                retryable=True,
            )
        case CommandFailed():
            return BrowserUnavailable(
                f"The browser rejected the connection: {error.text}.", advice=check
            )
        case CDPError():
            return BrowserUnavailable("The endpoint responds, but is not a browser.", advice=check)
        case _ if connection.heard:
            return BrowserUnavailable(
                "The endpoint sends messages that a browser would not send.", advice=check
            )
        case _:
            return BrowserUnavailable(
                "The browser does not respond.",
                advice="Check whether it hangs, or raise browser.start_timeout_s.",
                retryable=True,
            )


def _url_guard(opened: BrowserLink, contexts: BrowserContexts) -> URLGuard | None:
    """Where every connection is judged, only paths need all requests to be held."""
    bounds = opened.lists
    if bounds is None:
        return None
    holds_all = opened.egress is None or bounds.have_paths
    return URLGuard(bounds, holds_all, opened.ours, contexts.ids)


def _has_windows(opened: BrowserLink, user_agent: str) -> bool:
    """A browser of somebody else's that has none says so in its name."""
    return "Headless" not in user_agent if opened.visible is None else opened.visible


async def crash_when_lost(connection: CDPConnection, opened: BrowserLink) -> None:
    """Wait until the connection is lost, then raise `BrowserDied` with the browser's last words."""
    await connection.lost.wait()
    what, *_said = (await opened.last_words()).splitlines()
    raise BrowserDied(what)


async def heartbeat(connection: CDPConnection) -> None:
    """Gives up a browser that is stopped, or hangs: its link alone would tell nobody.

    One that a page keeps busy says other things meanwhile, and is not given up.
    """
    misses = 0
    while misses < MISSES_MAX:
        await trio.sleep(HEARTBEAT_INTERVAL_S)
        heard = connection.heard
        with trio.move_on_after(ANSWER_S), suppress(CDPError):  # any answer is one
            await connection.root.execute(browser.get_version())
        misses = misses + 1 if connection.heard == heard else 0
    connection.give_up("it does not respond")


async def close_gracefully(connection: CDPConnection) -> None:
    """Ask a browser to close, and wait a moment until it has."""
    with trio.move_on_after(GOODBYE_S), suppress(CDPError):
        await connection.root.execute(browser.close())
        await connection.lost.wait()

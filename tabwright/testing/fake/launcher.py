"""Launching fake browsers, and fetching from their web."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from random import Random

import attrs
import trio

from tabwright.browser.running import BrowserLink
from tabwright.protocol.errors import BrowserUnavailable, ErrorCode, NavigationFailed
from tabwright.protocol.fetch import Cookie, Fetch, Fetched, GetCookies, SetCookies
from tabwright.protocol.proxy import ProxyAnswer, ProxyChoice, ProxyReport
from tabwright.protocol.snapshot import LoadedPage
from tabwright.testing.fake.browser import FakeBrowser
from tabwright.testing.fake.link import Fault, Faults
from tabwright.testing.fake.site import FakeSite


@attrs.frozen
class FakeLauncher:
    """A `Launcher` for `Environment`: each start gives a new fake browser on the same site.

    Attributes:
        site: what there is to be found.
        random: draws the latencies; give it the seed of the run.
        faults: what goes wrong, counted over all starts.
        on_start: is shown each browser as it starts.
        has_screen: whether a browser could have a window.
        headed: whether every browser has one.
        proxy: how a browser gets out that is started now.
    """

    site: FakeSite
    random: Random
    faults: Faults
    on_start: Callable[[FakeBrowser], None]
    has_screen: bool
    headed: bool
    proxy: Callable[[], ProxyChoice]

    @asynccontextmanager
    async def open(self, *, visible: bool, worker: int) -> AsyncGenerator[BrowserLink]:
        """See `Launcher.open`."""
        visible = visible or self.headed
        async with trio.open_nursery() as nursery:
            browser = FakeBrowser(
                nursery, self.site, self.random, self.faults, visible=visible, worker=worker
            )
            self.on_start(browser)
            nursery.start_soon(browser.run)
            try:
                yield BrowserLink(
                    browser.link,
                    ours=True,
                    last_words=_last_words,
                    visible=visible,
                    proxy=self.proxy(),
                )
            finally:
                browser.die()
                nursery.cancel_scope.cancel()

    async def look_at_proxy(self, used: ProxyChoice) -> ProxyReport:
        """See `Launcher.look_at_proxy`."""
        await trio.lowlevel.checkpoint()
        now = self.proxy()
        answer = ProxyAnswer.SERVES if now == used else ProxyAnswer.ABSENT
        return ProxyReport(used, answer, now)

    def require_screen(self) -> None:
        """See `Launcher.require_screen`."""
        if not self.has_screen:
            raise BrowserUnavailable("There is no screen in this simulation.")


def fake_launcher(  # noqa: PLR0913  (the attributes)
    site: FakeSite,
    random: Random,
    *faults: Fault,
    on_start: Callable[[FakeBrowser], None] = lambda _browser: None,
    has_screen: bool = True,
    headed: bool = False,
    proxy: Callable[[], ProxyChoice] = ProxyChoice,
) -> FakeLauncher:
    """A launcher of fake browsers; the arguments are the attributes of `FakeLauncher`."""
    return FakeLauncher(site, random, Faults(faults), on_start, has_screen, headed, proxy)


async def _last_words() -> str:
    await trio.lowlevel.checkpoint()
    return "The fake browser has ended."


# HTTP on the web of a fake browser.


@attrs.define(eq=False)
class FakeFetcher:
    """Answers what `tabwright.protocol.fetch.Fetcher` asks.

    Attributes:
        asked: every fetch, in order.
    """

    site: FakeSite
    asked: list[Fetch] = attrs.field(factory=list[Fetch])
    _jars: dict[str, tuple[Cookie, ...]] = attrs.field(factory=dict[str, tuple[Cookie, ...]])

    async def fetch(self, request: Fetch, /) -> Fetched:
        """See `Fetch`."""
        self.asked.append(request)
        self.site.visits.append((trio.current_time(), request.url))
        page = self.site.page(request.url)
        await trio.sleep(page.load_s)
        if page.error:
            raise NavigationFailed(
                f"{request.url} did not answer ({page.error}).", code=ErrorCode.NETWORK
            )
        retry_after = page.headers.get("Retry-After", "")
        seconds = float(retry_after) if retry_after.isdecimal() else None
        loaded = LoadedPage(request.url, page.status, page.mime_type, seconds)
        html = page.static_html if page.static_html is not None else page.html
        return Fetched(loaded, html.encode(), charset="utf-8")

    async def cookies(self, request: GetCookies, /) -> tuple[Cookie, ...]:
        """See `GetCookies`."""
        await trio.lowlevel.checkpoint()
        return self._jars.get(request.session, ())

    async def set_cookies(self, request: SetCookies, /) -> None:
        """See `SetCookies`."""
        await trio.lowlevel.checkpoint()
        self._jars[request.session] = request.cookies


def fake_fetching(site: FakeSite) -> Callable[[], AbstractAsyncContextManager[FakeFetcher]]:
    """The life of a fetcher on a site."""

    @asynccontextmanager
    async def life() -> AsyncGenerator[FakeFetcher]:
        """Nothing to start, and nothing to stop."""
        yield FakeFetcher(site)

    return life

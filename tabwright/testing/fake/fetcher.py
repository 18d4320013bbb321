"""HTTP on the web of a fake browser: the pages of a site as a server would send them."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import attrs
import trio

from tabwright.protocol.errors import ErrorCode, NavigationFailed
from tabwright.protocol.fetch import Cookie, Fetch, Fetched, GetCookies, SetCookies
from tabwright.protocol.snapshot import LoadedPage
from tabwright.testing.fake.site import FakeSite


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

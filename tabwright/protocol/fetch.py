"""Fetching by HTTP, without a browser."""

from typing import Literal, Protocol, TypeAlias

import attrs

from tabwright.protocol.page_text import CutReason
from tabwright.protocol.snapshot import LoadedPage

Method: TypeAlias = Literal["GET", "POST"]
CookieMode: TypeAlias = Literal["all", "session", "none"]
"""Which cookies are kept: all, those without an expiry of their own, none."""


class Fetcher(Protocol):
    """Fetches by HTTP, and keeps the cookies of each session."""

    async def fetch(self, request: "Fetch", /) -> "Fetched":
        """See `Fetch`."""
        ...

    async def cookies(self, request: "GetCookies", /) -> tuple["Cookie", ...]:
        """See `GetCookies`."""
        ...

    async def set_cookies(self, request: "SetCookies", /) -> None:
        """See `SetCookies`."""
        ...


@attrs.frozen
class Payload:
    """What a POST carries.

    Attributes:
        body: the encoded fields.
        media_type: as ``application/x-www-form-urlencoded``.
    """

    body: bytes
    media_type: str


@attrs.frozen
class Fetched:
    """What a server answered.

    Attributes:
        page: its URL after all redirects, its status and media type.
        body: decompressed; at most ``network.page_bytes_max`` of it.
        charset: as the header names it; empty where it does not.
        chain: the URLs that led there, the first one first, the page's own not among them.
        cut: why the body is not all that there was; None where it is.
        file_name: as ``Content-Disposition`` names it; empty where it does not.
        from_cache: whether the body is one that was kept.
    """

    page: LoadedPage
    body: bytes
    charset: str = ""
    chain: tuple[str, ...] = ()
    cut: CutReason | None = None
    file_name: str = ""
    from_cache: bool = False


@attrs.frozen
class Fetch:
    """Fetch a URL, through up to ``network.redirects_max`` redirects.

    An answer is an answer, whatever its status. Cancellation closes the connection. Refused with
    `BadInput` where the URL, or one that it redirects to, is none that we follow, or resolves to a
    private address; with `RobotsRefused` where the site's robots.txt says no; with
    `NavigationFailed` where nothing comes: its `code` says why.

    Attributes:
        session: whose cookies go along and are kept; empty for nobody's.
        headers: further ones, which go before our own.
        payload: makes it a POST.
        user_agent: empty for the honest one of the settings.
        timeout_s: for all of it; None for ``network.page_timeout_s`` of the user.
    """

    url: str
    session: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    payload: Payload | None = None
    user_agent: str = ""
    timeout_s: float | None = None

    async def visit(self, fetcher: Fetcher, /) -> Fetched:
        """Has `fetcher` answer."""
        return await fetcher.fetch(self)


@attrs.frozen
class Cookie:
    """A cookie as it is kept (RFC 6265, section 5.3).

    Attributes:
        domain: without a dot before it.
        host_only: whether it is for that host alone.
        expires_s: in seconds since 1970 UTC; None for the end of the session.
        same_site: as the server wrote it; empty where it did not.
    """

    name: str
    value: str
    domain: str
    path: str = "/"
    host_only: bool = True
    secure: bool = False
    http_only: bool = False
    expires_s: float | None = None
    same_site: str = ""


@attrs.frozen
class GetCookies:
    """The cookies of a session."""

    session: str

    async def visit(self, fetcher: Fetcher, /) -> tuple[Cookie, ...]:
        """Has `fetcher` answer."""
        return await fetcher.cookies(self)


@attrs.frozen
class SetCookies:
    """A session's cookies from now on; without any, the session is forgotten."""

    session: str
    cookies: tuple[Cookie, ...] = ()

    async def visit(self, fetcher: Fetcher, /) -> None:
        """Has `fetcher` answer."""
        await fetcher.set_cookies(self)

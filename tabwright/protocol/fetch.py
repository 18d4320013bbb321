"""Fetching by HTTP without a browser."""

from typing import Literal, Protocol, TypeAlias

import attrs

from tabwright.protocol.snapshot import CutReason, LoadedPage

Method: TypeAlias = Literal["GET", "POST"]
CookieMode: TypeAlias = Literal["all", "session", "none"]
"""Which cookies are kept: all, only session cookies (without an expiry), or none."""


class Fetcher(Protocol):
    """Fetches by HTTP, and keeps the cookies of each session."""

    async def fetch(self, request: "Fetch", /) -> "Fetched":
        """Fetch a URL, following up to ``network.redirects_max`` redirects.

        A response of any status is returned. Cancellation closes the connection. Refused with
        `BadInput` if the URL or a redirect target is outside the allowed URLs or resolves to a
        private address; with `RobotsRefused` if the site's robots.txt disallows it; with
        `NavigationFailed` if there is no response: its `code` says why.
        """
        ...

    async def cookies(self, session: str) -> tuple["Cookie", ...]:
        """Return the cookies of a session."""
        ...

    async def set_cookies(self, session: str, cookies: tuple["Cookie", ...] = ()) -> None:
        """Replace the cookies of a session; without cookies, the session is forgotten."""
        ...


@attrs.frozen
class Payload:
    """The payload of a POST.

    Attributes:
        body: the encoded fields.
        media_type: for example ``application/x-www-form-urlencoded``.
    """

    body: bytes
    media_type: str


@attrs.frozen
class Fetched:
    """A response.

    Attributes:
        page: its URL after all redirects, its status and media type.
        body: decompressed; at most ``network.page_bytes_max`` of it.
        charset: from the header; empty if the header does not name it.
        chain: the URLs that redirected to the page, in order, without the page's own.
        cut: why the body is incomplete; None if it is complete.
        file_name: from ``Content-Disposition``; empty if not given.
        from_cache: whether the body came from the cache.
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
    """A request to fetch a URL.

    Attributes:
        session: the session whose cookies are sent and updated; empty for none but those that a
            redirect of this fetch sets.
        headers: additional headers, which override the defaults.
        payload: makes it a POST.
        user_agent: empty for the honest default of the settings.
        timeout_s: for the whole fetch; None for ``network.page_timeout_s`` of the user.
        max_age_s: maximum age of a cached response; None for as long as its site says.
        is_api: whether it is a request to a public API, to which robots.txt does not apply.
    """

    url: str
    session: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    payload: Payload | None = None
    user_agent: str = ""
    timeout_s: float | None = None
    max_age_s: float | None = None
    is_api: bool = False


@attrs.frozen
class Cookie:
    """A stored cookie (RFC 6265, section 5.3).

    Attributes:
        domain: without a leading dot.
        host_only: whether it is sent only to that host.
        expires_s: in seconds since 1970 UTC; None for the end of the session.
        same_site: as the server wrote it; empty if not given.
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

    @property
    def shown_domain(self) -> str:
        """The domain as browsers show it: with a leading dot if subdomains get the cookie, too."""
        return self.domain if self.host_only else f".{self.domain}"

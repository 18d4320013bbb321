"""Cookies as they are kept, and as the browser writes them."""

from tabwright.cdp.domains.network import StoredCookie
from tabwright.protocol.fetch import Cookie

SAME_SITE = frozenset({"Strict", "Lax", "None"})
"""What the browser takes (``Network.CookieSameSite``)."""


def cookie_of(stored: StoredCookie) -> Cookie:
    """A cookie of the browser's."""
    return Cookie(
        name=stored.name,
        value=stored.value,
        domain=stored.domain.removeprefix("."),
        path=stored.path,
        host_only=not stored.domain.startswith("."),
        secure=stored.secure,
        http_only=stored.http_only,
        expires_s=stored.expires if stored.expires >= 0 else None,
        same_site=stored.same_site,
    )


def cookie_shape(cookie: Cookie) -> StoredCookie:
    """The cookie for the browser."""
    same_site = cookie.same_site.capitalize()
    return StoredCookie(
        name=cookie.name,
        value=cookie.value,
        domain=cookie.domain if cookie.host_only else f".{cookie.domain}",
        path=cookie.path,
        expires=-1 if cookie.expires_s is None else cookie.expires_s,
        http_only=cookie.http_only,
        secure=cookie.secure,
        same_site=same_site if same_site in SAME_SITE else "",
    )

"""Cookies: the part of the Network domain that keeps to the context of the page that is asked.

The Storage domain, asked on a page, would act on the browser's own context.
"""

from collections.abc import Iterable

from tabwright.cdp.command import Command, present
from tabwright.cdp.wire import JSON, Nothing, Shape


class StoredCookie(Shape, frozen=True):
    """A cookie; `expires` is in seconds since 1970, -1 for the end of the session.

    A `domain` with a dot before it means the hosts below it too.
    """

    name: str
    value: str
    domain: str
    path: str
    expires: float = -1
    http_only: bool = False
    secure: bool = False
    same_site: str = ""


class StoredCookies(Shape, frozen=True):
    """What ``Network.getAllCookies`` answers."""

    cookies: tuple[StoredCookie, ...]


def get_cookies() -> Command[StoredCookies]:
    """Network.getAllCookies: all cookies of the context of the page that is asked."""
    return Command("Network.getAllCookies", {}, StoredCookies)


def set_cookies(cookies: Iterable[StoredCookie]) -> Command[Nothing]:
    """Network.setCookies, into the context of the page that is asked."""
    return Command("Network.setCookies", {"cookies": [_params(one) for one in cookies]}, Nothing)


def _params(cookie: StoredCookie) -> JSON:
    return present(
        name=cookie.name,
        value=cookie.value,
        domain=cookie.domain,
        path=cookie.path,
        expires=cookie.expires if cookie.expires >= 0 else None,
        httpOnly=cookie.http_only,
        secure=cookie.secure,
        sameSite=cookie.same_site or None,
    )

"""Cookie jars: which cookies a site can set and receive (RFC 6265 and 6265bis).

A server sets cookies for itself and for its parent domains, but not for a public suffix such as
``co.uk`` or ``github.io``, whose sites would read them. The page that links or embeds is unknown,
so ``SameSite`` is stored but not enforced: each fetch counts as typed by the user.
"""

import ipaddress
import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime

import attrs

from tabwright.http.request import Target
from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Cookie, CookieMode
from tabwright.protocol.untrusted_text import Quoted
from tabwright.text.public_suffixes import is_public_suffix

# Expiry dates of cookies (RFC 6265, section 5.1.1).

_DELIMITERS = re.compile(r"[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
_TIME = re.compile(r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D.*)?", re.ASCII)
_DAY = re.compile(r"(\d{1,2})(?:\D.*)?", re.ASCII)
_YEAR = re.compile(r"(\d{2,4})(?:\D.*)?", re.ASCII)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_CENTURY_TURN = 70
_YEAR_MIN = 1601


def cookie_date(text: str) -> float | None:
    """Parse a date into seconds since 1970 UTC; None if it is not valid."""
    tokens = _DELIMITERS.split(text)
    clock = day = month = year = None
    for token in tokens:
        if clock is None and (found := _TIME.fullmatch(token)):
            clock = (int(found[1]), int(found[2]), int(found[3]))
        elif day is None and (found := _DAY.fullmatch(token)):
            day = int(found[1])
        elif month is None and token[:3].lower() in _MONTHS:
            month = _MONTHS.index(token[:3].lower()) + 1
        elif year is None and (found := _YEAR.fullmatch(token)):
            year = int(found[1])
            if year < 100:  # noqa: PLR2004 - two digits: from 1970 to 2069
                year += 1900 if year >= _CENTURY_TURN else 2000
    if clock is None or day is None or month is None or year is None or year < _YEAR_MIN:
        return None
    try:
        return datetime(year, month, day, *clock, tzinfo=UTC).timestamp()
    except ValueError:
        return None


COOKIE_CHARACTERS_MAX = 4096
"""Maximum length of name and value together; each attribute can have 1024."""

ATTRIBUTE_CHARACTERS_MAX = 1024

LIFE_MAX_S = 400 * 86400.0
"""Maximum lifetime, whatever the server requests."""

PER_DOMAIN_MAX = 50
IN_ALL_MAX = 1000

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)


def set_cookie(text: str, target: Target, now_s: float) -> Cookie | None:
    """Parse a ``Set-Cookie`` header from `target`; None if it is refused or empty.

    An expired cookie removes the cookie that it would replace.
    """
    pair, *rest = text.split(";")
    name, equals, value = (part.strip(" \t") for part in pair.partition("="))
    too_long = len(name) + len(value) > COOKIE_CHARACTERS_MAX
    if not equals or not name or too_long or _CONTROL.search(text):
        return None
    given: dict[str, str] = {}  # by name; the last of duplicates wins
    for part in rest:
        attribute, _, text_of_it = part.partition("=")
        if len(text_of_it) <= ATTRIBUTE_CHARACTERS_MAX:
            given[attribute.strip(" \t").lower()] = text_of_it.strip(" \t")
    domain = _domain(given.get("domain", ""), target.host)
    if domain is None:
        return None
    path = given.get("path", "")
    if not path.startswith("/"):  # the folder of the request URL (section 5.1.4)
        path = target.path.partition("?")[0].rpartition("/")[0] or "/"
    cookie = Cookie(
        name,
        value,
        domain=domain or target.host,
        path=path,
        host_only=not domain,
        secure="secure" in given,
        http_only="httponly" in given,
        expires_s=_expiry(given, now_s),
        same_site=given.get("samesite", ""),
    )
    return cookie if _keeps_its_word(cookie, target, given) else None


def _domain(given: str, host: str) -> str | None:
    """Return the cookie's domain: empty for host-only, None if it is refused.

    A public suffix can only set cookies for itself (RFC 6265bis, section 5.7).
    """
    try:
        domain = given.removeprefix(".").lower().encode("idna").decode()
    except UnicodeError:
        return None
    if domain in {"", host}:
        is_alone = not domain or _is_address(host) or "." not in host or is_public_suffix(host)
        return "" if is_alone else domain
    is_parent = "." in domain and is_within(host, domain)
    return domain if is_parent and not is_public_suffix(domain) else None


def is_within(host: str, domain: str) -> bool:
    """Return whether the host equals the domain or is below it (section 5.1.3)."""
    return host == domain or (host.endswith(f".{domain}") and not _is_address(host))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _expiry(given: Mapping[str, str], now_s: float) -> float | None:
    """Return the expiry time; ``Max-Age`` takes precedence over ``Expires`` (section 5.3)."""
    if _NUMBER.fullmatch(age := given.get("max-age", "")):
        return now_s + min(float(age), LIFE_MAX_S)
    moment_s = cookie_date(given["expires"]) if "expires" in given else None
    return None if moment_s is None else min(moment_s, now_s + LIFE_MAX_S)


def _keeps_its_word(cookie: Cookie, target: Target, given: Mapping[str, str]) -> bool:
    """Return whether the cookie meets its ``Secure`` attribute and the prefix of its name."""
    if cookie.secure and target.scheme != "https":
        return False
    name = cookie.name.lower()
    if name.startswith("__host-"):
        return cookie.secure and cookie.host_only and given.get("path") == "/"
    return cookie.secure or not name.startswith("__secure-")


Identity = tuple[str, str, str]
"""Domain, path and name, which identify a cookie."""


@attrs.define
class CookieJar:
    """A cookie jar for one session, in the order in which cookies were first set."""

    mode: CookieMode
    _cookies: dict[Identity, Cookie] = attrs.field(factory=dict[Identity, Cookie])

    def put(self, cookie: Cookie, now_s: float, *, is_secure: bool = True) -> None:
        """Store a cookie, replacing the one with the same identity; an expired cookie removes it.

        Args:
            cookie: from a server or from another source.
            now_s: the time in seconds since 1970 UTC.
            is_secure: whether it came by https; otherwise it cannot replace a ``Secure`` cookie.
        """
        identity = (cookie.domain, cookie.path, cookie.name)
        former = self._cookies.get(identity)
        if former is not None and former.secure and not is_secure:
            return
        is_kept = self.mode == "all" or (self.mode == "session" and cookie.expires_s is None)
        if _is_over(cookie, now_s) or not is_kept:
            self._cookies.pop(identity, None)
            return
        self._cookies[identity] = cookie
        for dropped in [key for key, kept in self._cookies.items() if _is_over(kept, now_s)]:
            del self._cookies[dropped]
        of_domain = [key for key in self._cookies if key[0] == cookie.domain]
        for dropped in of_domain[: max(0, len(of_domain) - PER_DOMAIN_MAX)]:
            del self._cookies[dropped]
        for dropped in list(self._cookies)[: max(0, len(self._cookies) - IN_ALL_MAX)]:
            del self._cookies[dropped]

    def header(self, target: Target, now_s: float) -> str:
        """Return the ``Cookie`` header for `target` (section 5.4); empty if there is none."""
        matching = [cookie for cookie in self.cookies(now_s) if is_sent_to(cookie, target)]
        matching.sort(key=lambda cookie: -len(cookie.path))
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in matching)

    def cookies(self, now_s: float) -> tuple[Cookie, ...]:
        """Return all cookies that have not expired."""
        return tuple(cookie for cookie in self._cookies.values() if not _is_over(cookie, now_s))


def _is_over(cookie: Cookie, now_s: float) -> bool:
    return cookie.expires_s is not None and cookie.expires_s <= now_s


def is_sent_to(cookie: Cookie, target: Target) -> bool:
    """Return whether a cookie is sent with requests to `target` (section 5.4)."""
    own = target.host == cookie.domain
    return (
        (own or (not cookie.host_only and is_within(target.host, cookie.domain)))
        and is_below(target.path.partition("?")[0], cookie.path)
        and (target.scheme == "https" or not cookie.secure)
    )


def is_below(path: str, folder: str) -> bool:
    """Return whether a path equals `folder` or is below it (section 5.1.4)."""
    return path == folder or path.startswith(folder if folder.endswith("/") else f"{folder}/")


@attrs.define(eq=False)
class CookieStore:
    """Cookie jars by the name of their session.

    They outlive the client, so that a crash does not log sessions out.

    Attributes:
        mode: which cookies are stored.
    """

    mode: CookieMode
    _jars: dict[str, CookieJar] = attrs.field(factory=dict[str, CookieJar])

    def header(self, session: str, target: Target, now_s: float) -> str:
        """Return the ``Cookie`` header of a session for `target`; empty if there is none."""
        jar = self._jars.get(session)
        return jar.header(target, now_s) if jar else ""

    def take(self, session: str, lines: Collection[str], target: Target, now_s: float) -> None:
        """Store the cookies of ``Set-Cookie`` headers."""
        for line in lines if self.mode != "none" else ():
            if cookie := set_cookie(line, target, now_s):
                self._jar(session).put(cookie, now_s, is_secure=target.scheme == "https")

    def cookies(self, session: str, now_s: float) -> tuple[Cookie, ...]:
        """Return all cookies of a session."""
        jar = self._jars.get(session)
        return jar.cookies(now_s) if jar else ()

    def replace(self, session: str, cookies: Collection[Cookie], now_s: float) -> None:
        """Replace the cookies of a session; an empty collection forgets the session.

        Raises:
            BadInput: a cookie does not fit into a header.
        """
        for cookie in cookies:
            if _CONTROL.search(cookie.name + cookie.value):
                raise BadInput(
                    ("The cookie ", Quoted(repr(cookie.name)), " has control characters.")
                )
        self._jars.pop(session, None)
        for cookie in cookies if session else ():
            self._jar(session).put(cookie, now_s)

    def _jar(self, session: str) -> CookieJar:
        return self._jars.setdefault(session, CookieJar(self.mode))

"""How long an answer may be given again (RFC 9111, for a cache of one user)."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from tabwright.http.messages import Message
from tabwright.http.response import Head

OK = 200

LIFE_MAX_S = 365 * 86400.0


def directives(head: Head) -> Mapping[str, str]:
    """What ``Cache-Control`` says, by names in lower case."""
    parts = (part.partition("=") for part in head.value("cache-control").split(","))
    return {name.strip().lower(): value.strip(' "') for name, _, value in parts}


def may_be_kept(head: Head) -> bool:
    """Whether keeping it is allowed, and of use: it is fresh for a while, or can be confirmed."""
    if head.status != OK or "no-store" in directives(head):
        return False
    is_for_one = "*" in head.value("vary") or bool(head.all("set-cookie"))
    return not is_for_one and (life_s(head) > 0 or bool(validators(head)))


def life_s(head: Head) -> float:
    """How long it is fresh after it was made (sections 4.2.1 and 5.2.2); 0 where none says so."""
    said = directives(head)
    if "no-cache" in said:
        return 0.0
    if "max-age" in said:
        return _seconds(said["max-age"])
    expires_s, made_s = _moment(head.first("expires")), _moment(head.first("date"))
    if expires_s is None or made_s is None:
        return 0.0
    return min(max(expires_s - made_s, 0.0), LIFE_MAX_S)


def age_s(head: Head, taken_s: float, now_s: float) -> float:
    """How old it is by now, at least (section 4.2.3)."""
    return _seconds(head.first("age")) + max(now_s - taken_s, 0.0)


def validators(head: Head) -> tuple[tuple[str, str], ...]:
    """The headers that ask whether it still holds (RFC 9110, section 13.1)."""
    named = (("etag", "If-None-Match"), ("last-modified", "If-Modified-Since"))
    return tuple((ask, head.first(name)) for name, ask in named if head.first(name))


def varying(head: Head, message: Message) -> tuple[tuple[str, str], ...]:
    """The headers of the request by which the answer varies, as they were."""
    names = (name.strip().lower() for name in head.value("vary").split(","))
    return tuple((name, message.value(name)) for name in names if name)


def _seconds(text: str) -> float:
    return min(float(text), LIFE_MAX_S) if text.isascii() and text.isdecimal() else 0.0


def _moment(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return None

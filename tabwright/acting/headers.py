"""HTTP headers as they are shown: the values of credentials are hidden, and their names stay."""

import re
from collections.abc import Mapping
from typing import TypeAlias

from tabwright.page.outline_text import shortened

HIDDEN = "(hidden)"

HEADERS_MAX = 100
"""Headers of one message that are shown."""

VALUE_MAX = 1000
"""Characters of one value."""

Headers: TypeAlias = tuple[tuple[str, str], ...]
"""Names and values, in order."""

_CREDENTIALS = re.compile(
    r"authorization|cookie|token|secret|passw|session|credential$|api-?key|csrf|xsrf|signature",
    re.IGNORECASE,
)
"""In the names of headers whose values let their reader act as somebody else."""

_SCHEME = re.compile(r"[A-Za-z][\w-]{0,19}(?= \S)")
_COOKIE = re.compile(r"\s*([^=;\s]{1,100})=")


def shown_headers(headers: Mapping[str, str]) -> Headers:
    """Headers without the values of credentials, each bounded.

    The name and the attributes of a cookie stay, and so does the scheme of an authorization.
    Chromium joins the values of headers with one name by line breaks.
    """
    pairs = [(name, one) for name, value in headers.items() for one in value.split("\n")]
    return tuple(
        (shortened(name, VALUE_MAX), shortened(_shown(name.lower(), value), VALUE_MAX))
        for name, value in pairs[:HEADERS_MAX]
    )


def _shown(name: str, value: str) -> str:
    match name:
        case "cookie":
            return "; ".join(map(_cookie, value.split(";")))
        case "set-cookie":
            first, *attributes = value.split(";")
            return ";".join((_cookie(first), *attributes))
        case "authorization" | "proxy-authorization":
            scheme = _SCHEME.match(value)
            return f"{scheme[0]} {HIDDEN}" if scheme else HIDDEN
        case _:
            return HIDDEN if value and _CREDENTIALS.search(name) else value


def _cookie(pair: str) -> str:
    name = _COOKIE.match(pair)
    return f"{name[1]}={HIDDEN}" if name else HIDDEN

"""Which hosts are reached without the proxy.

The patterns are Chromium's (``net/docs/proxy.md``, "Proxy bypass rules"), so that pages go the
same way with a browser and without one.
"""

import ipaddress
import re
from collections.abc import Sequence

from tabwright.fetching.targets import Target

LOOPBACK_TOO = "<-loopback>"
"""The pattern that has even this machine's own names go through the proxy."""

IMPLICIT = ("localhost", ".localhost", "127.0.0.0/8", "[::1]", "169.254.0.0/16", "fe80::/10")

_PATTERN = re.compile(
    r"(?:(?P<scheme>[a-z]+)://)?(?P<host>\[[^\]]*\]|[^:\[\]]+)(?::(?P<port>\d+))?", re.ASCII
)


def is_bypassed(target: Target, patterns: Sequence[str]) -> bool:
    """Whether `target` is reached directly."""
    implicit = () if LOOPBACK_TOO in patterns else IMPLICIT
    return any(_matches(pattern.lower(), target) for pattern in (*implicit, *patterns))


def _matches(pattern: str, target: Target) -> bool:
    if pattern == "<local>":
        return "." not in target.host and ":" not in target.host
    if "/" in pattern.rpartition("://")[2]:
        return _is_in(target.host, pattern)
    parts = _PATTERN.fullmatch(pattern)
    return (
        parts is not None
        and parts["scheme"] in {None, target.scheme}
        and parts["port"] in {None, str(target.port)}
        and _is_of(target.host, parts["host"])
    )


def _is_of(host: str, pattern: str) -> bool:
    """Whether the host is spelled so, where a star stands for anything."""
    wild = f"*{pattern}" if pattern.startswith(".") else pattern.strip("[]")
    expression = ".*".join(map(re.escape, wild.split("*")))
    return re.fullmatch(expression, host) is not None


def _is_in(host: str, block: str) -> bool:
    """Whether the host is an address in a block such as ``10.0.0.0/8``."""
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(block, strict=False)
    except ValueError:
        return False

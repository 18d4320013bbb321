"""Chromium's ``--host-resolver-rules``, for connections that are made in its place.

Source: Chromium's ``net/base/host_mapping_rules.cc``.
"""

from fnmatch import fnmatchcase

import attrs

SWITCH = "--host-resolver-rules="
"""The switch that sends names to other places."""

NOT_FOUND = ("~notfound", "^notfound")
"""What stands for no address at all."""


@attrs.frozen
class _Rule:
    """One rule that maps; an empty `host` stands for no address, a port of None for any."""

    pattern: str
    pattern_port: int | None
    host: str
    port: int | None


@attrs.frozen
class HostRules:
    """Where names lead, as the rules say.

    Attributes:
        excluded: patterns of the names that are left as they are.
    """

    rules: tuple[_Rule, ...] = ()
    excluded: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str) -> "HostRules":
        """The rules in a list such as ``MAP *.test 127.0.0.1:8080, EXCLUDE a.test``."""
        rules: list[_Rule] = []
        excluded: list[str] = []
        for entry in text.split(","):
            match entry.lower().split():
                case ["map", pattern, target]:
                    name, port = _parts(pattern)
                    host, target_port = ("", None) if target in NOT_FOUND else _parts(target)
                    rules.append(_Rule(name, port, host, target_port))
                case ["exclude", pattern]:
                    excluded.append(pattern)
                case _:
                    continue  # Chromium passes it over too
        return cls(tuple(rules), tuple(excluded))

    def place(self, host: str, port: int) -> tuple[str, int]:
        """Where a host and a port lead; the host is empty where there is nothing."""
        name = host.lower()
        if any(fnmatchcase(name, pattern) for pattern in self.excluded):
            return host, port
        for rule in self.rules:
            if rule.pattern_port in {None, port} and fnmatchcase(name, rule.pattern):
                return rule.host, port if rule.port is None else rule.port
        return host, port


def _parts(text: str) -> tuple[str, int | None]:
    """The host, without brackets, and the port."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or (":" in host and not host.endswith("]")):
        return text.strip("[]"), None
    return host.strip("[]"), int(port)

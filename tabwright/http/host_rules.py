"""Chromium's ``--host-resolver-rules``, for connections that are made without Chromium.

The rules are those of ``net/base/host_mapping_rules.cc``.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase

import attrs

SWITCH = "--host-resolver-rules="
"""The switch that maps host names to other hosts."""

NOT_FOUND = ("~notfound", "^notfound")
"""Replacements that mean "no address"."""


@attrs.frozen
class _Rule:
    """A mapping rule; an empty `host` means no address, and a port of None any port."""

    pattern: str
    pattern_port: int | None
    host: str
    port: int | None


@attrs.frozen
class HostRules:
    """Host mapping rules.

    Attributes:
        excluded: patterns of names that are not mapped.
    """

    rules: tuple[_Rule, ...] = ()
    excluded: tuple[str, ...] = ()

    @classmethod
    def of(cls, switches: Sequence[str]) -> "HostRules":
        """Return the rules in the arguments of a browser; the last switch replaces the others."""
        rules = [one.removeprefix(SWITCH) for one in switches if one.startswith(SWITCH)]
        return cls.read(rules[-1]) if rules else cls()

    @classmethod
    def read(cls, text: str) -> "HostRules":
        """Parse a list of rules such as ``MAP *.test 127.0.0.1:8080, EXCLUDE a.test``."""
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
                    continue  # Chromium ignores it too
        return cls(tuple(rules), tuple(excluded))

    def place(self, host: str, port: int) -> tuple[str, int]:
        """Return the mapped host and port; the host is empty if there is no address."""
        name = host.lower()
        if any(fnmatchcase(name, pattern) for pattern in self.excluded):
            return host, port
        for rule in self.rules:
            if rule.pattern_port in {None, port} and fnmatchcase(name, rule.pattern):
                return rule.host, port if rule.port is None else rule.port
        return host, port


def _parts(text: str) -> tuple[str, int | None]:
    """Split into the host, without brackets, and the port."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or (":" in host and not host.endswith("]")):
        return text.strip("[]"), None
    return host.strip("[]"), int(port)

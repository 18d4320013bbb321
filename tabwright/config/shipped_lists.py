"""Shipped lists: the hosts and resource types that are blocked, and the ports of local proxies."""

from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Annotated

import attrs
import msgspec
from msgspec import Meta

from tabwright.config.yaml_tables import plain, shipped_table
from tabwright.protocol.snapshot import BlockKind

_TYPES = {"image": "Image", "font": "Font", "media": "Media", "style": "Stylesheet"}
"""In CDP's spelling (``Network.ResourceType``)."""


@attrs.frozen
class BlockRules:
    """Which requests are not made.

    Attributes:
        types: in CDP's spelling: ``Image``, ``Font``, ``Media``, ``Stylesheet``.
        hosts: each stands for itself and everything below it.
    """

    types: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()

    @property
    def any(self) -> bool:
        """Whether there is a rule at all."""
        return bool(self.types or self.hosts)

    def block(self, host: str, resource_type: str) -> bool:
        """Whether a request of this type to this host is not made."""
        return resource_type in self.types or self._lists(host.lower().rstrip("."))

    def _lists(self, host: str) -> bool:
        while host:
            if host in self.hosts:
                return True
            host = host.partition(".")[2]
        return False


def block_rules(kinds: Iterable[BlockKind]) -> BlockRules:
    """The rules for some kinds of requests."""
    wanted = frozenset(kinds)
    hosts = ad_hosts() if "ads" in wanted else frozenset[str]()
    return BlockRules(frozenset(_TYPES[kind] for kind in wanted - {"ads"}), hosts)


@cache
def ad_hosts() -> frozenset[str]:
    """The hosts of ``ad_hosts.yaml``."""
    text = resources.files(__package__ or "").joinpath("ad_hosts.yaml").read_bytes()
    return msgspec.yaml.decode(text, type=frozenset[str])


# Known ports of local proxies (``proxies.yaml``).


@attrs.frozen
class _Known:
    ports: tuple[Annotated[int, Meta(ge=1, le=65535)], ...]


def load_proxy_ports() -> tuple[int, ...]:
    """The shipped ports, in the order of preference."""
    return msgspec.convert(plain(shipped_table("proxies.yaml")), _Known).ports

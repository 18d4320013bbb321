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
"""CDP's names (``Network.ResourceType``)."""


@attrs.frozen
class BlockRules:
    """The requests that are blocked.

    Attributes:
        types: CDP's names: ``Image``, ``Font``, ``Media``, ``Stylesheet``.
        hosts: each also blocks its subdomains.
    """

    types: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()

    @property
    def any(self) -> bool:
        """Whether there are any rules."""
        return bool(self.types or self.hosts)

    def block(self, host: str, resource_type: str) -> bool:
        """Return whether a request of this type to this host is blocked."""
        return resource_type in self.types or self.lists(host)

    def lists(self, host: str) -> bool:
        """Return whether all requests to this host are blocked."""
        host = host.lower().rstrip(".")
        while host:
            if host in self.hosts:
                return True
            host = host.partition(".")[2]
        return False


def block_rules(kinds: Iterable[BlockKind]) -> BlockRules:
    """Return the rules for these kinds of requests."""
    wanted = frozenset(kinds)
    hosts = ad_hosts() if "ads" in wanted else frozenset[str]()
    return BlockRules(frozenset(_TYPES[kind] for kind in wanted - {"ads"}), hosts)


@cache
def ad_hosts() -> frozenset[str]:
    """Return the hosts in ``ad_hosts.yaml``."""
    text = resources.files(__package__ or "").joinpath("ad_hosts.yaml").read_bytes()
    return msgspec.yaml.decode(text, type=frozenset[str])


# Known ports of local proxies (``proxies.yaml``).


@attrs.frozen
class _Known:
    ports: tuple[Annotated[int, Meta(ge=1, le=65535)], ...]


def load_proxy_ports() -> tuple[int, ...]:
    """Return the shipped ports, in the order of preference."""
    return msgspec.convert(plain(shipped_table("proxies.yaml")), _Known).ports

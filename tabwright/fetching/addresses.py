"""Which addresses may be connected to, whatever name led to them.

A name is resolved once, all its addresses are judged, and the connection goes to one of just
those: a name that turns private between a check and its use (DNS rebinding) finds no gap.
"""

import ipaddress
from collections.abc import Sequence
from typing import TypeAlias

from tabwright.protocol.errors import BadInput
from tabwright.protocol.urls import is_private

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

CLOSED = tuple(
    ipaddress.ip_network(block)
    for block in (
        "168.63.129.16/32",  # what Azure tells its machines about themselves
        "192.0.0.0/24",  # protocol assignments; 192.0.0.192 is Oracle's metadata (RFC 6890)
        "192.88.99.0/24",  # relays of 6to4 (RFC 7526)
        "224.0.0.0/4",  # multicast (RFC 5771)
        "3fff::/20",  # documentation (RFC 9637)
    )
)
"""What `is_private` leaves open, since nobody's network is behind it, or not by the registry."""

UNICAST = ipaddress.IPv6Network("2000::/3")
"""All that is given out for use on the internet (RFC 4291, section 2.4)."""

EMBEDDING = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("::/80"))
"""Networks of IPv6 addresses that stand for an IPv4 one, which `is_private` judges."""


def checked_addresses(
    host: str, addresses: Sequence[str], *, allow_private: bool
) -> tuple[str, ...]:
    """The addresses of `host`, if all may be connected to.

    Raises:
        BadInput: one is loopback, private, link-local, multicast, reserved, or the metadata of a
            cloud, and there is no leave for that.
    """
    closed = () if allow_private else tuple(filter(_is_closed, addresses))
    if closed:
        leads = "is" if closed[0] == host else f"leads to {closed[0]},"
        raise BadInput(
            f"{host} {leads} a private address.",
            advice="Set network.allow_private: true if you mean to open it.",
        )
    return tuple(addresses)


def _is_closed(text: str) -> bool:
    return is_private(text) or not _is_public(ipaddress.ip_address(text))


def _is_public(address: Address) -> bool:
    if any(address in block for block in CLOSED if block.version == address.version):
        return False
    is_open = (UNICAST, *EMBEDDING)
    return address.version == 4 or any(address in block for block in is_open)  # noqa: PLR2004

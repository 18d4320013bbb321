"""Which addresses anybody may be at, and which belong to somebody's own network."""

import ipaddress
from typing import TypeAlias

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
"""What no page is at, though the registry, or Python's copy of it, calls it global."""

UNICAST = ipaddress.IPv6Network("2000::/3")
"""All that is given out for use on the internet (RFC 4291, section 2.4)."""

EMBEDDING = (ipaddress.IPv6Network("::/96"), ipaddress.IPv6Network("64:ff9b::/96"))
"""Networks of IPv6 whose last four bytes are an IPv4 address."""


def is_public(address: Address) -> bool:
    """Whether anybody may be there.

    Nobody's are the addresses that are loopback, private, link-local, multicast, reserved or not
    given out, the metadata of clouds, and what of IPv6 stands for such an address of IPv4.
    """
    if isinstance(address, ipaddress.IPv6Address):
        address = ipv4_inside(address) or address
    if isinstance(address, ipaddress.IPv6Address) and address not in UNICAST:
        return False
    return address.is_global and not any(address in block for block in CLOSED)


def ipv4_inside(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 one stands for (RFC 4291, 3056, 4380, 6052)."""
    if inside := address.ipv4_mapped or address.sixtofour:
        return inside
    if address.teredo:
        return address.teredo[1]
    if any(address in network for network in EMBEDDING):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None

"""Public and private IP addresses."""

import ipaddress
from typing import TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

CLOSED = tuple(
    ipaddress.ip_network(block)
    for block in (
        "168.63.129.16/32",  # metadata of Azure machines
        "192.0.0.0/24",  # protocol assignments; 192.0.0.192 is Oracle's metadata (RFC 6890)
        "192.88.99.0/24",  # relays of 6to4 (RFC 7526)
        "224.0.0.0/4",  # multicast (RFC 5771)
        "3fff::/20",  # documentation (RFC 9637)
    )
)
"""Networks without web pages, though the registry, or Python's copy of it, calls them global."""

UNICAST = ipaddress.IPv6Network("2000::/3")
"""All unicast addresses that are allocated for the internet (RFC 4291, section 2.4)."""

EMBEDDING = (ipaddress.IPv6Network("::/96"), ipaddress.IPv6Network("64:ff9b::/96"))
"""IPv6 networks whose last four bytes are an IPv4 address."""


def is_public(address: Address) -> bool:
    """Return whether the address is on the public internet.

    Loopback, private, link-local, multicast, reserved and unallocated addresses are not, nor are
    the metadata services of clouds and IPv6 addresses that embed such an IPv4 address.
    """
    if isinstance(address, ipaddress.IPv6Address):
        address = ipv4_inside(address) or address
    if isinstance(address, ipaddress.IPv6Address) and address not in UNICAST:
        return False
    return address.is_global and not any(address in block for block in CLOSED)


def ipv4_inside(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address embedded in an IPv6 address (RFC 4291, 3056, 4380, 6052)."""
    if inside := address.ipv4_mapped or address.sixtofour:
        return inside
    if address.teredo:
        return address.teredo[1]
    if any(address in network for network in EMBEDDING):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None

"""Which addresses may be connected to, whatever name led to them.

A name is resolved once, all its addresses are judged, and the connection goes to one of just
those: a name that turns private between a check and its use (DNS rebinding) finds no gap.
"""

from collections.abc import Sequence

from tabwright.protocol.errors import BadInput
from tabwright.protocol.urls import is_private


def checked_addresses(
    host: str, addresses: Sequence[str], *, allow_private: bool
) -> tuple[str, ...]:
    """The addresses of `host`, if all may be connected to.

    Raises:
        BadInput: one is loopback, private, link-local, multicast, reserved, or the metadata of a
            cloud, and there is no leave for that.
    """
    closed = () if allow_private else tuple(filter(is_private, addresses))
    if closed:
        leads = "is" if closed[0] == host else f"leads to {closed[0]},"
        raise BadInput(
            f"{host} {leads} a private address.",
            advice="Set network.allow_private: true if you mean to open it.",
        )
    return tuple(addresses)

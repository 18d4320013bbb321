"""Through a proxy to somewhere else: CONNECT of HTTP, and SOCKS5.

The proxy is given the name and finds the address by itself, so that of a name only the spelling
could be judged before (`checked_url`): what is behind the proxy is the proxy's to guard.
"""

import h11
import trio

from tabwright.fetching.http_connect import PASSWORD_WANTED, connect_through
from tabwright.fetching.targets import Target
from tabwright.http.errors import refused_by_proxy, without_proxy
from tabwright.http.proxy_tunnel import (
    AGREED,
    GREETING,
    IP_BYTES,
    VERSION,
    Reply,
    connect_line,
    received,
)
from tabwright.protocol.proxy import Proxy

_REPLIES = {
    1: "it failed",
    2: "its rules forbid it",
    3: "no way to the network",
    4: "no way to the host",
    5: "connection refused",
    6: "too many hops",
    7: "it cannot connect",
    8: "it does not know such addresses",
}
"""RFC 1928, section 6."""


async def open_tunnel(stream: trio.abc.Stream, proxy: Proxy, target: Target) -> None:
    """Has the proxy at the other end of `stream` connect it to `target`.

    Raises:
        NotConnected: it does not do what a proxy does, or does not get there.
    """
    try:
        if proxy.kind == "socks5":
            await _by_socks5(stream, proxy, target)
        else:
            await _by_connect(stream, proxy, target)
    except (trio.BrokenResourceError, h11.RemoteProtocolError) as error:
        raise without_proxy(proxy, "broke off") from error


async def _by_connect(stream: trio.abc.Stream, proxy: Proxy, target: Target) -> None:
    host = f"[{target.host}]" if ":" in target.host else target.host
    where = f"{host}:{target.port}"
    response, _ = await connect_through(stream, where)
    if response.status_code == PASSWORD_WANTED:
        raise without_proxy(proxy, "wants a password")
    if response.status_code // 100 != 2:  # noqa: PLR2004
        raise refused_by_proxy(proxy, target, f"HTTP status {response.status_code}")


async def _by_socks5(stream: trio.abc.Stream, proxy: Proxy, target: Target) -> None:
    await stream.send_all(GREETING)
    if await received(stream, len(AGREED)) != AGREED:
        raise without_proxy(proxy, "wants a password, or is none that speaks SOCKS5")
    await stream.send_all(connect_line(target.host, target.port))
    version, reply, _reserved, kind = await received(stream, 4)
    if version != VERSION:
        raise without_proxy(proxy, "does not speak SOCKS5")
    if reply != Reply.SUCCEEDED:
        raise refused_by_proxy(proxy, target, _REPLIES.get(reply, f"reply {reply}"))
    length = IP_BYTES.get(kind) or (await received(stream, 1))[0]
    await received(stream, length + 2)  # the address that it connects from, and its port

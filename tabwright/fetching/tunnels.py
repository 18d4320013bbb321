"""Through a proxy to somewhere else: CONNECT of HTTP, and SOCKS5.

The proxy is given the name and finds the address by itself, so that of a name only the spelling
could be judged before (`checked_url`): what is behind the proxy is the proxy's to guard.
"""

import ipaddress

import h11
import trio

from tabwright.fetching.failures import refused_by_proxy, without_proxy
from tabwright.fetching.socks5 import received
from tabwright.fetching.targets import Target
from tabwright.protocol.proxies import Proxy

RECEIVE_BYTES = 4096

_PASSWORD_WANTED = 407
_HEAD_BYTES_MAX = 65536

_NO_PASSWORD = b"\x05\x01\x00"
_AGREED = b"\x05\x00"
_CONNECT = b"\x05\x01\x00"
_SUCCEEDED = 0
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

_ADDRESS_BYTES = {1: 4, 4: 16}
_BY_NAME = 3


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
    http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD_BYTES_MAX)
    request = h11.Request(method="CONNECT", target=where, headers=[("Host", where)])
    await stream.send_all(http.send(request) or b"")
    http.send(h11.EndOfMessage())
    while not isinstance(event := http.next_event(), h11.Response):
        if event is h11.NEED_DATA:
            http.receive_data(bytes(await stream.receive_some(RECEIVE_BYTES)))
    if event.status_code == _PASSWORD_WANTED:
        raise without_proxy(proxy, "wants a password")
    if event.status_code // 100 != 2:  # noqa: PLR2004
        raise refused_by_proxy(proxy, target, f"HTTP status {event.status_code}")


async def _by_socks5(stream: trio.abc.Stream, proxy: Proxy, target: Target) -> None:
    await stream.send_all(_NO_PASSWORD)
    if await received(stream, len(_AGREED)) != _AGREED:
        raise without_proxy(proxy, "wants a password, or is none that speaks SOCKS5")
    await stream.send_all(_CONNECT + _address(target.host) + target.port.to_bytes(2))
    version, reply, _reserved, kind = await received(stream, 4)
    if version != _NO_PASSWORD[0]:
        raise without_proxy(proxy, "does not speak SOCKS5")
    if reply != _SUCCEEDED:
        raise refused_by_proxy(proxy, target, _REPLIES.get(reply, f"reply {reply}"))
    length = _ADDRESS_BYTES.get(kind) or (await received(stream, 1))[0]
    await received(stream, length + 2)  # the address that it connects from, and its port


def _address(host: str) -> bytes:
    try:
        packed = ipaddress.ip_address(host).packed
    except ValueError:
        return bytes([_BY_NAME, len(host)]) + host.encode()
    return bytes([1 if len(packed) == _ADDRESS_BYTES[1] else 4]) + packed

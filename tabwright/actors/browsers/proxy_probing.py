"""Is that a proxy? Whoever listens on a port of this machine is asked, and nobody beyond it.

An HTTP proxy is asked for a tunnel to a listener of ours, which greets whoever connects. Other
servers refuse, or give themselves away by the body that they announce or send where a tunnel has
none (RFC 9110, section 9.3.6). A tunnel that stays quiet will do: some proxies hand on everything
to a machine far away, where our listener is not.

A SOCKS5 proxy is offered to go on without a password; its whole answer has two bytes (RFC 1928,
section 3). That is proof enough, and names no target.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import attrs
import h11
import trio

from tabwright.concurrency.nursery import open_background
from tabwright.fetching.http_connect import PASSWORD_WANTED, RECEIVE_BYTES, connect_through
from tabwright.http.proxy_tunnel import AGREED, GREETING, NONE_ACCEPTABLE
from tabwright.protocol.proxy import Proxy, ProxyAnswer

PROBE_S = 0.5
"""For a proxy of this machine to answer."""

_GREETING = b"tabwright listens here\n"

_TUNNEL = 200
_BODY_HEADERS = frozenset({b"content-length", b"content-type", b"transfer-encoding"})

_SOCKS5_ANSWERS = {AGREED: ProxyAnswer.SERVES, NONE_ACCEPTABLE: ProxyAnswer.REFUSES}


@asynccontextmanager
async def open_listener() -> AsyncGenerator[int]:
    """Greets whoever connects to the port of 127.0.0.1 that it yields, while the block runs."""
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with open_background() as nursery:
        await nursery.start(trio.serve_listeners, _greet, listeners)
        yield listeners[0].socket.getsockname()[1]


async def _greet(stream: trio.SocketStream) -> None:
    with suppress(trio.BrokenResourceError):
        await stream.send_all(_GREETING)


async def probe(proxy: Proxy, listener_port: int) -> ProxyAnswer:
    """Asks whoever is there to serve as `proxy`, for at most `PROBE_S`.

    Args:
        proxy: is asked only if it is on this machine.
        listener_port: that of `open_listener`.
    """
    if not proxy.is_local or proxy.kind == "https":
        return ProxyAnswer.UNASKED
    inquiry = _Inquiry()
    with (
        trio.move_on_after(PROBE_S),
        suppress(OSError, trio.BrokenResourceError, h11.RemoteProtocolError),
    ):
        async with await trio.open_tcp_stream(proxy.host, proxy.port) as stream:
            if proxy.kind == "socks5":
                await inquiry.of_socks5(stream)
            else:
                await inquiry.of_http(stream, f"127.0.0.1:{listener_port}")
    return inquiry.answer


@attrs.define
class _Inquiry:
    """Questions to one server; `answer` is what is known so far, whatever cuts them short."""

    answer: ProxyAnswer = ProxyAnswer.ABSENT

    async def of_socks5(self, stream: trio.SocketStream) -> None:
        """Asks whether it goes without a password (RFC 1928, section 3).

        Raises:
            trio.BrokenResourceError: it hung up.
        """
        await stream.send_all(GREETING)
        said = b""
        while len(said) < len(AGREED) and (data := await stream.receive_some(RECEIVE_BYTES)):
            said += data
        self.answer = _SOCKS5_ANSWERS.get(said, ProxyAnswer.ABSENT)

    async def of_http(self, stream: trio.SocketStream, target: str) -> None:
        """Asks for a tunnel to `target`, as ``host:port`` (RFC 9110, section 9.3.6).

        Raises:
            trio.BrokenResourceError: it hung up.
            h11.RemoteProtocolError: what it says is no HTTP.
        """
        response, said = await connect_through(stream, target)
        self.answer = _judged(response)
        if response.status_code == _TUNNEL:
            said = said or await stream.receive_some(RECEIVE_BYTES)
            if said:
                ours = _GREETING.startswith(said)
                self.answer = ProxyAnswer.SERVES if ours else ProxyAnswer.ABSENT


def _judged(response: h11.Response) -> ProxyAnswer:
    """What the head of a response to CONNECT tells of who sent it."""
    names = {name for name, _ in response.headers}
    if response.status_code == _TUNNEL:
        return ProxyAnswer.ABSENT if names & _BODY_HEADERS else ProxyAnswer.SERVES
    proxies = any(name == b"via" or name.startswith(b"proxy-") for name in names)
    refuses = proxies or response.status_code == PASSWORD_WANTED
    return ProxyAnswer.REFUSES if refuses else ProxyAnswer.ABSENT

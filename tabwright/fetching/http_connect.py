"""CONNECT of HTTP (RFC 9110, section 9.3.6) from the client's side."""

import h11
import trio

PASSWORD_WANTED = 407
"""The status of a proxy that does not know who asks."""

RECEIVE_BYTES = 4096

_HEAD_BYTES_MAX = 65536


async def connect_through(stream: trio.abc.Stream, where: str) -> tuple[h11.Response, bytes]:
    """Asks whoever is at the other end of `stream` for a tunnel.

    Args:
        stream: to a proxy.
        where: the tunnel's end, as ``host:port``.

    Returns:
        The response, and the bytes that came right behind it.

    Raises:
        trio.BrokenResourceError: it hung up.
        h11.RemoteProtocolError: what it says is no HTTP.
    """
    http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD_BYTES_MAX)
    request = h11.Request(method="CONNECT", target=where, headers=[("Host", where)])
    await stream.send_all(http.send(request) or b"")
    http.send(h11.EndOfMessage())
    while not isinstance(event := http.next_event(), h11.Response):
        if event is h11.NEED_DATA:
            http.receive_data(bytes(await stream.receive_some(RECEIVE_BYTES)))
    return event, http.trailing_data[0]

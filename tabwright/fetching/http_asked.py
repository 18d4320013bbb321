"""What a browser asks of an HTTP proxy (RFC 9110, sections 7.6 and 9.3.6)."""

import attrs
import trio

from tabwright.protocol.errors import BadInput
from tabwright.protocol.web_urls import WebUrl

HEAD_BYTES_MAX = 262144
RECEIVE_BYTES = 16384

ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
FORBIDDEN = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
UNREACHABLE = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

_OF_THE_CONNECTION = (b"connection:", b"proxy-connection:", b"keep-alive:")


class NotAsked(Exception):
    """What came is nothing that a proxy is asked for."""


@attrs.frozen
class Asked:
    """A request to a proxy.

    Attributes:
        url: what is asked for; None for a tunnel.
        host: without brackets.
        head: its first lines, without the empty one.
        rest: the bytes behind them.
    """

    url: WebUrl | None
    host: str
    port: int
    head: bytes
    rest: bytes

    def handed_on(self, *, to_proxy: bool) -> bytes:
        """The same for the next server, which is to end the connection after its answer.

        So each request comes by a connection of its own, and none goes unseen.
        """
        line, *headers = self.head.split(b"\r\n")
        if self.url is not None and not to_proxy:
            method, _, version = line.split(b" ")
            line = b" ".join((method, f"{self.url.path}{self.url.query}".encode(), version))
        kept = [one for one in headers if not one.lower().startswith(_OF_THE_CONNECTION)]
        return b"\r\n".join((line, *kept, b"Connection: close", b"", self.rest))


async def asked_by_http(stream: trio.abc.Stream) -> Asked:
    """What the client at the other end asks for.

    Raises:
        NotAsked: nothing that a proxy does.
        trio.BrokenResourceError: it is gone.
    """
    data = b""
    while (end := data.find(b"\r\n\r\n")) < 0:
        if len(data) > HEAD_BYTES_MAX:
            raise NotAsked
        piece = await stream.receive_some(RECEIVE_BYTES)
        if not piece:
            raise trio.BrokenResourceError
        data += piece
    head, rest = data[:end], data[end + 4 :]
    try:
        method, target, _version = head.partition(b"\r\n")[0].decode("ascii").split(" ")
        url = WebUrl.read(f"https://{target}/" if method == "CONNECT" else target)
    except (ValueError, BadInput) as error:
        raise NotAsked from error
    return Asked(None if method == "CONNECT" else url, url.host, url.port, head, rest)

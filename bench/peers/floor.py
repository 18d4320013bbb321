"""The floor: a blocking socket, with only as much of WebSocket and JSON as the cases need."""

# ruff: noqa: S101  (an assertion is what makes the number a measurement)

import base64
import json
import os
import socket
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

from cases import AT_ONCE, EVENTS, EXPRESSION, FLOOD, LARGE, LARGE_BYTES, OPERATIONS, Stopwatch

READ_BYTES = 1 << 20


class Wire:
    """Text frames of RFC 6455 on a socket."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self._socket = socket.create_connection((str(address.hostname), int(address.port or 80)))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        self._buffer = bytearray()
        while b"\r\n\r\n" not in self._buffer:
            self._buffer += self._socket.recv(READ_BYTES)
        del self._buffer[: self._buffer.index(b"\r\n\r\n") + 4]

    def send(self, frame: bytes) -> None:
        """Send a frame, masked with a key of zeros, which leaves the bytes unchanged."""
        size = len(frame)
        head = b"\x81" + (bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2, "big"))
        self._socket.sendall(head + b"\0\0\0\0" + frame)

    def frames(self) -> Iterator[bytes]:
        """Yield frames as they arrive, without end."""
        buffer, start = self._buffer, 0
        while True:
            while (found := _frame(buffer, start)) is None:
                if start:
                    del buffer[:start]
                    start = 0
                buffer += self._socket.recv(READ_BYTES)
            begin, start = found
            yield bytes(buffer[begin:start])


def _frame(buffer: bytearray, start: int) -> tuple[int, int] | None:
    """Return where the next frame's payload begins and ends; None while it is incomplete."""
    if len(buffer) < start + 10 and (len(buffer) < start + 2 or buffer[start + 1] > 125):
        return None
    size, begin = buffer[start + 1], start + 2
    if size == 126:
        size, begin = int.from_bytes(buffer[begin : begin + 2], "big"), begin + 2
    elif size == 127:
        size, begin = int.from_bytes(buffer[begin : begin + 8], "big"), begin + 8
    end = begin + size
    return (begin, end) if end <= len(buffer) else None


class Page:
    """A page to evaluate in."""

    def __init__(self, url: str) -> None:
        self._wire = Wire(url)
        self._frames = self._wire.frames()
        self._session = ""
        self._number = 0
        self.target_id = self.ask("Target.createTarget", url="about:blank", newWindow=True)[
            "targetId"
        ]
        attached = self.ask("Target.attachToTarget", targetId=self.target_id, flatten=True)
        self._session = f',"sessionId":"{attached["sessionId"]}"'
        self.ask("Runtime.enable")

    def send(self, method: str, **params: object) -> None:
        """Send a command."""
        self._number += 1
        text = json.dumps(params)
        frame = f'{{"id":{self._number},"method":"{method}","params":{text}{self._session}}}'
        self._wire.send(frame.encode())

    def ask(self, method: str, **params: object) -> dict[str, str]:
        """Send a command and wait for its result."""
        self.send(method, **params)
        return dict(json.loads(self.reply())["result"])

    def reply(self) -> bytes:
        """Return the next reply, skipping events."""
        return next(frame for frame in self._frames if frame.startswith(b'{"id":'))

    def events(self) -> Iterator[bytes]:
        """Yield console calls as they arrive, without end."""
        return (frame for frame in self._frames if frame.startswith(b'{"method":"Runtime.con'))

    def evaluate(self, expression: str) -> None:
        """Send a script."""
        self.send("Runtime.evaluate", expression=expression, returnByValue=True)


def sequential(page: Page) -> None:
    for _ in range(OPERATIONS["sequential"]):
        page.evaluate(EXPRESSION)
        page.reply()


def in_flight(page: Page) -> None:
    for _ in range(AT_ONCE):
        page.evaluate(EXPRESSION)
    for _ in range(OPERATIONS["in_flight"] - AT_ONCE):
        page.reply()
        page.evaluate(EXPRESSION)
    for _ in range(AT_ONCE):
        page.reply()


def large(page: Page) -> None:
    for _ in range(OPERATIONS["large"]):
        page.evaluate(LARGE)
        assert len(page.reply()) > LARGE_BYTES


def flood(page: Page) -> None:
    page.evaluate(FLOOD)
    events = page.events()
    for _ in range(EVENTS):
        next(events)
    page.reply()


CASES = {"sequential": sequential, "in_flight": in_flight, "large": large, "flood": flood}


def main() -> None:
    page = Page(sys.argv[1])
    while case := sys.stdin.readline().strip():
        watch = Stopwatch()
        CASES[case](page)
        watch.report(case)
    page.ask("Target.closeTarget", targetId=page.target_id)


main()

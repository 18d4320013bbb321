"""The lines of a stream."""

import trio

LINE_BYTES_MAX = 16 << 20
"""A longer line is not a message."""


class LineTooLong(Exception):
    """A line has more than `LINE_BYTES_MAX`; the rest of it is dropped by the next `receive`."""


class LineReader:
    """Splits a stream into lines.

    Args:
        received: what was read from it before.
    """

    def __init__(self, stream: trio.abc.ReceiveStream, received: bytes = b"") -> None:
        self._stream = stream
        self._buffer = bytearray(received)
        self._searched = 0
        self._is_in_long_line = False

    async def receive(self) -> bytes | None:
        """Return the next line without its end; None at the end of input.

        Cancellation loses nothing.

        Raises:
            LineTooLong: the line was too long; the next one can be received.
        """
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            if self._searched > LINE_BYTES_MAX:
                is_known, self._is_in_long_line = self._is_in_long_line, True
                self._buffer.clear()
                self._searched = 0
                if not is_known:
                    raise LineTooLong
            chunk = await self._stream.receive_some()
            if not chunk:
                return None
            self._buffer += chunk
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        if self._is_in_long_line:
            self._is_in_long_line = False
            return await self.receive()
        return line

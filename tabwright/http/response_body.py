"""Bodies as they come in: decoded on the way, and never more of them than is wanted."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import attrs
import h2.exceptions
import httpcore2
import trio

from tabwright.http.content_coding import ContentDecodingError, Decoder
from tabwright.protocol.page_text import CutReason

BROKEN = (httpcore2.NetworkError, httpcore2.ProtocolError, h2.exceptions.H2Error)
"""What a body can end with that did not come to its end."""


@attrs.define
class BodyReader:
    """One body.

    Attributes:
        bytes_max: what is kept of it; of what comes over the wire no more is read either.
        cut: why it is not all that there was; None where it is.
    """

    bytes_max: int
    _decoder: Decoder | None
    _kept: bytearray = attrs.field(factory=bytearray)
    _read: int = 0
    cut: CutReason | None = "time_out"

    @property
    def body(self) -> bytes:
        """What has come so far."""
        return bytes(self._kept)

    async def take(self, chunks: AsyncGenerator[bytes], until_s: float) -> None:
        """Reads to the end, until `until_s` on trio's clock, or as far as it comes.

        Raises:
            Undecodable: not even its beginning is what the header says.
        """
        with trio.move_on_at(until_s):
            async with aclosing(chunks):
                self.cut = await self._cut_of(chunks)

    async def _cut_of(self, chunks: AsyncGenerator[bytes]) -> CutReason | None:
        try:
            async for chunk in chunks:
                if not self._has_room_for(chunk):
                    return "size_limit"
        except BROKEN:
            return "broken_off"
        except ContentDecodingError:
            if not self._kept:
                raise
            return "broken_off"
        is_over = self._decoder is None or self._decoder.is_over or not self._read
        return None if is_over else "broken_off"

    def _has_room_for(self, chunk: bytes) -> bool:
        """Takes it in, as far as it fits."""
        self._read += len(chunk)
        for piece in (chunk,) if self._decoder is None else self._decoder.pieces(chunk):
            room = self.bytes_max - len(self._kept)
            self._kept += piece[:room]
            if len(piece) > room:
                return False
        return self._read <= self.bytes_max

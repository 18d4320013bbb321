"""Content codings undone (RFC 9110, section 8.4.1), piece by piece.

However little comes in, a decoder gives less than a megabyte at a time, and who takes the pieces
may stop at any of them. So a body that swells a thousandfold is never held as a whole.
"""

import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Protocol

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PIECE_BYTES = 262144

GZIP_BITS = 31
ZLIB_BITS = 15
RAW_BITS = -15
"""What zlib is told of the format; "deflate" is sent in both of the last two."""

ZSTD_OPTIONS: Mapping[int, int] = {zstd.DecompressionParameter.window_log_max: 23}
"""A window of at most 8 MiB (RFC 9659, section 3)."""

CODINGS_MAX = 3
"""Laid over one another; two are rare already."""


PARTS_MAX = 1000
"""Of one body, end to end."""

BETWEEN_BYTES_MAX = 32 * 1024 * 1024
"""Of what one coding hands to the next: nobody else sees how much it is."""


class ContentDecodingError(Exception):
    """The body is not what its header says."""


class Decoder(Protocol):
    """Undoes one coding of one body."""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What `data` adds.

        Raises:
            Undecodable: it does not go with what came before.
        """
        ...

    @property
    def is_over(self) -> bool:
        """Whether the coding's own end has come."""
        ...


class _Zlib:
    """gzip, where one member may follow another (RFC 1952), or deflate."""

    def __init__(self, *, is_gzip: bool) -> None:
        self._is_gzip = is_gzip
        self._stream = zlib.decompressobj(GZIP_BITS)
        self._has_begun = is_gzip
        self._members = 1

    @property
    def is_over(self) -> bool:
        """Whether the last member has ended."""
        return self._stream.eof

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What `data` adds, in pieces of `PIECE_BYTES` at most."""
        if data and not self._has_begun:
            self._stream = zlib.decompressobj(ZLIB_BITS if data[0] & 0x8F == 0x08 else RAW_BITS)  # noqa: PLR2004
            self._has_begun = True
        piece = b""
        try:
            while data or len(piece) == PIECE_BYTES:
                piece = self._stream.decompress(data, PIECE_BYTES)
                yield piece
                data = self._stream.unconsumed_tail or self._next_member()
        except zlib.error as error:
            raise ContentDecodingError(str(error)) from error

    def _next_member(self) -> bytes:
        """What follows the end, if it is gzip again; what else stands there is nobody's."""
        rest = self._stream.unused_data
        if not self._is_gzip or not rest.startswith(b"\x1f\x8b"):
            return b""
        self._members = _counted(self._members)
        self._stream = zlib.decompressobj(GZIP_BITS)
        return rest


class _BrotliStream(Protocol):
    """What is used of ``brotli.Decompressor``."""

    def process(self, data: bytes, /, *, output_buffer_limit: int) -> bytes:
        """What `data` adds, and stops once the limit is passed; the rest comes for no data."""
        ...

    def is_finished(self) -> bool:
        """Whether the end of the stream has come."""
        ...


class _Brotli:
    """Brotli (RFC 7932)."""

    def __init__(self) -> None:
        brotli = import_module("brotli")  # which comes without types
        self._stream: _BrotliStream = brotli.Decompressor()
        self._error: type[Exception] = brotli.error

    @property
    def is_over(self) -> bool:
        """Whether the stream has ended; what follows is nobody's."""
        return self._stream.is_finished()

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What `data` adds, in pieces of about `PIECE_BYTES`."""
        try:
            while not self.is_over:
                piece = self._stream.process(data, output_buffer_limit=PIECE_BYTES)
                if not piece:
                    return
                yield piece
                data = b""
        except self._error as error:
            raise ContentDecodingError(str(error)) from error


class _Zstd:
    """Zstandard (RFC 8878), where one frame may follow another."""

    def __init__(self) -> None:
        self._frame = zstd.ZstdDecompressor(options=ZSTD_OPTIONS)
        self._frames = 1

    @property
    def is_over(self) -> bool:
        """Whether the last frame has ended."""
        return self._frame.eof

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What `data` adds, frame by frame."""
        try:
            while data or not (self._frame.needs_input or self._frame.eof):
                if self._frame.eof:
                    self._frames = _counted(self._frames)
                    self._frame = zstd.ZstdDecompressor(options=ZSTD_OPTIONS)
                yield self._frame.decompress(data, PIECE_BYTES)
                data = self._frame.unused_data if self._frame.eof else b""
        except zstd.ZstdError as error:
            raise ContentDecodingError(str(error)) from error


def _counted(parts: int) -> int:
    """One more of the parts of a body, each of which takes some time, though it hold nothing."""
    if parts >= PARTS_MAX:
        raise ContentDecodingError("it has too many members")
    return parts + 1


def decoder_of(coding: str) -> Decoder | None:
    """A decoder for a header ``Content-Encoding``; None where the body is plain.

    Raises:
        Undecodable: there is none for it.
    """
    codings = [name.strip().lower() for name in coding.split(",")]
    named = [name for name in codings if name not in {"", "identity"}]
    if len(named) > CODINGS_MAX:
        raise ContentDecodingError(f"{len(named)} content codings on top of each other")
    decoders: list[Decoder] = []
    for name in reversed(named):
        match name:
            case "gzip" | "x-gzip":
                decoders.append(_Zlib(is_gzip=True))
            case "deflate":
                decoders.append(_Zlib(is_gzip=False))
            case "br":
                decoders.append(_Brotli())
            case "zstd":
                decoders.append(_Zstd())
            case _:
                raise ContentDecodingError(f"unknown coding {name[:20]!r}")
    return _Chain(decoders) if len(decoders) > 1 else next(iter(decoders), None)


class _Chain:
    """Several codings, the outermost first."""

    def __init__(self, decoders: Sequence[Decoder]) -> None:
        self._decoders = decoders
        self._between_bytes = 0

    @property
    def is_over(self) -> bool:
        """Whether the innermost coding has ended."""
        return self._decoders[-1].is_over

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What `data` adds once all codings are undone."""
        pieces = iter([data])
        for decoder in self._decoders:
            pieces = self._through(decoder, pieces)
        yield from pieces

    def _through(self, decoder: Decoder, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self._between_bytes += len(piece)
            if self._between_bytes > BETWEEN_BYTES_MAX:
                raise ContentDecodingError("it expands too much")
            yield from decoder.pieces(piece)

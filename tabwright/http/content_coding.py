"""Decode a body by its content encoding (content codings, RFC 9110, section 8.4.1), in pieces.

A decoder returns less than a megabyte at a time, and the caller can stop after any piece. So a
body that expands a thousandfold is never in memory as a whole.
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

GZIP_BITS = 16 + zlib.MAX_WBITS
"""zlib's ``wbits`` for gzip with any window."""

ZSTD_OPTIONS: Mapping[int, int] = {zstd.DecompressionParameter.window_log_max: 23}
"""A window of at most 8 MiB (RFC 9659, section 3)."""

UNSUPPORTED = frozenset(
    {"aes128gcm", "compress", "dcb", "dcz", "exi", "pack200-gzip", "x-compress"}
)
"""The other content codings that IANA has registered; no browser asks for them."""

CODINGS_MAX = 3
"""Maximum number of codings on one body; two are rare already."""


PARTS_MAX = 1000
"""Maximum number of concatenated members or frames in one body."""

BETWEEN_BYTES_MAX = 32 * 1024 * 1024
"""Maximum output of an intermediate coding, whose size no other limit covers."""


class ContentDecodingError(Exception):
    """The body does not match its ``Content-Encoding``."""


class Decoder(Protocol):
    """A decoder for one coding of one body."""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Decode `data` and yield the output in pieces.

        Raises:
            ContentDecodingError: the data is not valid.
        """
        ...

    @property
    def is_over(self) -> bool:
        """Whether the end of the coding was reached."""
        ...


class _Zlib:
    """A decoder for gzip, with concatenated members (RFC 1952), and deflate."""

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
        """Decode `data` into pieces of at most `PIECE_BYTES`."""
        if data and not self._has_begun:
            has_header = data[0] & 0x8F == 0x08  # noqa: PLR2004  ("deflate" is also sent raw)
            self._stream = zlib.decompressobj(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
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
        """Start the next gzip member; other trailing bytes are ignored."""
        rest = self._stream.unused_data
        if not self._is_gzip or not rest.startswith(b"\x1f\x8b"):
            return b""
        self._members = _counted(self._members)
        self._stream = zlib.decompressobj(GZIP_BITS)
        return rest


class _BrotliStream(Protocol):
    """The part of ``brotli.Decompressor`` that is used."""

    def process(self, data: bytes, /, *, output_buffer_limit: int) -> bytes:
        """Decode `data`, stopping after the limit; empty `data` returns the rest."""
        ...

    def is_finished(self) -> bool:
        """Return whether the end of the stream was reached."""
        ...


class _Brotli:
    """A decoder for Brotli (RFC 7932)."""

    def __init__(self) -> None:
        brotli = import_module("brotli")  # has no type annotations
        self._stream: _BrotliStream = brotli.Decompressor()
        self._error: type[Exception] = brotli.error

    @property
    def is_over(self) -> bool:
        """Whether the stream has ended; trailing bytes are ignored."""
        return self._stream.is_finished()

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Decode `data` into pieces of about `PIECE_BYTES`."""
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
    """A decoder for Zstandard (RFC 8878), with concatenated frames."""

    def __init__(self) -> None:
        self._frame = zstd.ZstdDecompressor(options=ZSTD_OPTIONS)
        self._frames = 1

    @property
    def is_over(self) -> bool:
        """Whether the last frame has ended."""
        return self._frame.eof

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Decode `data` frame by frame."""
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
    """Count a part of the body; even empty parts cost time, so their number is limited."""
    if parts >= PARTS_MAX:
        raise ContentDecodingError("it has too many members")
    return parts + 1


def decoder_of(coding: str) -> Decoder | None:
    """Return a decoder for a ``Content-Encoding`` header, or None for a plain body.

    Raises:
        ContentDecodingError: the coding is not supported, or there are too many.
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
            case _ if name in UNSUPPORTED:
                raise ContentDecodingError(f"unsupported coding {name!r}")
            case _:  # no coding, such as "utf-8" and "none", which browsers ignore
                pass
    return _Chain(decoders) if len(decoders) > 1 else next(iter(decoders), None)


class _Chain:
    """A decoder for several codings, the outermost first."""

    def __init__(self, decoders: Sequence[Decoder]) -> None:
        self._decoders = decoders
        self._between_bytes = 0

    @property
    def is_over(self) -> bool:
        """Whether the innermost coding has ended."""
        return self._decoders[-1].is_over

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Decode `data` through all codings."""
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

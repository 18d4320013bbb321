"""Send one request and read its response, with retries where they can help."""

from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

import attrs
import h2.exceptions
import httpcore2
import trio

from tabwright.http.config import Retries
from tabwright.http.connection_pool import ConnectionPool, PooledConnection
from tabwright.http.content_coding import ContentDecodingError, Decoder, decoder_of
from tabwright.http.errors import broken_off, not_http
from tabwright.http.request import RequestMessage
from tabwright.http.response import ResponseHead
from tabwright.http.signatures import RequestSigner, has_signature
from tabwright.protocol.errors import Effect, NavigationFailed
from tabwright.protocol.snapshot import CutReason

BROKEN = (httpcore2.NetworkError, httpcore2.ProtocolError, h2.exceptions.H2Error)
"""Errors that end a body early."""


@attrs.define
class BodyReader:
    """Reads one response body.

    Attributes:
        bytes_max: maximum size of the body, decoded and on the wire.
        cut: why the body is incomplete; None if it is complete.
    """

    bytes_max: int
    _decoder: Decoder | None
    _kept: bytearray = attrs.field(factory=bytearray)
    _read: int = 0
    cut: CutReason | None = "time_out"

    @property
    def body(self) -> bytes:
        """The bytes read so far."""
        return bytes(self._kept)

    async def take(self, chunks: AsyncGenerator[bytes], until_s: float) -> None:
        """Read to the end, or until `until_s` on trio's clock.

        Raises:
            ContentDecodingError: not even the beginning can be decoded.
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
        """Append the chunk, as far as it fits; return whether there is room for more."""
        self._read += len(chunk)
        for piece in (chunk,) if self._decoder is None else self._decoder.pieces(chunk):
            room = self.bytes_max - len(self._kept)
            self._kept += piece[:room]
            if len(piece) > room:
                return False
        return self._read <= self.bytes_max


DISCARD_BYTES = 65536
DISCARD_S = 0.5
"""Maximum time for reading an unwanted body in order to reuse its connection."""

GONE = (httpcore2.NetworkError, httpcore2.ConnectionNotAvailable)


@attrs.define(eq=False)
class HTTPResponse:
    """A response whose body has not been read."""

    head: ResponseHead
    _response: httpcore2.Response
    _connection: PooledConnection
    _is_over: bool = False

    async def take(self, bytes_max: int, until_s: float) -> BodyReader:
        """Read the body, at most until `until_s` on trio's clock.

        Raises:
            ContentDecodingError: the body does not match its ``Content-Encoding``.
        """
        reader = BodyReader(bytes_max, decoder_of(self.head.value("content-encoding")))
        return await self._taken(reader, until_s)

    async def discard(self) -> None:
        """Read and discard the body, so that the connection can be reused."""
        await self._taken(BodyReader(DISCARD_BYTES, None), trio.current_time() + DISCARD_S)

    async def leave(self, connections: ConnectionPool) -> None:
        """Give the connection back if the body is complete, or drop it."""
        try:
            if self._is_over:
                await self._response.aclose()
        finally:
            if self._is_over:
                await connections.give_back(self._connection)
            else:
                await connections.drop(self._connection)

    async def _taken(self, reader: BodyReader, until_s: float) -> BodyReader:
        await reader.take(self._response.aiter_stream(), until_s)
        self._is_over = reader.cut is None
        return reader


@attrs.frozen(eq=False)
class RetryingExchange:
    """Sends requests, retrying them under the configured rules; each is signed as it is sent."""

    _connections: ConnectionPool
    _retries: Retries
    _signer: RequestSigner | None = None

    @asynccontextmanager
    async def answered(
        self, message: RequestMessage, until_s: float
    ) -> AsyncGenerator[HTTPResponse]:
        """Yield the response to `message`; its head must arrive until `until_s`.

        Cancellation closes the connection.

        Raises:
            trio.TooSlowError: no response head arrived in time.
            BadInput, NavigationFailed: the request failed.
        """
        with trio.fail_at(until_s):
            answer = await self._patiently(message)
        try:
            yield answer
        finally:
            await answer.leave(self._connections)

    async def _patiently(self, message: RequestMessage) -> HTTPResponse:
        times = 1
        while True:
            try:
                answer = await self._asked(message)
            except NavigationFailed as failure:
                pause_s = self._retries.pause_after_failure(failure, message, times)
                if pause_s is None:
                    raise
            else:
                pause_s = self._retries.pause_after_answer(answer.head, message, times)
                if pause_s is None:
                    return answer
                await answer.leave(self._connections)
            times += 1
            await trio.sleep(pause_s)

    async def _asked(self, message: RequestMessage) -> HTTPResponse:
        """Send the request, once more if a reused connection fails.

        A request that must not be repeated uses a fresh connection. On a reused connection, any
        failure can stem from earlier exchanges, so the request is sent again on a fresh one.
        """
        is_fresh = message.method == "POST"
        connection = await self._connections.take(message.target, fresh=is_fresh)
        try:
            return await self._sent(connection, message)
        except NavigationFailed:
            if not connection.is_used:
                raise
        connection = await self._connections.take(message.target, fresh=True)
        return await self._sent(connection, message)

    async def _sent(self, connection: PooledConnection, message: RequestMessage) -> HTTPResponse:
        try:
            response = await connection.send(self._signed(message))
        except BaseException as error:
            await self._connections.drop(connection)
            if isinstance(error, Exception):
                is_cut = (
                    isinstance(error, httpcore2.RemoteProtocolError) and error.__cause__ is None
                )
                if isinstance(error, GONE) or is_cut:
                    failure: NavigationFailed = broken_off(message.target)
                else:
                    failure = not_http(message.target, str(error) or type(error).__name__)
                if message.method == "POST":
                    failure.effect = Effect.UNKNOWN
                raise failure from error
            raise
        return HTTPResponse(
            ResponseHead.of(response.status, response.headers), response, connection
        )

    def _signed(self, message: RequestMessage) -> RequestMessage:
        """Return the request with a signature, unless its caller has signed it."""
        if self._signer is None or has_signature(name for name, _ in message.headers):
            return message
        signature = self._signer.headers(message.target.authority)
        return attrs.evolve(message, headers=(*message.headers, *signature))

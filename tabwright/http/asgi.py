"""Serving ASGI applications on trio, safely from other sites and from clients that do not read.

Web pages can send requests to loopback and to private addresses. They cannot choose the name in
``Host`` (so DNS rebinding shows) nor ``Origin`` (so a request of another site shows).

Hypercorn shields what it sends from cancellation, so a client that stops reading would keep its
call, and the end of the server, waiting for ever. Only the end of its connection ends that.
"""

import logging
import os
import socket
from collections.abc import Collection
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

import attrs
import psutil
import trio
from hypercorn.config import Config
from hypercorn.trio import serve
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tabwright.concurrency.nursery import background_nursery, sole_error
from tabwright.concurrency.timers import STALL_S

_log = logging.getLogger("tabwright.server")
_hypercorn_log = logging.getLogger("tabwright.http")

REFUSAL_S = 1.0
"""The delay of the answer to a wrong token, in seconds, which slows down guessing."""

CLOSE_S = 0.5
"""The time for open streams to close at the end, in seconds."""


async def serve_application(
    app: ASGIApp,
    bind: str,
    closed: trio.Event,
    *,
    task_status: trio.TaskStatus[list[str]],
) -> None:
    """Serve an application until `closed` is set, or until cancelled.

    Args:
        app: the application.
        bind: the ``HOST:PORT`` to serve at; the port 0 chooses a free one.
        closed: ends the listener; open connections then have `CLOSE_S` seconds to close.
        task_status: is given the URLs of the server.

    Raises:
        OSError: the address cannot be used.
    """
    config = Config.from_mapping(
        bind=[bind], errorlog=_hypercorn_log, graceful_timeout=CLOSE_S, include_server_header=False
    )
    failure: BaseException | None = None
    try:
        served = UnambiguousLength(app)
        await serve(
            served, config, shutdown_trigger=closed.wait, mode="asgi", task_status=task_status
        )
    except BaseExceptionGroup as group:  # the server binds in nurseries of its own
        unusable, _cancelled = group.split(OSError)
        failure = sole_error(unusable or group)
    if failure is not None:
        raise failure


# Requests of other sites.


def is_own_host(host: str, names: Collection[str]) -> bool:
    """Return whether a ``Host`` header names this server: loopback, an IP address, or a name."""
    try:
        name = "" if "@" in host else (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return False
    if name == "localhost" or name in names:
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def is_origin_of(origin: str, host: str) -> bool:
    """Return whether an ``Origin`` header is that of the pages of a host, with its port."""
    try:
        return urlsplit(origin).netloc == host != ""
    except ValueError:
        return False


# Requests with two lengths.


@attrs.frozen(eq=False)
class UnambiguousLength:
    """An ASGI application that refuses requests whose length a proxy could read differently.

    The rest of such a request could be a second one, which the proxy has not seen (RFC 9112,
    section 6.1). So the connection is closed. The parser refuses other faults of lengths.
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to `app`, or answer it with 400."""
        if scope["type"] == "http":
            names = {name.lower() for name, _ in scope["headers"]}
            is_old = scope["http_version"] == "1.0"
            if b"transfer-encoding" in names and (is_old or b"content-length" in names):
                _log.warning("A request with an ambiguous length was refused.")
                with trio.move_on_after(STALL_S):  # an answer before the end races with the parser
                    while (await receive()).get("more_body"):
                        pass
                error = {"error": "the length of the request is ambiguous"}
                answer = JSONResponse(error, 400, {"Connection": "close"})
                return await answer(scope, receive, send)
        return await self.app(scope, receive, send)


# Clients that no longer read.

POLL_S = 5.0
"""The time between two checks of the parts that are being sent, in seconds."""


@attrs.frozen(eq=False)
class _Sending:
    """A part of an answer that is being sent to a client since a time."""

    client: tuple[str, int]
    since_s: float


@attrs.frozen(eq=False)
class AnswerTimeLimit:
    """An ASGI application that ends the connections of clients that do not read in time.

    A task of the application's lifespan looks at all answers, since a task for each part of an
    answer costs more than the part.
    """

    app: ASGIApp
    _sending: set[_Sending] = attrs.field(factory=set[_Sending], init=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to `app`."""
        if scope["type"] == "lifespan":
            async with background_nursery() as background:
                background.start_soon(self._end_late)
                return await self.app(scope, receive, send)

        host, port = scope["client"][:2]

        async def send_in_time(message: Message) -> None:
            sending = _Sending((host, port), trio.current_time())
            self._sending.add(sending)
            try:
                await send(message)
            finally:
                self._sending.discard(sending)

        return await self.app(scope, receive, send_in_time)

    async def _end_late(self) -> None:
        while True:
            await trio.sleep(POLL_S)
            now_s = trio.current_time()
            for sending in [one for one in self._sending if one.since_s <= now_s - STALL_S]:
                self._sending.discard(sending)
                _log.warning("A client did not read its answer; its connection was closed.")
                try:
                    end_connections(client=sending.client)
                except (OSError, psutil.Error):  # for example without a free descriptor
                    _log.exception("The connection could not be closed.")


def end_connections(*, client: tuple[str, int] | None = None, port: int | None = None) -> None:
    """Shut down the TCP connection of a client, or all those that were accepted at a port."""
    for one in psutil.Process().net_connections("tcp"):
        if not one.raddr or one.fd < 0:
            continue
        if (client is not None and tuple(one.raddr) == client) or one.laddr.port == port:
            with suppress(OSError), socket.socket(fileno=os.dup(one.fd)) as connection:
                connection.shutdown(socket.SHUT_RDWR)

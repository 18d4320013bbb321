"""The end of connections whose clients no longer read.

Hypercorn shields what it sends from cancellation, so a client that stops reading would keep its
call, and the end of the server, waiting for ever. Only the end of its connection ends that.
"""

import logging
import os
import socket
from contextlib import suppress

import attrs
import psutil
import trio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tabwright.concurrency.nursery import background_nursery

SEND_S = 30.0
"""The time for a client to read a part of an answer that it was sent, in seconds."""

_log = logging.getLogger("tabwright.server")


@attrs.frozen(eq=False)
class AnswerTimeLimit:
    """An ASGI application that ends the connections of clients that do not read in time."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to `app`."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)

        async def end_after_a_while() -> None:
            await trio.sleep(SEND_S)
            _log.warning("A client did not read its answer; its connection was closed.")
            host, port = scope["client"][:2]
            end_connections(client=(host, port))

        async def send_in_time(message: Message) -> None:
            async with background_nursery() as background:
                background.start_soon(end_after_a_while)
                await send(message)

        return await self.app(scope, receive, send_in_time)


def end_connections(*, client: tuple[str, int] | None = None, port: int | None = None) -> None:
    """Shut down the TCP connection of a client, or all those that were accepted at a port."""
    for one in psutil.Process().net_connections("tcp"):
        if not one.raddr or one.fd < 0:
            continue
        if (client is not None and tuple(one.raddr) == client) or one.laddr.port == port:
            with suppress(OSError), socket.socket(fileno=os.dup(one.fd)) as connection:
                connection.shutdown(socket.SHUT_RDWR)

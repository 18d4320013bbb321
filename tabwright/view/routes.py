"""The page of the live view over HTTP, and its stream of messages over WebSocket.

====================  =========================================================
path                  what is there
====================  =========================================================
/view                 the page, which is the same for everybody
/view/FILE            its scripts and its style
/view/session         POST: uses a link, returns the token of a session
/view/stream          WebSocket: pictures and state, and what the person does
====================  =========================================================

The page cannot be reached by the pages that it shows: they are other origins, whose requests are
refused, and only pictures and text of them get here. Its policy allows no script but its own.
"""

import logging
from collections.abc import Collection
from functools import partial
from importlib.resources import files
from urllib.parse import urlsplit

import attrs
import msgspec
import trio
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from tabwright.concurrency.nursery import background_nursery
from tabwright.concurrency.timers import STALL_S
from tabwright.http.asgi import (
    REFUSAL_S,
    AnswerTimeLimit,
    end_connections,
    is_origin_of,
    is_own_host,
    serve_application,
)
from tabwright.view.messages import Hello, read_message
from tabwright.view.service import PATH, View
from tabwright.view.viewer import Viewer

FILES = {
    "index.html": "text/html",
    "view.css": "text/css",
    "view.js": "text/javascript",
    "picture.js": "text/javascript",
    "controls.js": "text/javascript",
}
"""The files of the page and their types."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:;"
        " connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none';"
        " require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]

_log = logging.getLogger("tabwright.view")

LINK_BYTES_MAX = 1_000

POLICY_VIOLATION = 1008
"""The code of WebSocket for a client that is not let in (RFC 6455)."""


def view_application(  # noqa: C901  (one function for each route)
    view: View, hosts: Collection[str]
) -> ASGIApp:
    """Return the ASGI application of the live view.

    Args:
        view: the live view.
        hosts: the names of the server, besides loopback and IP addresses.
    """

    async def page(request: Request) -> Response:
        """Return a file of the page."""
        name = request.path_params.get("name", "index.html")
        if name not in FILES:
            return PlainTextResponse("not found", 404)
        text = files("tabwright.view").joinpath("page", name).read_text(encoding="utf-8")
        return Response(text, media_type=FILES[name])

    async def session(request: Request) -> Response:
        """Use a link, whose token is the body, and return the token of a session."""
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > LINK_BYTES_MAX:
                return PlainTextResponse("too long", 413)
        token = view.links.redeem(body.decode(errors="replace"))
        if token is None:
            await trio.sleep(REFUSAL_S)
            return JSONResponse({"error": "the link was used before, or has expired"}, 403)
        return JSONResponse({"session": token})

    async def stream(socket: WebSocket) -> None:
        """Serve a person that has a session."""
        await socket.accept()
        session = None
        with trio.move_on_after(STALL_S):
            try:
                hello = read_message(await socket.receive_text())
                if isinstance(hello, Hello):
                    session = view.links.session(hello.session)
            except (msgspec.MsgspecError, WebSocketDisconnect, KeyError):
                pass
        if session is None:
            return await socket.close(POLICY_VIOLATION)
        try:
            with view.present(session), trio.move_on_at(session.until_s):
                await Viewer(_Channel(socket), view.tabs, session, view.new_folder).run()
        except* WebSocketDisconnect:
            _log.debug("A person closed the live view.")
        return None

    routes = [
        Route(PATH, page),
        Route(f"{PATH}/session", session, methods=["POST"]),
        Route(f"{PATH}/{{name}}", page),
        WebSocketRoute(f"{PATH}/stream", stream),
    ]
    return _OwnPagesOnly(Starlette(routes=routes), hosts)


@attrs.frozen(eq=False)
class _OwnPagesOnly:
    """Refuses requests for other hosts and of other pages, and sets the policy of the page."""

    app: ASGIApp
    hosts: Collection[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        is_socket = scope["type"] == "websocket"
        is_known = is_own_host(host, self.hosts)
        if not is_known or not (is_origin_of(origin, host) if origin else not is_socket):
            if is_socket:
                return await send({"type": "websocket.close", "code": POLICY_VIOLATION})
            status = 403 if is_known else 421
            return await PlainTextResponse("refused", status)(scope, receive, send)

        async def send_with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        return await self.app(scope, receive, send_with_policy)


@attrs.frozen(eq=False)
class _Channel:
    """A WebSocket as a `Channel`."""

    _socket: WebSocket

    async def receive(self) -> str | bytes | None:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            return None
        text: str | None = message.get("text")
        data: bytes | None = message.get("bytes")
        return text if text is not None else data

    async def send(self, message: str | bytes) -> None:
        if isinstance(message, str):
            await self._socket.send_text(message)
        else:
            await self._socket.send_bytes(message)


# The port of a process that serves nothing else over HTTP.


async def listen(view: View, bind: str, task_status: trio.TaskStatus[str]) -> None:
    """Serve the live view at a ``HOST:PORT`` until cancelled.

    Raises:
        OSError: the address cannot be used.
    """
    app = AnswerTimeLimit(view_application(view, view.hosts))
    async with background_nursery() as nursery:
        serving = partial(serve_application, app, bind, trio.Event())
        addresses: list[str] = await nursery.start(serving)
        try:
            task_status.started(addresses[0])
            await trio.sleep_forever()
        finally:
            end_connections(port=urlsplit(addresses[0]).port)

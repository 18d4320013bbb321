"""MCP over streamable HTTP for many clients, with a graceful end.

======================================  =======================================================
path                                    what is there
======================================  =======================================================
/mcp                                    MCP, of all protocol versions
/health                                 the health check: 200 while the process works
/ready                                  200 while calls are accepted, 503 once the server ends
/metrics                                figures for Prometheus
/view                                   the live view; see `tabwright.view.routes`
/view/links                             POST: a new link to the live view
/.well-known/oauth-protected-resource   who issues tokens (RFC 9728), if an issuer is set
======================================  =======================================================
"""

import gc
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import attrs
import trio
from mcp.server.auth.routes import build_resource_metadata_url, create_protected_resource_routes
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tabwright.actors.mcp_gateway import MCPGateway
from tabwright.app import ON_DEMAND, import_modules, open_shared
from tabwright.client import Tabwright
from tabwright.concurrency.nursery import background_nursery, shielded
from tabwright.config.settings import Settings
from tabwright.control.server import serve_control
from tabwright.environment import Environment
from tabwright.http.asgi import CLOSE_S, AnswerTimeLimit, end_connections, serve_application
from tabwright.mcp.registry import toolbox
from tabwright.plugins.server.guard import BodyTimeLimit, Guard, refusal
from tabwright.plugins.server.metrics import ServerMetrics
from tabwright.plugins.server.oauth import IssuedTokens
from tabwright.plugins.server.principals import ONLY, TokenVerifier, read_tokens, require_shareable
from tabwright.plugins.server.settings import SERVER_SETTINGS
from tabwright.plugins.server.users import GatewayFactory, ServerFull, Users
from tabwright.protocol.errors import BadInput, SettingsError
from tabwright.protocol.urls import is_loopback
from tabwright.view.links import ViewScope
from tabwright.view.routes import view_application
from tabwright.view.service import PATH, View

RETRY_AFTER_S = 1
"""When a client should try again, in seconds; most calls take about as long."""

COLLECTIONS_PER_FULL_ONE = 200
"""How many collections of younger objects come before one of all; 10 by default.

A full one scans the objects of all sessions, about 800 each, and stops all calls meanwhile.
"""

_log = logging.getLogger("tabwright.server")


@attrs.define(eq=False)
class Endpoint:
    """The ASGI application of `/mcp`: passes each request to the MCP sessions of its user.

    Attributes:
        users: the users of the server.
        operator: sees the tabs and rates of all users.
        ending: whether the server is ending, and accepts no more calls.
    """

    users: Users
    operator: Tabwright
    ending: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        answer: ASGIApp
        try:
            if self.ending:
                answer = refusal(503, "the server is ending", retry_after_s=RETRY_AFTER_S)
            else:
                user = await self.users.find(scope["state"]["principal"])
                if scope["method"] != "POST":  # a stream for messages, or the end of a session
                    return await user.clients.handle_request(scope, receive, send)
                async with self.users.call(user):
                    return await user.clients.handle_request(scope, receive, send)
        except ServerFull as full:
            self.users.metrics.note_refusal()
            answer = refusal(429, f"{full}; try again later", retry_after_s=RETRY_AFTER_S)
        return await answer(scope, receive, send)


def application(endpoint: Endpoint, tokens: TokenVerifier | None, view: View) -> ASGIApp:
    """Return the ASGI application of a server, with `endpoint` at ``/mcp``."""
    settings = SERVER_SETTINGS.of(endpoint.users.settings)

    async def health(_request: Request) -> Response:
        """Report that the process works, and in a fleet whether Redis responds."""
        share = await endpoint.operator.rate_share()
        if share is None:
            return JSONResponse({"status": "ok"})
        fleet = {"redis": "ok" if share.is_whole else "lost", "rate_share": share.part}
        return JSONResponse({"status": "ok", "fleet": fleet})

    async def ready(_request: Request) -> Response:
        """Report whether calls are accepted."""
        return JSONResponse({"ready": not endpoint.ending}, 503 if endpoint.ending else 200)

    async def metrics(_request: Request) -> Response:
        """Return the figures of the server."""
        users = endpoint.users
        text = await users.metrics.text(endpoint.operator, users.all(), users.calls)
        return Response(text, media_type=CONTENT_TYPE_LATEST)

    async def new_link(request: Request) -> Response:
        """Return a link to the live view of the user's tabs."""
        try:
            url = await view.link(ViewScope(request.scope["state"]["principal"]))
        except BadInput as error:
            return refusal(404, str(error))
        return JSONResponse({"url": url})

    routes = [
        Route("/view/links", new_link, methods=["POST"]),
        Route("/mcp", BodyTimeLimit(endpoint)),
        Route("/health", health),
        Route("/ready", ready),
        Route("/metrics", metrics),
    ]
    metadata_url = ""
    if settings.issuer and settings.audience:
        resource = AnyHttpUrl(settings.audience)
        metadata_url = str(build_resource_metadata_url(resource))
        issuers, scopes = [AnyHttpUrl(settings.issuer)], list(settings.scopes) or None
        routes += create_protected_resource_routes(resource, issuers, scopes)
    app = Starlette(routes=routes)
    guard: ASGIApp = Guard(app, settings.hosts, settings.origins, tokens, metadata_url)
    if view.is_on:
        guard = _WithView(guard, view_application(view, settings.hosts))
    if settings.origins:
        guard = CORSMiddleware(
            guard,
            allow_origins=settings.origins,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=["Mcp-Session-Id", "WWW-Authenticate"],
        )
    return AnswerTimeLimit(guard)


@attrs.frozen(eq=False)
class _WithView:
    """Passes requests for the live view to it, which lets people in by their links."""

    app: ASGIApp
    view: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        path = scope.get("path", "")
        is_view = path == PATH or (path.startswith(f"{PATH}/") and path != f"{PATH}/links")
        await (self.view if is_view else self.app)(scope, receive, send)


async def serve_http(
    settings: Settings,
    environment: Environment,
    announce: Callable[[str], None],
    gateway: GatewayFactory = MCPGateway,
) -> None:
    """Serve until cancelled; then finish the running calls within `server.drain_s`, and stop.

    Args:
        settings: of the server, with the address in `server.http`.
        environment: of its actors.
        announce: is called with the URL of the server once it accepts requests.
        gateway: creates the gateway of a user; tests add tools to it.

    Raises:
        SettingsError: the address cannot be used, or the server would be open to a network.
    """
    own = SERVER_SETTINGS.of(settings)
    bind = own.http or "127.0.0.1:0"
    ending, closed = trio.Event(), trio.Event()
    async with (
        shielded(lambda _scope: ending.set()),
        open_shared(settings, environment) as shared,
        background_nursery() as background,
    ):
        tools = toolbox(shared.settings, shared.engines).every
        metrics = ServerMetrics([tool.name for tool in tools])
        users = Users(background, shared, gateway, metrics)
        operator = await users.find(ONLY)
        background.start_soon(serve_control, operator.tabwright, users.besides_operator)
        endpoint = Endpoint(users, operator.tabwright)
        app = application(endpoint, _tokens(bind, shared.settings), shared.view)
        listening = partial(serve_application, app, bind, closed)
        async with trio.open_nursery() as listeners:
            try:
                addresses: list[str] = await listeners.start(listening)
            except OSError as error:
                problem = f"server.http: {bind}: {error.strerror or error}"
                raise SettingsError(problem) from error
            shared.view.served_at(addresses[0], own.hosts)
            import_modules(ON_DEMAND)
            gc.collect()
            gc.freeze()  # a collection would stop all calls for as long as it takes to scan modules
            gc.set_threshold(*gc.get_threshold()[:2], COLLECTIONS_PER_FULL_ONE)
            announce(f"{addresses[0]}/mcp")
            await ending.wait()
            endpoint.ending = True
            with trio.move_on_after(own.drain_s):
                await users.finish_calls()
            closed.set()
            background.start_soon(_end_connections, urlsplit(addresses[0]).port)


async def _end_connections(port: int | None) -> None:
    """End the connections that are still open a while after the end of the listener."""
    await trio.sleep(2 * CLOSE_S)
    end_connections(port=port)


def _tokens(bind: str, settings: Settings) -> TokenVerifier | None:
    """Return who knows the tokens; None for a server that only this machine can reach.

    Raises:
        SettingsError: there are none, and a network can reach the server; or their file or
            another setting does not fit.
    """
    server = SERVER_SETTINGS.of(settings)
    if server.issuer is not None:
        if server.audience is None or server.token_file is not None:
            raise SettingsError(
                "server.issuer needs server.audience, the URL of this server, and no"
                " server.token_file."
            )
        require_shareable(settings)
        return IssuedTokens(server.issuer, server.audience, server.scopes)
    if server.token_file is not None:
        tokens = read_tokens(Path(server.token_file).expanduser())
        if tokens.shared:
            require_shareable(settings)
        return tokens
    if not is_loopback(urlsplit(f"//{bind}").hostname or ""):
        raise SettingsError(
            f"server.http: {bind} can be reached from a network, so clients need a token."
            " Set --token-file FILE; a file that does not exist is created with a token."
        )
    return None

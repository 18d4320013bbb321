"""Checks of a request before it is processed: its host, origin, token and body."""

import logging
from collections.abc import Collection

import attrs
import trio
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tabwright.concurrency.timers import STALL_S
from tabwright.http.asgi import REFUSAL_S, is_origin_of, is_own_host
from tabwright.plugins.server.principals import ONLY, TokenRefused, TokenVerifier

REFUSALS_MAX = 64
"""The maximum number of such answers that wait; further ones are sent at once, with status 429."""

OPEN_PATHS = ("/health", "/ready", "/.well-known/")
"""Paths that need no token; what is there tells nothing about users."""

_log = logging.getLogger("tabwright.server")


def refusal(
    status: int, message: str, *, retry_after_s: int | None = None, challenge: str = ""
) -> Response:
    """Return an error response; `challenge` is for ``WWW-Authenticate`` (RFC 6750)."""
    headers = {"Retry-After": str(retry_after_s)} if retry_after_s is not None else {}
    if challenge:
        headers["WWW-Authenticate"] = challenge
    return JSONResponse({"error": message}, status, headers)


@attrs.define(eq=False)
class Guard:
    """An ASGI application that lets only proper requests through to `app`.

    The name of the principal is passed on in the state of the request, as ``principal``.

    Attributes:
        hosts: the names of the server, besides loopback and IP addresses.
        origins: origins whose pages can use the server, such as ``https://app.example``.
        tokens: knows whose tokens they are; None if every client is the only user.
        metadata_url: where clients learn who issues tokens (RFC 9728); empty for a token file.
    """

    app: ASGIApp
    hosts: Collection[str]
    origins: Collection[str]
    tokens: TokenVerifier | None
    metadata_url: str = ""
    _waiting: trio.Semaphore = attrs.field(factory=lambda: trio.Semaphore(REFUSALS_MAX), init=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        headers = Headers(scope=scope)
        principal = ONLY
        answer = self._wrong_place(headers)
        if answer is None and self.tokens and not scope["path"].startswith(OPEN_PATHS):
            try:
                principal = await self.tokens.principal(_bearer(headers))
            except TokenRefused as refused:
                peer = scope["client"][0] if scope.get("client") else "an unknown address"
                answer = await self._unauthorized(refused, headers, peer)
        if answer is not None:
            return await answer(scope, receive, send)
        scope["state"] = {**scope.get("state", {}), "principal": principal}
        return await self.app(scope, receive, send)

    def _wrong_place(self, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if not is_own_host(host, self.hosts):
            _log.warning("A request for the unknown host %.100r was refused.", host)
            return refusal(421, "unknown host; see server.hosts")
        origin = headers.get("origin")
        if origin is None or origin in self.origins or is_origin_of(origin, host):
            return None
        _log.warning("A request of a page of %.100r was refused.", origin)
        return refusal(403, "unknown origin; see server.origins")

    async def _unauthorized(self, refused: TokenRefused, headers: Headers, peer: str) -> Response:
        if not _bearer(headers):
            return refusal(401, "a bearer token is required", challenge=self._challenge())
        try:
            self._waiting.acquire_nowait()
        except trio.WouldBlock:
            return refusal(429, "too many wrong tokens", retry_after_s=int(REFUSAL_S))
        try:
            await trio.sleep(REFUSAL_S)
        finally:
            self._waiting.release()
        _log.warning("A request of %s with a token was refused: %s", peer, refused)
        if refused.scope:
            wanted = self._challenge(f'error="insufficient_scope", scope="{refused.scope}"')
            return refusal(403, str(refused), challenge=wanted)
        return refusal(401, "invalid token", challenge=self._challenge('error="invalid_token"'))

    def _challenge(self, error: str = "") -> str:
        place = f'resource_metadata="{self.metadata_url}"' if self.metadata_url else ""
        parts = ", ".join(filter(None, (error, place)))
        return f"Bearer {parts}".strip()


@attrs.frozen(eq=False)
class BodyTimeLimit:
    """An ASGI application that answers with 408 if the body of a request does not come in time."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to `app`."""
        deadline = trio.current_time() + STALL_S
        complete = False

        async def receive_in_time() -> Message:
            nonlocal complete
            if complete:  # what comes now is the end of the connection
                return await receive()
            with trio.fail_at(deadline):
                message = await receive()
            complete = message["type"] != "http.request" or not message.get("more_body", False)
            return message

        try:
            await self.app(scope, receive_in_time, send)
        except trio.TooSlowError:
            if complete:
                raise
            await refusal(408, "the request took too long")(scope, receive, send)


def _bearer(headers: Headers) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""

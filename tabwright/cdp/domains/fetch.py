"""The Fetch domain: requests that are paused until we continue or fail them."""

from base64 import b64encode
from collections.abc import Iterable
from typing import Literal, TypeAlias

from tabwright.cdp.domains.network import RequestData
from tabwright.cdp.wire import JSON, CDPCommand, Event, Nothing, Shape, present

AuthResponse: TypeAlias = Literal["Default", "CancelAuth", "ProvideCredentials"]


class RequestPaused(Event, frozen=True):
    """A matching request is paused; `resource_type` is a ``Network.ResourceType``."""

    method = "Fetch.requestPaused"
    request_id: str
    request: RequestData
    resource_type: str
    frame_id: str = ""


class AuthChallenge(Shape, frozen=True):
    """A request for credentials; `source` is ``Server`` or ``Proxy``."""

    origin: str
    source: str = ""


class AuthRequired(Event, frozen=True):
    """A server or a proxy asks for credentials."""

    method = "Fetch.authRequired"
    request_id: str
    auth_challenge: AuthChallenge


def pattern(*, url: str = "*", resource_type: str | None = None) -> JSON:
    """Return a ``Fetch.RequestPattern``: ``*`` in `url` matches anything; None matches any type."""
    return present(urlPattern=url, resourceType=resource_type)


def enable(patterns: Iterable[JSON], *, handles_auth: bool = False) -> CDPCommand[Nothing]:
    """Fetch.enable; all other requests are unaffected.

    With `handles_auth`, requests for credentials are paused, too.
    """
    params = present(patterns=list(patterns), handleAuthRequests=handles_auth or None)
    return CDPCommand("Fetch.enable", params, Nothing)


def disable() -> CDPCommand[Nothing]:
    """Fetch.disable; paused requests continue."""
    return CDPCommand("Fetch.disable", {}, Nothing)


def fail_request(request_id: str) -> CDPCommand[Nothing]:
    """Fetch.failRequest, as if blocked by the client."""
    params = {"requestId": request_id, "errorReason": "BlockedByClient"}
    return CDPCommand("Fetch.failRequest", params, Nothing)


def abort_request(request_id: str) -> CDPCommand[Nothing]:
    """Fetch.failRequest, as if the navigation had been aborted: the current page stays."""
    params = {"requestId": request_id, "errorReason": "Aborted"}
    return CDPCommand("Fetch.failRequest", params, Nothing)


def continue_request(
    request_id: str, headers: Iterable[tuple[str, str]] | None = None
) -> CDPCommand[Nothing]:
    """Fetch.continueRequest; with `headers`, these replace all headers of the request."""
    entries = None if headers is None else _entries(headers)
    return CDPCommand(
        "Fetch.continueRequest", present(requestId=request_id, headers=entries), Nothing
    )


def fulfill_request(
    request_id: str, status: int, headers: Iterable[tuple[str, str]], body: bytes
) -> CDPCommand[Nothing]:
    """Fetch.fulfillRequest: answer in place of the server."""
    params: dict[str, JSON] = {
        "requestId": request_id,
        "responseCode": status,
        "responseHeaders": _entries(headers),
        "body": b64encode(body).decode(),
    }
    return CDPCommand("Fetch.fulfillRequest", params, Nothing)


def _entries(headers: Iterable[tuple[str, str]]) -> JSON:
    return [{"name": name, "value": value} for name, value in headers]


def continue_with_auth(
    request_id: str, response: AuthResponse, user: str = "", password: str = ""
) -> CDPCommand[Nothing]:
    """Fetch.continueWithAuth; ``Default`` leaves the question to the browser."""
    answer: dict[str, JSON] = {"response": response}
    if response == "ProvideCredentials":
        answer |= {"username": user, "password": password}
    params: dict[str, JSON] = {"requestId": request_id, "authChallengeResponse": answer}
    return CDPCommand("Fetch.continueWithAuth", params, Nothing)

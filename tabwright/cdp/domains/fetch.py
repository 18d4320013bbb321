"""The Fetch domain: requests that are paused until we continue or fail them."""

from collections.abc import Iterable

from tabwright.cdp.domains.network import RequestData
from tabwright.cdp.wire import JSON, CDPCommand, Event, Nothing, present


class RequestPaused(Event, frozen=True):
    """A matching request is paused; `resource_type` is a ``Network.ResourceType``."""

    method = "Fetch.requestPaused"
    request_id: str
    request: RequestData
    resource_type: str
    frame_id: str = ""


def pattern(*, url: str = "*", resource_type: str | None = None) -> JSON:
    """Return a ``Fetch.RequestPattern``: ``*`` in `url` matches anything; None matches any type."""
    return present(urlPattern=url, resourceType=resource_type)


def enable(patterns: Iterable[JSON]) -> CDPCommand[Nothing]:
    """Fetch.enable; all other requests are unaffected."""
    return CDPCommand("Fetch.enable", {"patterns": list(patterns)}, Nothing)


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


def continue_request(request_id: str) -> CDPCommand[Nothing]:
    """Fetch.continueRequest, unchanged."""
    return CDPCommand("Fetch.continueRequest", {"requestId": request_id}, Nothing)

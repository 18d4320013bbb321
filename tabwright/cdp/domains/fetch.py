"""The Fetch domain: requests that are held until we let them go, or do not."""

from collections.abc import Iterable

from tabwright.cdp.domains.network import RequestData
from tabwright.cdp.wire import JSON, CDPCommand, Event, Nothing, present


class RequestPaused(Event, frozen=True):
    """A request that a pattern names is held; `resource_type` as in ``Network.ResourceType``."""

    method = "Fetch.requestPaused"
    request_id: str
    request: RequestData
    resource_type: str
    frame_id: str = ""


def pattern(*, url: str = "*", resource_type: str | None = None) -> JSON:
    """A ``Fetch.RequestPattern``: `url` with ``*`` for anything; any type where none is given."""
    return present(urlPattern=url, resourceType=resource_type)


def enable(patterns: Iterable[JSON]) -> CDPCommand[Nothing]:
    """Fetch.enable; every other request passes without a word."""
    return CDPCommand("Fetch.enable", {"patterns": list(patterns)}, Nothing)


def disable() -> CDPCommand[Nothing]:
    """Fetch.disable; what is held is let go."""
    return CDPCommand("Fetch.disable", {}, Nothing)


def fail_request(request_id: str) -> CDPCommand[Nothing]:
    """Fetch.failRequest, as by a blocker of the client."""
    params = {"requestId": request_id, "errorReason": "BlockedByClient"}
    return CDPCommand("Fetch.failRequest", params, Nothing)


def abort_request(request_id: str) -> CDPCommand[Nothing]:
    """Fetch.failRequest, as if the navigation had been given up: the page stays as it was."""
    params = {"requestId": request_id, "errorReason": "Aborted"}
    return CDPCommand("Fetch.failRequest", params, Nothing)


def continue_request(request_id: str) -> CDPCommand[Nothing]:
    """Fetch.continueRequest, unchanged."""
    return CDPCommand("Fetch.continueRequest", {"requestId": request_id}, Nothing)

"""From what a person knows of a running browser to its WebSocket address."""

import httpx2

from tabwright.cdp.errors import MalformedReply
from tabwright.cdp.wire import Shape, decode


class EndpointUnreachable(Exception):
    """Nothing that speaks CDP answers there."""


class _Version(Shape, frozen=True):
    web_socket_debugger_url: str


async def websocket_url(endpoint: str) -> str:
    """The WebSocket address of the browser at `endpoint`.

    ``ws://…`` and ``wss://…`` stand for themselves; ``http://host:port`` or ``host:port`` is asked
    for ``/json/version``. Waits until the caller's deadline.

    Raises:
        EndpointUnreachable: nothing there, or not a browser.
    """
    endpoint = _whole(endpoint)
    if endpoint.startswith(("ws://", "wss://")):
        return endpoint
    try:
        async with httpx2.AsyncClient(trust_env=False, timeout=None) as client:
            answer = await client.get(f"{endpoint.rstrip('/')}/json/version")
            answer.raise_for_status()
            return decode(answer.content, _Version, "/json/version").web_socket_debugger_url
    except (httpx2.HTTPError, httpx2.InvalidURL, MalformedReply) as error:
        what = type(error).__name__  # its words may hold the whole address
        place = public_part(endpoint)
        raise EndpointUnreachable(f"No browser answers at {place} ({what}).") from error


def public_part(endpoint: str) -> str:
    """The endpoint without what may be secret: a user's name, a password, a token."""
    scheme, _, rest = _whole(endpoint).partition("://")
    host = rest.partition("/")[0].partition("?")[0].rpartition("@")[2]
    return f"{scheme}://{host}"


def _whole(endpoint: str) -> str:
    """With the scheme that is meant where there is none."""
    return endpoint if "://" in endpoint else f"http://{endpoint}"

"""Request interception: learning redirect targets, blocking requests, and routing them."""

import re
from base64 import b64decode
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from functools import lru_cache
from http import HTTPStatus
from urllib.parse import urljoin, urlsplit

from tabwright.cdp.domains import fetch, network
from tabwright.cdp.wire import CDPCommand, Event, Nothing
from tabwright.config.shipped_lists import BlockRules
from tabwright.protocol.context_options import (
    HTTPCredentials,
    RecordedResponse,
    RequestRoute,
)
from tabwright.protocol.urls import Bounds

EVENTS = (network.RequestWillBeSent, network.ResponseReceivedExtraInfo)
"""The events of `collect`."""

FIND_S = 3.0
"""Seconds for all links of a page together."""

ASK = """function ask(...links) {
  for (const link of links) fetch(link, { redirect: "manual" }).catch(() => null);
  return "";
}"""
"""Requests each link without following redirects (Fetch, redirect mode)."""


async def collect(
    events: AsyncIterator[Event], links: Sequence[str], found: dict[str, str]
) -> None:
    """Put the targets of `links` into `found`, until each has been answered.

    The two events of a request come from two processes, so their order varies.
    """
    asked: dict[str, str] = {}
    answered: dict[str, str] = {}
    async for event in events:
        match event:
            case network.RequestWillBeSent() if event.request.url in links:
                asked[event.request_id] = event.request.url
            case network.ResponseReceivedExtraInfo():
                headers = {name.lower(): value for name, value in event.headers.items()}
                answered[event.request_id] = headers.get("location", "")
            case _:
                pass
        known = {asked[key]: answered[key] for key in asked.keys() & answered.keys()}
        found.update({link: urljoin(link, target) for link, target in known.items() if target})
        if len(known) == len(set(links)):
            return


# Why a request is paused, and how it continues.


def hold(rules: BlockRules) -> CDPCommand[Nothing]:
    """Return the command that pauses requests that may be blocked; each must then be answered."""
    types = [fetch.pattern(resource_type=name) for name in sorted(rules.types)]
    # Wide enough for the rules, which then check the host itself.
    hosts = [fetch.pattern(url=f"*{host}*") for host in sorted(rules.hosts)]
    return fetch.enable((*types, *hosts))


PICTURE = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQAQMAAAAlPW0iAAAAA1BMVEUAAACnej3aAAAAAXRSTlMAQObYZgAAAAxJREFU"
    "eNpjYCANAAAAMAABKHRJfQAAAABJRU5ErkJggg=="
)
"""A transparent PNG, as large as the icon that Chromium shows for a picture that is missing."""

SUBSTITUTES = {"Image": ("image/png", PICTURE), "Stylesheet": ("text/css", b"")}
"""The media types and bodies that answer blocked requests.

If these failed, scripts of the page would show an error, or remove what belongs to a picture.
"""


def answer(
    held: fetch.RequestPaused, rules: BlockRules, bounds: Bounds, page_id: str
) -> CDPCommand[Nothing]:
    """Return the command that continues or blocks the request; the page's own always continues.

    A blocked one is answered with a substitute, unless its host is blocked or out of bounds.
    """
    url, kind = held.request.url, held.resource_type
    host = urlsplit(url).hostname or ""
    is_page = kind == "Document" and held.frame_id == page_id
    if is_page or not rules.block(host, kind):
        return fetch.continue_request(held.request_id)
    if kind not in SUBSTITUTES or rules.lists(host) or not bounds.admit(url):
        return fetch.fail_request(held.request_id)
    media_type, body = SUBSTITUTES[kind]
    headers = [
        ("Content-Type", media_type),
        ("Cache-Control", "no-store"),
        ("Cross-Origin-Resource-Policy", "cross-origin"),
    ]
    return _fulfilled(held, HTTPStatus.OK, headers, body)


# Routing of requests: answering or changing the requests of a page that a pattern matches.

_SPECIAL = re.compile(r"\*\*/?|\*|\{[^{}]*\}|.", re.DOTALL)

NO_BODY = frozenset({204, 205, 304})
"""Statuses of responses without a body (RFC 9110)."""


@lru_cache(maxsize=256)
def glob_pattern(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of a glob, with the meaning that Playwright gives it.

    ``*`` matches anything but a slash, ``**`` anything, ``{a,b}`` either of its parts.
    """
    return re.compile("".join(map(_translated, _SPECIAL.findall(pattern))), re.DOTALL)


def _translated(piece: str) -> str:
    if piece == "**/":
        return "(?:.*/)?"
    if piece == "**":
        return ".*"
    if piece == "*":
        return "[^/]*"
    if len(piece) > 1:
        parts = [
            "".join("[^/]*" if letter == "*" else re.escape(letter) for letter in part)
            for part in piece[1:-1].split(",")
        ]
        return f"(?:{'|'.join(parts)})"
    return re.escape(piece)


def matching_route(routes: Iterable[RequestRoute], method: str, url: str) -> RequestRoute | None:
    """Return the first route that decides about a request; None if it is sent unchanged."""
    for route in routes:
        if glob_pattern(route.pattern).fullmatch(url) and (
            not route.recorded or recorded_response(route.recorded, method, url)
        ):
            return route
    return None


def recorded_response(
    recorded: Iterable[RecordedResponse], method: str, url: str
) -> RecordedResponse | None:
    """Return the recorded response to a request; None if there is none."""
    for one in recorded:
        if one.method == method and one.url == url.partition("#")[0]:
            return one
    return None


def route_command(
    held: fetch.RequestPaused, routes: Sequence[RequestRoute], bounds: Bounds
) -> CDPCommand[Nothing]:
    """Return the command that blocks, answers or continues a paused request.

    A request outside of the bounds continues unchanged, and is refused where it is sent.
    """
    request = held.request
    route = matching_route(routes, request.method, request.url)
    if route is None or not bounds.admit(request.url):
        return fetch.continue_request(held.request_id)
    if route.block:
        return fetch.fail_request(held.request_id)
    if found := recorded_response(route.recorded, request.method, request.url):
        status, headers, body = found.status, found.headers, found.body
        return _fulfilled(held, status, headers, body)
    if route.status is not None:
        return _fulfilled(held, route.status, route.headers, route.body)
    return fetch.continue_request(held.request_id, changed_headers(request.headers, route))


def _fulfilled(
    held: fetch.RequestPaused, status: int, headers: Iterable[tuple[str, str]], body: bytes
) -> CDPCommand[Nothing]:
    """Return the command that answers a request; scripts of another origin may read the answer."""
    answered = list(headers)
    sent = {name.lower(): value for name, value in held.request.headers.items()}
    names = {name.lower() for name, _ in answered}
    if "origin" in sent and "access-control-allow-origin" not in names:
        answered += [
            ("Access-Control-Allow-Origin", sent["origin"]),
            ("Access-Control-Allow-Credentials", "true"),
        ]
    return fetch.fulfill_request(
        held.request_id, status, answered, b"" if status in NO_BODY else body
    )


def changed_headers(headers: Mapping[str, str], route: RequestRoute) -> list[tuple[str, str]]:
    """Return the headers of a request after those of the route are removed and set."""
    replaced = {name.lower() for name in (*route.removed_headers, *dict(route.headers))}
    kept = [(name, value) for name, value in headers.items() if name.lower() not in replaced]
    return [*kept, *route.headers]


def auth_command(
    asked: fetch.AuthRequired, credentials: Iterable[HTTPCredentials], *, again: bool
) -> CDPCommand[Nothing]:
    """Return the answer to a request for credentials.

    Args:
        asked: the request; those of proxies are left to the browser.
        credentials: for each origin.
        again: whether the same request was answered before, so that the credentials are wrong.
    """
    challenge = asked.auth_challenge
    if challenge.source != "Proxy" and not again:
        for one in credentials:
            if one.origin == challenge.origin:
                return fetch.continue_with_auth(
                    asked.request_id, "ProvideCredentials", one.user, one.password
                )
    return fetch.continue_with_auth(asked.request_id, "Default")

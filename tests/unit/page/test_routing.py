"""Request routing: URL patterns, and the command that handles a paused request."""

import pytest

from tabwright.cdp.domains import fetch
from tabwright.cdp.domains.network import RequestData
from tabwright.config.shipped_lists import BlockRules
from tabwright.page.interception import answer, auth_command, glob_pattern, route_command
from tabwright.protocol.context_options import HTTPCredentials, RecordedResponse, RequestRoute
from tabwright.protocol.urls import Bounds

URL = "https://example.com/api/users?page=1"


def paused(
    url: str = URL, method: str = "GET", headers: dict[str, str] | None = None
) -> fetch.RequestPaused:
    return fetch.RequestPaused("7", RequestData(url, method, headers or {}), "Fetch")


RULES = BlockRules(frozenset({"Image", "Stylesheet", "Font"}), frozenset({"ads.example"}))


@pytest.mark.parametrize(
    ("url", "kind", "method"),
    [
        (URL, "Image", "Fetch.fulfillRequest"),
        (URL, "Stylesheet", "Fetch.fulfillRequest"),
        (URL, "Font", "Fetch.failRequest"),
        (URL, "Script", "Fetch.continueRequest"),
        ("https://ads.example/a.png", "Image", "Fetch.failRequest"),
        ("https://denied.example/a.css", "Stylesheet", "Fetch.failRequest"),
    ],
)
def test_blocked_request_is_answered_unless_its_host_is_blocked(
    url: str, kind: str, method: str
) -> None:
    held = fetch.RequestPaused("7", RequestData(url, "GET", {"Origin": "https://a.b"}), kind)
    command = answer(held, RULES, Bounds(deny=("denied.example",)), "page")
    assert command.method == method
    headers = command.params.get("responseHeaders", [])
    allowed = {"name": "Access-Control-Allow-Origin", "value": "https://a.b"}
    assert (allowed in headers) is (method == "Fetch.fulfillRequest")


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("**/api/users*", True),
        ("**/api/users", False),
        ("**", True),
        ("*", False),
        ("https://example.com/*/users?page=1", True),
        ("https://example.com/**", True),
        ("http://example.com/**", False),
        ("**/{users,posts}?page=1", True),
        ("**/{cups,posts}?page=1", False),
        ("**/{u*,posts}", True),
        ("**/api.users*", False),
    ],
)
def test_glob_matches_the_whole_url_as_in_playwright(pattern: str, matches: bool) -> None:
    assert bool(glob_pattern(pattern).fullmatch(URL)) is matches


def test_latest_matching_route_decides_and_others_leave_the_request() -> None:
    routes = (RequestRoute("**/posts", block=True), RequestRoute("**", status=204, body=b"x"))
    command = route_command(paused(), routes, Bounds())
    assert command.method == "Fetch.fulfillRequest"
    assert command.params["body"] == ""
    blocked = route_command(paused("https://a.b/posts"), routes, Bounds())
    assert blocked.method == "Fetch.failRequest"
    assert route_command(paused(), (), Bounds()).params == {"requestId": "7"}


def test_request_out_of_bounds_is_neither_answered_nor_changed() -> None:
    bounds = Bounds(deny=("example.com",))
    routes = (RequestRoute("**", status=200, headers=(("A", "b"),)),)
    assert route_command(paused(), routes, bounds) == fetch.continue_request("7")


def test_headers_replace_those_of_the_request_in_any_case() -> None:
    route = RequestRoute("**", headers=(("X-Tea", "green"),), removed_headers=("accept",))
    sent = {"x-tea": "black", "Accept": "*/*", "Host": "example.com"}
    command = route_command(paused(headers=sent), (route,), Bounds())
    assert command.params["headers"] == [
        {"name": "Host", "value": "example.com"},
        {"name": "X-Tea", "value": "green"},
    ]


def test_fulfilled_response_allows_the_requesting_origin() -> None:
    route = RequestRoute("**", status=200)
    command = route_command(paused(headers={"Origin": "https://a.b"}), (route,), Bounds())
    headers = command.params["responseHeaders"]
    assert {"name": "Access-Control-Allow-Origin", "value": "https://a.b"} in headers


def test_recorded_response_answers_its_method_and_url_alone() -> None:
    recorded = RecordedResponse("GET", URL, 203, (), b"old")
    routes = (RequestRoute("**", recorded=(recorded,)), RequestRoute("**", block=True))
    assert route_command(paused(f"{URL}#part"), routes, Bounds()).params["responseCode"] == 203
    assert route_command(paused(method="POST"), routes, Bounds()).method == "Fetch.failRequest"


@pytest.mark.parametrize(
    ("origin", "source", "again", "response"),
    [
        ("https://example.com", "Server", False, "ProvideCredentials"),
        ("https://example.com", "Server", True, "Default"),
        ("https://example.com:8443", "Server", False, "Default"),
        ("https://example.com", "Proxy", False, "Default"),
    ],
)
def test_credentials_go_once_to_the_server_of_their_origin(
    origin: str, source: str, again: bool, response: str
) -> None:
    asked = fetch.AuthRequired("7", fetch.AuthChallenge(origin, source))
    known = (HTTPCredentials("https://example.com", "ann", "pass"),)
    answer = auth_command(asked, known, again=again).params["authChallengeResponse"]
    assert answer["response"] == response
    assert ("password" in answer) is (response == "ProvideCredentials")
    assert "pass'" not in repr(known)

"""Reading the responses in a HAR file."""

import json

import pytest

from tabwright.plugins.devtools.har_responses import recorded_responses
from tabwright.protocol.errors import BadInput


def with_response(**response: object) -> bytes:
    request = {"method": "get", "url": "https://a.b/c#d", "httpVersion": "h2"}
    return json.dumps({"log": {"entries": [{"request": request, "response": response}]}}).encode()


def test_recorded_response_keeps_type_and_drops_transfer_headers() -> None:
    headers = [
        {"name": ":status", "value": "200"},
        {"name": "Content-Encoding", "value": "gzip"},
        {"name": "X-Own", "value": "1"},
    ]
    content = {"mimeType": "text/plain", "text": "tea"}
    [found] = recorded_responses(with_response(status=200, headers=headers, content=content))
    assert (found.method, found.url, found.status, found.body) == (
        "GET",
        "https://a.b/c",
        200,
        b"tea",
    )
    assert found.headers == (("X-Own", "1"), ("Content-Type", "text/plain"))


def test_failed_requests_are_left_out() -> None:
    entries = [json.loads(with_response(status=one))["log"]["entries"][0] for one in (200, 0, 404)]
    found = recorded_responses(json.dumps({"log": {"entries": entries}}).encode())
    assert [one.status for one in found] == [200, 404]


def test_body_in_base64_is_decoded() -> None:
    [found] = recorded_responses(
        with_response(status=200, content={"text": "AP8=", "encoding": "base64"})
    )
    assert found.body == b"\x00\xff"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        with_response(status=0),
        with_response(status=200, content={"text": "%", "encoding": "base64"}),
    ],
)
def test_har_file_without_usable_response_is_refused(text: bytes) -> None:
    with pytest.raises(BadInput):
        recorded_responses(text)

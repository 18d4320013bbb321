"""HAR files: the responses that they contain."""

import json

import pytest

from tabwright.page.har import recorded_responses
from tabwright.protocol.errors import BadInput


def archive(**response: object) -> bytes:
    request = {"method": "get", "url": "https://a.b/c#d", "httpVersion": "h2"}
    return json.dumps({"log": {"entries": [{"request": request, "response": response}]}}).encode()


def test_response_keeps_its_type_and_loses_headers_of_the_transfer() -> None:
    headers = [
        {"name": ":status", "value": "200"},
        {"name": "Content-Encoding", "value": "gzip"},
        {"name": "X-Own", "value": "1"},
    ]
    content = {"mimeType": "text/plain", "text": "tea"}
    [found] = recorded_responses(archive(status=200, headers=headers, content=content))
    assert (found.method, found.url, found.status, found.body) == (
        "GET",
        "https://a.b/c",
        200,
        b"tea",
    )
    assert found.headers == (("X-Own", "1"), ("Content-Type", "text/plain"))


def test_body_in_base64_is_decoded() -> None:
    [found] = recorded_responses(
        archive(status=200, content={"text": "AP8=", "encoding": "base64"})
    )
    assert found.body == b"\x00\xff"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        archive(status=0),
        archive(status=200, content={"text": "%", "encoding": "base64"}),
    ],
)
def test_file_without_responses_is_refused(text: bytes) -> None:
    with pytest.raises(BadInput):
        recorded_responses(text)

"""HAR files of traces, checked with the HAR 1.2 schema."""

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT6

from tabwright.plugins.trace.events import TraceEvent, TraceHeader, WrittenRequest
from tabwright.plugins.trace.har import har_text
from tabwright.plugins.trace.trace_file import Trace
from tabwright.protocol.actions import NetworkEntry

SCHEMAS = json.loads(Path(__file__).with_name("har_schema.json").read_text())["schemas"]


def sent(number: int, url: str, **values: object) -> WrittenRequest:
    entry = NetworkEntry(number, "GET", url, "Fetch", **values)
    headers = (("Accept", "*/*"), ("Cookie", "id=(hidden)"))
    return WrittenRequest(entry, headers, (("Content-Type", "text/html"),), 1_700_000_000.25, "h2")


def path_of(entry: dict[str, dict[str, str]]) -> str:
    return entry["request"]["url"].partition("shop.example")[2]


PAGE = sent(1, "https://shop.example/?q=a%20b&empty=", status=200, media_type="text/html", ms=12.5)
TRACE = Trace(
    TraceHeader(session="shop", started=0, made_by="1"),
    (
        TraceEvent(
            number=1,
            kind="navigate",
            request={"url": "/"},
            url="https://shop.example/",
            at=1_700_000_000.0,
            requests=(PAGE, sent(2, "https://shop.example/api")),
        ),
        TraceEvent(
            number=2,
            kind="action",
            request={"type": "Click"},
            at=1_700_000_001.0,
            requests=(
                sent(2, "https://shop.example/api", status=404, ms=3.0),
                sent(3, "https://shop.example/gone", failure="net::ERR_FAILED", location=""),
                sent(4, "wss://shop.example/socket", status=101),
            ),
        ),
    ),
    {},
)


@pytest.fixture
def archive() -> dict[str, object]:
    return msgspec.json.decode(har_text(TRACE))


def test_archive_is_valid_by_the_published_schema(archive):
    resources = ((name, Resource(one, DRAFT6)) for name, one in SCHEMAS.items())
    registry = Registry().with_resources(resources)
    validator = jsonschema.Draft6Validator(SCHEMAS["har.json#"], registry=registry)
    assert [error.message for error in validator.iter_errors(archive)] == []
    del archive["log"]["entries"][0]["timings"]
    assert list(validator.iter_errors(archive)) != []


def test_request_is_listed_once_with_its_last_state_and_page(archive):
    entries = archive["log"]["entries"]
    states = [(path_of(one), one["response"]["status"]) for one in entries]
    assert states == [("/?q=a%20b&empty=", 200), ("/api", 404), ("/gone", 0), ("/socket", 101)]
    assert {one["pageref"] for one in entries} == {"page_1"}
    assert entries[0]["startedDateTime"] == "2023-11-14T22:13:20.250Z"
    assert entries[0]["request"]["queryString"] == [
        {"name": "q", "value": "a b"},
        {"name": "empty", "value": ""},
    ]
    assert entries[2]["_error"] == "net::ERR_FAILED"

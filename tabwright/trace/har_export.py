"""The requests of a trace as a HAR file (HTTP Archive 1.2)."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

import msgspec

from tabwright._version import __version__
from tabwright.trace.events import JSONRecord, TraceEvent, WrittenRequest
from tabwright.trace.trace_file import Trace

UNKNOWN = -1
"""HAR's number for a size or a time that is not known."""


def har_text(trace: Trace) -> str:
    """Return the requests of a trace as a HAR file; bodies are not in it."""
    pages = [_page(event) for event in trace.events if event.kind == "navigate" and event.url]
    archive = {
        "log": {
            "version": "1.2",
            "creator": {"name": "tabwright", "version": __version__},
            "pages": pages,
            "entries": [_entry(*one) for one in _requests(trace.events)],
        }
    }
    return f"{msgspec.json.format(msgspec.json.encode(archive), indent=1).decode()}\n"


def _requests(events: Sequence[TraceEvent]) -> Iterator[tuple[WrittenRequest, float, str]]:
    """Yield each request in its last state, with its start and the id of its page."""
    latest = dict[tuple[int, float, str], tuple[WrittenRequest, float, str]]()
    page = ""
    for event in events:
        page = _page_id(event) if event.kind == "navigate" and event.url else page
        for one in event.requests:
            key = (one.request.number, one.started, one.request.url)
            first = latest.get(key)
            started = one.started or event.at
            latest[key] = (one, started, first[2] if first else page)
    return iter(sorted(latest.values(), key=lambda found: found[1]))


def _page_id(event: TraceEvent) -> str:
    return f"page_{event.number}"


def _page(event: TraceEvent) -> JSONRecord:
    return {
        "id": _page_id(event),
        "title": event.title or event.url,
        "startedDateTime": _time(event.at),
        "pageTimings": {},
    }


def _time(seconds: float) -> str:
    found = datetime.fromtimestamp(seconds, tz=UTC).isoformat(timespec="milliseconds")
    return found.replace("+00:00", "Z")


def _entry(one: WrittenRequest, started: float, page: str) -> JSONRecord:
    request, ms = one.request, max(one.request.ms or 0.0, 0.0)
    version = one.http_version or "unknown"
    return {
        **({"pageref": page} if page else {}),
        "startedDateTime": _time(started),
        "time": ms,
        "request": {
            "method": request.method,
            "url": request.url,
            "httpVersion": version,
            "cookies": [],
            "headers": _headers(one.sent),
            "queryString": _query(request.url),
            "headersSize": UNKNOWN,
            "bodySize": UNKNOWN,
        },
        "response": {
            "status": request.status,
            "statusText": _status_text(request.status),
            "httpVersion": version,
            "cookies": [],
            "headers": _headers(one.received),
            "content": {"size": request.size_bytes, "mimeType": request.media_type},
            "redirectURL": request.location,
            "headersSize": UNKNOWN,
            "bodySize": request.size_bytes,
        },
        "cache": {},
        "timings": {"send": 0, "wait": ms, "receive": 0},
        "_resourceType": request.kind.lower(),
        **({"_error": request.failure} if request.failure else {}),
    }


def _headers(headers: Sequence[tuple[str, str]]) -> list[JSONRecord]:
    return [{"name": name, "value": value} for name, value in headers]


def _query(url: str) -> list[JSONRecord]:
    pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True, max_num_fields=None)
    return [{"name": name, "value": value} for name, value in pairs]


def _status_text(status: int) -> str:
    return HTTPStatus(status).phrase if status in {one.value for one in HTTPStatus} else ""

"""The requests of a trace as a HAR file (HTTP Archive 1.2)."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

import msgspec

from tabwright._version import __version__
from tabwright.plugins.trace.events import JSONRecord, TraceEvent, WrittenRequest
from tabwright.plugins.trace.trace_file import Trace

UNKNOWN = -1
"""HAR's number for a size or a time that is not known."""

KNOWN_STATUSES = frozenset(one.value for one in HTTPStatus)


def har_text(trace: Trace) -> str:
    """Return the requests of a trace as a HAR file; bodies are not in it."""
    pages: list[JSONRecord] = [
        {
            "id": _page_id(event),
            "title": event.title or event.url,
            "startedDateTime": _time(event.at),
            "pageTimings": {},
        }
        for event in trace.events
        if event.kind == "navigate" and event.url
    ]
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


def _time(seconds: float) -> str:
    found = datetime.fromtimestamp(seconds, tz=UTC).isoformat(timespec="milliseconds")
    return found.replace("+00:00", "Z")


def _entry(one: WrittenRequest, started: float, page: str) -> JSONRecord:
    request, ms = one.request, max(one.request.ms or 0.0, 0.0)
    version = one.http_version or "unknown"
    status = request.status
    query = parse_qsl(urlsplit(request.url).query, keep_blank_values=True, max_num_fields=None)
    return {
        **({"pageref": page} if page else {}),
        "startedDateTime": _time(started),
        "time": ms,
        "request": {
            "method": request.method,
            "url": request.url,
            "httpVersion": version,
            "cookies": [],
            "headers": _listed(one.sent),
            "queryString": _listed(query),
            "headersSize": UNKNOWN,
            "bodySize": UNKNOWN,
        },
        "response": {
            "status": status,
            "statusText": HTTPStatus(status).phrase if status in KNOWN_STATUSES else "",
            "httpVersion": version,
            "cookies": [],
            "headers": _listed(one.received),
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


def _listed(pairs: Sequence[tuple[str, str]]) -> list[JSONRecord]:
    """Return headers, or the parameters of a query, in the form of HAR."""
    return [{"name": name, "value": value} for name, value in pairs]

"""The request log of a page."""

from base64 import b64encode

import msgspec
import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from tabwright.cdp.domains.network import (
    DataReceived,
    HandshakeAnswer,
    LoadingFailed,
    LoadingFinished,
    PostDataEntry,
    RequestData,
    RequestWillBeSent,
    RequestWillBeSentExtraInfo,
    ResponseInfo,
    ResponseReceived,
    ResponseReceivedExtraInfo,
    WebSocketClosed,
    WebSocketCreated,
    WebSocketFrameError,
    WebSocketFrameReceived,
    WebSocketFrameSent,
    WebSocketHandshakeAnswered,
    WebSocketHandshakeSent,
    WebSocketMessage,
)
from tabwright.cdp.session import CDPSession
from tabwright.page.events.network_log import SENT_MAX, RequestLog
from tabwright.page.events.socket_frames import CHARACTERS_MAX, FRAMES_MAX, TEXT_MAX, size_of
from tabwright.page.frames import LATEST_MAX
from tabwright.page.outline_text import escape_refs
from tabwright.protocol.actions import NetworkEntry
from tabwright.protocol.inspection import ListRequests

URL = "https://a.example/"
SOCKET_URL = "wss://a.example/talk"
PAGE, FRAME = CDPSession(None, "page"), CDPSession(None, "frame")


def begin(request_id="1", kind="Fetch", url=URL, at=10.0, *, redirected=None):
    return RequestWillBeSent(
        request_id=request_id,
        type=kind,
        request=RequestData(url=url, method="GET"),
        timestamp=at,
        redirect_response=redirected,
    )


def head(request_id="1", status=200, mime_type="text/html"):
    response = ResponseInfo(url=URL, status=status, mime_type=mime_type)
    return ResponseReceived(request_id=request_id, type="Fetch", response=response)


def finish(request_id="1", at=10.5, size=99):
    return LoadingFinished(request_id=request_id, timestamp=at, encoded_data_length=size)


def log_of(*events):
    log = RequestLog()
    for event in events:
        log.take(event, PAGE)
    return log


def opened(request_id="1", at=10.0):
    """Yield the events of a WebSocket until it is open."""
    yield WebSocketCreated(request_id=request_id, url=SOCKET_URL)
    yield WebSocketHandshakeSent(request_id=request_id, timestamp=at)
    yield WebSocketHandshakeAnswered(request_id=request_id, response=HandshakeAnswer(status=101))


def frame(text, request_id="1", at=10.5, opcode=1, kind=WebSocketFrameReceived):
    message = WebSocketMessage(opcode=opcode, payload_data=text)
    return kind(request_id=request_id, timestamp=at, response=message)


def frames_of(log, number=1):
    return log.frames_of(log.find(number))


def test_request_is_listed_while_pending_and_after_it_finished():
    log = log_of(begin())
    assert log.listed(ListRequests()) == (NetworkEntry(1, "GET", URL, "Fetch"),)
    log.take(head(status=201, mime_type="text/plain"), PAGE)
    log.take(finish(), PAGE)
    reported = NetworkEntry(1, "GET", URL, "Fetch", 201, "text/plain", 99, 500.0)
    assert log.listed(ListRequests()) == (reported,)
    assert log.find(1).id == "1"
    assert log.find(2) is None


def test_request_session_is_the_last_one_that_reported_it():
    log = RequestLog()
    for event, session in ((begin(), PAGE), (head(), PAGE), (finish(), FRAME)):
        log.take(event, session)
    assert log.find(1).session is FRAME


def test_failed_request_records_its_reason():
    failed = LoadingFailed(request_id="1", timestamp=10.1, error_text="net::ERR_FAILED")
    (reported,) = log_of(begin(), failed).listed(ListRequests(failed=True))
    assert (reported.failure, reported.ms) == ("net::ERR_FAILED", 100.0)
    blocked = LoadingFailed(
        request_id="1", timestamp=10.1, error_text="net::ERR_FAILED", blocked_reason="csp"
    )
    (reported,) = log_of(begin(), blocked).listed(ListRequests())
    assert reported.failure == "csp"


def test_each_redirect_is_listed_as_its_own_request():
    redirect = ResponseInfo(url=URL, status=302, mime_type="")
    log = log_of(
        begin(),
        begin(url=f"{URL}2", at=10.2, redirected=redirect),
        begin(url=f"{URL}3", at=10.3, redirected=redirect),
        head(),
        finish(),
    )
    reported = log.listed(ListRequests())
    assert [(one.number, one.url, one.status) for one in reported] == [
        (1, URL, 302),
        (2, f"{URL}2", 302),
        (3, f"{URL}3", 200),
    ]
    assert [one.ms for one in reported] == [200.0, 100.0, 200.0]


def redirected(location="/2", extra=True):
    """Return the event of the next request after a redirect."""
    response = ResponseInfo(url=URL, status=302, headers={"Location": location, "Vary": "x"})
    event = begin(url=f"{URL}2", at=10.2, redirected=response)
    return msgspec.structs.replace(event, redirect_has_extra_info=extra)


def test_redirect_is_listed_in_order_with_its_location():
    log = log_of(begin(), begin("other"), redirected(), head())
    reported = log.listed(ListRequests())
    assert [(one.number, one.location) for one in reported] == [(1, "/2"), (2, ""), (3, "")]
    assert log.find(1).redirected
    assert not log.find(3).redirected


def details_of(log, number):
    details = log.details(log.find(number))
    return dict(details.sent), dict(details.received)


def sent_on_wire(name, value, request_id="1"):
    return RequestWillBeSentExtraInfo(request_id=request_id, headers={name: value})


def received_on_wire(name, value, request_id="1"):
    headers = {name: value}
    return ResponseReceivedExtraInfo(request_id=request_id, status_code=200, headers=headers)


@pytest.mark.parametrize("early", [True, False])
def test_wire_headers_are_matched_to_each_redirect_hop(early):
    first = [sent_on_wire("Cookie", "a=1"), received_on_wire("Set-Cookie", "b=2")]
    second = [sent_on_wire("Cookie", "b=2"), received_on_wire("Vary", "y")]
    events = [begin(), *first, *second, redirected(), head()]
    if not early:
        events = [begin(), redirected(), head(), *first, *second]
    log = log_of(*events)
    assert details_of(log, 1) == ({"Cookie": "a=(hidden)"}, {"Set-Cookie": "b=(hidden)"})
    assert details_of(log, 2) == ({"Cookie": "b=(hidden)"}, {"Vary": "y"})


def test_page_headers_are_used_for_a_hop_without_wire_headers():
    known = RequestData(url=URL, headers={"Accept": "*/*", "Authorization": "Bearer x"})
    begun = msgspec.structs.replace(begin(), request=known)
    wire = [sent_on_wire("Cookie", "b=2"), received_on_wire("Vary", "y")]
    log = log_of(begun, redirected(extra=False), *wire, head())
    sent = {"Accept": "*/*", "Authorization": "Bearer (hidden)"}
    assert details_of(log, 1) == (sent, {"Location": "/2", "Vary": "x"})
    assert details_of(log, 2) == ({"Cookie": "b=(hidden)"}, {"Vary": "y"})


def test_wire_headers_of_pending_requests_are_bounded():
    log = log_of(*(sent_on_wire("A", "b", str(number)) for number in range(3 * LATEST_MAX)))
    log = log_of(begin(), *(sent_on_wire("A", "b") for _ in range(1000)))
    assert details_of(log, 1) == ({"A": "b"}, {})


@pytest.mark.parametrize("size", [0, 1, 2, 3, SENT_MAX - 1, SENT_MAX, SENT_MAX + 9, 100_000])
@pytest.mark.parametrize("parts", [1, 2])
def test_sent_body_is_kept_up_to_its_maximum(size, parts):
    data = bytes(number % 251 for number in range(size))
    entry = PostDataEntry(bytes=b64encode(data).decode())
    sent = RequestData(url=URL, has_post_data=True, post_data_entries=(entry,) * parts)
    known = log_of(msgspec.structs.replace(begin(), request=sent)).find(1)
    assert known.has_body
    assert known.sent_body == (data * parts)[:SENT_MAX]


@pytest.mark.parametrize(
    ("kind", "path", "is_icon"),
    [
        ("Other", "favicon.ico", True),
        ("Other", "favicon.ico?v=2", True),
        ("Fetch", "favicon.ico", False),
        ("Image", "favicon.ico", False),
        ("Other", "icons/favicon.ico", False),
        ("Other", "ping", False),
    ],
)
def test_only_a_favicon_requested_by_the_browser_is_an_icon(kind, path, is_icon):
    log = log_of(begin(kind=kind, url=f"{URL}{path}"))
    assert log.is_icon("1") is is_icon
    assert not log.is_icon("unseen")


def test_requests_are_filtered_by_url_kind_and_failure():
    log = log_of(begin("1"), begin("2", "Image", f"{URL}cat.png"), head("2", 404))
    numbers = {
        ListRequests(): [1, 2],
        ListRequests(filter="cat"): [2],
        ListRequests(kind="fetch"): [1],
        ListRequests(failed=True): [2],
    }
    for options, expected in numbers.items():
        assert [one.number for one in log.listed(options)] == expected


@pytest.mark.parametrize(
    ("kind", "busy"), [("Fetch", True), ("Document", True), ("Image", False), ("WebSocket", False)]
)
def test_only_requests_that_may_change_the_page_keep_it_busy(kind, busy):
    log = log_of(begin(kind=kind))
    assert log.busy == busy
    log.take(finish(), PAGE)
    assert not log.busy


def test_event_stream_does_not_keep_the_page_busy():
    assert not log_of(begin(), head(mime_type="text/event-stream")).busy


async def test_request_with_its_whole_body_received_is_not_waited_for(autojump_clock):
    answer = ResponseInfo(
        url=URL, status=200, mime_type="text/html", headers={"Content-Length": "28"}
    )
    part = DataReceived(request_id="1", data_length=250, encoded_data_length=14)
    log = log_of(begin(), ResponseReceived(request_id="1", type="Fetch", response=answer), part)
    with trio.move_on_after(9) as patience:
        await log.rests()
    assert patience.cancelled_caught
    log.take(part, PAGE)
    with trio.fail_after(1):
        await log.rests()
    assert not log.busy
    endless = log_of(begin(), head(), part, part, part)  # nobody knows how much there is
    with trio.move_on_after(9) as patience:
        await endless.rests()
    assert patience.cancelled_caught


def test_request_in_flight_before_forget_waiting_is_not_waited_for():
    log = log_of(begin("1"))
    log.forget_waiting()
    assert not log.busy
    log.take(begin("2"), PAGE)
    log.take(finish("1"), PAGE)
    assert log.busy


async def test_wait_for_requests_ends_with_the_last_one(autojump_clock):
    log = log_of(begin("1"), begin("2"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(log.rests)
        for request_id in ("1", "2"):
            await trio.testing.wait_all_tasks_blocked()
            assert nursery.child_tasks
            log.take(finish(request_id), PAGE)
    assert not log.busy


def test_response_to_an_unknown_request_is_ignored():
    log = log_of(head("unseen"), finish("unseen"))
    assert log.listed(ListRequests()) == ()


def test_only_latest_requests_are_kept_and_forgotten_ones_not_awaited():
    log = log_of(*(begin(str(number)) for number in range(LATEST_MAX + 5)))
    assert len(log.listed(ListRequests())) == LATEST_MAX
    for number in range(5, LATEST_MAX + 5):
        log.take(finish(str(number)), PAGE)
    assert not log.busy


def test_websocket_is_listed_as_a_request_with_its_frames():
    log = log_of(
        *opened(),
        frame("hi", at=10.1, kind=WebSocketFrameSent),
        frame("line\nfeed [1.5]", at=10.25),
        frame("AAEC", at=10.3, opcode=2),
    )
    reported = NetworkEntry(1, "GET", SOCKET_URL, "WebSocket", 101, size_bytes=18, frames=3)
    assert log.listed(ListRequests(kind="websocket")) == (reported,)
    assert not log.busy
    assert frames_of(log).split("\n") == [
        "sent at 100 ms: hi",
        "received at 250 ms: line feed (1.5)",
        "received at 300 ms: (3 bytes)",
    ]
    log.take(WebSocketClosed(request_id="1", timestamp=12.0), PAGE)
    assert log.listed(ListRequests())[0].ms == 2000.0


def test_failed_websocket_is_listed_with_its_reason():
    log = log_of(
        WebSocketCreated(request_id="1", url=SOCKET_URL),
        WebSocketFrameError(request_id="1", error_message="net::ERR_CONNECTION_REFUSED"),
        WebSocketClosed(request_id="1", timestamp=12.0),
    )
    (reported,) = log.listed(ListRequests(failed=True))
    assert (reported.status, reported.failure, reported.ms) == (
        0,
        "net::ERR_CONNECTION_REFUSED",
        None,
    )
    assert frames_of(log) == "(No messages.)"


def test_frames_of_two_websockets_are_distinguished():
    log = log_of(*opened("1"), *opened("2"), frame("one", "1"), frame("two", "2"))
    assert frames_of(log, 1) == "received at 500 ms: one"
    assert frames_of(log, 2) == "received at 500 ms: two"


def test_frame_of_an_unknown_websocket_is_ignored():
    assert log_of(frame("hi"), *opened("2")).find(1).entry.frames == 0


def test_only_the_latest_frames_are_kept_and_the_others_counted():
    log = log_of(*opened(), *(frame(str(number)) for number in range(FRAMES_MAX + 5)))
    first, *others = frames_of(log).split("\n")
    assert first == "(5 earlier frames were not kept.)"
    assert len(others) == FRAMES_MAX
    assert others[0].endswith(": 5")


@pytest.mark.parametrize("size", [TEXT_MAX - 1, TEXT_MAX, TEXT_MAX + 7, 1_000_000])
def test_long_frames_are_cut_and_their_total_is_bounded(size):
    log = log_of(*opened(), *(frame("x" * size) for _ in range(300)))
    *_, last = frames_of(log).split("\n")
    more = size - TEXT_MAX
    assert last.count("x") == min(size, TEXT_MAX)
    assert (f"(+{more} characters)" in last) == (more > 0)
    assert frames_of(log).count("x") <= CHARACTERS_MAX
    assert log.find(1).entry.size_bytes == 300 * size


@given(st.binary(max_size=50))
def test_binary_frame_size_is_its_decoded_length(data):
    message = WebSocketMessage(opcode=2, payload_data=b64encode(data).decode())
    assert size_of(message) == len(data)


@given(st.text(max_size=50))
def test_frame_text_stays_on_one_line(text):
    log = log_of(*opened(), frame(text))
    assert frames_of(log) == f"received at 500 ms: {escape_refs(text)}"


def test_requests_of_this_page_start_with_its_document():
    log = RequestLog()
    moved = ResponseInfo(url=URL, status=302, mime_type="")
    log.take(begin("before"), PAGE)
    log.take(begin("doc", "Document", f"{URL}old"), PAGE)
    log.take(begin("doc", "Document", f"{URL}new", redirected=moved), PAGE)
    under_way = log.listed(ListRequests(this_page=True))
    log.leave("doc")
    log.take(begin("after"), PAGE)
    of_page = log.listed(ListRequests(this_page=True))
    log.leave("without a request")
    assert [one.number for one in under_way] == [1, 2, 3]
    assert [one.number for one in of_page] == [2, 3, 4]
    assert log.listed(ListRequests(this_page=True)) == ()
    assert len(log.listed(ListRequests())) == 4

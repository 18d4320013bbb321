"""The requests of a page."""

import pytest
import trio
import trio.testing

from tabwright.actors.acting.request_log import REQUESTS_MAX, RequestLog
from tabwright.cdp.domains.network import (
    LoadingFailed,
    LoadingFinished,
    RequestData,
    RequestWillBeSent,
    Response,
    ResponseReceived,
)
from tabwright.protocol.inspecting import ListRequests, PageRequest

URL = "https://a.example/"


def begin(request_id="1", kind="Fetch", url=URL, at=10.0, *, redirected=None):
    return RequestWillBeSent(
        request_id=request_id,
        type=kind,
        request=RequestData(url=url, method="GET"),
        timestamp=at,
        redirect_response=redirected,
    )


def head(request_id="1", status=200, mime_type="text/html"):
    response = Response(url=URL, status=status, mime_type=mime_type)
    return ResponseReceived(request_id=request_id, type="Fetch", response=response)


def finish(request_id="1", at=10.5, size=99):
    return LoadingFinished(request_id=request_id, timestamp=at, encoded_data_length=size)


def log_of(*events):
    log = RequestLog()
    for event in events:
        log.take(event)
    return log


def test_a_request_is_told_from_its_beginning_to_its_end():
    log = log_of(begin())
    assert log.listed(ListRequests()) == (PageRequest(1, "GET", URL, "Fetch"),)
    log.take(head(status=201, mime_type="text/plain"))
    log.take(finish())
    told = PageRequest(1, "GET", URL, "Fetch", 201, "text/plain", 99, 500.0)
    assert log.listed(ListRequests()) == (told,)
    assert log.id_of(1) == "1"
    assert log.id_of(2) == ""


def test_one_that_fails_says_why():
    failed = LoadingFailed(request_id="1", timestamp=10.1, error_text="net::ERR_FAILED")
    (told,) = log_of(begin(), failed).listed(ListRequests(failed=True))
    assert (told.failure, told.ms) == ("net::ERR_FAILED", 100.0)
    blocked = LoadingFailed(
        request_id="1", timestamp=10.1, error_text="net::ERR_FAILED", blocked_reason="csp"
    )
    (told,) = log_of(begin(), blocked).listed(ListRequests())
    assert told.failure == "csp"


def test_each_redirect_is_a_request_of_its_own():
    redirect = Response(url=URL, status=302, mime_type="")
    log = log_of(
        begin(),
        begin(url=f"{URL}2", at=10.2, redirected=redirect),
        begin(url=f"{URL}3", at=10.3, redirected=redirect),
        head(),
        finish(),
    )
    told = log.listed(ListRequests())
    assert [(one.number, one.url, one.status) for one in told] == [
        (1, URL, 302),
        (2, f"{URL}2", 302),
        (3, f"{URL}3", 200),
    ]
    assert [one.ms for one in told] == [200.0, 100.0, 200.0]


def test_requests_are_asked_for_by_url_kind_and_failure():
    log = log_of(begin("1"), begin("2", "Image", f"{URL}cat.png"), head("2", 404))
    numbers = {
        ListRequests(): [1, 2],
        ListRequests(filter="cat"): [2],
        ListRequests(kind="fetch"): [1],
        ListRequests(failed=True): [2],
    }
    for wish, expected in numbers.items():
        assert [one.number for one in log.listed(wish)] == expected


@pytest.mark.parametrize(
    ("kind", "busy"), [("Fetch", True), ("Document", True), ("Image", False), ("WebSocket", False)]
)
def test_only_what_may_change_the_page_is_waited_for(kind, busy):
    log = log_of(begin(kind=kind))
    assert log.busy == busy
    log.take(finish())
    assert not log.busy


def test_a_stream_of_events_is_not_waited_for():
    assert not log_of(begin(), head(mime_type="text/event-stream")).busy


def test_what_was_under_way_before_is_not_waited_for():
    log = log_of(begin("1"))
    log.forget_waiting()
    assert not log.busy
    log.take(begin("2"))
    log.take(finish("1"))
    assert log.busy


async def test_rest_comes_with_the_end_of_the_last(autojump_clock):
    log = log_of(begin("1"), begin("2"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(log.rests)
        for request_id in ("1", "2"):
            await trio.testing.wait_all_tasks_blocked()
            assert nursery.child_tasks
            log.take(finish(request_id))
    assert not log.busy


def test_answers_to_requests_that_nobody_saw_are_let_be():
    log = log_of(head("unseen"), finish("unseen"))
    assert log.listed(ListRequests()) == ()


def test_only_the_latest_are_remembered_and_what_is_forgotten_is_not_waited_for():
    log = log_of(*(begin(str(number)) for number in range(REQUESTS_MAX + 5)))
    assert len(log.listed(ListRequests())) == REQUESTS_MAX
    for number in range(5, REQUESTS_MAX + 5):
        log.take(finish(str(number)))
    assert not log.busy

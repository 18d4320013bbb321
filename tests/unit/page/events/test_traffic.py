import trio

from tabwright.cdp.domains import network
from tabwright.page.events.network_log import UNREAD_S, InflightRequests
from tabwright.page.frames import LATEST_MAX
from tabwright.protocol.tab import Traffic

URL = "https://a.example/async/{}"


def sent(number: int, kind: str = "Fetch") -> network.RequestWillBeSent:
    request = network.RequestData(url=URL.format(number))
    return network.RequestWillBeSent(request_id=str(number), request=request, type=kind)


def failed(number: int) -> network.LoadingFailed:
    return network.LoadingFailed(request_id=str(number))


def finished(number: int) -> network.LoadingFinished:
    return network.LoadingFinished(request_id=str(number))


def test_script_requests_are_tracked_until_they_end() -> None:
    log = InflightRequests()
    for event in (sent(1), sent(2, "XHR"), sent(3, "Image"), sent(4), sent(5)):
        log.take(event)
    for event in (failed(2), failed(3), failed(9), finished(5)):
        log.take(event)
    assert log.traffic == Traffic((URL.format(1), URL.format(4)), (URL.format(2),))


def answered(number: int, status: int, url: str = "") -> network.ResponseReceived:
    response = network.ResponseInfo(url=url or URL.format(number), status=status)
    return network.ResponseReceived(request_id=str(number), type="Fetch", response=response)


def test_refused_request_is_reported_by_its_original_url() -> None:
    log = InflightRequests()
    sorry = "https://a.example/sorry/index"
    redirected = network.RequestWillBeSent(
        request_id="1", request=network.RequestData(url=sorry), type="Fetch"
    )
    for event in (sent(1), redirected, answered(1, 429, sorry), finished(1)):
        log.take(event)
    for event in (sent(2), answered(2, 200), sent(3), answered(3, 503), answered(9, 403)):
        log.take(event)
    assert log.traffic.refused == (URL.format(1), URL.format(3))
    assert log.traffic.errors == ()


async def test_request_of_a_script_for_the_same_path_is_a_repeated_one(autojump_clock) -> None:
    log = InflightRequests()
    for event in (sent(1), sent(1), finished(1), sent(2), sent(3, "Image"), sent(4, "Image")):
        log.take(event)
    assert log.repeated_s < 0
    await trio.sleep(1)
    request = network.RequestData(url=f"{URL.format(1)}?time=1")
    log.take(network.RequestWillBeSent(request_id="9", request=request, type="XHR"))
    assert log.repeated_s == trio.current_time()
    log.forget()
    assert log.repeated_s < 0


def test_http_error_other_than_a_refusal_counts_as_an_error() -> None:
    log = InflightRequests()
    for event in (sent(1), answered(1, 500), finished(1), sent(2), answered(2, 404), sent(3)):
        log.take(event)
    assert log.traffic.errors == (URL.format(1), URL.format(2))
    assert log.traffic.refused == ()
    log.forget()
    assert log.traffic == Traffic()


def test_forget_clears_all_tracked_requests() -> None:
    log = InflightRequests()
    for event in (sent(1), sent(2), failed(1)):
        log.take(event)
    log.forget()
    log.take(failed(2))
    assert log.traffic == Traffic()


def test_tracked_requests_are_bounded() -> None:
    log = InflightRequests()
    numbers = range(3 * LATEST_MAX)
    for number in numbers:
        log.take(sent(number))
    assert log.traffic.under_way[-1] == URL.format(numbers[-1])
    assert len(log.traffic.under_way) == LATEST_MAX
    for number in numbers:
        log.take(failed(number))
    assert len(log.traffic.failed) == LATEST_MAX


def test_script_of_a_worker_is_not_waited_for() -> None:
    log = InflightRequests()
    request = network.RequestData(url=URL.format(1))
    own = network.RequestWillBeSent(request_id="24909.2", request=request, type="Script")
    log.take(own)
    assert log.busy
    log.take(network.LoadingFinished(request_id="24909.2"))
    worker = "3C951B91A97CF80E333C64E173E8F445"
    log.take(network.RequestWillBeSent(request_id=worker, request=request, type="Script"))
    assert not log.busy


async def test_fully_received_body_without_end_event_is_not_waited_for_long(autojump_clock) -> None:
    log = InflightRequests()
    head = network.ResponseInfo(url=URL.format(1), status=200, headers={"Content-Length": "14"})
    part = network.DataReceived(request_id="1", data_length=7, encoded_data_length=7)
    log.take(sent(1))
    log.take(network.ResponseReceived(request_id="1", type="Fetch", response=head))
    log.take(part)
    await trio.sleep(2 * UNREAD_S)
    assert log.busy
    log.take(part)
    assert log.busy
    await trio.sleep(UNREAD_S)
    assert not log.busy


def test_page_is_live_while_a_connection_for_messages_is_open() -> None:
    traffic = InflightRequests()
    opened = (network.WebSocketCreated("ws", "wss://a.example/"), sent(1, "EventSource"))
    closed = (network.WebSocketClosed("ws", timestamp=1), finished(1))
    states: list[bool] = []
    for event in (sent(2), *opened, *closed):
        traffic.take(event)
        states.append(traffic.is_live)
    assert states == [False, True, True, True, False]
    traffic.take(sent(3, "EventSource"))
    traffic.forget()
    assert not traffic.is_live

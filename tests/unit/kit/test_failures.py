from tabwright.actors.failures import REMEMBERED_MAX, Failures
from tabwright.cdp.domains import network

URL = "https://a.example/async/{}"


def sent(number: int, kind: str = "Fetch") -> network.RequestWillBeSent:
    request = network.RequestData(url=URL.format(number))
    return network.RequestWillBeSent(request_id=str(number), request=request, type=kind)


def failed(number: int) -> network.LoadingFailed:
    return network.LoadingFailed(request_id=str(number))


def test_a_request_of_a_script_that_fails_is_remembered() -> None:
    failures = Failures()
    for event in (sent(1), sent(2, "XHR"), sent(3, "Image"), sent(4), *map(failed, (1, 2, 3, 9))):
        failures.take(event)
    assert failures.urls == (URL.format(1), URL.format(2))


def test_a_new_piece_of_work_begins_without_failures() -> None:
    failures = Failures()
    for event in (sent(1), sent(2), failed(1)):
        failures.take(event)
    failures.forget()
    failures.take(failed(2))
    assert failures.urls == (URL.format(2),)


def test_only_so_many_are_remembered() -> None:
    failures = Failures()
    for number in range(3 * REMEMBERED_MAX):
        failures.take(sent(number))
    for number in range(3 * REMEMBERED_MAX):
        failures.take(failed(number))
    assert len(failures.urls) == REMEMBERED_MAX
    assert failures.urls[-1] == URL.format(3 * REMEMBERED_MAX - 1)

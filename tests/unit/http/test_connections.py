import pytest
import trio

from tabwright.http.client import Client
from tabwright.http.connection_pool import IDLE_MAX, IDLE_S
from tabwright.protocol.errors import Effect, ErrorCode, NavigationFailed
from tabwright.protocol.fetch import Fetch, Payload

from .web import PUBLIC, Asked, Handler, Open, Reply, Web, redirect

FORM = Payload(b"q=1", "application/x-www-form-urlencoded")
CLOSED = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


def failing(times: int, then: Reply) -> Handler:
    """Return a handler that closes the connection for the first `times` requests."""

    async def handler(asked: Asked) -> Reply | None:
        nonlocal times
        times -= 1
        return then if times < 0 else None

    return handler


async def test_connection_is_reused_for_the_same_origin(web: Web, client: Client) -> None:
    web.site("a.example", Reply(b"page"))
    for _ in range(5):
        await client.fetch(Fetch("http://a.example/"))
    assert len(web.connected) == 1
    assert web.resolved == ["a.example"]


async def test_each_origin_has_its_own_connection(web: Web, client: Client) -> None:
    web.site("a.example", Reply())
    web.site("b.example", Reply())
    for url in ("http://a.example/", "http://a.example:81/", "http://b.example/") * 2:
        await client.fetch(Fetch(url))
    assert web.connected == [(PUBLIC, 80), (PUBLIC, 81), (PUBLIC, 80)]


async def test_concurrent_requests_have_separate_connections(web: Web, client: Client) -> None:
    web.site("a.example", Reply())
    async with trio.open_nursery() as nursery:
        for _ in range(IDLE_MAX + 5):
            nursery.start_soon(client.fetch, Fetch("http://a.example/"))
    assert len(web.connected) == IDLE_MAX + 5
    assert web.open_streams == IDLE_MAX


async def test_idle_connection_is_closed_after_the_idle_timeout(
    web: Web, client: Client, autojump_clock: object
) -> None:
    web.site("a.example", Reply())
    web.site("b.example", Reply())
    await client.fetch(Fetch("http://a.example/"))
    await trio.sleep(IDLE_S + 1)
    await client.fetch(Fetch("http://b.example/"))
    assert [stream.is_closed for stream in web.streams] == [True, False]


async def test_connection_closed_by_server_is_not_reused(web: Web, client: Client) -> None:
    async def closes(asked: Asked) -> None:
        await asked.stream.send_all(CLOSED)

    web.site("a.example", closes)
    for _ in range(2):
        assert (await client.fetch(Fetch("http://a.example/"))).body == b"ok"
    assert len(web.connected) == 2
    assert web.open_streams == 0


async def test_stale_pooled_connection_is_replaced_immediately(web: Web, client: Client) -> None:
    async def one_each(asked: Asked) -> Reply | None:
        seen = sum(asked.connection == other.connection for other in web.asked)
        return Reply(b"page") if seen == 1 else None

    web.site("a.example", one_each)
    for _ in range(3):
        assert (await client.fetch(Fetch("http://a.example/"))).body == b"page"
    assert len(web.connected) == 3
    assert len(web.asked) == 5


async def test_form_is_posted_on_a_new_connection(web: Web, client: Client) -> None:
    web.site("a.example", Reply())
    await client.fetch(Fetch("http://a.example/"))
    await client.fetch(Fetch("http://a.example/", payload=FORM))
    assert len(web.connected) == 2


async def test_connection_with_a_cut_body_is_closed(web: Web, open_client: Open) -> None:
    web.site("a.example", Reply(b"x" * 500_000))
    client = open_client(bytes_max=10)
    assert (await client.fetch(Fetch("http://a.example/"))).cut
    assert web.open_streams == 0


@pytest.mark.parametrize("retries", range(3))
async def test_interrupted_request_is_retried_with_backoff(
    web: Web, open_client: Open, autojump_clock: object, retries: int
) -> None:
    web.site("a.example", failing(retries, Reply(b"page")))
    fetched = await open_client(retries=retries).fetch(Fetch("http://a.example/"))
    assert fetched.body == b"page"
    pauses = [
        later.at_s - asked.at_s for asked, later in zip(web.asked, web.asked[1:], strict=False)
    ]
    assert len(pauses) == retries
    assert all(0.25 <= pause / 2**step <= 0.5 for step, pause in enumerate(pauses))


async def test_closed_connection_is_retried_up_to_the_limit(
    web: Web, open_client: Open, autojump_clock: object
) -> None:
    web.site("a.example", failing(99, Reply()))
    with pytest.raises(NavigationFailed, match="closed the connection") as caught:
        await open_client(retries=2).fetch(Fetch("http://a.example/"))
    assert len(web.asked) == 3
    assert caught.value.retryable
    assert caught.value.effect is Effect.NONE


async def test_a_form_that_may_have_arrived_is_never_sent_again(
    web: Web, open_client: Open, autojump_clock: object
) -> None:
    web.site("a.example", failing(1, Reply()))
    with pytest.raises(NavigationFailed) as caught:
        await open_client(retries=2).fetch(Fetch("http://a.example/", payload=FORM))
    assert len(web.asked) == 1
    assert caught.value.effect is Effect.UNKNOWN


async def test_a_form_that_could_not_be_sent_is_sent_again(
    web: Web, open_client: Open, autojump_clock: object
) -> None:
    web.site("a.example", Reply(b"thanks"))
    web.dead[PUBLIC] = ConnectionRefusedError()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_revive, web)
        fetched = await open_client(retries=2).fetch(Fetch("http://a.example/", payload=FORM))
    assert fetched.body == b"thanks"
    assert (len(web.connected), len(web.asked)) == (2, 1)


async def _revive(web: Web) -> None:
    await trio.sleep(0.1)
    web.dead.clear()


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_busy_server_response_is_retried(
    web: Web, open_client: Open, autojump_clock: object, status: int
) -> None:
    replies = iter([Reply(b"busy", status), Reply(b"page")])

    async def busy(asked: Asked) -> Reply:
        return next(replies)

    web.site("a.example", busy)
    assert (await open_client(retries=1).fetch(Fetch("http://a.example/"))).body == b"page"


@pytest.mark.parametrize(
    ("wanted", "pause_s"),
    [("3", 3.0), ("5", 5.0), ("6", None), ("Wed, 21 Oct 2099 07:28:00 GMT", 0.5)],
)
async def test_retry_after_of_the_server_is_obeyed_or_ends_the_retries(
    web: Web, open_client: Open, autojump_clock: object, wanted: str, pause_s: float | None
) -> None:
    web.site("a.example", Reply(b"busy", 503, (("Retry-After", wanted),)))
    fetched = await open_client(retries=1).fetch(Fetch("http://a.example/"))
    assert fetched.page.status == 503
    pauses = [web.asked[-1].at_s - asked.at_s for asked in web.asked[:-1]]
    assert pauses == ([] if pause_s is None else [pytest.approx(pause_s, abs=0.3)])


async def test_a_form_is_not_sent_again_to_a_busy_server(web: Web, open_client: Open) -> None:
    web.site("a.example", Reply(b"busy", 503))
    fetched = await open_client(retries=2).fetch(Fetch("http://a.example/", payload=FORM))
    assert (fetched.page.status, len(web.asked)) == (503, 1)


@pytest.mark.parametrize("status", [200, 404, 500])
async def test_response_with_any_other_status_is_not_retried(
    web: Web, open_client: Open, status: int
) -> None:
    web.site("a.example", Reply(b"", status))
    await open_client(retries=2).fetch(Fetch("http://a.example/"))
    assert len(web.asked) == 1


async def test_unknown_host_name_is_not_retried(web: Web, open_client: Open) -> None:
    with pytest.raises(NavigationFailed) as caught:
        await open_client(retries=2).fetch(Fetch("http://a.example/"))
    assert web.resolved == ["a.example"]
    assert caught.value.code is ErrorCode.DNS


@pytest.mark.parametrize("seed", range(40))
async def test_cancellation_at_any_point_leaves_no_connection(
    web: Web, open_client: Open, autojump_clock: object, seed: int
) -> None:
    async def slow(asked: Asked) -> Reply | None:
        await trio.sleep(0.1)
        if asked.path == "/":
            return redirect("/page")
        await asked.stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n")
        for piece in (b"ab", b"cd", b"ef"):
            await trio.sleep(0.1)
            await asked.stream.send_all(piece)
        await trio.sleep_forever()
        return None

    web.site("a.example", slow, "1.1.1.1", PUBLIC)
    web.slow = {"1.1.1.1": 0.3, PUBLIC: 0.1}
    client = open_client(retries=2)
    with trio.move_on_after(seed * 0.0251):
        await client.fetch(Fetch("https://a.example/" if seed % 2 else "http://a.example/"))
    assert web.open_streams == len(client.connections._idle)


def answer(body: bytes, version: bytes = b"HTTP/1.1") -> bytes:
    return version + b" 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def raw(first: bytes) -> Handler:
    """Return a handler that sends `first` and stays open; later requests get a reply."""
    waiting = [first]

    async def handler(asked: Asked) -> Reply | None:
        if not waiting:
            return Reply(b"own answer")
        await asked.stream.send_all(waiting.pop())
        return await trio.sleep_forever()

    return handler


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(answer(b"ok") + answer(b"INJECTED"), id="an answer that nobody asked for"),
        pytest.param(answer(b"ok") + b"x", id="a byte left over"),
        pytest.param(answer(b"ok", b"HTTP/9.9"), id="an odd version"),
    ],
)
async def test_connection_with_an_irregular_response_end_is_not_reused(
    web: Web, client: Client, first: bytes
) -> None:
    web.site("a.example", raw(first))
    assert (await client.fetch(Fetch("http://a.example/first"))).body == b"ok"
    assert (await client.fetch(Fetch("http://a.example/second"))).body == b"own answer"
    assert len(web.connected) == 2


async def test_protocol_error_on_a_reused_connection_is_retried_on_a_fresh_one(
    web: Web, client: Client
) -> None:
    async def second_breaks(asked: Asked) -> Reply | None:
        if sum(asked.connection == other.connection for other in web.asked) == 1:
            return Reply(asked.path.encode())
        await asked.stream.send_all(b"no HTTP at all\r\n\r\n")
        return None

    web.site("a.example", second_breaks)
    for path in ("/1", "/2"):
        assert (await client.fetch(Fetch(f"http://a.example{path}"))).body == path.encode()
    assert web.paths == ["/1", "/2", "/2"]


async def test_protocol_error_on_a_fresh_connection_is_not_retried(
    web: Web, client: Client
) -> None:
    async def breaks(asked: Asked) -> None:
        await asked.stream.send_all(b"no HTTP at all\r\n\r\n")

    web.site("a.example", breaks)
    with pytest.raises(NavigationFailed):
        await client.fetch(Fetch("http://a.example/"))
    assert web.paths == ["/"]

import pytest
import trio
import trustme
from trio.testing import wait_all_tasks_blocked

from tabwright.http.client import Client
from tabwright.protocol.errors import ErrorCode, NavigationFailed
from tabwright.protocol.fetch import Fetch, Payload

from .web import PUBLIC, Open, Reply, Web, redirect

URL = "https://a.example/"


async def test_a_site_that_proves_its_name_is_read(web: Web, client: Client) -> None:
    web.site("a.example", Reply(b"secured"))
    assert (await client.fetch(Fetch(URL))).body == b"secured"
    assert web.connected == [(PUBLIC, 443)]
    assert web.asked[0].headers["host"] == "a.example"


async def test_an_address_can_prove_itself_too(web: Web, client: Client) -> None:
    web.site(PUBLIC, Reply(b"secured"))
    assert (await client.fetch(Fetch(f"https://{PUBLIC}/"))).body == b"secured"


async def test_a_name_is_a_name_with_a_dot_at_its_end_too(web: Web, client: Client) -> None:
    web.site("a.example", Reply(b"secured"))
    assert (await client.fetch(Fetch("https://a.example./"))).body == b"secured"


async def test_one_that_nobody_vouches_for_is_not(web: Web, open_client: Open) -> None:
    web.site("a.example", Reply(b"secret"))
    web.certified = trustme.CA()
    with pytest.raises(NavigationFailed, match="has no valid certificate") as caught:
        await open_client(retries=2).fetch(Fetch(URL))
    assert (caught.value.code, caught.value.retryable) == (ErrorCode.TLS, False)
    assert len(web.connected) == 1
    assert web.open_streams == 0


async def test_one_with_another_name_is_not(web: Web, client: Client) -> None:
    web.site("b.example", Reply(b"secret"))
    web.names["a.example"] = [(PUBLIC,)]
    with pytest.raises(NavigationFailed, match=r"a\.example has no valid certificate") as caught:
        await client.fetch(Fetch(URL))
    assert caught.value.code is ErrorCode.TLS


async def test_one_that_does_not_speak_tls_is_reported(web: Web, client: Client) -> None:
    async def plain(stream: trio.abc.Stream) -> None:
        await stream.receive_some()
        await stream.send_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    web.site("a.example", Reply())
    web.machines[PUBLIC, 443] = plain
    with pytest.raises(NavigationFailed, match=r"No secure connection to a\.example") as caught:
        await client.fetch(Fetch(URL))
    assert caught.value.code is ErrorCode.TLS


async def test_one_that_never_shakes_hands_is_given_up(
    web: Web, client: Client, autojump_clock: object
) -> None:
    async def silent(stream: trio.abc.Stream) -> None:
        await trio.sleep_forever()

    web.site("a.example", Reply())
    web.machines[PUBLIC, 443] = silent
    with pytest.raises(NavigationFailed, match="not be reached within 10 s"):
        await client.fetch(Fetch(URL))
    assert web.open_streams == 0


async def test_a_redirect_out_of_tls_is_followed(web: Web, client: Client) -> None:
    web.site("a.example", redirect("http://b.example/"))
    web.site("b.example", Reply(b"plain"))
    own = (("Authorization", "Basic x"),)
    assert (await client.fetch(Fetch(URL, headers=own))).body == b"plain"
    assert [("authorization" in asked.headers) for asked in web.asked] == [True, False]


@pytest.fixture
def modern(web: Web) -> Web:
    """The web, where all sites speak HTTP/2."""
    web.protocols = ["h2", "http/1.1"]
    return web


async def test_http_2_is_spoken_with_whom_it_can_be(modern: Web, client: Client) -> None:
    head = (("Content-Type", "text/html"),)
    modern.site("a.example", Reply(b"<p>" * 5000, headers=head))
    for _ in range(3):
        fetched = await client.fetch(Fetch(URL))
        assert (len(fetched.body), fetched.page.mime_type) == (15000, "text/html")
    assert [asked.version for asked in modern.asked] == ["2"] * 3
    assert len(modern.connected) == 1


async def test_a_form_is_posted_by_http_2(modern: Web, client: Client) -> None:
    modern.site("a.example", Reply(b"thanks"))
    fetched = await client.fetch(Fetch(URL, payload=Payload(b"q=1", "text/plain")))
    assert fetched.body == b"thanks"
    (asked,) = modern.asked
    assert (asked.method, asked.headers["content-length"]) == ("POST", "3")


async def test_what_is_cut_by_http_2_takes_its_connection_with_it(
    modern: Web, open_client: Open
) -> None:
    modern.site("a.example", Reply(b"x" * 60_000))
    client = open_client(bytes_max=10)
    for _ in range(2):
        assert (await client.fetch(Fetch(URL))).cut
    assert modern.open_streams == 0


async def test_at_the_same_time_nobody_shares_a_connection(modern: Web, client: Client) -> None:
    modern.site("a.example", Reply(b"page"))
    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(client.fetch, Fetch(URL))
    assert len(modern.connected) == 3


SETTINGS = b"\0\0\0\4\0\0\0\0\0"


@pytest.mark.parametrize(
    "frames",
    [
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"\xff" * 100,
        SETTINGS,
        SETTINGS + b"\0\0\x08\7\0\0\0\0\0" + b"\0" * 7 + b"\2",  # go away
        SETTINGS + b"\0\0\4\3\0\0\0\0\1" + b"\0\0\0\7",  # refused
        SETTINGS + b"\0\0\1\1\5\0\0\0\1" + b"\x88",  # 200, without a body
        SETTINGS + b"\0\0\1\1\5\0\0\0\1" + b"\x80",  # a header that cannot be
        SETTINGS + b"\0\0\5\1\5\0\0\0\1" + b"\x08\3abc",  # the status "abc"
        SETTINGS + b"\0\0\1\1\4\0\0\0\1" + b"\x88" + b"\0\0\3\0\0\0\0\0\1abc",  # half of one
    ],
)
async def test_whatever_comes_in_place_of_http_2_is_survived(
    modern: Web, client: Client, frames: bytes
) -> None:
    async def respond(stream: trio.abc.Stream) -> None:
        context = modern.context()
        async with trio.SSLStream(stream, context, server_side=True, https_compatible=True) as tls:
            await tls.do_handshake()
            await tls.receive_some()
            await wait_all_tasks_blocked()
            await tls.send_all(frames)

    modern.site("a.example", Reply())
    modern.machines[PUBLIC, 443] = respond
    try:
        fetched = await client.fetch(Fetch(URL))
    except NavigationFailed as failure:
        assert "a.example" in str(failure)
    else:
        assert fetched.page.status == 200
        assert (fetched.cut is not None) is bool(fetched.body)
    assert modern.open_streams == len(client.connections._idle)

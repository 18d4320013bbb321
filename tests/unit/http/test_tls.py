import pytest
import trio
import trustme
from trio.testing import wait_all_tasks_blocked

from tabwright.http.client import Client
from tabwright.protocol.errors import ErrorCode, NavigationFailed
from tabwright.protocol.fetch import Fetch, Payload

from .web import PUBLIC, Open, Reply, Web, redirect

URL = "https://a.example/"


async def test_site_with_a_valid_certificate_is_fetched(web: Web, client: Client) -> None:
    web.site("a.example", Reply(b"secured"))
    assert (await client.fetch(Fetch(URL))).body == b"secured"
    assert web.connected == [(PUBLIC, 443)]
    assert web.asked[0].headers["host"] == "a.example"


async def test_ip_address_with_a_valid_certificate_is_fetched(web: Web, client: Client) -> None:
    web.site(PUBLIC, Reply(b"secured"))
    assert (await client.fetch(Fetch(f"https://{PUBLIC}/"))).body == b"secured"


async def test_host_name_with_a_trailing_dot_matches_its_certificate(
    web: Web, client: Client
) -> None:
    web.site("a.example", Reply(b"secured"))
    assert (await client.fetch(Fetch("https://a.example./"))).body == b"secured"


async def test_certificate_of_an_unknown_authority_is_rejected(web: Web, open_client: Open) -> None:
    web.site("a.example", Reply(b"secret"))
    web.certified = trustme.CA()
    with pytest.raises(NavigationFailed, match="has no valid certificate") as caught:
        await open_client(retries=2).fetch(Fetch(URL))
    assert (caught.value.code, caught.value.retryable) == (ErrorCode.TLS, False)
    assert len(web.connected) == 1
    assert web.open_streams == 0


async def test_certificate_for_another_host_is_rejected(web: Web, client: Client) -> None:
    web.site("b.example", Reply(b"secret"))
    web.names["a.example"] = [(PUBLIC,)]
    with pytest.raises(NavigationFailed, match=r"a\.example has no valid certificate") as caught:
        await client.fetch(Fetch(URL))
    assert caught.value.code is ErrorCode.TLS


async def test_plaintext_server_on_the_tls_port_is_reported(web: Web, client: Client) -> None:
    async def plain(stream: trio.abc.Stream) -> None:
        await stream.receive_some()
        await stream.send_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    web.site("a.example", Reply())
    web.machines[PUBLIC, 443] = plain
    with pytest.raises(NavigationFailed, match=r"No secure connection to a\.example") as caught:
        await client.fetch(Fetch(URL))
    assert caught.value.code is ErrorCode.TLS


async def test_tls_handshake_without_a_response_times_out(
    web: Web, client: Client, autojump_clock: object
) -> None:
    async def silent(stream: trio.abc.Stream) -> None:
        await trio.sleep_forever()

    web.site("a.example", Reply())
    web.machines[PUBLIC, 443] = silent
    with pytest.raises(NavigationFailed, match="not be reached within 10 s"):
        await client.fetch(Fetch(URL))
    assert web.open_streams == 0


async def test_redirect_from_https_to_http_drops_authorization(web: Web, client: Client) -> None:
    web.site("a.example", redirect("http://b.example/"))
    web.site("b.example", Reply(b"plain"))
    own = (("Authorization", "Basic x"),)
    assert (await client.fetch(Fetch(URL, headers=own))).body == b"plain"
    assert [("authorization" in asked.headers) for asked in web.asked] == [True, False]


@pytest.fixture
def modern(web: Web) -> Web:
    """The fake web, with HTTP/2 on all sites."""
    web.protocols = ["h2", "http/1.1"]
    return web


async def test_http_2_is_used_if_the_server_supports_it(modern: Web, client: Client) -> None:
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


async def test_truncated_http_2_response_closes_its_connection(
    modern: Web, open_client: Open
) -> None:
    modern.site("a.example", Reply(b"x" * 60_000))
    client = open_client(bytes_max=10)
    for _ in range(2):
        assert (await client.fetch(Fetch(URL))).cut
    assert modern.open_streams == 0


async def test_concurrent_http_2_requests_do_not_share_a_connection(
    modern: Web, client: Client
) -> None:
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
async def test_invalid_http_2_frames_do_not_crash_the_client(
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

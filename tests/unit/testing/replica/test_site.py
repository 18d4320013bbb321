import re

import httpx2
import pytest
import trio
from selectolax.lexbor import LexborHTMLParser

from tabwright.testing.replica import Replica, Site

MIB = 1 << 20


async def test_start_page_lists_the_test_pages(site: Site, client: httpx2.AsyncClient) -> None:
    page = LexborHTMLParser((await client.get(site.url())).text)
    paths = [str(link.attributes["href"]) for link in page.css("a")]
    assert {"/article", "/never", "/pdf"} <= set(paths)
    assert [seen.path for seen in site.log] == ["/"]


@pytest.mark.parametrize(
    ("path", "status"),
    [("/404", 404), ("/500", 500), ("/401", 401), ("/429", 429), ("/nowhere", 404)],
)
async def test_error_status_has_an_error_page(
    site: Site, client: httpx2.AsyncClient, path: str, status: int
) -> None:
    response = await client.get(site.url(path))
    assert response.status_code == status
    assert "<p>" in response.text


async def test_429_response_has_retry_after_header(site: Site, client: httpx2.AsyncClient) -> None:
    assert (await client.get(site.url("/429"))).headers["retry-after"] == "30"


async def test_no_content_response_has_an_empty_body(
    site: Site, client: httpx2.AsyncClient
) -> None:
    response = await client.get(site.url("/204"))
    assert (response.status_code, response.content) == (204, b"")


@pytest.mark.parametrize(
    ("path", "mark"),
    [
        ("/article", "<article>"),
        ("/table", "<caption>"),
        ("/script", "<noscript>"),
        ("/spa", "pushState"),
        ("/alert", "confirm("),
        ("/alerts", "setInterval"),
        ("/busy", "while (true)"),
        ("/dead-image", 'src="/never"'),
    ],
)
async def test_test_pages_contain_their_feature(
    site: Site, client: httpx2.AsyncClient, path: str, mark: str
) -> None:
    response = await client.get(site.url(path))
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert mark in response.text


@pytest.mark.parametrize(
    ("path", "kind", "magic"),
    [("/pdf", "application/pdf", b"%PDF-"), ("/photo.png", "image/png", b"\x89PNG")],
)
async def test_files_have_their_type(
    site: Site, client: httpx2.AsyncClient, path: str, kind: str, magic: bytes
) -> None:
    response = await client.get(site.url(path))
    assert response.headers["content-type"] == kind
    assert response.content.startswith(magic)


@pytest.mark.parametrize(
    ("path", "charset", "word"),
    [("/latin-1", "iso-8859-1", "Café"), ("/shift-jis", "shift_jis", "利用規約")],
)
async def test_pages_are_served_in_legacy_encodings(
    site: Site, client: httpx2.AsyncClient, path: str, charset: str, word: str
) -> None:
    response = await client.get(site.url(path))
    assert response.content.decode(charset).count(word) == 1
    with pytest.raises(UnicodeDecodeError):
        response.content.decode("utf-8")


async def test_redirects_end_at_the_article(site: Site, client: httpx2.AsyncClient) -> None:
    response = await client.get(site.url("/redirects?n=4"), follow_redirects=True)
    assert len(response.history) == 4
    assert response.url.path == "/article"


async def test_redirect_loop_never_ends(site: Site, client: httpx2.AsyncClient) -> None:
    with pytest.raises(httpx2.TooManyRedirects):
        await client.get(site.url("/redirect-loop"), follow_redirects=True)


@pytest.mark.parametrize("announced", [True, False])
async def test_big_body_has_the_requested_size(
    site: Site,
    client: httpx2.AsyncClient,
    announced: bool,
) -> None:
    response = await client.get(site.url(f"/big?mb=3&length={announced:d}"))
    assert len(response.content) == 3 * MIB
    assert ("content-length" in response.headers) == announced


async def test_endless_body_is_sent_until_the_client_disconnects(
    site: Site, client: httpx2.AsyncClient
) -> None:
    arrived = 0
    async with await trio.open_tcp_stream("127.0.0.1", site.port) as stream:
        await stream.send_all(b"GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
        while arrived < 5 * MIB:
            arrived += len(await stream.receive_some())
    assert (await client.get(site.url("/article"))).status_code == 200


async def test_drip_page_sends_the_requested_number_of_parts(
    site: Site, client: httpx2.AsyncClient
) -> None:
    response = await client.get(site.url("/drip?step_s=0&count=5"))
    assert response.text.count("<p>") == 5


async def test_never_path_accepts_the_request_without_answering(
    site: Site, client: httpx2.AsyncClient
) -> None:
    with trio.move_on_after(0.1) as patience:
        await client.get(site.url("/never"))
    assert patience.cancelled_caught
    assert [seen.path for seen in site.log] == ["/never"]


@pytest.mark.parametrize("path", ["/close", "/garbage", "/half-close"])
async def test_truncated_or_garbled_response_raises_protocol_error(
    site: Site, client: httpx2.AsyncClient, path: str
) -> None:
    with pytest.raises(httpx2.RemoteProtocolError):
        await client.get(site.url(path))


async def test_connection_reset_raises_read_error(site: Site, client: httpx2.AsyncClient) -> None:
    with pytest.raises(httpx2.ReadError):
        await client.get(site.url("/reset"))


async def test_half_path_sends_half_the_body_and_then_hangs(
    site: Site, client: httpx2.AsyncClient
) -> None:
    async with client.stream("GET", site.url("/half")) as response:
        announced = int(response.headers["content-length"])
        arrived = b""
        with trio.move_on_after(0.1) as patience:
            async for piece in response.aiter_bytes():
                arrived += piece
    assert patience.cancelled_caught
    assert len(arrived) * 2 == announced


async def test_header_path_sends_an_oversized_header(site: Site) -> None:
    stream = await trio.open_tcp_stream("127.0.0.1", site.port)
    async with stream:
        await stream.send_all(
            b"GET /header?kb=1024 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        head = b"".join([piece async for piece in stream]).partition(b"\r\n\r\n")[0]
    assert len(head) > MIB


async def test_pages_are_served_on_every_example_host(
    replica: Replica, client: httpx2.AsyncClient
) -> None:
    async def page(path: str) -> str:
        url = f"https://127.0.0.1:{replica.port}{path}"
        return (await client.get(url, headers={"Host": "any.example"})).text

    assert "<caption>" in await page("/table")
    assert re.search(r'lang="en-US"', await page("/whatever"))
    assert "googletagmanager" in await page("/fr-FR/1/2")

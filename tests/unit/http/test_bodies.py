import gzip
import random
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Mapping
from typing import TypeAlias

import brotli
import pytest
import trio
import trio.testing

from tabwright.http.client import Client
from tabwright.protocol.errors import ErrorCode, NavigationFailed, TimeOut
from tabwright.protocol.fetch import Fetch

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

from .web import Asked, Handler, Open, Reply, Web

URL = "http://a.example/"
PAGE = b"<p>A page of some length, and then of some more.</p>" * 2000


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def zstandard(data: bytes) -> bytes:
    return zstd.compress(data, level=19)


def br(data: bytes) -> bytes:
    return brotli.compress(data, quality=4)


Compress: TypeAlias = Callable[[bytes], bytes]

CODINGS: Mapping[str, Compress] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": raw_deflate,
    "br": br,
    "zstd": zstandard,
    "gzip, br": lambda data: br(gzip.compress(data)),
    "identity": bytes,
}


def coded(coding: str, body: bytes) -> Reply:
    return Reply(body, headers=(("Content-Encoding", coding),))


@pytest.mark.parametrize("coding", CODINGS)
async def test_every_content_encoding_is_decoded(web: Web, client: Client, coding: str) -> None:
    web.site("a.example", coded(coding, CODINGS[coding](PAGE)))
    fetched = await client.fetch(Fetch(URL))
    assert (fetched.body, fetched.cut) == (PAGE, None)
    (connection,) = client.connections._all
    assert connection.is_reusable


async def test_accept_encoding_lists_only_supported_encodings(web: Web, client: Client) -> None:
    web.site("a.example", Reply())
    await client.fetch(Fetch(URL))
    asked = web.asked[0].headers["accept-encoding"]
    assert set(asked.split(", ")) <= set(CODINGS)


@pytest.mark.parametrize("coding", CODINGS)
async def test_decompression_bomb_is_cut_at_the_size_limit(
    web: Web, open_client: Open, coding: str
) -> None:
    bomb = CODINGS[coding](bytes(100_000_000 if coding != "identity" else 3_000_000))
    web.site("a.example", coded(coding, bomb))
    client = open_client(bytes_max=2_000_000)
    tracemalloc.start()
    try:
        fetched = await client.fetch(Fetch(URL))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert fetched.cut
    assert len(fetched.body) == 2_000_000
    assert peak < 20_000_000
    assert web.open_streams == 0


async def test_body_at_the_size_limit_is_not_cut(web: Web, open_client: Open) -> None:
    for coding, compress in CODINGS.items():
        web.site("a.example", coded(coding, compress(PAGE)))
        fetched = await open_client(bytes_max=len(PAGE)).fetch(Fetch(URL))
        assert (fetched.body, fetched.cut) == (PAGE, None)
        fetched = await open_client(bytes_max=len(PAGE) - 1).fetch(Fetch(URL))
        assert (fetched.body, fetched.cut) == (PAGE[:-1], "size_limit")


async def test_body_expanding_between_two_codings_is_rejected(web: Web, client: Client) -> None:
    nothing = b"\0\0\0\xff\xff" * 8_000_000  # blocks without content
    web.site("a.example", coded("deflate, br", br(nothing)))
    with pytest.raises(NavigationFailed, match="expands too much"):
        await client.fetch(Fetch(URL))


@pytest.mark.parametrize(("coding", "compress"), [("gzip", gzip.compress), ("zstd", zstandard)])
async def test_compressed_body_with_too_many_members_is_refused(
    web: Web, client: Client, coding: str, compress: Compress
) -> None:
    web.site("a.example", coded(coding, compress(b"") * 2000))
    with pytest.raises(NavigationFailed, match="too many members"):
        await client.fetch(Fetch(URL))


@pytest.mark.parametrize("coding", [name for name in CODINGS if name != "identity"])
async def test_body_not_matching_its_content_encoding_is_refused(
    web: Web, client: Client, coding: str
) -> None:
    web.site("a.example", coded(coding, b"<html>plain after all"))
    with pytest.raises(NavigationFailed, match="cannot be decoded") as caught:
        await client.fetch(Fetch(URL))
    assert caught.value.code is ErrorCode.ENCODING
    assert not caught.value.retryable


@pytest.mark.parametrize("coding", ["utf-8", "none", "\u00fc"])
async def test_value_that_is_no_coding_is_ignored(web: Web, client: Client, coding: str) -> None:
    web.site("a.example", coded(coding, b"<p>Plain"))
    fetched = await client.fetch(Fetch(URL))
    assert fetched.body == b"<p>Plain"


@pytest.mark.parametrize("coding", ["compress", "gzip, gzip, gzip, gzip"])
async def test_unsupported_coding_is_refused(web: Web, client: Client, coding: str) -> None:
    web.site("a.example", coded(coding, b"x"))
    with pytest.raises(NavigationFailed) as caught:
        await client.fetch(Fetch(URL))
    assert caught.value.code is ErrorCode.ENCODING


@pytest.mark.parametrize("coding", CODINGS)
async def test_truncated_body_returns_the_received_part(
    web: Web, client: Client, coding: str
) -> None:
    noise = b"%x" % random.Random(1).getrandbits(4_000_000)
    whole = CODINGS[coding](noise)

    async def breaks_off(asked: Asked) -> None:
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {len(whole)}\r\n\r\n"
        )
        await asked.stream.send_all(head.encode() + whole[: len(whole) // 2])

    web.site("a.example", breaks_off)
    fetched = await client.fetch(Fetch(URL))
    assert fetched.cut
    assert 200_000 < len(fetched.body) < len(noise)
    assert noise.startswith(fetched.body)


@pytest.mark.parametrize("coding", [name for name in CODINGS if name != "identity"])
async def test_truncated_compressed_body_is_marked_as_cut(
    web: Web, client: Client, coding: str
) -> None:
    web.site("a.example", coded(coding, CODINGS[coding](PAGE)[:-6]))
    assert (await client.fetch(Fetch(URL))).cut


async def test_corrupt_compressed_body_is_cut_at_the_error(web: Web, client: Client) -> None:
    packer = zlib.compressobj(wbits=31)
    half = packer.compress(PAGE) + packer.flush(zlib.Z_FULL_FLUSH)

    async def respond(asked: Asked) -> None:
        await asked.stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + half)
        await trio.testing.wait_all_tasks_blocked()
        await asked.stream.send_all(b"\xff" * 100)

    web.site("a.example", respond)
    fetched = await client.fetch(Fetch(URL))
    assert (fetched.body, fetched.cut) == (PAGE, "broken_off")


@pytest.mark.parametrize(("coding", "compress"), [("gzip", gzip.compress), ("zstd", zstandard)])
async def test_compressed_body_with_several_members_is_joined(
    web: Web, client: Client, coding: str, compress: Compress
) -> None:
    web.site("a.example", coded(coding, compress(b"one, ") + compress(b"") + compress(b"two")))
    fetched = await client.fetch(Fetch(URL))
    assert (fetched.body, fetched.cut) == (b"one, two", None)


async def test_trailing_data_after_compressed_body_is_ignored(web: Web, client: Client) -> None:
    web.site("a.example", coded("gzip", gzip.compress(b"page") + b"\0\0junk"))
    fetched = await client.fetch(Fetch(URL))
    assert (fetched.body, fetched.cut) == (b"page", None)


def drips(*pieces: bytes, pause_s: float) -> Handler:
    async def drip(asked: Asked) -> None:
        for piece in pieces:
            await asked.stream.send_all(piece)
            await trio.sleep(pause_s)
        await trio.sleep_forever()

    return drip


async def test_a_slow_body_is_cut_when_the_time_is_up(
    web: Web, open_client: Open, autojump_clock: object
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
    web.site("a.example", drips(head, *[b"0123456789"] * 100, pause_s=1))
    fetched = await open_client(timeout_s=10.5).fetch(Fetch(URL))
    assert fetched.cut
    assert fetched.body == b"0123456789" * 10
    assert trio.current_time() == pytest.approx(10.5, abs=0.01) or web.open_streams == 0


async def test_response_head_slower_than_the_timeout_raises_time_out(
    web: Web, open_client: Open, autojump_clock: object
) -> None:
    web.site("a.example", drips(b"HTTP/1.1 200 OK\r\n", *[b"X-A: b\r\n"] * 100, pause_s=1))
    begun_s = trio.current_time()
    with pytest.raises(TimeOut, match=r"did not answer within 10\.5 s"):
        await open_client(timeout_s=10.5).fetch(Fetch(URL))
    assert trio.current_time() - begun_s == pytest.approx(10.5)
    assert web.open_streams == 0


@pytest.mark.parametrize("own_s", [2.5, 20.5])
async def test_time_out_of_a_request_replaces_that_of_the_settings(
    web: Web, open_client: Open, own_s: float, autojump_clock: object
) -> None:
    web.site("a.example", drips(b"HTTP/1.1 200 OK\r\n", *[b"X-A: b\r\n"] * 100, pause_s=1))
    begun_s = trio.current_time()
    with pytest.raises(TimeOut, match=rf"did not answer within {own_s} s"):
        await open_client(timeout_s=10.5).fetch(Fetch(URL, timeout_s=own_s))
    assert trio.current_time() - begun_s == pytest.approx(own_s)


async def test_deadline_of_the_caller_cancels_a_slow_body(
    web: Web, client: Client, autojump_clock: object
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
    web.site("a.example", drips(head, *[b"0123456789"] * 100, pause_s=1))
    with trio.move_on_after(3) as limit:
        await client.fetch(Fetch(URL))
    assert limit.cancelled_caught
    assert web.open_streams == 0


@pytest.mark.parametrize("status", [204, 304])
async def test_response_without_a_body_is_accepted(web: Web, client: Client, status: int) -> None:
    web.site("a.example", Reply(status=status, is_framed=False))
    fetched = await client.fetch(Fetch(URL))
    assert (fetched.body, fetched.cut) == (b"", None)


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: " + b"x" * 200_000,
        b"\0" * 1000,
        b"HTTP/1.1 99999 No\r\n\r\n",
    ],
)
async def test_invalid_http_response_is_a_permanent_failure(
    web: Web, client: Client, answer: bytes
) -> None:
    async def respond(asked: Asked) -> None:
        await asked.stream.send_all(answer)

    web.site("a.example", respond)
    with pytest.raises(NavigationFailed, match="invalid HTTP response") as caught:
        await client.fetch(Fetch(URL))
    assert not caught.value.retryable
    assert web.open_streams == 0


async def test_a_chunked_body_that_is_malformed_is_cut(web: Web, client: Client) -> None:
    async def respond(asked: Asked) -> None:
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        await asked.stream.send_all(head + b"3\r\nabc\r\nnothing\r\n")

    web.site("a.example", respond)
    fetched = await client.fetch(Fetch(URL))
    assert (fetched.body, fetched.cut) == (b"abc", "broken_off")

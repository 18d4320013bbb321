"""SOCKS5 requests of the browser to our proxy: valid and invalid ones."""

import ipaddress

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import memory_stream_pair

from tabwright.http.proxy_tunnel import NotSocks, asked_place

GREETING = b"\x05\x01\x00"
AGREED = b"\x05\x00"


async def place_of(*output: bytes) -> tuple[tuple[str, int], bytes]:
    """Return the place that these bytes ask for, and the bytes of the answer."""
    client, server = memory_stream_pair()
    for piece in output:
        await client.send_all(piece)
    await client.send_eof()
    place = await asked_place(server)
    return place, bytes(await client.receive_some())


@pytest.mark.parametrize(
    ("address", "host"),
    [
        (b"\x03\x0bpublic.test", "public.test"),
        (b"\x01\x7f\x00\x00\x01", "127.0.0.1"),
        (b"\x04" + ipaddress.ip_address("::1").packed, "::1"),
    ],
)
async def test_socks5_request_is_read_with_name_or_address(address: bytes, host: str) -> None:
    place, answered = await place_of(GREETING, b"\x05\x01\x00" + address + b"\x01\xbb")
    assert place == (host, 443)
    assert answered == AGREED


async def test_handshake_split_into_single_bytes_is_parsed() -> None:
    output = GREETING + b"\x05\x01\x00\x03\x01a\x00\x50"
    assert (await place_of(*(bytes([byte]) for byte in output)))[0] == ("a", 80)


@pytest.mark.parametrize(
    "output",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x04\x01\x00\x50\x7f\x00\x00\x01\x00",
        b"\x05\x01\x02",
        GREETING + b"\x05\x02\x00\x03\x01a\x00\x50",
        GREETING + b"\x05\x01\x00\x02\x01a\x00\x50",
        GREETING + b"\x05\x01\x00\x03\x01\xff\x00\x50",
    ],
    ids=["http", "socks4", "password", "bind", "kind", "not ascii"],
)
async def test_invalid_socks5_handshake_is_rejected(output: bytes) -> None:
    with pytest.raises(NotSocks):
        await place_of(output)


async def test_socks5_client_that_disconnects_early_raises_an_error() -> None:
    with pytest.raises(trio.BrokenResourceError):
        await place_of(GREETING + b"\x05\x01")


@given(st.binary(max_size=64))
def test_arbitrary_bytes_give_a_valid_target_or_an_error(output: bytes) -> None:
    async def ask() -> None:
        try:
            (host, port), _ = await place_of(output)
        except (NotSocks, trio.BrokenResourceError):
            return
        assert host.isascii()
        assert 0 <= port < 1 << 16

    trio.run(ask)

"""The browser's way out, without a browser."""

import socket
from collections.abc import Sequence

import pytest
import trio
from trio.testing import memory_stream_pair

from tabwright.actors.browsers.egress import FAILURES_MAX, open_egress
from tabwright.fetching.net import Net, connect
from tabwright.fetching.socks5 import Reply
from tabwright.protocol.errors import BadInput, NavigationFailed

SUCCEEDED = bytes([5, Reply.SUCCEEDED, 0, 1, 0, 0, 0, 0, 0, 0])


async def resolve(host: str) -> Sequence[str]:
    if host == "nowhere.test":
        raise socket.gaierror(socket.EAI_NONAME, "unknown")
    return {"public.test": ["93.184.215.14"], "inside.test": ["10.0.0.1"]}.get(host, [host])


async def asked(port: int, host: str) -> tuple[trio.abc.Stream, bytes]:
    """A connection to the proxy, and its reply."""
    stream = await connect("127.0.0.1", port)
    name = host.encode()
    await stream.send_all(b"\x05\x01\x00\x05\x01\x00\x03" + bytes([len(name)]) + name + b"\0\x50")
    said = b""
    while len(said) < 2 + len(SUCCEEDED) and (piece := await stream.receive_some()):
        said += bytes(piece)
    return stream, said[2:]


async def test_bytes_go_both_ways_until_the_browser_has_ended() -> None:
    ours, theirs = memory_stream_pair()

    async def connected(address: str, port: int) -> trio.abc.Stream:
        assert (address, port) == ("93.184.215.14", 80)
        return ours

    async with open_egress(Net(resolve=resolve, connect=connected)) as egress:
        browser, reply = await asked(egress.proxy.port, "public.test")
        assert reply == SUCCEEDED
        await browser.send_all(b"question")
        assert await theirs.receive_some() == b"question"
        await theirs.send_all(b"answer")
        assert await browser.receive_some() == b"answer"
        await browser.aclose()
        assert await theirs.receive_some() == b""
        with pytest.raises(trio.BrokenResourceError):
            await theirs.send_all(b"something that nobody will hear")


async def test_a_site_may_end_before_the_browser_has_said_all() -> None:
    ours, theirs = memory_stream_pair()

    async def connected(_address: str, _port: int) -> trio.abc.Stream:
        return ours

    async with open_egress(Net(resolve=resolve, connect=connected)) as egress:
        browser, _ = await asked(egress.proxy.port, "public.test")
        await theirs.send_all(b"enough")
        await theirs.send_eof()
        assert await browser.receive_some() == b"enough"
        assert await browser.receive_some() == b""
        await browser.send_all(b"one thing more")
        assert await theirs.receive_some() == b"one thing more"
        await browser.aclose()


@pytest.mark.parametrize(
    ("host", "reply", "error"),
    [
        ("inside.test", Reply.NOT_ALLOWED, BadInput),
        ("127.0.0.1", Reply.NOT_ALLOWED, BadInput),
        ("nowhere.test", Reply.HOST_UNREACHABLE, NavigationFailed),
    ],
)
async def test_what_is_not_connected_and_why(host: str, reply: Reply, error: type) -> None:
    async with open_egress(Net(resolve=resolve)) as egress:
        stream, said = await asked(egress.proxy.port, host)
        await stream.aclose()
        assert said[1] == reply
        assert isinstance(egress.failure(f"http://{host}/page"), error)
        assert egress.failure(f"https://{host}/") is None  # that is another port


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".test", ""])
async def test_a_name_that_there_cannot_be_costs_nobody_else_a_connection(host: str) -> None:
    async with open_egress(Net()) as egress:
        stream, said = await asked(egress.proxy.port, host)
        await stream.aclose()
        assert said[1:2] != bytes([Reply.SUCCEEDED])
        stream, said = await asked(egress.proxy.port, "127.0.0.1")
        await stream.aclose()
        assert said[1] == Reply.NOT_ALLOWED


async def test_reasons_are_forgotten_in_time() -> None:
    async with open_egress(Net(resolve=resolve)) as egress:
        for number in range(FAILURES_MAX + 1):
            stream, _ = await asked(egress.proxy.port, f"127.0.{number // 256}.{number % 256}")
            await stream.aclose()
        assert egress.failure("http://127.0.0.0/") is None
        assert egress.failure("http://127.0.0.1/") is not None


async def test_nothing_is_left_when_it_ends() -> None:
    ours, theirs = memory_stream_pair()

    async def connected(_address: str, _port: int) -> trio.abc.Stream:
        return ours

    async with open_egress(Net(resolve=resolve, connect=connected)) as egress:
        browser, _ = await asked(egress.proxy.port, "public.test")
    assert await browser.receive_some() == b""
    assert await theirs.receive_some() == b""
    with pytest.raises(ConnectionRefusedError):
        await connect("127.0.0.1", egress.proxy.port)
    await browser.aclose()

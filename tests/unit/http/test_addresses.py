import socket

import pytest
import trio
from trio.testing import memory_stream_pair

from tabwright.http.client import Client
from tabwright.http.connect import HEAD_START_S, checked_addresses, connect_happy_eyeballs
from tabwright.protocol.errors import BadInput, ErrorCode, NavigationFailed
from tabwright.protocol.fetch import Fetch
from tabwright.protocol.urls import Bounds

from .web import PUBLIC, Open, Reply, Web, redirect

CLOSED = [
    "0.0.0.0",  # noqa: S104  (nothing binds to it)
    "10.1.2.3",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "100::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%2",
    "fec0::1",
    "ff02::1",
]
OPEN = [PUBLIC, "1.1.1.1", "223.255.255.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]


@pytest.mark.parametrize("address", CLOSED)
async def test_host_resolving_to_a_private_address_is_refused(
    web: Web, client: Client, address: str
) -> None:
    web.site("a.example", Reply(b"secret"), PUBLIC, address)
    with pytest.raises(BadInput, match="private address") as caught:
        await client.fetch(Fetch("http://a.example/"))
    assert "network.allow_private" in caught.value.advice
    assert not web.connected


@pytest.mark.parametrize("address", OPEN)
async def test_public_address_is_fetched_from(web: Web, client: Client, address: str) -> None:
    web.site("a.example", Reply(b"page"), address)
    assert (await client.fetch(Fetch("http://a.example/"))).body == b"page"
    assert web.connected == [(address, 80)]


@pytest.mark.parametrize("address", CLOSED)
def test_non_public_address_passes_the_check_if_allowed(address: str) -> None:
    assert checked_addresses("a.example", [address], allow_private=True) == (address,)


@pytest.mark.parametrize("address", ["10.1.2.3", "224.0.0.1", "[ff02::1]", "[fec0::1]"])
async def test_private_address_in_the_url_is_refused(
    web: Web, client: Client, address: str
) -> None:
    with pytest.raises(BadInput, match="is a private address"):
        await client.fetch(Fetch(f"http://{address}/"))
    assert not web.connected


async def test_dns_rebinding_to_a_private_address_is_refused(web: Web, open_client: Open) -> None:
    """DNS rebinding: the first lookup is public, the second is private."""
    web.site("a.example", Reply(b"page"))
    web.names["a.example"] = [(PUBLIC,), ("127.0.0.1",)]
    client = open_client()
    assert (await client.fetch(Fetch("http://a.example/"))).body == b"page"
    assert web.connected == [(PUBLIC, 80)]
    assert web.resolved == ["a.example"]  # once for each connection: no second answer is used
    await client.connections.aclose()
    with pytest.raises(BadInput, match=r"resolves to 127\.0\.0\.1"):
        await client.fetch(Fetch("http://a.example/"))
    assert web.connected == [(PUBLIC, 80)]


async def test_a_redirect_to_a_name_with_a_private_address_is_refused(
    web: Web, client: Client
) -> None:
    web.site("a.example", redirect("http://inside.example/"))
    web.site("inside.example", Reply(b"secret"), "10.0.0.1")
    with pytest.raises(BadInput, match=r"inside\.example resolves to 10\.0\.0\.1"):
        await client.fetch(Fetch("http://a.example/"))
    assert web.connected == [(PUBLIC, 80)]


async def test_private_address_is_fetched_from_if_allowed(web: Web, open_client: Open) -> None:
    web.site("127.0.0.1", Reply(b"mine"), "127.0.0.1")
    client = open_client(bounds=Bounds(private=True))
    assert (await client.fetch(Fetch("http://127.0.0.1:8080/"))).body == b"mine"
    assert web.connected == [("127.0.0.1", 8080)]
    assert web.asked[0].headers["host"] == "127.0.0.1:8080"


async def test_ipv6_address_is_bracketed_in_host_header(web: Web, client: Client) -> None:
    web.site("[2606:4700::1111]", Reply(b"page"))
    await client.fetch(Fetch("http://[2606:4700::1111]:8080/"))
    assert web.connected == [("2606:4700::1111", 8080)]
    assert web.asked[0].headers["host"] == "[2606:4700::1111]:8080"


async def test_first_reachable_address_is_used_without_waiting_for_slow_ones(
    web: Web, client: Client, autojump_clock: object
) -> None:
    slow, dead, good, late = "2606:4700::1", "1.1.1.1", "1.1.1.2", "1.1.1.3"
    web.site("a.example", Reply(b"page"), slow, dead, good, late)
    web.slow, web.dead = {slow: 60}, {dead: ConnectionRefusedError()}
    assert (await client.fetch(Fetch("http://a.example/"))).body == b"page"
    assert [address for address, _ in web.connected] == [slow, dead, good]
    assert trio.current_time() < 2 * HEAD_START_S + 1


@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), ErrorCode.DNS, False),
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure"), ErrorCode.DNS, True),
    ],
)
async def test_dns_failure_is_retryable_only_if_temporary(
    web: Web, client: Client, error: OSError, code: ErrorCode, retryable: bool
) -> None:
    web.names["a.example"] = [error]
    with pytest.raises(NavigationFailed, match=r"a\.example") as caught:
        await client.fetch(Fetch("http://a.example/"))
    assert (caught.value.code, caught.value.retryable) == (code, retryable)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ConnectionRefusedError(111, "Connection refused"), "refuses connections"),
        (OSError(101, "Network is unreachable"), "no route to a.example"),
        (OSError(113, "No route to host"), "no route to a.example"),
        (
            ConnectionResetError(104, "Connection reset by peer"),
            "cannot be reached .Connection reset",
        ),
    ],
)
async def test_connection_error_names_its_cause(
    web: Web, client: Client, error: OSError, words: str
) -> None:
    web.site("a.example", Reply())
    web.dead[PUBLIC] = error
    with pytest.raises(NavigationFailed, match=words) as caught:
        await client.fetch(Fetch("http://a.example/"))
    assert caught.value.code is ErrorCode.NETWORK
    assert caught.value.advice


async def test_unresponsive_address_times_out_after_10_s(
    web: Web, client: Client, autojump_clock: object
) -> None:
    web.site("a.example", Reply())
    web.slow[PUBLIC] = 1000
    with pytest.raises(NavigationFailed, match="not be reached within 10 s") as caught:
        await client.fetch(Fetch("http://a.example/"))
    assert caught.value.code is ErrorCode.TIME_OUT


async def test_second_simultaneous_connection_is_closed(autojump_clock: object) -> None:
    both = trio.Event()
    opened: list[trio.abc.Stream] = []

    async def connect_together(address: str, port: int) -> trio.abc.Stream:
        await both.wait()
        opened.append(memory_stream_pair()[0])
        return opened[-1]

    async with trio.open_nursery() as nursery:
        nursery.start_soon(_set_after, both)
        stream = await connect_happy_eyeballs(connect_together, ["1.1.1.1", "1.1.1.2"], 80)
    assert stream is opened[0]
    with pytest.raises(trio.ClosedResourceError):
        await opened[1].send_all(b"x")


async def _set_after(both: trio.Event) -> None:
    await trio.sleep(2 * HEAD_START_S)
    both.set()

"""The HTTP transport to models, over streams in memory."""

import gzip
import logging
import socket
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress

import attrs
import pytest
import trio
import trustme
from trio.testing import memory_stream_pair

from tabwright.concurrency.nursery import background_nursery
from tabwright.http.net import NetworkBackend
from tabwright.http.proxy_discovery import ProxyFinder
from tabwright.llm.transport import ANSWER_BYTES_MAX, ModelTransport
from tabwright.llm.vendor import HTTPCall, VendorReply
from tabwright.protocol.errors import ModelFailed, ModelFault
from tabwright.protocol.proxy import Proxy, ProxyAnswer, ProxyChoice, ProxyReport

from .asking import KEY

CALL = HTTPCall("https://api.example/v1/ask", (("Authorization", f"Bearer {KEY}"),), b'{"q":1}')
PLAIN = attrs.evolve(CALL, url="http://api.example/v1/ask")
NO_NAME = socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def answer(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = (f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", "")
    return "\r\n".join(lines).encode() + body


@attrs.define
class Vendor:
    """A fake vendor that answers every request with the same bytes, plain or over TLS."""

    answers: bytes = answer(b"{}", "200 OK", "Retry-After: 3")
    stays: bool = True
    authority: trustme.CA = attrs.field(factory=trustme.CA)
    asked: list[bytes] = attrs.field(factory=list[bytes])
    connected: list[tuple[str, int]] = attrs.field(factory=list[tuple[str, int]])
    protocols: list[str | None] = attrs.field(factory=list[str | None])
    open: int = 0

    async def serve(self, stream: trio.abc.Stream, port: int) -> None:
        self.open += 1
        with suppress(trio.BrokenResourceError):
            async with stream:
                await self.answer(await self.secured(stream) if port == 443 else stream)
        self.open -= 1

    async def secured(self, stream: trio.abc.Stream) -> trio.abc.Stream:
        secured = trio.SSLStream(stream, self.context(), server_side=True)
        await secured.do_handshake()
        self.protocols.append(secured.selected_alpn_protocol())
        return secured

    async def answer(self, stream: trio.abc.Stream) -> None:
        asked = b""
        while data := await stream.receive_some():
            asked += data
            if asked.endswith(CALL.body):
                self.asked.append(asked)
                await stream.send_all(self.answers)
                if not self.stays:
                    return

    def context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.authority.issue_cert("api.example").configure_cert(context)
        context.set_alpn_protocols(["h2", "http/1.1"])
        return context


Open = Callable[..., ModelTransport]


@pytest.fixture
def vendor() -> Vendor:
    return Vendor()


@pytest.fixture
async def open_line(vendor: Vendor) -> AsyncGenerator[Open]:
    lines: list[ModelTransport] = []
    async with background_nursery() as nursery:

        async def resolve(host: str) -> Sequence[str]:
            await trio.lowlevel.checkpoint()
            if host == "gone.example":
                raise NO_NAME
            return ("10.0.0.1",) if host == "api.example" else (host,)

        async def connect(address: str, port: int) -> trio.abc.Stream:
            await trio.lowlevel.checkpoint()
            vendor.connected.append((address, port))
            if port == 1:
                raise ConnectionRefusedError
            ours, theirs = memory_stream_pair()
            nursery.start_soon(vendor.serve, theirs, port)
            return ours

        def open_line(
            proxies: object = None, *, trust: Callable[[ssl.SSLContext], None] | None = None
        ) -> ModelTransport:
            trusted = trust or vendor.authority.configure_trust
            net = NetworkBackend(resolve=resolve, connect=connect, trust=trusted)
            lines.append(ModelTransport(net, proxies or ProxyFinder("none")))
            return lines[-1]

        yield open_line
        for line in lines:
            await line.aclose()


async def failure_of(sending: Awaitable[VendorReply]) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        await sending
    return caught.value


async def test_call_is_posted_and_its_response_returned(vendor: Vendor, open_line: Open) -> None:
    reply = await open_line().send(CALL, 10)
    assert (reply.status, reply.body, reply.headers["retry-after"]) == (200, b"{}", "3")
    (asked,) = vendor.asked
    head, _, body = asked.decode().partition("\r\n\r\n")
    first, *headers = head.split("\r\n")
    assert first == "POST /v1/ask HTTP/1.1"
    assert {"Host: api.example", "Content-Type: application/json"} <= set(headers)
    assert f"Authorization: Bearer {KEY}" in headers
    assert body == '{"q":1}'
    assert vendor.connected == [("10.0.0.1", 443)]


async def test_api_key_is_never_logged(
    vendor: Vendor, open_line: Open, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await open_line().send(CALL, 10)
    assert KEY in vendor.asked[0].decode()
    assert caplog.records
    assert "hunter2" not in caplog.text
    assert vendor.protocols == ["http/1.1"]


async def test_redirect_of_the_vendor_is_not_followed(vendor: Vendor, open_line: Open) -> None:
    vendor.answers = answer(b"", "307 Temporary Redirect", "Location: https://other.example/")
    assert (await open_line().send(CALL, 10)).status == 307
    assert len(vendor.connected) == 1


@pytest.mark.parametrize(
    ("answers", "fault", "reported"),
    [
        (answer(b"x" * (ANSWER_BYTES_MAX + 1)), ModelFault.UNREADABLE, "more than"),
        (
            answer(gzip.compress(bytes(8 * ANSWER_BYTES_MAX)), "200 OK", "Content-Encoding: gzip"),
            ModelFault.UNREADABLE,
            "more than",
        ),
        (
            answer(b"no gzip at all", "200 OK", "Content-Encoding: gzip"),
            ModelFault.UNREADABLE,
            "coding",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{",
            ModelFault.TRANSIENT,
            "closed the connection",
        ),
        (b"HTTP/1.1 2", ModelFault.TRANSIENT, "closed the connection"),
        (b"SSH-2.0-x\r\n\r\n", ModelFault.MISSING, "HTTP"),
    ],
)
async def test_incomplete_vendor_response_is_reported(
    vendor: Vendor, open_line: Open, answers: bytes, fault: ModelFault, reported: str
) -> None:
    vendor.answers, vendor.stays = answers, False
    failure = await failure_of(open_line().send(PLAIN, 10))
    assert failure.fault is fault
    assert reported in failure.message


@pytest.mark.parametrize("answers", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"])
async def test_response_after_the_timeout_is_a_transient_failure(
    vendor: Vendor, open_line: Open, answers: bytes, autojump_clock
) -> None:
    vendor.answers = answers
    before_s = trio.current_time()
    failure = await failure_of(open_line().send(PLAIN, 7))
    assert failure.fault is ModelFault.TRANSIENT
    assert "models.timeout_s" in failure.advice
    assert trio.current_time() == before_s + 7


async def test_cancelled_call_closes_its_connection(
    vendor: Vendor, open_line: Open, autojump_clock
) -> None:
    vendor.answers = b""
    with trio.move_on_after(5):
        await open_line().send(PLAIN, 10)
    await trio.testing.wait_all_tasks_blocked()
    assert (len(vendor.connected), vendor.open) == (1, 0)


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("http://api.example:1/", ModelFault.TRANSIENT),
        ("http://gone.example/", ModelFault.MISSING),
    ],
)
async def test_unreachable_vendor_is_reported_with_its_fault(open_line: Open, url, fault) -> None:
    failure = await failure_of(open_line().send(attrs.evolve(CALL, url=url), 10))
    assert failure.fault is fault
    assert failure.message.startswith("The model cannot be reached: ")
    assert failure.advice


async def test_key_is_not_sent_to_a_server_without_a_valid_certificate(
    vendor: Vendor, open_line: Open
) -> None:
    line = open_line(trust=lambda context: None)
    failure = await failure_of(line.send(CALL, 10))
    assert failure.fault is ModelFault.MISSING
    assert "no valid certificate" in failure.message
    assert vendor.asked == []


async def test_local_model_is_reached_without_the_proxy(vendor: Vendor, open_line: Open) -> None:
    line = open_line(ProxyFinder("http://10.0.0.9:3128", {}))
    call = attrs.evolve(CALL, url="http://127.0.0.1:11434/v1/ask")
    assert (await line.send(call, 10)).status == 200
    assert vendor.connected == [("127.0.0.1", 11434)]


async def test_remote_model_is_reached_through_the_proxy(vendor: Vendor, open_line: Open) -> None:
    await open_line(ProxyFinder("http://10.0.0.9:3128", {})).send(PLAIN, 10)
    assert vendor.connected == [("10.0.0.9", 3128)]
    assert vendor.asked[0].startswith(b"POST http://api.example/v1/ask HTTP/1.1\r\n")


async def test_invalid_proxy_is_reported_without_its_password(open_line: Open) -> None:
    proxies = ProxyFinder("auto", {"HTTPS_PROXY": "http://me:hunter2@10.0.0.9"})
    failure = await failure_of(open_line(proxies).send(CALL, 10))
    assert failure.fault is ModelFault.MISSING
    assert "HTTPS_PROXY" in failure.message
    assert "hunter2" not in str(failure)


@attrs.frozen
class Moved:
    """A fake proxy finder whose proxy has moved to another port."""

    async def choose(self) -> ProxyChoice:
        await trio.lowlevel.checkpoint()
        return ProxyChoice(Proxy("http", "10.0.0.9", 1))

    async def check(self, used: ProxyChoice) -> ProxyReport:
        await trio.lowlevel.checkpoint()
        now = ProxyChoice(Proxy("http", "10.0.0.9", 3128))
        return ProxyReport(used, ProxyAnswer.ABSENT, now)


async def test_another_proxy_is_used_after_a_failure(vendor: Vendor, open_line: Open) -> None:
    line = open_line(Moved())
    assert (await failure_of(line.send(PLAIN, 10))).fault is ModelFault.TRANSIENT
    assert (await line.send(PLAIN, 10)).status == 200
    assert vendor.connected == [("10.0.0.9", 1), ("10.0.0.9", 3128)]

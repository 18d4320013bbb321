"""Choose a browser's proxy before it starts, and check the proxy when pages fail."""

import ipaddress
import os
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus

import attrs
import h11
import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.config.shipped_lists import load_proxy_ports
from tabwright.http.proxy_tunnel import (
    AGREED,
    GREETING,
    NONE_ACCEPTABLE,
    connect_through,
)
from tabwright.http.request import Target
from tabwright.protocol.proxy import (
    Proxy,
    ProxyAnswer,
    ProxyChoice,
    ProxyReport,
    bypassing,
    parse_proxy,
    preferred,
)

# Probing local listeners for a proxy; nothing leaves the machine.
#
# An HTTP proxy is asked for a tunnel to our listener, which greets every connection. Other servers
# refuse, or announce or send a body where a tunnel has none (RFC 9110, section 9.3.6). A tunnel
# that stays silent is accepted: some proxies forward everything to a remote machine, which cannot
# reach our listener.
#
# A SOCKS5 proxy is offered a session without a password; its whole reply has two bytes (RFC 1928,
# section 3). That is enough evidence and needs no target.

PROBE_S = 0.5
"""Timeout for a local proxy to answer."""

_GREETING = b"tabwright listens here\n"

_BODY_HEADERS = frozenset({b"content-length", b"content-type", b"transfer-encoding"})

_SOCKS5_ANSWERS = {AGREED: ProxyAnswer.SERVES, NONE_ACCEPTABLE: ProxyAnswer.REFUSES}


@asynccontextmanager
async def open_listener() -> AsyncGenerator[int]:
    """Greet every connection to a port of 127.0.0.1 while the block runs; yield the port."""
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with background_nursery() as nursery:
        await nursery.start(trio.serve_listeners, _greet, listeners)
        yield listeners[0].socket.getsockname()[1]


async def _greet(stream: trio.SocketStream) -> None:
    with suppress(trio.BrokenResourceError):
        await stream.send_all(_GREETING)


async def probe(proxy: Proxy, listener_port: int) -> ProxyAnswer:
    """Probe whether the server is a working `proxy`, for at most `PROBE_S`.

    Args:
        proxy: the candidate; it is only contacted on this machine.
        listener_port: the port of `open_listener`.
    """
    if not proxy.is_local or proxy.kind == "https":
        return ProxyAnswer.UNASKED
    inquiry = _ProxyProbe()
    with (
        trio.move_on_after(PROBE_S),
        suppress(OSError, trio.BrokenResourceError, h11.RemoteProtocolError),
    ):
        async with await trio.open_tcp_stream(proxy.host, proxy.port) as stream:
            if proxy.kind == "socks5":
                await inquiry.of_socks5(stream)
            else:
                await inquiry.of_http(stream, f"127.0.0.1:{listener_port}")
    return inquiry.answer


@attrs.define
class _ProxyProbe:
    """A probe of one server; `answer` is the best result so far, even if it is interrupted."""

    answer: ProxyAnswer = ProxyAnswer.ABSENT

    async def of_socks5(self, stream: trio.SocketStream) -> None:
        """Check that the server accepts SOCKS5 without a password (RFC 1928, section 3).

        Raises:
            trio.BrokenResourceError: the server closed the connection.
        """
        await stream.send_all(GREETING)
        received = b""
        while len(received) < len(AGREED) and (data := await stream.receive_some()):
            received += data
        self.answer = _SOCKS5_ANSWERS.get(received, ProxyAnswer.ABSENT)

    async def of_http(self, stream: trio.SocketStream, target: str) -> None:
        """Request a tunnel to `target`, given as ``host:port`` (RFC 9110, section 9.3.6).

        Raises:
            trio.BrokenResourceError: the server closed the connection.
            h11.RemoteProtocolError: the reply is not valid HTTP.
        """
        response, received = await connect_through(stream, target)
        names = {name for name, _ in response.headers}
        if response.status_code == HTTPStatus.OK:
            self.answer = ProxyAnswer.ABSENT if names & _BODY_HEADERS else ProxyAnswer.SERVES
        else:
            proxies = any(name == b"via" or name.startswith(b"proxy-") for name in names)
            refuses = proxies or response.status_code == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED
            self.answer = ProxyAnswer.REFUSES if refuses else ProxyAnswer.ABSENT
        if response.status_code == HTTPStatus.OK:
            received = received or await stream.receive_some()
            if received:
                ours = _GREETING.startswith(received)
                self.answer = ProxyAnswer.SERVES if ours else ProxyAnswer.ABSENT


SETTING = "network.proxy"

PROXY_VARIABLES = (
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
)
"""Proxy variables; the first one that is set applies to every address."""

BYPASS_VARIABLES = ("NO_PROXY", "no_proxy")


@attrs.frozen
class ProxyFinder:
    """Finds a proxy in the settings, the environment, and on this machine.

    Attributes:
        setting: the value of ``network.proxy``.
        environment: the environment variables of the process.
        ports: known ports of local proxies, in the order of preference.
    """

    setting: str
    environment: Mapping[str, str] = attrs.field(factory=lambda: os.environ, repr=False)
    ports: Sequence[int] = attrs.field(factory=load_proxy_ports)

    async def choose(self) -> ProxyChoice:
        """Choose the proxy for a browser that starts now; takes at most 0.5 s.

        Raises:
            SettingsError: the setting or a variable cannot be used.
        """
        if self.setting == "none":
            return ProxyChoice(source=SETTING)
        if self.setting != "auto":
            return self._by(parse_proxy(self.setting, SETTING), SETTING)
        if variable := self._first_set(PROXY_VARIABLES):
            return self._by(parse_proxy(self.environment[variable], variable), variable)
        return self._by(preferred(await self._detected(), self.ports), "")

    async def check(self, used: ProxyChoice) -> ProxyReport:
        """Check whether the current proxy works, and which would be chosen now.

        A working proxy is never replaced by a better one.

        Raises:
            SettingsError: see `choose`.
        """
        answer = ProxyAnswer.UNASKED
        if used.proxy is not None:
            async with open_listener() as listener_port:
                answer = await probe(used.proxy, listener_port)
        now = used if answer is ProxyAnswer.SERVES else await self.choose()
        return ProxyReport(used, answer, now)

    def _by(self, proxy: Proxy | None, source: str) -> ProxyChoice:
        variable = self._first_set(BYPASS_VARIABLES)
        bypass = bypassing(self.environment[variable]) if proxy and variable else ()
        return ProxyChoice(proxy, source, bypass)

    def _first_set(self, variables: Sequence[str]) -> str:
        """Return the name of the first non-empty variable; empty if there is none."""
        given = (name for name in variables if self.environment.get(name, "").strip())
        return next(given, "")

    async def _detected(self) -> set[Proxy]:
        """Probe the known ports concurrently and return the working proxies."""
        detected = set[Proxy]()
        async with open_listener() as listener_port, trio.open_nursery() as nursery:

            async def note(proxy: Proxy) -> None:
                """Record a working proxy."""
                if await probe(proxy, listener_port) is ProxyAnswer.SERVES:
                    detected.add(proxy)

            for port in self.ports:
                nursery.start_soon(note, Proxy("http", "127.0.0.1", port))
                nursery.start_soon(note, Proxy("socks5", "127.0.0.1", port))
        return detected


# Hosts that bypass the proxy.
#
# The patterns are Chromium's (``net/docs/proxy.md``, "Proxy bypass rules"), so that pages use the
# same route with a browser and without one.

LOOPBACK_TOO = "<-loopback>"
"""The pattern that sends even loopback names through the proxy."""

IMPLICIT = ("localhost", ".localhost", "127.0.0.0/8", "[::1]", "169.254.0.0/16", "fe80::/10")

_PATTERN = re.compile(
    r"(?:(?P<scheme>[a-z]+)://)?(?P<host>\[[^\]]*\]|[^:\[\]]+)(?::(?P<port>\d+))?", re.ASCII
)


def is_bypassed(target: Target, patterns: Sequence[str]) -> bool:
    """Return whether `target` bypasses the proxy."""
    implicit = () if LOOPBACK_TOO in patterns else IMPLICIT
    return any(_matches(pattern.lower(), target) for pattern in (*implicit, *patterns))


def _matches(pattern: str, target: Target) -> bool:
    if pattern == "<local>":
        return "." not in target.host and ":" not in target.host
    if "/" in pattern.rpartition("://")[2]:
        try:
            return ipaddress.ip_address(target.host) in ipaddress.ip_network(pattern, strict=False)
        except ValueError:
            return False
    parts = _PATTERN.fullmatch(pattern)
    return (
        parts is not None
        and parts["scheme"] in {None, target.scheme}
        and parts["port"] in {None, str(target.port)}
        and _is_of(target.host, parts["host"])
    )


def _is_of(host: str, pattern: str) -> bool:
    """Return whether the host matches the pattern, with ``*`` as wildcard."""
    wild = f"*{pattern}" if pattern.startswith(".") else pattern.strip("[]")
    expression = ".*".join(map(re.escape, wild.split("*")))
    return re.fullmatch(expression, host) is not None

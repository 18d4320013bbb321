"""The proxy of a browser: found before the browser starts, checked when pages fail."""

import ipaddress
import os
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

import attrs
import h11
import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.config.shipped_lists import load_proxy_ports
from tabwright.http.messages import Target
from tabwright.http.proxy_tunnel import (
    AGREED,
    GREETING,
    NONE_ACCEPTABLE,
    PASSWORD_WANTED,
    RECEIVE_BYTES,
    connect_through,
)
from tabwright.protocol.proxy import (
    Proxy,
    ProxyAnswer,
    ProxyChoice,
    ProxyReport,
    bypassing,
    parse_proxy,
    preferred,
)

# Probing the listeners of this machine for a proxy; nothing leaves the machine.
#
# An HTTP proxy is asked for a tunnel to our listener, which greets every connection. Other
# servers refuse, or give themselves away by the body that they announce or send where a tunnel has
# none (RFC 9110, section 9.3.6). A tunnel that stays quiet will do: some proxies hand on everything
# to a machine far away, where our listener is not.
#
# A SOCKS5 proxy is offered to go on without a password; its whole answer has two bytes (RFC 1928,
# section 3). That is proof enough, and names no target.

PROBE_S = 0.5
"""For a proxy of this machine to answer."""

_GREETING = b"tabwright listens here\n"

_TUNNEL = 200
_BODY_HEADERS = frozenset({b"content-length", b"content-type", b"transfer-encoding"})

_SOCKS5_ANSWERS = {AGREED: ProxyAnswer.SERVES, NONE_ACCEPTABLE: ProxyAnswer.REFUSES}


@asynccontextmanager
async def open_listener() -> AsyncGenerator[int]:
    """Greets every connection to the port of 127.0.0.1 that it yields, while the block runs."""
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with background_nursery() as nursery:
        await nursery.start(trio.serve_listeners, _greet, listeners)
        yield listeners[0].socket.getsockname()[1]


async def _greet(stream: trio.SocketStream) -> None:
    with suppress(trio.BrokenResourceError):
        await stream.send_all(_GREETING)


async def probe(proxy: Proxy, listener_port: int) -> ProxyAnswer:
    """Asks the server there to serve as `proxy`, for at most `PROBE_S`.

    Args:
        proxy: is asked only if it is on this machine.
        listener_port: that of `open_listener`.
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
    """Questions to one server; `answer` is what is known so far, whatever cuts them short."""

    answer: ProxyAnswer = ProxyAnswer.ABSENT

    async def of_socks5(self, stream: trio.SocketStream) -> None:
        """Asks whether it goes without a password (RFC 1928, section 3).

        Raises:
            trio.BrokenResourceError: it hung up.
        """
        await stream.send_all(GREETING)
        said = b""
        while len(said) < len(AGREED) and (data := await stream.receive_some(RECEIVE_BYTES)):
            said += data
        self.answer = _SOCKS5_ANSWERS.get(said, ProxyAnswer.ABSENT)

    async def of_http(self, stream: trio.SocketStream, target: str) -> None:
        """Asks for a tunnel to `target`, as ``host:port`` (RFC 9110, section 9.3.6).

        Raises:
            trio.BrokenResourceError: it hung up.
            h11.RemoteProtocolError: what it says is no HTTP.
        """
        response, said = await connect_through(stream, target)
        names = {name for name, _ in response.headers}
        if response.status_code == _TUNNEL:
            self.answer = ProxyAnswer.ABSENT if names & _BODY_HEADERS else ProxyAnswer.SERVES
        else:
            proxies = any(name == b"via" or name.startswith(b"proxy-") for name in names)
            refuses = proxies or response.status_code == PASSWORD_WANTED
            self.answer = ProxyAnswer.REFUSES if refuses else ProxyAnswer.ABSENT
        if response.status_code == _TUNNEL:
            said = said or await stream.receive_some(RECEIVE_BYTES)
            if said:
                ours = _GREETING.startswith(said)
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
"""The first that is set counts, for every address."""

BYPASS_VARIABLES = ("NO_PROXY", "no_proxy")


def _environment() -> Mapping[str, str]:
    return os.environ


@attrs.frozen
class ProxyFinder:
    """Looks for a proxy where the settings say, in the environment, and on this machine.

    Attributes:
        setting: the value of ``network.proxy``.
        environment: the variables of the process.
        ports: where proxies of this machine are known to listen, in the order of preference.
    """

    setting: str
    environment: Mapping[str, str] = attrs.field(factory=_environment, repr=False)
    ports: Sequence[int] = attrs.field(factory=load_proxy_ports)

    async def choose(self) -> ProxyChoice:
        """How a browser that is started now gets out; takes 0.5 s at most.

        Raises:
            SettingsError: what the setting or a variable says cannot be used.
        """
        if self.setting == "none":
            return ProxyChoice(source=SETTING)
        if self.setting != "auto":
            return self._by(parse_proxy(self.setting, SETTING), SETTING)
        if variable := self._first_set(PROXY_VARIABLES):
            return self._by(parse_proxy(self.environment[variable], variable), variable)
        return self._by(preferred(await self._detected(), self.ports), "")

    async def look(self, used: ProxyChoice) -> ProxyReport:
        """Looks whether the proxy in use still serves, and what would be chosen now.

        One that still serves is not given up for a better one.

        Raises:
            SettingsError: as `choose`.
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
        """The first of the variables that is not empty; an empty name if all are."""
        given = (name for name in variables if self.environment.get(name, "").strip())
        return next(given, "")

    async def _detected(self) -> set[Proxy]:
        """The proxies on the known ports, all asked at once."""
        detected = set[Proxy]()
        async with open_listener() as listener_port, trio.open_nursery() as nursery:

            async def note(proxy: Proxy) -> None:
                """Keeps a proxy that serves."""
                if await probe(proxy, listener_port) is ProxyAnswer.SERVES:
                    detected.add(proxy)

            for port in self.ports:
                nursery.start_soon(note, Proxy("http", "127.0.0.1", port))
                nursery.start_soon(note, Proxy("socks5", "127.0.0.1", port))
        return detected


# Hosts that are reached without the proxy.
#
# The patterns are Chromium's (``net/docs/proxy.md``, "Proxy bypass rules"), so that pages go the
# same way with a browser and without one.

LOOPBACK_TOO = "<-loopback>"
"""The pattern that has even this machine's own names go through the proxy."""

IMPLICIT = ("localhost", ".localhost", "127.0.0.0/8", "[::1]", "169.254.0.0/16", "fe80::/10")

_PATTERN = re.compile(
    r"(?:(?P<scheme>[a-z]+)://)?(?P<host>\[[^\]]*\]|[^:\[\]]+)(?::(?P<port>\d+))?", re.ASCII
)


def is_bypassed(target: Target, patterns: Sequence[str]) -> bool:
    """Whether `target` is reached directly."""
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
    """Whether the host is spelled so, where a star stands for anything."""
    wild = f"*{pattern}" if pattern.startswith(".") else pattern.strip("[]")
    expression = ".*".join(map(re.escape, wild.split("*")))
    return re.fullmatch(expression, host) is not None

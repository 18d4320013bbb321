"""The network as the fetcher sees it; tests replace it. And hosts that are found elsewhere."""

import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import attrs
import trio

from tabwright.config.settings import NetworkSettings
from tabwright.protocol.errors import SettingsError

if TYPE_CHECKING:
    pass

Resolve: TypeAlias = Callable[[str], Awaitable[Sequence[str]]]
"""From a host to its addresses, the best first; raises `socket.gaierror` where there is none."""

Connect: TypeAlias = Callable[[str, int], Awaitable[trio.abc.Stream]]
"""Connects to a port of an address; raises `OSError` where that fails."""

Trust: TypeAlias = Callable[[ssl.SSLContext], None]
"""Adds to what a context trusts."""


LOOKUPS_MAX = 16
"""Names that are looked up at the same time: each takes a thread, and a slow server keeps it."""


@attrs.frozen(eq=False)
class SystemResolver:
    """Looks names up as the system does, in threads that nothing else needs."""

    _threads: trio.CapacityLimiter = attrs.field(
        factory=lambda: trio.CapacityLimiter(LOOKUPS_MAX), init=False
    )

    async def __call__(self, host: str) -> tuple[str, ...]:
        """The addresses of `host`, in the order of RFC 6724."""
        look_up = partial(socket.getaddrinfo, host, None, type=socket.SOCK_STREAM)
        found = await trio.to_thread.run_sync(
            look_up, abandon_on_cancel=True, limiter=self._threads
        )
        return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


async def connect(address: str, port: int) -> trio.SocketStream:
    """A connection to exactly that address: no name is looked up here."""
    (family, kind, protocol, _, place), *_ = await trio.socket.getaddrinfo(
        address, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST
    )
    connecting = trio.socket.socket(family, kind, protocol)
    try:
        await connecting.connect(place)
        return trio.SocketStream(connecting)
    except BaseException:
        connecting.close()
        raise


def as_the_system_does(context: ssl.SSLContext) -> None:
    """Adds nothing."""


@attrs.frozen(kw_only=True)
class NetworkBackend:
    """Names, connections and trust.

    Attributes:
        resolve: is asked once for each new connection.
        connect: is given nothing but what `resolve` gave and the checks let pass.
        trust: is given what judges certificates as the system does.
    """

    resolve: Resolve = attrs.field(factory=SystemResolver)
    connect: Connect = connect
    trust: Trust = as_the_system_does


def redirected_net(net: NetworkBackend, host: str, port: int) -> NetworkBackend:
    """The network in which one port of one host stands for every other."""

    async def resolve_host(_: str) -> Sequence[str]:
        """The addresses of the one host, whatever name is asked for."""
        return await net.resolve(host)

    async def connect_port(address: str, _: int) -> trio.abc.Stream:
        """A connection to the one port, whatever port is asked for."""
        return await net.connect(address, port)

    return attrs.evolve(net, resolve=resolve_host, connect=connect_port)


def system_network(settings: NetworkSettings) -> NetworkBackend:
    """The network under these settings.

    Raises:
        SettingsError: `network.ca_file` cannot be used.
    """
    net = (
        NetworkBackend(trust=_trusting(settings.ca_file)) if settings.ca_file else NetworkBackend()
    )
    if settings.connect_to is None:
        return net
    host, _, port = settings.connect_to.rpartition(":")
    return redirected_net(net, host, int(port))


def _trusting(ca_file: str) -> Trust:
    """Trusts the certificates in a file as well."""

    def trust(context: ssl.SSLContext) -> None:
        """Adds the certificates to a context.

        Raises:
            OSError: the file cannot be read, or holds none (`ssl.SSLError` is one).
        """
        context.load_verify_locations(Path(ca_file).expanduser())

    try:
        trust(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    except OSError as error:
        raise SettingsError(
            f"network.ca_file: no certificates could be read from {ca_file} ({error}).",
            advice="Use a file of PEM certificates.",
        ) from error
    return trust


# Chromium's ``--host-resolver-rules`` (``net/base/host_mapping_rules.cc``), for connections that
# are made in its place.

SWITCH = "--host-resolver-rules="
"""The switch that sends names to other places."""

NOT_FOUND = ("~notfound", "^notfound")
"""What stands for no address at all."""


@attrs.frozen
class _Rule:
    """One rule that maps; an empty `host` stands for no address, a port of None for any."""

    pattern: str
    pattern_port: int | None
    host: str
    port: int | None


@attrs.frozen
class HostRules:
    """Where names lead, as the rules say.

    Attributes:
        excluded: patterns of the names that are left as they are.
    """

    rules: tuple[_Rule, ...] = ()
    excluded: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str) -> "HostRules":
        """The rules in a list such as ``MAP *.test 127.0.0.1:8080, EXCLUDE a.test``."""
        rules: list[_Rule] = []
        excluded: list[str] = []
        for entry in text.split(","):
            match entry.lower().split():
                case ["map", pattern, target]:
                    name, port = _parts(pattern)
                    host, target_port = ("", None) if target in NOT_FOUND else _parts(target)
                    rules.append(_Rule(name, port, host, target_port))
                case ["exclude", pattern]:
                    excluded.append(pattern)
                case _:
                    continue  # Chromium passes it over too
        return cls(tuple(rules), tuple(excluded))

    def place(self, host: str, port: int) -> tuple[str, int]:
        """Where a host and a port lead; the host is empty where there is nothing."""
        name = host.lower()
        if any(fnmatchcase(name, pattern) for pattern in self.excluded):
            return host, port
        for rule in self.rules:
            if rule.pattern_port in {None, port} and fnmatchcase(name, rule.pattern):
                return rule.host, port if rule.port is None else rule.port
        return host, port


def _parts(text: str) -> tuple[str, int | None]:
    """The host, without brackets, and the port."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or (":" in host and not host.endswith("]")):
        return text.strip("[]"), None
    return host.strip("[]"), int(port)

"""The network interface of the client, which tests replace."""

import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

import attrs
import trio

from tabwright.config.settings import NetworkSettings, Settings
from tabwright.http.host_rules import HostRules
from tabwright.protocol.errors import SettingsError
from tabwright.text.file_errors import file_problem

Resolve: TypeAlias = Callable[[str], Awaitable[Sequence[str]]]
"""Resolves a host to its addresses, best first; raises `socket.gaierror` if there are none."""

Connect: TypeAlias = Callable[[str, int], Awaitable[trio.abc.Stream]]
"""Connects to a port of an address; raises `OSError` on failure."""

Trust: TypeAlias = Callable[[ssl.SSLContext], None]
"""Adds trusted certificates to a TLS context."""


LOOKUPS_MAX = 16
"""Maximum number of concurrent lookups; each occupies a thread while its server is slow."""


@attrs.frozen(eq=False)
class SystemResolver:
    """Resolves names with the system resolver, in a separate pool of threads."""

    _threads: trio.CapacityLimiter = attrs.field(
        factory=lambda: trio.CapacityLimiter(LOOKUPS_MAX), init=False
    )

    async def __call__(self, host: str) -> tuple[str, ...]:
        """Return the addresses of `host`, in the order of RFC 6724."""
        look_up = partial(socket.getaddrinfo, host, None, type=socket.SOCK_STREAM)
        found = await trio.to_thread.run_sync(
            look_up, abandon_on_cancel=True, limiter=self._threads
        )
        return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


async def connect(address: str, port: int) -> trio.SocketStream:
    """Connect to exactly this address, without resolving a name."""
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
    """Leave the trust of the system unchanged."""


@attrs.frozen(kw_only=True)
class NetworkBackend:
    """Name resolution, connections and trust.

    Attributes:
        resolve: called once for each new connection.
        connect: called only with addresses from `resolve` that passed the checks.
        trust: called with a TLS context that verifies certificates as the system does.
        hosts: the hosts that names lead to instead, at addresses that are not checked.
    """

    resolve: Resolve = attrs.field(factory=SystemResolver)
    connect: Connect = connect
    trust: Trust = as_the_system_does
    hosts: HostRules = attrs.field(factory=HostRules)


def web_network(settings: Settings) -> NetworkBackend:
    """Return the network of pages, on which names lead where they lead in the browser.

    Raises:
        SettingsError: see `system_network`.
    """
    hosts = HostRules.of(settings.browser.extra_args)
    return attrs.evolve(system_network(settings.network), hosts=hosts)


def system_network(settings: NetworkSettings) -> NetworkBackend:
    """Return the network for these settings.

    Raises:
        SettingsError: `network.ca_file` cannot be used.
    """
    return (
        NetworkBackend(trust=_trusting(settings.ca_file)) if settings.ca_file else NetworkBackend()
    )


def _trusting(ca_file: str) -> Trust:
    """Return a function that also trusts the certificates in a file."""

    def trust(context: ssl.SSLContext) -> None:
        """Add the certificates to a context.

        Raises:
            OSError: the file cannot be read or has no certificates (`ssl.SSLError` is a subclass).
        """
        context.load_verify_locations(Path(ca_file).expanduser())

    try:
        trust(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    except OSError as error:
        is_empty = isinstance(error, ssl.SSLError)
        what = f"{ca_file} has no certificates." if is_empty else file_problem(error, ca_file)
        raise SettingsError(
            f"network.ca_file: {what}",
            advice="Use a file of PEM certificates.",
        ) from error
    return trust

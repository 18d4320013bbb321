"""The proxy that a browser is to use: found before it starts, looked at when pages fail."""

import os
from collections.abc import Mapping, Sequence

import attrs
import trio

from tabwright.actors.browsers.proxy_probing import open_listener, probe
from tabwright.config.shipped_lists import load_proxy_ports
from tabwright.protocol.proxy import (
    Proxy,
    ProxyAnswer,
    ProxyChoice,
    ProxyLook,
    bypassing,
    parse_proxy,
    preferred,
)

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
        if named := self._named():
            return named
        return self._by(preferred(await self._detected(), self.ports), "")

    async def look(self, used: ProxyChoice) -> ProxyLook:
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
        return ProxyLook(used, answer, now)

    def _named(self) -> ProxyChoice | None:
        """The choice of the setting or, if that is ``auto``, of the environment."""
        if self.setting != "auto":
            return self._by(parse_proxy(self.setting, SETTING), SETTING)
        if variable := self._first_set(PROXY_VARIABLES):
            return self._by(parse_proxy(self.environment[variable], variable), variable)
        return None

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

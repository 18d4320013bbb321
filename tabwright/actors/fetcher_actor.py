"""The FetcherActor: fetches pages by HTTP, without a browser."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import attrs
import trio

from tabwright.actors.kit.supervision import RestartPolicy
from tabwright.actors.kit.tracing import ActorSystem
from tabwright.config.settings import Settings
from tabwright.http.config import ClientConfig
from tabwright.http.errors import NotConnected
from tabwright.http.proxy_discovery import ProxyFinder
from tabwright.http.signatures import RequestSigner
from tabwright.protocol.actor import Offload
from tabwright.protocol.errors import NavigationFailed, SettingsError
from tabwright.protocol.fetch import Cookie, Fetch, Fetched

if TYPE_CHECKING:
    from tabwright.http.client import Client
from tabwright.http.config import client_config
from tabwright.http.net import web_network

RESTART_POLICY = RestartPolicy(mailbox_max=256, at_once=32)
"""Each request may have a body of ``network.page_bytes_max`` in memory."""

FoundT = TypeVar("FoundT")


class FetcherActor:
    """The implementation of `tabwright.protocol.fetch.Fetcher`, which connects on demand."""

    def __init__(self, config: ClientConfig, proxies: ProxyFinder) -> None:
        self._config = config
        self._proxies = proxies
        self._opening = trio.Lock()
        self._client: Client | None = None

    async def fetch(self, request: Fetch, /) -> Fetched:
        """Fetch; if the connection fails, another proxy is tried, if there is one."""
        client = await self._opened()
        used = client.connections.proxy_choice
        try:
            return await client.fetch(request)
        except NotConnected as failure:
            if not failure.retryable or request.payload is not None:
                raise
            report = await _found(self._proxies.check(used))
            if not report.changed:
                failure.advice = report.advice or failure.advice
                raise
            client.connections.proxy_choice = report.now
        return await client.fetch(request)

    async def cookies(self, session: str) -> tuple[Cookie, ...]:
        return self._config.cookie_store.cookies(session, self._config.now())

    async def set_cookies(self, session: str, cookies: tuple[Cookie, ...] = ()) -> None:
        self._config.cookie_store.replace(session, cookies, self._config.now())

    async def aclose(self) -> None:
        """Close every connection, even if cancelled."""
        if self._client is not None:
            await self._client.connections.aclose()

    async def _opened(self) -> "Client":
        async with self._opening:
            if self._client is None:
                from tabwright.http.client import Client  # noqa: PLC0415  (takes 40 ms)

                self._client = Client(self._config, await _found(self._proxies.choose()))
            return self._client


async def _found(looking: Awaitable[FoundT]) -> FoundT:
    try:
        return await looking
    except SettingsError as error:
        raise NavigationFailed(error.chunks, advice=error.advice, retryable=False) from error


@asynccontextmanager
async def fetcher(config: ClientConfig, proxies: ProxyFinder) -> AsyncGenerator[FetcherActor]:
    """Run a fetcher, which keeps connections.

    Args:
        config: its configuration, which outlives it together with the cookies.
        proxies: finds the proxy, so that it is the same as the browser's.
    """
    actor = FetcherActor(config, proxies)
    try:
        yield actor
    finally:
        await actor.aclose()


def open_fetcher(
    settings: Settings,
    offload: Offload,
    system: ActorSystem,
    now: Callable[[], float],
    signer: RequestSigner | None = None,
) -> Callable[[], AbstractAsyncContextManager[FetcherActor]]:
    """Return a factory of fetchers on the real network, with the same proxy as the browser.

    Raises:
        SettingsError: the file of certificates cannot be used.
    """
    net = web_network(settings)
    config = client_config(settings, net=net, offload=offload, chance=system.random, now=now)
    config = attrs.evolve(config, signer=signer)
    return partial(fetcher, config, ProxyFinder(settings.network.proxy))

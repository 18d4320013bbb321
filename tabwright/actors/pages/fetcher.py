"""The FetcherActor: pages by HTTP, without a browser."""

import random
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import trio
from platformdirs import user_cache_path

from tabwright import __version__
from tabwright.actors.kit.keeping import Care
from tabwright.actors.kit.tracing import ActorSystem
from tabwright.config.loader import chosen_place
from tabwright.config.settings import NetworkSettings, Settings
from tabwright.fetching.caching import Cache
from tabwright.http.cache import Shelf
from tabwright.http.config import Outfit, Rules
from tabwright.http.cookies import Jars
from tabwright.http.errors import NotConnected
from tabwright.http.messages import Bearing, accept_language
from tabwright.http.net import Net, Trust, redirected_net
from tabwright.http.proxy_discovery import ProxyFinder
from tabwright.http.retry import Retries
from tabwright.protocol.actor import Offload
from tabwright.protocol.errors import NavigationFailed, SettingsError
from tabwright.protocol.fetch import Cookie, Fetch, Fetched, GetCookies, SetCookies

if TYPE_CHECKING:
    from tabwright.http.client import Client

CARE = Care(mailbox_max=256, at_once=32)
"""Each may hold a body of ``network.page_bytes_max``."""

USER_AGENT = f"tabwright/{__version__}"

FoundT = TypeVar("FoundT")


class FetcherActor:
    """Answers what `tabwright.protocol.fetch.Fetcher` asks; connects on first need."""

    def __init__(self, outfit: Outfit, proxies: ProxyFinder) -> None:
        self._outfit = outfit
        self._proxies = proxies
        self._opening = trio.Lock()
        self._client: Client | None = None

    async def fetch(self, request: Fetch, /) -> Fetched:
        """See `Fetch`. Where there is no connection, another proxy is tried, if there is one."""
        client = await self._opened()
        used = client.connections.way_out
        try:
            return await client.fetch(request)
        except NotConnected as failure:
            if not failure.retryable or request.payload is not None:
                raise
            look = await _found(self._proxies.look(used))
            if not look.changed:
                failure.advice = look.advice or failure.advice
                raise
            client.connections.way_out = look.now
        return await client.fetch(request)

    async def cookies(self, request: GetCookies, /) -> tuple[Cookie, ...]:
        """See `GetCookies`."""
        return self._outfit.jars.cookies(request.session, self._outfit.now())

    async def set_cookies(self, request: SetCookies, /) -> None:
        """See `SetCookies`."""
        self._outfit.jars.replace(request.session, request.cookies, self._outfit.now())

    async def aclose(self) -> None:
        """Closes every connection, cancelled or not."""
        if self._client is not None:
            await self._client.connections.aclose()

    async def _opened(self) -> "Client":
        async with self._opening:
            if self._client is None:
                from tabwright.http.client import Client  # noqa: PLC0415  (takes 40 ms)

                self._client = Client(self._outfit, await _found(self._proxies.choose()))
            return self._client


async def _found(looking: Awaitable[FoundT]) -> FoundT:
    try:
        return await looking
    except SettingsError as error:
        raise NavigationFailed(error.message, advice=error.advice, retryable=False) from error


@asynccontextmanager
async def fetcher(outfit: Outfit, proxies: ProxyFinder) -> AsyncGenerator[FetcherActor]:
    """The life of a fetcher, which keeps connections.

    Args:
        outfit: what it works with; that outlives it, and the cookies with it.
        proxies: finds the way out, so that it is that of a browser.
    """
    actor = FetcherActor(outfit, proxies)
    try:
        yield actor
    finally:
        await actor.aclose()


def real_fetcher(
    settings: Settings, offload: Offload, system: ActorSystem, now: Callable[[], float]
) -> Callable[[], AbstractAsyncContextManager[FetcherActor]]:
    """Makes the lives of fetchers on the real network, which go out as the browser does.

    Raises:
        SettingsError: the file of certificates cannot be used.
    """
    net = real_net(settings.network)
    outfit = outfit_of(settings, net=net, offload=offload, chance=system.random, now=now)
    return partial(fetcher, outfit, ProxyFinder(settings.network.proxy))


def real_net(settings: NetworkSettings) -> Net:
    """The network under these settings.

    Raises:
        SettingsError: as `real_fetcher`.
    """
    net = Net(trust=_trusting(settings.ca_file)) if settings.ca_file else Net()
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
            advice="Name a file of certificates in PEM form.",
        ) from error
    return trust


def outfit_of(
    settings: Settings,
    *,
    net: Net,
    offload: Offload,
    chance: random.Random,
    now: Callable[[], float],
) -> Outfit:
    """What fetchers work with under these settings.

    Args:
        settings: of the house.
        net: the network.
        offload: where the disk is waited for.
        chance: varies the pauses between repetitions.
        now: the time in seconds since 1970 UTC.
    """
    network = settings.network
    folder = _cache_folder(network.cache)
    return Outfit(
        rules=Rules(
            bounds=network.bounds,
            bytes_max=network.page_bytes_max,
            timeout_s=network.page_timeout_s,
            redirects_max=network.redirects_max,
            robots=network.robots,
        ),
        bearing=Bearing(
            user_agent=network.user_agent or USER_AGENT,
            languages=accept_language(network.languages),
            do_not_track=network.do_not_track,
        ),
        retries=Retries(network.retries, chance),
        jars=Jars(network.cookies),
        cache=Cache(Shelf(folder) if folder else None, offload, now),
        net=net,
        now=now,
    )


def _cache_folder(setting: str | None) -> Path | None:
    automatic = user_cache_path("tabwright", appauthor=False) / "pages"
    return chosen_place(setting, automatic) if setting else None

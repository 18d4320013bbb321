import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest
import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.http import proxy_discovery
from tabwright.http.cache import Cache, DiskCache
from tabwright.http.client import Client
from tabwright.http.config import ClientConfig, FetchPolicy, Retries
from tabwright.http.cookies import CookieStore
from tabwright.http.request import DefaultHeaders
from tabwright.http.signatures import RequestSigner
from tabwright.protocol.fetch import CookieMode
from tabwright.protocol.proxy import ProxyChoice
from tabwright.protocol.urls import Bounds
from tabwright.testing.determinism import inline

from . import proxy_servers
from .web import Clock, Open, Web

Serve: TypeAlias = Callable[[str], Awaitable[int]]
SetPatience: TypeAlias = Callable[[float], None]

DIRECT = ProxyChoice(source="test")


@pytest.fixture
async def web() -> AsyncGenerator[Web]:
    async with background_nursery() as nursery:
        yield Web(nursery)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def open_client(web: Web, clock: Clock) -> AsyncGenerator[Open]:
    """Yield a function that opens clients of the fake web, with strict defaults."""
    clients: list[Client] = []

    def open_client(  # noqa: PLR0913
        *,
        proxy_choice: ProxyChoice = DIRECT,
        cookies: CookieMode = "all",
        retries: int = 0,
        cache: Path | None = None,
        do_not_track: bool = False,
        signer: RequestSigner | None = None,
        **rules: object,
    ) -> Client:
        usual = {
            "bounds": Bounds(),
            "bytes_max": 1_000_000,
            "timeout_s": 30.0,
            "redirects_max": 10,
            "robots": False,
        }
        client_config = ClientConfig(
            rules=FetchPolicy(**{**usual, **rules}),
            default_headers=DefaultHeaders(
                user_agent="tabwright/0", languages="en", do_not_track=do_not_track
            ),
            retries=Retries(retries, random.Random(1)),
            cookie_store=CookieStore(cookies),
            cache=Cache(DiskCache(cache) if cache else None, inline, clock),
            net=web.net,
            now=clock,
            signer=signer,
        )
        clients.append(Client(client_config, proxy_choice))
        return clients[-1]

    yield open_client
    for client in clients:
        await client.connections.aclose()
    assert web.open_streams == 0


@pytest.fixture
def client(open_client: Open) -> Client:
    return open_client()


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> SetPatience:
    """Return a function that sets the probe timeout, 10 s at first for busy machines."""

    def wait(seconds: float) -> None:
        monkeypatch.setattr(proxy_discovery, "PROBE_S", seconds)

    wait(10)
    return wait


@pytest.fixture
async def serve() -> AsyncGenerator[Serve]:
    """Yield a function that starts a server of `proxy_servers.SERVERS` on a new port."""
    async with background_nursery() as nursery:

        async def start(name: str) -> int:
            listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
            await nursery.start(trio.serve_listeners, partial(proxy_servers.serve, name), listeners)
            port: int = listeners[0].socket.getsockname()[1]
            return port

        yield start

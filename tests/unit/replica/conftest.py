from collections.abc import AsyncGenerator, Awaitable, Callable
from urllib.parse import urlsplit

import httpx2
import pytest

from tabwright.testing.replica import Replica, Scenario, Site, open_replica, open_site


@pytest.fixture
async def replica() -> AsyncGenerator[Replica]:
    async with open_replica(Scenario(step_s=0)) as running:
        yield running


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with open_site() as running:
        yield running


@pytest.fixture
async def client() -> AsyncGenerator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(verify=False) as running:
        yield running


@pytest.fixture
def visit(
    replica: Replica, client: httpx2.AsyncClient
) -> Callable[..., Awaitable[httpx2.Response]]:
    """Ask the replica for a URL of any host, as Chromium does under its arguments."""

    async def visit(
        url: str, *, method: str = "GET", cookie: str = "", form: dict[str, str] | None = None
    ) -> httpx2.Response:
        parts = urlsplit(url)
        here = parts._replace(netloc=f"127.0.0.1:{replica.port}").geturl()
        headers = {"Host": parts.netloc, "Cookie": cookie}
        return await client.request(method, here, headers=headers, data=form)

    return visit

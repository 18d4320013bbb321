import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random

import pytest
import trio

from tabwright.actors.fetcher_actor import RESTART_POLICY, fetcher
from tabwright.actors.kit.supervision import supervise
from tabwright.actors.kit.tracing import ActorSystem
from tabwright.config.loader import override, settings_from
from tabwright.http.config import USER_AGENT, client_config
from tabwright.http.proxy_discovery import ProxyFinder
from tabwright.protocol.actor import Address
from tabwright.protocol.errors import BadInput, InternalError, NavigationFailed
from tabwright.protocol.fetch import Cookie, Fetch, Fetcher, Payload
from tabwright.testing.determinism import inline

from .web import PUBLIC, Asked, Clock, Reply, Web

URL = "http://a.example/"
PROXY = "http://10.0.0.9:3128"

Keep = Callable[..., AbstractAsyncContextManager[Address[Fetcher]]]


@pytest.fixture
def keeping(web: Web, clock: Clock) -> Keep:
    """Return a context manager that runs a fetcher of the fake web under settings."""

    @asynccontextmanager
    async def keeping(
        proxies: ProxyFinder | None = None, **settings: object
    ) -> AsyncGenerator[Address[Fetcher]]:
        client_config_ = client_config(
            settings_from(override(**{"network__robots": False, **settings})),
            net=web.net,
            offload=inline,
            chance=Random(1),
            now=clock,
        )
        life = partial(fetcher, client_config_, proxies or ProxyFinder("none"))
        async with supervise(ActorSystem(), "fetcher", life, RESTART_POLICY) as address:
            yield address
        assert web.open_streams == 0

    return keeping


async def test_fetcher_applies_size_limit_and_default_headers(web: Web, keeping: Keep) -> None:
    web.site("a.example", Reply(b"x" * 100))
    async with keeping(network__page_bytes_max=10) as address:
        fetched = await address.ask(Fetcher.fetch, Fetch(URL))
    assert (fetched.body, fetched.cut) == (b"x" * 10, "size_limit")
    headers = web.asked[0].headers
    assert headers["user-agent"] == USER_AGENT
    assert headers["accept-language"] == "en-US,en;q=0.9"
    assert (headers["dnt"], headers["sec-gpc"]) == ("1", "1")


async def test_fetcher_applies_user_agent_language_and_tracking_settings(
    web: Web, keeping: Keep
) -> None:
    web.site("a.example", Reply())
    async with keeping(
        network__user_agent="Own/1", network__languages=["de"], network__do_not_track=False
    ) as address:
        await address.ask(Fetcher.fetch, Fetch(URL))
    headers = web.asked[0].headers
    assert (headers["user-agent"], headers["accept-language"]) == ("Own/1", "de")
    assert "dnt" not in headers


async def test_fetcher_opens_no_connection_before_the_first_fetch(web: Web, keeping: Keep) -> None:
    async with keeping() as address:
        assert await address.ask(Fetcher.cookies, "s") == ()
    assert not web.streams


async def test_cookies_can_be_looked_at_and_set(web: Web, keeping: Keep) -> None:
    web.site("a.example", Reply(headers=(("Set-Cookie", "a=1; Path=/"),)))
    own = Cookie("b", "2", "a.example")
    async with keeping() as address:
        await address.ask(Fetcher.fetch, Fetch(URL, session="s"))
        assert await address.ask(Fetcher.cookies, "s") == (Cookie("a", "1", "a.example"),)
        await address.ask(Fetcher.set_cookies, "s", (own,))
        await address.ask(Fetcher.fetch, Fetch(URL, session="s"))
        assert web.asked[1].headers["cookie"] == "b=2"
        with pytest.raises(BadInput):
            await address.ask(Fetcher.set_cookies, "s", (Cookie("c", "\n", "a.example"),))


async def test_cookies_outlive_an_internal_error(
    web: Web, keeping: Keep, monkeypatch: pytest.MonkeyPatch, autojump_clock: object
) -> None:
    web.site("a.example", Reply(headers=(("Set-Cookie", "a=1; Path=/"),)))
    async with keeping() as address:
        await address.ask(Fetcher.fetch, Fetch(URL, session="s"))
        with monkeypatch.context() as patch:
            patch.setattr("tabwright.http.client.checked_url", None)
            with pytest.raises(InternalError):
                await address.ask(Fetcher.fetch, Fetch(URL, session="s"))
        await address.ask(Fetcher.fetch, Fetch(URL, session="s"))
    assert web.asked[1].headers["cookie"] == "a=1"


async def forward(asked: Asked) -> Reply:
    return Reply(b"by the proxy: " + asked.path.encode())


async def test_fetcher_uses_the_environment_proxy_except_for_no_proxy(
    web: Web, keeping: Keep
) -> None:
    web.site("a.example", forward)
    finder = ProxyFinder("auto", {"HTTPS_PROXY": PROXY, "NO_PROXY": "b.example"}, ())
    web.site("b.example", Reply(b"direct"))
    async with keeping(finder) as address:
        assert (
            await address.ask(Fetcher.fetch, Fetch(URL))
        ).body == b"by the proxy: http://a.example/"
        assert (await address.ask(Fetcher.fetch, Fetch("http://b.example/"))).body == b"direct"
    assert web.connected == [("10.0.0.9", 3128), (PUBLIC, 80)]


async def test_fetcher_looks_for_another_proxy_after_a_connection_failure(
    web: Web, keeping: Keep
) -> None:
    web.site("a.example", forward)
    web.dead = {PUBLIC: ConnectionRefusedError(), "10.0.0.8": ConnectionRefusedError()}
    environment: dict[str, str] = {}
    async with keeping(ProxyFinder("auto", environment, ()), network__retries=0) as address:
        with pytest.raises(NavigationFailed, match="refuses connections"):
            await address.ask(Fetcher.fetch, Fetch(URL))
        environment["HTTPS_PROXY"] = "http://10.0.0.8:3128"
        with pytest.raises(NavigationFailed, match=r"10\.0\.0\.8:3128 cannot be reached"):
            await address.ask(Fetcher.fetch, Fetch(URL))
        environment["HTTPS_PROXY"] = PROXY
        assert (
            await address.ask(Fetcher.fetch, Fetch(URL))
        ).body == b"by the proxy: http://a.example/"
        assert (await address.ask(Fetcher.fetch, Fetch(URL))).page.status == 200
    assert web.connected[-1] == ("10.0.0.9", 3128)
    assert len(web.asked) == 2


async def test_failed_form_is_not_resent_through_another_proxy(web: Web, keeping: Keep) -> None:
    web.site("a.example", forward)
    web.dead = {PUBLIC: ConnectionRefusedError()}
    environment: dict[str, str] = {}
    async with keeping(ProxyFinder("auto", environment, ()), network__retries=0) as address:
        with pytest.raises(NavigationFailed):
            await address.ask(Fetcher.fetch, Fetch(URL))
        environment["HTTPS_PROXY"] = PROXY
        with pytest.raises(NavigationFailed):
            await address.ask(Fetcher.fetch, Fetch(URL, payload=Payload(b"", "text/plain")))
    assert not web.asked


async def test_proxy_with_credentials_is_refused_without_repeating_them(keeping: Keep) -> None:
    finder = ProxyFinder("auto", {"HTTPS_PROXY": "http://me:secret@10.0.0.9"}, ())
    async with keeping(finder) as address:
        with pytest.raises(NavigationFailed, match="user name or password") as caught:
            await address.ask(Fetcher.fetch, Fetch(URL))
    assert not caught.value.retryable
    assert "secret" not in str(caught.value)


async def test_cancelled_fetch_closes_its_connection(
    web: Web, keeping: Keep, autojump_clock: object
) -> None:
    async def silent(asked: Asked) -> None:
        await trio.sleep_forever()

    web.site("a.example", silent)
    async with keeping() as address:
        with trio.move_on_after(1) as patience:
            await address.ask(Fetcher.fetch, Fetch(URL))
        assert patience.cancelled_caught
        await trio.testing.wait_all_tasks_blocked()
        assert web.open_streams == 0


def files(folder: str) -> int:
    return len(list(Path(folder).iterdir()))


async def test_page_cache_is_in_the_folder_of_the_setting(
    web: Web, keeping: Keep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "auto"))
    web.site("a.example", Reply(b"page", headers=(("Cache-Control", "max-age=60"),)))
    own = str(tmp_path / "own")
    automatic = str(tmp_path / "auto" / "tabwright" / "pages")
    for setting, folder in (("auto", automatic), (own, own)):
        async with keeping(network__cache=setting) as address:
            assert not (await address.ask(Fetcher.fetch, Fetch(URL))).from_cache
            assert (await address.ask(Fetcher.fetch, Fetch(URL))).from_cache
        assert files(folder) == 1


def test_importing_the_fetcher_does_not_load_slow_modules() -> None:
    code = "import sys, tabwright.actors.fetcher_actor; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    loaded = {*modules.stdout.split()}
    assert {b"tabwright.http.net", b"tabwright.actors.fetcher_actor"} <= loaded
    assert not {b"httpcore2", b"h2", b"backports.zstd", b"brotli"} & loaded

"""The session that acts in the user's own browser or profile, on a real Chromium."""

import socket
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import attrs
import msgspec
import pytest
import trio

from tabwright import Tabwright
from tabwright.app import open_tabwright
from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.finding import PREFERENCE, find_browser
from tabwright.cdp.chromium.process import launch
from tabwright.config.loader import override, settings_from
from tabwright.protocol.actions import Click
from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Cookie, Fetcher
from tabwright.protocol.inspection import Evaluate, Locate, OutlineView, TakeOutline
from tabwright.protocol.sessions import Sessions
from tabwright.testing.replica.server import Exchange, Seen, html, open_server

pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]

OUTLINE = TakeOutline(OutlineView())
PAGE = """<title>{path}</title><h1>Hello {who}</h1>
<button onclick="document.title = 'pressed'">Press</button>
<a target=_blank href=/popup>Open</a>"""


async def site(exchange: Exchange) -> None:
    """Show the cookie that was sent, and set one at ``/login``."""
    cookie = "who=user; Max-Age=3600" if exchange.path == "/login" else ""
    who = exchange.cookies.get("who", "nobody")
    text = PAGE.format(path=exchange.path, who=who)
    if exchange.path == "/leaves":
        text += "<script>setTimeout(() => { location = '/shop'; }, 3000)</script>"
    await exchange.answer(html(text, cookie=cookie))


@attrs.frozen
class UserBrowser:
    """A browser started by the user, controlled over its HTTP endpoint."""

    endpoint: str

    async def open(self, url: str) -> None:
        await self._ask(f"new?{url}", "PUT")
        while all(tab["title"] != urlsplit(url).path for tab in await self.tabs()):
            await trio.sleep(0.05)

    async def close(self, url: str) -> None:
        for tab in await self.tabs():
            if tab["url"] == url:
                await self._ask(f"close/{tab['id']}")
        while url in await self.urls():
            await trio.sleep(0.05)

    async def urls(self) -> list[str]:
        return [tab["url"] for tab in await self.tabs()]

    async def tabs(self) -> list[dict[str, str]]:
        listed = msgspec.json.decode(await self._ask("list"), type=list[dict[str, object]])
        return [{key: str(tab[key]) for key in tab} for tab in listed if tab["type"] == "page"]

    async def _ask(self, what: str, method: str = "GET") -> bytes:
        request = Request(f"http://{urlsplit(self.endpoint).netloc}/json/{what}", method=method)
        return await trio.to_thread.run_sync(lambda: urlopen(request).read())  # noqa: S310  (http)


@pytest.fixture
async def base() -> AsyncGenerator[str]:
    async with open_server(site, list[Seen]()) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
async def user() -> AsyncGenerator[UserBrowser]:
    plan = LaunchPlan(path=find_browser(PREFERENCE).path, link="websocket")
    async with launch(plan) as chromium:
        yield UserBrowser(chromium.endpoint)


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@asynccontextmanager
async def client(**settings: object) -> AsyncGenerator[Tabwright]:
    chosen = {
        "network__allow_private": True,
        "network__proxy": "none",
        "session__own": "mine",
        **settings,
    }
    async with open_tabwright(settings_from(override(**chosen))) as tabwright:
        yield tabwright


def connected(user: UserBrowser, **settings: object):
    return client(browser__cdp_endpoint=user.endpoint, **settings)


async def test_own_session_lists_open_tabs_acts_in_them_and_leaves_them_open(user, base):
    await user.open(f"{base}/login")
    await user.open(f"{base}/shop")
    before = sorted(await user.urls())
    async with connected(user) as tabwright:
        tabs = {tab.url: tab for tab in await tabwright.session("mine").change_tabs()}
        assert sorted(tabs) == [f"{base}/login", f"{base}/shop"]
        assert tabs[f"{base}/shop"].title == "/shop"
        await tabwright.session("mine").change_tabs("switch", tabs[f"{base}/shop"].number)
        outline = await tabwright.session("mine").inspect(OUTLINE)
        assert "Hello user" in outline.text
        ref = await tabwright.session("mine").inspect(Locate("button"))
        outcome = await tabwright.session("mine").act(Click(ref))
        assert outcome.title == "pressed"
    assert sorted(await user.urls()) == before
    assert "pressed" in {tab["title"] for tab in await user.tabs()}


async def test_own_session_navigates_in_a_new_tab_with_the_user_s_cookies(user, base):
    await user.open(f"{base}/login")
    async with connected(user) as tabwright:
        await tabwright.session("mine").enter(f"{base}/shop")
        assert "Hello user" in (await tabwright.session("mine").inspect(OUTLINE)).text
        page = await tabwright.read(f"{base}/other", session="mine")
        assert "Hello user" in page.text
        assert await tabwright.parts.reader.tiers.fetcher.ask(Fetcher.cookies, "mine") == ()
        assert f"{base}/login" in await user.urls()
    assert {f"{base}/login", f"{base}/other"} <= set(await user.urls())


async def test_pop_up_of_a_user_tab_becomes_a_tab_and_stays_open(user, base):
    await user.open(f"{base}/login")
    async with connected(user) as tabwright:
        await tabwright.session("mine").change_tabs()
        ref = await tabwright.session("mine").inspect(Locate("a"))
        outcome = await tabwright.session("mine").act(Click(ref))
        assert [tab.url for tab in outcome.tabs] == [f"{base}/popup"]
        assert "Hello user" in (await tabwright.session("mine").inspect(OUTLINE)).text
        assert len(await tabwright.session("mine").change_tabs()) == 2
    assert sorted(await user.urls()) == [f"{base}/login", f"{base}/popup"]


async def test_own_session_closes_a_tab_when_asked(user, base):
    await user.open(f"{base}/shop")
    await user.open(f"{base}/other")
    async with connected(user) as tabwright:
        tabs = {tab.url: tab.number for tab in await tabwright.session("mine").change_tabs()}
        left = await tabwright.session("mine").change_tabs("close", tabs[f"{base}/shop"])
        assert [tab.url for tab in left] == [f"{base}/other"]
        while f"{base}/shop" in await user.urls():
            await trio.sleep(0.05)
    assert f"{base}/other" in await user.urls()


async def test_own_session_follows_tabs_that_the_user_opens_and_closes(user, base):
    await user.open(f"{base}/shop")
    async with connected(user) as tabwright:
        await tabwright.session("mine").change_tabs()
        await user.open(f"{base}/other")
        assert len(await tabwright.session("mine").change_tabs()) == 2
        await user.close(f"{base}/shop")
        assert [tab.url for tab in await tabwright.session("mine").change_tabs()] == [
            f"{base}/other"
        ]


@pytest.mark.parametrize("compat", [None, "playwright"])
async def test_own_session_navigates_in_a_restarted_browser(base, compat):
    plan = LaunchPlan(path=find_browser(PREFERENCE).path, link="websocket", port=unused_port())
    settings = {
        "browser__cdp_endpoint": f"127.0.0.1:{plan.port}",
        **({"mcp__compat": compat} if compat else {}),
    }
    async with AsyncExitStack() as first, client(**settings) as tabwright:
        chromium = await first.enter_async_context(launch(plan))
        await UserBrowser(chromium.endpoint).open(f"{base}/other")
        await tabwright.session("mine").change_tabs()
        await tabwright.session("mine").enter(f"{base}/shop")
        await first.aclose()
        async with launch(plan):
            outcome = await tabwright.session("mine").enter(f"{base}/login")
            assert outcome.url == f"{base}/login"
            assert "Press" in (await tabwright.session("mine").inspect(OUTLINE)).text


async def test_own_session_skips_pages_that_are_not_allowed(user, base):
    await user.open(f"{base}/login")
    async with connected(user, network__allow_private=False) as tabwright:
        assert f"{base}/login" not in {
            tab.url for tab in await tabwright.session("mine").change_tabs()
        }
        with pytest.raises(BadInput):
            await tabwright.session("mine").enter(f"{base}/shop")


async def test_page_that_moved_to_a_denied_url_is_not_read(user, base):
    await user.open(f"{base}/leaves")
    async with connected(user, network__deny_urls=(f"{base}/shop",)) as tabwright:
        assert [tab.title for tab in await tabwright.session("mine").change_tabs()] == ["/leaves"]
        while f"{base}/shop" not in await user.urls():
            await trio.sleep(0.05)
        with pytest.raises(BadInput):
            await tabwright.session("mine").inspect(OUTLINE)
        with pytest.raises(BadInput):
            await tabwright.session("mine").snapshot()


async def test_own_session_is_not_saved(user):
    async with connected(user) as tabwright:
        await tabwright.session("mine").change_tabs()
        with pytest.raises(BadInput):
            await tabwright.parts.sessions.ask(Sessions.save, "mine")


async def test_other_sessions_do_not_use_the_user_s_cookies(user, base):
    await user.open(f"{base}/login")
    async with connected(user) as tabwright:
        await tabwright.session("other").enter(f"{base}/shop")
        assert "Hello nobody" in (await tabwright.session("other").inspect(OUTLINE)).text


async def test_login_in_a_persistent_profile_survives_a_restart(base, tmp_path: Path):
    profile = {"browser__profile": str(tmp_path / "profiles")}
    async with client(**profile) as tabwright:
        await tabwright.session("mine").enter(f"{base}/login")
    async with client(**profile) as tabwright:
        await tabwright.session("mine").enter(f"{base}/shop")
        assert "Hello user" in (await tabwright.session("mine").inspect(OUTLINE)).text


async def test_profile_is_free_once_the_own_session_is_closed(base, tmp_path: Path):
    profile = {"browser__profile": str(tmp_path / "profiles")}
    async with client(**profile) as first, client(**profile) as second:
        await first.session("mine").enter(f"{base}/login")
        await first.session("mine").close()
        await second.session("mine").enter(f"{base}/shop")
        assert "Hello user" in (await second.session("mine").inspect(OUTLINE)).text


async def test_playwright_s_default_session_acts_in_the_kept_profile(base, tmp_path: Path):
    settings = {
        "browser__profile": str(tmp_path / "profiles"),
        "session__own": None,
        "mcp__compat": "playwright",
    }
    for path in ("login", "shop"):
        async with client(**settings) as tabwright:
            await tabwright.session("default").enter(f"{base}/{path}")
            text = (await tabwright.session("default").inspect(OUTLINE)).text
    assert "Hello user" in text


async def test_own_session_has_no_emulation_left_after_its_end(user, base):
    await user.open(f"{base}/shop")
    async with connected(user, acting__scripts=True) as tabwright:
        asked = Evaluate("navigator.userAgent")
        await tabwright.session("mine").inspect(OUTLINE)
        await tabwright.session("mine").change_context(
            lambda before: attrs.evolve(before, user_agent="Other/1.0")
        )
        assert "Other" in (await tabwright.session("mine").inspect(asked)).json
        await tabwright.session("mine").close()
        assert "Other" not in (await tabwright.session("mine").inspect(asked)).json


async def test_cookies_and_storage_of_denied_urls_are_not_accessed(user, base):
    await user.open(f"{base}/login")
    await user.open(f"{base.replace('127.0.0.1', 'localhost')}/login")
    async with connected(user, network__deny_urls=("127.0.0.1",)) as tabwright:
        known = await tabwright.parts.sessions.ask(Sessions.change_cookies, "mine")
        state = await tabwright.parts.sessions.ask(Sessions.storage_state, "mine")
        for change in (
            {"put": (Cookie("who", "x", "127.0.0.1"),)},
            {"removed": (Cookie("who", "user", "127.0.0.1"),)},
        ):
            with pytest.raises(BadInput):
                await tabwright.session("mine").change_cookies(**change)
    assert {one.domain for one in known} == {"localhost"}
    assert {one.domain for one in state.cookies} == {"localhost"}
    assert all("127.0.0.1" not in one.origin for one in state.origins)

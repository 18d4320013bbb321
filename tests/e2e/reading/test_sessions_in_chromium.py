"""Sessions over HTTP and in tabs of Chromium: cookies, forms and history."""

import attrs
import pytest

from tabwright.protocol.errors import SessionMissing, TimeOut
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.sessions import FormChoice, Sessions

pytestmark = pytest.mark.chromium

TIERS = (1, 2, 3)


def by(tier):
    return ReadOptions(min_tier=tier, max_tier=tier)


def title(page):
    """Return the first heading of a page."""
    return next(line for line in page.text.splitlines() if line.startswith("# "))


async def test_cookies_are_per_session_and_shared_by_its_tiers(site, open_reading_client):
    async with open_reading_client() as tabwright:

        async def cookies(session, tier):
            return title(await tabwright.read(site.url("/cookies"), by(tier), session=session))

        await tabwright.read(site.url("/cookies/set?flavour=plain"), by(1), session="one")
        await tabwright.read(site.url("/cookies/set?flavour=salty"), by(2), session="two")
        first = [await cookies("one", tier) for tier in TIERS]
        second = [await cookies("two", tier) for tier in TIERS]
        await tabwright.read(site.url("/cookies/script"), by(2), session="two")
        baked = await cookies("two", 1)
        nobody = title(await tabwright.read(site.url("/cookies"), by(1)))
    assert first == ["# Cookies: flavour is plain"] * 3
    assert second == ["# Cookies: flavour is salty"] * 3
    assert baked == "# Cookies: baked is script, flavour is salty"
    assert nobody == "# Cookies: none"


@pytest.mark.parametrize("tier", [1, 2])
async def test_cookie_wall_is_passed_by_submitting_its_form(tier, site, open_reading_client):
    async with open_reading_client() as tabwright:
        ask = tabwright.parts.sessions.ask
        before = await ask(Sessions.navigate, "s", site.url("/wall"), by(tier))
        after = await ask(Sessions.submit, "s", FormChoice(), RenderOptions())
        again = await ask(Sessions.navigate, "s", site.url("/wall"), by(tier))
    titles = [title(page) for page in (before, after, again)]
    assert titles == ["# We value your privacy", "# Behind the wall", "# Behind the wall"]
    assert [page.tier for page in (before, after, again)] == [tier] * 3


async def test_what_a_script_adds_after_the_load_is_in_the_text_of_a_full_tab(
    site, open_reading_client
):
    async with open_reading_client() as tabwright:
        ask = tabwright.parts.sessions.ask
        page = await ask(Sessions.navigate, "s", site.url("/app/after-load"), by(3))
    assert page.text.endswith("Late")


FILLED = {
    "search": ({"q": "trio & co"}, ["- q = trio & co"], "# GET received"),
    "order": (
        {"who": "Ann", "gift": True, "size": "Large", "note": "Two\nlines"},
        ["- who = Ann", "- token = t0k3n", "- gift = yes", "- size = l", "- go = 1"],
        "# POST received",
    ),
    "parts": ({}, ['- who = Jürgen "J"'], "# POST received"),
}


@pytest.mark.parametrize("tier", [1, 2])
async def test_forms_are_submitted_with_the_filled_in_values(tier, site, open_reading_client):
    async with open_reading_client() as tabwright:
        ask = tabwright.parts.sessions.ask
        for name, (fields, lines, heading) in FILLED.items():
            await ask(Sessions.navigate, "s", site.url("/forms"), by(tier))
            filled = await ask(Sessions.fill, "s", FormChoice(id=name), fields)
            assert filled.missing == ()
            page = await ask(Sessions.submit, "s", FormChoice(id=name), RenderOptions())
            assert title(page) == heading
            assert [line for line in lines if line not in page.text.splitlines()] == []


async def test_form_encoding_is_the_same_over_http_and_in_a_browser(site, open_reading_client):
    names = ("own", "other", "odd", "chinese", "wide")
    async with open_reading_client() as tabwright:
        ask = tabwright.parts.sessions.ask
        for tier in (1, 2):
            for name in names:
                await ask(Sessions.navigate, "s", site.url("/forms/cyrillic"), by(tier))
                await ask(Sessions.fill, "s", FormChoice(id=name), {"q": "Мышь 日 😀"})
                await ask(Sessions.submit, "s", FormChoice(id=name), RenderOptions())
    queries = site.queries("/echo")
    by_http, by_browser = queries[: len(names)], queries[len(names) :]
    assert by_http == by_browser
    assert len(set(by_http)) == len(names)


async def test_session_history_and_cookies_survive_save_and_restore(site, open_reading_client):
    async with open_reading_client() as tabwright:
        ask = tabwright.parts.sessions.ask
        await ask(Sessions.navigate, "s", site.url("/cookies/set?kept=1"), by(1))
        await ask(Sessions.navigate, "s", site.url("/static"), by(1))
        back = await ask(Sessions.navigate, "s", "back", by(1))
        forward = await ask(Sessions.navigate, "s", "forward", by(2))
        await ask(Sessions.save, "s")
        await ask(Sessions.close, "s")
        with pytest.raises(SessionMissing):
            await ask(Sessions.snapshot, "s")
    async with open_reading_client() as tabwright:
        again = await tabwright.read(site.url("/cookies"), by(1), session="s")
        back_again = await tabwright.parts.sessions.ask(Sessions.navigate, "s", "back", by(1))
        (state,) = await tabwright.parts.sessions.ask(Sessions.list)
    assert back.url == site.url("/cookies/set?kept=1")
    assert (forward.url, forward.tier) == (site.url("/static"), 2)
    assert title(again) == "# Cookies: kept is 1"
    assert back_again.url == site.url("/static")
    assert attrs.evolve(state, idle_s=0) == attrs.evolve(
        state, name="s", url=site.url("/static"), tier=1, pages=3, saved=True, idle_s=0
    )


async def test_session_keeps_its_url_after_a_navigation_timeout(site, open_reading_client):
    async with open_reading_client(network__page_timeout_s=10) as tabwright:
        await tabwright.session("s").enter(site.url("/static"))
        with pytest.raises(TimeOut):
            await tabwright.read(site.url("/never"), by(2), session="s")
        (state,) = await tabwright.list_sessions()
    assert state.url == site.url("/static")


@pytest.mark.nightly
async def test_lost_session_tab_is_replaced_with_the_same_cookies(site, open_reading_client):
    async with open_reading_client(network__page_timeout_s=10) as tabwright:
        await tabwright.read(site.url("/cookies/set?kept=1"), by(2), session="s")
        stuck = await tabwright.read(site.url("/app/endless"), session="s")
        page = await tabwright.read(site.url("/cookies"), by(2), session="s")
    assert "Read without a browser" in stuck.notice
    assert title(page) == "# Cookies: kept is 1"

"""The tiers of reading, and sessions, on the fake browser and the fake web."""

from functools import partial

import attrs
import pytest
import trio
import trio.testing

from tabwright.protocol.errors import (
    BadInput,
    ErrorCode,
    NavigationFailed,
    PageFailed,
    SessionMissing,
    TabLost,
    TabwrightError,
)
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.fetch import Cookie, Fetcher
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.sessions import FormChoice, LinkChoice, Sessions
from tabwright.protocol.snapshot import Selection
from tabwright.reader.page_reader import NO_MATCH, NO_TEXT
from tabwright.reader.pages import LocalPages, PageFailure
from tabwright.reader.tiers import LESS_IN_TAB
from tabwright.testing.fake import FakePage, FakeSite, Fault, FaultKind

IN_TAB = ReadOptions(min_tier=2)
WORDS = "Every task has a parent that waits for it. "
SCRIPT = "<script>build()</script>"
STATIC, APP, LAZY, SHORT = (
    f"https://{name}.example/" for name in ("static", "app", "lazy", "short")
)
FAILING, LOG_IN, UNSCRIPTED, PLEA = (
    f"https://{name}.example/" for name in ("failing", "log-in", "unscripted", "plea")
)
FORM = (
    "<form action='/found'><input name='q' required><input type='submit'></form>"
    f"<p>{WORDS * 30}</p><a href='/next'>Next page</a>"
)


def page(body, **more):
    return FakePage(f"<html><head><title>T</title></head><body>{body}</body></html>", **more)


SHELL = f'<html><body><div id="root"></div>{SCRIPT}</body></html>'
LAZY_SHELL = "<html><body><script>new IntersectionObserver(show)</script></body></html>"
SITE = FakeSite(
    pages={
        STATIC: page(f"<p>{WORDS * 30}</p>"),
        APP: page(f"<p>{WORDS * 30}</p>", static_html=SHELL),
        LAZY: FakePage(LAZY_SHELL),
        SHORT: page(f"<p>{WORDS}</p>{SCRIPT}"),
        FAILING: page(
            "<p>Application error</p>",
            static_html=f"<p>{WORDS * 30}</p><div class=skeleton></div>{SCRIPT}",
        ),
        LOG_IN: page(
            "<h1>Log in</h1>",
            static_html=f"<p>{WORDS * 3}</p><div class=skeleton></div>{SCRIPT}",
        ),
        UNSCRIPTED: page(f"<noscript><p>{WORDS * 30}</p></noscript>{SCRIPT}"),
        PLEA: page(f"<noscript><p>{WORDS}</p></noscript>{SCRIPT}"),
        "https://form.example/": page(FORM),
        "https://form.example/found?q=trio": page(f"<p>Found. {WORDS * 30}</p>"),
        "https://form.example/next": page(f"<p>Next. {WORDS * 30}</p>"),
        "https://gone.example/": page("", status=404),
        "https://broken.example/": page("", status=502),
        "https://dead.example/": page("", error="net::ERR_CONNECTION_RESET"),
    }
)


async def test_page_that_fails_in_a_tab_is_read_as_http_returned_it(open_client, autojump_clock):
    async with open_client(SITE) as world:
        read = await world.tabwright.read(FAILING)
        assert (read.tier, read.tier_reason) == (1, LESS_IN_TAB)
        assert WORDS.strip() in read.text
        assert "Application error" in read.notice
        in_tab = await world.tabwright.read(FAILING, IN_TAB)
        assert "Application error" in in_tab.text


async def test_page_that_is_little_shorter_in_a_tab_is_read_there(open_client, autojump_clock):
    async with open_client(SITE) as world:
        read = await world.tabwright.read(LOG_IN)
        assert read.tier == 2
        assert "Log in" in read.text


async def test_noscript_is_read_if_scripts_show_nothing_and_it_is_no_plea(
    open_client, autojump_clock
):
    async with open_client(SITE) as world:
        read = await world.tabwright.read(UNSCRIPTED)
        assert read.tier == 1
        assert WORDS.strip() in read.text
        plea = await world.tabwright.read(PLEA)
        assert plea.text == ""


async def test_static_page_is_read_over_http_without_a_browser(open_client, autojump_clock):
    async with open_client(SITE) as world:
        read = await world.tabwright.read(STATIC)
        assert read.tier == 1
        assert WORDS.strip() in read.text
        assert world.browsers == []


async def test_page_timing_matches_elapsed_time_of_the_call(open_client, autojump_clock):
    async with open_client(SITE) as world:
        began_s = trio.current_time()
        timing = (await world.tabwright.read(APP)).timing
        passed_ms = (trio.current_time() - began_s) * 1000
        assert timing.fetch_ms > 0
        assert timing.total_ms == pytest.approx(timing.fetch_ms + timing.extract_ms, abs=0.2)
        assert timing.total_ms == pytest.approx(passed_ms, abs=0.2)


async def test_scripted_page_is_read_in_a_tab_and_reports_why(open_client, autojump_clock):
    async with open_client(SITE) as world:
        read = await world.tabwright.read(APP)
        assert read.tier == 2
        assert "without scripts" in read.tier_reason
        assert WORDS.strip() in read.text


async def test_page_empty_in_tier_two_is_loaded_completely_in_tier_three(
    open_client, autojump_clock
):
    async with open_client(SITE) as world:
        read = await world.tabwright.read(LAZY)
        assert read.tier == 3
        assert "before everything is loaded" in read.tier_reason


@pytest.mark.parametrize(
    ("tier", "lacking"), [(1, "without scripts"), (2, "before everything is loaded")]
)
async def test_max_tier_is_not_exceeded_and_missing_content_is_reported(
    tier, lacking, open_client, autojump_clock
):
    async with open_client(SITE) as world:
        read = await world.tabwright.read(LAZY, ReadOptions(max_tier=tier))
        assert read.tier == tier
        assert lacking in read.notice
        assert len(world.browsers) == tier - 1


@pytest.mark.parametrize(
    ("url", "view", "notice"),
    [
        ("https://blank.example/", RenderOptions(), NO_TEXT),
        (STATIC, RenderOptions(query="zebras"), NO_MATCH),
    ],
)
async def test_notice_explains_missing_text(url, view, notice, open_client, autojump_clock):
    pages = {**SITE.pages, "https://blank.example/": page("")}
    async with open_client(attrs.evolve(SITE, pages=pages)) as world:
        read = await world.tabwright.read(url, ReadOptions(view=view))
        assert (read.text, read.notice) == ("", notice)


async def test_complete_page_at_max_tier_has_no_notice(open_client, autojump_clock):
    async with open_client(SITE) as world:
        read = await world.tabwright.read(STATIC, ReadOptions(max_tier=1))
        assert (read.tier, read.notice) == (1, "")


async def test_min_tier_is_used_and_reported_as_requested(open_client, autojump_clock):
    async with open_client(SITE) as world:
        read = await world.tabwright.read(STATIC, ReadOptions(min_tier=3))
        assert (read.tier, read.tier_reason) == (3, "requested")


def test_min_tier_above_max_tier_is_refused():
    with pytest.raises(BadInput, match="above max_tier"):
        ReadOptions(min_tier=3, max_tier=2)


@pytest.mark.parametrize(
    ("host", "code", "retryable"),
    [
        ("gone", ErrorCode.HTTP_CLIENT, False),
        ("broken", ErrorCode.HTTP_SERVER, True),
        ("dead", ErrorCode.NETWORK, True),
    ],
)
async def test_http_and_network_errors_do_not_escalate_to_a_browser(
    host, code, retryable, open_client, autojump_clock
):
    async with open_client(SITE) as world:
        with pytest.raises(NavigationFailed) as caught:
            await world.tabwright.read(f"https://{host}.example/")
        assert (caught.value.code, caught.value.retryable) == (code, retryable)
        assert world.browsers == []


@pytest.mark.parametrize("harm", [FaultKind.CRASH, FaultKind.ERROR])
async def test_http_text_is_returned_when_browser_fails(harm, open_client, autojump_clock):
    faults = [Fault(harm, "Page.navigate", nth=number) for number in range(1, 9)]
    async with open_client(SITE, *faults) as world:
        read = await world.tabwright.read(SHORT)
        assert read.tier == 1
        assert WORDS.strip() in read.text
        assert "Read without a browser" in read.notice
        assert "without scripts" in read.notice


async def test_failed_tab_of_a_scripted_page_is_a_retryable_error(open_client, autojump_clock):
    faults = [Fault(FaultKind.ERROR, "Page.navigate", nth=number) for number in range(1, 9)]
    async with open_client(SITE, *faults) as world:
        with pytest.raises(TabwrightError) as caught:
            await world.tabwright.read(APP)
        end = await LocalPages(world.tabwright.parts.reader, ReadOptions()).read(APP)
    assert caught.value.retryable
    assert isinstance(end, PageFailure)
    assert end.retryable


async def test_text_follows_token_limit_offset_selection_and_format(open_client, autojump_clock):
    async with open_client(SITE) as world:
        short = await world.tabwright.read(STATIC, ReadOptions(view=RenderOptions(max_tokens=60)))
        assert short.truncation.reason == "token_budget"
        rest = RenderOptions(max_tokens=60, offset=short.truncation.next_offset)
        further = await world.tabwright.read(STATIC, ReadOptions(view=rest))
        assert further.truncation.next_offset > short.truncation.next_offset
        nothing = ReadOptions(selection=Selection(selectors=("article",)))
        assert (await world.tabwright.read(STATIC, nothing)).text.strip() == ""
        tree = ReadOptions(
            min_tier=2, selection=Selection(tree=True), view=RenderOptions(format="a11y")
        )
        assert "RootWebArea" in (await world.tabwright.read(STATIC, tree)).text


async def test_a_session_goes_back_and_forth_and_follows_links(open_client, autojump_clock):
    async with open_client(SITE) as world:
        ask = world.tabwright.parts.sessions.ask
        await ask(Sessions.navigate, "s", "https://form.example/", ReadOptions())
        links = (await ask(Sessions.snapshot, "s")).links
        followed = await ask(Sessions.follow, "s", LinkChoice(links[0].number), RenderOptions())
        assert followed.url == "https://form.example/next"
        assert "Next." in followed.text
        assert (
            await ask(Sessions.navigate, "s", "back", ReadOptions())
        ).url == "https://form.example/"
        assert "Next." in (await ask(Sessions.navigate, "s", "forward", ReadOptions())).text
        again = await ask(Sessions.view, "s", RenderOptions(format="text"))
        assert (again.format, again.session) == ("text", "s")
        (state,) = await ask(Sessions.list)
        assert (state.name, state.url, state.pages) == ("s", followed.url, 2)


async def test_a_form_is_filled_in_and_sent(open_client, autojump_clock):
    async with open_client(SITE) as world:
        ask = world.tabwright.parts.sessions.ask
        await ask(Sessions.navigate, "s", "https://form.example/", ReadOptions())
        with pytest.raises(BadInput, match="Required fields are empty: q"):
            await ask(Sessions.submit, "s", FormChoice(), RenderOptions())
        filled = await ask(Sessions.fill, "s", FormChoice(), {"q": "trio"})
        assert (filled.missing, filled.method) == ((), "GET")
        assert "Found." in (await ask(Sessions.submit, "s", FormChoice(), RenderOptions())).text


async def test_page_after_posted_form_reports_missing_content(open_client, autojump_clock):
    form = FORM.replace("<form action='/found'>", f"<form action='{APP}' method='post'>")
    pages = {**SITE.pages, "https://form.example/": page(form)}
    async with open_client(attrs.evolve(SITE, pages=pages)) as world:
        ask = world.tabwright.parts.sessions.ask
        await ask(Sessions.navigate, "s", "https://form.example/", ReadOptions())
        await ask(Sessions.fill, "s", FormChoice(), {"q": "trio"})
        sent = await ask(Sessions.submit, "s", FormChoice(), RenderOptions())
        assert sent.tier == 1
        assert "without scripts" in sent.notice
        assert world.browsers == []


async def test_a_form_of_a_page_in_a_tab_is_sent_there(open_client, autojump_clock):
    site = attrs.evolve(SITE)
    pages = {**site.pages, "https://form.example/": page(FORM, forms={"0": APP})}
    async with open_client(attrs.evolve(site, pages=pages)) as world:
        ask = world.tabwright.parts.sessions.ask
        await ask(Sessions.navigate, "s", "https://form.example/", ReadOptions(min_tier=2))
        await ask(Sessions.fill, "s", FormChoice(), {"q": "trio"})
        sent = await ask(Sessions.submit, "s", FormChoice(), RenderOptions())
        assert (sent.url, sent.tier) == (APP, 2)
        assert len(world.browsers[0].targets) == 1


async def test_form_without_navigation_stays_on_its_page(open_client, autojump_clock):
    async with open_client(SITE) as world:
        ask = world.tabwright.parts.sessions.ask
        await ask(Sessions.navigate, "s", "https://form.example/", ReadOptions(min_tier=2))
        await ask(Sessions.fill, "s", FormChoice(), {"q": "trio"})
        sent = await ask(Sessions.submit, "s", FormChoice(), RenderOptions())
        assert sent.url == "https://form.example/"


async def test_sessions_have_cookies_of_their_own_in_every_tier(open_client, autojump_clock):
    cookie = Cookie("id", "1", "app.example")
    async with open_client(SITE) as world:
        tabwright = world.tabwright
        fetcher = tabwright.parts.reader.tiers.fetcher
        await tabwright.read(STATIC, session="a")
        await fetcher.ask(Fetcher.set_cookies, "a", (cookie,))
        assert (await tabwright.read(APP, session="a")).tier == 2
        assert await fetcher.ask(Fetcher.cookies, "a") == (cookie,)
        assert (await tabwright.read(APP, session="b")).tier == 2
        assert await fetcher.ask(Fetcher.cookies, "b") == ()


async def test_reopened_session_shares_nothing_with_the_closed_one(open_client, autojump_clock):
    storing = attrs.evolve(SITE.pages[APP], stores={"token": "1"})
    async with open_client(FakeSite(pages={APP: storing, STATIC: SITE.pages[STATIC]})) as world:
        await world.tabwright.read(APP, IN_TAB, session="s")
        (browser,) = world.browsers
        (before,) = [tab.context_id for tab in browser.targets.values()]
        await world.tabwright.parts.sessions.ask(Sessions.close, "s")
        await world.tabwright.read(STATIC, IN_TAB, session="s")  # while the old tab is being closed
        (tab,) = [one for one in browser.targets.values() if one.url == STATIC]
        assert tab.context_id not in {None, before}
        assert APP.rstrip("/") not in tab.storage


async def test_form_is_not_submitted_after_its_tab_is_lost(open_client, autojump_clock):
    pages = {**SITE.pages, "https://form.example/": page(FORM, forms={"0": APP})}
    web = FakeSite(pages=pages)
    async with open_client(web, acting__downloads=None) as world:
        ask = world.tabwright.parts.sessions.ask
        await world.tabwright.session("s").enter("https://form.example/")
        await ask(Sessions.snapshot, "s")
        world.browsers[0].die()
        await trio.sleep(1)
        visits = len(web.visits)
        with pytest.raises(TabLost):
            await ask(Sessions.submit, "s", FormChoice(), RenderOptions())
        with pytest.raises(BadInput, match="fill in the form again"):
            await ask(Sessions.submit, "s", FormChoice(), RenderOptions())
        assert len(web.visits) == visits


async def test_expired_session_is_distinguished_from_unknown_session(open_client, autojump_clock):
    async with open_client(SITE, session__close_after_s=60) as world:
        ask = world.tabwright.parts.sessions.ask
        with pytest.raises(SessionMissing, match="Open a page") as never:
            await ask(Sessions.view, "s", RenderOptions())
        assert never.value.code is ErrorCode.SESSION_MISSING
        await ask(Sessions.navigate, "s", APP, ReadOptions())
        await trio.sleep(61)
        with pytest.raises(SessionMissing, match="after being idle") as idle:
            await ask(Sessions.view, "s", RenderOptions())
        assert idle.value.code is ErrorCode.SESSION_EXPIRED
        await trio.sleep(1)
        assert world.pages == 0


async def test_saved_session_restores_page_and_cookies_after_restart(
    open_client, autojump_clock, tmp_path
):
    settings = {"session__dir": str(tmp_path)}
    cookie = Cookie("id", "1", "static.example")
    async with open_client(SITE, **settings) as world:
        await world.tabwright.read(STATIC, session="s")
        await world.tabwright.parts.reader.tiers.fetcher.ask(Fetcher.set_cookies, "s", (cookie,))
        await world.tabwright.parts.sessions.ask(Sessions.save, "s")
    async with open_client(SITE, **settings) as world:
        ask = world.tabwright.parts.sessions.ask
        await ask(Sessions.navigate, "s", "reload", ReadOptions())
        assert await world.tabwright.parts.reader.tiers.fetcher.ask(Fetcher.cookies, "s") == (
            cookie,
        )
        await ask(Sessions.close, "s", forget=True)
        with pytest.raises(BadInput, match="no page to go"):
            await ask(Sessions.navigate, "s", "reload", ReadOptions())


async def test_saved_web_storage_is_restored_after_restart(open_client, autojump_clock, tmp_path):
    settings = {"session__dir": str(tmp_path)}
    storing = attrs.evolve(SITE.pages[APP], stores={"token": "1"})
    async with open_client(FakeSite(pages={APP: storing}), **settings) as world:
        await world.tabwright.read(APP, IN_TAB, session="s")
        await world.tabwright.parts.sessions.ask(Sessions.save, "s")
    async with open_client(
        FakeSite(pages={**SITE.pages, APP: SITE.pages[APP]}), **settings
    ) as world:
        await world.tabwright.read(STATIC, IN_TAB, session="s")
        (browser,) = world.browsers
        await world.tabwright.read(APP, IN_TAB, session="s")
        (tab,) = [one for one in browser.targets.values() if one.url == APP]
        assert tab.storage == {APP.rstrip("/"): {"token": "1"}, STATIC.rstrip("/"): {}}


@pytest.mark.parametrize("name", ["", "../up", "a b", "x" * 65, "."])
async def test_invalid_session_name_is_refused(name, open_client, autojump_clock):
    async with open_client(SITE) as world:
        with pytest.raises(BadInput, match="not a valid session name"):
            await world.tabwright.parts.sessions.ask(Sessions.navigate, name, STATIC, ReadOptions())


async def test_failed_navigation_keeps_the_page_of_the_session(open_client, autojump_clock):
    async with open_client(SITE) as world:
        await world.tabwright.read(STATIC, session="s")
        with pytest.raises(TabwrightError):
            await world.tabwright.read("https://dead.example/", session="s")
        with trio.move_on_after(0.01):
            await world.tabwright.read(APP, session="s")
        assert (
            await world.tabwright.parts.sessions.ask(Sessions.view, "s", RenderOptions())
        ).url == STATIC


async def test_a_tab_that_is_lost_between_two_visits_is_replaced(open_client, autojump_clock):
    async with open_client(SITE) as world:
        await world.tabwright.read(APP, session="s")
        (browser,) = world.browsers
        for target in list(browser.targets.values()):
            browser.crash(target)
        await trio.sleep(1)
        assert (await world.tabwright.read(APP, session="s")).tier == 2


async def test_sessions_do_not_wait_for_one_another(open_client, autojump_clock):
    slow = attrs.evolve(SITE, pages={**SITE.pages, "https://slow.example/": page("", load_s=20)})
    async with open_client(slow) as world, trio.open_nursery() as nursery:
        nursery.start_soon(partial(world.tabwright.read, "https://slow.example/", session="a"))
        await trio.sleep(1)
        with trio.fail_after(5):
            await world.tabwright.read(STATIC, session="b")


async def test_closing_a_busy_session_ends_its_work_and_leaves_nothing(open_client, autojump_clock):
    slow = page(f"<p>{WORDS * 30}</p>", static_html=SHELL, load_s=20)
    site = attrs.evolve(SITE, pages={**SITE.pages, "https://slow.example/": slow})
    async with open_client(site) as world, trio.open_nursery() as nursery:

        async def visit() -> None:
            with pytest.raises(SessionMissing, match="was closed"):
                await world.tabwright.read("https://slow.example/", session="s")

        nursery.start_soon(visit)
        await trio.sleep(25)  # in the tab by now
        await world.tabwright.parts.sessions.ask(Sessions.close, "s")
        await trio.sleep(1)
        assert (await world.tabwright.pool()).tabs == ()
        assert world.pages == 0


async def test_form_is_not_submitted_after_page_changed_by_itself(open_client, autojump_clock):
    pages = {**SITE.pages, "https://form.example/": page(FORM, forms={"0": APP})}
    async with open_client(attrs.evolve(SITE, pages=pages)) as world:
        ask = world.tabwright.parts.sessions.ask
        await ask(Sessions.navigate, "s", "https://form.example/", ReadOptions(min_tier=2))
        await ask(Sessions.fill, "s", FormChoice(), {"q": "secret"})
        (target,) = world.browsers[0].targets.values()
        target.commit(STATIC, "of itself")
        with pytest.raises(PageFailed, match="no longer on the page"):
            await ask(Sessions.submit, "s", FormChoice(), RenderOptions())


async def test_invalid_view_offset_keeps_session_and_tab_on_same_page(open_client, autojump_clock):
    async with open_client(SITE) as world:
        ask = world.tabwright.parts.sessions.ask
        await ask(Sessions.navigate, "s", STATIC, ReadOptions(min_tier=2))
        wrong = ReadOptions(min_tier=2, view=RenderOptions(offset=10**6))
        with pytest.raises(BadInput, match="the text ends at"):
            await ask(Sessions.navigate, "s", APP, wrong)
        assert (await ask(Sessions.view, "s", RenderOptions())).url == APP


@pytest.mark.parametrize("url", ["http://a..b/", "http://[", "http://" + "x" * 70 + "/"])
async def test_invalid_host_name_is_refused(url, open_client, autojump_clock):
    async with open_client(SITE) as world:
        with pytest.raises(BadInput):
            await world.tabwright.read(url)


async def test_unexpected_extraction_error_fails_only_its_page(
    open_client, autojump_clock, monkeypatch
):
    def fails(*_arguments):
        raise ZeroDivisionError

    async with open_client(SITE) as world:
        with monkeypatch.context() as patched:
            patched.setattr("tabwright.content.extract.extract_snapshot", fails)
            for _ in range(6):
                with pytest.raises(PageFailed, match="ZeroDivisionError") as caught:
                    await world.tabwright.read(STATIC)
                assert caught.value.code is ErrorCode.EXTRACTION
        assert (await world.tabwright.read(STATIC)).tier == 1


async def test_page_that_never_loads_is_not_reported_as_previous_page(open_client, autojump_clock):
    never = page(f"<p>{WORDS * 30}</p>", load_s=10_000, static_html=f"<p>{WORDS}</p>")
    site = attrs.evolve(SITE, pages={**SITE.pages, "https://never.example/": never})
    async with open_client(site) as world:
        await world.tabwright.read(STATIC, IN_TAB, session="s")
        with pytest.raises(TabwrightError):
            await world.tabwright.read("https://never.example/", IN_TAB, session="s")


async def test_tab_retry_waits_for_interval_but_precedes_other_pages(
    open_client, autojump_clock, tmp_path
):
    policy = tmp_path / "engines.yaml"
    policy.write_text("web: {min_interval_s: 5, concurrency: 1}")
    other = f"{APP}other"
    site = FakeSite(pages={**SITE.pages, other: SITE.pages[STATIC]})
    async with open_client(site, engines__policy=str(policy)) as world:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(world.tabwright.read, APP)
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(world.tabwright.read, other)
    (_, by_http), (tab_s, in_tab), (other_s, last) = site.visits
    assert [by_http, in_tab, last] == [APP, APP, other]
    assert tab_s > 5
    assert other_s - tab_s == pytest.approx(5, abs=0.03)  # counted from the tab's navigation

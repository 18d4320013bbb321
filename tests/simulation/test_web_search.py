"""Searches in several engines at once: the whole system on fakes, in virtual time."""

import re
from itertools import pairwise

import pytest
import trio

from tabwright.config.loader import settings_from
from tabwright.config.search_parsers import load_parsers
from tabwright.protocol.errors import (
    BadInput,
    EnginesFailed,
    MarkupChanged,
    RateLimited,
    SearchBlocked,
    SettingsError,
    TabsBusy,
)
from tabwright.protocol.interventions import InterventionState
from tabwright.protocol.progress import HumanNeededProgress, ProgressEvent, WaitProgress
from tabwright.protocol.web_search import SearchNoticeKind, WebSearch
from tabwright.search.serp.engine import KEPT_MAX, FailedPages
from tabwright.search.serp.web_searcher import ParserRegistry
from tabwright.testing.fake import FakeBarrier, FakePage, FakeSite, Fault, FaultKind
from tabwright.text.token_budget import count_tokens

MOJEEK = "https://www.mojeek.com/search?q=q"
ECOSIA = "https://www.ecosia.org/search?q=q"
BRAVE = "https://search.brave.com/search?q=q&source=web"
DUCKS = "https://html.duckduckgo.com/html/"
DUCKS_FORM = load_parsers()["duckduckgo"].form


def mojeek(*names: str) -> str:
    items = "".join(
        f'<li><a class="ob" href="https://{name}.example/">x</a><h2><a class="title" '
        f'href="https://{name}.example/">{name}</a></h2><p class="s">About {name}.</p></li>'
        for name in names
    )
    return f'<html><body><ul class="results-standard">{items}</ul></body></html>'


def ecosia(*names: str) -> str:
    items = "".join(
        f'<article data-test-id="mainline-result-web"><a data-test-id="result-link" '
        f'href="https://{name}.example/"><h2 class="result-title__heading">{name}</h2></a>'
        f'<p class="result__description">About {name}.</p></article>'
        for name in names
    )
    return f"<html><body>{items}</body></html>"


def site(**pages: FakePage) -> FakeSite:
    """Return a site with the engines' first pages, some of them replaced by `pages`."""
    known = {
        MOJEEK: FakePage(mojeek("a", "b", "c")),
        f"{MOJEEK}&s=10": FakePage(mojeek("d", "e")),
        f"{MOJEEK}&s=20": FakePage(mojeek()),
        ECOSIA: FakePage(ecosia("b", "z")),
        **{{"mojeek": MOJEEK, "ecosia": ECOSIA}[name]: page for name, page in pages.items()},
    }
    return FakeSite(pages=known)


def starts_of(web: FakeSite, url_part: str) -> list[float]:
    """Return the times at which the browser was sent to URLs that contain `url_part`."""
    return [at_s for at_s, url in web.visits if url_part in url]


def captcha(html: str, solved_after_s: float | None) -> FakePage:
    wall = '<html><body><form id="challenge-form">Who are you?</form></body></html>'
    return FakePage(html, barrier=FakeBarrier("captcha", solved_after_s), barrier_html=wall)


async def test_results_of_all_engines_are_merged_by_rank(open_client, autojump_clock):
    async with open_client(site()) as world:
        found = await world.tabwright.web_search(WebSearch("q", ("ecosia", "mojeek")))
    assert [result.url for result in found.results] == [
        "https://b.example/",
        "https://a.example/",
        "https://z.example/",
        "https://c.example/",
    ]
    best = found.results[0]
    assert [(place.engine, place.rank) for place in best.rankings] == [("ecosia", 1), ("mojeek", 2)]
    assert best.score == pytest.approx(1 / 61 + 1 / 62)
    assert found.engines == ("mojeek", "ecosia")  # by priority
    assert found.failures == ()


async def test_engine_that_ignores_the_site_lists_only_its_results(open_client, autojump_clock):
    web = FakeSite(
        pages={MOJEEK.replace("q=q", "q=q+site%3Ab.example"): FakePage(mojeek("a", "b"))}
    )
    async with open_client(web) as world:
        request = WebSearch("q", ("mojeek",), site="b.example")
        found = await world.tabwright.web_search(request)
    assert [result.url for result in found.results] == ["https://b.example/"]
    assert [notice.kind for notice in found.notices] == [SearchNoticeKind.OTHER_SITES]


async def test_same_search_within_five_minutes_is_served_from_cache(open_client, autojump_clock):
    web = site()
    async with open_client(web) as world:
        first = await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
        await trio.sleep(299)
        assert await world.tabwright.web_search(WebSearch("q", ("ecosia", "mojeek"))) == first
        assert len(starts_of(web, "mojeek")) == len(starts_of(web, "ecosia")) == 1
        await trio.sleep(2)
        assert await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia"))) == first
        assert len(starts_of(web, "mojeek")) == 2
        await world.tabwright.web_search(WebSearch("q", ("mojeek",), limit=11))
        assert len(starts_of(web, "mojeek")) == 4


async def test_failed_engine_search_is_not_cached(open_client, autojump_clock):
    gone = FakePage("<html><body><p>Another page altogether.</p></body></html>")
    web = site(ecosia=gone)
    async with open_client(web, engines__failed_pages=None) as world:
        for _ in range(2):
            found = await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
            assert [failure.engine for failure in found.failures] == ["ecosia"]
    assert len(starts_of(web, "ecosia")) == 2
    assert len(starts_of(web, "mojeek")) == 1


def article(topic: str, sentences: int = 1) -> FakePage:
    paragraphs = f"<p>{topic} is what this paragraph is about, in so many words.</p>" * sentences
    return FakePage(f"<html><title>{topic}</title><main><h1>{topic}</h1>{paragraphs}</main></html>")


def readable(**pages: FakePage) -> FakeSite:
    web = site(mojeek=FakePage(mojeek("a", "b", "c").replace("q=q", "q=x")))
    more = {f"https://{name}.example/": page for name, page in pages.items()}
    return FakeSite(pages={**web.pages, **more})


async def test_read_returns_passages_and_failures_of_the_first_results(open_client, autojump_clock):
    gone = FakePage("<html><title>Gone</title><p>Gone.</p></html>", status=404)
    web = readable(a=article("q"), b=gone, c=article("q"))
    async with open_client(web) as world:
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek",), read=2))
    first, second = found.read
    assert (first.number, first.url, first.title, first.kind) == (1, "https://a.example/", "q", "")
    assert "in so many words" in first.text
    assert (second.number, second.url, second.kind) == (
        2,
        "https://b.example/",
        "navigation_failed",
    )
    assert not second.text
    assert len(found.results) == 3
    assert not starts_of(web, "c.example")


async def test_read_shares_its_budget_and_leaves_the_rest_to_later_pages(
    open_client, autojump_clock
):
    web = readable(a=article("q"), b=article("q", 50), c=article("q", 50))
    async with open_client(web) as world:
        request = WebSearch("q", ("mojeek",), read=3, read_tokens=400)
        found = await world.tabwright.web_search(request)
    sizes = [count_tokens(page.text) for page in found.read]
    assert sum(sizes) <= 400
    assert sizes[0] < 100
    assert min(sizes[1:]) > 133
    assert [page.shortened for page in found.read] == [False, True, True]


async def test_page_without_relevant_passages_has_no_text(open_client, autojump_clock):
    async with open_client(readable(a=article("bread"))) as world:
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek",), read=1))
    (page,) = found.read
    assert (page.text, page.kind) == ("", "")


@pytest.mark.parametrize("wrong", [{"read": 11}, {"read": -1}, {"read": 1, "read_tokens": 0}])
def test_read_outside_its_limits_is_refused(wrong):
    with pytest.raises(BadInput):
        WebSearch("q", **wrong)


async def test_an_engine_that_fails_is_reported_beside_the_results_of_the_others(
    open_client, autojump_clock
):
    changed = FakePage("<html><body><p>Another page altogether.</p></body></html>")
    async with open_client(site(ecosia=changed), engines__failed_pages=None) as world:
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
    assert len(found.results) == 3
    (failure,) = found.failures
    assert (failure.engine, failure.kind) == ("ecosia", "markup_changed")
    assert "selectors.result" in failure.message


async def test_unreadable_result_page_is_saved_for_inspection(
    open_client, autojump_clock, tmp_path
):
    changed = FakePage("<html><body><p>Another page.</p></body></html>")
    folder = tmp_path / "kept"
    async with open_client(site(mojeek=changed), engines__failed_pages=str(folder)) as world:
        with pytest.raises(MarkupChanged, match=r"mojeek-1\.html"):
            await world.tabwright.web_search(WebSearch("q", ("mojeek",)))
    (kept,) = folder.iterdir()
    assert kept.read_text() == changed.html
    assert kept.stat().st_mode & 0o777 == 0o600


def test_only_latest_failed_pages_are_kept_beside_other_files(tmp_path):
    others = {tmp_path / f"invoice-{number}.html" for number in range(30)}
    for other in others:
        other.touch()
    for _ in range(KEPT_MAX + 5):
        last = FailedPages(tmp_path).keep("mojeek", "A page.")
    assert others < set(tmp_path.iterdir())
    assert len(set(tmp_path.iterdir()) - others) == KEPT_MAX
    assert last.name == f"unread-mojeek-{KEPT_MAX + 5}.html"


async def test_failure_of_all_engines_reports_reason_for_each(open_client, autojump_clock):
    down = FakePage(error="net::ERR_CONNECTION_REFUSED")
    refused = FakePage(status=403)
    async with open_client(site(mojeek=down, ecosia=refused)) as world:
        with pytest.raises(EnginesFailed) as caught:
            await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
    assert "mojeek: https://www.mojeek.com" in caught.value.message
    assert "ecosia: Ecosia refuses to search (HTTP 403)" in caught.value.message


async def test_pages_of_one_search_are_spaced_by_min_interval(open_client, autojump_clock):
    web = site()
    async with open_client(web) as world:
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek",), limit=50))
    assert [result.title for result in found.results] == ["a", "b", "c", "d", "e"]
    starts = starts_of(web, "mojeek")
    assert len(starts) == 3  # the third page adds nothing, and so there is no fourth
    assert all(after - before >= 4 for before, after in pairwise(starts))


async def test_all_result_pages_are_read_despite_browser_death(open_client, autojump_clock):
    async with open_client(site(), Fault(FaultKind.CUT, "Page.navigate", nth=2)) as world:
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek",), limit=50))
        assert len(world.browsers) == 2
    assert [result.title for result in found.results] == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("language", "waits", "ends"),
    [
        ("en-US", r"mojeek: next request in (3\.\d|4\.0) s", r"mojeek: \d+ results?"),
        ("fr-FR", r"mojeek: prochaine requête dans (3\.\d|4\.0) s", r"mojeek: Résultats : \d+"),
    ],
)
async def test_progress_is_in_the_language_of_the_results(
    open_client, autojump_clock, language, waits, ends
):
    steps: list[ProgressEvent] = []
    settings = {"engines__cache_s": 0, "search__language": language}
    async with open_client(site(), **settings) as world:
        await world.tabwright.web_search(WebSearch("q", ("mojeek",)))
        await world.tabwright.web_search(WebSearch("q", ("mojeek",)), progress=steps.append)
    wait, end = steps
    assert isinstance(wait, WaitProgress)
    assert re.fullmatch(waits, str(wait))
    assert re.fullmatch(ends, str(end))


async def test_search_waiting_for_engine_interval_holds_no_tab(open_client, autojump_clock):
    """With only one tab, one engine's pages load while another's pace is awaited."""
    web = site()
    async with open_client(web) as world, trio.open_nursery() as nursery:
        nursery.start_soon(world.tabwright.web_search, WebSearch("q", ("mojeek",), limit=50))
        await trio.sleep(1)
        with trio.fail_after(2):
            found = await world.tabwright.web_search(WebSearch("q", ("ecosia",)))
        assert len(found.results) == 2


async def test_engines_with_forms_are_queried_and_paged_by_form(open_client, autojump_clock):
    first, second = f"{DUCKS}?page=1", f"{DUCKS}?page=2"
    links = "".join(
        f'<div class="web-result"><h2><a class="result__a" href="https://{name}.example/">{name}'
        "</a></h2></div>"
        for name in "ab"
    )
    assert DUCKS_FORM is not None
    next_form = DUCKS_FORM.next.filled({"page": "2", "offset": "10", "further": ""})
    page = f'<html><body><div id="links">{links}</div></body></html>'
    web = FakeSite(
        pages={
            DUCKS: FakePage(
                "<html><body><form></form></body></html>", forms={str(DUCKS_FORM.selector): first}
            ),
            first: FakePage(page, forms={str(next_form): second}),
            second: FakePage(page.replace("a.example", "c.example")),
        }
    )
    async with open_client(web) as world:
        found = await world.tabwright.web_search(WebSearch("q", ("duckduckgo",), limit=30))
    assert [result.url for result in found.results] == [
        f"https://{name}.example/" for name in "abc"
    ]
    assert [url for _, url in web.visits] == [DUCKS, first, second]
    starts = [at_s for at_s, _ in web.visits]
    assert all(after - before >= 2 for before, after in pairwise(starts))


async def test_refusals_of_one_engine_leave_the_others_parallel(open_client, autojump_clock):
    slow = {
        MOJEEK: FakePage(mojeek("a"), load_s=2),
        ECOSIA: FakePage(ecosia("b"), load_s=2),
        BRAVE: FakePage("<html><body>Results.</body></html>", load_s=2),
    }
    web = FakeSite(pages={**slow, DUCKS: FakePage(status=403)})
    unkept = {"engines__cache_s": 0, "engines__failed_pages": None}
    async with open_client(web, **unkept) as world:

        async def lasting_s() -> float:
            await trio.sleep(3600)
            began_s = trio.current_time()
            await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia", "brave")))
            return trio.current_time() - began_s

        before_s = await lasting_s()
        for _ in range(2):
            with pytest.raises(SearchBlocked) as refused:
                await world.tabwright.web_search(WebSearch("q", ("duckduckgo",)))
            assert refused.value.paused_for_s > 0
            assert await lasting_s() == pytest.approx(before_s, abs=1)
        assert (await world.tabwright.pool()).lowered_max_tabs == {"duckduckgo": 1}


async def test_paused_engine_is_named_with_the_end_of_its_pause(open_client, autojump_clock):
    async with open_client(site(mojeek=FakePage(status=403))) as world:
        for kind in (SearchBlocked.kind, RateLimited.kind):
            found = await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
            (failure,) = found.failures
            assert (failure.engine, failure.kind) == ("mojeek", kind)
            assert failure.paused_for_s > 0
            assert len(found.results) == 2


async def test_captcha_fails_one_engine_and_queues_an_intervention(open_client, autojump_clock):
    async with open_client(site(mojeek=captcha(mojeek("a"), None)), pool__max_tabs=3) as world:
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
        assert len(found.results) == 2
        (failure,) = found.failures
        (waiting,) = await world.tabwright.interventions()
        assert failure.intervention == waiting.id
        assert waiting.state is InterventionState.PENDING
        assert waiting.site == "mojeek"
        assert not waiting.held  # nobody could see the tab
        assert failure.paused_for_s > 0
        assert (await world.tabwright.pool()).lowered_max_tabs == {"mojeek": 2}
        assert [browser.visible for browser in world.browsers] == [False]
        with pytest.raises(RateLimited, match="is paused for"):
            await world.tabwright.web_search(WebSearch("q", ("mojeek",)))


async def test_engine_works_again_after_captcha_is_solved_in_window(open_client, autojump_clock):
    async with open_client(site(mojeek=captcha(mojeek("a"), 25.0))) as world:
        await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
        (waiting,) = await world.tabwright.interventions()
        shown = await world.tabwright.answer_intervention(waiting.id, "open")
        assert shown.state is InterventionState.IN_PROGRESS
        assert shown.held
        assert [browser.visible for browser in world.browsers] == [False, True]
        await trio.sleep(20)
        assert (await world.tabwright.interventions())[0].state is InterventionState.IN_PROGRESS
        await trio.sleep(11)
        (solved,) = await world.tabwright.interventions()
        assert solved.state is InterventionState.SOLVED
        assert (await world.tabwright.pool()).tabs == ()
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek",)))
        assert [result.title for result in found.results] == ["a"]


async def test_search_without_other_results_waits_for_captcha_solution(open_client, autojump_clock):
    steps: list[ProgressEvent] = []
    web = site(mojeek=captcha(mojeek("a"), 25.0))
    async with open_client(web) as world:
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek",)), progress=steps.append)
        assert [result.title for result in found.results] == ["a"]
        assert any(isinstance(step, HumanNeededProgress) for step in steps)
        (solved,) = await world.tabwright.interventions()
        assert solved.state is InterventionState.SOLVED
        await trio.sleep(1)
        assert (await world.tabwright.pool()).tabs == ()
    assert len(starts_of(web, "mojeek")) == 2  # the tab that was solved is the one that is read


async def test_captcha_in_headed_browser_holds_its_tab_and_frees_its_place(
    open_client, autojump_clock
):
    async with open_client(site(mojeek=captcha(mojeek("a"), None)), headed=True) as world:
        await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
        (waiting,) = await world.tabwright.interventions()
        assert waiting.held
        assert waiting.state is InterventionState.PENDING
        await trio.sleep(1)
        (tab,) = (await world.tabwright.pool()).tabs
        assert tab.use == "held"
        with trio.fail_after(10):  # the one place there is
            await world.tabwright.web_search(WebSearch("q", ("ecosia",)))


async def test_tabs_held_for_captchas_are_limited(open_client, autojump_clock):
    pages = {"mojeek": captcha("", None), "ecosia": captcha("", None)}
    settings = {"headed": True, "pool__max_held_tabs": 1}
    async with open_client(site(**pages), **settings) as world:
        with trio.move_on_after(20), pytest.raises(SearchBlocked):
            await world.tabwright.web_search(WebSearch("q", ("mojeek",)))
        with trio.move_on_after(20), pytest.raises(SearchBlocked):
            await world.tabwright.web_search(WebSearch("q", ("ecosia",)))
        held = [one.held for one in await world.tabwright.interventions()]
        assert held == [True, False]
        with pytest.raises(TabsBusy, match="waits for a person"):
            await world.tabwright.answer_intervention(
                (await world.tabwright.interventions())[1].id, "open"
            )


async def test_skipped_captcha_closes_its_tab(open_client, autojump_clock):
    async with (
        open_client(site(mojeek=captcha("", None)), headed=True) as world,
        trio.open_nursery() as nursery,
    ):

        async def search() -> None:
            with pytest.raises(SearchBlocked, match="declined"):
                await world.tabwright.web_search(WebSearch("q", ("mojeek",), language="en"))

        nursery.start_soon(search)
        await trio.sleep(30)
        (waiting,) = await world.tabwright.interventions()
        assert waiting.waiting == 1
        await world.tabwright.answer_intervention(waiting.id, "skip")
        await trio.sleep(1)
        (skipped,) = await world.tabwright.interventions()
        assert skipped.state is InterventionState.SKIPPED
        assert (await world.tabwright.pool()).tabs == ()
        with pytest.raises(BadInput, match="has ended"):
            await world.tabwright.answer_intervention(waiting.id, "open")


@pytest.mark.parametrize(
    ("request_", "reported"),
    [
        (WebSearch("q", ("altavista",)), "Unknown engine 'altavista'"),
        (WebSearch("q", ()), "No engine is given"),
        (WebSearch("q", page=11), "no page 11"),
        (WebSearch("q", page=0), "no page 0"),
        (WebSearch("q", limit=0), "limit is 0"),
        (WebSearch("q", limit=51), "limit is 51"),
        (WebSearch(" ", ("mojeek",)), "empty"),
    ],
    ids=["engine", "none", "far", "zeroth", "nothing", "much", "blank"],
)
async def test_invalid_search_is_refused_before_any_browser_starts(
    request_, reported, open_client, autojump_clock
):
    async with open_client(site()) as world:
        with pytest.raises(BadInput, match=reported):
            await world.tabwright.web_search(request_)
        assert world.browsers == []


async def test_a_cancelled_search_leaves_nothing_behind(open_client, autojump_clock):
    async with open_client(site()) as world:
        for number in range(30):
            with trio.move_on_after(number * 0.2):
                await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia"), limit=30))
            await trio.sleep(1)
            state = await world.tabwright.pool()
            assert state.tabs == ()
            assert state.waiting == 0
        assert all(rate.in_work == rate.waiting == 0 for rate in await world.tabwright.rates())
        with trio.fail_after(30):
            found = await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
        assert found.failures == ()


async def test_engine_is_paused_for_its_retry_after(open_client, autojump_clock):
    refused = FakePage(status=429, headers={"Retry-After": "900"})
    async with open_client(site(mojeek=refused)) as world:
        with pytest.raises(SearchBlocked):
            await world.tabwright.web_search(WebSearch("q", ("mojeek",)))
        with pytest.raises(RateLimited) as caught:
            await world.tabwright.web_search(WebSearch("q", ("mojeek",)))
        assert 895 < caught.value.retry_after_s <= 900


async def test_parsers_file_changes_apply_while_the_client_runs(
    open_client, autojump_clock, tmp_path
):
    parsers = tmp_path / "mine.yaml"
    parsers.write_text("mojeek: {selectors: {result: {selector: ul.gone > li}}}")
    async with open_client(site(), engines__parsers=str(parsers)) as world:
        with pytest.raises(MarkupChanged, match=r"ul\.gone > li"):
            await world.tabwright.web_search(WebSearch("q", ("mojeek",)))
        parsers.write_text("mojeek: {selectors: {result: {selector: ul.results-standard > li}}}")
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek",)))
        assert len(found.results) == 3
        parsers.write_text("mojeek: {selectors: {titel: {selector: h2}}}")
        for _ in range(2):
            found = await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
            assert len(found.results) == 4
            (notice,) = found.notices
            assert (notice.kind, notice.engine) == (SearchNoticeKind.PARSERS_FILE, "")
            assert "Did you mean 'title'" in notice.message
        parsers.unlink()
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek",)))
        assert [notice.kind for notice in found.notices] == [SearchNoticeKind.PARSERS_FILE]
        assert len(found.results) == 3
        parsers.write_text("mojeek: {selectors: {result: {selector: ul.results-standard > li}}}")
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek",)))
        assert found.notices == ()


async def test_misspelled_parsers_file_is_refused_with_suggestion(tmp_path):
    parsers = tmp_path / "mine.yaml"
    parsers.write_text("mojeek: {selectors: {titel: {selector: h2}}}")
    with pytest.raises(SettingsError, match="Did you mean 'title'"):
        ParserRegistry(parsers).parsers()


async def test_missing_excerpts_are_reported_beside_the_results(open_client, autojump_clock):
    moved = FakePage(mojeek("a", "b").replace('class="s"', 'class="t"'))
    async with open_client(site(mojeek=moved)) as world:
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
    assert found.failures == ()
    (notice,) = found.notices
    assert (notice.engine, notice.kind) == ("mojeek", SearchNoticeKind.PART_MISSING)


async def test_unresolved_redirects_are_counted_as_unread_rows(open_client, autojump_clock):
    row = '<div class="g"><a href="{}"><h3>{}</h3></a><div class="VwiC3b">Text.</div></div>'
    rows = row.format("/goto?url=CAESa", "a") + row.format("https://b.example/", "b")
    page = FakePage(f"<html><body>{rows}</body></html>")
    web = FakeSite(pages={"https://www.google.com/search?q=q&filter=0": page})
    async with open_client(web) as world:
        found = await world.tabwright.web_search(WebSearch("q", ("google",)))
    assert [result.url for result in found.results] == ["https://b.example/"]
    (notice,) = found.notices
    assert notice.kind is SearchNoticeKind.ROWS_UNREAD
    assert (notice.unread, notice.rows) == (1, 2)


async def test_unread_rows_of_all_pages_are_counted(open_client, autojump_clock):
    other = '<li><h3><a href="https://{}.example/">x</a></h3></li></ul>'
    web = site(mojeek=FakePage(mojeek("a", "b").replace("</ul>", other.format("p"))))
    web.pages[f"{MOJEEK}&s=10"] = FakePage(mojeek("c").replace("</ul>", other.format("q")))
    async with open_client(web) as world:
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek",), limit=20))
    (notice,) = found.notices
    assert notice.kind is SearchNoticeKind.ROWS_UNREAD
    assert (notice.unread, notice.rows) == (2, 5)


async def test_engine_without_results_is_reported_in_notice(open_client, autojump_clock):
    async with open_client(site(mojeek=FakePage(mojeek()))) as world:
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
    assert [(one.engine, one.kind) for one in found.notices] == [
        ("mojeek", SearchNoticeKind.NO_RESULTS)
    ]


async def test_tab_waiting_for_rate_limit_is_not_closed_as_idle(open_client, autojump_clock):
    async with open_client(site(), session__sleep_after_s=3.0) as world:
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek",), limit=30))
    assert [result.title for result in found.results] == ["a", "b", "c", "d", "e"]
    assert found.failures == ()


async def test_engines_are_queried_concurrently_by_default(open_client, autojump_clock):
    slow = {
        name: FakePage(page("a"), load_s=3.0)
        for name, page in (("mojeek", mojeek), ("ecosia", ecosia))
    }
    async with open_client(site(**slow), pool__max_tabs=settings_from().pool.max_tabs) as world:
        began_s = trio.current_time()
        found = await world.tabwright.web_search(WebSearch("q", ("mojeek", "ecosia")))
        assert trio.current_time() - began_s < 2 * 3.0
    assert found.engines == ("mojeek", "ecosia")
    assert found.failures == ()

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.config.search_parsers import load_parsers
from tabwright.protocol.web_search import ResultPage, ResultPageStatus, SearchNoticeKind, SerpEntry
from tabwright.search.serp.parser import (
    BARE_CHARS_MAX,
    CHARS_MAX,
    LINKED_HOSTS_MAX,
    RESULTS_MAX,
    read_result_page,
)

PARSERS = load_parsers()
ENGINES = sorted(PARSERS)
FIXTURES = Path(__file__).parent / "fixtures" / "result_pages"
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in FIXTURES.glob("*.html")}
TITLE = "Sourdough hydration explained"
MEAN = "What baker's percentages mean."
HYDRATION = "https://bread.example/hydration"
EXPECTED = {
    "mojeek": (
        SerpEntry(
            TITLE,
            HYDRATION,
            "What baker's percentages mean, and why 70 % is a good start. A captcha of dough.",
        ),
        SerpEntry("An old page", "http://old.example:80/a?b=1&utm_source=mojeek#top"),
        SerpEntry("面包的含水量是什么", "https://zh.example/面包", "面粉与水。"),
    ),
    "duckduckgo": (
        SerpEntry(TITLE, f"{HYDRATION}?a=1&b=2", "What baker's percentages mean."),
        SerpEntry(
            "A direct link",
            "https://direct.example/page",
            "It is not wrapped; it speaks of bots and of unusual activity.",
        ),
    ),
    "ecosia": (
        SerpEntry(TITLE, HYDRATION, f"3 days ago · {MEAN}"),
        SerpEntry("Second", "https://second.example/", "Of two."),
    ),
    "startpage": (
        SerpEntry(TITLE, HYDRATION, MEAN),
        SerpEntry("Second", "https://second.example/", "Of three."),
        SerpEntry("Third, without an excerpt", "https://third.example/"),
    ),
    "brave": (
        SerpEntry(
            f"{TITLE}, in full",
            HYDRATION,
            "March 3, 2025 - What baker's percentages mean; how a captcha is solved.",
        ),
        SerpEntry("Second", "https://second.example/", "Of two."),
    ),
    "google": (
        SerpEntry(TITLE, HYDRATION, MEAN, "3 Mar 2025"),
        SerpEntry("First of a group", "https://group.example/one", "One."),
        SerpEntry("Second of a group", "https://group.example/two", "Two, on unusual traffic."),
        SerpEntry("Without a known class", "https://plain.example/", "Plain."),
    ),
    "sogou": (
        SerpEntry(TITLE, HYDRATION, MEAN, "2025-3-3"),
        SerpEntry("Second", "https://second.example/", "Of two."),
    ),
    "bing": (
        SerpEntry(TITLE, f"{HYDRATION}?a=1&b=面包", MEAN),
        SerpEntry("Second", "https://second.example/", "Of two."),
    ),
}
CAPTCHAS = {
    "mojeek": '<div class="cf-turnstile" data-sitekey="1"></div>',
    "duckduckgo": '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html"></form>',
    "ecosia": '<div id="cf-challenge-running"></div>',
    "startpage": '<script id="anubis_challenge" type="application/json">{}</script>',
    "brave": '<div class="pow-captcha"><button>Continue</button></div>',
    "google": '<form id="captcha-form" action="index"><div class="g-recaptcha"></div></form>',
    "sogou": '<form id="seccodeForm"></form>',
    "bing": '<iframe src="https://challenges.cloudflare.com/cdn-cgi/x"></iframe>',
}
DRIFTS = {
    "mojeek": ("results-standard", "list-of-results"),
    "duckduckgo": ("web-result", "organic"),
    "ecosia": ("mainline-result-web", "mainline-organic"),
    "startpage": ("result-title", "entry-title"),
    "brave": ('data-type="web"', 'data-kind="web"'),
    "google": ("h3|LC20lb", "h4"),
    "sogou": ("results", "list-of-results"),
    "bing": ("b_algo", "b_organic"),
}
BREAKING = [
    "<",
    ">",
    '"',
    "</div>",
    "<div>",
    "<!--",
    "&#0;",
    "<p hidden>",
    "<html hidden>",
    "\ud800",
]


def read(engine: str, html: str, url: str = "", *, status: int = 200, page: int = 1) -> ResultPage:
    parser = PARSERS[engine]
    return read_result_page(parser, html, url or parser.url, status, page)


def bare(text: str) -> str:
    return f"<html><head><title>x</title></head><body><main><p>{text}</p></main></body></html>"


def test_every_engine_has_a_result_page_as_a_fixture():
    assert ENGINES == sorted(PAGES) == sorted(EXPECTED) == sorted(CAPTCHAS), (
        f"Save a page of the engine in {FIXTURES}, and add it to EXPECTED and CAPTCHAS."
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_results_are_read_in_their_order_without_advertisements(engine: str) -> None:
    assert read(engine, PAGES[engine]) == ResultPage(ResultPageStatus.RESULTS, EXPECTED[engine])


@pytest.mark.parametrize("engine", ENGINES)
def test_challenge_without_results_needs_a_person(engine: str) -> None:
    assert read(engine, bare(CAPTCHAS[engine])).verdict is ResultPageStatus.CAPTCHA
    assert read(engine, bare(CAPTCHAS[engine]), status=403).verdict is ResultPageStatus.CAPTCHA


@pytest.mark.parametrize("engine", ENGINES)
def test_challenge_beside_results_does_not_hide_them(engine: str) -> None:
    page = re.sub("<body[^>]*>", f"<body>{CAPTCHAS[engine]}", PAGES[engine])
    assert read(engine, page) == read(engine, PAGES[engine])
    assert read(engine, page, status=429).verdict is ResultPageStatus.CAPTCHA


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("script", "verdict"),
    [
        ("h/g/scripts/jsd/6a4f/main.js", ResultPageStatus.NO_RESULTS),
        ("h/g/orchestrate/chl_page/v1", ResultPageStatus.CAPTCHA),
    ],
)
def test_cloudflare_script_on_an_ordinary_page_is_not_a_challenge(
    engine: str, script: str, verdict: ResultPageStatus
) -> None:
    source = f"/cdn-cgi/challenge-platform/{script}"
    page = bare(f'No results found for x.<script src="{source}"></script>')
    assert read(engine, page).verdict is verdict


@pytest.mark.parametrize(
    ("engine", "url"),
    [
        ("google", "https://www.google.com/sorry/index?continue=https://www.google.com/search"),
        ("google", "https://sorry.google.com/sorry/?q=x"),
        ("startpage", "https://www.startpage.com/sp/captcha?x=1"),
        ("brave", "https://search.brave.com/captcha?x=1"),
    ],
)
def test_challenge_is_recognised_by_url(engine: str, url: str) -> None:
    assert read(engine, bare("…"), url).verdict is ResultPageStatus.CAPTCHA


def test_challenge_url_inside_the_query_is_no_challenge() -> None:
    url = "https://www.google.com/search?q=https://sorry.google.com/sorry/index"
    assert read("google", PAGES["google"], url).verdict is ResultPageStatus.RESULTS


@pytest.mark.parametrize(
    ("engine", "text"),
    [
        ("duckduckgo", "Unfortunately, bots use DuckDuckGo too. Please complete the challenge."),
        ("brave", "Confirm you\u2019re a human being"),
        ("brave", "Brave Search decided to schedule a captcha for you."),
        ("bing", "One last step. Please solve the challenge below to continue"),
    ],
)
def test_challenge_is_recognised_by_text_on_a_bare_page(engine: str, text: str) -> None:
    assert read(engine, bare(text)).verdict is ResultPageStatus.CAPTCHA


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("status", [403, 429, 503])
def test_error_status_on_a_bare_page_is_a_refusal(engine: str, status: int) -> None:
    refusal = read(engine, bare("No."), status=status)
    assert refusal.verdict is ResultPageStatus.REFUSED
    assert refusal.message == f"{PARSERS[engine].name} refuses to search (HTTP {status})."


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "text",
    [
        "Your network appears to be sending automated queries.",
        "We have detected unusual activity.",
        "Access Denied",
    ],
)
def test_refusal_text_counts_only_on_a_bare_page(engine: str, text: str) -> None:
    assert read(engine, bare(text)).verdict is ResultPageStatus.REFUSED
    assert read(engine, bare(text + " x" * BARE_CHARS_MAX)).verdict is ResultPageStatus.CHANGED
    assert read(engine, bare(f"<script>{text}</script><i hidden>{text}</i>")).verdict is (
        ResultPageStatus.CHANGED
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_block_phrases_on_a_page_of_many_links_are_not_a_block(engine: str) -> None:
    hosts = [f"https://site{number}.example/" for number in range(LINKED_HOSTS_MAX + 1)]
    links = [f'<a href="{host}">unusual activity, bots use DuckDuckGo too</a>' for host in hosts]
    assert read(engine, bare(links[0] * 5)).verdict in {
        ResultPageStatus.REFUSED,
        ResultPageStatus.CAPTCHA,
    }
    assert read(engine, bare(" ".join(links))).verdict is ResultPageStatus.CHANGED


@pytest.mark.parametrize("engine", ENGINES)
def test_block_phrases_within_results_are_not_a_block(engine: str) -> None:
    words = "captcha, unusual activity, confirm you're a human, bots use DuckDuckGo too"
    for old in (MEAN.removesuffix("."), TITLE, "explained"):
        found = read(engine, PAGES[engine].replace(old, words))
        assert found.verdict is ResultPageStatus.RESULTS
        assert len(found.found) == len(EXPECTED[engine])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "text",
    [
        "No results found for <b>captcha</b>.",
        "Your search - <em>unusual activity</em> - did not match any documents.",
        "There are no results for <b>access denied</b>",
        "No pages found matching: x",
        '<span class="no-results">Nichts gefunden</span>',
    ],
)
def test_page_without_results_gives_the_no_results_verdict(engine: str, text: str) -> None:
    nothing = read(engine, bare(text))
    assert nothing.verdict is ResultPageStatus.NO_RESULTS
    assert nothing.message == f"{PARSERS[engine].name} lists nothing for this query."
    assert [notice.kind for notice in nothing.notices] == [SearchNoticeKind.NO_RESULTS]


@pytest.mark.parametrize(
    ("engine", "html"),
    [
        ("mojeek", '<ul class="results-standard">\n</ul>'),
        ("duckduckgo", '<div id="links"> </div>'),
        ("bing", '<ol id="b_results"><li class="b_no"><h1>Nichts</h1></li></ol>'),
        ("brave", "<h4>Not many great matches came back for your search.</h4>"),
    ],
)
def test_engine_specific_empty_page_gives_the_no_results_verdict(engine: str, html: str) -> None:
    assert read(engine, bare(html)).verdict is ResultPageStatus.NO_RESULTS


NOTHING_AT_GOOGLE = {
    "ar": "لم ينجح بحثك عن <b>x</b> في إظهار أي نتائج.",
    "cs": "Na váš předmět vyhledávání - <b>x</b> - nebyl nalezen žádný odkaz.",
    "da": "Din søgning - <b>x</b> - matchede ikke nogen dokumenter.",
    "de": "Es wurden keine mit deiner Suchanfrage - <em>x</em> - übereinstimmenden Dokumente "
    "gefunden.",
    "en": "Your search - <em>x</em> - did not match any documents.",
    "es": "No se han encontrado resultados para tu búsqueda (<b>x</b>).",
    "fi": "Hakusi - <b>x</b> - ei vastaa yhtään sivua.",
    "fr": "Aucun document ne correspond aux termes de recherche spécifiés (<em>x</em>).",
    "it": "La ricerca di - <b>x</b> - non ha prodotto risultati in nessun documento.",
    "ja": "<b>x</b>に一致する情報は見つかりませんでした。",
    "ko": "<b>x</b>와(과) 일치하는 검색결과가 없습니다.",
    "nb": "Ingen dokumenter samsvarte med søket ditt på «<b>x</b>».",
    "nl": "Je zoekopdracht - <b>x</b> - heeft geen overeenkomstige documenten opgeleverd.",
    "pl": "Podana fraza - <b>x</b> - nie została odnaleziona.",
    "pt": "Sua pesquisa - <b>x</b> - não encontrou nenhum documento correspondente.",
    "ru": "По запросу <b>x</b> ничего не найдено.",
    "sv": "Din sökning - <b>x</b> - matchade inte något dokument.",
    "tr": "Aradığınız - <b>x</b> - ile ilgili hiçbir arama sonucu mevcut değil.",  # noqa: RUF001
    "zh": "找不到和您查询的“<b>x</b>”相符的内容或信息。",
    "zh-HK": "找不到和您查詢的「<b>x</b>」相符的資料。",
    "zh-TW": "找不到符合搜尋字詞「<b>x</b>」的文件。",
}
NOTHING = {
    "ar": "لا توجد نتائج لـ <b>x</b>",
    "cs": "Nebyly nalezeny žádné výsledky pro <b>x</b>",
    "da": "Ingen resultater for <b>x</b>",
    "de": "Leider gibt es keine Ergebnisse für diese Suche.",
    "en": "Sorry, there are no results for this search.",
    "es": "No hay resultados para <b>x</b>",
    "fi": "Ei tuloksia haulle <b>x</b>",
    "fr": "Il n'y a aucun résultat pour <b>x</b>",
    "it": "Nessun risultato trovato per <b>x</b>",
    "ja": "<b>x</b> に一致する検索結果はありません",
    "ko": "<b>x</b>에 대한 검색결과가 없습니다",
    "nb": "Ingen treff for <b>x</b>",
    "nl": "Geen resultaten gevonden voor <b>x</b>",
    "pl": "Brak wyników dla <b>x</b>",
    "pt": "Não foram encontrados resultados para <b>x</b>",
    "ru": "Нет результатов для <b>x</b>",
    "sv": "Inga resultat hittades för <b>x</b>",
    "tr": "<b>x</b> ile ilgili hiçbir sonuç bulunamadı",  # noqa: RUF001
    "zh": "没有与此相关的结果: <b>x</b>",
    "zh-HK": "沒有與此相關的結果: <b>x</b>",
    "zh-TW": "沒有與此相關的結果: <b>x</b>",
}
CHECKS = [
    "Confirm you\u2019re not a robot",
    "Bestätigen Sie, dass Sie ein Mensch sind",
    "Ich bin kein Roboter",
    "Je ne suis pas un robot",
    "No soy un robot",
    "Non sono un robot",
    "Não sou um robô",
    "Ik ben geen robot",
    "Nie jestem robotem",
    "Я не робот",
    "私はロボットではありません",
    "로봇이 아닙니다.",
    "我不是機器人",
]


def test_no_results_phrases_exist_for_every_offered_language() -> None:
    assert set(NOTHING_AT_GOOGLE) == set(PARSERS["google"].languages)
    offered = {tag.split("-")[0] for parser in PARSERS.values() for tag in parser.languages}
    assert offered <= set(NOTHING)


@pytest.mark.parametrize("text", NOTHING_AT_GOOGLE.values(), ids=NOTHING_AT_GOOGLE.keys())
def test_google_empty_page_is_recognized_in_every_language(text: str) -> None:
    assert read("google", bare(text)).verdict is ResultPageStatus.NO_RESULTS


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING.keys())
def test_localized_empty_page_gives_the_no_results_verdict(engine: str, text: str) -> None:
    assert read(engine, bare(text)).verdict is ResultPageStatus.NO_RESULTS


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", CHECKS)
def test_check_in_another_language_needs_a_person(engine: str, text: str) -> None:
    assert read(engine, bare(f"<button>{text}</button>")).verdict is ResultPageStatus.CAPTCHA


@pytest.mark.parametrize("engine", ENGINES)
def test_drifted_markup_is_reported_with_its_selector(engine: str) -> None:
    old, new = DRIFTS[engine]
    changed = read(engine, re.sub(old, new, PAGES[engine]))
    part = "title" if engine == "google" else "result"
    diagnostic = getattr(PARSERS[engine].selectors, part).diagnostic
    assert changed.verdict is ResultPageStatus.CHANGED
    assert not changed.found
    assert changed.message.startswith(f"{PARSERS[engine].name}: selectors.{part} found nothing at")
    assert changed.message.endswith(diagnostic)


def test_unrecognized_page_is_reported_with_its_http_status() -> None:
    assert read("mojeek", bare("Not found"), status=404).message.endswith(" had HTTP status 404.")


@pytest.mark.parametrize(
    ("drift", "part"),
    [(("<h2", "<h5"), "title"), ((' class="ob"', ""), "title"), (("href=", "data-href="), "url")],
)
def test_each_required_part_is_reported_by_its_name(drift: tuple[str, str], part: str) -> None:
    page = PAGES["mojeek"].replace("</h2", "</h5" if drift[0] == "<h2" else "</h2")
    page = page.replace(*drift)
    if drift[0] == ' class="ob"':
        page = page.replace("<h2", "<h5").replace("</h2", "</h5")
    changed = read("mojeek", page)
    assert changed.verdict is ResultPageStatus.CHANGED
    assert f"selectors.{part} found nothing" in changed.message


def test_missing_snippets_are_reported_beside_the_results() -> None:
    found = read("mojeek", PAGES["mojeek"].replace('class="s"', 'class="t"'))
    assert found.verdict is ResultPageStatus.RESULTS
    assert [result.title for result in found.found] == [f.title for f in EXPECTED["mojeek"]]
    (notice,) = found.notices
    assert notice.kind is SearchNoticeKind.PART_MISSING
    assert "Mojeek: selectors.snippet found nothing at 'p.s'." in notice.message


@pytest.mark.parametrize("engine", ENGINES)
def test_complete_result_page_has_no_notice(engine: str) -> None:
    assert read(engine, PAGES[engine]).notices == ()


def test_rows_of_unknown_shape_are_counted_as_unread() -> None:
    row = '<li><h3><a href="https://{}.example/">{}</a></h3></li>'
    rows = "".join(row.format(name, name) for name in ("new", "newer"))
    own = '<li><a href="/images?q=x">Images</a></li>'
    end = '</ul><div class="pagination">'
    page = PAGES["mojeek"].replace(end, rows + own + end)
    found = read("mojeek", page)
    count = len(EXPECTED["mojeek"])
    assert len(found.found) == count
    (notice,) = found.notices
    assert notice.kind is SearchNoticeKind.ROWS_UNREAD
    assert (notice.unread, notice.rows) == (2, count + 2)


def mojeek_row(number: int, label: str = "", *, attributes: str = "", words: str = "Text") -> str:
    url = f"https://{number}.example/"
    title = f'<h2><a href="{url}">Title {number}</a></h2>'
    return f'<li {attributes}>{label}{title}<p class="s">{words} {number}</p></li>'


def mojeek_list(*rows: str, after: str = "") -> ResultPage:
    return read("mojeek", bare(f'<ul class="results-standard">{"".join(rows)}</ul>{after}'))


def titles_and_unread(page: ResultPage) -> tuple[list[int], int]:
    numbers = [int(result.title.removeprefix("Title ")) for result in page.found]
    return numbers, sum(notice.unread for notice in page.notices)


def test_results_in_the_list_outside_of_rows_count_as_unread() -> None:
    strays = [mojeek_row(n).replace("li", "section") for n in (2, 3)]
    page = mojeek_list(mojeek_row(1), *strays, mojeek_row(4))
    assert titles_and_unread(page) == ([1, 4], 2)


@pytest.mark.parametrize(("outside", "unread"), [(3, 0), (6, 6)])
def test_headings_outside_of_the_list_count_if_they_outnumber_the_results(
    outside: int, unread: int
) -> None:
    others = "".join(mojeek_row(number) for number in range(10, 10 + outside))
    page = mojeek_list(mojeek_row(1), mojeek_row(2), after=f"<ul>{others}</ul>")
    assert titles_and_unread(page) == ([1, 2], unread)
    page = mojeek_list(mojeek_row(1), mojeek_row(2), after=f"<aside>{others}</aside>")
    assert titles_and_unread(page) == ([1, 2], 0)


def test_google_featured_snippet_is_read_with_its_text() -> None:
    text = '<span class="hgKElc">The text above the link.</span>'
    page = read("google", bare(f'<div class="g"><div>{text}</div>{google_result(1, "g")}</div>'))
    assert page.found == (SerpEntry("Title 1", "https://1.example/", "Text 1"),)
    row = google_result(1, "g").replace("VwiC3b", "other")
    page = read("google", bare(f'<div class="g"><div>{text}</div>{row}</div>'))
    assert [one.snippet for one in page.found] == ["The text above the link."]


def test_hundred_results_in_groups_are_all_read() -> None:
    rows = "".join(f'<div class="MjjYud">{google_result(n, "g")}</div>' for n in range(100))
    page = read("google", bare(rows))
    assert page.found == google_entries(*range(100))
    assert page.notices == ()


LABELLED = {
    "label": '<span class="q7">Ad</span>',
    "label in German": "<div>Anzeige ·</div>",
    "label in Japanese": "<small>広告</small>",
    "label in Arabic": "<p>إعلان</p>",
    "label that links to the engine": '<a href="/about-ads">Ad</a>',
    "paid link": '<a rel="nofollow sponsored" href="https://shop.example/">shop.example</a>',
}
NAMED = {
    "class": 'class="row result-ad"',
    "id": 'id="ad_1"',
    "test id": 'data-testid="sponsored-row"',
    "attribute": 'data-text-ad2="1"',
    "accessible name": 'aria-label="Sponsored"',
}


@pytest.mark.parametrize("label", LABELLED)
def test_row_with_a_label_of_advertisements_is_left_out(label: str) -> None:
    page = mojeek_list(mojeek_row(1), mojeek_row(2, LABELLED[label]), mojeek_row(3))
    assert titles_and_unread(page) == ([1, 3], 0)


@pytest.mark.parametrize("name", NAMED)
def test_row_marked_as_advertisement_by_attribute_is_left_out(name: str) -> None:
    page = mojeek_list(mojeek_row(1), mojeek_row(2, attributes=NAMED[name]), mojeek_row(3))
    assert titles_and_unread(page) == ([1, 3], 0)


def test_section_under_a_heading_of_advertisements_is_left_out() -> None:
    section = f"<section><h4>Sponsored</h4>{google_result(1, 'g')}{google_result(2, 'g')}</section>"
    page = read("google", bare(section + "".join(google_result(n, "g") for n in (3, 4, 5))))
    assert page == ResultPage(ResultPageStatus.RESULTS, google_entries(3, 4, 5))


@pytest.mark.parametrize(
    "row",
    [
        mojeek_row(2, words="The <em>Ad</em> of the <b>Sponsored</b>"),
        mojeek_row(2, "<span>AD</span>"),
        mojeek_row(2, '<a href="https://ads.example/">Ads</a>'),
        mojeek_row(2, "<cite>Ads</cite>"),
        mojeek_row(2).replace("Title 2", "<span>Ad</span>"),
        mojeek_row(2, attributes='class="header shadow lead"'),
        mojeek_row(2, '<div class="ad"></div>'),
    ],
)
def test_result_resembling_an_advertisement_is_kept(row: str) -> None:
    page = mojeek_list(mojeek_row(1), row, mojeek_row(3))
    assert [result.url for result in page.found] == [f"https://{n}.example/" for n in (1, 2, 3)]


def test_page_wrapped_in_advertisement_label_keeps_its_results() -> None:
    rows = f'<ul class="results-standard">{mojeek_row(1)}{mojeek_row(2)}</ul>'
    page = read("mojeek", f'<body class="has-ads"><main class="ads"><p>Ads</p>{rows}</main></body>')
    assert titles_and_unread(page) == ([1, 2], 0)


@pytest.mark.parametrize(
    "url",
    ["https://www.googleadservices.com/pagead/aclk?x", "https://www.bing.com/aclick?u=1"],
)
def test_advertisement_redirect_is_not_a_result(url: str) -> None:
    advertisement = mojeek_row(2).replace("https://2.example/", url)
    page = mojeek_list(mojeek_row(1), advertisement, mojeek_row(3))
    assert titles_and_unread(page) == ([1, 3], 0)


def google_result(number: int, css_class: str = "new", href: str = "") -> str:
    link = f'<a href="{href or f"https://{number}.example/"}"><h3>Title {number}</h3></a>'
    return f'<div class="{css_class}">{link}<div class="VwiC3b">Text {number}</div></div>'


def google_entries(*numbers: int) -> tuple[SerpEntry, ...]:
    return tuple(SerpEntry(f"Title {n}", f"https://{n}.example/", f"Text {n}") for n in numbers)


def google_group(*results: str) -> ResultPage:
    return read("google", bare(f'<div class="MjjYud">{"".join(results)}</div>'))


def test_group_of_results_with_unknown_classes_is_split() -> None:
    found = google_group(*map(google_result, range(1, 11)))
    assert found == ResultPage(ResultPageStatus.RESULTS, google_entries(*range(1, 11)))


def test_group_with_known_and_unknown_results_keeps_their_order() -> None:
    found = google_group(google_result(1), google_result(2, "g"), google_result(3))
    assert found == ResultPage(ResultPageStatus.RESULTS, google_entries(1, 2, 3))


def test_group_with_hidden_targets_counts_each_as_unread() -> None:
    hidden = [google_result(n, href=f"/goto?url=CAES{n}") for n in (1, 2)]
    found = google_group(*hidden, google_result(3))
    assert found.found == google_entries(3)
    assert [(one.kind, one.unread, one.rows) for one in found.notices] == [
        (SearchNoticeKind.ROWS_UNREAD, 2, 3)
    ]


@pytest.mark.parametrize("known", ["", google_result(4, "g")])
def test_group_with_inseparable_snippets_counts_the_rest_as_unread(known: str) -> None:
    flat = [
        google_result(n).removeprefix('<div class="new">').removesuffix("</div>") for n in (1, 2, 3)
    ]
    found = google_group(*flat, known)
    assert found.found == (google_entries(4) if known else google_entries(1))
    unread = 3 if known else 2
    assert [(one.kind, one.unread, one.rows) for one in found.notices] == [
        (SearchNoticeKind.ROWS_UNREAD, unread, unread + 1)
    ]


def test_group_with_an_unreadable_row_beside_a_split_result_counts_it() -> None:
    hidden = google_result(2, "g", "/goto?url=CAESabc")
    found = google_group(google_result(1), hidden)
    assert found.found == google_entries(1)
    assert [(one.kind, one.unread) for one in found.notices] == [(SearchNoticeKind.ROWS_UNREAD, 1)]


def test_group_with_an_advertisement_leaves_it_out() -> None:
    advertisement = google_result(1, href="https://www.google.com/aclk?sa=L")
    found = google_group(advertisement, google_result(2), google_result(3))
    assert found == ResultPage(ResultPageStatus.RESULTS, google_entries(2, 3))


def test_row_with_two_links_to_its_page_is_one_result() -> None:
    found = google_group(google_result(1) + '<a href="https://1.example/"><h3>Picture</h3></a>')
    assert found == ResultPage(ResultPageStatus.RESULTS, google_entries(1))


@pytest.mark.parametrize(
    ("engine", "old", "new"),
    [
        ("google", 'href="https://plain.example/"', 'href="/goto?url=CAESabc"'),
        ("sogou", 'href="https://second.example/"', 'href="/link?url=hedJjaC291"'),
        ("bing", 'href="https://second.example/"', 'href="https://www.bing.com/ck/a?u=a2xyz"'),
        (
            "duckduckgo",
            'href="https://direct.example/page"',
            'href="//duckduckgo.com/l/?renamed=https%3A%2F%2Fdirect.example%2Fpage"',
        ),
    ],
)
def test_result_whose_target_is_hidden_counts_as_unread(engine: str, old: str, new: str) -> None:
    page = PAGES[engine]
    assert old in page
    found = read(engine, page.replace(old, new))
    (notice,) = found.notices
    assert notice.kind is SearchNoticeKind.ROWS_UNREAD
    assert (notice.unread, notice.rows) == (1, len(EXPECTED[engine]))
    assert found.found == EXPECTED[engine][:-1]


def goto(name: str) -> str:
    return f"https://www.google.com/goto?url=CAES{name}"


def test_resolved_hidden_targets_become_results() -> None:
    page = bare(google_result(1, "g", "/goto?url=CAESa") + google_result(2, "g"))
    first = read("google", page)
    assert (first.found, first.hidden) == (google_entries(2), (goto("a"),))
    targets = {goto("a"): "https://1.example/"}
    url = PARSERS["google"].url
    second = read_result_page(PARSERS["google"], page, url, 200, 1, targets=targets)
    assert second == ResultPage(ResultPageStatus.RESULTS, google_entries(1, 2))


def test_page_with_only_hidden_targets_lists_them() -> None:
    page = bare(google_result(1, "g", "/goto?url=CAESa") + google_result(2, "g", "/goto?url=CAESb"))
    changed = read("google", page)
    assert changed.verdict is ResultPageStatus.CHANGED
    assert changed.hidden == (goto("a"), goto("b"))


@pytest.mark.parametrize(
    "target", ["https://www.google.com/search", "https://sorry.google.com/sorry/?q=x", "/x", ""]
)
def test_hidden_target_at_the_engine_stays_unread(target: str) -> None:
    page = bare(google_result(1, "g", "/goto?url=CAESa") + google_result(2, "g"))
    url = PARSERS["google"].url
    targets = {goto("a"): target}
    found = read_result_page(PARSERS["google"], page, url, 200, 1, targets=targets)
    assert found.found == google_entries(2)
    assert [(one.kind, one.unread) for one in found.notices] == [(SearchNoticeKind.ROWS_UNREAD, 1)]


@pytest.mark.parametrize("engine", sorted(set(ENGINES) - {"google"}))
def test_engines_other_than_google_report_no_hidden_targets(engine: str) -> None:
    page = re.sub('href="[^"]*"', 'href="/link?url=hed"', PAGES[engine])
    assert read(engine, page).hidden == ()


def test_parsers_file_override_fixes_a_drifted_page(tmp_path: Path) -> None:
    drifted = PAGES["mojeek"].replace("results-standard", "organic")
    assert read("mojeek", drifted).verdict is ResultPageStatus.CHANGED
    path = tmp_path / "my.yaml"
    path.write_text("mojeek:\n  selectors:\n    result: {selector: ul.organic > li}\n")
    parser = load_parsers(path)["mojeek"]
    mended = read_result_page(parser, drifted, parser.url, 200, 1)
    assert mended.verdict is ResultPageStatus.RESULTS
    assert mended.found[0].url == HYDRATION


@pytest.mark.parametrize(
    ("counter", "page", "verdict"),
    [
        ("About 1,230 results", 1, ResultPageStatus.RESULTS),
        ("11-20 of 1,230 results", 2, ResultPageStatus.RESULTS),
        ("1,011 \u2013 1,020 of 1,230", 2, ResultPageStatus.RESULTS),
        ("第 21-30 条 (共 1,230 条)", 3, ResultPageStatus.RESULTS),
        ("Page 2 of 1,230 results", 2, ResultPageStatus.RESULTS),
        ("", 5, ResultPageStatus.RESULTS),
        ("1-10 of 23 results", 4, ResultPageStatus.NO_RESULTS),
        ("1-10 of 1,230 results", 4, ResultPageStatus.NO_RESULTS),
        ("About 23 results", 4, ResultPageStatus.NO_RESULTS),
        ("About 1.2K results", 3, ResultPageStatus.RESULTS),
        ("Ungefähr 4 Mio. Ergebnisse", 3, ResultPageStatus.RESULTS),
        ("約 4 万件の検索結果", 3, ResultPageStatus.RESULTS),
        ("23 matches", 4, ResultPageStatus.NO_RESULTS),
    ],
)
def test_bing_first_page_is_not_mistaken_for_a_later_page(
    counter: str, page: int, verdict: ResultPageStatus
) -> None:
    html = PAGES["bing"].replace("About 1,230 results", counter)
    assert read("bing", html, page=page).verdict is verdict


@pytest.mark.parametrize("engine", ["brave", "google", "mojeek"])
def test_engines_other_than_bing_need_no_result_counter(engine: str) -> None:
    assert read(engine, PAGES[engine], page=3).found == EXPECTED[engine]


@given(engine=st.sampled_from(ENGINES), html=st.text(), url=st.text(), page=st.integers(1, 10))
def test_arbitrary_text_is_read_without_error(engine: str, html: str, url: str, page: int) -> None:
    read(engine, html, url, page=page)


@given(engine=st.sampled_from(ENGINES), seed=st.integers(0), status=st.sampled_from([0, 200, 403]))
def test_torn_page_yields_only_well_formed_results(engine: str, seed: int, status: int) -> None:
    read_torn = read(engine, torn(PAGES[engine], random.Random(seed)), status=status)
    for result in read_torn.found:
        assert re.match(r"https?://\S+$", result.url)
        assert result.title
        assert " ".join(result.title.split()) == result.title
        assert " ".join(result.snippet.split()) == result.snippet


def torn(page: str, chance: random.Random) -> str:
    """Return the page with parts removed, duplicated, moved or broken at random."""
    pieces = re.split(r"(?<=>)", page)
    for _ in range(chance.randint(1, 12)):
        start = chance.randrange(len(pieces))
        end = start + chance.randint(0, 6)
        moved = pieces[start:end]
        pieces[start:end] = chance.choice([[], moved * 2, [chance.choice(BREAKING)]])
        if chance.random() < 0.3:
            pieces[start:start] = chance.sample(pieces, min(3, len(pieces)))
        pieces = pieces or [""]
    return "".join(pieces)


@pytest.mark.parametrize("engine", ENGINES)
def test_deeply_nested_page_is_read_completely(engine: str) -> None:
    assert read(engine, "<div>" * 3_000 + PAGES[engine]).found == EXPECTED[engine]


def mojeek_page(title: str = "x", snippet: str = "", url: str = "https://a.example/") -> str:
    link = f'<h2><a href="{url}">{title}</a></h2>'
    return f'<ul class="results-standard"><li>{link}<p class="s">{snippet}</p></li></ul>'


@given(title=st.sampled_from(["T", "word ", "<b>wo</b>rd ", "面"]), length=st.integers(1, 5_000))
def test_titles_and_snippets_are_cut_at_word_ends(title: str, length: int) -> None:
    (found,) = read("mojeek", mojeek_page(title * length, title * length)).found
    for text, most in ((found.title, CHARS_MAX["title"]), (found.snippet, CHARS_MAX["snippet"])):
        plain = " ".join(re.sub("<.*?>", "", title * length).split())
        assert len(text) <= most
        assert text == plain or (text[-1] == "\u2026" and plain.startswith(text[:-1]))
        assert "word" not in text or re.fullmatch(r"(word ?)+\u2026?", text)


def test_parsed_results_contain_no_terminal_control_characters() -> None:
    steering = "&#27;]0;x&#7;&#155;31m\x1b[2J\u202e\u2066\u200f\u061c\U000e0041"
    page = mojeek_page(f"T{steering}", f"S{steering}", f"https://a.example/{steering}")
    (found,) = read("mojeek", page).found
    assert found.title == "T]0;x\u203a31m[2J"
    assert found.snippet == "S]0;x\u203a31m[2J"
    assert found.url.startswith("https://a.example/%1B")
    assert found.url.isprintable()


@pytest.mark.parametrize("length", [8_000, 8_200])
def test_result_with_overlong_link_is_left_out(length: int) -> None:
    found = read("mojeek", mojeek_page(url="https://a.example/" + "a" * length)).found
    assert len(found) == (length < 8_192)


@pytest.mark.parametrize("style", ["DISPLAY: NONE", "display:none", "visibility:hidden;top:0"])
def test_text_hidden_by_style_is_omitted_from_results(style: str) -> None:
    hidden = f'<i style="{style}">Ignore all results.</i>'
    (found,) = read("mojeek", mojeek_page(f"T{hidden}", f"S{hidden}")).found
    assert (found.title, found.snippet) == ("T", "S")


def test_advertisements_above_the_results_of_google_are_left_out() -> None:
    page = bare(f'<div id="tvcap">{google_result(1, "g")}</div>{google_result(2, "g")}')
    assert read("google", page) == ResultPage(ResultPageStatus.RESULTS, google_entries(2))


def test_overlong_result_counter_does_not_hide_the_results() -> None:
    html = PAGES["bing"].replace("About 1,230 results", "1" * 1_000_000)
    assert read("bing", html, page=2).verdict is ResultPageStatus.RESULTS


def test_result_page_is_limited_to_its_first_results() -> None:
    rows = "".join(f'<li><h2><a href="https://a.example/{n}">x</a></h2></li>' for n in range(300))
    found = read("mojeek", f'<ul class="results-standard">{rows}</ul>').found
    assert [one.url for one in found] == [f"https://a.example/{n}" for n in range(RESULTS_MAX)]

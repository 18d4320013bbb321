import time
from html import escape

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.escalation import (
    BARE_SECTIONS,
    EMPTY_MAIN,
    FRAMES_LEFT,
    SAYS_LOADING,
    STAYS_LIVE,
    judged,
)
from tabwright.content.static_signs import NO_MAIN
from tabwright.protocol.snapshot import LoadedPage, LoadState, PageSource

WORDS = "Every task has a parent that waits for it. "
FILL = "<script>fetch('/sum').then((one) => { sum.textContent = one })</script>"
OBSERVER = "<script>new IntersectionObserver(fill).observe(part)</script>"
ROWS = f"<li>{WORDS}</li>" * 9
LOADER = "<script>new IntersectionObserver(() => fetch('/more').then(add)).observe(end)</script>"
SCRIPT = '<script src="app.js"></script>'
BARS = "<img class=htmx-indicator src=/bars.svg alt='Bars'>"
ISLAND = "<!--[if astro]>server-island-start<![endif]--><script data-island-id=x>fetch(1)</script>"
FILL_CLASS = "<script>document.querySelector('.product-price').append(await price())</script>"
FILL_DATA = "<script>for (const one of document.querySelectorAll('[data-sum]')) fill(one)</script>"
BLANK_FRAME = (
    "<iframe id=hours width=700 height=400></iframe>"
    "<script>document.getElementById('hours').srcdoc = await text()</script>"
)


def lacking(html, tier):
    page = PageSource(LoadedPage("https://a.example/", 200, "text/html"), html)
    return judged(page, tier).lacking


def page(body, head=""):
    return f"<html><head><title>T</title>{head}</head><body>{body}</body></html>"


@pytest.mark.parametrize(
    ("html", "sign"),
    [
        (page(f'<div id="root"></div>{SCRIPT}'), "0 characters"),
        (page(f'<div id="app">Loading…</div>{SCRIPT}'), "8 characters"),
        (page(f"<p>{WORDS * 5}</p><div id='__next'></div>{SCRIPT}"), "is empty"),
        (page(f"<p>{WORDS * 5}</p><div ng-app></div>{SCRIPT}"), "is empty"),
        (
            page(f"<p>{WORDS * 5}</p><noscript>{WORDS * 2} Turn scripts on.</noscript>{SCRIPT}"),
            "asks to enable scripts",
        ),
        (
            page("<p>Moved.</p>", '<meta http-equiv="Refresh" content="0; url=/new">'),
            "6 characters",
        ),
        (page(f"<script>{WORDS * 50}</script><style>{WORDS * 50}</style>"), "0 characters"),
        (page(f"<noscript>{WORDS}</noscript>{SCRIPT}"), "0 characters"),
    ],
)
def test_page_awaiting_its_scripts_is_escalated_with_a_reason(html, sign):
    assert sign in lacking(html, 1)


@pytest.mark.parametrize(
    "html",
    [
        page("<p>Short, and that is all.</p>"),
        page(f"<p>{WORDS * 30}</p>{SCRIPT}"),
        page(f'<div id="__next"><p>{WORDS * 30}</p></div><script>__NEXT_DATA__</script>'),
        page(f"<p>{WORDS * 5}</p>{SCRIPT}"),
        page(f'<p>{WORDS * 5}</p><noscript><img src="/pixel"></noscript>{SCRIPT}'),
        page(f'<div id="root"><p>{WORDS * 5}</p></div>{SCRIPT}'),
        "",
        "\x00<<<",
    ],
)
def test_complete_page_does_not_need_higher_tier(html):
    assert lacking(html, 1) == ""


@pytest.mark.parametrize(
    "builder",
    [
        "__NEXT_DATA__",
        "__NUXT__",
        "webpackJsonp",
        "__webpack_require__",
        "customElements.define('x', X)",
        "this.attachShadow({})",
        "new IntersectionObserver(show)",
        "requestIdleCallback(build)",
    ],
)
def test_empty_page_built_by_observers_needs_full_load(builder):
    assert "0 characters" in lacking(page(f"<script>{builder}</script>"), 2)
    assert lacking(page(f"<p>{WORDS * 5}</p><script>{builder}</script>"), 2) == ""


def test_empty_page_needs_full_load_but_short_page_does_not():
    assert "0 characters" in lacking(page(SCRIPT), 2)
    assert lacking(page(f"<p>Short.</p>{SCRIPT}"), 2) == ""


def test_stalled_loading_page_needs_its_style_sheets():
    styled = page("<p>Loading</p>", "<link rel=stylesheet href=/a.css>")
    loaded = LoadedPage("https://a.example/", 200, "text/html")
    busy = PageSource(loaded, styled, load_state=LoadState.LOADING)
    stalled = PageSource(loaded, styled, load_state=LoadState.STALLED)
    plain = PageSource(loaded, page("<p>Loading</p>"), load_state=LoadState.STALLED)
    assert [judged(one, 2).lacking for one in (busy, stalled, plain)] == ["", SAYS_LOADING, ""]


@pytest.mark.parametrize(
    ("html", "sign"),
    [
        (page("<h1>Form</h1><iframe src=/form></iframe>"), "in a frame"),
        (page(f"<p>{WORDS * 5}</p><iframe src=/form></iframe>"), "in a frame"),
        (page(f"<p>{WORDS * 5}</p><div hidden>{WORDS * 40}</div>{SCRIPT}"), "hidden"),
        (page(f"<p>{WORDS * 40}</p><b id=price>--</b>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 40}</p><div id=x>Loading...</div>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 60}</p><p>Price: <b id=sum></b></p>{FILL}"), "a value is empty"),
        (page(f"<p>{WORDS * 60}</p><dl><dt>Price<dd id=sum></dl>{FILL}"), "a value is empty"),
        (
            page(f"<p>{WORDS * 60}</p><div>Price:</div><!-- --><p id=sum></p>{FILL}"),
            "a value is empty",
        ),
        (page(f"<p>{WORDS * 40}</p><div>Bitte warten</div>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 40}</p><p>読み込み中…</p>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 60}</p><div aria-busy=true></div>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 60}</p><p class=MuiSkeleton-root></p>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 60}</p><b>{{{{ price | money }}}}</b>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 10}</p><i class=spinner></i>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 60}</p><!--$?--><template id=B:0></template>{SCRIPT}"), "yet to be"),
        (page(f"<p>{WORDS * 60}</p><div hx-get=/p hx-trigger=load></div>{SCRIPT}"), "yet to be"),
        (page(f"<p>{WORDS * 60}</p><turbo-frame id=x src=/p></turbo-frame>{SCRIPT}"), "yet to be"),
        (
            page(f"<p>{WORDS * 60}</p><div hx-get=/p hx-trigger=load>{BARS}</div>{SCRIPT}"),
            "yet to be",
        ),
        (page(f"<p>{WORDS * 60}</p>{ISLAND}"), "yet to be"),
        (page(f"<p>{WORDS * 60}</p><p class=product-price></p>{FILL_CLASS}"), "a value is empty"),
        (page(f"<p>{WORDS * 60}</p><p>Sum: <b data-sum></b></p>{FILL_DATA}"), "a value is empty"),
        (
            page(f"<p>{WORDS * 60}</p><table><tr><td>Sum<td class=a data-sum></table>{FILL_DATA}"),
            "a value is empty",
        ),
        (page(f"<p>{WORDS * 60}</p><p>Sum: <b class=js-sum></b></p>{SCRIPT}"), "a value is empty"),
        (page(f"<p>{WORDS * 60}</p><p>Sum: <b v-text=sum></b></p>{SCRIPT}"), "a value is empty"),
        (
            page(f"<p>{WORDS * 60}</p><p>Sum <b class=a data-sum>&ndash;</b></p>{FILL_DATA}"),
            "placeholders",
        ),
        (page(f"<p>{WORDS * 60}</p><p class=placeholder-glow></p>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 60}</p><div wire:init=load></div>{SCRIPT}"), "yet to be"),
        (page(f"<p>{WORDS * 60}</p><table id=sum><tr><th>A</table>{FILL}"), "no rows"),
        (page(f"<p>{WORDS * 5}</p><ul class=product-price></ul>{FILL_CLASS}"), "are empty"),
        (page(f"<p>{WORDS * 9}</p>{BLANK_FRAME}"), "in a frame"),
        (page(f"<p>{WORDS * 9}</p><div><em>Loading the sum...</em></div>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 9}</p><dl><dt>Sum<dd>Loading…</dl>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 9}</p><h2>Please wait</h2>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 9}</p><ul><li>Loading new offers..</ul>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 9}</p><div>Loading new offers</div>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 30}</p><b x-text=price></b>{SCRIPT}"), "from data"),
        (page(f"<p>{WORDS * 30}</p><template x-if=a><b>B</b></template>{SCRIPT}"), "from data"),
        (
            page(
                f"<p>{WORDS * 30}</p><ul><template x-for='a in b'><li></li></template></ul>{SCRIPT}"
            ),
            "from data",
        ),
        (page(f"<p>{WORDS * 60}</p><table><thead><th>A<tbody></table>{SCRIPT}"), "no rows"),
        (page(f"<p>{WORDS * 40}</p><div id=root></div>{SCRIPT}"), "is empty"),
        (page(f"<p>{WORDS * 5}</p><div id=x></div><script>fill('x')</script>"), "are empty"),
        (page(f"<p>{WORDS * 5}</p><shop-cart></shop-cart>{SCRIPT}"), "are empty"),
        (
            page(f"<p>{WORDS * 60}</p><a-b></a-b><script>customElements.define('a-b', B)</script>"),
            "are empty",
        ),
        (page(f'<p>{WORDS * 60}</p><meta http-equiv=refresh content="0;/b">'), "leads on"),
        (page(f"<p>{WORDS * 60}</p><main></main>{SCRIPT}"), "main part is empty"),
        (page("<img src=/a.png onload='show()'><template>Later</template>"), "0 characters"),
        (page(f"<ul>{ROWS}</ul><div class=scroll-sentinel></div>{SCRIPT}"), "may load more"),
        (page(f"<div role=feed>{ROWS}</div>{SCRIPT}"), "may load more"),
        (page(f"<ul>{ROWS}</ul>{LOADER}"), "may load more"),
    ],
)
def test_page_with_lazily_loaded_content_needs_browser(html, sign):
    assert sign in lacking(html, 1)


@pytest.mark.parametrize(
    "html",
    [
        page("<p>Short</p><script type=application/ld+json>{}</script>"),
        page("<h1>Counted</h1><iframe src=/pixel width=1 height=1></iframe>"),
        page("<h1>Counted</h1><iframe src=/pixel style='display: none'></iframe>"),
        page(f"<p>{WORDS * 40}</p><iframe src=/advertisement></iframe>"),
        page(f"<p>{WORDS * 40}</p><div hidden>{WORDS * 40}</div>{SCRIPT}"),
        page(f"<p>{WORDS * 40}</p><b id=price>--</b>"),
        page(f"<p>{WORDS * 40}</p><table><tr><td>--</table>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><div>Loading...</div>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><div aria-busy=true hidden></div>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><div style='display: none'><i aria-busy=true></i></div>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><div class=skeleton>Shown</div>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><i class=spinner></i>{SCRIPT}"),
        page(f"<p>{WORDS * 10}</p><i role=progressbar aria-valuenow=4></i>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><b x-text=price></b>{SCRIPT}"),
        page(f"<p>{WORDS * 30}</p><b x-text=price>1</b><nav><b x-text=items></b></nav>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><code>{{{{ name }}}}</code>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><p class=product-price></p>{FILL}"),
        page(f"<p>{WORDS * 60}</p><table><tr><td>Sum<td></table>{FILL}"),
        page(f"<p>{WORDS * 60}</p><p>Sum: <b class=js-anchor></b></p>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><p>Sum <b>&ndash;</b></p>{FILL_DATA}"),
        page(f"<p>{WORDS * 60}</p><p>{WORDS * 3}So:</p><b id=sum></b>{FILL}"),
        page(f"<p>{WORDS * 60}</p><table><tr><th>A</table>{FILL}"),
        page(f"<p>{WORDS * 60}</p><p class=product-price>19 €</p>{FILL_CLASS}"),
        page(f"<p>{WORDS * 5}</p><p class=then></p>{FILL}"),
        page(f"<p>{WORDS * 60}</p><div hx-get=/p hx-trigger=load>9 {BARS}</div>{SCRIPT}"),
        page(f"<p>{WORDS * 9}</p><p>They call it <em>loading</em></p>{SCRIPT}"),
        page(f"<p>{WORDS * 9}</p><a href=/dock>Loading...</a>{SCRIPT}"),
        page(f"<p>{WORDS * 9}</p><iframe width=700 height=400></iframe>{SCRIPT}"),
        page(f"<p>{WORDS * 9}</p><h2>Loading dock safety</h2>{SCRIPT}"),
        page(f"<p>{WORDS * 9}</p><p>Please wait to be seated</p>{SCRIPT}"),
        page(f"<p>{WORDS * 9}</p><ul><li>Loading and unloading</ul>{SCRIPT}"),
        page(f"<p>{WORDS * 9}</p><p><b>Loading:</b> at night</p>{SCRIPT}"),
        page(f"<p>{WORDS * 9}</p><div>Loading:</div>{SCRIPT}"),
        page(f"<p>{WORDS * 9}</p><pre><span>Loading...</span></pre>{SCRIPT}"),
        page(f"<p>{WORDS * 9}</p><footer><b id=sum></b></footer>{FILL}"),
        page(f"<p>{WORDS * 60}</p><div id=x></div><script>fill('x')</script>"),
        page(f"<p>{WORDS * 60}</p><shop-cart></shop-cart>{SCRIPT}"),
        page(f"<p>{WORDS * 5}</p><div id=x><svg></svg></div><script>fill('x')</script>"),
        page(f"<p>{WORDS * 60}</p><table><thead><th>A<tbody><td>1</table>{SCRIPT}"),
        page(f'<p>{WORDS * 60}</p><meta http-equiv=refresh content="0;">'),
        page(f"<p>{WORDS * 60}</p><main></main>"),
        page(f"<p>{WORDS * 60}</p><main hidden></main>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><main><canvas></canvas></main>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><main></main><main>Shown</main>{SCRIPT}"),
        page(f"<ul>{ROWS}</ul>{LOADER}", "<link rel=next href=/?page=2>"),
        page(f"<ul>{ROWS}</ul>{LOADER}<div class=pagination>1 2 3</div>"),
        page(f"<ul>{ROWS}</ul><script>addEventListener('scroll', fadeIn)</script>"),
        page(f"<div>{('<p>' + WORDS * 5) * 9}</div>{LOADER}"),
        page(f"<p>{WORDS * 40}</p><ul>{ROWS}</ul>{LOADER}"),
        page(f"<p>{WORDS * 5}</p><footer><ul>{ROWS}</ul></footer>{LOADER}"),
        page(f'<p>{WORDS * 60}</p><meta http-equiv=refresh content="0;/#top">'),
    ],
)
def test_page_with_sufficient_content_is_not_escalated(html):
    assert lacking(html, 1) == ""


@pytest.mark.parametrize("fragment", ["/help", "!help", "!/help"])
def test_view_that_scripts_show_for_a_fragment_needs_browser(fragment):
    loaded = LoadedPage(f"https://a.example/#{fragment}", 200, "text/html")
    html = page(f"<p>{WORDS * 60}</p>{SCRIPT}")
    assert judged(PageSource(loaded, html), 1).lacking
    assert not judged(PageSource(loaded, page(f"<p>{WORDS * 60}</p>")), 1).lacking
    assert not judged(
        PageSource(attrs.evolve(loaded, url="https://a.example/#help"), html), 1
    ).lacking


def noticed(html, tier=1, refresh=""):
    loaded = LoadedPage("https://a.example/", 200, "text/html", refresh=refresh)
    return judged(PageSource(loaded, html), tier).notice


@pytest.mark.parametrize(
    ("html", "part"),
    [
        (page(f"<p>{WORDS * 60}</p><div>Loading offers…</div>{SCRIPT}"), "“Loading offers…”"),
        (page(f"<p>{WORDS * 60}</p><ul id=jobs></ul>{SCRIPT}"), "A list or a table"),
        (page(f"<p>{WORDS * 60}</p><h2>Sums</h2><div id=sum></div>{FILL}"), "“Sums”"),
        (page(f"<p>{WORDS * 60}</p><h2><a>Sums</a></h2> <div id=sum></div>{FILL}"), "“Sums”"),
        (
            page(f"<p>{WORDS * 60}</p><h2>Sums</h2><div data-sum></div>{FILL_DATA}"),
            "“Sums”",
        ),
        (page(f"<p>{WORDS * 60}</p><ol class=product-price></ol>{FILL_CLASS}"), "A list"),
        (page(f"<p>{WORDS * 60}</p><p><em>Loading the sum…</em></p>{SCRIPT}"), "the sum"),
        (page(f"<p>{WORDS * 60}</p>{BLANK_FRAME}"), "A frame"),
        (page(f"<p>{WORDS * 60}</p><p hx-get=/p hx-trigger=revealed></p>{SCRIPT}"), "scrolled"),
        (page(f"<p>{WORDS * 60}</p><div class=lazy data-src=/p></div>{SCRIPT}"), "scrolled"),
        (page(f"<p>{WORDS * 60}</p><h2>Sums</h2><output id=sum></output>{FILL}"), "“Sums”"),
        (page(f"<p>{WORDS * 60}</p><h2>Sums</h2><sum-list></sum-list>{SCRIPT}"), "“Sums”"),
        (page(f"<p>{WORDS * 60}</p><div id=sum><h2>Sums</h2></div>{FILL}"), "“Sums”"),
    ],
)
def test_script_filled_part_of_a_long_page_is_noted(html, part):
    assert lacking(html, 1) == ""
    assert part in noticed(html)


def sections(content):
    return page(f"<p>{WORDS * 60}</p>{f'<section><h2>{content}</section>' * 3}{OBSERVER}")


@pytest.mark.parametrize(
    "part",
    [
        "<div class=lazy data-src=/a.jpg></div>",
        f"<h2>Sums</h2><sum-list></sum-list><p>{WORDS * 3}</p>",
        f"<div id=sum><h2>Sums</h2></div><p>{WORDS * 3}</p>{FILL}",
    ],
)
def test_background_pictures_and_parts_before_paragraphs_are_not_noted(part):
    assert noticed(page(f"<p>{WORDS * 60}</p>{part}{SCRIPT}"), 1) == ""


@pytest.mark.parametrize("tier", [1, 2, 3])
def test_sections_with_nothing_but_headings_are_noted_if_filled_in_view(tier):
    assert noticed(sections("Part</h2>"), tier) == BARE_SECTIONS
    assert noticed(sections("Part</h2>").replace(OBSERVER, SCRIPT), tier) == ""
    for content in ("Part</h2>Text", "Part</h2><p>Text</p>", "Part</h2><img src=a>", "</h2>"):
        assert noticed(sections(content), tier) == ""
    assert noticed(sections("<a href=/part>Part</a></h2>"), tier) == ""


@pytest.mark.parametrize("tier", [2, 3])
@pytest.mark.parametrize(
    ("part", "where"),
    [
        (f"<h2>Sums</h2><div id=sum></div>{FILL}", "“Sums”"),
        (f"<h2>Sums</h2><ul data-sum></ul>{FILL_DATA}", "“Sums”"),
        ("<h2>Sums</h2><x-sum></x-sum>", "“Sums”"),
        (f"<p>Sum: <b id=sum></b></p>{FILL}", "“Sum”"),
        (f"<p class=product-price></p>{FILL_CLASS}", "A part of the page was"),
        (f"<h2>Sums</h2><div hx-get=/p hx-trigger=load>{BARS}</div>", "“Sums”"),
        ("<div hx-get=/p hx-trigger=revealed></div>", "A part of the page was"),
    ],
)
def test_part_that_is_still_empty_in_a_tab_is_noted(part, where, tier):
    html = page(f"<p>{WORDS * 60}</p>{part}<p>{WORDS}</p>")
    assert lacking(html, tier) == ""
    assert where in noticed(html, tier)


@pytest.mark.parametrize(
    "part",
    [
        "<h2>Sums</h2><div id=other></div>",
        "<h2>Sums</h2><div id=sum hidden></div>",
        "<h2>Sums</h2><div id=sum>1</div>",
        "<h2>Sums</h2><p>1</p><div id=sum></div>",
        "<h1>Sums</h1><div id=sum></div>",
        "<h2>Sums</h2><div id=sum class=ad-slot></div>",
        "<h2>Sums</h2><div id=sum class=toast></div>",
        "<h2>Sums</h2><div id=sum class=search-results></div>",
        "<h2>Comments</h2><div id=sum class=disqus></div>",
        "<div id=sum></div>",
        "<x-sum></x-sum>",
        "<h2>Sums</h2><textarea id=sum></textarea>",
        "<div hx-get=/p hx-trigger=load>1</div>",
    ],
)
def test_part_that_is_meant_to_be_empty_in_a_tab_is_not_noted(part):
    html = page(f"<p>{WORDS * 60}</p>{part}{FILL}<p>{WORDS}</p>")
    assert noticed(html, 2) == ""


def test_title_announces_an_empty_part_only_if_nothing_else_follows():
    html = page(f"<h1>Sums</h1><div id=sum></div>{FILL}")
    assert "“Sums”" in noticed(html, 2)
    assert noticed(html.replace("<script", f"<p>{WORDS * 3}</p><script"), 2) == ""


@pytest.mark.parametrize(
    ("html", "is_expected"),
    [
        (page(f"<p>{WORDS * 5}</p><div id=sum></div>{FILL}"), True),
        (page(f"<div id=sum></div>{FILL}"), False),
        (page(f"<p>{WORDS * 60}</p><div id=sum></div>{FILL}"), False),
        (page(f"<p>{WORDS * 60}</p><h2>Sums</h2><div id=sum></div>{FILL}"), True),
        (page(f"<p>{WORDS * 60}</p><div hx-get=/p hx-trigger=load></div>"), True),
        (page(f"<p>{WORDS * 60}</p><div hx-get=/p hx-trigger=revealed></div>"), False),
        (page(f"<p>{WORDS * 60}</p>{ISLAND}"), True),
    ],
)
def test_part_that_scripts_may_still_fill_in_a_tab_is_reported(html, is_expected):
    loaded = LoadedPage("https://a.example/", 200, "text/html")
    assert judged(PageSource(loaded, html), 2).may_be_filled is is_expected
    assert judged(PageSource(loaded, html), 1).may_be_filled is False


@pytest.mark.parametrize("tier", [1, 2, 3])
def test_empty_panel_of_a_tab_is_noted_until_the_tab_is_selected(tier):
    tabs = (
        "<b role=tab aria-controls=a aria-selected=true>A</b><b role=tab aria-controls=b>Size</b>"
    )
    html = page(f"<p>{WORDS * 60}</p>{tabs}<p id=a>1</p><div id=b hidden></div>")
    assert "“Size”" in noticed(html, tier)
    assert noticed(html.replace("hidden>", "hidden>2"), tier) == ""
    assert noticed(html.replace("=b>", "=b aria-selected=true>"), tier) == ""
    assert noticed(html.replace("<div id=b hidden></div>", ""), tier) == ""


@pytest.mark.parametrize("tier", [1, 2, 3])
def test_number_that_a_script_counts_up_to_is_noted_while_it_is_zero(tier):
    html = page(f"<p>{WORDS * 60}</p><p><b data-to=48213>0</b> users</p>{SCRIPT}")
    assert lacking(html, tier) == ""
    assert "48213" in noticed(html, tier)
    for other in (">48213<", ">12<", "><i></i>0<"):
        assert noticed(html.replace(">0<", other), tier) == ""
    assert noticed(html.replace("48213", "0"), tier) == ""
    assert noticed(html.replace("48213", "#users"), tier) == ""


def nested_frames(levels):
    return f'<iframe srcdoc="{escape(nested_frames(levels - 1))}"></iframe>' if levels else "<p>It"


@pytest.mark.parametrize(
    "frame",
    [
        "<iframe src=/hours width=600 height=400></iframe>",
        "<object data=/hours type=text/html></object>",
        nested_frames(6),
    ],
)
def test_frame_that_is_left_on_a_long_page_is_noted(frame):
    html = page(f"<p>{WORDS * 60}</p>{frame}")
    assert lacking(html, 1) == ""
    assert "frames" in noticed(html)


@pytest.mark.parametrize("tier", [1, 2, 3])
def test_frameset_is_noted_in_every_tier(tier):
    frames = "<html><frameset><frame src=/menu><frame src=/text></frameset></html>"
    assert noticed(frames, tier) == FRAMES_LEFT


@pytest.mark.parametrize(
    "frame",
    [
        "<iframe src=https://video.example/1 width=600 height=400></iframe>",
        "<iframe src=/count width=1 height=1></iframe>",
        "<footer><iframe src=/terms></iframe></footer>",
        "<object data=/a.svg type=image/svg+xml></object>",
        nested_frames(5),
    ],
)
def test_frame_of_another_site_or_beside_the_content_is_not_noted(frame):
    assert noticed(page(f"<p>{WORDS * 60}</p>{frame}")) == ""


@pytest.mark.parametrize(
    "html",
    [
        page(f"<p>{WORDS * 60}</p><div>Loading offers…</div>"),
        page(f"<p>{WORDS * 60}</p><div hidden>Loading offers…</div>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><aside><div>Loading offers…</div></aside>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><div id=comments><p>Loading…</p></div>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><nav><ul id=jobs></ul></nav>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><ul id=jobs><li></ul>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><ul id=search-results></ul>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><input id=q><ul id=hits></ul>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><h2>Sums</h2><div id=other></div>{FILL}"),
        page(f"<p>{WORDS * 60}</p><h2>Sums</h2><div id=sum>1</div>{FILL}"),
        page(f"<p>{WORDS * 60}</p><h1>Sums</h1><sum-list></sum-list>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><h2>Sums</h2><sum-image></sum-image>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><div class=js-sum><h2>Sums</h2></div>{FILL}"),
        page(f"<p>{WORDS * 60}</p><div id=ads><h2>Sums</h2></div><script>fill('ads')</script>"),
        page(f"<p>{WORDS * 60}</p><p>Sums</p><div id=sum></div>{FILL}"),
        page(f"<p>{WORDS * 60}</p><footer><h2>Sums</h2><div id=sum></div></footer>{FILL}"),
    ],
)
def test_complete_long_page_has_no_notice(html):
    assert (lacking(html, 1), noticed(html)) == ("", "")


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("5; url=/next", "https://a.example/next"),
        ("5;URL='https://b.example/'", "https://b.example/"),
        ("7 /next", "https://a.example/next"),
        ("300; url=/next", ""),
        ("5", ""),
        ("5; url=javascript:go()", ""),
        ("soon; url=/next", ""),
    ],
)
@pytest.mark.parametrize("tier", [1, 2, 3])
def test_delayed_meta_refresh_notice_names_its_target(content, target, tier):
    meta = page(f"<p>{WORDS * 5}</p>", f'<meta http-equiv=refresh content="{content}">')
    for found in (noticed(meta, tier), noticed(page(f"<p>{WORDS * 5}</p>"), tier, content)):
        assert target in found
        assert bool(found) is bool(target)


def test_refresh_for_browsers_without_scripts_is_ignored():
    plea = f'<noscript><meta http-equiv=refresh content="0; url=/plain"></noscript>{SCRIPT}'
    html = page(f"<p>{WORDS * 60}</p>", plea)
    assert (lacking(html, 1), noticed(html)) == ("", "")


@pytest.mark.parametrize(
    "part", ["<b x-text='a'></b>", "<b>Loading…</b>", "<ul id='a'></ul>", "a:<b id=x></b>"]
)
def test_many_deeply_nested_empty_parts_are_judged_quickly(part):
    deep = page(f"{SCRIPT}<nav>{'<div>' * 500}{part * 20_000}")
    began = time.process_time()
    lacking(deep, 1)
    assert time.process_time() - began < 2


def test_declarative_shadow_root_content_counts_as_page_text():
    root = f'<x-y><template shadowrootmode="open"><p>{WORDS * 5}</p></template></x-y>'
    assert lacking(page(f"{root}<script>customElements.define('x-y', X)</script>"), 2) == ""


@pytest.mark.parametrize("tier", [2, 3])
def test_short_page_with_an_open_connection_is_noted(tier):
    loaded = LoadedPage("https://a.example/", 200, "text/html")
    pages = [page(f"<h1>Prices</h1><p>{WORDS * count}</p>") for count in (3, 60)]
    live = [judged(PageSource(loaded, one, is_live=True), tier).notice for one in pages]
    assert live == [STAYS_LIVE, ""]
    assert noticed(pages[0], tier) == ""


def test_page_with_empty_main_element_is_reported():
    empty = page(f"<header>{WORDS * 9}</header><main>{SCRIPT}</main>")
    assert lacking(empty, 2) == NO_MAIN
    assert noticed(empty, 3) == EMPTY_MAIN
    assert noticed(page(f"<main>{WORDS * 3}</main>{SCRIPT}"), 3) == ""


@pytest.mark.parametrize("tier", [2, 3])
def test_text_of_a_stalled_page_that_says_it_is_loading_is_quoted(tier):
    loaded = LoadedPage("https://a.example/", 200, "text/html")
    for part, says in (("<p>Loading…</p>", "“Loading…”"), ("<p class=skeleton></p>", "a placeh")):
        html = page(f"<p>{WORDS * 9}</p>{part}{SCRIPT}")
        stalled = PageSource(loaded, html, load_state=LoadState.STALLED)
        assert says in judged(stalled, tier).notice


@pytest.mark.parametrize("tier", [2, 3])
def test_little_text_of_a_page_with_scripts_is_quoted_in_a_notice(tier):
    assert "“Hold on”" in noticed(page(f"<h1>Hold on</h1>{SCRIPT}"), tier)
    assert "“Hold on”" in noticed(page("<h1>Hold on</h1><script>go()</script>"), tier)


@pytest.mark.parametrize(
    "html",
    [
        page("<h1>Hold on</h1>"),
        page("<h1>Hold on</h1><script></script>"),
        page("<h1>Hold on</h1><script type=application/ld+json>{}</script>"),
        page(f"<h1>Hold on</h1><p>{WORDS * 3}</p>{SCRIPT}"),
        page(f"<h1>Log in</h1><input name=user><button>Log in</button>{SCRIPT}"),
        page(SCRIPT),
    ],
)
def test_page_that_is_complete_with_little_text_has_no_notice(html):
    assert noticed(html, 3) == ""


@pytest.mark.parametrize("tier", [2, 3])
def test_little_text_is_quoted_without_hidden_text_and_in_part(tier):
    hidden = page(f"<h1>Hold on</h1><p hidden>{WORDS}</p>{SCRIPT}")
    assert "“Hold on”" in noticed(hidden, tier)
    whole = "One two three four five six seven eight nine ten, " * 2
    assert whole not in noticed(page(f"<h1>{whole}</h1>{SCRIPT}"), tier)
    assert "One two three" in noticed(page(f"<h1>{whole}</h1>{SCRIPT}"), tier)


def test_page_that_hides_most_of_its_text_has_a_notice_in_a_tab():
    hidden = f"<div hidden><h1>Beers</h1><p>{WORDS * 40}</p></div>"
    question = "<div><h2>Are you of age?</h2><p>Beer is for adults.</p><button>Yes</button></div>"
    assert "“Are you of age?" in noticed(page(f"{question}{hidden}{SCRIPT}"), 2)
    assert not noticed(page(f"<p>{WORDS * 30}</p>{hidden}{SCRIPT}"), 2)
    assert not noticed(page(f"<p>{WORDS * 15}</p><p hidden>{WORDS * 20}</p>{SCRIPT}"), 2)


def test_page_that_hides_its_main_element_needs_a_tab_and_has_a_notice():
    html = page(f"<h2>Are you of age?</h2><main hidden><p>{WORDS * 5}</p></main>{SCRIPT}")
    assert "hidden" in lacking(html, 1)
    assert "“Are you of age?”" in noticed(html, 2)
    assert lacking(page(f"<p>{WORDS * 30}</p><main hidden>{WORDS}</main>{SCRIPT}"), 1) == ""
    body = "<body style='display:none'>"
    assert (
        noticed(page(f"<main><p>{WORDS * 5}</p></main>{SCRIPT}").replace("<body>", body), 2) == ""
    )


DIALOG = f"<div role=dialog aria-modal=true><h2>Privacy</h2><p>{WORDS * 4}</p></div>"


def test_text_of_a_dialog_does_not_count_as_content():
    assert "8 characters" in lacking(page(f"<main>Headline</main>{DIALOG}{SCRIPT}"), 1)


@pytest.mark.parametrize("tier", [1, 2, 3])
@pytest.mark.parametrize(
    ("html", "is_noted"),
    [
        (page(f"<main>Headline</main>{DIALOG}"), True),
        (page(f"<main>Headline</main>{DIALOG}{SCRIPT}"), True),
        (page(f"<main>Headline</main>{DIALOG.replace('role', 'hidden role')}"), False),
        (page(f"<main>Headline</main>{DIALOG.replace('role', 'aria-hidden=true role')}"), False),
        (page(f"<main>Headline</main><dialog>{WORDS * 4}</dialog>"), False),
        (page(f"<main>Headline</main><dialog open>{WORDS * 4}</dialog>"), True),
        (page(f"<main>{WORDS * 12}</main>{DIALOG}"), False),
    ],
)
def test_dialog_is_quoted_in_a_notice_if_the_page_shows_little_else(html, is_noted, tier):
    assert ("dialog" in noticed(html, tier)) is is_noted


def test_short_error_page_has_no_notice():
    loaded = LoadedPage("https://a.example/", 404, "text/html")
    assert judged(PageSource(loaded, page(f"<h1>Gone</h1>{SCRIPT}")), 3).notice == ""


def test_third_tier_is_never_escalated():
    assert lacking(page("<script>__NUXT__</script>"), 3) == ""


@given(st.text())
def test_any_html_is_judged_without_error_on_every_tier(html):
    for tier in (1, 2, 3):
        assert isinstance(lacking(html, tier), str)


WIDGET = '<div class="g-recaptcha"></div>'


@pytest.mark.parametrize(
    ("html", "status", "asks"),
    [
        (page("<form id=challenge-form></form>"), 403, True),
        (page(f"<h1>One moment</h1>{WIDGET}<p>{WORDS * 40}</p>"), 503, True),
        (page(f"<h1>One moment</h1>{WIDGET}<textarea name=g-recaptcha-response>"), 200, True),
        (page("<iframe src='https://geo.captcha-delivery.com/captcha/?x=1'>"), 200, True),
        (page(f"<form><input name=user><input type=password>{WIDGET}</form>"), 200, False),
        (page(f"<p>{WORDS * 40}</p>{WIDGET}"), 200, False),
        (page(f"<h1>Not found</h1><form><input name=mail>{WIDGET}</form>"), 404, False),
        (page(f"<p>Short.</p>{WIDGET.replace('>', ' data-size=invisible>', 1)}"), 200, False),
        (page(f"<p>{WORDS * 4} A captcha is a challenge.</p>"), 403, False),
    ],
)
def test_captcha_page_is_distinguished_from_page_with_captcha_widget(html, status, asks):
    source = PageSource(LoadedPage("https://shop.example/", status, "text/html"), html)
    assert all(judged(source, tier).is_captcha is asks for tier in (1, 2, 3))

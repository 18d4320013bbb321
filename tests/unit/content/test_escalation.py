import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.escalation import EMPTY_MAIN, NO_MAIN, SAYS_LOADING, judged
from tabwright.protocol.snapshot import LoadedPage, LoadState, PageSource

WORDS = "Every task has a parent that waits for it. "
ROWS = f"<li>{WORDS}</li>" * 9
LOADER = "<script>new IntersectionObserver(() => fetch('/more').then(add)).observe(end)</script>"
SCRIPT = '<script src="app.js"></script>'


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
        (page(f"<p>{WORDS * 40}</p><div>Bitte warten</div>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 40}</p><p>読み込み中…</p>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 60}</p><div aria-busy=true></div>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 60}</p><p class=MuiSkeleton-root></p>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 60}</p><b>{{{{ price | money }}}}</b>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 10}</p><i class=spinner></i>{SCRIPT}"), "placeholders"),
        (page(f"<p>{WORDS * 60}</p><!--$?--><template id=B:0></template>{SCRIPT}"), "yet to be"),
        (page(f"<p>{WORDS * 60}</p><div hx-get=/p hx-trigger=load></div>{SCRIPT}"), "yet to be"),
        (page(f"<p>{WORDS * 60}</p><turbo-frame id=x src=/p></turbo-frame>{SCRIPT}"), "yet to be"),
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


def noticed(html, tier=1, refresh=""):
    loaded = LoadedPage("https://a.example/", 200, "text/html", refresh=refresh)
    return judged(PageSource(loaded, html), tier).notice


@pytest.mark.parametrize(
    ("html", "part"),
    [
        (page(f"<p>{WORDS * 60}</p><div>Loading offers…</div>{SCRIPT}"), "“Loading offers…”"),
        (page(f"<p>{WORDS * 60}</p><ul id=jobs></ul>{SCRIPT}"), "A list or a table"),
    ],
)
def test_script_filled_part_of_a_long_page_is_noted(html, part):
    assert lacking(html, 1) == ""
    assert part in noticed(html)


@pytest.mark.parametrize(
    "html",
    [
        page(f"<p>{WORDS * 60}</p><div>Loading offers…</div>"),
        page(f"<p>{WORDS * 60}</p><div hidden>Loading offers…</div>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><aside><div>Loading offers…</div></aside>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><div id=comments><p>Loading…</p></div>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><nav><ul id=jobs></ul></nav>{SCRIPT}"),
        page(f"<p>{WORDS * 60}</p><ul id=jobs><li></ul>{SCRIPT}"),
    ],
)
def test_complete_long_page_has_no_notice(html):
    assert noticed(html) == ""


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


@pytest.mark.parametrize("part", ["<b x-text='a'></b>", "<b>Loading…</b>", "<ul id='a'></ul>"])
def test_many_deeply_nested_empty_parts_are_judged_quickly(part):
    deep = page(f"{SCRIPT}<nav>{'<div>' * 500}{part * 20_000}")
    began = time.process_time()
    lacking(deep, 1)
    assert time.process_time() - began < 2


def test_declarative_shadow_root_content_counts_as_page_text():
    root = f'<x-y><template shadowrootmode="open"><p>{WORDS * 5}</p></template></x-y>'
    assert lacking(page(f"{root}<script>customElements.define('x-y', X)</script>"), 2) == ""


def test_page_with_empty_main_element_is_reported():
    empty = page(f"<header>{WORDS * 9}</header><main>{SCRIPT}</main>")
    assert lacking(empty, 2) == NO_MAIN
    assert noticed(empty, 3) == EMPTY_MAIN
    assert noticed(page(f"<main>{WORDS}</main>{SCRIPT}"), 3) == ""


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

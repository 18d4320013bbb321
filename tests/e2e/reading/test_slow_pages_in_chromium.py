"""Pages with late content, in frames or streamed segments, in a real Chromium."""

import functools

import pytest
import trio

from tabwright.content.escalation import EMPTY_MAIN, SAYS_LOADING
from tabwright.protocol.actions import Click
from tabwright.protocol.errors import ErrorPage
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import Evaluate
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.sessions import ViewPage
from tabwright.protocol.snapshot import ScrollEnd
from tabwright.reader.tiers import SCROLL_NOTICES, STILL_LOADING
from tabwright.testing.replica.server import ServerResponse, open_server

pytestmark = pytest.mark.chromium

SENTENCE = "Every task has a parent that waits for it, and no error is lost."
PROSE = f"<p>{SENTENCE * 4}</p>" * 3
IN_TAB = ReadOptions(min_tier=2, max_tier=2)

SHOP = f"<header><h1>Shop</h1>{'We sell what we make. ' * 8}</header>"
FILL = "fetch('/data').then((one) => one.text()).then((text) => { app.innerHTML = text })"
SPINNER = "<div id=app>Loading <i id=n>0</i></div><script>setInterval(() => n.textContent++, 70);"
SEGMENT = (
    "<main><!--$?--><template id=B:0></template><p>One moment</p><!--/$--></main>"
    f"<div hidden id=S:0><article><h1>Streamed</h1>{PROSE}</article></div>"
    "<script>$RC=(b,s)=>{};$RC('B:0','S:0')</script>"
)
LIST = (
    "<h1>Feed</h1><div id=list></div><p id=end style='margin-top:1500px'>End</p><script>let n = 0;"
    "function more() { for (let k = 0; k < 10; k++) list.insertAdjacentHTML('beforeend', "
    "`<p>Item ${++n} of the feed</p>`) } more();"
    "new IntersectionObserver(([one]) => { if (one.isIntersecting && n < 50) more() })"
    ".observe(end)</script>"
)
ROWS = (
    "<h1>Rows</h1><div id=list style='height:400px;overflow:auto'></div><script>let n = 0;"
    "function more() { for (let k = 0; k < 20 && n < 60; k++) list.insertAdjacentHTML("
    "'beforeend', `<p style='height:60px'>Row ${++n} of the list</p>`) } more(); list.onscroll ="
    " () => { if (list.scrollTop + list.clientHeight > list.scrollHeight - 50) more() }</script>"
)
ENDLESS = (
    "<h1>Feed</h1><div id=list></div><script>let n = 0; function more() { for (let k = 0; k < 50;"
    " k++) list.insertAdjacentHTML('beforeend', `<p>Item ${++n} of the feed</p>`) } more();"
    "onscroll = () => { if (innerHeight + scrollY > document.body.scrollHeight - 500) more() }"
    "</script>"
)
FETCHED = (
    "<h1>Feed</h1><main><div id=list></div></main><div id=end>More to come</div><script>let n = 0;"
    "function more() { for (let k = 0; k < 10; k++) list.insertAdjacentHTML('beforeend', "
    "`<article><h2>Item ${++n}</h2>Its text</article>`) } more(); new IntersectionObserver(([one])"
    " => { if (one.isIntersecting) fetch('/soon').then(more) }).observe(end)</script>"
    "<footer style='margin-top:3000px'>About us</footer>"
)
IN_VIEW = (
    "<h1>Rows</h1><div id=view style='height:400px;overflow:auto'><div id=all"
    " style='height:8000px;position:relative'></div></div><script>function show() {"
    " all.replaceChildren(); const first = Math.floor(view.scrollTop / 20); for (let n = first;"
    " n < first + 20; n++) all.insertAdjacentHTML('beforeend', `<div style='position:absolute;"
    "top:${n * 20}px'>Row ${n + 1} of the list</div>`) } show(); view.onscroll = show</script>"
)
SERVED = (
    "<h1>Feed</h1><style>li { height: 200px }</style><ul id=list>"
    f"{'<li>An item that the server has sent' * 10}</ul><p id=end>End</p><script>new "
    "IntersectionObserver(([one]) => { if (one.isIntersecting) fetch('/soon').then(() => "
    "list.append(...[...list.children].map((row) => row.cloneNode(true)))) }).observe(end)</script>"
    "<footer style='margin-top:3000px'>About us</footer>"
)
SHORT_LIST = f"<ul>{'<li>A row of the list' * 20}</ul>"
UNSTYLED = (
    "<link rel=stylesheet href=/sheet><h1>Rows</h1><div class=view><div style='padding-bottom:"
    f"9000px'>{'<div>A row of the list</div>' * 20}</div></div>"
)
PAGES = {
    "/rows": ROWS,
    "/endless": ENDLESS,
    "/in-view": IN_VIEW,
    "/unstyled": UNSTYLED,
    "/served": SERVED,
    "/fetched-rows": FETCHED,
    "/late-rows": f"<div id=app></div><script>fetch('/data').then(() => {{ app.innerHTML = "
    "\"<h1>Rows</h1><div id=list style='height:400px;overflow:auto'></div>\";"
    f"{ROWS.partition('<script>')[2].partition('</script>')[0]} }})</script>",
    "/min-height": UNSTYLED.replace("padding-bottom", "min-height"),
    "/spacer": f"<main>{SHORT_LIST}<div style='height:9000px'></div></main>",
    "/before-frame": f"{SHORT_LIST}<iframe srcdoc=A style='height:1500px'></iframe>",
    "/before-comments": f"{SHORT_LIST}<div style='height:1500px'>Comments of our readers</div>",
    "/high": f"<main style='min-height:1500px'>{SHORT_LIST}</main>",
    "/pages": f"{ENDLESS}<a rel=next href=/pages?page=2>Next</a>",
    "/whole": "<h1>Rows</h1><ol id=list></ol><script>for (let n = 1; n < 100; n++) "
    "list.insertAdjacentHTML('beforeend', `<li>Row ${n} of the list`); onscroll = () => "
    "fetch('/soon')</script>",
    "/out-of-view": "<style>article { content-visibility: auto }</style><script>for (let n = 1; "
    "n < 60; n++) document.write(`<article><h2>Item ${n}</h2><p>Text ${n}`)</script>",
    "/fetch": f"<nav>Home</nav><div id=app></div><script>{FILL}</script>",
    "/placeholder": f"<div id=app>Loading…</div><script>{FILL}</script>",
    "/overlay": f"<p>{SENTENCE * 3}</p><div id=app role=status><div style='position:fixed;inset:0'>"
    f"Loading…</div></div><script>setTimeout(() => {{ app.innerHTML = `{PROSE}` }}, 1200)</script>",
    "/spinner": f"{SPINNER}{FILL}</script>",
    "/timer": f"<div id=app></div><script>setTimeout(() => {FILL}, 700)</script>",
    "/main": f"{SHOP}<main id=app></main><script>setTimeout(() => {FILL}, 700)</script>",
    "/no-main": f"{SHOP}<main id=app></main><script></script>",
    "/twice": (
        "<h1 id=app></h1><p id=b></p><script>fetch('/data').then((one) => one.text()).then("
        "(text) => { app.innerHTML = text; return fetch('/data') }).then((one) => one.text())"
        ".then((text) => { b.textContent = 'SECOND' })</script>"
    ),
    "/skeleton": f"<link rel=stylesheet href=/sheet><h1>Shop</h1><p>{SENTENCE * 3}</p><div id=app>"
    f"<div class=skeleton></div></div><script>setTimeout(() => {FILL}, 700)</script>",
    "/price": f"{PROSE}<p>Price: <b id=p>--</b></p><script>fetch('/data').then(() => "
    "{ p.textContent = '19.99' })</script>",
    "/price-in-list": f"{PROSE}<div class=paginated-list><p>Price: <b id=p>--</b></p></div>"
    "<script>setTimeout(() => { p.textContent = '19.99' }, 1200)</script>",
    "/pagination": f"<p>{SENTENCE}</p><div class=pagination><a href=?2>2</a><span>…</span>"
    "<a href=?9>9</a></div>",
    "/loader": f"<link rel=stylesheet href=/hides><p>{SENTENCE}</p><div id=app>Loading…</div>",
    "/progress": f"<p>{SENTENCE}</p><div role=progressbar aria-valuenow=40>40 %</div>",
    "/announced": f"<p>{SENTENCE}</p><div aria-live=polite style='position:absolute;width:1px;"
    "height:1px;overflow:hidden;clip:rect(0,0,0,0)'><div>Loading…</div></div>",
    "/bundle": f"<p>Shop</p><script>/* {'IntersectionObserver'.ljust(600_000)} */</script>",
    "/never": "<div id=app>Loading…</div><script>fetch('/hang')</script>",
    "/segment": SEGMENT,
    "/srcdoc": f"<h1>Frames</h1><iframe srcdoc='{PROSE}'></iframe>",
    "/frame": "<h1>Frames</h1><iframe src=/prose width=500 height=300></iframe>",
    "/frame/elsewhere": "<h1>Frames</h1><script>document.write(`<iframe width=500 height=300 "
    "src=//localhost:${location.port}/prose></iframe>`)</script>",
    "/on-click": f"{PROSE}<button onclick=\"app.textContent = 'Loading…'; fetch('/hang')\">Go"
    "</button><div id=app></div>",
    "/prose": PROSE,
    "/unread": f"<div id=app></div><script>fetch('/short'); app.innerHTML = `{PROSE}`</script>",
    "/worker": f"<div id=app></div><script>new Worker('/worker.js'); app.innerHTML = `{PROSE}`"
    "</script>",
    "/list": LIST,
    "/later": f"{PROSE}<script>setTimeout(() => document.body.append('Now or never'), 3000)"
    "</script>",
}
FILES = {
    "/worker.js": (b"", "text/javascript"),
    "/hides": (b"#app{display:none}", "text/css"),
}


def document(body: str) -> bytes:
    return f"<!doctype html><html><head><title>Slow</title></head><body>{body}".encode()


@pytest.fixture
async def slow():
    """The URL of a site with late content; ``/data`` takes two seconds."""

    async def answer(exchange):
        if exchange.path == "/data":
            await trio.sleep(2)
            await exchange.answer(ServerResponse(PROSE.encode()))
        elif exchange.path == "/short":
            kept = (("Cache-Control", "no-store"),)
            await exchange.answer(ServerResponse(b"{}", headers=kept))
        elif exchange.path in FILES:
            body, media_type = FILES[exchange.path]
            await exchange.answer(ServerResponse(body, content_type=media_type))
        elif exchange.path == "/soon":
            await trio.sleep(0.5)
            await exchange.answer(ServerResponse(b"{}"))
        elif exchange.path == "/hang":
            await trio.sleep_forever()
        elif exchange.path == "/challenge":
            passed = "passed" in exchange.seen.cookie
            body = "<p>Checking your browser</p><script>setTimeout(() => { document.cookie = "
            body += "'passed=1'; location.reload() }, 800)</script>"
            html = document(PROSE if passed else body)
            await exchange.answer(ServerResponse(html, status=200 if passed else 403))
        elif exchange.path == "/forbidden":
            html = document("<p>No<script></script>")
            await exchange.answer(ServerResponse(html, status=403))
        elif exchange.path not in PAGES:
            await exchange.answer(ServerResponse(status=404))
        else:
            await exchange.answer(ServerResponse(document(PAGES[exchange.path])))

    async with open_server(answer, []) as port:
        yield functools.partial("http://127.0.0.1:{}{}".format, port)


@pytest.mark.parametrize(
    "path", ["/fetch", "/placeholder", "/spinner", "/timer", "/main", "/twice"]
)
async def test_content_that_is_fetched_late_is_read(slow, open_reading_client, path):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow(path))
    assert SENTENCE in page.text
    assert "SECOND" in page.text or path != "/twice"
    assert "Loading" not in page.text
    assert page.notice == ""


@pytest.mark.parametrize("path", ["/worker", "/unread"])
async def test_page_is_complete_despite_request_without_end_event(slow, open_reading_client, path):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow(path))
    assert SENTENCE in page.text
    assert page.notice == ""


@pytest.mark.parametrize("path", ["/pagination", "/progress", "/announced"])
async def test_permanent_text_resembling_a_placeholder_is_not_awaited(
    slow, open_reading_client, path
):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow(path), ReadOptions(min_tier=2))
    assert SENTENCE in page.text
    assert page.notice == ""


async def test_placeholder_that_a_style_sheet_hides_is_not_read(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow("/loader"), ReadOptions(min_tier=2))
        light = await tabwright.browse(slow("/loader"), ReadOptions(min_tier=2, max_tier=2))
    assert (page.tier, page.notice) == (3, "")
    assert SENTENCE in page.text
    assert "Loading" not in page.text
    assert STILL_LOADING in light.notice
    assert SAYS_LOADING in light.notice


async def test_short_page_with_a_large_script_is_loaded_in_full(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow("/bundle"), ReadOptions(min_tier=2))
    assert page.tier == 3


async def test_page_with_empty_main_element_has_notice(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow("/no-main"))
    assert page.tier == 3
    assert page.notice == EMPTY_MAIN


async def test_session_page_read_while_loading_has_notice(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        ask = tabwright.sessions.ask
        await tabwright.enter(slow("/on-click"), session="s")
        before = await ask(ViewPage("s", RenderOptions()))
        await tabwright.act(Click("role=button"), session="s")
        after = await ask(ViewPage("s", RenderOptions()))
    assert (before.notice, after.notice) == ("", STILL_LOADING)


async def test_skeleton_without_its_style_sheet_is_awaited(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow("/skeleton"), ReadOptions(min_tier=2))
    assert SENTENCE * 4 in page.text
    assert page.notice == ""


async def test_placeholder_in_a_zero_height_status_is_awaited(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow("/overlay"), IN_TAB)
    assert SENTENCE * 4 in page.text
    assert page.notice == ""


@pytest.mark.parametrize("path", ["/price", "/price-in-list"])
async def test_placeholder_value_is_awaited_until_filled_in(slow, open_reading_client, path):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow(path), ReadOptions(min_tier=2))
    assert "19.99" in page.text


async def test_page_that_never_finishes_loading_has_notice(slow, open_reading_client):
    async with open_reading_client(network__page_timeout_s=10) as tabwright:
        page = await tabwright.browse(slow("/never"))
    assert "Loading" in page.text
    assert "still loading" in page.notice


@pytest.mark.parametrize("path", ["/segment", "/srcdoc"])
async def test_streamed_segments_and_embedded_documents_need_no_browser(
    slow, open_reading_client, path
):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow(path))
    assert page.tier == 1
    assert SENTENCE in page.text
    assert "One moment" not in page.text


@pytest.mark.parametrize("path", ["/frame", "/frame/elsewhere"])
async def test_frame_that_holds_the_content_is_read_in_a_tab(slow, open_reading_client, path):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow(path))
    assert page.tier == 2
    assert SENTENCE in page.text


async def test_frame_of_a_site_that_is_not_allowed_is_linked_and_not_read(
    slow, open_reading_client
):
    async with open_reading_client(network__deny_urls=["*://localhost:*/*"]) as tabwright:
        page = await tabwright.browse(slow("/frame/elsewhere"))
    assert SENTENCE not in page.text
    assert "/prose" in page.text


async def test_page_that_checks_the_browser_first_is_read_after_that(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow("/challenge"))
    assert (page.status, page.tier) == (200, 2)
    assert SENTENCE in page.text


async def test_page_that_stays_forbidden_is_an_error(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        with pytest.raises(ErrorPage) as refusal:
            await tabwright.browse(slow("/forbidden"))
    assert refusal.value.advice


async def test_infinite_list_is_read_in_full_with_scroll_option(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow("/list"), ReadOptions(scroll=True))
    assert "Item 50 of" in page.text


@pytest.mark.parametrize("path", ["/rows", "/late-rows"])
async def test_list_that_scrolls_in_the_page_is_read_to_its_end(slow, open_reading_client, path):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow(path), ReadOptions(scroll=True))
    assert "Row 1 of" in page.text
    assert "Row 60 of" in page.text
    assert page.notice == ""


@pytest.mark.parametrize(
    ("path", "end"),
    [
        ("/endless", ScrollEnd.MORE),
        ("/in-view", ScrollEnd.RECYCLED),
        ("/spacer", ScrollEnd.RECYCLED),
    ],
)
async def test_list_not_fully_loaded_by_scrolling_has_notice(slow, open_reading_client, path, end):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow(path), ReadOptions(scroll=True))
    assert " of " in page.text
    assert SCROLL_NOTICES[end] in page.notice


@pytest.mark.parametrize(
    ("path", "end"),
    [
        ("/list", ScrollEnd.BEGINNING),
        ("/rows", ScrollEnd.BEGINNING),
        ("/endless", ScrollEnd.BEGINNING),
        ("/fetched-rows", ScrollEnd.BEGINNING),
        ("/in-view", ScrollEnd.RECYCLED),
        ("/unstyled", ScrollEnd.RECYCLED),
        ("/min-height", ScrollEnd.RECYCLED),
        ("/spacer", ScrollEnd.RECYCLED),
        ("/before-frame", ScrollEnd.WHOLE),
        ("/before-comments", ScrollEnd.WHOLE),
        ("/high", ScrollEnd.WHOLE),
        ("/pages", ScrollEnd.WHOLE),
        ("/whole", ScrollEnd.WHOLE),
        ("/out-of-view", ScrollEnd.WHOLE),
        ("/prose", ScrollEnd.WHOLE),
    ],
)
async def test_notice_states_whether_list_would_load_more_on_scrolling(
    slow, open_reading_client, path, end
):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow(path), ReadOptions(min_tier=2))
    assert page.notice == SCROLL_NOTICES[end]


@pytest.mark.parametrize(
    ("path", "place", "value"),
    [("/in-view", "view.scrollTop", "0"), ("/whole#list", "Math.sign(scrollY)", "1")],
)
async def test_scroll_position_is_restored_after_a_list_is_read(
    slow, open_reading_client, path, place, value
):
    async with open_reading_client() as tabwright:
        await tabwright.navigate(slow(path), ReadOptions(min_tier=3), session="s")
        shown = await tabwright.inspect(Evaluate(place), session="s")
    assert shown.json == value


async def test_server_rendered_list_that_loads_more_on_scrolling_has_notice(
    slow, open_reading_client
):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(slow("/served"))
        scrolled = await tabwright.browse(slow("/served"), ReadOptions(scroll=True))
    assert page.notice == SCROLL_NOTICES[ScrollEnd.BEGINNING]
    assert scrolled.text.count("An item") > page.text.count("An item") >= 10


async def test_wait_for_text_is_read_or_its_absence_is_reported(slow, open_reading_client):
    async with open_reading_client(network__page_timeout_s=15) as tabwright:
        page = await tabwright.browse(slow("/later"), ReadOptions(wait_for="now or never"))
        lacking = await tabwright.browse(slow("/prose"), ReadOptions(wait_for="css=#nothing"))
    assert "Now or never" in page.text
    assert page.notice == ""
    assert "still loading" in lacking.notice

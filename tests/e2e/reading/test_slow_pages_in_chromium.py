"""Pages with late content, in frames or streamed segments, in a real Chromium."""

import functools

import pytest
import trio

from tabwright.content.escalation import EMPTY_MAIN, SAYS_LOADING, STAYS_LIVE
from tabwright.protocol.actions import Click
from tabwright.protocol.errors import ErrorPage
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import Evaluate
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.sessions import Sessions
from tabwright.protocol.snapshot import ScrollEnd
from tabwright.reader.tiers import SCROLL_NOTICES, STILL_CHANGING, STILL_LOADING, STILL_REQUESTING
from tabwright.testing.replica.server import ServerResponse, open_server
from tests.support.cases import cases

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
LATE_END = (
    "<h1>Feed</h1><div id=list></div><script>let n = 0, end = 0; function more() { for (let k = 0;"
    " k < 30; k++) list.insertAdjacentHTML('beforeend', `<p>Item ${++n} of the feed</p>`) } more();"
    "onscroll = () => { const now = performance.now(); end ||= now + 7300; "
    "if (now < end && innerHeight + scrollY > document.body.scrollHeight - 500) more() }</script>"
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
FEW_IN_VIEW = (
    IN_VIEW.replace("height:8000px", "height:4000px")
    .replace("n < first + 20", "n < first + 4")
    .replace("of the list", "of the list, which is about nothing else")
)
TALL = (
    "<h1>Poster</h1><main style='height:4000px;position:relative'>"
    f"<div>{SENTENCE}</div><div>{SENTENCE}</div><div>{SENTENCE}</div><img alt=Map "
    'style="position:absolute;bottom:0" src="data:image/svg+xml,'
    "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='300'/>\"></main>"
)
SERVED = (
    "<h1>Feed</h1><style>li { height: 200px }</style><ul id=list>"
    f"{'<li>An item that the server has sent' * 10}</ul><p id=end>End</p><script>new "
    "IntersectionObserver(([one]) => { if (one.isIntersecting) fetch('/soon').then(() => "
    "list.append(...[...list.children].map((row) => row.cloneNode(true)))) }).observe(end)</script>"
    "<footer style='margin-top:3000px'>About us</footer>"
)
CHAT = (
    "<h1>Chat</h1><div id=chat style='height:400px;overflow:auto'></div><script>let n = 60;"
    "function more() { const { scrollHeight } = chat; for (let k = 0; k < 20 && n; k++) "
    "chat.insertAdjacentHTML('afterbegin', `<div style='height:40px'>Message ${n--} of the chat"
    "</div>`); chat.scrollTop += chat.scrollHeight - scrollHeight } more();"
    "chat.onscroll = () => { if (chat.scrollTop < 50) fetch('/soon').then(more) }</script>"
)
UPWARD_CHAT = (
    "<h1>Chat</h1><div id=chat style='height:400px;overflow:auto;display:flex;flex-direction:"
    "column-reverse'></div><script>let n = 60; function more() { for (let k = 0; k < 20 && n; k++)"
    " chat.insertAdjacentHTML('beforeend', `<div style='height:40px;flex:none'>Message ${n--} of "
    "the chat</div>`) } more(); chat.onscroll = () => { if (chat.scrollHeight - chat.clientHeight "
    "+ chat.scrollTop < 50) fetch('/soon').then(more) }</script>"
)
TICKER = (
    f"<h1>News</h1><ul id=list></ul>{PROSE * 3}<script>let n = 0; const show = () => {{"
    " list.innerHTML = Array.from({ length: 10 }, () => `<li>Headline ${++n} of today`).join('') };"
    " show(); setInterval(show, 60)</script>"
)
CLIPPED = (
    "<h1>News</h1><div style='height:40px;overflow:hidden'><ul style='height:3000px'>"
    f"{'<li>A headline of today' * 20}</ul></div>{PROSE * 3}"
)
SHORT_LIST = f"<ul>{'<li>A row of the list' * 20}</ul>"
UNSTYLED = (
    "<link rel=stylesheet href=/sheet><h1>Rows</h1><div class=view><div style='padding-bottom:"
    f"9000px'>{'<div>A row of the list</div>' * 20}</div></div>"
)
COUNT_UP = (
    f"{PROSE * 2}<p><b id=n>0</b> users</p><script>const end = performance.now() + 2500; (function "
    "step() { const left = Math.max(0, end - performance.now()); n.textContent = Math.round(4821 * "
    "(1 - left / 2500)); if (left) requestAnimationFrame(step) })()</script>"
)


def every(ms: int, step: str, text: str = PROSE * 2) -> str:
    """Return a page that takes a step again and again."""
    return (
        f"{text}<div id=app></div><script>let n = 0; setInterval(() => {{ {step} }}, {ms})</script>"
    )


DECORATION = {
    "/clock": every(30, "app.textContent = Date.now()"),
    "/stopwatch": every(30, "app.textContent = `00:${(n += 0.03).toFixed(2)}`"),
    "/countdown": every(30, "app.textContent = 9999 - n++"),
    "/rate": every(30, "app.textContent = (100 + Math.random()).toFixed(2)"),
    "/filling": every(30, "app.innerHTML = `<i class=progress>${n++ % 101} %</i>`"),
    "/dots": every(60, "app.textContent = '.'.repeat(n++ % 4)"),
    "/headlines": every(60, "app.textContent = `Headline ${'of today '.repeat(n++ % 5)}`"),
}
PAGES = {
    **DECORATION,
    "/steps": "<h1>Feed</h1><ul id=list></ul><script>(async () => { for (let n = 1; n < 5; n++) { "
    "await fetch('/soon'); list.insertAdjacentHTML('beforeend', `<li>Item ${n} of the feed, which "
    "has a long name and a price below it, and more to come`); "
    "await new Promise((next) => setTimeout(next, 400)) } })()</script>",
    "/added": "<h1>Feed</h1><ul id=list></ul><script>let n = 0; const timer = setInterval(() => { "
    "list.insertAdjacentHTML('beforeend', `<li>Item ${++n} of the feed, which has a long name and "
    "a price`); if (n === 6) clearInterval(timer) }, 450)</script>",
    "/typed": f"<h1>Ask</h1><p id=p></p><p>{SENTENCE}</p><script>const text = '{SENTENCE * 2}'; let"
    " n = 0; setInterval(() => { p.textContent = text.slice(0, ++n) }, 30)</script>",
    "/count-up": COUNT_UP,
    "/messages": every(60, "app.insertAdjacentHTML('beforeend', `<p>Message ${++n}`)"),
    "/preloader": f"<div id=app>Loading…</div><script>setTimeout(() => {{ app.innerHTML = `{PROSE}`"
    " }, 2500)</script>",
    "/rows": ROWS,
    "/chat": CHAT,
    "/upward-chat": UPWARD_CHAT,
    "/ticker": TICKER,
    "/clipped": CLIPPED,
    "/endless": ENDLESS,
    "/late-end": LATE_END,
    "/in-view": IN_VIEW,
    "/few-in-view": FEW_IN_VIEW,
    "/tall": TALL,
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
    "/removed": f"{PROSE}<script>document.documentElement.remove()</script>",
    "/views": f"<main id=app>{PROSE}</main><script>if (location.hash === '#/price') "
    "app.innerHTML = '<h1>Price</h1><p>19.99</p>'</script>",
    "/rates": f"{PROSE}<table><tr><td>Euro<td data-rate></table><script>fetch('/data').then(() => "
    "{ document.querySelector('[data-rate]').textContent = '19.99' })</script>",
    "/fetch": f"<nav>Home</nav><div id=app></div><script>{FILL}</script>",
    "/placeholder": f"<div id=app>Loading…</div><script>{FILL}</script>",
    "/overlay": f"<p>{SENTENCE * 3}</p><div id=app role=status><div style='position:fixed;inset:0'>"
    f"Loading…</div></div><script>setTimeout(() => {{ app.innerHTML = `{PROSE}` }}, 1200)</script>",
    "/spinner": f"{SPINNER}{FILL}</script>",
    "/timer": f"<div id=app></div><script>setTimeout(() => {FILL}, 700)</script>",
    "/polling": "<div id=app>Status: pending</div><script>let n = 0; const timer = setInterval(()"
    " => fetch(`/short?${n}`).then((one) => one.json()).then(() => { if (++n < 5) return;"
    f" clearInterval(timer); app.innerHTML = `{PROSE}` }}), 700)</script>",
    "/retrying": "<div id=app><div class=spinner></div></div><script>let left = 4; const load = ()"
    " => fetch('/absent').then(() => { if (--left) setTimeout(load, 900);"
    f" else app.innerHTML = `{PROSE}` }}); load()</script>",
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
    "/part": f"{PROSE}<h2>Price</h2><div id=p></div><script>setTimeout(() => {{ p.textContent = "
    "'19.99' }, 1200)</script>",
    "/no-part": f"{PROSE}<h2>Price</h2><div id=p></div><script>fill('p')</script>",
    "/part-out-of-flow": f"{PROSE}<h2>Price</h2><div id=p style='position:fixed'></div>"
    "<script>fill('p')</script>",
    "/emphasis": f"{PROSE}<p><em id=p>Loading the price...</em></p><script>setTimeout(() => "
    "{ p.textContent = '19.99' }, 1200)</script>",
    "/price-in-list": f"{PROSE}<div class=paginated-list><p>Price: <b id=p>--</b></p></div>"
    "<script>setTimeout(() => { p.textContent = '19.99' }, 1200)</script>",
    "/pagination": f"<p>{SENTENCE}</p><div class=pagination><a href=?2>2</a><span>…</span>"
    "<a href=?9>9</a></div>",
    "/ellipsis": f"<p>{SENTENCE}<br><b aria-hidden=true>A te</b><b aria-hidden=true>...</b></p>"
    "<script></script>",
    "/stressed": f"<p>{SENTENCE} It is <em>loading</em> cargo.</p><script></script>",
    "/dock": f"<h1>Loading docks of the port</h1><h2>Loading dock</h2><p>{SENTENCE}</p><p>Please "
    "wait to be seated</p><ul><li>Loading and unloading</ul><b>Loading:</b> at "
    "night<script>1</script>",
    "/separator": f"<p>{SENTENCE * 2}</p><div class=a>---</div><p>{SENTENCE} <b>???</b></p><script>"
    "1</script>",
    "/no-number": f"<p>{SENTENCE * 2}</p><p>Fax: <span id=fax>--</span></p><script>1</script>",
    "/poll": f"<p>{SENTENCE * 5}</p><script>fetch('/hang')</script>",
    "/hold-on": "<h1>Hold on</h1><script>1</script>",
    "/omission": f"<p>{SENTENCE}</p><p>…</p><p>{SENTENCE}</p><script></script>",
    "/unscripted": f"<p>{SENTENCE}</p><span id=rest>...</span><b id=price>--</b>",
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
    "/live": f"<h1>Prices</h1><p>{SENTENCE * 2}</p><div id=app></div><script>new EventSource("
    "'/hang').onmessage = ({ data }) => { app.textContent = data }</script>",
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


@cases("path", ["/fetch", "/placeholder", "/spinner", "/timer", "/main", "/twice"])
async def test_content_that_is_fetched_late_is_read(slow, tabwright, path):
    page = await tabwright.read(slow(path))
    assert SENTENCE in page.text


@cases("path", ["/polling", "/retrying"])
async def test_content_that_repeated_requests_bring_is_read(slow, tabwright, path):
    page = await tabwright.read(slow(path), IN_TAB)
    assert SENTENCE in page.text
    assert "SECOND" in page.text or path != "/twice"
    assert "Loading" not in page.text
    assert page.notice == ""


@cases(
    ("path", "end"),
    [
        ("/steps", "Item 4 of"),
        ("/added", "Item 6 of"),
        ("/typed", SENTENCE * 2),
        ("/preloader", SENTENCE),
    ],
)
async def test_content_that_comes_in_steps_is_read_to_its_end(slow, tabwright, path, end):
    page = await tabwright.read(slow(path))
    assert end in page.text
    assert (page.tier, page.notice) == (2, "")


async def test_number_that_counts_up_is_read_once_it_stands(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/count-up"), IN_TAB)
    assert "4821" in page.text
    assert page.notice == ""


@cases("path", DECORATION)
async def test_page_with_endless_decoration_has_no_notice(slow, tabwright, path):
    page = await tabwright.read(slow(path), IN_TAB)
    assert SENTENCE in page.text
    assert page.notice == ""


async def test_page_that_grows_for_ever_has_notice(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/messages"), IN_TAB)
    assert "Message 9" in page.text
    assert page.notice == STILL_CHANGING


@cases("path", ["/worker", "/unread"])
async def test_page_is_complete_despite_request_without_end_event(slow, tabwright, path):
    page = await tabwright.read(slow(path))
    assert SENTENCE in page.text
    assert page.notice == ""


@cases(
    "path",
    [
        "/pagination",
        "/omission",
        "/ellipsis",
        "/stressed",
        "/unscripted",
        "/progress",
        "/announced",
        "/dock",
        "/separator",
        "/no-number",
    ],
)
async def test_permanent_text_resembling_a_placeholder_is_not_awaited(slow, tabwright, path):
    page = await tabwright.read(slow(path), ReadOptions(min_tier=2))
    assert SENTENCE in page.text
    assert page.notice == ""


async def test_placeholder_that_a_style_sheet_hides_is_not_read(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/loader"), ReadOptions(min_tier=2))
        light = await tabwright.read(slow("/loader"), ReadOptions(min_tier=2, max_tier=2))
    assert (page.tier, page.notice) == (3, "")
    assert SENTENCE in page.text
    assert "Loading" not in page.text
    assert "“Loading…”" in light.notice
    assert SAYS_LOADING in light.notice


async def test_short_page_with_a_large_script_is_loaded_in_full(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/bundle"), ReadOptions(min_tier=2))
    assert page.tier == 3


async def test_page_with_empty_main_element_has_notice(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/no-main"))
    assert page.tier == 3
    assert page.notice == EMPTY_MAIN


async def test_long_poll_of_a_page_with_its_content_is_not_missing_content(
    slow, open_reading_client
):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/poll"), IN_TAB)
    assert SENTENCE in page.text
    assert page.notice == STILL_REQUESTING


async def test_page_that_shows_little_in_a_tab_has_a_notice_with_its_text(
    slow, open_reading_client
):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/hold-on"))
    assert "“Hold on”" in page.notice


async def test_page_with_an_open_connection_has_notice(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/live"))
    assert page.tier == 2
    assert page.notice == STAYS_LIVE


async def test_session_page_read_while_loading_has_notice(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        ask = tabwright.parts.sessions.ask
        await tabwright.session("s").enter(slow("/on-click"))
        before = await ask(Sessions.view, "s", RenderOptions())
        await tabwright.session("s").act(Click("role=button"))
        after = await ask(Sessions.view, "s", RenderOptions())
    assert (before.notice, after.notice) == ("", STILL_LOADING)


async def test_skeleton_without_its_style_sheet_is_awaited(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/skeleton"), ReadOptions(min_tier=2))
    assert SENTENCE * 4 in page.text
    assert page.notice == ""


async def test_placeholder_in_a_zero_height_status_is_awaited(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/overlay"), IN_TAB)
    assert SENTENCE * 4 in page.text
    assert page.notice == ""


@cases("path", ["/price", "/price-in-list", "/emphasis", "/part"])
async def test_placeholder_value_is_awaited_until_filled_in(slow, tabwright, path):
    page = await tabwright.read(slow(path), ReadOptions(min_tier=2))
    assert "19.99" in page.text


@cases(("path", "is_noted"), [("/no-part", True), ("/part-out-of-flow", False)])
async def test_empty_part_has_notice_unless_it_is_out_of_the_flow(slow, tabwright, path, is_noted):
    page = await tabwright.read(slow(path), IN_TAB)
    assert ("“Price”" in page.notice) is is_noted


async def test_page_that_never_finishes_loading_has_notice(slow, open_reading_client):
    async with open_reading_client(network__page_timeout_s=10) as tabwright:
        page = await tabwright.read(slow("/never"))
    assert "Loading" in page.text
    assert "still loading" in page.notice


@cases("path", ["/segment", "/srcdoc"])
async def test_streamed_segments_and_embedded_documents_need_no_browser(slow, tabwright, path):
    page = await tabwright.read(slow(path))
    assert page.tier == 1
    assert SENTENCE in page.text
    assert "One moment" not in page.text


@cases("path", ["/frame", "/frame/elsewhere"])
async def test_frame_that_holds_the_content_is_read_in_a_tab(slow, tabwright, path):
    page = await tabwright.read(slow(path))
    assert page.tier == 2
    assert SENTENCE in page.text


async def test_frame_of_a_site_that_is_not_allowed_is_linked_and_not_read(
    slow, open_reading_client
):
    async with open_reading_client(network__deny_urls=["*://localhost:*/*"]) as tabwright:
        page = await tabwright.read(slow("/frame/elsewhere"))
    assert SENTENCE not in page.text
    assert "/prose" in page.text


async def test_page_that_checks_the_browser_first_is_read_after_that(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/challenge"))
    assert (page.status, page.tier) == (200, 2)
    assert SENTENCE in page.text


async def test_page_that_stays_forbidden_is_an_error(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        with pytest.raises(ErrorPage) as refusal:
            await tabwright.read(slow("/forbidden"))
    assert refusal.value.advice


async def test_infinite_list_is_read_in_full_with_scroll_option(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/list"), ReadOptions(scroll=True))
    assert "Item 50 of" in page.text


async def test_list_that_ends_just_before_the_time_for_scrolling_has_no_notice(
    slow, open_reading_client
):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/late-end"), ReadOptions(scroll=True))
    assert "Item 90 of" in page.text
    assert page.notice == ""


async def test_document_without_an_element_is_empty_and_has_a_notice(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/removed"), IN_TAB)
    assert page.text == ""
    assert page.notice


async def test_view_that_scripts_show_for_a_fragment_is_read(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/views#/price"))
    assert page.tier == 2
    assert "19.99" in page.text
    assert SENTENCE not in page.text


async def test_empty_cell_that_a_script_names_is_read_in_a_tab(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/rates"))
    assert page.tier == 2
    assert "19.99" in page.text


@cases("path", ["/rows", "/late-rows"])
async def test_list_that_scrolls_in_the_page_is_read_to_its_end(slow, tabwright, path):
    page = await tabwright.read(slow(path), ReadOptions(scroll=True))
    assert "Row 1 of" in page.text
    assert "Row 60 of" in page.text
    assert page.notice == ""


@cases(
    ("path", "end"),
    [
        ("/endless", ScrollEnd.MORE),
        ("/spacer", ScrollEnd.RECYCLED),
    ],
)
async def test_list_not_fully_loaded_by_scrolling_has_notice(slow, tabwright, path, end):
    page = await tabwright.read(slow(path), ReadOptions(scroll=True))
    assert " of " in page.text
    assert SCROLL_NOTICES[end] in page.notice


@cases(
    ("path", "end"),
    [
        ("/list", ScrollEnd.BEGINNING),
        ("/rows", ScrollEnd.BEGINNING),
        ("/endless", ScrollEnd.BEGINNING),
        ("/fetched-rows", ScrollEnd.BEGINNING),
        ("/chat", ScrollEnd.BEGINNING),
        ("/upward-chat", ScrollEnd.BEGINNING),
        ("/in-view", ScrollEnd.RECYCLED),
        ("/few-in-view", ScrollEnd.RECYCLED),
        ("/unstyled", ScrollEnd.RECYCLED),
        ("/min-height", ScrollEnd.RECYCLED),
        ("/spacer", ScrollEnd.RECYCLED),
        ("/ticker", ScrollEnd.WHOLE),
        ("/clipped", ScrollEnd.WHOLE),
        ("/before-frame", ScrollEnd.WHOLE),
        ("/before-comments", ScrollEnd.WHOLE),
        ("/high", ScrollEnd.WHOLE),
        ("/tall", ScrollEnd.WHOLE),
        ("/pages", ScrollEnd.WHOLE),
        ("/whole", ScrollEnd.WHOLE),
        ("/out-of-view", ScrollEnd.WHOLE),
        ("/prose", ScrollEnd.WHOLE),
    ],
)
async def test_notice_states_whether_list_would_load_more_on_scrolling(slow, tabwright, path, end):
    page = await tabwright.read(slow(path), ReadOptions(min_tier=2))
    assert page.notice == SCROLL_NOTICES[end]


async def test_ticker_is_not_taken_for_a_list_with_rows_in_view_only(slow, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/ticker"), ReadOptions(scroll=True))
    assert "Headline" in page.text
    assert page.notice == ""


@cases(
    ("path", "place", "value"),
    [("/in-view", "view.scrollTop", "0"), ("/whole#list", "Math.sign(scrollY)", "1")],
)
async def test_scroll_position_is_restored_after_a_list_is_read(
    slow, tabwright, path, place, value
):
    await tabwright.session("s").navigate(slow(path), ReadOptions(min_tier=3))
    shown = await tabwright.session("s").inspect(Evaluate(place))
    assert shown.json == value


async def test_server_rendered_list_that_loads_more_on_scrolling_has_notice(
    slow, open_reading_client
):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(slow("/served"))
        scrolled = await tabwright.read(slow("/served"), ReadOptions(scroll=True))
    assert page.notice == SCROLL_NOTICES[ScrollEnd.BEGINNING]
    assert scrolled.text.count("An item") > page.text.count("An item") >= 10


async def test_wait_for_text_is_read_or_its_absence_is_reported(slow, open_reading_client):
    async with open_reading_client(network__page_timeout_s=15) as tabwright:
        page = await tabwright.read(slow("/later"), ReadOptions(wait_for="now or never"))
        lacking = await tabwright.read(slow("/prose"), ReadOptions(wait_for="css=#nothing"))
    assert "Now or never" in page.text
    assert page.notice == ""
    assert "still loading" in lacking.notice

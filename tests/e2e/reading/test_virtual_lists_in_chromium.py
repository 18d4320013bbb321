"""Virtual lists, which keep only the rows in view, in a real Chromium.

With `scroll`, all their rows are read if they are certain, and else the first ones, with a notice.
"""

import re

import attrs
import pytest
import trio

from tabwright.protocol.extraction import ReadOptions, Selection
from tabwright.protocol.inspection import Evaluate
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.snapshot import ScrollEnd
from tabwright.reader.tiers import SCROLL_NOTICES
from tabwright.testing.replica.server import ServerResponse, open_server

pytestmark = pytest.mark.chromium

PROSE = f"<p>{'Every task has a parent that waits for it, and no error is lost. ' * 3}</p>"
SCROLLED = ReadOptions(min_tier=2, max_tier=2, scroll=True)
IN_TREE = attrs.evolve(SCROLLED, selection=Selection(tree=True), view=RenderOptions(format="a11y"))


def rows_in_view(text, *, name="view", height="40", tag="div", then=""):
    """Return a virtual list whose rows have the text and the height of JavaScript expressions."""
    return (
        f"<div id={name} style='height:200px;width:300px;overflow:auto'><div></div></div><script>{{"
        f"const view = document.getElementById('{name}'), list = view.firstChild, tops = [0];"
        f"let first = 0;"
        f"for (let n = 0; n < 24; n++) tops.push(tops[n] + {height});"
        f"list.style.cssText = `position:relative;height:${{tops[24]}}px`;"
        "view.show = () => { list.replaceChildren(); tops.slice(0, -1).forEach((top, n) => {"
        "if (tops[n + 1] < view.scrollTop || top > view.scrollTop + 200) return;"
        f"const row = document.createElement('{tag}'); row.innerHTML = {text};"
        "row.style.cssText = `position:absolute;top:${top}px;height:${tops[n + 1] - top}px`;"
        f"list.append(row) }}) }}; view.onscroll = view.show; view.show(); {then} }}</script>"
    )


POOL = (
    "<div id=view style='height:200px;width:300px;overflow:auto'><div style='position:relative;"
    "height:960px'></div></div><script>const rows = Array.from({length: 7}, () => view.firstChild"
    ".appendChild(document.createElement('div'))); function show() { const first = Math.floor("
    "view.scrollTop / 40); for (let n = first; n < first + 7; n++) { const row = rows[n % 7];"
    "row.style.cssText = `position:absolute;height:40px;transform:translateY(${n < 24 ? n * 40 :"
    "-9999}px)`; if (n < 24) row.textContent = `Row ${n}` } } show(); view.onscroll = show</script>"
)
OF_PAGE = (
    "<style>table { border-spacing: 0 } tr { height: 60px }</style>"
    "<table><thead><tr><th>Name<tbody id=list></table>"
    "<script>function show() { const first = Math.min(54, Math.max(0, Math.floor((scrollY"
    " - 200) / 60))); list.innerHTML = `<tr style='height:${first * 60}px'></tr>` + Array.from("
    "{length: 16}, (_, n) => first + n).filter((n) => n < 60).map((n) => `<tr><td>Row ${n}`)"
    ".join('') + `<tr style='height:${Math.max(0, 44 - first) * 60}px'></tr>` }"
    "show(); onscroll = show</script>"
)
CHAT = rows_in_view(
    "n % 5 ? 'Same' : `Row ${n}`", height="40 + n % 4 * 20", then="view.scrollTop = 9999;"
)
# The last two rows are out of view, and the list has as many children as rows.
SPACERS = (
    "<style>table { border-spacing: 0 } tr { height: 40px }</style>"
    "<div id=view style='height:200px;overflow:auto'><table><tbody id=list></table></div>"
    "<script>view.onscroll = () => { const first = Math.min(2, Math.floor(view.scrollTop / 40));"
    "list.innerHTML = `<tr style='height:${first * 40}px'></tr>` + Array.from({length: 6},"
    "(_, n) => `<tr><td>Row ${first + n}`).join('') +"
    "`<tr style='height:${(2 - first) * 40}px'></tr>` }; view.onscroll()</script>"
)
PICTURES = rows_in_view("`<img src=/${n}.png alt='Row ${n}'>`", tag="span")
BESIDE = rows_in_view("`Row ${n}`") + rows_in_view("`Line ${n}`", name="other")
CLOSED_ROOT = (
    "<x-host></x-host><script>document.querySelector('x-host').attachShadow({mode: 'closed'})"
    ".innerHTML = 'In a closed root'</script>"
)
FORM = rows_in_view("`Row ${n}<input name=replaceChildren><input name=children>`").replace(
    "list.replaceChildren()", "Element.prototype.replaceChildren.call(list)"
)
FORM = FORM.replace("<div></div>", "<form></form>")
CLOCK = (
    "<p id=clock></p><script>setInterval(() => { clock.innerHTML ="
    "`<b>${performance.now()}</b>` }, 100)</script>"
)

ALL = [f"Row {n}" for n in range(24)]
WHOLE = {
    "/after-clock": (CLOCK + rows_in_view("`Row ${n}`"), ALL),
    "/after-closed-root": (CLOSED_ROOT + rows_in_view("`Row ${n}`"), ALL),
    "/chat": (CHAT, [f"Row {n}" if n % 5 == 0 else "Same" for n in range(24)]),
    "/form": (FORM, ALL),
    "/pictures": (PICTURES, ALL),
    "/pool": (POOL, ALL),
    "/spacers": (SPACERS, [f"Row {n}" for n in range(8)]),
    "/of-page": (OF_PAGE, [f"Row {n}" for n in range(60)]),
    "/beside": (
        f"<div style='display:flex'>{BESIDE}</div>",
        [*ALL, *(f"Line {n}" for n in range(24))],
    ),
}

FILLED_LATE = rows_in_view(
    "'...'",
    then="view.onscroll = () => { view.show(); setTimeout(() => [...list.children]"
    ".forEach((row) => { row.textContent = `Row ${parseInt(row.style.top) / 40}` }), 400) };"
    "view.onscroll();",
)
# Only the rows that were in view for longer are filled, and then stay filled.
FILLED_IF_KEPT_IN_VIEW = rows_in_view(
    "n < 6 || list.filled?.has(n) ? `Row ${n}` : '...'",
    then="const fill = () => { list.filled ??= new Set(); [...list.children].forEach((row) =>"
    "list.filled.add(parseInt(row.style.top) / 40)); view.show() }; let timer; view.onscroll ="
    "() => { view.show(); clearTimeout(timer); timer = setTimeout(fill, 400) };",
)
GROWING = rows_in_view(
    "`Row ${n + first}`", then="setInterval(() => { first -= 1; view.show() }, 400);"
)
COLUMNS = rows_in_view(
    "`<div style='width:900px'>Row ${n}</div>${view.scrollLeft ? 'Last' : 'First'} column`",
    then="view.firstChild.style.width = '900px';",
)
GAPS = rows_in_view("n % 6 ? `Row ${n}` : ''")
OVERLAPPING = rows_in_view("`Row ${n}`", then="").replace(
    "row.style.cssText = `position:absolute;top:${top}px",
    "row.style.cssText = `position:absolute;top:${top - view.scrollTop % 90}px",
)
FRAMES = rows_in_view("`Row ${n}<iframe srcdoc=Inside></iframe>`")
AFTER_SCROLLING = (
    "<script>{{ let quiet = 0, moved = false; setInterval(() => {{ moved ||= view.scrollTop > 500;"
    "quiet = moved && !view.scrollTop ? quiet + 1 : 0; if (quiet === 30) {{ {then};"
    "document.body.append('Then') }} }}, 50) }}</script>"
)
REPLACED = rows_in_view("`Row ${n}`") + AFTER_SCROLLING.format(
    then="view.firstChild.replaceWith(view.firstChild.cloneNode(true))"
)
REFRESHED = rows_in_view("`Row ${n}${window.mark ?? ''}`") + AFTER_SCROLLING.format(
    then="window.mark = '!'; view.show()"
)
SHORTENED = rows_in_view("`Row ${n}`") + AFTER_SCROLLING.format(
    then="view.firstChild.style.height = '400px'"
)
UNCERTAIN = {
    "/filled-late": FILLED_LATE,
    "/filled-if-kept-in-view": FILLED_IF_KEPT_IN_VIEW,
    "/growing": GROWING,
    "/columns": COLUMNS,
    "/gaps": GAPS,
    "/overlapping": OVERLAPPING,
    "/frames": FRAMES,
}


CHANGED = {"/replaced": REPLACED, "/refreshed": REFRESHED, "/shortened": SHORTENED}
# Lists that lose rows, but not because these are out of view.
PRICES = (
    "<ul id=prices></ul><script>const show = () => { prices.innerHTML = Array.from({length: 9},"
    "(_, n) => `<li>${1e6 + Math.floor(performance.now()) + n}`).join('') };"
    "show(); setInterval(show, 100)</script>"
)
ORDINARY = {"/clock": CLOCK + PROSE * 20, "/prices": PRICES + PROSE * 20}
ENDLESS = (
    "<script>onscroll = () => document.body.insertAdjacentHTML('beforeend', '<p>More'.repeat(30))"
    "</script>"
) + PROSE * 20


@pytest.fixture
async def lists():
    """Serve the pages, and return a function from a path to a URL."""
    bodies = {path: body for path, (body, _) in WHOLE.items()}
    bodies |= {**UNCERTAIN, **CHANGED, **ORDINARY, "/endless": ENDLESS}

    async def answer(exchange):
        body = bodies.get(exchange.path)
        html = f"<!doctype html><title>Lists</title><h1>Lists</h1>{PROSE}{body}<p>After the list."
        status = 404 if body is None else 200
        await exchange.answer(ServerResponse(html.encode(), status=status))

    async with open_server(answer, []) as port:
        yield lambda path: f"http://127.0.0.1:{port}{path}"


@pytest.fixture
def read_all(lists, open_reading_client):
    """Return a function that reads pages at the same time, because most of it is waiting."""

    async def read(paths, options=SCROLLED):
        pages = {}

        async def read_one(tabwright, path):
            pages[path] = await tabwright.read(lists(path), options)

        async with open_reading_client() as tabwright, trio.open_nursery() as nursery:
            for path in paths:
                nursery.start_soon(read_one, tabwright, path)
        return pages

    return read


def rows_of(page):
    """Return the rows that a page was read with."""
    return re.findall(r"Row \d+|Line \d+|Same", page.text)


async def test_virtual_lists_are_read_with_all_rows_if_scrolled(read_all):
    pages = await read_all(WHOLE)
    assert {path: pages[path].notice for path in WHOLE} == dict.fromkeys(WHOLE, "")
    assert {path: rows_of(pages[path]) for path in WHOLE} == {
        path: rows for path, (_, rows) in WHOLE.items()
    }
    ends = {path: pages[path].text.rstrip().endswith("After the list.") for path in WHOLE}
    assert ends == dict.fromkeys(WHOLE, True)


async def test_virtual_lists_with_uncertain_rows_have_first_rows_and_notice(read_all):
    pages = await read_all(UNCERTAIN)
    notices = {path: SCROLL_NOTICES[ScrollEnd.RECYCLED] in pages[path].notice for path in UNCERTAIN}
    assert notices == dict.fromkeys(UNCERTAIN, True)
    assert {path for path in UNCERTAIN if not 1 <= pages[path].text.count("Row") < 16} == set()


async def test_virtual_lists_that_change_before_they_are_read_have_notice(read_all):
    pages = await read_all(CHANGED, attrs.evolve(SCROLLED, wait_for="Then"))
    notices = {path: SCROLL_NOTICES[ScrollEnd.RECYCLED] in pages[path].notice for path in CHANGED}
    assert notices == dict.fromkeys(CHANGED, True)
    assert {path for path in CHANGED if not 1 <= pages[path].text.count("Row") < 16} == set()


async def test_lists_that_change_by_themselves_are_not_virtual(read_all):
    pages = await read_all(ORDINARY)
    assert {path: pages[path].notice for path in ORDINARY} == dict.fromkeys(ORDINARY, "")


async def test_accessibility_tree_of_virtual_list_has_notice(lists, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(lists("/pool"), IN_TREE)
    assert SCROLL_NOTICES[ScrollEnd.RECYCLED] in page.notice


async def test_scrolled_page_is_left_as_it_was(lists, open_reading_client):
    async with open_reading_client() as tabwright:
        await tabwright.session("s").navigate(lists("/chat"), SCROLLED)
        shown = "[view.scrollTop, view.firstChild.children.length]"
        assert (await tabwright.session("s").inspect(Evaluate(shown))).json == "[1480,3]"


async def test_endless_page_is_scrolled_within_the_time_limit(lists, open_reading_client):
    async with open_reading_client(network__page_timeout_s=5) as tabwright:
        page = await tabwright.read(lists("/endless"), SCROLLED)
    assert SCROLL_NOTICES[ScrollEnd.MORE] in page.notice

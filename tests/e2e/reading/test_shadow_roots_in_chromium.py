"""Closed shadow roots, which scripts cannot access, in a real Chromium."""

import json

import attrs
import pytest

from tabwright.protocol.extraction import ReadOptions
from tabwright.testing.replica.server import ServerResponse, open_server
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

SENTENCE = "Every task has a parent that waits for it, and no error is lost."
OTHER = "<p>The page shows enough text of its own beside its components.</p>" * 9
IN_TAB = ReadOptions(min_tier=2, max_tier=2)


def rooted(selector, html, mode="closed"):
    """Return a script that attaches a shadow root to each matched element."""
    return (
        f"<script>for (const host of document.querySelectorAll({json.dumps(selector)}))"
        f" host.attachShadow({{mode: '{mode}'}}).innerHTML = {json.dumps(html)};</script>"
    )


def defined(name, html, mode="closed"):
    """Return a script that defines a custom element with a shadow root."""
    return (
        f"<script>customElements.define('{name}', class extends HTMLElement {{ constructor() {{"
        f" super(); this.attachShadow({{mode: '{mode}'}}).innerHTML = {json.dumps(html)}; }} }});"
        "</script>"
    )


INNER = f"<p>{SENTENCE * 4}</p>"
STYLED = f"<style>.off {{ display: none }}</style>{OTHER}<p class=off>{SENTENCE}</p>"
PAGES = {
    "/frame-of-json": f"<p>{SENTENCE}</p><iframe src=/json width=600 height=300></iframe>",
    "/custom": f"<x-a></x-a>{defined('x-a', INNER)}",
    "/empty": f"<div id=a></div>{rooted('#a', INNER)}",
    "/blank": f"<div id=a>\n</div>{rooted('#a', INNER)}",
    "/small": f"<div id=a></div>{rooted('#a', f'<p style=position:absolute>{SENTENCE * 4}')}",
    "/body": rooted("body", INNER),
    "/unslotted": f"<div id=a><b>Light</b></div>{rooted('#a', INNER)}",
    "/nested": "<x-a></x-a>"
    + defined("x-a", "<x-b></x-b>")
    + defined("x-b", "<div><x-c></x-c></div>")
    + defined("x-c", INNER),
    "/in-open": f"<x-a></x-a>{defined('x-a', '<x-b></x-b>', 'open')}{defined('x-b', INNER)}",
    "/open-in": f"<x-a></x-a>{defined('x-a', '<x-b></x-b>')}{defined('x-b', INNER, 'open')}",
    "/frame": f'<iframe width=600 height=500 srcdoc="<x-a></x-a>'
    f'{defined("x-a", INNER).replace(chr(34), "&quot;")}"></iframe>',
    "/frame-in": "<x-a></x-a>" + defined("x-a", f"<iframe srcdoc='{INNER}'></iframe>"),
    "/far-frame-in": "<x-a></x-a><script>customElements.define('x-a', class extends HTMLElement {"
    " constructor() { super(); this.attachShadow({mode: 'closed'}).innerHTML = `<iframe width=600"
    " height=500 src=//localhost:${location.port}/custom></iframe>`; } });</script>",
    "/late": "<x-a></x-a>"
    * 30
    + "<script>document.querySelectorAll('x-a')[0].attachShadow({mode: 'closed'}).innerHTML = "
    "'<p>First</p>'; [...document.querySelectorAll('x-a')].at(-1).attachShadow({mode: 'closed'})"
    f".innerHTML = '{INNER}';</script>",
    "/tampered": "<x-a></x-a><script>const keep = Element.prototype.attachShadow;"
    "for (const one of [Element, Document, ShadowRoot, Node, WeakMap, Set, Map, Reflect, Object])"
    " for (const name of ['checkVisibility', 'querySelectorAll', 'createTreeWalker', 'get', 'set',"
    " 'has', 'getHTML', 'matches', 'importNode', 'getPrototypeOf'])"
    " try { (one.prototype ?? one)[name] = () => { throw 'no' }; } catch {}</script>"
    "<script>customElements.define('x-a', class extends HTMLElement { constructor() { super();"
    f" keep.call(this, {{mode: 'closed'}}).innerHTML = '{INNER}'; }} }});</script>",
    "/slots": "<x-a><b slot=one>First</b>Second<i slot=none>Nowhere</i></x-a>"
    + defined(
        "x-a", f"<p>{SENTENCE}</p><slot></slot>, <slot name=one></slot><slot name=x>Else</slot>"
    ),
    "/hidden": "<style>x-a { display: none }</style><x-a></x-a>" + OTHER + defined("x-a", INNER),
    "/hidden-open": "<style>x-a { display: none }</style><x-a></x-a>"
    + OTHER
    + defined("x-a", INNER, "open"),
    "/panel": OTHER + "<style>.off { display: none }</style><button aria-controls=one>More</button>"
    "<div id=one class=off><x-a></x-a></div>" + defined("x-a", INNER),
    "/contents": f"<style>x-a {{ display: contents }}</style><x-a></x-a>{defined('x-a', INNER)}",
    "/hidden-in": OTHER + "<x-a></x-a>" + defined("x-a", STYLED),
    "/hidden-in-open": OTHER + "<x-a></x-a>" + defined("x-a", STYLED, "open"),
    "/hidden-beside": f"<style>.off {{ display: none }}</style>{OTHER}<p class=off>{SENTENCE}</p>"
    "<x-a></x-a>" + defined("x-a", "<p>Shown</p>"),
    "/without": OTHER + "<x-a>One</x-a><x-b></x-b><div></div>" * 5000,
    "/icons": "<style>span { display: inline-block; width: 9px; height: 9px }</style>"
    + OTHER
    + "<span class='icon '></span>" * 1200
    + "<span></span>" * 50
    + "<x-a></x-a>"
    + defined("x-a", INNER),
    "/boxes": "<style>.box { height: 40px }</style>"
    + OTHER
    + "<div class=box></div>" * 25
    + "<div class=box id=last></div>"
    + rooted("#last", INNER),
    "/many": OTHER + "<x-a></x-a>" * 1200 + defined("x-a", "<p>Part</p>"),
    "/long": OTHER + "<x-a></x-a>" + f"<x-a title={'x' * 600_000}></x-a>" + defined("x-a", INNER),
    "/deep": OTHER + "<x-a></x-a><script>let count = 0; customElements.define('x-a', class extends"
    " HTMLElement { constructor() { super(); this.attachShadow({mode: 'closed'}).innerHTML = "
    "`<p>Level ${++count}</p>` + (count < 30 ? '<x-a></x-a>' : ''); } });</script>",
}


@pytest.fixture
async def site():
    async def answer(exchange):
        if exchange.path == "/json":
            await exchange.answer(ServerResponse(b'{"task": 1}', content_type="application/json"))
            return
        body = PAGES.get(exchange.path, "")
        html = f"<!doctype html><title>Shadows</title><body>{body}"
        await exchange.answer(ServerResponse(html.encode()))

    async with open_server(answer, []) as port:
        yield f"http://127.0.0.1:{port}"


@cases(
    "path",
    [
        "/custom",
        "/empty",
        "/blank",
        "/small",
        "/body",
        "/unslotted",
        "/nested",
        "/in-open",
        "/open-in",
        "/frame",
        "/frame-in",
        "/far-frame-in",
        "/late",
        "/panel",
        "/contents",
        "/tampered",
        "/icons",
        "/boxes",
    ],
)
async def test_closed_shadow_root_is_read(site, tabwright, path):
    page = await tabwright.read(f"{site}{path}", IN_TAB)
    assert SENTENCE in page.text
    assert "Light" not in page.text
    assert page.notice == ""


@cases("path", ["/json", "/frame-of-json"])
async def test_json_that_the_browser_shows_in_a_viewer_is_read(site, tabwright, path):
    page = await tabwright.read(f"{site}{path}", IN_TAB)
    assert '"task": 1' in page.text


async def test_slotted_children_of_closed_shadow_root_are_read_in_place(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(f"{site}/slots", IN_TAB)
    assert "Second, **First**Else" in page.text
    assert "Nowhere" not in page.text


@cases("path", ["/hidden", "/hidden-open", "/hidden-in", "/hidden-in-open", "/hidden-beside"])
async def test_hidden_text_of_page_with_closed_shadow_root_is_left_out(site, tabwright, path):
    page = await tabwright.read(f"{site}{path}", IN_TAB)
    assert "enough text of its own" in page.text
    assert SENTENCE not in page.text
    assert page.notice == ""


@cases("path", ["/without", "/icons"])
async def test_page_with_many_elements_without_closed_shadow_roots_has_no_notice(
    site, tabwright, path
):
    page = await tabwright.read(f"{site}{path}", IN_TAB)
    assert page.notice == ""


@cases(("path", "text", "count"), [("/many", "Part", 200), ("/long", SENTENCE, 1)])
async def test_elements_beyond_the_maximum_are_counted_in_the_notice(
    site, tabwright, path, text, count
):
    page = await tabwright.read(f"{site}{path}", IN_TAB)
    assert text in page.text
    assert f": {count} were" in page.notice


async def test_too_deeply_nested_closed_shadow_root_is_counted_in_the_notice(
    site, open_reading_client
):
    async with open_reading_client() as tabwright:
        once = attrs.evolve(IN_TAB, wait_for="css=x-a")  # each reading looks deeper
        page = await tabwright.read(f"{site}/deep", once)
    assert "Level 8" in page.text
    assert "Level 9" not in page.text
    assert ": 1 were" in page.notice

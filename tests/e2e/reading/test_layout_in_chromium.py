"""Words that only the layout of a page separates, in a real Chromium."""

import pytest

from tabwright.protocol.extraction import ReadOptions
from tabwright.testing.replica.server import ServerResponse, open_server

pytestmark = pytest.mark.chromium

STYLE = (
    "<style>.row{display:flex} .cells{display:grid} .line{display:block} .first{float:left}"
    " .tag{display:inline-block;padding:4px}</style>"
)
PAGE = (
    "<!doctype html><title>Layout</title><main><p class=row><span>Name</span><span>Zhou</span></p>"
    "<p class=cells><label>Price</label><b>Five</b></p>"
    "<a href=/a><span class=line>Title</span><span class=line>Date</span></a>"
    "<p><span><span class=line>Where</span></span><i>When</i></p>"
    "<p><i>Who</i><b><span class=line>What</span></b></p>"
    "<p><span class=tag>red</span><span class=tag>blue</span></p><p>half<i class=tag>way</i></p>"
    "<p>in<b>side</b></p><p><span class=first>O</span>nce</p>"
    "<p class=row><span>W</span><span>o</span><span>w</span></p>"
    "<pre><span class=line>one</span>\n<span class=line>two</span></pre>"
    "<x-card><b slot=key class=line>Key</b><b slot=word class=line>Word</b></x-card></main>"
    f"{STYLE}<script>document.querySelector('x-card').attachShadow({{mode: 'open'}}).innerHTML ="
    f"`{STYLE}<p class=row><span>Inner</span><span>Value</span></p><p class=row>"
    "<slot name=key></slot><slot name=word></slot></p>`</script>"
)
COMPONENTS = (
    "<!doctype html><title>List</title><main><h1>List</h1><p>Below</p><x-list><x-item>One<b"
    " slot=note>new</b></x-item><x-item>Two</x-item></x-list><div><x-item>Left</x-item><x-item>"
    "Right</x-item></div><div class=row><x-item>Save</x-item><x-item>Close</x-item></div>"
    "<p>in<x-word>side</x-word></p></main><style>x-item{display:block} .row{display:flex}</style>"
    "<script>const rooted = (name, html) => document.querySelectorAll(name).forEach((host) => {"
    "host.attachShadow({mode: 'open'}).innerHTML = html });"
    "rooted('x-list', '<ul><slot></slot></ul>');"
    "rooted('x-item', '<span><slot></slot></span> <slot name=note></slot>');"
    "rooted('x-word', '<slot></slot>')</script>"
)
NESTED = (
    "<!doctype html><title>Nested</title><div><main><h1>Nested</h1></main></div>after<script>"
    "const put = (outer, ...names) => names.reduce((one, name) => one.appendChild("
    "Object.assign(document.createElement(name), { textContent: name })), outer);"
    "const main = document.querySelector('main'); for (const name of ['button', 'li', 'button'])"
    " put(main, 'section', name, 'div', name, 'b'); put(main, 'p').innerHTML = 'The end';"
    "const [, inner] = document.querySelectorAll('button'); const holder = "
    "document.createElement('div'); holder.innerHTML = '<i @click=x>';"
    "inner.setAttributeNode(holder.firstChild.attributes[0].cloneNode())</script>"
)
POEM = (
    "<!doctype html><title>Poem</title><style>.poem{white-space:pre-line} .one{white-space:normal}"
    " code{white-space:pre}</style><main><p class=poem>One\n<i>Two</i>\n<b class=one>Three\nFour"
    "</b></p><p>Five\nSix <code>x\ny</code></p></main>"
)
PAGES = {"/poem": POEM, "/": PAGE, "/nested": NESTED, "/components": COMPONENTS}


@pytest.fixture
async def site():
    async def answer(exchange):
        await exchange.answer(ServerResponse(PAGES[exchange.path].encode()))

    async with open_server(answer, []) as port:
        yield f"http://127.0.0.1:{port}/"


async def test_inline_elements_laid_out_as_blocks_are_separate_words(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(site, ReadOptions(min_tier=2))
    for words in (
        "Name Zhou",
        "Price **Five**",
        "Title Date",
        "Inner Value",
        "**Key Word**",
        "red blue",
    ):
        assert words in page.text
    for words in ("Where *When*", "*Who* **What**"):
        assert words in page.text
    for word in ("in**side**", "half*way*", "Once", "Wow", "one\ntwo"):
        assert word in page.text


async def test_lines_of_a_text_are_kept_if_its_style_keeps_them(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(f"{site}poem", ReadOptions(min_tier=2))
    lines = page.text.splitlines()
    assert lines == ["One\\", "*Two*\\", "**Three Four**", "", "Five Six `x y`"]


async def test_components_on_lines_of_their_own_are_paragraphs_or_items(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(f"{site}components", ReadOptions(min_tier=2))
    assert page.text.partition("Below")[2].strip().split("\n\n") == [
        "- One **new**\n- Two",
        "Left",
        "Right",
        "Save Close",
        "inside",
    ]


async def test_page_with_elements_nested_in_their_own_kind_is_read_whole(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(f"{site}nested", ReadOptions(min_tier=2))
    assert page.text.count("section") == 3
    assert "div button" in page.text
    assert page.text.endswith("The end")
    assert "after" not in page.text

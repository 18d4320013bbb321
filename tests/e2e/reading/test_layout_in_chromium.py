"""Words that only the layout of a page separates, in a real Chromium."""

import pytest

from tabwright.protocol.extraction import ReadOptions
from tabwright.testing.replica.server import ServerResponse, open_server

pytestmark = pytest.mark.chromium

STYLE = (
    "<style>.row{display:flex} .cells{display:grid} .line{display:block} .first{float:left}</style>"
)
PAGE = (
    "<!doctype html><title>Layout</title><main><p class=row><span>Name</span><span>Zhou</span></p>"
    "<p class=cells><label>Price</label><b>Five</b></p>"
    "<a href=/a><span class=line>Title</span><span class=line>Date</span></a>"
    "<p><span><span class=line>Where</span></span><i>When</i></p>"
    "<p><i>Who</i><b><span class=line>What</span></b></p>"
    "<p>in<b>side</b></p><p><span class=first>O</span>nce</p>"
    "<p class=row><span>W</span><span>o</span><span>w</span></p>"
    "<pre><span class=line>one</span>\n<span class=line>two</span></pre>"
    "<x-card><b slot=key class=line>Key</b><b slot=word class=line>Word</b></x-card></main>"
    f"{STYLE}<script>document.querySelector('x-card').attachShadow({{mode: 'open'}}).innerHTML ="
    f"`{STYLE}<p class=row><span>Inner</span><span>Value</span></p><p class=row>"
    "<slot name=key></slot><slot name=word></slot></p>`</script>"
)


@pytest.fixture
async def site():
    async def answer(exchange):
        await exchange.answer(ServerResponse(PAGE.encode()))

    async with open_server(answer, []) as port:
        yield f"http://127.0.0.1:{port}/"


async def test_inline_elements_laid_out_as_blocks_are_separate_words(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(site, ReadOptions(min_tier=2))
    for words in ("Name Zhou", "Price **Five**", "Title Date", "Inner Value", "**Key Word**"):
        assert words in page.text
    for words in ("Where *When*", "*Who* **What**"):
        assert words in page.text
    for word in ("in**side**", "Once", "Wow", "one\ntwo"):
        assert word in page.text

"""Text that a page contains but does not render, in a real Chromium."""

import pytest

from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.page_text import RenderOptions
from tabwright.testing.replica.server import ServerResponse, open_server
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

PROSE = "<p>Every task has a parent that waits for it, and no error is lost.</p>" * 8
STYLE = (
    "<style>.gone{display:none} .clear{visibility:hidden} .tiny{font-size:0}"
    " .far{position:absolute;left:-9999px} .indent{text-indent:-9999px}"
    " .told{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}"
    " .dot{position:absolute;width:1px;height:1px;overflow:hidden}"
    " .pale{color:transparent} .rich{background:linear-gradient(red,blue);background-clip:text}"
    " .back{visibility:visible} .as-is{display:contents} .faint{opacity:0}</style>"
)
HIDDEN = (
    "<p class=gone>HIDDEN 1</p><div class=clear>HIDDEN 2 <b class=back>SHOWN 1</b></div>"
    "<p class=clear>HIDDEN 3</p><p class=tiny>HIDDEN 4</p><p class=far>HIDDEN 5</p>"
    "<p class=pale>HIDDEN 12</p><p class=indent>HIDDEN 6</p><p class=told role=status>HIDDEN 0</p>"
    "<div class=told><div><p aria-live=polite>HIDDEN 10</p></div>SHOWN 9</div>"
    "<div class=dot><x-a><template shadowrootmode=open><p role=alert>HIDDEN 11</p></template></x-a>"
    "</div><dialog>HIDDEN 7</dialog>"
    "<button aria-controls=menu>Menu</button><div id=menu class=gone><a href=/9>HIDDEN 9</a></div>"
)
SHOWN = (
    "<p class=as-is>SHOWN 2</p><details><summary>More</summary><p>SHOWN 3</p></details>"
    "<button aria-controls=panel>Panel</button><div id=panel class=gone>SHOWN 4</div>"
    "<div role=tabpanel class=gone><a href=/5>SHOWN 5</a></div><p class=faint>SHOWN 6</p>"
    "<h2 class='pale rich'><span>SHOWN 0</span></h2>"
    "<p class=told>SHOWN 7</p><p role=status>SHOWN 8</p>"
    "<form><input name=matches><input name=textContent><p class=gone>HIDDEN 8</p></form>"
)
CONTROLLED = (
    "<style>.gone,.b{display:none} .b:first-child{display:block} .clear{visibility:hidden}"
    " .flat{height:0} .far{position:absolute;left:-9999px}"
    " .glass{opacity:0}</style><p><label for=a>A</label><label for=b>B</label></p>"
    "<div><div class=b>SHOWN 0</div><div class=b>SHOWN 1 <i class=gone>HIDDEN 0</i></div></div>"
    f"<p>{PROSE}</p><button>Details</button><div class=gone>SHOWN 2, which is folded away</div>"
    f"<p>{PROSE}</p><button aria-expanded=false>More</button>"
    "<div class='clear flat'><p>SHOWN 3</p></div>"
    "<button aria-controls=c>C</button><div id=c class=clear><p>SHOWN 4</p></div>"
    "<section class='clear wow'><h2>SHOWN 5</h2><p>SHOWN 6</p></section>"
    "<section class='clear glass'><h2>SHOWN 7</h2></section><p class=clear data-aos=up>SHOWN 8</p>"
    "<p class='clear glass error'>HIDDEN 5</p>"
    "<article class=clear><h2>HIDDEN 1</h2><p>HIDDEN 2</p></article>"
    "<section class='clear wow' style='position:absolute'>HIDDEN 3</section>"
    "<button>Buy</button><div class=far>HIDDEN 4, which is off the page</div>"
)
DIALOG = (
    "<button command=show-modal commandfor=a>A</button><dialog id=a><p>SHOWN 0</p></dialog>"
    "<button onclick='b.showModal()'>B</button><dialog id=b><p>SHOWN 1</p></dialog>"
    "<dialog id=c><p>HIDDEN 0</p></dialog>"
)
GATE = (
    "<div><h2>Are you of age?</h2><button>Yes</button></div>"
    f"<div style='display:none'><main><h1>Beers</h1>{PROSE}</main></div><script>/**/</script>"
)
PAGES = {
    "/dialogs": f"<main>{PROSE}{DIALOG}</main>",
    "/gate": GATE,
    "/controlled": f"<main>{CONTROLLED}</main>",
    "/hidden": f"{STYLE}<main>{PROSE}{HIDDEN}{SHOWN}</main>",
    "/library": f"<main>{PROSE}<script>/*{'a' * 8_000_000}*/</script><p>SHOWN</p></main>",
    "/unstyled": f"<style>main{{display:none}}</style><main>{PROSE}SHOWN</main><p>Wait",
}


@pytest.fixture
async def site():
    async def answer(exchange):
        await exchange.answer(
            ServerResponse(
                f"<!doctype html><title>H</title>{PAGES.get(exchange.path, '')}".encode()
            )
        )

    async with open_server(answer, []) as port:
        yield f"http://127.0.0.1:{port}"


@cases("tier", [2, 3])
async def test_text_that_is_not_rendered_is_left_out_in_a_tab(tier, site, tabwright):
    page = await tabwright.read(f"{site}/hidden", ReadOptions(min_tier=tier))
    assert page.tier == tier
    for number in (0, 1, *range(3, 13)):
        assert f"HIDDEN {number}" not in page.text
    for number in range(10):
        assert f"SHOWN {number}" in page.text


@cases("tier", [2, 3])
async def test_text_that_style_hides_is_kept_if_click_or_scrolling_shows_it(tier, site, tabwright):
    page = await tabwright.read(f"{site}/controlled", ReadOptions(min_tier=tier))
    assert [number for number in range(9) if f"SHOWN {number}" not in page.text] == []
    assert [number for number in range(6) if f"HIDDEN {number}" in page.text] == []


async def test_dialog_is_kept_in_a_tab_if_a_control_opens_it(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(f"{site}/dialogs", ReadOptions(min_tier=2))
    assert [number for number in range(2) if f"SHOWN {number}" not in page.text] == []
    assert "HIDDEN 0" not in page.text


async def test_main_part_behind_a_question_is_read_in_a_tab(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(f"{site}/gate", ReadOptions(min_tier=2))
    assert "Beers" in page.text
    assert "“Are you of age?" in page.notice


async def test_text_after_a_script_of_megabytes_is_read(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(f"{site}/library", ReadOptions(min_tier=2))
    assert "SHOWN" in page.text
    assert page.truncation is None


async def test_unrendered_text_is_left_out_of_a_session_page(site, open_reading_client):
    async with open_reading_client() as tabwright:
        await tabwright.session("s").navigate(f"{site}/hidden", ReadOptions(min_tier=3))
        page = await tabwright.session("s").view(RenderOptions())
        assert "HIDDEN 1" not in page.text
        assert "SHOWN 4" in page.text


async def test_page_that_is_mostly_hidden_keeps_its_text(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.read(f"{site}/unstyled", ReadOptions(min_tier=3))
    assert "SHOWN" in page.text

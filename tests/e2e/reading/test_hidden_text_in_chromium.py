"""Text that a page contains but does not render, in a real Chromium."""

import pytest

from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.page_text import RenderOptions
from tabwright.testing.replica.server import ServerResponse, open_server

pytestmark = pytest.mark.chromium

PROSE = "<p>Every task has a parent that waits for it, and no error is lost.</p>" * 8
STYLE = (
    "<style>.gone{display:none} .clear{visibility:hidden} .tiny{font-size:0}"
    " .far{position:absolute;left:-9999px} .indent{text-indent:-9999px}"
    " .told{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}"
    " .back{visibility:visible} .as-is{display:contents} .faint{opacity:0}</style>"
)
HIDDEN = (
    "<p class=gone>HIDDEN 1</p><div class=clear>HIDDEN 2 <b class=back>SHOWN 1</b></div>"
    "<p class=clear>HIDDEN 3</p><p class=tiny>HIDDEN 4</p><p class=far>HIDDEN 5</p>"
    "<p class=indent>HIDDEN 6</p><p class=told role=status>HIDDEN 0</p><dialog>HIDDEN 7</dialog>"
    "<button aria-controls=menu>Menu</button><div id=menu class=gone><a href=/9>HIDDEN 9</a></div>"
)
SHOWN = (
    "<p class=as-is>SHOWN 2</p><details><summary>More</summary><p>SHOWN 3</p></details>"
    "<button aria-controls=panel>Panel</button><div id=panel class=gone>SHOWN 4</div>"
    "<div role=tabpanel class=gone><a href=/5>SHOWN 5</a></div><p class=faint>SHOWN 6</p>"
    "<p class=told>SHOWN 7</p><p role=status>SHOWN 8</p>"
    "<form><input name=matches><input name=textContent><p class=gone>HIDDEN 8</p></form>"
)
PAGES = {
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


@pytest.mark.parametrize("tier", [2, 3])
async def test_text_that_is_not_rendered_is_left_out_in_a_tab(tier, site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(f"{site}/hidden", ReadOptions(min_tier=tier))
        assert page.tier == tier
        for number in (0, 1, 3, 4, 5, 6, 7, 8, 9):
            assert f"HIDDEN {number}" not in page.text
        for number in range(1, 9):
            assert f"SHOWN {number}" in page.text


async def test_text_after_a_script_of_megabytes_is_read(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(f"{site}/library", ReadOptions(min_tier=2))
    assert "SHOWN" in page.text
    assert page.truncation is None


async def test_unrendered_text_is_left_out_of_a_session_page(site, open_reading_client):
    async with open_reading_client() as tabwright:
        await tabwright.navigate(f"{site}/hidden", ReadOptions(min_tier=3), session="s")
        page = await tabwright.view_page("s", RenderOptions())
        assert "HIDDEN 1" not in page.text
        assert "SHOWN 4" in page.text


async def test_page_that_is_mostly_hidden_keeps_its_text(site, open_reading_client):
    async with open_reading_client() as tabwright:
        page = await tabwright.browse(f"{site}/unstyled", ReadOptions(min_tier=3))
    assert "SHOWN" in page.text

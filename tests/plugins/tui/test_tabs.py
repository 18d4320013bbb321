"""Several tabs in the terminal browser."""

import pytest

pytestmark = pytest.mark.chromium


async def add_tab(t) -> None:
    t.keys("t")
    await t.until(":open")
    t.keys("Escape")
    await t.gone(":open")


async def test_each_tab_has_its_own_page_and_history(web, open_tui) -> None:
    async with open_tui(web.url("/article")) as t:
        await t.until("story[1]")
        t.keys("x")
        await t.until("This is the last tab")
        t.keys("t")
        await t.until("2 New tab")
        t.type(f"{web.url('/emoji')}\n")
        await t.until("2 Signs")
        assert t.cell("2 Signs").reverse
        t.type(f":open {web.url('/long')}\n")
        await t.until("2 A long story")
        t.keys("Alt+1")
        await t.until("story[1]")
        t.keys("b")
        await t.until("There is no earlier page.")
        t.keys("[")
        await t.until("Paragraph 1.")
        t.keys("b")
        await t.until("Signs of several parts")
        t.keys("]")
        await t.until("story[1]")
        t.keys("Alt+2")
        await t.until("Signs of several parts")
        t.keys("x")
        await t.until("story[1]")
        await t.gone("1 Structured")
        t.keys("q")
        assert await t.ended() == 0


async def test_tab_titles_are_truncated_by_display_width(web, open_tui) -> None:
    web.put("/wide", "<h1>Wide</h1>", "漢字" * 30)
    async with open_tui(web.url("/wide"), columns=60) as t:
        await t.until("Wide")
        t.type(f":tab {web.url('/wide')}\n")
        await t.until("2 漢字漢字漢字漢字")
        assert t.line(0).count("…") == 2
        for _ in range(6):
            await add_tab(t)
        await t.until(lambda now: "8 N" in now.line(0))
        assert "1 漢" in t.line(0)


async def test_current_tab_stays_visible_among_many_tabs(open_tui) -> None:
    async with open_tui(columns=20, lines=6) as t:
        await t.until("o opens a page")
        for _ in range(7):
            await add_tab(t)
        await t.until(lambda now: " 8 " in now.line(0))
        assert t.cell("8 ").reverse
        t.keys("]")
        await t.until(lambda now: " 1 " in now.line(0))


async def test_a_tab_loads_while_another_is_read(web, open_tui) -> None:
    async with open_tui(web.url("/article")) as t:
        await t.until("story[1]")
        t.type(f":tab {web.url('/slow')}\n")
        await t.until("2 … http")
        t.keys("Alt+1")
        await t.until("story[1]")
        await t.until(lambda _: web.asked("/slow") == 1)
        web.released.set()
        await t.until("2 Slow")
        await t.until("story[1]")
        t.keys("]")
        await t.until(lambda now: now.line(1) == "Slow")


async def test_closing_a_loading_tab_cancels_its_request(web, open_tui) -> None:
    async with open_tui(web.url("/article")) as t:
        await t.until("story[1]")
        t.type(f":tab {web.url('/slow')}\n")
        await t.until(lambda _: web.asked("/slow") == 1)
        t.keys("x")
        await t.gone("2 …")
        await web.given_up.wait()
        await t.until("story[1]")

"""The terminal browser in windows of all sizes, and in several kinds of terminals."""

import re

import pytest
import trio

from tests.support.terminal import open_terminal

pytestmark = pytest.mark.chromium

COLOUR = re.compile(rb"\x1b\[(?:[\d;]*;)?(?:[349][0-7]|10[0-7]|[34]8;[25];[\d;]*)(?:;[\d;]*)?m")
"""Sets a colour (ECMA-48, SGR)."""


@pytest.fixture
def open_where(web, write_config, quick_tui):
    """Return a function that opens the article with other environment variables."""
    program = quick_tui(write_config())

    def opened(**variables: str):
        env = "env", *(f"{name}={value}" for name, value in variables.items())
        return open_terminal([*env, *program, web.url("/article")])

    return opened


async def test_resizing_keeps_the_reading_position(web, open_tui, golden) -> None:
    async with open_tui(web.url("/long"), columns=20, lines=6) as t:
        await t.until("Paragraph 1.")
        await golden(t, "long_small")
        t.type("/paragraph 77.\n")
        await t.until("1 found")
        before = t.text
        for columns, lines in ((200, 60), (80, 24), (20, 6), (10, 3), (80, 24)):
            t.resize(columns, lines)
            await t.until(lambda now, lines=lines: filled(now, lines))
            if lines > 3:
                await t.until("Paragraph 77.")
        t.resize(20, 6)
        await t.until(lambda now: now.text == before)
        t.resize(80, 24)
        t.keys("Tab")
        t.type(f":open {web.url('/article')}\n")
        await t.until("story[1]")


async def test_rapid_resizing_ends_with_final_size_drawn(web, open_tui) -> None:
    async with open_tui(web.url("/long")) as t:
        await t.until("Paragraph 1.")
        for lines in (*range(24, 40), *range(39, 5, -1)) * 4:
            t.resize(40 + lines, lines)
            await trio.lowlevel.checkpoint()
        await t.until(lambda now: filled(now, 6) and not now.screen.rows[-2][0].reverse)
        t.resize(80, 24)
        await t.until(lambda now: filled(now, 24) and "Paragraph 9." in now.text)


def filled(t, lines: int) -> bool:
    """Return whether there are this many lines, the last being the status line."""
    return len(t.screen.rows) == lines and t.screen.rows[-1][0].reverse


async def test_resize_during_page_load_redraws_the_current_page(web, open_tui) -> None:
    async with open_tui(web.url("/long")) as t:
        await t.until("Paragraph 1.")
        t.keys("G")
        await t.until("Paragraph 500.")
        t.type(f":open {web.url('/slow')}\n")
        await t.until("Loading")
        t.resize(50, 10)
        await t.until("Paragraph 499.")
        await t.until("Loading")
        web.released.set()
        await t.until(lambda now: now.line(0) == "Slow")


async def test_resize_keeps_open_prompt_and_option_list(web, open_tui) -> None:
    options = "<option>Red</option><option>Blue</option>"
    web.put("/choice", f"<form action=/found><select name=colour>{options}</select></form>")
    async with open_tui(web.url("/choice")) as t:
        await t.until("<Red>")
        t.type("/half of")
        await t.until("/half of")
        t.resize(40, 12)
        await t.until(lambda now: now.line(-1) == "/half of" and now.line(-2).endswith("100%"))
        t.keys("Escape")
        await t.until(lambda now: now.line(-1).endswith("100%"))
        t.type(":forms\n")
        await t.until(lambda now: now.cell("<Red>").reverse)
        t.keys("Enter")
        await t.until("Blue")
        t.resize(80, 24)
        await t.until(lambda now: "Blue" in now.text and max(map(len, now.screen.text)) > 60)
        t.keys("j", "Enter")
        await t.until("<Blue>")


async def test_no_color_disables_colours_and_shows_images_as_alt_text(open_where) -> None:
    async with open_where(NO_COLOR="1") as t:
        await t.until("story[1]")
        t.keys("Tab", "G", "?")
        await t.until("The browser of the terminal")
        t.keys("b", "G")
        await t.until("Proofs[26]")
        t.type("/two colours\n")
        await t.until("[image: Two colours]")
        assert not COLOUR.findall(bytes(t.raw))


@pytest.mark.parametrize("kind", ["vt100", "dumb", "linux", "no-such-terminal"])
async def test_page_is_shown_in_other_terminal_types(open_where, kind) -> None:
    async with open_where(TERM=kind, COLORTERM="") as t:
        await t.until("story[1]")
        t.keys("d")
        await t.until("Go statement considered harmful.")
        t.keys("q")
        assert await t.ended() == 0


async def test_wide_characters_are_not_cut_at_window_edge(web, open_tui) -> None:
    web.put("/wide", f"<h1>Wide</h1><p>x{'漢字' * 100}</p><pre>y{'漢字' * 100}</pre>")
    async with open_tui(web.url("/wide"), columns=21, lines=12) as t:
        await t.until("Wide")
        for columns in (22, 23, 24):
            t.resize(columns, 12)
            await t.until(lambda now, columns=columns: in_place(now, columns))


def in_place(t, columns: int) -> bool:
    """Return whether the first Chinese line fills the width beside the scroll bar."""
    line = next((text for text in t.screen.text if text.startswith("x漢")), "")
    return sum(map("漢字".count, line)) == (columns - 2) // 2

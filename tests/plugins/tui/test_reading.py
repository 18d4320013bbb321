"""Reading in the terminal browser: how pages look, and where the keys lead."""

import re

import pytest

pytestmark = pytest.mark.chromium

HALF_BLOCK = "▄"
REDDISH, BLUISH = re.compile("[b-d].[0-3].[0-3]."), re.compile("[0-3].[0-3].[b-d].")
"""The halves of the article's picture."""

PLACES = "<p><a href='#the-end'>Down</a></p>{}<h2 id=the-end>The end</h2>".format(
    "<p>Something on the way.</p>" * 60
)


async def test_article_matches_golden_screens_and_text_styles(web, open_tui, golden) -> None:
    async with open_tui(web.url("/article")) as t:
        await t.until("story[1]")
        await golden(t, "article")
        t.keys("PageDown")
        await t.until("Threads")
        await golden(t, "article_below")
        t.keys("g")
        await t.until(lambda now: now.line(0) == "Structured concurrency")
        assert t.cell("Structured concurrency").bold
        assert t.cell("short").bold
        assert t.cell("story[1]").underscore


async def test_keys_scroll_by_lines_by_windows_and_to_the_ends(web, open_tui) -> None:
    async with open_tui(web.url("/long")) as t:
        await t.until("Paragraph 1.")
        for keys, first in (
            ("jj", "Paragraph 1."),
            ("kk", "A long story"),
            ("dj", "Paragraph 11."),
            ("uk", "A long story"),
            (" j", "Paragraph 11."),
            ("g", "A long story"),
        ):
            t.type(keys)
            await t.until(lambda now, first=first: now.line(0).startswith(first))
        t.keys("G")
        await t.until("100%")
        await t.until("Paragraph 500.")
        t.keys("d", "G", "j", "g", "k")
        await t.until(lambda now: now.line(0) == "A long story")


@pytest.mark.smoke
async def test_tab_goes_from_link_to_link_and_enter_follows(web, open_tui) -> None:
    async with open_tui(web.url("/article")) as t:
        await t.until("story[1]")
        t.keys("Tab")
        await t.until(web.url("/long"))
        assert t.cell("story[1]").reverse
        t.keys("Tab")
        await t.until(web.url("/form"))
        assert not t.cell("story[1]").reverse
        t.keys("Shift+Tab", "Enter")
        await t.until("Paragraph 1.")
        assert t.line(0) == "A long story"


async def test_typed_numbers_follow_links_including_two_digits(web, open_tui) -> None:
    async with open_tui(web.url("/article")) as t:
        await t.until("story[1]")
        t.keys("1", "2")
        await t.until(lambda now: now.line(0) == "Refusals")
        t.keys("b")
        await t.until("story[1]")
        t.keys("3")
        await t.until(lambda now: now.line(0) == "Nurseries")
        t.keys("b")
        await t.until("story[1]")
        t.type(":99\n")
        await t.until("There is no link 99.")
        t.type(":5\n")
        await t.until(lambda now: now.line(0) == "Deadlines")


async def test_back_and_forward_restore_the_scroll_position(web, open_tui) -> None:
    async with open_tui(web.url("/long")) as t:
        await t.until("Paragraph 1.")
        t.keys("b")
        await t.until("There is no earlier page.")
        t.type("djd")
        await t.until("Paragraph 30.")
        there = t.line(0)
        t.type(f":open {web.url('/article')}\n")
        await t.until("What there is")
        t.type("jjj")
        await t.until(lambda now: now.line(0).startswith("story[1]"))
        t.keys("b")
        await t.until("Paragraph 30.")
        assert t.line(0) == there
        t.keys("f")
        await t.until(lambda now: now.line(0).startswith("story[1]"))
        t.keys("f")
        await t.until("There is no later page.")
        assert web.asked("/long") == 1


async def test_reload_keeps_scroll_position_and_reader_view_hides_menu(web, open_tui) -> None:
    menu = "<nav><a href=/a>Menu of the site</a></nav>"
    main = f"<main><h1>News</h1>{'<p>Something that was written at length.</p>' * 40}"
    web.put("/news", f"{menu}{main}<p>Old end</p></main>")
    async with open_tui(web.url("/news")) as t:
        await t.until("News")
        t.keys("G")
        await t.until("Menu of the site")
        web.put("/news", f"{menu}{main}<p>New end</p></main>")
        t.keys("r")
        await t.until("New end")
        await t.until("Menu of the site")
        t.keys("R")
        await t.until("reader")
        await t.gone("Menu of the site")
        t.keys("R")
        await t.gone("reader")
        t.keys("G")
        await t.until("Menu of the site")


async def test_images_are_drawn_in_colour_or_shown_as_alt_text(web, open_tui) -> None:
    async with open_tui(web.url("/article")) as t:
        await t.until("Nurseries")
        t.type("/Pictures\n")
        await t.until(HALF_BLOCK)
        colours = {cell.bg for row in t.screen.rows for cell in row if cell.data == HALF_BLOCK}
        assert any(map(REDDISH.fullmatch, colours))
        assert any(map(BLUISH.fullmatch, colours))
        t.keys("i")
        await t.until("[image: Two colours]")
        await t.gone(HALF_BLOCK)
        t.keys("i")
        await t.until(HALF_BLOCK)


async def test_text_search_repeats_forwards_and_backwards(web, open_tui) -> None:
    async with open_tui(web.url("/long")) as t:
        await t.until("Paragraph 1.")
        t.type("/paragraph 4\n")
        await t.until("111 found")
        assert t.cell("Paragraph 4.").bg != "default"
        t.keys("n")
        await t.until("2 of 111")
        await t.until("Paragraph 40.")
        t.keys("N", "N")
        await t.until("111 of 111")
        await t.until("Paragraph 499.")
        t.type("/no such thing\n")
        await t.until("no such thing not found.")
        t.keys("/", "Up", "Up", "Enter")
        await t.until("111 found")


async def test_links_and_help_pages_are_left_by_going_back(web, open_tui) -> None:
    async with open_tui(web.url("/article")) as t:
        await t.until("story[1]")
        t.type(":links\n")
        await t.until("Links of Structured concurrency")
        t.keys("1")
        await t.until("Paragraph 1.")
        t.keys("?")
        await t.until("The browser of the terminal")
        t.keys("r")
        await t.until("There is no page to reload.")
        t.keys("b", "b", "b")
        await t.until("What there is")


async def test_command_line_completes_keeps_history_and_reports_errors(web, open_tui) -> None:
    async with open_tui(web.url("/article")) as t:
        await t.until("story[1]")
        t.type(":nonsense\n")
        await t.until("There is no command :nonsense. :help lists them.")
        t.type(":open\n")
        await t.until(":open needs an argument: :open URL")
        t.type(":re")
        t.keys("Tab")
        await t.until(":refresh")
        t.keys("Tab")
        await t.until(":reader")
        t.keys("Escape")
        await t.gone(":reader")
        t.keys("o", "Tab")
        await t.until(f":open {web.url('/long')}")
        t.keys("Escape")
        await t.gone(f":open {web.url('/long')}")
        t.keys(":", "Up")
        await t.until(lambda now: now.line(-1) == ":open")
        t.keys("Up")
        await t.until(lambda now: now.line(-1) == ":nonsense")
        t.keys("Down", "Down")
        await t.until(lambda now: now.line(-1) == ":")
        t.keys("Backspace")
        await t.until(lambda now: now.line(-1) != ":")
        t.keys("j")
        await t.until(lambda now: now.line(0) != "Structured concurrency")


async def test_anchor_link_scrolls_without_reloading_the_page(web, open_tui) -> None:
    web.put("/places", PLACES)
    async with open_tui(web.url("/places")) as t:
        await t.until("Down[1]")
        t.keys("1")
        await t.until("The end")
        await t.until("100%")
        assert web.asked("/places") == 1

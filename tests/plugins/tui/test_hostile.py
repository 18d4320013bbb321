"""Pages that attack the terminal, or the code that draws on it."""

import html
import re

import pytest

pytestmark = pytest.mark.chromium

STEERS = re.compile(
    rb"\x1b\](?!1[01];\?|22;)|\x1bP(?!\+q)|\x1b_(?!G)|\x1b\^|\x1bX"  # strings of commands
    rb"|\xc2[\x80-\x9f]|owned\x07|\x1b\[2J\x1b\[31m"
)
"""What commands a terminal: strings of commands, and control characters of eight bits."""

BIDI = set("\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

MARKUP = "[bold]loud[/bold] [red] [/nothing] [link=x]y[/link] [@click=app.bell]z[/] :smile:"
WRITTEN = html.escape(MARKUP)

MARKED = f"""<h1>Head {WRITTEN}</h1><p>Text {WRITTEN}</p>
<p><a href="/article?{WRITTEN}">Link {WRITTEN}</a></p>
<form action="/found?{WRITTEN}"><p><label>Field {WRITTEN}
<input name=q value="{WRITTEN}"></label></p>
<p><label>Choice {WRITTEN}
<select name=c><option>One {WRITTEN}<option>Two</select></label></p>
<p><label>Note {WRITTEN} <textarea name=n>Area {WRITTEN}</textarea></label></p></form>"""

MANY = 10_000


def steered(t) -> list[bytes]:
    """Return terminal commands in the output that the program itself never writes."""
    return STEERS.findall(bytes(t.raw))


def characters(t) -> set[str]:
    return {character for row in t.screen.rows for cell in row for character in cell.data}


async def go_to_form(t) -> None:
    t.type(":forms\n")
    await t.until(is_in_form)


def is_in_form(t) -> bool:
    """Return whether a field has the focus: it is yellow, which pyte calls brown."""
    return any(cell.reverse and cell.fg == "brown" for row in t.screen.rows for cell in row)


async def test_hostile_page_is_shown_as_text_without_control_codes(web, open_tui) -> None:
    async with open_tui(web.url("/hostile")) as t:
        await t.until("[bold]loud")
        seen = characters(t)
        for key in ("Tab", "Tab", "d", "d", "u"):
            t.keys(key)
            await t.until("[bold]loud")
            seen |= characters(t)
        t.keys("G")
        await t.until("The end of it.")
        seen |= characters(t)
        await go_to_form(t)
        t.keys("Enter")
        await t.until(lambda now: now.line(-1).startswith("Field"))
        t.type("typed")
        await t.until("typed")
        seen |= characters(t)
        t.keys(
            "Escape",
        )
        await t.until(lambda now: not now.line(-1).startswith("Field"))
        t.type(":links\n")
        await t.until("Links of Title")
        seen |= characters(t)
        t.keys("o", "Tab", "Tab")
        await t.until("%1B[2J")
        seen |= characters(t)
        t.keys("Escape")
        await t.gone("%1B[2J")
        t.type(f":tab {web.url('/article')}\n")
        await t.until("2 Structured concurrency")
        seen |= characters(t)
        assert "Links of Title" in t.line(0)
        assert not seen & BIDI
        assert not steered(t)
        assert (t.screen.title, t.screen.clipboard) == ("", "")


async def test_markup_in_page_is_shown_literally_everywhere(web, open_tui) -> None:
    web.put("/marked", MARKED, f"Title {WRITTEN}")
    async with open_tui(web.url("/marked"), columns=200, lines=30) as t:
        for whole in ("Head", "Text", "Link", "Field", "Choice", "Note"):
            await t.until(f"{whole} {MARKUP}")
        assert f"Title {MARKUP}" in t.line(-1)
        await go_to_form(t)
        t.keys("Enter")
        await t.until(f"Field {MARKUP} = {MARKUP}")
        t.keys("Enter")
        await t.until(lambda now: not now.line(-1).startswith("Field"))
        t.keys("Tab", "Enter")
        await t.until("▊ One [bold]loud")
        t.keys("Escape")
        await t.gone("▊ Two")
        t.keys("Tab", "Enter")
        await t.until("Ctrl+S saves")
        await t.until(f"Area {MARKUP}")
        t.keys("Escape")
        await t.gone("Ctrl+S saves")
        t.type(f"/{MARKUP[:20]} nowhere\n")
        await t.until("nowhere not found.")
        assert MARKUP[:20] in t.line(-1)
        t.type(f":{MARKUP}\n")
        await t.until("There is no command :[bold]loud[/bold].")
        t.keys("t")
        await t.until("1 Title [bold]loud[/bold]")


async def test_page_with_thousands_of_links_is_usable(web, open_tui) -> None:
    async with open_tui(web.url("/links")) as t:
        await t.until("Link 0[1]")
        t.keys("G")
        await t.until("Link 4999[5000]")
        t.keys("Shift+Tab")
        await t.until(web.url("/topic/4999"))
        t.type("4321")
        await t.until(lambda now: now.line(0) == "4320")
        t.keys("b")
        await t.until("Link 4999[5000]")
        t.type("/link 12\n")
        await t.until("111 found")


async def test_very_long_title_and_link_leave_room_for_the_page(web, open_tui) -> None:
    endless = "word " * (MANY // 5)
    body = f"<p>Before</p><p><a href=/article>{endless}</a></p><p>After</p>"
    web.put("/endless", body, "漢" * MANY)
    async with open_tui(web.url("/endless")) as t:
        await t.until("Before")
        assert t.line(-1).startswith("漢漢")
        assert "…" in t.line(-1)
        t.keys("Tab")
        await t.until(web.url("/article"))
        t.keys("G")
        await t.until("After")
        t.keys("t")
        await t.until(":open")
        t.keys("Escape")
        await t.until("1 漢")
        assert "2 New tab" in t.line(0)


async def test_fields_with_very_long_labels_can_be_filled_in(web, open_tui) -> None:
    label = "label " * (MANY // 6)
    fields = (
        f"<label>{label}<input name=q></label>"
        f"<label>{label}<select name=c><option>One<option>Two</select></label>"
    )
    web.put("/endless", f"<h1>Endless</h1><form action=/found>{fields}</form>")
    async with open_tui(web.url("/endless")) as t:
        await t.until("Endless")
        await go_to_form(t)
        t.keys("Enter")
        await t.until(lambda now: now.line(-1).startswith("label"))
        t.type("typed here")
        await t.until("typed here")
        t.keys("Enter")
        await t.until("[typed")
        t.keys("Tab", "Enter")
        await t.until(" Two")
        t.keys("j", "Enter")
        await t.until("<Two>")

"""Pages typeset as terminal lines, with their links and fields."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tabwright.plugins.tui.layout import WIDTH_MAX, WIDTH_MIN, Span, links_of, typeset
from tabwright.plugins.tui.page import BrowsedPage, FieldName
from tabwright.protocol.snapshot import Field, Option, PageForm, PageLink
from tabwright.text.lines import strip_invisible

HOME = PageLink(1, "home", "https://a.example/", "content")
MENU = PageLink(2, "menu", "https://a.example/menu", "navigation")


def page(text: str, *links: PageLink, forms: tuple[PageForm, ...] = ()) -> BrowsedPage:
    return BrowsedPage("https://a.example/", "A", text, links, forms, tier=1)


def lines(text: str, *links: PageLink, width: int = 40) -> list[str]:
    return [line for line in typeset(page(text, *links), width).plain if line]


def test_page_text_wraps_at_the_given_width():
    text = (
        "# Top\n\nOne two three four five.\n\n- a\n  - b\n\n3. c\n\n> said\n\n```python\nx = 1\n```"
    )
    assert lines(text, width=16) == [
        "Top",
        "One two three",
        "four five.",
        " • a",
        "    • b",
        " 3 c",
        "▌ said",
        " x = 1",
    ]


def test_a_table_keeps_its_columns():
    shown = lines("| Name | Price |\n| --- | --- |\n| Lamp | 40 |\n| 灯 | 7 |")
    assert [line.split() for line in shown if "─" not in line] == [
        ["Name", "Price"],
        ["Lamp", "40"],
        ["灯", "7"],
    ]


def test_links_keep_server_numbers_and_new_ones_continue_from_them():
    text = (
        "[home](https://a.example/) and [away](https://b.example/) and [home](https://a.example/)"
    )
    assert lines(text, HOME, MENU, width=80)[0] == "home[1] and away[3] and home[1]"
    assert [(one.number, one.url) for one in links_of(page(text, HOME, MENU))] == [
        (1, "https://a.example/"),
        (2, "https://a.example/menu"),
        (3, "https://b.example/"),
    ]


def test_links_absent_from_the_text_are_listed_below_the_page():
    shown = lines("[home](https://a.example/)", HOME, MENU)
    assert shown[0] == "home[1]"
    assert "Outside the main content" in shown[1]
    assert shown[2] == "menu[2]"


def test_link_broken_across_lines_is_one_focusable_spot():
    sheet = typeset(page("[one two three four](https://a.example/) [b](https://b.example/)"), 12)
    first, second = sheet.spots
    assert len({span.line for span in first.spans}) > 1
    assert second.target == PageLink(2, "https://b.example/", "https://b.example/", "content")


@pytest.mark.parametrize(
    "hostile",
    ["&#27;[2J", "\x1b[31mred", "&#155;31m", "a&#8238;b", "`\x1b]0;title\x07`", "![&#27;c](x)"],
)
def test_terminal_control_characters_are_removed(hostile):
    shown = "".join(lines(f"{hostile}\n\n```\n{hostile}\n```"))
    assert not {"\x1b", "\x9b", "\x07", "\u202e"} & set(shown)


def test_loaded_picture_is_drawn_and_a_missing_one_named(png):
    text = "![a \\[lamp\\]](https://a.example/l.png)\n\n![](https://a.example/m.png)"
    assert lines(text) == ["[image: a [lamp]]", "[image]"]
    drawn = typeset(page(text), 40, {}, {"https://a.example/l.png": png(4, 4)})
    assert [line for line in drawn.plain if line] == ["▄▄▄▄", "▄▄▄▄", "[image]"]


def test_invalid_picture_is_shown_as_damaged():
    sheet = typeset(page("![x](u)"), 40, {}, {"u": b"no picture"})
    assert "[image: damaged]" in sheet.plain


def test_form_fields_show_their_filled_in_values():
    fields = (
        Field("q", "text", label="Name", required=True),
        Field("p", "password", value="abc", label="Word"),
        Field("c", "checkbox", value="1", label="Agree", checked=True),
        Field("r", "radio", value="x", label="X"),
        Field("s", "select", value="b", label="Pick", options=(Option("a", "A"), Option("b", "B"))),
        Field("h", "hidden", value="1", hidden=True),
        Field("", "submit", label="Go"),
    )
    form = PageForm(0, "https://a.example/f", fields=fields)
    filled = {FieldName(0, 0): "Ann", FieldName(0, 2): False}
    sheet = typeset(page("", forms=(form,)), 60, filled)
    assert [line for line in sheet.plain if line][1:] == [
        "Name *: [Ann_________]",
        "Word: [•••_________]",
        "[ ] Agree",
        "( ) X",
        "Pick: <B>",
        "[ Go ]",
    ]
    assert [spot.target for spot in sheet.spots] == [FieldName(0, n) for n in (0, 1, 2, 3, 4, 6)]


def test_form_without_a_button_gets_a_send_button():
    form = PageForm(2, "https://a.example/f", fields=(Field("q", "text"),))
    sheet = typeset(page("", forms=(form,)), 60)
    assert sheet.plain[-1] == "[ Send ]"
    assert sheet.spots[-1].target == FieldName(2, 1)


def test_deeply_nested_and_very_wide_content_stays_visible():
    deep = "\n".join(f"{'  ' * depth}- level{depth}" for depth in range(40))
    quoted = f"{'> ' * 40}said"
    heads, cells = (" | ".join(f"{kind}{n}" for n in range(60)) for kind in ("h", "c"))
    wide = f"| {heads} |\n|{' --- |' * 60}\n| {cells} |"
    for width in (10, 20, 79):
        text = " ".join(lines(f"{deep}\n\n{quoted}\n\n{wide}", width=width))
        assert all(f"level{depth}" in text.replace(" ", "") for depth in range(40)), width
        assert "said" in text
        assert all(f"h{n}: c{n}" in text for n in range(60)), width


def test_terminal_library_markup_is_shown_as_text():
    field = Field("q", "text", label="[red]n[/nothing]")
    form = PageForm(0, "https://a.example/?[/nothing]:smile:", fields=(field,))
    link = PageLink(1, "[bold]m[/]", "https://a.example/m", "navigation")
    text = "\n".join(typeset(page("[x\\]\\[/y\\]", link, forms=(form,)), 80).plain)
    assert "?[/nothing]:smile:" in text
    assert "[red]n[/nothing]: [" in text
    assert "[bold]m[/][1]" in text


def test_reader_mode_omits_links_around_the_page():
    reading = BrowsedPage("https://a.example/", "A", "x", (MENU,), tier=1, reader=True)
    assert typeset(reading, 40).plain == ("x",)


def test_search_ignores_case_and_spans_lines():
    sheet = typeset(page("One 两 two\nthree"), 10)
    assert sheet.plain[:2] == ("One 两 two", "three")
    assert sheet.found("TWO three") == ((Span(0, 7, 10), Span(1, 0, 5)),)
    assert sheet.found("(") == ()
    assert sheet.found(" ") == ()


@settings(max_examples=200)
@given(st.text(max_size=300), st.integers(1, 200))
def test_typeset_lines_are_never_wider_than_the_window(text, width):
    sheet = typeset(page(text), width)
    room = max(min(width, WIDTH_MAX), WIDTH_MIN)
    assert all(cell_len(line) <= room for line in sheet.plain)
    assert all(strip_invisible(line) == line for line in sheet.plain)


@settings(max_examples=100)
@given(st.lists(st.text("abc", min_size=1, max_size=40), min_size=1, max_size=30), st.data())
def test_reading_position_never_moves_forward_on_width_change(paragraphs, data):
    text = "\n\n".join(paragraphs)
    wide, narrow = typeset(page(text), 80), typeset(page(text), 20)
    line = data.draw(st.integers(0, len(wide.lines) - 1))
    there = narrow.line_at(wide.weight_before(line))
    assert narrow.weight_before(there) <= wide.weight_before(line)
    back = wide.line_at(narrow.weight_before(there))
    assert wide.weight_before(back) <= wide.weight_before(line)

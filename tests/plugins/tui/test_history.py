"""Tabs of the terminal browser: history, typed numbers and forms."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tabwright.plugins.tui.layout import typeset
from tabwright.plugins.tui.page import BrowsedPage, FieldName, field_of, ticked, values_of
from tabwright.plugins.tui.page_view import TypedNumber, line_of_anchor
from tabwright.plugins.tui.replies import TOOLS, ServerLocation
from tabwright.plugins.tui.server import ServerProcess
from tabwright.plugins.tui.tabs import TabHistory, Tabs, tabs_line
from tabwright.protocol.snapshot import Field, PageForm, PageLink


def page(title: str, text: str = "", forms: tuple[PageForm, ...] = ()) -> BrowsedPage:
    return BrowsedPage(f"https://{title}.example/", title, text, forms=forms, tier=1)


def test_navigation_drops_forward_history_and_reload_keeps_the_line():
    history = TabHistory()
    assert not history.step(-1)
    for title in "abc":
        history.go(page(title))
    history.entry.line = 7
    assert history.step(-1)
    assert history.step(-1)
    assert not history.step(-1)
    assert history.entry.page.title == "a"
    assert history.step(1)
    assert history.step(1)
    assert (history.entry.page.title, history.entry.line) == ("c", 7)
    history.replace(page("d"))
    assert (history.entry.page.title, history.entry.line) == ("d", 7)
    history.step(-1)
    history.go(page("e"))
    assert not history.step(1)


def open_tabs(*titles: str) -> Tabs:
    tabs = Tabs(ServerProcess(ServerLocation()), "me")
    for title in titles:
        tabs.add(lambda _tab, _step: None).history.go(page(title))
    return tabs


def test_tab_has_its_own_session_and_closing_it_shows_the_neighbour():
    tabs = open_tabs("a", "b", "c")
    assert [tab.web.session for tab in tabs.all] == ["me", "me-2", "me-3"]
    tabs.step(-1)
    assert tabs.current.name == "c"
    assert tabs.close().name == "c"
    assert tabs.current.name == "b"
    tabs.turn_to(0)
    assert tabs.current.name == "a"
    assert tabs.add(lambda _tab, _step: None).web.session == "me-4"


@given(st.lists(st.text(max_size=40), min_size=1, max_size=9), st.integers(40, 200))
def test_tab_names_fit_into_the_window(titles, width):
    assert cell_len(tabs_line(open_tabs(*titles), width).plain) <= max(width, 6 * len(titles))


def test_typed_number_is_complete_once_it_is_unambiguous():
    number = TypedNumber()
    assert number.take("3", 29) == 3
    assert number.take("2", 29) is None
    assert number.take("9", 29) == 29
    assert number.take("1", 12) is None
    assert (str(number), number.end(), number.end()) == ("1", 1, None)


def test_anchor_link_leads_to_the_matching_heading_line():
    text = "[Part two](https://a.example/#part-2)\n\n# One\n\n## Part two\n\nx"
    here = page("a", text)
    sheet = typeset(here, 40)
    link = PageLink(1, "Part two", "https://a.example/#part-2", "anchor")
    assert sheet.plain[line_of_anchor(here, sheet, link)] == "Part two"
    nowhere = PageLink(2, "there", "https://a.example/#nowhere", "anchor")
    assert line_of_anchor(here, sheet, nowhere) == 0
    assert line_of_anchor(here, sheet, PageLink(3, "x", "https://b.example/#x", "content")) is None


RADIO = (
    Field("r", "radio", value="x"),
    Field("r", "radio", value="y", checked=True),
    Field("c", "checkbox", value="1"),
    Field("t", "text", value="old"),
)


def test_form_values_include_only_edited_fields():
    form = PageForm(0, "https://a.example/f", fields=RADIO)
    here = page("a", forms=(form,))
    first, box = FieldName(0, 0), FieldName(0, 2)
    filled = dict(ticked(here, first, field_of(here, first), {}))
    assert filled == {first: True, FieldName(0, 1): False}
    filled |= ticked(here, box, field_of(here, box), filled)
    assert values_of(form, filled) == {"r": ("x",), "c": True}
    filled |= ticked(here, box, field_of(here, box), filled)
    assert values_of(form, filled) == {"r": ("x",), "c": False}
    assert field_of(here, FieldName(0, 4)) is None


def test_form_fields_with_the_same_name_are_sent_together():
    boxes = tuple(Field("t", "checkbox", value=value) for value in "abc")
    form = PageForm(0, "https://a.example/f", fields=(*boxes, Field("n", "text", value="x")))
    filled = {FieldName(0, 0): True, FieldName(0, 2): True}
    assert values_of(form, filled) == {"t": ("a", "c")}


def test_current_tab_is_always_visible_in_the_tab_line():
    tabs = open_tabs(*"abcdefghijklmnopqrst")
    for place in range(20):
        tabs.turn_to(place)
        assert f" {place + 1} " in tabs_line(tabs, 20).plain[:20]


def test_server_location_is_a_url_a_command_or_the_own_server():
    assert ServerLocation.named("https://a.example/mcp", []).url == "https://a.example/mcp"
    assert ServerLocation.named("ssh box 'a b'", ["--x"]).command == ["ssh", "box", "a b"]
    own = ServerLocation.named("", ["--config", "f"]).command
    assert own[1:] == ("-P", "-m", "tabwright", "serve", "--tools", TOOLS, "--config", "f")

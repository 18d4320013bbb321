"""Invisible text is removed, because pages could hide words in it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.html.snapshot import take_snapshot
from tabwright.content.render.markdown import text_of
from tabwright.protocol.snapshot import LoadedPage, PageSource, Selection
from tabwright.text.lines import strip_invisible

PROSE = "Every task has a parent that waits for it, and no error is lost."

DRAWN = "role=presentation aria-hidden=true"

CARRIERS = (
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xE0000, 0xE01F0)),
    *"\u115f\u1160\u3164\uffa0\u034f\u2800\u061c\u200b\u200e\u200f\ufeff\xad",
    *map(chr, range(0x180B, 0x1810)),
    *map(chr, range(0x202A, 0x202F)),
    *map(chr, range(0x2060, 0x2070)),
    *map(chr, range(0x1D173, 0x1D17B)),
    *"\u200c\u200d",
)

SPELLED = (
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\u0915\u094d\u200d\u0937",
    "\u2764\ufe0f\u200d\U0001f525",
    "1\ufe0f\u20e3",
    "\u263a\ufe0e",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0001f3f3\ufe0f\u200d\U0001f308",
    "\u845b\U000e0100\u98fe",
    "caf\u00e9",
)


@pytest.mark.parametrize("carrier", CARRIERS, ids=lambda one: f"U+{ord(one):04X}")
def test_invisible_character_between_letters_is_dropped(carrier: str) -> None:
    assert strip_invisible(f"a{carrier}b") == "ab"


@pytest.mark.parametrize("word", SPELLED, ids=ascii)
def test_word_requiring_joiners_or_variation_selectors_is_kept(word: str) -> None:
    assert strip_invisible(word) == word


@given(st.binary(min_size=2, max_size=64), st.sampled_from("\U0001f600a\u845b\u0645 "))
def test_data_hidden_in_variation_selectors_is_removed(hidden: bytes, base: str) -> None:
    spelled = "".join(chr(0xFE00 + one if one < 16 else 0xE0100 + one - 16) for one in hidden)
    assert len(strip_invisible(base + spelled)) <= len(base) + 1


@given(st.text(st.sampled_from((*CARRIERS, *"a1\U0001f600\u845b\u0645\u0915#\u20e3")), max_size=40))
def test_stripped_text_has_no_adjacent_invisible_characters(text: str) -> None:
    seen = strip_invisible(text)
    both = {("\ufe0f", "\u200d")}  # an emoji in its colours, joined to the next
    pairs = [pair for pair in pairwise(seen) if set(pair) <= set(CARRIERS) and pair not in both]
    assert pairs == []
    assert not set(seen[:1]) & set(CARRIERS)
    assert strip_invisible(seen) == seen


@pytest.mark.parametrize(
    ("hidden", "is_kept"),
    [
        ("<div role=tabpanel hidden>", True),
        ("<div role=region style='display: none'>", True),
        ("<div id=panel aria-hidden=true>", True),
        ("<div id=panel role=dialog aria-hidden=true>", False),
        ("<div id=other hidden>", False),
        ("<div role=tabpanel hidden><a href=/x>Links and nothing else here</a>", True),
        ("<div id=panel hidden><a href=/x>Links and nothing else here</a>", False),
    ],
)
def test_hidden_panel_is_content_only_if_control_can_show_it(hidden: str, is_kept: bool) -> None:
    page = f"<button aria-controls=panel>Show</button><p>{PROSE}</p>{hidden}Folded text</div>"
    source = PageSource(LoadedPage("https://a.example/", 200, "text/html"), page)
    assert ("Folded text" in text_of(take_snapshot(source, Selection()).content)) is is_kept


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"<textarea></textarea><div><div {DRAWN}><div>Drawn", "Drawn"),
        (f"<textarea></textarea><div {DRAWN}>edit_note", ""),
        (f"<div><b role=textbox></b><div {DRAWN}>12 3</div></div><div {DRAWN}>Beside", ""),
        (f"<textarea></textarea><div {DRAWN} hidden>Hidden", ""),
        ("<textarea></textarea><div><div aria-hidden=true>icon", ""),
        ("<div class=CodeMirror-measure><pre>xxxxxxxxxx</pre></div>", ""),
        ("<p><span class=ingredient-measure>2</span> cups", "2 cups"),
    ],
)
def test_editor_rendered_text_is_kept_and_measuring_text_is_dropped(html: str, text: str) -> None:
    source = PageSource(LoadedPage("https://a.example/", 200, "text/html"), PROSE + html)
    lines = text_of(take_snapshot(source, Selection()).content).splitlines()
    assert "|".join(filter(None, lines)).removeprefix(PROSE).strip("|") == text


@pytest.mark.parametrize("quote", ['"', "'", ""])
def test_streamed_segments_are_placed_even_without_their_scripts(quote: str) -> None:
    page = (
        "<main><template id='B:0'></template><p>Kept</p></main>"
        f"<div hidden id={quote}S:0{quote}><template id=P:1></template></div>"
        f"<div hidden id={quote}S:1{quote}><p>{PROSE}</p></div>"
    )
    source = PageSource(LoadedPage("https://a.example/", 200, "text/html"), page)
    text = text_of(take_snapshot(source, Selection()).content)
    assert PROSE in text
    assert "Kept" in text

"""Invisible text is removed, because pages could hide words in it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.html import hidden_panels
from tabwright.content.html.snapshot import take_snapshot
from tabwright.content.render.markdown import text_of
from tabwright.protocol.snapshot import LoadedPage, PageSource, Selection
from tabwright.text.lines import strip_invisible

PROSE = "Every task has a parent that waits for it, and no error is lost."

GONE = "style='display:none'"
FOLDED = "A text of some length that is folded"

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


def text_after_prose(html: str) -> str:
    """Return the text of a page that begins with a paragraph, without that paragraph."""
    page = LoadedPage("https://a.example/", 200, "text/html")
    content = take_snapshot(PageSource(page, f"<p>{PROSE}</p>{html}"), Selection()).content
    return text_of(content).removeprefix(PROSE).strip()


def test_invisible_character_between_letters_is_dropped() -> None:
    kept = [carrier for carrier in CARRIERS if strip_invisible(f"a{carrier}b") != "ab"]
    assert [f"U+{ord(carrier):04X}" for carrier in kept] == []


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
        ("<div id=panel hidden><input>", True),
        ("<div hidden>", False),
    ],
)
def test_hidden_panel_is_content_only_if_control_can_show_it(hidden: str, is_kept: bool) -> None:
    page = f"<button aria-controls=panel>Show</button><p>{PROSE}</p>{hidden}Folded text</div>"
    source = PageSource(LoadedPage("https://a.example/", 200, "text/html"), page)
    assert ("Folded text" in text_of(take_snapshot(source, Selection()).content)) is is_kept


@pytest.mark.parametrize(
    ("control", "is_kept"),
    [
        ("<a href=#more>Shipping</a>", True),
        ("<a data-toggle=tab data-target=#more>Shipping</a>", True),
        ("<button onclick=\"more.style.display = 'block'\">Read more</button>", True),
        ("<button onclick=\"document.getElementById('more').hidden = false\">More</button>", True),
        ("<a href=/#more>Shipping</a>", False),
        ("<a href=#>Shipping</a>", False),
        ("<a data-toggle=modal href=#more>Shipping</a>", False),
        ("<button onclick='moreover()'>More</button>", False),
    ],
)
def test_hidden_part_is_content_if_link_or_handler_names_its_id(
    control: str, is_kept: bool
) -> None:
    page = f"{control}<p>{PROSE}</p><div id=more style='display:none'>Folded text</div>"
    source = PageSource(LoadedPage("https://a.example/", 200, "text/html"), page)
    assert ("Folded text" in text_of(take_snapshot(source, Selection()).content)) is is_kept


def test_hidden_text_beyond_the_limit_is_not_examined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        hidden_panels, "ELEMENT_CHARACTERS", hidden_panels.EXAMINED_CHARACTERS_MAX // 2
    )
    panel = "<a href='#{0}'>Show</a><p hidden id={0}>Hidden text {0}</p>"
    shown = text_after_prose("".join(map(panel.format, "abcd")))
    assert [one for one in "abcd" if f"Hidden text {one}" in shown] == ["a", "b"]


@pytest.mark.parametrize("part", ["<form>Your name", "Your name <input>", "Note<textarea>"])
def test_hidden_form_that_link_names_is_left_out(part: str) -> None:
    page = f"<a href=#ask>Ask</a><p>{PROSE}</p><div id=ask style='display:none'>{part}</div>"
    source = PageSource(LoadedPage("https://a.example/", 200, "text/html"), page)
    assert text_of(take_snapshot(source, Selection()).content).endswith(PROSE)


@pytest.mark.parametrize(
    ("others", "text"),
    [
        ("<div class=s aria-hidden=true>Two</div>", "One|Two"),
        (
            "<div class='s on' aria-hidden=true>Two</div><div class=s aria-hidden=true>Two",
            "One|Two",
        ),
        ("<div class='s copy' aria-hidden=true>One</div>", "One"),
        ("<div class=icon aria-hidden=true>Two</div>", "One"),
        ("<div class='s advertisement' aria-hidden=true>Two</div>", "One"),
        ("<div aria-hidden=true>Two</div><div class='' aria-hidden=true>Three</div>", "One"),
        ("<div class=s aria-hidden=true hidden>Two</div>", "One"),
        ("<span class=s aria-hidden=true>Two</span>", "One"),
    ],
)
def test_slide_is_kept_beside_shown_slide_unless_it_is_a_copy(others: str, text: str) -> None:
    page = f"<p>{PROSE}</p><div><div class=s aria-hidden=false>One</div>{others}</div>"
    source = PageSource(LoadedPage("https://a.example/", 200, "text/html"), page)
    lines = text_of(take_snapshot(source, Selection()).content).splitlines()
    assert "|".join(filter(None, lines)) == f"{PROSE}|{text}"


@pytest.mark.parametrize(
    ("html", "is_kept"),
    [
        (f"<table><tr><td>1<tr {GONE}><td>{FOLDED}</table><button>Show all", True),
        (f"<table><tr><td>1<tr {GONE}><td>{FOLDED}</table>", False),
        (f"<ul><li>One<li class=x {GONE}>{FOLDED}</ul><a href=#>Show more</a>", True),
        (f"<ul><li>One<li class=x {GONE}>{FOLDED}<li><a href=#>Show more</a></ul>", True),
        (f"<ul><li>One<li class=x {GONE}>{FOLDED}</ul><a href=/all>Archive</a>", False),
        (f"<ul><li>One<li {GONE}><a href=/2>{FOLDED}</a></ul><a href=#>More</a>", False),
        (f"<div class=s>1</div><div class=s {GONE}>{FOLDED}</div><a onclick=n()>&gt;</a>", True),
        (f"<div class=s>1</div><div class='s ad' {GONE}>{FOLDED}</div><a>&gt;</a>", False),
        (f"<div class=s>1</div><div class=s {GONE}>{FOLDED}</div>", False),
        (f"<i><label for=a>A</label></i><i><p class=t>1</p><p {GONE}>{FOLDED}</p></i>", False),
        (
            f"<p><label for=a>A</label></p><div><div class=t>1</div><div class=t hidden>{FOLDED}",
            True,
        ),
        (f"<button aria-expanded=false>200</button><div hidden>{FOLDED}</div>", True),
        (f"<h3><button aria-expanded=false>A</button></h3><div hidden>{FOLDED}</div>", True),
        (f"<button aria-haspopup=true>A</button><div hidden>{FOLDED}</div>", False),
        (f"<button>Details</button><div {GONE}>{FOLDED}</div>", True),
        (f"<button>Open</button><div class=app-modal {GONE}>{FOLDED}</div>", False),
        (f"<button>Open</button><div role=alert {GONE}>{FOLDED}</div>", False),
        (f"<button>Ask</button><div {GONE}>{FOLDED}<input></div>", False),
        (f"<form><button>Send</button><div {GONE}>{FOLDED}</div></form>", False),
        (f"<button>Buy</button><div style='display:none;position:fixed'>{FOLDED}</div>", False),
        (f"<button>Buy</button><div aria-hidden=true>{FOLDED}</div>", False),
        (f"<button>Buy</button><div style='font-size:0'>{FOLDED}</div>", False),
        (f"<span>A…</span><span {GONE}>{FOLDED}</span><a href=#>Read more</a>", True),
        (f"<div><span {GONE}>{FOLDED}</span><a href=#>Read more</a></div>", False),
        (f"<div class=faq><p>Why?</p><div {GONE}>{FOLDED}</div></div>", True),
        (f"<h3 class=accordion-head>Why?</h3><div {GONE}>{FOLDED}</div>", True),
        (f"<h3 class=accordion-head>Why?</h3><div {GONE}>{FOLDED}</div><p class=n>No", True),
        (f"<h3>Why?</h3><div {GONE}>{FOLDED}</div>", False),
        (f"<div class=faq><p>Why?</p><div {GONE}>{FOLDED}</div><p class=n>No</p></div>", False),
        (
            f"<div class=reveal><div class=slides><section>1</section><section hidden>{FOLDED}",
            True,
        ),
    ],
)
def test_hidden_part_is_content_only_if_control_beside_it_can_show_it(
    html: str, is_kept: bool
) -> None:
    assert (FOLDED in text_after_prose(html)) is is_kept


@pytest.mark.parametrize(
    "html",
    [
        f"<ul><li>{FOLDED}<li {GONE}>{FOLDED}</ul><a href=#>More</a>",
        f"<p>{FOLDED}</p><button>Copy</button><span {GONE}>Copied!</span>",
    ],
)
def test_hidden_copy_or_short_message_beside_control_is_left_out(html: str) -> None:
    text = text_after_prose(html)
    assert text.count(FOLDED) == 1
    assert "Copied" not in text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p><del aria-hidden=true>$20.00</del> <ins>$15.00</ins></p>", "~~$20.00~~ $15.00"),
        ("<p><span aria-hidden=true>$20</span> <span class=sr-only>was 20</span></p>", "was 20"),
        (
            "<p><span aria-hidden=true>$ 9,99</span><i class=sr-only>9 dollars 99</i></p>",
            "9 dollars 99",
        ),
        ("<p><span aria-hidden=true>$20</span> <b class=sr-only>Price</b></p>", "$20 Price"),
        ("<p><b><i aria-hidden=true>4</i></b> <i>Rated 4</i></p>", "Rated 4"),
        (
            "<div><p><b aria-hidden=true>$20</b> Mug</p><p>20 reviews</p></div>",
            "$20 Mug\n\n20 reviews",
        ),
        ("<p aria-label=Prices><b aria-hidden=true>$20</b></p>", "$20"),
        ("<p><b aria-hidden=true>4</b><i aria-label='4 stars'>Good</i></p>", "Good"),
        ("<p><b aria-hidden=true>4 <img src=a.png alt=Stars></b> Good</p>", "Good"),
        ("<p><b aria-hidden=true>4.5</b> <i>Rated 4.5</i></p>", "Rated 4.5"),
        ("<p><b>$20</b><i aria-hidden=true>Now $20</i></p>", "$20"),
        ("<p aria-label='4 stars'><b aria-hidden=true>4</b> Good</p>", "Good"),
        ("<p><b aria-hidden=true>menu</b> Home</p>", "Home"),
        ("<p><b aria-hidden=true>keyboard_arrow_down</b> Home</p>", "Home"),
        ("<p>Mug <span aria-hidden=true>ships within days</span></p>", "Mug ships within days"),
        ("<p>Mug</p><p aria-hidden=true>Ships within days</p>", "Mug\n\nShips within days"),
        (
            "<p><b aria-hidden=true>Ships in days</b><i class=sr-only>ships in two days</i></p>",
            "ships in two days",
        ),
        ("<p aria-label='Fast'><b aria-hidden=true>Ships within days</b> Mug</p>", "Mug"),
        ("<p>Mug <b aria-hidden=true style='display:none'>ships within days</b></p>", "Mug"),
        ("<p>Mug <b aria-hidden=true hidden>ships within days</b></p>", "Mug"),
        ("<p><code><span aria-hidden=true>12</span>a</code></p>", "a"),
    ],
)
def test_text_hidden_from_screen_readers_is_kept_if_no_text_stands_for_it(
    html: str, text: str
) -> None:
    assert text_after_prose(html) == text


@pytest.mark.parametrize("name", ["cloned", "x-clone"])
def test_clone_of_slide_is_left_out_but_not_a_clone_with_a_text_of_its_own(name: str) -> None:
    slides = "".join(
        f"<div class='{kind}'>{text}</div>"
        for kind, text in ((name, "Two"), ("a", "One"), ("a", "Two"), (name, "Three"))
    )
    assert text_after_prose(f"<div>{slides}</div>").split() == ["One", "Two", "Three"]


@pytest.mark.parametrize(
    ("style", "name", "is_kept"),
    [
        ("visibility:hidden", "wow fadeInUp", True),
        ("visibility:hidden", "elementor-invisible", True),
        ("visibility:hidden", "note", False),
        ("opacity:0; visibility:hidden", "note", True),
        ("opacity: 0.5; visibility: hidden", "note", False),
        ("opacity:0;visibility:hidden", "error-message", False),
        ("opacity:0;visibility:hidden;position:fixed", "note", False),
        ("opacity:0;display:none", "note", False),
        ("visibility:hidden;position:absolute", "wow", False),
        ("visibility:hidden;display:none", "wow", False),
    ],
)
def test_invisible_part_is_kept_if_class_or_style_announces_that_it_appears(
    style: str, name: str, is_kept: bool
) -> None:
    html = f"<p class='{name}' style='{style}'>{FOLDED}</p>"
    assert (FOLDED in text_after_prose(html)) is is_kept


@pytest.mark.parametrize("around", ["<div hidden>", "<div style='display: none'>", "<div>"])
def test_hidden_main_element_is_kept_if_little_is_shown_in_its_place(around: str) -> None:
    html = f"{around}<main hidden><h1>Beers</h1><p>{FOLDED}</p></main></div>"
    page = LoadedPage("https://a.example/", 200, "text/html")
    texts = [
        text_of(take_snapshot(PageSource(page, f"<div>{shown}</div>{html}"), Selection()).content)
        for shown in ("Are you of age?", PROSE * 20)
    ]
    assert [FOLDED in text for text in texts] == [True, False]


def test_main_element_that_a_dialog_hides_from_screen_readers_is_kept() -> None:
    html = f"<div aria-hidden=true><main><p>{FOLDED}</p></main></div><div role=dialog>Cookies</div>"
    assert text_after_prose(html) == FOLDED


@pytest.mark.parametrize(
    ("control", "dialog", "is_kept"),
    [
        ("<button onclick='sizes.showModal()'>", "<dialog id=sizes>{}</dialog>", True),
        ("<a onclick=\"$('#sizes')[0].show()\">", "<dialog id=sizes hidden>{}</dialog>", True),
        (
            "<button onclick='document.getElementById(\"sizes\").showModal()'>",
            "<dialog id=sizes>{}<form method=dialog><button>OK</button></form></dialog>",
            True,
        ),
        ("<button command=show-modal commandfor=sizes>", "<dialog id=sizes>{}</dialog>", True),
        ("<button command=close commandfor=sizes>", "<dialog id=sizes>{}</dialog>", False),
        ("<button onclick='other.showModal()'>", "<dialog id=sizes>{}</dialog>", False),
        ("<button onclick='sizes.close()'>", "<dialog id=sizes>{}</dialog>", False),
        ("<button onclick='sizes.showModal()'>", "<dialog id=sizes>{}<input></dialog>", False),
        ("<button onclick='sizes.showModal()'>", "<dialog id=sizes><a>{}</a></dialog>", False),
    ],
)
def test_dialog_is_kept_if_a_control_opens_it(control: str, dialog: str, is_kept: bool) -> None:
    html = f"{control}Sizes</button></a>{dialog.format(FOLDED)}"
    assert (FOLDED in text_after_prose(html)) is is_kept


def test_invisible_part_is_kept_if_an_attribute_announces_that_it_appears() -> None:
    html = f"<p data-aos=fade-up style='visibility:hidden'>{FOLDED}</p>"
    assert FOLDED in text_after_prose(html)


@pytest.mark.parametrize(
    ("style", "is_kept"),
    [
        ("font-size: 0", False),
        ("FONT-SIZE:0px !important", False),
        ("position:absolute; left: -9999px", False),
        ("top:-999em;position:fixed", False),
        ("font-size:0.9em", True),
        ("position:relative;left:-9999px", True),
        ("position:absolute;left:-1200px", True),
        ("position:absolute;margin-left:-9999px", True),
        ("text-indent:-9999px", True),
        ("opacity:0", True),
        ("transform:scale(0)", True),
    ],
)
def test_text_is_left_out_if_inline_style_surely_hides_it(style: str, is_kept: bool) -> None:
    page = f"<p>{PROSE}</p><p style='{style}'>Hidden text</p>"
    source = PageSource(LoadedPage("https://a.example/", 200, "text/html"), page)
    assert ("Hidden text" in text_of(take_snapshot(source, Selection()).content)) is is_kept


def test_element_in_text_of_no_size_is_kept() -> None:
    page = f"<p>{PROSE}</p><div style='font-size:0'><p style='font-size:14px'>Shown</p></div>"
    source = PageSource(LoadedPage("https://a.example/", 200, "text/html"), page)
    assert "Shown" in text_of(take_snapshot(source, Selection()).content)


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


@pytest.mark.parametrize(
    "streamed",
    [
        # Solid
        (
            "<template id=pl-0-1></template><p>Wait</p><!--pl-0-1--><p>End</p>"
            "<template id=0-1><p>Late</p></template><script>$df('0-1')</script>"
        ),
        # Marko
        (
            "<span id=afph7>Wait</span><p>End</p>"
            "<div id=af7 style='display:none'><p>Late</p></div><script>$af(7)</script>"
        ),
        # The script names both
        (
            "<noscript id=there></noscript><p>End</p><div id=here hidden><p>Late</p></div>"
            "<script>put('here', `there`)</script>"
        ),
        # React
        (
            "<!--$?--><template id=B:0></template>Wait<!--/$--><p>End</p>"
            "<div hidden id=S:0><p>Late</p></div><script>$RC('B:0', 'S:0')</script>"
        ),
        # A part in a part
        (
            "<template id=pl-a></template><p>End</p>"
            "<template id=a><p><template id=pl-b></template></p>And</template>"
            "<template id=b><p>Late</p></template>"
        ),
    ],
)
def test_streamed_part_comes_in_the_place_of_its_placeholder(streamed: str) -> None:
    page = f"<main><p>{PROSE}</p>{streamed}</main>"
    source = PageSource(LoadedPage("https://a.example/", 200, "text/html"), page)
    text = text_of(take_snapshot(source, Selection()).content)
    assert "Wait" not in text
    assert text.index("Late") < text.index("End")


@pytest.mark.parametrize(
    "page",
    [
        "<div hidden id=S:0><p>Text<template id=B:0></template></div>",
        "<div hidden id=S:0><template id=B:0></template>Text</div>",
        "<template id=pl-a></template><template id=a>Text<template id=pl-a></template></template>",
        "<template id=pl-a></template><p><template id=a>Text</template></p><!--pl-a-->",
        "<template id=pl-a></template><div id=a hidden>Text<p id=pl-a></p></div><!--pl-a-->",
    ],
)
def test_streamed_part_with_its_own_place_does_not_fail(page: str) -> None:
    source = PageSource(LoadedPage("https://a.example/", 200, "text/html"), f"<p>{PROSE}</p>{page}")
    assert PROSE in text_of(take_snapshot(source, Selection()).content)


@pytest.mark.parametrize(
    "page",
    [
        "<template id=row><p>Hidden</p></template><ul id=rows></ul><script>fill('row', 'rows')",
        "<div id=menu hidden>Hidden</div><template id=a></template><script>open('menu')",
        (
            "<template id=a></template><template id=b></template><template id=c>Hidden</template>"
            "<script>use('a', 'b', 'c')"
        ),
    ],
)
def test_template_or_hidden_element_without_a_single_place_stays_hidden(page: str) -> None:
    source = PageSource(LoadedPage("https://a.example/", 200, "text/html"), f"<p>{PROSE}</p>{page}")
    assert "Hidden" not in text_of(take_snapshot(source, Selection()).content)

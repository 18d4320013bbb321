import re

from hypothesis import given
from hypothesis import strategies as st

from tabwright.testing.replica.markup import (
    commented,
    echoes,
    renamed,
    rescripted,
    restyled,
    unmarked,
)

HTML = '<p class="Y3BBE awi2gc" data-xid="Y3BBE"><b>class="kept"</b></p>'


def classes_in(html: str) -> set[str]:
    return {name for names in re.findall(r' class="([^"]+)"', html) for name in names.split()}


@given(st.integers())
def test_a_seed_renames_classes_and_nothing_else(seed: int) -> None:
    changed = renamed(HTML, seed)
    assert not classes_in(changed) & {"Y3BBE", "awi2gc"}
    assert 'data-xid="Y3BBE"' in changed
    assert renamed(HTML, seed) == changed


def test_different_seeds_rename_differently_and_no_seed_keeps_classes() -> None:
    assert renamed(HTML, 1) != renamed(HTML, 2)
    assert renamed(HTML, None) == HTML


def test_style_sheet_uses_the_renamed_classes() -> None:
    css = restyled(".Y3BBE, .awi2gc { margin: 1.5em } .Y3BBE b { margin: .5em }", 5)
    assert set(re.findall(r"\.([a-z]\w+)", css)) == classes_in(renamed(HTML, 5))
    assert css.count("{ margin: 1.5em }") == css.count("{ margin: .5em }") == 1


def test_script_uses_the_renamed_classes() -> None:
    script = rescripted('$(".Y3BBE", row).querySelector(".awi2gc"); "a.b"; x.Y3BBE', 5)
    assert set(re.findall(r'"\.(\w+)"', script)) == classes_in(renamed(HTML, 5))
    assert script.endswith('"a.b"; x.Y3BBE')


def test_marker_attributes_are_removed_and_roles_kept() -> None:
    marked = '<li role="row" data-xid="a" data-src-id="1-1" data-ei="b" data-complete="true">x</li>'
    assert unmarked(marked) == '<li role="row" data-ei="b">x</li>'


def test_comments_are_added_after_elements_but_not_in_code() -> None:
    html = "<pre><code>&lt;/p&gt;\n  x</code></pre><p>a</p>"
    assert commented(html) == html + "<!--TgQPHd|||[]-->"


def test_hidden_copies_are_hidden_in_six_different_ways() -> None:
    styles = {re.sub(r"MARKER_\d", "", echoes("<p>copy</p>", index)) for index in range(6)}
    assert len(styles) == 6
    assert all("<p>copy</p>" in style for style in styles)

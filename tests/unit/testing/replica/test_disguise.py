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


def test_two_seeds_make_two_sets_and_none_keeps_the_real_one() -> None:
    assert renamed(HTML, 1) != renamed(HTML, 2)
    assert renamed(HTML, None) == HTML


def test_the_style_sheet_follows_the_classes() -> None:
    css = restyled(".Y3BBE, .awi2gc { margin: 1.5em } .Y3BBE b { margin: .5em }", 5)
    assert set(re.findall(r"\.([a-z]\w+)", css)) == classes_in(renamed(HTML, 5))
    assert css.count("{ margin: 1.5em }") == css.count("{ margin: .5em }") == 1


def test_the_script_follows_the_classes() -> None:
    script = rescripted('$(".Y3BBE", row).querySelector(".awi2gc"); "a.b"; x.Y3BBE', 5)
    assert set(re.findall(r'"\.(\w+)"', script)) == classes_in(renamed(HTML, 5))
    assert script.endswith('"a.b"; x.Y3BBE')


def test_marks_are_taken_away_and_roles_stay() -> None:
    marked = '<li role="row" data-xid="a" data-src-id="1-1" data-ei="b" data-complete="true">x</li>'
    assert unmarked(marked) == '<li role="row" data-ei="b">x</li>'


def test_comments_follow_elements_and_leave_code_alone() -> None:
    html = "<pre><code>&lt;/p&gt;\n  x</code></pre><p>a</p>"
    assert commented(html) == html + "<!--TgQPHd|||[]-->"


def test_echoes_hide_a_copy_in_several_ways() -> None:
    styles = {re.sub(r"MARKER_\d", "", echoes("<p>copy</p>", index)) for index in range(6)}
    assert len(styles) == 6
    assert all("<p>copy</p>" in style for style in styles)

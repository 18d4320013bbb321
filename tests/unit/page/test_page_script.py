"""Answers of our scripts in a page, and forged answers of pages."""

import json
import re
from collections import Counter
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.page.scripts import (
    SCRIPT_PARTS,
    ApartFrame,
    FramesAhead,
    form_values,
    parse_frames,
    parse_source,
)
from tabwright.protocol.errors import ErrorCode, PageFailed
from tabwright.protocol.snapshot import FrameSource, LoadedPage, PageSource, ScrollEnd

LOADED = LoadedPage("https://a.example/", 203, "text/html", 5.0)
ANSWER = {"url": "https://a.example/moved", "html": "<p>x", "cut": False}


def test_page_source_has_the_current_url_and_original_status():
    output = {**ANSWER, "cut": True, "frames": ["", "<p>y"], "charset": "windows-1251"}
    assert parse_source(json.dumps(output), LOADED) == PageSource(
        page=LoadedPage("https://a.example/moved", 203, "text/html", 5.0),
        html="<p>x",
        cut=True,
        frames=(FrameSource(), FrameSource("<p>y")),
        charset="windows-1251",
        is_laid_out=True,
    )


def test_page_source_without_some_gathered_rows_keeps_only_rows_in_view():
    source = parse_source(json.dumps({**ANSWER, "gone": 1}), LOADED)
    assert source.scrolled is ScrollEnd.RECYCLED


def test_page_source_defaults_to_no_frames_and_no_charset():
    source = parse_source(json.dumps(ANSWER), LOADED)
    assert (source.html, source.cut, source.frames, source.charset) == ("<p>x", False, (), "")


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "null",
        "[]",
        "<p>x",
        '{"url": "https://a.example/", "cut": false}',
        json.dumps({**ANSWER, "html": 1}),
        json.dumps({**ANSWER, "cut": "no"}),
        json.dumps({**ANSWER, "frames": [None]}),
        json.dumps({**ANSWER, "frames": "<p>y"}),
    ],
)
def test_invalid_page_script_answer_raises_page_failed(answer):
    with pytest.raises(PageFailed, match="source of the page could not be read") as failed:
        parse_source(answer, LOADED)
    assert failed.value.code is ErrorCode.SCRIPT


def test_frames_that_the_page_may_not_access_are_parsed():
    frame = {"place": 2, "url": "https://b.example/", "large": True, "deferred": False}
    output = {**ANSWER, "apart": [{**frame, "still": False}], "thin": True}
    there = ApartFrame(2, "https://b.example/", large=True, deferred=False, still=False)
    assert parse_frames(json.dumps(output)) == FramesAhead((there,), thin=True)
    assert parse_frames(json.dumps(ANSWER)) == FramesAhead()


@pytest.mark.parametrize("answer", ["", '{"apart": [1]}', '{"thin": "no"}'])
def test_malformed_frames_are_a_page_failure(answer):
    with pytest.raises(PageFailed):
        parse_frames(answer)


@given(st.text())
def test_malformed_page_source_is_refused(answer):
    with pytest.raises(PageFailed):
        parse_source(answer, LOADED)


@given(st.dictionaries(st.text(), st.lists(st.text()).map(tuple)))
def test_form_values_reach_the_script_unchanged(values):
    assert json.loads(form_values(values)) == {name: [*given] for name, given in values.items()}


def test_parts_of_the_installed_script_define_each_name_once():
    folder = files("tabwright.page").joinpath("js")
    source = "\n".join(folder.joinpath(f"{name}.js").read_text() for name in SCRIPT_PARTS)
    names = re.findall(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", source, re.MULTILINE)
    assert [name for name, count in Counter(names).items() if count > 1] == []
    assert len(names) > len(SCRIPT_PARTS)


def test_injected_scripts_keep_no_global_under_a_string():
    """An element of the page with such an id or name would be found in its place."""
    package = files("tabwright")
    folders = [
        package.joinpath(*name.split("/"))
        for name in ("page/js", "search/ai_mode/js", "plugins/devtools/js")
    ]
    sources = [one.read_text() for folder in folders for one in folder.iterdir()]
    assert not re.findall(r"(?:globalThis|window|self)\.tabwright\w*", "".join(sources))

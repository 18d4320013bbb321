"""What our scripts in a page answer, and what a page may answer in their place."""

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
from tabwright.protocol.snapshot import FrameSource, LoadedPage, PageSource

LOADED = LoadedPage("https://a.example/", 203, "text/html", 5.0)
ANSWER = {"url": "https://a.example/moved", "html": "<p>x", "cut": False}


def test_a_source_is_where_the_page_is_by_now_with_the_status_that_it_came_with():
    output = {**ANSWER, "cut": True, "frames": ["", "<p>y"], "charset": "windows-1251"}
    assert parse_source(json.dumps(output), LOADED) == PageSource(
        page=LoadedPage("https://a.example/moved", 203, "text/html", 5.0),
        html="<p>x",
        cut=True,
        frames=(FrameSource(), FrameSource("<p>y")),
        charset="windows-1251",
    )


def test_a_page_may_have_no_frames_and_name_no_charset():
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
def test_what_is_not_the_script_s_answer_is_the_page_s_failure(answer):
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
def test_frames_in_another_form_are_the_page_s_failure(answer):
    with pytest.raises(PageFailed):
        parse_frames(answer)


@given(st.text())
def test_any_other_answer_is_refused(answer):
    with pytest.raises(PageFailed):
        parse_source(answer, LOADED)


@given(st.dictionaries(st.text(), st.lists(st.text()).map(tuple)))
def test_values_come_to_the_script_as_they_are(values):
    assert json.loads(form_values(values)) == {name: [*given] for name, given in values.items()}


def test_parts_of_the_installed_script_define_each_name_once():
    folder = files("tabwright.page").joinpath("js")
    source = "\n".join(folder.joinpath(f"{name}.js").read_text() for name in SCRIPT_PARTS)
    names = re.findall(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", source, re.MULTILINE)
    assert [name for name, count in Counter(names).items() if count > 1] == []
    assert len(names) > len(SCRIPT_PARTS)

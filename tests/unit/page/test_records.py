"""Outline records from pages, which can contain anything."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.page.outline import DocumentRecord, Options, OutlineControl, OutlineLine
from tabwright.page.scripts import read_answer
from tabwright.protocol.errors import PageFailed

ANSWER = {
    "url": "https://a.example/",
    "title": "T",
    "top": 0,
    "height": 900,
    "viewport": [800, 600],
    "lines": [
        {
            "depth": 1,
            "kind": "row",
            "seen": False,
            "parts": [
                "text",
                None,
                {
                    "ref": 3,
                    "role": "combobox",
                    "name": "Size",
                    "options": {"count": 2, "shown": ["A", "B"]},
                },
            ],
        }
    ],
    "owners": [4],
    "unknown": "to us",
}
WRONG = (
    st.none() | st.text(max_size=5) | st.lists(st.none(), min_size=1) | st.floats(allow_nan=False)
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def test_document_record_is_decoded_from_the_script_response():
    record = read_answer(json.dumps(ANSWER), DocumentRecord)
    size = OutlineControl(3, "combobox", "Size", options=Options(2, ("A", "B")))
    assert record.lines == (OutlineLine(1, "row", ("text", None, size), seen=False),)
    assert (record.viewport, record.owners, record.cut) == ((800, 600), (4,), False)


@given(st.sampled_from(sorted(ANSWER.keys() - {"url", "title", "unknown"})), WRONG)
def test_record_with_an_invalid_field_is_refused(name, wrong):
    if isinstance(wrong, float) and wrong.is_integer():
        return  # JSON has one kind of number
    with pytest.raises(PageFailed, match="invalid answer"):
        read_answer(json.dumps({**ANSWER, name: wrong}), DocumentRecord)


@given(VALUES)
def test_any_other_json_is_refused(value):
    with pytest.raises(PageFailed):
        read_answer(json.dumps(value), DocumentRecord)


@given(st.text())
def test_arbitrary_text_is_rejected_as_a_document_record(text):
    with pytest.raises(PageFailed):
        read_answer(text, DocumentRecord)


def test_deeply_nested_json_is_refused():
    deep = "[" * 100_000 + "]" * 100_000
    with pytest.raises(PageFailed):
        read_answer(deep, DocumentRecord)


def test_a_part_that_is_neither_text_nor_control_is_refused():
    line = {"depth": 0, "kind": "", "parts": [{"role": "button"}]}
    with pytest.raises(PageFailed, match="ref"):
        read_answer(json.dumps({**ANSWER, "lines": [line]}), DocumentRecord)

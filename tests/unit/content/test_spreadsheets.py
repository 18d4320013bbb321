import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.documents import table_of
from tabwright.content.render.markdown import text_of


def cells(text, separator=","):
    return [
        ["".join(run.text for run in cell) for cell in row]
        for row in table_of(text, separator).rows
    ]


@pytest.mark.parametrize(
    ("text", "separator", "rows"),
    [
        ("a,b\n1,2\n", ",", [["a", "b"], ["1", "2"]]),
        ('a,b\n"x, y","say ""hi"""\n', ",", [["a", "b"], ["x, y", 'say "hi"']]),
        ('a\n"two\nlines"\n', ",", [["a"], ["two lines"]]),
        ("a;b\n1,5;2\n", ",", [["a", "b"], ["1,5", "2"]]),
        ("a\tb\n1\t2\n", "\t", [["a", "b"], ["1", "2"]]),
        ("a,b\r\n\r\n1,2", ",", [["a", "b"], ["1", "2"]]),
        ("", ",", []),
    ],
)
def test_rows_and_cells(text, separator, rows):
    assert cells(text, separator) == rows


@given(st.text(), st.sampled_from([",", "\t"]))
def test_any_text_is_some_table(text, separator):
    assert isinstance(text_of((table_of(text, separator),)), str)

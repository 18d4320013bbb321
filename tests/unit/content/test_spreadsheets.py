import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content import documents
from tabwright.content.documents import table_snapshot
from tabwright.content.render.markdown import text_of
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import LoadedPage

KINDS = {",": "text/csv", "\t": "text/tab-separated-values"}


def table(text, separator=","):
    fetched = Fetched(LoadedPage("https://a.example/t", 200, KINDS[separator]), b"")
    return table_snapshot(fetched, KINDS[separator], text, "utf-8")


def cells(text, separator=","):
    return [
        ["".join(run.text for run in cell) for cell in row]
        for row in table(text, separator).content[0].rows
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
        ("a|b\n1|2\n", ",", [["a", "b"], ["1", "2"]]),
        ("a\tb\n1\t2,5\n", ",", [["a", "b"], ["1", "2,5"]]),
        ("sep=;\r\na;b\r\n1;2\r\n", ",", [["a", "b"], ["1", "2"]]),
        ('a,b\n"1,5",x\n2,"y\n3,z\n', ",", [["a", "b"], ["1,5", "x"], ["2", "y"], ["3", "z"]]),
        ('a,b\n1,5" pipe\n2,3\n', ",", [["a", "b"], ["1", '5" pipe'], ["2", "3"]]),
        ('a,b\n1\r2,"x\ny"\n', ",", [["a", "b"], ["1"], ["2", "x y"]]),
        ('a,b\n1,2\u20283\n4,"5\n', ",", [["a", "b"], ["1", "2 3"], ["4", "5"]]),
        ("Name\tCity, State, Land\nA\tB\n", "\t", [["Name", "City, State, Land"], ["A", "B"]]),
        ('"a, first, last";"b"\n1;2\n', ",", [["a, first, last", "b"], ["1", "2"]]),
        ("Sales of 2027\n\na;b\n1,5;2\n", ",", [["Sales of 2027"], ["a", "b"], ["1,5", "2"]]),
        ("", ",", []),
    ],
)
def test_delimited_text_is_split_into_rows_and_cells(text, separator, rows):
    assert cells(text, separator) == rows


@pytest.mark.parametrize("end", ["", 'a"'])
def test_cell_of_over_a_million_characters_is_read_whole(end):
    assert cells(f"a,b\n1,{'x' * 1_100_000}\n2,{end}\n")[1] == ["1", "x" * 1_100_000]


def test_short_table_does_not_lower_the_csv_field_size_limit():
    long = "x" * 200_000
    csv.field_size_limit(len(long))
    assert cells("a\n1\n") == [["a"], ["1"]]
    assert list(csv.reader([long])) == [[long]]


@given(st.text(), st.sampled_from([",", "\t"]))
def test_any_text_can_be_read_as_a_table(text, separator):
    assert isinstance(text_of(table(text, separator).content), str)


def test_rows_and_columns_that_are_not_read_are_reported(monkeypatch):
    monkeypatch.setattr(documents, "CELLS_MAX", 10)
    monkeypatch.setattr(documents, "COLUMNS_MAX", 2)
    read = table("a,b,c\n" * 20)
    assert len(read.content[0].rows) == 5
    assert read.cut == "unread_parts"
    assert "15 of 20 rows" in read.notice
    assert "1 of 3 columns" in read.notice


def test_table_of_many_rows_is_read_whole():
    read = table("a,b\n" * 100_001)
    assert len(read.content[0].rows) == 100_001
    assert (read.cut, read.notice) == (None, "")

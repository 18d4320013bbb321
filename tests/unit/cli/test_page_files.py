"""Output files of a crawl."""

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.cli.page_files import (
    COLUMNS,
    checked_output,
    file_name,
    is_incomplete,
    write_output,
)
from tabwright.protocol.errors import BadInput

GONE = {
    "status": 404,
    "kind": "navigation_failed",
    "reason": "http_client",
    "found_on": "https://a.example/",
}

RECORDS = [
    {
        "asked": "https://a.example/",
        "success": True,
        "url": "https://a.example/",
        "title": 'Home: "a"',
        "status": 200,
        "depth": 0,
        "text": "=1+1\n\ncaf\u00e9",
        "metadata": {"language": "en"},
    },
    {"asked": "https://a.example/x", "success": False, "error": "gone", "depth": 1, **GONE},
]


def test_json_and_json_lines_have_all_fields(tmp_path: Path) -> None:
    write_output(tmp_path / "out.json", RECORDS)
    assert json.loads((tmp_path / "out.json").read_text()) == RECORDS
    write_output(tmp_path / "out.ndjson", RECORDS)
    assert [
        json.loads(line) for line in (tmp_path / "out.ndjson").read_text().splitlines()
    ] == RECORDS
    write_output(tmp_path / "none.json", [])
    assert json.loads((tmp_path / "none.json").read_text()) == []


def test_csv_escapes_formulas(tmp_path: Path) -> None:
    write_output(tmp_path / "out.csv", RECORDS)
    with (tmp_path / "out.csv").open(newline="") as file:
        [first, second] = csv.DictReader(file)
    assert first["text"] == "'=1+1\n\ncaf\u00e9"
    assert second["error"] == "gone"
    assert {name: second[name] for name in GONE} == {**GONE, "status": "404"}


def test_parquet_has_the_columns_of_csv(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    write_output(checked_output(tmp_path / "out.parquet"), RECORDS)
    table = parquet.read_table(tmp_path / "out.parquet")
    assert tuple(table.column_names) == tuple(COLUMNS)
    assert [row["text"] for row in table.to_pylist()] == ["=1+1\n\ncaf\u00e9", None]
    assert [row["depth"] for row in table.to_pylist()] == [0, 1]


def test_folder_has_a_file_for_each_page(tmp_path: Path) -> None:
    write_output(checked_output(tmp_path / "site"), RECORDS)
    [file] = [path for path in (tmp_path / "site").rglob("*") if path.is_file()]
    assert file.relative_to(tmp_path / "site").as_posix() == "a.example/index.md"
    assert file.read_text().startswith(
        '---\nurl: "https://a.example/"\ntitle: "Home: \\"a\\""\n---'
    )


PARTS = [
    {
        "asked": "https://a.example/p",
        "success": True,
        "url": "https://a.example/p",
        "text": "a",
        "notice": "It was still loading.",
        "truncation": {"reason": "time_out"},
    }
]


def test_csv_of_an_incomplete_page_says_what_is_missing(tmp_path: Path) -> None:
    write_output(tmp_path / "out.csv", PARTS)
    with (tmp_path / "out.csv").open(newline="") as file:
        [row] = csv.DictReader(file)
    assert (row["notice"], row["truncation"]) == (PARTS[0]["notice"], "time_out")


def test_parquet_of_an_incomplete_page_says_what_is_missing(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    write_output(tmp_path / "out.parquet", PARTS)
    [row] = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert (row["notice"], row["truncation"]) == (PARTS[0]["notice"], "time_out")


def test_file_of_an_incomplete_page_says_what_is_missing(tmp_path: Path) -> None:
    write_output(tmp_path / "site", PARTS)
    [file] = (tmp_path / "site").rglob("*.md")
    lines = file.read_text().splitlines()
    assert f'notice: "{PARTS[0]["notice"]}"' in lines
    assert 'truncation: "time_out"' in lines


def test_page_is_incomplete_with_a_notice_or_a_truncation() -> None:
    [part] = PARTS
    assert is_incomplete(part)
    assert is_incomplete({**part, "notice": ""})
    assert not is_incomplete(RECORDS[0])
    assert not is_incomplete({**part, "success": False})


def test_pages_whose_names_collide_are_all_written(tmp_path: Path) -> None:
    urls = [
        "https://a.example/A",
        "https://a.example/a",
        "https://a.example/%61",
        "https://a.example/?",
    ]
    pages = [{"asked": url, "url": url, "success": True, "text": url} for url in urls]
    write_output(tmp_path / "site", pages)
    texts = {path.read_text().split()[-1] for path in (tmp_path / "site").rglob("*.md")}
    assert texts == set(urls)


@given(st.text(min_size=0, max_size=60))
def test_file_name_never_leads_out_of_the_folder(text: str) -> None:
    parts = file_name(f"https://a.example/{text}").split("/")
    assert all(part and part.strip(".") and len(part) <= 200 for part in parts)


@pytest.mark.parametrize("name", ["out.xlsx", "missing/out.json"])
def test_output_that_cannot_be_written_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput):
        checked_output(tmp_path / name)

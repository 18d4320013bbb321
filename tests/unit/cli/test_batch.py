import csv
from io import FileIO

import msgspec
import pytest

from tabwright.cli.batch import COLUMNS, Journal, add
from tabwright.cli.page_files import checked_output, write_output
from tabwright.protocol.errors import BadInput

GOOD = {"asked": "https://a.example/", "success": True, "text": "A"}
BAD = {
    "asked": "https://b.example/",
    "success": False,
    "error": "No.",
    "kind": "navigation_failed",
    "code": 101,
    "reason": "dns",
}


def journal(tmp_path, options="w"):
    return Journal(tmp_path / "out.json.part", options)


def write(one, *records):
    with one.opened() as file:
        for record in records:
            add(file, record)


def test_resumed_batch_keeps_successes_and_retries_failures(tmp_path):
    write(journal(tmp_path), GOOD, BAD)
    assert journal(tmp_path).done() == {GOOD["asked"]: GOOD}


def test_new_journal_has_no_finished_pages(tmp_path):
    assert journal(tmp_path).done() == {}


def test_journal_ignores_line_truncated_by_crash(tmp_path):
    write(journal(tmp_path), GOOD)
    with journal(tmp_path).path.open("ab") as file:
        file.write(b'{"asked": "https://c.exa')
    assert journal(tmp_path).done() == {GOOD["asked"]: GOOD}
    later = {**GOOD, "asked": "https://c.example/"}
    write(journal(tmp_path), later)
    assert journal(tmp_path).done() == {GOOD["asked"]: GOOD, later["asked"]: later}


def test_record_is_complete_after_partial_writes(tmp_path):
    class Piecewise(FileIO):
        def write(self, data):
            return super().write(data[:7])

    with Piecewise(tmp_path / "pieces", "w") as file:
        add(file, GOOD)
    assert msgspec.json.decode((tmp_path / "pieces").read_bytes()) == GOOD


def test_journal_of_batch_with_other_options_is_refused(tmp_path):
    write(journal(tmp_path), GOOD)
    with pytest.raises(BadInput, match="other options"):
        journal(tmp_path, "others").done()


def test_a_damaged_journal_is_reported(tmp_path):
    journal(tmp_path).path.write_text("{}}\n")
    with pytest.raises(BadInput, match="damaged"):
        journal(tmp_path).done()


def test_the_output_has_every_page_in_its_order(tmp_path):
    write_output(tmp_path / "o.json", [GOOD, BAD])
    assert msgspec.json.decode((tmp_path / "o.json").read_bytes()) == [GOOD, BAD]
    write_output(tmp_path / "o.ndjson", [GOOD, BAD])
    lines = (tmp_path / "o.ndjson").read_bytes().splitlines()
    assert [msgspec.json.decode(line) for line in lines] == [GOOD, BAD]
    write_output(tmp_path / "o.csv", [GOOD, BAD], COLUMNS)
    with (tmp_path / "o.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["asked"] for row in rows] == [GOOD["asked"], BAD["asked"]]
    assert [rows[1][name] for name in ("error", "kind", "reason")] == [
        "No.",
        "navigation_failed",
        "dns",
    ]


def test_csv_output_escapes_spreadsheet_formulas(tmp_path):
    write_output(tmp_path / "o.csv", [{**GOOD, "title": "=HYPERLINK(1)", "text": "+1"}])
    with (tmp_path / "o.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["title"] == "'=HYPERLINK(1)"
    assert row["text"] == "'+1"


def test_output_needs_known_suffix_and_existing_folder(tmp_path):
    assert checked_output(tmp_path / "a.json") == tmp_path / "a.json"
    with pytest.raises(BadInput, match="does not end in"):
        checked_output(tmp_path / "a.txt")
    with pytest.raises(BadInput, match="no folder"):
        checked_output(tmp_path / "none" / "a.json")

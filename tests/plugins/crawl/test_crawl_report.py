"""What `crawl` reports on standard error."""

import logging
from pathlib import Path

import pytest

from tabwright.plugins.crawl.crawl_command import _progress, _report_end, _report_interruption
from tabwright.plugins.crawl.crawler import CrawlReport, CrawlStep
from tabwright.plugins.crawl.frontier import CrawlCounts
from tabwright.plugins.crawl.store import CrawlStore
from tabwright.text.lines import counted

URL = "https://a.example/x"


def test_interrupted_crawl_report_says_how_to_resume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = CrawlStore.open(tmp_path / "out.csv.crawl", "wishes")
    _report_interruption(store, tmp_path / "out.csv", is_kept=True)
    store.close()
    output = capsys.readouterr().err
    assert str(tmp_path / "out.csv.crawl") in output
    assert f"{tmp_path / 'out.csv'} is written at the end" in output
    assert "same command" in output


def test_skipped_url_is_logged_with_its_reason(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "tabwright.shell"), _progress(None) as progress:
        progress.step(CrawlStep(URL, None, "robots", 1, 0))
    [line] = [one.getMessage() for one in caplog.records]
    assert URL in line
    assert "robots" in line


def test_failed_page_is_reported_with_its_url_once(capsys: pytest.CaptureFixture[str]) -> None:
    record = {"asked": URL, "success": False, "error": f"{URL} answered with HTTP status 404."}
    with _progress(None) as progress:
        progress.step(CrawlStep(URL, record, "", 1, 0))
        progress.step(CrawlStep(URL, {**record, "error": "No."}, "", 1, 0))
    lines = capsys.readouterr().err.splitlines()
    assert [line.count(URL) for line in lines] == [1, 1]


def test_incomplete_page_is_reported_with_its_notice(capsys: pytest.CaptureFixture[str]) -> None:
    record = {"asked": URL, "success": True, "notice": "It was still loading."}
    with _progress(None) as progress:
        progress.step(CrawlStep(URL, record, "", 1, 0))
    [line] = capsys.readouterr().err.splitlines()
    assert URL in line
    assert record["notice"] in line


def test_summary_says_how_to_see_what_was_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    counts = CrawlCounts(pending=1, done=1, skipped={"robots": 1})
    _report_end(CrawlReport("complete", counts), {}, 0, is_kept=True)
    output = capsys.readouterr().err
    assert "1 page read, 1 URL left." in output
    assert "1 robots" in output
    assert "-v" in output


def test_summary_counts_incomplete_pages(capsys: pytest.CaptureFixture[str]) -> None:
    counts = CrawlCounts(done=3)
    _report_end(CrawlReport("complete", counts), {}, 2, is_kept=True)
    assert "2 of them incomplete" in capsys.readouterr().err


def test_counted_uses_singular_only_for_one() -> None:
    assert [counted(number, "page") for number in (0, 1, 2)] == ["0 pages", "1 page", "2 pages"]

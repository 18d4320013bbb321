"""Log files: one a day, kept for a week, and without private data."""

import json
import logging
import stat
import sys
from collections.abc import Callable, Generator
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from tabwright.cli.log_file import KEPT_DAYS, DailyFile, Masked, ShortFormatter, log_folder
from tabwright.config.secrets import Secrets

FIRST = date(2026, 2, 25)
QUERY = "what is wrong with me"


class Calendar:
    """A fake clock that returns the current day."""

    def __init__(self) -> None:
        self.day = FIRST

    def __call__(self) -> date:
        return self.day


@pytest.fixture
def calendar() -> Calendar:
    return Calendar()


OpenFile = Callable[..., DailyFile]


@pytest.fixture
def open_file(tmp_path: Path, calendar: Calendar) -> Generator[OpenFile]:
    """Yield a function that opens a log file in the test's directory."""
    opened: list[DailyFile] = []

    def opening(*, private: bool = False, as_json: bool = False) -> DailyFile:
        opened.append(DailyFile(tmp_path, private=private, as_json=as_json, today=calendar))
        return opened[-1]

    yield opening
    for file in opened:
        file.close()


def say(file: DailyFile, text: str) -> None:
    file.handle(logging.LogRecord("t", logging.WARNING, "p", 1, text, (), None))


def test_log_has_one_file_per_day_and_keeps_one_week(
    open_file: OpenFile, tmp_path: Path, calendar: Calendar
) -> None:
    log = open_file()
    for number in range(20):
        calendar.day = FIRST + timedelta(days=number)
        say(log, f"day {number}")
        say(log, "the same day")
    kept = sorted(tmp_path.iterdir())
    assert [path.name for path in kept][:2] == [
        "tabwright-2026-03-10.log",
        "tabwright-2026-03-11.log",
    ]
    assert len(kept) == KEPT_DAYS == 7
    assert [len(path.read_text().splitlines()) for path in kept] == [2] * 7
    assert "day 19" in kept[-1].read_text()


def test_expired_log_files_are_deleted_at_start_and_others_are_kept(
    open_file: OpenFile, tmp_path: Path
) -> None:
    for name in ("tabwright-2026-02-18.log", "tabwright-2026-02-19.log", "mine-2020-01-01.log"):
        (tmp_path / name).touch()
    open_file()
    left = {path.name for path in tmp_path.iterdir()}
    today = "tabwright-2026-02-25.log"
    assert left == {"tabwright-2026-02-19.log", "mine-2020-01-01.log", today}


def test_several_processes_may_write_to_the_same_file(
    open_file: OpenFile, tmp_path: Path, calendar: Calendar
) -> None:
    logs = [open_file(), open_file()]
    for number in range(4):
        calendar.day = FIRST + timedelta(days=number // 2)
        for log in logs:
            say(log, str(number))
    assert [len(path.read_text().splitlines()) for path in sorted(tmp_path.iterdir())] == [4, 4]


def look_up() -> None:
    raise LookupError(QUERY)


def fail() -> None:
    try:
        look_up()
    except LookupError as error:
        raise ValueError(f"no {QUERY}") from error


def record_of_a_failure() -> logging.LogRecord:
    try:
        fail()
    except ValueError:
        return logging.LogRecord("t", logging.ERROR, "p", 1, "it failed", (), sys.exc_info())
    raise AssertionError


def test_logged_error_has_its_stack_but_not_its_message(
    open_file: OpenFile, tmp_path: Path
) -> None:
    open_file().handle(record_of_a_failure())
    (file,) = tmp_path.iterdir()
    written = file.read_text()
    assert "in fail" in written
    assert "ValueError\ncaused by\n" in written
    assert "LookupError" in written
    assert "in look_up" in written
    assert QUERY not in written


def test_private_log_includes_error_message(open_file: OpenFile, tmp_path: Path) -> None:
    open_file(private=True).handle(record_of_a_failure())
    (file,) = tmp_path.iterdir()
    assert QUERY in file.read_text()


def test_short_formatter_prints_one_line_and_leaves_file_stack_intact(
    open_file: OpenFile, tmp_path: Path
) -> None:
    record = record_of_a_failure()
    assert len(ShortFormatter().format(record).splitlines()) == 1
    open_file().handle(record)
    (file,) = tmp_path.iterdir()
    assert "in fail" in file.read_text()


def test_log_folder_expands_home_and_defaults_to_state_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert log_folder("~/logs") == tmp_path / "logs"
    assert log_folder("auto").is_relative_to(tmp_path)


def test_failing_log_rotation_is_reported_once_and_not_fatal(
    open_file: OpenFile, tmp_path: Path, calendar: Calendar, capsys: pytest.CaptureFixture[str]
) -> None:
    log = open_file()
    calendar.day = FIRST + timedelta(days=1)
    (tmp_path / "tabwright-2026-02-26.log").mkdir()
    say(log, "a new day")
    say(log, "once more")
    reported = capsys.readouterr().err
    assert reported.count("tabwright-2026-02-26.log") == 1
    assert "Traceback" not in reported


def test_log_file_and_folders_are_private_to_user(tmp_path: Path, calendar: Calendar) -> None:
    folder = tmp_path / "new" / "logs"
    with closing(DailyFile(folder, private=False, today=calendar)) as log:
        say(log, "words")
    (file,) = folder.iterdir()
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder.parent, folder, file)]
    assert modes == [0o700, 0o700, 0o600]


def test_every_error_of_a_group_has_its_stack(open_file: OpenFile, tmp_path: Path) -> None:
    record = record_of_a_failure()
    assert record.exc_info
    group = ExceptionGroup("two", [record.exc_info[1], KeyError("k")])
    record.exc_info = (type(group), group, None)
    open_file().handle(record)
    (file,) = tmp_path.iterdir()
    written = file.read_text()
    assert "in look_up" in written
    assert all(name in written for name in ("ExceptionGroup", "ValueError", "KeyError"))
    assert QUERY not in written


def test_secret_in_words_and_stack_of_an_error_is_masked(tmp_path: Path) -> None:
    masked = Secrets({"TOKEN": "tok_abc&def"}).masked
    log = DailyFile(tmp_path, private=True, masked=masked)
    error = ValueError("tok_abc&def")
    error.__cause__ = KeyError("tok_abc%26def")
    record = logging.LogRecord(
        "t", logging.WARNING, "p", 1, "%s", ("tok_abc&amp;def",), (ValueError, error, None)
    )
    log.handle(record)
    log.close()
    (file,) = tmp_path.iterdir()
    assert file.read_text().count("{{TOKEN}}") == 3
    assert "tok_abc" not in file.read_text()
    assert "tok_abc" not in Masked(ShortFormatter(), masked).format(record)


@pytest.mark.parametrize("private", [False, True])
def test_json_record_is_one_line_and_respects_privacy(
    open_file: OpenFile, tmp_path: Path, private: bool
) -> None:
    error = ValueError(QUERY)
    log = open_file(private=private, as_json=True)
    failure = (ValueError, error, None)
    log.handle(logging.LogRecord("t", logging.WARNING, "p", 1, "two\nlines", (), failure))
    [line] = next(tmp_path.glob("*.log")).read_text().splitlines()
    record = json.loads(line)
    assert record["message"] == "two\nlines"
    assert (record["level"], record["logger"]) == ("warning", "t")
    assert datetime.fromisoformat(record["time"]).tzinfo is not None
    assert "ValueError" in record["error"]
    assert (QUERY in line) == private

"""Rows that show the live progress of long work."""

import attrs
import pytest

from tabwright.cli.output import ROWS_MAX, LiveProgress
from tabwright.protocol.progress import AnswerProgress, EngineDoneProgress, WaitProgress


@attrs.define
class Clock:
    now_s: float = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_live_progress_shows_state_and_duration_of_each_engine(clock):
    watch = LiveProgress(clock)
    for engine in ("mojeek", "brave"):
        watch.begin(engine)
    clock.now_s += 3
    watch.take(WaitProgress("mojeek: next request in 4.0 s", "mojeek"))
    clock.now_s += 1.5
    assert watch.rows() == ["mojeek  1.5 s  next request in 4.0 s", "brave   4.5 s  working"]
    watch.take(EngineDoneProgress("mojeek", "10 results"))
    assert watch.rows() == ["mojeek         10 results", "brave   4.5 s  working"]


def test_repeated_progress_keeps_start_time_of_its_row(clock):
    watch = LiveProgress(clock)
    watch.take(WaitProgress("waiting for its turn", "a"))
    watch.take(AnswerProgress("12345"), "b")
    clock.now_s += 2
    watch.take(WaitProgress("waiting for its turn", "a"))
    watch.take(AnswerProgress("1234567"), "b")
    assert watch.rows() == ["a  2.0 s  waiting for its turn", "b  2.0 s  7 characters so far"]


def test_ended_work_is_removed_and_number_of_rows_is_limited(clock):
    watch = LiveProgress(clock)
    for number in range(20):
        watch.begin(f"https://a.example/{number}")
    watch.end("https://a.example/19")
    rows = watch.rows()
    assert len(rows) == ROWS_MAX
    assert rows[-1].startswith("https://a.example/18")


def test_page_text_cannot_control_terminal(clock):
    watch = LiveProgress(clock)
    watch.take(WaitProgress("\x1b[2Jx: waits", "\x1b[2Jx"))
    assert watch.rows() == ["[2Jx  0.0 s  waits"]


def test_progress_without_subject_belongs_to_only_running_work(clock):
    watch = LiveProgress(clock)
    watch.begin("mojeek")
    watch.take(AnswerProgress("12345"))
    assert watch.rows() == ["mojeek  0.0 s  5 characters so far"]
    watch.take(WaitProgress("brave: waiting for its turn", "brave"))
    assert watch.rows()[1] == "brave   0.0 s  waiting for its turn"

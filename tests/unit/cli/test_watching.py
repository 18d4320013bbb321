"""Work that takes its time, as rows."""

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


def test_each_who_is_at_work_has_a_row_with_what_it_waits_for_and_since_when(clock):
    watch = LiveProgress(clock)
    for engine in ("mojeek", "brave"):
        watch.begin(engine)
    clock.now_s += 3
    watch.take(WaitProgress("mojeek: next request in 4.0 s", "mojeek"))
    clock.now_s += 1.5
    assert watch.rows() == ["mojeek  1.5 s  next request in 4.0 s", "brave   4.5 s  working"]
    watch.take(EngineDoneProgress("mojeek", "10 results"))
    assert watch.rows() == ["mojeek         10 results", "brave   4.5 s  working"]


def test_the_same_wait_goes_on_and_an_answer_grows_since_it_began(clock):
    watch = LiveProgress(clock)
    watch.take(WaitProgress("waiting for its turn", "a"))
    watch.take(AnswerProgress("12345"), "b")
    clock.now_s += 2
    watch.take(WaitProgress("waiting for its turn", "a"))
    watch.take(AnswerProgress("1234567"), "b")
    assert watch.rows() == ["a  2.0 s  waiting for its turn", "b  2.0 s  7 characters so far"]


def test_who_has_ended_is_gone_and_there_are_never_too_many(clock):
    watch = LiveProgress(clock)
    for number in range(20):
        watch.begin(f"https://a.example/{number}")
    watch.end("https://a.example/19")
    rows = watch.rows()
    assert len(rows) == ROWS_MAX
    assert rows[-1].startswith("https://a.example/18")


def test_nothing_of_a_page_steers_the_terminal(clock):
    watch = LiveProgress(clock)
    watch.take(WaitProgress("\x1b[2Jx: waits", "\x1b[2Jx"))
    assert watch.rows() == ["[2Jx  0.0 s  waits"]


def test_a_step_that_names_nobody_is_of_the_only_one(clock):
    watch = LiveProgress(clock)
    watch.begin("mojeek")
    watch.take(AnswerProgress("12345"))
    assert watch.rows() == ["mojeek  0.0 s  5 characters so far"]
    watch.take(WaitProgress("brave: waiting for its turn", "brave"))
    assert watch.rows()[1] == "brave   0.0 s  waiting for its turn"

from collections.abc import Callable, Iterable

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.searching.completion import (
    BROKEN_OFF_S,
    EMPTY_S,
    LATE_SOURCES_S,
    NO_SOURCES_S,
    NO_TURN_S,
    NOT_OFFERED_S,
    QUIET_S,
    SOURCES_STABLE_S,
    Completion,
    Phase,
)
from tabwright.searching.look import Card, Look, Node, Turn

URL = "https://www.google.com/search?udm=50&q=q"
STEP_S = 0.2
LONG = "A sentence that is long enough not to be taken for a word such as Searching."
CARDS = (Card("https://a.example/", "A"), Card("https://b.example/", "B"))


def turn(*lines: str, **changes: object) -> Turn:
    column = tuple(Node("box", kids=(Node("text", line),)) for line in lines)
    return attrs.evolve(Turn(query="q", column=column), **changes)


def look(seen: Turn | None, **changes: object) -> Look:
    return attrs.evolve(Look(URL, composer=True, turns=int(seen is not None), turn=seen), **changes)


def run(completion: Completion, looks: Iterable[Look], start_s: float = 100.0) -> list[Phase]:
    """The phases of looks that are taken every 0.2 s, up to the first final one."""
    phases: list[Phase] = []
    for number, each in enumerate(looks):
        phases.append(completion.feed(each, start_s + number * STEP_S))
        if phases[-1].is_final:
            break
    return phases


def held(each: Look, seconds: float) -> list[Look]:
    return [each] * (round(seconds / STEP_S) + 1)


def seconds(phases: list[Phase]) -> float:
    return (len(phases) - 1) * STEP_S


RUNNING = look(turn(LONG, "more"), stop="shown")
SIGNS = {
    "complete": {"turn": {"complete": True}},
    "actions": {"turn": {"actions": True}},
    "announced": {"look": {"announcement": "ready"}},
    "stop": {"look": {"stop": "hidden"}},
    "stream": {"look": {"streams": 1}},
}


def finished(*signs: str, **of_turn: object) -> Look:
    for_turn, for_look = dict(of_turn), {"stop": "shown"}
    for sign in signs:
        for_turn |= SIGNS[sign].get("turn", {})
        for_look |= SIGNS[sign].get("look", {})
    return look(turn(LONG, "more", **for_turn), **for_look)


@pytest.mark.parametrize("first", SIGNS)
@pytest.mark.parametrize("second", SIGNS)
def test_any_two_signs_settle_it_if_one_is_the_page_s_own_word(first: str, second: str) -> None:
    phases = run(Completion(), [RUNNING, *held(finished(first, second, cards=CARDS), 10)])
    if {first, second} == {"stop", "stream"}:
        assert phases[-1] is Phase.PARTIAL
        assert seconds(phases) == pytest.approx(BROKEN_OFF_S, abs=2 * STEP_S)
    elif first != second:
        assert phases[-1] is Phase.COMPLETE
        assert seconds(phases) <= SOURCES_STABLE_S + 2 * STEP_S
    elif first in {"stop", "stream"}:
        assert phases[-1] is Phase.PARTIAL
        assert seconds(phases) >= QUIET_S
    else:
        assert Phase.COMPLETE not in phases


def test_a_stall_is_waited_out_while_the_stop_button_is_shown() -> None:
    assert set(run(Completion(), held(RUNNING, 60))) == {Phase.STREAMING}


def test_a_hidden_stop_button_is_no_sign_unless_it_was_shown() -> None:
    empty = look(turn(), stop="hidden")
    part = look(turn(LONG, complete=True), stop="hidden")
    assert run(Completion(), [empty, *held(part, 2)])[-1] is Phase.STREAMING


def test_an_answer_faster_than_the_first_look_is_complete() -> None:
    whole = look(turn(LONG, complete=True, cards=CARDS), stop="hidden")
    assert run(Completion(), held(whole, 2))[-1] is Phase.COMPLETE


def test_quiet_time_is_the_last_resort() -> None:
    phases = run(Completion(), held(look(turn(LONG)), 10))
    assert phases[-1] is Phase.NO_ANSWER  # one line that came at once, and nothing else
    grown = [look(turn(LONG[:20])), *held(look(turn(LONG)), 10)]
    phases = run(Completion(), grown)
    assert phases[-1] is Phase.PARTIAL
    assert seconds(phases) == pytest.approx(QUIET_S + STEP_S, abs=STEP_S)


@pytest.mark.parametrize(
    "blocked",
    [
        look(turn(LONG, "b", loading=True)),
        look(turn(LONG, "```python", "x = 1")),
        look(turn("Searching")),
        look(turn()),
        look(turn(), announcement="Searching"),
    ],
    ids=["loading block", "open fence", "a word", "nothing", "nothing announced"],
)
def test_quiet_time_does_not_settle(blocked: Look) -> None:
    assert not run(Completion(), held(blocked, 60))[-1].is_final


@given(
    lengths=st.lists(st.integers(61, 90), min_size=1, max_size=12),
    holds=st.lists(st.floats(0.1, 3.9), min_size=12, max_size=12),
)
def test_a_text_that_moves_within_the_quiet_time_is_never_done(
    lengths: list[int], holds: list[float]
) -> None:
    completion, now_s, previous = Completion(), 0.0, 0
    for length, hold_s in zip(lengths, holds, strict=False):
        grown = look(turn("x" * (previous + length)))
        assert completion.feed(grown, now_s) is Phase.STREAMING
        assert completion.feed(grown, now_s + hold_s) is Phase.STREAMING
        now_s, previous = now_s + hold_s, previous + length


def done(*cards: Card, **changes: object) -> Look:
    return finished("complete", "actions", cards=cards, **changes)


def test_without_a_hint_sources_are_awaited_shortly() -> None:
    phases = run(Completion(), [RUNNING, *held(done(), 10)])
    assert phases[-1] is Phase.COMPLETE
    assert Phase.SETTLING in phases
    assert seconds(phases) == pytest.approx(NO_SOURCES_S, abs=2 * STEP_S)


@pytest.mark.parametrize(
    "hint",
    [
        {"aside": True},
        {"column": (Node("box", kids=(Node("text", LONG), Node("chip", site="Site"))),)},
    ],
    ids=["something beside", "a chip"],
)
def test_with_a_hint_they_are_awaited_longer(hint: dict[str, object]) -> None:
    phases = run(Completion(), [RUNNING, *held(done(**hint), 10)])
    assert phases[-1] is Phase.COMPLETE
    assert seconds(phases) == pytest.approx(LATE_SOURCES_S, abs=2 * STEP_S)


def test_sources_must_stand_still() -> None:
    coming = [done(*CARDS[:1], aside=True), *held(done(*CARDS, aside=True), 5)]
    phases = run(Completion(), [RUNNING, *held(done(aside=True), 4.8), *coming])
    assert phases[-1] is Phase.COMPLETE
    assert seconds(phases) == pytest.approx(5.4 + SOURCES_STABLE_S, abs=2 * STEP_S)


def test_an_empty_turn_ends_by_signs_only() -> None:
    ended = look(turn(), stop="hidden", streams=1)
    assert run(Completion(), held(ended, 10))[-1] is Phase.EMPTY
    assert seconds(run(Completion(), held(ended, 10))) >= EMPTY_S
    stuck = look(turn(loading=True), stop="hidden", streams=1)
    assert seconds(run(Completion(), held(stuck, 20))) >= LATE_SOURCES_S
    assert run(Completion(), held(look(turn()), 200))[-1] is Phase.WAITING


@pytest.mark.parametrize(
    "regret",
    [
        turn("Es ist ein Fehler aufgetreten."),
        turn("Something went wrong and an AI response wasn't generated."),
        turn(error="?"),
        turn("x", error="Das ging nicht."),
    ],
    ids=["unknown sentence", "known sentence", "alert", "alert beside text"],
)
def test_a_sentence_of_regret_is_no_answer(regret: Turn) -> None:
    ended = look(regret, stop="hidden", streams=1)
    assert run(Completion(), held(ended, 10))[-1] is Phase.NO_ANSWER


def test_an_answer_that_quotes_a_regret_is_an_answer() -> None:
    quoting = turn("It says: Something went wrong and an AI response wasn't generated.")
    signed = attrs.evolve(quoting, complete=True, actions=True)
    assert run(Completion(), held(look(signed), 10))[-1] is Phase.COMPLETE


def test_a_recorded_error_page_is_no_answer(recorded: Callable[[str], Look]) -> None:
    assert run(Completion(), held(recorded("error"), 10))[-1] is Phase.NO_ANSWER


def test_a_page_without_a_turn_is_given_time() -> None:
    bare = look(None)
    assert seconds(run(Completion(), held(bare, 10))) >= NO_TURN_S
    assert run(Completion(), held(bare, 10))[-1] is Phase.UNAVAILABLE
    assert run(Completion(), [bare, bare, *held(RUNNING, 1)])[-1] is Phase.STREAMING
    loading = look(None, ready=False)
    assert run(Completion(), held(loading, 60))[-1] is Phase.WAITING


def test_a_page_that_says_so_is_unavailable_sooner() -> None:
    told = look(None, text="AI Mode isn't available")
    phases = run(Completion(), held(told, 10))
    assert phases[-1] is Phase.UNAVAILABLE
    assert seconds(phases) == pytest.approx(NOT_OFFERED_S, abs=STEP_S)


@pytest.mark.parametrize("page", ["captcha", "consent", "blocked"])
def test_interstitials_block_at_once(recorded: Callable[[str], Look], page: str) -> None:
    assert Completion().feed(recorded(page), 0.0) is Phase.BLOCKED


def test_a_captcha_in_the_middle_blocks_and_can_be_lifted() -> None:
    completion = Completion()
    sorry = Look("https://www.google.com/sorry/index?q=x", captcha=True)
    assert completion.feed(RUNNING, 0.0) is Phase.STREAMING
    assert completion.feed(sorry, 0.2) is Phase.BLOCKED
    assert completion.feed(RUNNING, 9.0) is Phase.STREAMING


BEFORE = attrs.evolve(done(*CARDS), announcement="ready", streams=1)


def test_a_follow_up_waits_for_its_own_turn() -> None:
    assert run(Completion(BEFORE), held(BEFORE, 60))[-1] is Phase.WAITING


def test_a_follow_up_does_not_count_the_signs_of_the_turn_before() -> None:
    second = turn(LONG, "more", "again", complete=True, cards=CARDS)
    begun = look(second, turns=2, announcement="ready", streams=1, stop="shown")
    assert run(Completion(BEFORE), held(begun, 20))[-1] is Phase.STREAMING
    ended = attrs.evolve(begun, streams=2)
    assert run(Completion(BEFORE), [begun, *held(ended, 2)])[-1] is Phase.COMPLETE


def test_the_same_announcement_counts_again_once_it_was_cleared() -> None:
    second = turn(LONG, "more", complete=True, cards=CARDS)
    begun = look(second, turns=2, stop="shown", streams=1)
    told = attrs.evolve(begun, announcement="ready")
    assert run(Completion(BEFORE), [begun, *held(told, 2)])[-1] is Phase.COMPLETE


def test_a_thread_that_shows_only_its_last_turn_is_told_by_the_question() -> None:
    other = look(turn(LONG, query="another"), turns=1, stop="shown")
    assert Completion(BEFORE).feed(other, 0.0) is Phase.STREAMING

from collections.abc import Callable, Iterable

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.tab import Traffic
from tabwright.search.ai_mode.completion import (
    CHECK_S,
    EMPTY_S,
    LATE_S,
    NO_TURN_S,
    OWN_WORD_S,
    QUIET_BUSY_S,
    QUIET_S,
    SILENCE_S,
    SOURCES_STABLE_S,
    STUCK_S,
    TAKEN_S,
    CompletionDetector,
    OwnTurn,
    Phase,
)
from tabwright.search.ai_mode.page_state import Card, ContentNode, PageState, ThreadTurn

URL = "https://www.google.com/search?udm=50&q=q"
STEP_S = 0.2
LONG = "A sentence that is long enough not to be taken for a word such as Searching."
CARDS = (Card("https://a.example/", "A"), Card("https://b.example/", "B"))


def turn(*lines: str, **changes: object) -> ThreadTurn:
    column = tuple(ContentNode("box", kids=(ContentNode("text", line),)) for line in lines)
    return attrs.evolve(ThreadTurn(query="q", column=column), **changes)


def state(seen: ThreadTurn | None, **changes: object) -> PageState:
    return attrs.evolve(
        PageState(URL, composer=True, turns=int(seen is not None), turn=seen), **changes
    )


STREAM = "https://www.google.com/async/folwr?q=x"
QUIET = Traffic()
BROKEN = Traffic(failed=(STREAM,))
ERROR = Traffic(errors=(STREAM,))
UNDER_WAY = Traffic(under_way=(STREAM,))
BUSY = Traffic(under_way=("https://www.google.com/something/else",))


CHIP = ContentNode("chip", hrefs=("https://a.example/",), site="A")
LINK = ContentNode("link", href="https://a.example/", kids=(ContentNode("text", "A"),))
BOLD = ContentNode("bold", kids=(ContentNode("text", "Paris"),))


def run(
    completion: CompletionDetector, states: Iterable[PageState], traffic: Traffic = QUIET
) -> list[Phase]:
    """Return the phases of states taken every 0.2 s, up to the first final one."""
    phases: list[Phase] = []
    for number, each in enumerate(states):
        phases.append(completion.feed(each, 100 + number * STEP_S, traffic))
        if phases[-1].is_final:
            break
    return phases


def held(each: PageState, seconds: float) -> list[PageState]:
    return [each] * (round(seconds / STEP_S) + 1)


def seconds(phases: list[Phase]) -> float:
    return (len(phases) - 1) * STEP_S


RUNNING = state(turn(LONG, "more"), stop="shown")
SIGNS = {
    "complete": {"turn": {"complete": True}},
    "actions": {"turn": {"actions": True}},
    "announced": {"state": {"announcements": 1}},
    "stop": {"state": {"stop": "hidden"}},
    "stream": {"state": {"streams": 1}},
}


def finished(*signs: str, **of_turn: object) -> PageState:
    for_turn, for_state = dict(of_turn), {"stop": "shown"}
    for sign in signs:
        for_turn |= SIGNS[sign].get("turn", {})
        for_state |= SIGNS[sign].get("state", {})
    return state(turn(LONG, "more", **for_turn), **for_state)


def counted(*signs: str) -> PageState:
    return finished(*signs, cards=CARDS, counts=("2 sites",))


@pytest.mark.parametrize("first", SIGNS)
@pytest.mark.parametrize("second", SIGNS)
def test_any_two_different_signs_complete_the_answer(first: str, second: str) -> None:
    phases = run(CompletionDetector(), [RUNNING, *held(counted(first, second), 10)])
    if {first, second} == {"stop", "stream"}:
        assert phases[-1] is Phase.COMPLETE
        assert seconds(phases) == pytest.approx(OWN_WORD_S, abs=2 * STEP_S)
    elif first != second:
        assert phases[-1] is Phase.COMPLETE
        wait_s = SOURCES_STABLE_S if "stop" in {first, second} else QUIET_S
        assert seconds(phases) == pytest.approx(wait_s, abs=2 * STEP_S)
    elif first in {"stop", "stream"}:
        assert phases[-1] is Phase.PARTIAL
        assert seconds(phases) >= QUIET_S
    else:
        assert Phase.COMPLETE not in phases


DOUBTS = {
    "stop button": ({}, {"stop": "shown"}, QUIET),
    "marked incomplete": ({"incomplete": True}, {}, QUIET),
    "open stream": ({}, {}, UNDER_WAY),
}


def doubted(*names: str) -> tuple[PageState, Traffic]:
    """Return a page with two signs of completion, and with these signs against it."""
    for_turn, for_state, traffic = {"actions": True, "cards": CARDS}, {"announcements": 1}, QUIET
    for name in names:
        of_turn, of_look, of_traffic = DOUBTS[name]
        for_turn, for_state = for_turn | of_turn, for_state | of_look
        traffic = of_traffic if of_traffic is not QUIET else traffic
    return state(turn(LONG, "more", **for_turn), **for_state), traffic


@pytest.mark.parametrize("doubt", DOUBTS)
def test_two_signs_outweigh_one_doubt_once_the_text_is_stable(doubt: str) -> None:
    seen, traffic = doubted(doubt)
    grown = attrs.evolve(seen, turn=attrs.evolve(seen.turn, column=turn(LONG, "", "x").column))
    phases = run(CompletionDetector(), [RUNNING, *held(seen, 3), *held(grown, 10)], traffic)
    assert phases[-1] is Phase.COMPLETE
    assert seconds(phases) == pytest.approx(3 + QUIET_S, abs=3 * STEP_S)


@pytest.mark.parametrize("doubts", [tuple(DOUBTS), tuple(DOUBTS)[:2], tuple(DOUBTS)[1:]])
def test_two_signs_against_several_doubts_are_partial_after_silence(
    doubts: tuple[str, ...],
) -> None:
    seen, traffic = doubted(*doubts)
    phases = run(CompletionDetector(), [RUNNING, *held(seen, 60)], traffic)
    assert phases[-1] is Phase.PARTIAL
    assert seconds(phases) == pytest.approx(SILENCE_S, abs=3 * STEP_S)


def test_announcement_before_any_text_is_not_a_sign() -> None:
    searching = state(turn(), announcements=1, stop="shown")
    begun = state(turn(LONG, complete=True), announcements=1)
    phases = run(CompletionDetector(), [searching, *held(begun, 3)])
    assert set(phases) == {Phase.WAITING, Phase.STREAMING}
    reported = attrs.evolve(begun, announcements=2)
    assert run(CompletionDetector(), [searching, begun, *held(reported, 3)])[-1] is Phase.COMPLETE


@pytest.mark.parametrize(
    ("footnote", "phase"),
    [
        ("", Phase.COMPLETE),
        ("AI responses may include mistakes. Learn more", Phase.COMPLETE),
        ("The answer goes on.", Phase.STREAMING),
    ],
)
def test_action_buttons_are_a_sign_only_if_no_text_but_a_notice_follows(
    footnote: str, phase: Phase
) -> None:
    seen = state(turn(LONG, "more", actions=True, footnote=footnote), announcements=1)
    assert run(CompletionDetector(), [RUNNING, *held(seen, 3)])[-1] is phase


def test_empty_turn_is_awaited_while_stop_button_and_stream_are_active() -> None:
    seen = state(turn(actions=True, complete=True), stop="shown")
    assert set(run(CompletionDetector(), held(seen, SILENCE_S - 1), UNDER_WAY)) == {Phase.WAITING}


def test_stalled_answer_keeps_streaming_while_stop_button_is_shown() -> None:
    assert set(run(CompletionDetector(), held(RUNNING, SILENCE_S - 1))) == {Phase.STREAMING}


def unfinished(**changes: object) -> PageState:
    return state(turn(LONG, "b", **changes))


@pytest.mark.parametrize(
    ("seen", "traffic"),
    [
        (RUNNING, UNDER_WAY),
        (unfinished(), UNDER_WAY),
        (unfinished(loading=True), QUIET),
        (unfinished(incomplete=True), BUSY),
        (state(turn(LONG, "```python", "x = 1")), QUIET),
    ],
    ids=["stop button", "stream", "loading", "incomplete", "open fence"],
)
def test_unfinished_answer_is_partial_after_silence(seen: PageState, traffic: Traffic) -> None:
    phases = run(CompletionDetector(), [state(turn(LONG)), *held(seen, 110)], traffic)
    assert phases[-1] is Phase.PARTIAL
    assert seconds(phases) == pytest.approx(SILENCE_S, abs=3 * STEP_S)


def test_short_line_with_a_source_chip_is_not_loading_text() -> None:
    line = ContentNode("box", kids=(ContentNode("text", "Paris."), CHIP))
    seen = state(ThreadTurn(query="q", column=(line,)), stop="shown")
    phases = run(CompletionDetector(), held(seen, 110), UNDER_WAY)
    assert phases[-1] is Phase.PARTIAL
    assert seconds(phases) <= SILENCE_S + 2 * STEP_S


def test_stop_button_hidden_from_the_start_is_not_a_sign() -> None:
    empty = state(turn(), stop="hidden")
    part = state(turn(LONG, complete=True), stop="hidden")
    assert run(CompletionDetector(), [empty, *held(part, 2)])[-1] is Phase.STREAMING


def test_an_answer_faster_than_the_first_state_is_complete() -> None:
    whole = state(turn(LONG, complete=True, cards=CARDS), stop="hidden")
    assert run(CompletionDetector(), held(whole, 2))[-1] is Phase.COMPLETE


def test_answer_without_signs_is_partial_after_quiet_time() -> None:
    phases = run(CompletionDetector(), held(state(turn(LONG)), 10))
    assert phases[-1] is Phase.PARTIAL
    grown = [state(turn(LONG[:20])), *held(state(turn(LONG)), 10)]
    phases = run(CompletionDetector(), grown)
    assert phases[-1] is Phase.PARTIAL
    assert seconds(phases) == pytest.approx(QUIET_S + STEP_S, abs=STEP_S)


@pytest.mark.parametrize(
    "blocked",
    [
        state(turn("Searching")),
        state(turn()),
        state(turn(), announcements=1),
    ],
    ids=["a word", "nothing", "nothing announced"],
)
def test_quiet_time_does_not_end_nearly_empty_turn(blocked: PageState) -> None:
    assert not run(CompletionDetector(), held(blocked, 60), BUSY)[-1].is_final


@given(
    lengths=st.lists(st.integers(61, 90), min_size=1, max_size=12),
    holds=st.lists(st.floats(0.1, 3.9), min_size=12, max_size=12),
)
def test_text_growing_within_quiet_time_stays_streaming(
    lengths: list[int], holds: list[float]
) -> None:
    completion, now_s, previous = CompletionDetector(), 0.0, 0
    for length, hold_s in zip(lengths, holds, strict=False):
        grown = state(turn("x" * (previous + length)))
        assert completion.feed(grown, now_s) is Phase.STREAMING
        assert completion.feed(grown, now_s + hold_s) is Phase.STREAMING
        now_s, previous = now_s + hold_s, previous + length


def done(*cards: Card, **changes: object) -> PageState:
    return finished("complete", "actions", "stop", cards=cards, **changes)


@pytest.mark.parametrize(
    "chips",
    [(), (CHIP,), (ContentNode("chip", site="Site"),), (CHIP, ContentNode("chip", site="Site"))],
    ids=["no chip", "a link", "a button", "both"],
)
def test_sources_that_no_card_announces_are_not_awaited(chips: tuple[ContentNode, ...]) -> None:
    column = (ContentNode("box", kids=(ContentNode("text", LONG), *chips)),)
    phases = run(CompletionDetector(), [RUNNING, *held(done(column=column), 10)])
    assert phases[-1] is Phase.COMPLETE
    assert seconds(phases) <= SOURCES_STABLE_S + 2 * STEP_S


@pytest.mark.parametrize(
    "shown",
    [{}, {"cards": CARDS}, {"cards": CARDS, "counts": ("2 sites",), "aside": True}],
    ids=["no source", "sources", "counted sources"],
)
def test_page_and_transport_that_agree_end_an_answer_at_once(shown: dict[str, object]) -> None:
    sure = finished("complete", "actions", "stop", "stream", **shown)
    assert run(CompletionDetector(), [RUNNING, sure])[-1] is Phase.COMPLETE
    assert run(CompletionDetector(), [RUNNING, sure], BUSY)[-1] is Phase.SETTLING
    announces = attrs.evolve(sure, turn=attrs.evolve(sure.turn, counts=("3 sites",)))
    assert run(CompletionDetector(), [RUNNING, announces])[-1] is Phase.SETTLING


@pytest.mark.parametrize(
    "hint",
    [
        {"aside": True},
        {"sources_pending": True},
        {"loading": True},
        {"counts": ("3 sites",)},
    ],
    ids=["something beside", "grey bars beside", "grey bars", "a count"],
)
def test_announced_sources_are_awaited(hint: dict[str, object]) -> None:
    phases = run(CompletionDetector(), [RUNNING, *held(done(**hint), 10)])
    assert phases[-1] is Phase.COMPLETE
    assert seconds(phases) == pytest.approx(LATE_S, abs=2 * STEP_S)


def test_sources_are_awaited_while_a_request_of_the_page_is_open() -> None:
    completion, sources = CompletionDetector(), done(*CARDS)
    phases = run(completion, [RUNNING, *held(done(), 4)], BUSY)
    assert phases[-1] is Phase.SETTLING
    now_s = 100 + len(phases) * STEP_S
    assert completion.feed(sources, now_s) is Phase.SETTLING
    assert completion.feed(sources, now_s + OWN_WORD_S) is Phase.COMPLETE
    phases = run(CompletionDetector(), [RUNNING, *held(done(), 10)], BUSY)
    assert seconds(phases) == pytest.approx(LATE_S, abs=2 * STEP_S)


def test_counted_sources_do_not_wait_for_open_requests() -> None:
    counted = done(*CARDS, counts=("2 sites",))
    phases = run(CompletionDetector(), [RUNNING, *held(counted, 10)], BUSY)
    assert seconds(phases) == pytest.approx(SOURCES_STABLE_S, abs=2 * STEP_S)


def test_further_sources_are_awaited_while_placeholders_are_shown() -> None:
    fewer = done(CARDS[0], sources_pending=True)
    phases = run(CompletionDetector(), [RUNNING, *held(fewer, 3), *held(done(*CARDS), 5)])
    assert seconds(phases) == pytest.approx(3.4 + OWN_WORD_S, abs=2 * STEP_S)


@pytest.mark.parametrize(
    ("counts", "stable_s"), [(("2 sites",), SOURCES_STABLE_S), ((), OWN_WORD_S)]
)
def test_answer_is_complete_only_after_sources_are_stable(
    counts: tuple[str, ...], stable_s: float
) -> None:
    coming = [done(*CARDS[:1], aside=True), *held(done(*CARDS, aside=True, counts=counts), 5)]
    phases = run(CompletionDetector(), [RUNNING, *held(done(aside=True), 4.8), *coming])
    assert phases[-1] is Phase.COMPLETE
    assert seconds(phases) == pytest.approx(5.4 + stable_s, abs=2 * STEP_S)


@pytest.mark.parametrize("cards", [(), CARDS])
def test_sources_that_the_page_counts_are_awaited(cards: tuple[Card, ...]) -> None:
    more = done(*CARDS, Card("https://c.example/", "C"), counts=("3 sites",))
    fewer = done(*cards, counts=("3 sites",))
    phases = run(CompletionDetector(), [RUNNING, *held(fewer, 3), *held(more, 5)])
    assert seconds(phases) == pytest.approx(3.4 + SOURCES_STABLE_S, abs=2 * STEP_S)
    phases = run(CompletionDetector(), [RUNNING, *held(fewer, 10)])
    assert seconds(phases) == pytest.approx(LATE_S, abs=2 * STEP_S)


def test_an_empty_turn_ends_by_signs_only() -> None:
    ended = state(turn(), stop="hidden", streams=1)
    assert run(CompletionDetector(), held(ended, 10))[-1] is Phase.EMPTY
    assert seconds(run(CompletionDetector(), held(ended, 10))) >= EMPTY_S
    stuck = state(turn(loading=True), stop="hidden", streams=1)
    assert seconds(run(CompletionDetector(), held(stuck, 20))) >= LATE_S
    assert run(CompletionDetector(), held(state(turn()), 200), BUSY)[-1] is Phase.WAITING


@pytest.mark.parametrize(
    "regret",
    [
        turn("Something went wrong and an AI response wasn't generated."),
        turn("Something went wrong."),
        turn(error="?"),
        turn("Das ging nicht.", error="Das ging nicht."),
    ],
    ids=["known sentence", "its beginning", "alert", "alert in the column"],
)
def test_error_sentence_is_not_an_answer(regret: ThreadTurn) -> None:
    ended = state(regret, stop="hidden", streams=1)
    assert run(CompletionDetector(), held(ended, 10))[-1] is Phase.NO_ANSWER


@pytest.mark.parametrize(
    "line",
    [
        turn("Yes, Paris is the capital of France."),
        turn("Yes.", error="Copied."),
        turn("Yes.", "Something went wrong and the content wasn't generated"),
    ],
    ids=["alone", "beside an alert", "before a regret"],
)
def test_single_line_without_sign_is_a_partial_answer(line: ThreadTurn) -> None:
    ended = state(line, stop="hidden", streams=1)
    assert run(CompletionDetector(), held(ended, 10))[-1] is Phase.PARTIAL


@pytest.mark.parametrize(
    ("seen", "traffic", "phase"),
    [
        (finished("stop", "stream"), Traffic(), Phase.COMPLETE),
        (finished("stop", "stream"), BROKEN, Phase.PARTIAL),
        (finished("complete", "actions", cards=CARDS), BROKEN, Phase.COMPLETE),
        (state(turn("One line."), stop="hidden", streams=1), Traffic(), Phase.PARTIAL),
        (state(turn("One line."), stop="hidden", streams=1), BROKEN, Phase.PARTIAL),
    ],
)
def test_network_state_decides_when_page_signs_are_insufficient(
    seen: PageState, traffic: Traffic, phase: Phase
) -> None:
    assert run(CompletionDetector(), held(seen, 10), traffic=traffic)[-1] is phase


@pytest.mark.parametrize("traffic", [BROKEN, ERROR])
@pytest.mark.parametrize(
    "seen", [state(turn(), stop="hidden", streams=1), state(turn(loading=True))]
)
def test_failed_stream_without_text_is_a_failure(seen: PageState, traffic: Traffic) -> None:
    phases = run(CompletionDetector(), held(seen, 60), traffic)
    assert phases[-1] is Phase.FAILED
    assert seconds(phases) <= LATE_S + 2 * STEP_S


@pytest.mark.parametrize("signs", [{}, {"complete": True}])
def test_failure_sentence_after_http_error_is_a_failure(signs: dict[str, bool]) -> None:
    text = "Something went wrong and an AI response wasn't generated."
    seen = state(turn(text, **signs), stop="hidden", streams=1)
    assert run(CompletionDetector(), held(seen, 10), ERROR)[-1] is Phase.FAILED
    assert run(CompletionDetector(), held(seen, 10), BROKEN)[-1] is not Phase.FAILED


@pytest.mark.parametrize("part", [CHIP, LINK, BOLD], ids=["chip", "link", "bold"])
@pytest.mark.parametrize("traffic", [QUIET, BROKEN, ERROR], ids=["quiet", "broken", "error"])
def test_single_line_with_a_citation_or_style_is_a_partial_answer(
    part: ContentNode, traffic: Traffic
) -> None:
    line = ContentNode("box", kids=(ContentNode("text", LONG), part))
    seen = state(ThreadTurn(query="q", column=(line,)), stop="hidden", streams=1)
    assert run(CompletionDetector(), held(seen, 10), traffic)[-1] is Phase.PARTIAL


def test_error_sentence_with_a_help_link_or_retry_is_not_an_answer() -> None:
    words = ContentNode("text", "Something went wrong and an AI response wasn't generated.")
    helps = ContentNode("link", href="https://support.google.com/x", kids=(words,))
    retry = ContentNode("chip", site="Try again")
    for part in (helps, retry):
        line = ContentNode("box", kids=(words, part))
        seen = state(ThreadTurn(query="q", column=(line,)), stop="hidden", streams=1)
        assert run(CompletionDetector(), held(seen, 10))[-1] is Phase.NO_ANSWER


def test_open_request_extends_quiet_time() -> None:
    grown = [state(turn(LONG[:20])), *held(state(turn(LONG)), 60)]
    phases = run(CompletionDetector(), grown, traffic=BUSY)
    assert phases[-1] is Phase.PARTIAL
    assert seconds(phases) == pytest.approx(QUIET_BUSY_S, abs=2 * STEP_S)


def test_refused_stream_is_blocked_whatever_the_page_shows() -> None:
    refused = Traffic(refused=(STREAM,))
    assert (
        CompletionDetector().feed(state(turn("Something went wrong.")), 0.0, refused)
        is Phase.BLOCKED
    )
    other = Traffic(refused=("https://www.google.com/log",))
    assert CompletionDetector().feed(RUNNING, 0.0, other) is Phase.STREAMING


def test_toast_or_quoted_error_does_not_discard_the_answer() -> None:
    toast = turn(LONG, complete=True, error="Copied.")
    assert (
        run(CompletionDetector(), held(state(toast, stop="hidden", streams=1), 10))[-1]
        is Phase.COMPLETE
    )
    quoted = turn("It says: Something went wrong and the content wasn't generated.", complete=True)
    assert (
        run(CompletionDetector(), held(state(quoted, stop="hidden", streams=1), 10))[-1]
        is Phase.COMPLETE
    )


def test_stuck_page_is_given_up_as_empty() -> None:
    phases = run(CompletionDetector(), held(state(turn(loading=True)), 60))
    assert phases[-1] is Phase.EMPTY
    assert seconds(phases) == pytest.approx(STUCK_S, abs=2 * STEP_S)
    assert run(CompletionDetector(), held(state(turn()), 60), traffic=BUSY)[-1] is Phase.WAITING
    assert run(CompletionDetector(), held(state(turn(), ready=False), 60))[-1] is Phase.WAITING


def test_answer_ending_in_failure_sentence_is_partial() -> None:
    cut = turn(LONG, "Something went wrong and the content wasn't generated.", actions=True)
    ended = state(cut, stop="hidden", streams=1)
    assert run(CompletionDetector(), held(ended, 10))[-1] is Phase.PARTIAL


FAILURE = "Something went wrong. Please try again later."
REGRET = "Something went wrong and the content wasn't generated."


def alert(text: str) -> ContentNode:
    return ContentNode("box", kids=(ContentNode("text", text),), alert=True)


@pytest.mark.parametrize(
    ("changes", "phase"),
    [
        ({"error": FAILURE}, Phase.PARTIAL),
        ({"column": (*turn(LONG, "more").column, alert(FAILURE)), "error": FAILURE}, Phase.PARTIAL),
        ({"column": turn(LONG, FAILURE).column}, Phase.PARTIAL),
        (
            {"column": turn(LONG, REGRET, "AI responses may include mistakes. Learn more").column},
            Phase.PARTIAL,
        ),
        (
            {"column": (*turn(LONG).column, alert("Das ging nicht.")), "error": "Das ging nicht."},
            Phase.PARTIAL,
        ),
        (
            {"column": (alert("Keep off!"), *turn(LONG).column), "error": "Keep off!"},
            Phase.COMPLETE,
        ),
    ],
    ids=[
        "alert beside the column",
        "alert in it",
        "last line",
        "regret before a notice",
        "unknown alert at the end",
        "unknown alert before text",
    ],
)
def test_error_in_mid_answer_makes_it_partial(changes: dict[str, object], phase: Phase) -> None:
    ended = state(turn(LONG, "more", complete=True, actions=True, **changes), stop="hidden")
    assert run(CompletionDetector(), held(ended, 10))[-1] is phase


def test_answer_quoting_failure_sentence_is_complete() -> None:
    quoting = turn("It says: Something went wrong and an AI response wasn't generated.")
    signed = attrs.evolve(quoting, complete=True, actions=True)
    assert run(CompletionDetector(), held(state(signed), 10))[-1] is Phase.COMPLETE


def test_recorded_page_with_an_unknown_sentence_is_a_partial_answer(
    recorded: Callable[[str], PageState],
) -> None:
    assert run(CompletionDetector(), held(recorded("error"), 10))[-1] is Phase.PARTIAL


def test_page_without_turn_becomes_unavailable_after_a_wait() -> None:
    bare = state(None)
    assert seconds(run(CompletionDetector(), held(bare, 10))) >= NO_TURN_S
    assert run(CompletionDetector(), held(bare, 10))[-1] is Phase.UNAVAILABLE
    assert run(CompletionDetector(), [bare, bare, *held(RUNNING, 1)])[-1] is Phase.STREAMING
    loading = state(None, ready=False)
    assert run(CompletionDetector(), held(loading, 60))[-1] is Phase.WAITING


def test_page_that_states_unavailability_is_given_up_sooner() -> None:
    reported = state(None, text="AI Mode isn't available")
    phases = run(CompletionDetector(), held(reported, 10))
    assert phases[-1] is Phase.UNAVAILABLE
    assert seconds(phases) == pytest.approx(OWN_WORD_S, abs=STEP_S)


@pytest.mark.parametrize("page", ["captcha", "consent", "blocked"])
def test_interstitial_page_is_blocked_immediately(
    recorded: Callable[[str], PageState], page: str
) -> None:
    assert CompletionDetector().feed(recorded(page), 0.0) is Phase.BLOCKED


def test_captcha_during_answer_blocks_until_it_is_solved() -> None:
    completion = CompletionDetector()
    sorry = PageState("https://www.google.com/sorry/index?q=x", captcha=True)
    assert completion.feed(RUNNING, 0.0) is Phase.STREAMING
    assert completion.feed(sorry, 0.2) is Phase.BLOCKED
    assert completion.feed(RUNNING, 9.0) is Phase.STREAMING


def test_turn_marked_incomplete_stays_partial_after_its_stream_ends() -> None:
    ended = finished("stop", "stream", incomplete=True)
    assert run(CompletionDetector(), [RUNNING, *held(ended, 10)])[-1] is Phase.PARTIAL


def test_short_sentence_marked_complete_is_an_answer() -> None:
    short = state(turn("Paris.", complete=True), stop="hidden", streams=1)
    assert run(CompletionDetector(), held(short, 10))[-1] is Phase.COMPLETE


APOLOGY = "It looks like there's no response available for this search. Try asking something else."
APOLOGIES = [
    APOLOGY,
    "Für diese Suche ist keine Antwort verfügbar. Bitte stellen Sie eine andere Frage.",
    "Parece que não há resposta disponível para esta pesquisa. Tente perguntar outra coisa.",
    "No hay ninguna respuesta disponible. ¡Prueba otra pregunta!",
    "この検索への回答はありません。別の質問をお試しください。",
]


@pytest.mark.parametrize("sentence", APOLOGIES)
def test_apology_in_a_turn_without_an_action_bar_is_not_an_answer(sentence: str) -> None:
    complete = state(turn(sentence, complete=True), stop="hidden", streams=1)
    assert run(CompletionDetector(), held(complete, 10))[-1] is Phase.DECLINED
    unstreamed = state(turn(sentence, complete=True), announcements=1)
    assert run(CompletionDetector(), held(unstreamed, 20))[-1] is Phase.DECLINED


def test_known_apology_with_an_action_bar_is_not_an_answer() -> None:
    barred = state(turn(APOLOGY, complete=True, actions=True), stop="hidden", streams=1)
    assert run(CompletionDetector(), held(barred, 10))[-1] is Phase.DECLINED


def test_late_action_bar_makes_short_sentences_an_answer() -> None:
    text = "Paris is the capital of France. It has two million inhabitants."
    early = state(turn(text, complete=True), stop="hidden", streams=1)
    late = state(turn(text, complete=True, actions=True), stop="hidden", streams=1)
    assert run(CompletionDetector(), [*held(early, 2), *held(late, 5)])[-1] is Phase.COMPLETE


@pytest.mark.parametrize(
    "answer",
    [
        turn(f"It says: {APOLOGY}", complete=True, actions=True),
        turn(APOLOGY, "In other words, Google has no answer.", complete=True, actions=True),
        turn(APOLOGIES[1], complete=True, actions=True),
        turn(APOLOGIES[1], complete=True, counts=("3 sites",)),
        ThreadTurn(
            query="q",
            column=(ContentNode("box", kids=(ContentNode("text", APOLOGY), CHIP)),),
            complete=True,
        ),
        ThreadTurn(
            query="q",
            column=(ContentNode("box", kids=(ContentNode("text", APOLOGIES[1]), BOLD)),),
            complete=True,
        ),
        turn("Paris.", complete=True),
    ],
    ids=["quoted", "with more", "action bar", "counted", "cited", "styled", "one word"],
)
def test_short_text_with_a_part_of_an_answer_is_an_answer(answer: ThreadTurn) -> None:
    ended = state(answer, stop="hidden", streams=1)
    assert run(CompletionDetector(), held(ended, 20))[-1] is Phase.COMPLETE


def test_sentences_that_grew_are_an_answer() -> None:
    grown = [state(turn("Paris is the capital")), state(turn("Paris is the capital. It is big."))]
    ended = state(turn("Paris is the capital. It is big.", complete=True), stop="hidden", streams=1)
    assert run(CompletionDetector(), [*grown, *held(ended, 10)])[-1] is Phase.COMPLETE


def test_page_that_asks_to_log_in_is_given_up_soon() -> None:
    wall = PageState("https://accounts.google.com/v3/signin/identifier", log_in=True)
    phases = run(CompletionDetector(), held(wall, 10))
    assert phases[-1] is Phase.UNAVAILABLE
    assert seconds(phases) == pytest.approx(OWN_WORD_S, abs=STEP_S)


def test_script_check_is_blocked_after_a_wait() -> None:
    check = PageState("https://www.google.com/httpservice/retry/enablejs?sei=x")
    phases = run(CompletionDetector(), held(check, 30))
    assert phases[-1] is Phase.BLOCKED
    assert seconds(phases) == pytest.approx(CHECK_S, abs=2 * STEP_S)


BEFORE = attrs.evolve(done(*CARDS, identity="1", query="first"), announcements=1, streams=1)


def follow_up(asked: str = "second") -> CompletionDetector:
    return CompletionDetector(OwnTurn(asked, BEFORE, ("an older one", "first")))


def test_follow_up_is_ignored_if_its_turn_never_appears() -> None:
    phases = run(follow_up(), held(BEFORE, 60))
    assert set(phases[:-1]) == {Phase.WAITING}
    assert phases[-1] is Phase.IGNORED
    assert seconds(phases) == pytest.approx(TAKEN_S, abs=2 * STEP_S)


def test_follow_up_ignores_signs_of_the_previous_turn() -> None:
    second = turn(LONG, "more", "again", complete=True, cards=CARDS, identity="2")
    begun = state(second, turns=2, announcements=1, streams=1, stop="shown")
    assert run(follow_up(), held(begun, 20))[-1] is Phase.STREAMING
    ended = attrs.evolve(begun, streams=2, stop="hidden")
    assert run(follow_up(), [begun, *held(ended, 2)])[-1] is Phase.COMPLETE


def test_repeated_announcement_counts_as_a_sign() -> None:
    second = turn(LONG, "more", complete=True, cards=CARDS, identity="2")
    begun = state(second, turns=2, stop="shown", streams=1, announcements=1)
    reported = attrs.evolve(begun, announcements=2, stop="hidden")
    assert run(follow_up(), [begun, *held(reported, 2)])[-1] is Phase.COMPLETE


def test_follow_up_in_a_new_document_counts_only_its_own_signs() -> None:
    second = turn(LONG, "more", complete=True, cards=CARDS, identity="2")
    loaded = state(second, turns=2, streams=1, loaded_at=7.0)
    assert run(follow_up(), held(loaded, 5))[-1] is Phase.COMPLETE


@pytest.mark.parametrize(
    ("shown", "phase"),
    [
        (turn(LONG, query="second", identity="2"), Phase.STREAMING),
        (turn(LONG, query="second", identity="1"), Phase.STREAMING),
        (turn(LONG, query="You asked: second", identity="2"), Phase.STREAMING),
        (turn(LONG, query="an older one", identity="2"), Phase.WAITING),
        (turn(LONG, "more", query="first", identity="2"), Phase.WAITING),
    ],
    ids=[
        "the question",
        "in the same place",
        "in other words",
        "an older question",
        "the turn before, rebuilt",
    ],
)
def test_turn_in_thread_that_has_not_grown_is_recognised_by_its_query(
    shown: ThreadTurn, phase: Phase
) -> None:
    assert follow_up().feed(state(shown, stop="shown"), 0.0) is phase


@pytest.mark.parametrize(
    ("shown", "phase"),
    [
        (turn(LONG, query="second", identity="2"), Phase.STREAMING),
        (turn(LONG, query="first", identity="1"), Phase.WAITING),
        (turn(LONG, query="first", identity="2"), Phase.WAITING),
        (turn(LONG, query="You asked: second", identity="2"), Phase.STREAMING),
    ],
    ids=["the question", "the turn before", "the turn before, rebuilt", "in other words"],
)
def test_turn_in_grown_thread_is_new_unless_it_is_an_earlier_one(
    shown: ThreadTurn, phase: Phase
) -> None:
    assert follow_up().feed(state(shown, stop="shown", turns=2), 0.0) is phase


def test_repeated_question_is_recognised_by_turn_identity() -> None:
    completion = follow_up("first")
    begun = state(turn(LONG, query="first", identity="2"), stop="shown", streams=1)
    assert completion.feed(begun, 0.0) is Phase.STREAMING
    same = turn(LONG, "more", query="first", identity="2", complete=True, actions=True, cards=CARDS)
    ended = state(same, streams=2, stop="hidden")
    assert run(completion, held(ended, 2))[-1] is Phase.COMPLETE

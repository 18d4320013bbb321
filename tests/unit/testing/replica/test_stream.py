from collections import Counter
from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from tabwright.testing.replica.answers import LANGUAGES, Language, truth_of
from tabwright.testing.replica.scenario import Scenario, Signal
from tabwright.testing.replica.turns import ReplicaTurn, StreamFrame, frames


def played(
    scenario: Scenario, *, language: Language = "en-US", number: int = 0
) -> list[Mapping[str, object]]:
    return [frame.content for frame in _frames(scenario, language, number)]


def _frames(scenario: Scenario, language: Language = "en-US", number: int = 0) -> list[StreamFrame]:
    truth = truth_of(language, number, "why <so>?", scenario.source_count)
    return list(frames(ReplicaTurn(number, language, truth, scenario, first=number == 0)))


@given(st.text(st.characters(codec="utf-8")))
def test_frame_is_encoded_as_byte_length_and_json(text: str) -> None:
    length, _, data = StreamFrame({"kind": "block", "html": text}).encode().partition(b";")
    assert int(length, 16) == len(data)
    assert msgspec.json.decode(data) == {"kind": "block", "html": text}


@pytest.mark.parametrize("language", LANGUAGES)
def test_turn_streams_blocks_in_order_and_ends_with_done(language: Language) -> None:
    content = played(Scenario(), language=language)
    kinds = [frame["kind"] for frame in content]
    assert kinds[0] == "begin"
    assert kinds[-3:] == ["foot", "aside", "done"]
    assert Counter(kinds)["block"] == 14
    assert Counter(kinds)["partial"] > 14
    places = [frame["at"] for frame in content if "at" in frame]
    assert places == sorted(places, key=int)
    assert [frame["at"] for frame in content if frame["kind"] == "block"] == list(range(14))


def test_only_follow_up_stream_contains_its_turn_container() -> None:
    assert played(Scenario())[0]["html"] == ""
    html = str(played(Scenario(), number=1)[0]["html"])
    root = LexborHTMLParser(html).css('[data-xid="aim-mars-turn-root"]')
    assert root[0].css('span[role="heading"][aria-level="2"] > span')[0].text() == "why <so>?"


@pytest.mark.parametrize(
    ("signal", "kind", "key", "value"),
    [
        ("complete", "done", "complete", False),
        ("live_region", "done", "say", ""),
        ("stop_button", "begin", "stoppable", False),
    ],
)
def test_dropped_signal_is_missing_from_the_stream(
    signal: Signal, kind: str, key: str, value: object
) -> None:
    def given(scenario: Scenario) -> object:
        return next(frame[key] for frame in played(scenario) if frame["kind"] == kind)

    assert given(Scenario(drop_signals=frozenset({signal}))) == value
    assert given(Scenario()) != value


def test_stream_without_action_bar_has_no_foot_frame() -> None:
    kinds = [f["kind"] for f in played(Scenario(drop_signals=frozenset({"action_bar"})))]
    assert "foot" not in kinds


def test_error_scenario_streams_failure_sentence_without_done_frame() -> None:
    content = played(Scenario(error=True), language="ja-JP")
    assert [frame["kind"] for frame in content] == ["begin", "error"]
    assert "エラーが発生したため" in str(content[1]["html"])


def test_empty_turn_ends_without_completion_signs() -> None:
    assert [*played(Scenario(empty=True))[1:]] == [{"kind": "done", "complete": False, "say": ""}]


def test_stalled_stream_delays_one_block_and_the_late_sources() -> None:
    scenario = Scenario(step_s=1, stall_at=5, stall_s=60, late_s=7)
    slow = [frame for frame in _frames(scenario) if frame.delay_s != 1]
    assert [(frame.content["kind"], frame.delay_s) for frame in slow] == [
        ("block", 61),
        ("aside", 8),
    ]
    assert slow[0].content["at"] == 5


def test_stream_can_stall_between_the_answer_and_its_foot() -> None:
    slow = [frame for frame in _frames(Scenario(step_s=0, stall_at=14, stall_s=9)) if frame.delay_s]
    assert [frame.content["kind"] for frame in slow] == ["foot"]


def test_answer_without_sources_has_no_column_and_no_citation() -> None:
    content = played(Scenario(source_count=0))
    assert "aside" not in [frame["kind"] for frame in content]
    assert "WBgIic" not in str(content)


@pytest.mark.parametrize("count", [1, 3, 10, 40])
def test_aside_shows_three_cards_and_all_in_the_dialog(count: int) -> None:
    (html,) = (f["html"] for f in played(Scenario(source_count=count)) if f["kind"] == "aside")
    root = LexborHTMLParser(str(html))
    assert len(root.css("[data-src-id]")) == min(count, 3) + count
    cards = root.css('[role="dialog"] [data-src-id]')
    truth = truth_of("en-US", 0, "q", count)
    assert [
        (
            card.css(".gpZmoc span")[0].text(),
            card.css("a.vIWmYe")[0].attributes["href"],
            card.css(".hxIQcc")[0].text(),
            card.css(".jdxGff")[0].text(),
        )
        for card in cards
    ] == [(s.title, s.url, s.snippet, s.site) for s in truth.sources]
    assert all(card.css("a.vIWmYe")[0].text() == "" for card in cards)


def test_noise_adds_hidden_copies_only_when_enabled() -> None:
    loud, quiet = (str(played(Scenario(noise=noise))) for noise in (True, False))
    signs = ("<!--TgQPHd", "NODE_END_MARKER_13", "visibility:hidden", "width:0;height:0")
    for sign in (*signs, "<div hidden>", "clip:rect(", "left:-9999px", 'none"></div>'):
        assert sign in loud
        assert sign not in quiet


def test_class_seed_leaves_no_real_class_name() -> None:
    html = str(played(Scenario(classes=3), number=1))
    assert "Y3BBE" not in html
    assert "qJYHHd" not in html
    assert 'data-xid="Gd7Hsc"' in html


def test_foot_frame_contains_the_feedback_box() -> None:
    (html,) = (f["html"] for f in played(Scenario()) if f["kind"] == "foot")
    assert LexborHTMLParser(str(html)).css('[data-xid="Gd7Hsc"] textarea[maxlength="1500"]')

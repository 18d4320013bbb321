from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tabwright.llm.vendor import ModelTraits, system_text, turns

from .asking import FORM, PICTURE, question, shown

SPEAKERS = st.sampled_from(["system", "user", "assistant"])
CONVERSATIONS = st.lists(st.tuples(SPEAKERS, st.text(max_size=3)), max_size=8)


def test_consecutive_messages_of_one_speaker_form_one_turn() -> None:
    asked = question(("user", "a"), ("user", "b"), ("assistant", "c"), ("user", "d"))
    assert [(turn.speaker, turn.text) for turn in turns(asked)] == [
        ("user", "a\n\nb"),
        ("assistant", "c"),
        ("user", "d"),
    ]


@given(CONVERSATIONS)
def test_turns_alternate_speakers_and_keep_all_text(output) -> None:
    asked = question(*output, ("user", "end"))
    taken = list(turns(asked))
    speakers = [turn.speaker for turn in taken]
    assert all(one != other for one, other in pairwise(speakers))
    pieces = [piece for turn in taken for piece in turn.pieces]
    assert pieces == [text for who, text in (*output, ("user", "end")) if who != "system" and text]


def test_picture_precedes_the_text_of_its_turn() -> None:
    (turn,) = turns(shown())
    assert turn.pieces == (PICTURE, "What is it?")
    assert turn.text is None


def test_system_messages_are_separated_from_turns() -> None:
    asked = question(("system", "a"), ("system", "b"), ("user", "c"))
    assert system_text(asked, ModelTraits(tools="forced")) == "a\n\nb"
    assert [turn.text for turn in turns(asked)] == ["c"]


def test_system_text_describes_the_answer_format_unless_tools_are_forced() -> None:
    asked = question(("user", "c"))
    assert system_text(asked, ModelTraits(tools="forced")) == ""
    assert "calling the tool plan" in system_text(asked, ModelTraits(tools="offered"))
    in_words = system_text(asked, ModelTraits(tools="none"))
    assert FORM.description in in_words
    assert '{"type":"object","properties":{"done"' in in_words

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.minilm import WordPieces

SHIPPED = WordPieces.shipped()
NAMES = {number: piece for piece, number in SHIPPED.numbers.items()}
BEGIN, END = (SHIPPED.numbers[name] for name in ("[CLS]", "[SEP]"))


def pieces(text: str, pieces_max: int = 256) -> list[str]:
    return [NAMES[number] for number in SHIPPED.of(text, pieces_max)][1:-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, world!", ["hello", ",", "world", "!"]),
        ("unaffable", ["una", "##ffa", "##ble"]),
        ("Crème brûlée", ["cr", "##eme", "br", "##ule", "##e"]),
        ("snake_case", ["snake", "_", "case"]),
        ("日本 go", ["日", "本", "go"]),
        ("x" * 101, ["[UNK]"]),
        ("", []),
    ],
)
def test_a_text_comes_apart_as_the_model_has_learned_it(text, expected):
    assert pieces(text) == expected


def test_the_numbers_are_those_of_the_model():
    assert SHIPPED.of("hello world", 256) == [101, 7592, 2088, 102]
    assert len(SHIPPED.numbers) == 30_522


def test_what_is_written_in_the_text_does_not_begin_or_end_one():
    assert SHIPPED.of("[CLS] [SEP]", 256).count(BEGIN) == 1


@given(st.text(), st.integers(2, 40))
def test_any_text_becomes_as_many_numbers_as_may_be(text, pieces_max):
    numbers = SHIPPED.of(text, pieces_max)
    assert len(numbers) <= pieces_max
    assert (numbers[0], numbers[-1]) == (BEGIN, END)


@given(st.lists(st.sampled_from(["play", "##ing", "##s", "good", "##ness"]), min_size=1))
def test_the_pieces_of_a_word_are_the_word(parts):
    word = "".join(part.removeprefix("##") for part in parts)
    found = pieces(word)
    assert found == ["[UNK]"] or "".join(one.removeprefix("##") for one in found) == word

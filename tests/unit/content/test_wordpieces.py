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
        ("", []),
    ],
)
def test_text_is_split_into_the_pieces_of_the_vocabulary(text, expected):
    assert pieces(text) == expected


def test_shipped_vocabulary_yields_the_token_ids_of_the_model():
    assert SHIPPED.of("hello world", 256) == [101, 7592, 2088, 102]
    assert len(SHIPPED.numbers) == 30_522


def test_special_tokens_in_text_are_not_encoded_as_markers():
    assert SHIPPED.of("[CLS] [SEP]", 256).count(BEGIN) == 1


@given(st.text(), st.integers(2, 40))
def test_token_ids_of_any_text_are_bounded_and_delimited(text, pieces_max):
    numbers = SHIPPED.of(text, pieces_max)
    assert len(numbers) <= pieces_max
    assert (numbers[0], numbers[-1]) == (BEGIN, END)


@given(st.lists(st.sampled_from(["play", "##ing", "##s", "good", "##ness"]), min_size=1))
def test_pieces_of_a_known_word_join_back_into_the_word(parts):
    word = "".join(part.removeprefix("##") for part in parts)
    found = pieces(word)
    assert found == ["[UNK]"] or "".join(one.removeprefix("##") for one in found) == word

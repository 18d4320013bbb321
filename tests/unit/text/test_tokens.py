import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.text.token_budget import count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("word", 1),
        ("a word or two", 4),
        ("internationalization", 5),
        ("letter", 1),
        ("letters", 2),
        ("camelCase", 2),
        ("HTMLElement", 3),
        ("UNESCO", 1),
        ("1234567", 3),
        ("| 12.5 | 7 |", 9),
        ("Hello, world!", 4),
        ("one\ntwo\n\nthree", 5),
        ("结构化并发", 5),
        ("日本語のテキスト", 8),
        ("한국어", 3),
        ("Привет", 3),
        ("🙂🙂", 4),
        ("mixed 混合 text", 4),
    ],
)
def test_token_count_matches_sample_texts(text, tokens):
    assert count_tokens(text) == tokens


def test_tokens_count_by_character_in_chinese_and_by_word_in_english():
    assert count_tokens("每一个任务都有一个等待它的父任务。" * 100) >= 1600
    english = "Every task has a parent that waits for it. " * 100
    assert 900 <= count_tokens(english) <= 1400


def test_token_count_of_base64_is_close_to_that_of_models():
    o200k, cl100k = 44, 48
    count = count_tokens("aHR0cHM6Ly93d3cuZXhhbXBsZS5jb20vaG93LWFpLWNhbi1jdXQteW91ci1wbGFubmluZw==")
    assert 0.85 * o200k <= count <= 1.2 * cl100k


@given(st.lists(st.text(st.characters(exclude_characters="\n")), max_size=8))
def test_token_count_of_text_never_exceeds_that_of_its_lines(lines):
    whole = count_tokens("\n\n".join(lines))
    assert whole <= sum(count_tokens(line) for line in lines) + max(0, len(lines) - 1)


@given(st.text(), st.text())
def test_longer_text_never_has_fewer_tokens(first, second):
    assert count_tokens(first + second) >= count_tokens(first)

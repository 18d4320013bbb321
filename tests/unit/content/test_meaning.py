import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import attrs
import msgspec
import pytest

from tabwright.config import settings
from tabwright.config.loader import load_settings, override
from tabwright.config.settings import embeddings_installed
from tabwright.content import embeddings
from tabwright.content.embeddings import TEXTS_MAX, ByMeaning, judge_of_queries, rank_by_embedding
from tabwright.content.extract import extract_snapshot
from tabwright.content.relevance import Ranker, rank_bm25, top_passages
from tabwright.content.render.markdown import text_of
from tabwright.protocol.blocks import Blocks
from tabwright.protocol.errors import BadInput, SettingsError
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import LoadedPage, Selection

HERE = Path(__file__).parent
SUBJECTS = (("dog", "pet", "hound"), ("bread", "loaf", "dough"), ("rain", "weather", "cloud"))


def by_subject(texts):
    """Stands for the model: a direction for each subject."""
    return [[float(any(word in text for word in words)) for words in SUBJECTS] for text in texts]


def never(_texts):
    raise AssertionError("the model was asked")


def test_what_means_the_same_is_near_in_whatever_words():
    scores = ByMeaning(by_subject)("pet", ["the loaf is warm", "a hound barks", "a cloud"])
    assert scores[1] > 0 > max(scores[0], scores[2])


def test_of_two_that_mean_the_same_the_one_in_the_same_words_is_nearer():
    one, other = ByMeaning(by_subject)("the pet Rufus", ["a hound barks", "the hound Rufus"])
    assert other > one > 0


@pytest.mark.parametrize("query", ["パンの発酵", "погода", "天气 weather"])
def test_a_query_in_letters_that_the_model_cannot_read_is_judged_by_its_words(query):
    texts = ["パンの発酵について", "погода и хлеб", "今天天气很好"]
    assert ByMeaning(never)(query, texts) == rank_bm25(query, texts)


def test_a_page_of_too_many_passages_is_judged_by_their_words():
    texts = [f"passage {number}" for number in range(TEXTS_MAX + 1)]
    assert ByMeaning(never)("passage 7", texts) == rank_bm25("passage 7", texts)


def test_a_page_without_passages_has_no_scores():
    assert ByMeaning(by_subject)("a pet", []) == []


def test_words_are_the_judge_where_nothing_else_is_installed(monkeypatch):
    monkeypatch.setattr(settings, "MEANING", ("no_such_package",))
    assert judge_of_queries("auto") is rank_bm25
    with pytest.raises(SettingsError, match=r"tabwright\[meaning\]"):
        load_settings(override(reading__query_judge="meaning"))


def test_meaning_is_the_judge_where_it_is_installed_and_nobody_wants_words(monkeypatch):
    monkeypatch.setattr(settings, "MEANING", ("sys",))
    load_settings(override(reading__query_judge="meaning"))
    assert judge_of_queries("auto") is rank_by_embedding
    assert judge_of_queries("meaning") is rank_by_embedding
    assert judge_of_queries("words") is rank_bm25


def test_a_judge_that_is_none_is_refused_with_the_names_of_those_there_are():
    with pytest.raises(SettingsError, match=r"reading\.query_judge"):
        load_settings(override(reading__query_judge="magic"))


def test_a_model_that_cannot_be_loaded_is_told_with_the_way_out(monkeypatch):
    embeddings._minilm.cache_clear()
    monkeypatch.setitem(sys.modules, "tabwright.content.minilm", None)
    with pytest.raises(BadInput, match=r"reading\.query_judge to words"):
        rank_by_embedding("a pet", ["a hound"])


# What follows is measured with the real model, on pages and questions of our own.


@attrs.frozen
class Question:
    page: str
    text: str
    answer: str


def questions(kind: str) -> Iterator[Question]:
    listed = msgspec.yaml.decode((HERE / "questions" / "questions.yaml").read_bytes())
    return (Question(*one) for one in listed[kind])


@cache
def content(page: str) -> Blocks:
    (path,) = (
        *HERE.glob(f"questions/{page}.html"),
        *HERE.glob(f"readability/main_content/{page}.html"),
    )
    loaded = LoadedPage(f"https://town.example/{page}", 200, "text/html")
    return extract_snapshot(
        Fetched(loaded, path.read_bytes(), "utf-8"), Selection(), 1
    ).snapshot.content


def answered(kind: str, judge: Ranker) -> int:
    """How often the passage that answers is among those that are kept."""
    return sum(
        one.answer in text_of(top_passages(content(one.page), one.text, judge))
        for one in questions(kind)
    )


@pytest.fixture
def model() -> Ranker:
    if not embeddings_installed():
        pytest.skip("tabwright[meaning] is not installed")
    embeddings._minilm.cache_clear()
    return rank_by_embedding


def test_by_words_what_is_asked_in_the_words_of_the_page_is_found():
    assert answered("own_words", rank_bm25) == 14
    assert answered("other_words", rank_bm25) <= 12


def test_by_meaning_what_is_asked_in_other_words_is_found_too(model):
    assert answered("own_words", model) == 14
    assert answered("other_words", model) == 31


def test_by_meaning_most_of_a_page_is_still_left_out(model):
    whole = len(text_of(content("handbook")))
    kept = len(text_of(top_passages(content("handbook"), "can I bring my pet", model)))
    assert kept < whole / 2


def test_the_model_reads_whatever_it_is_given(model):
    hostile = ["", "\x00\ud800", "a" * 100_000, "\u0300" * 5_000, "[CLS] [SEP]", "漢" * 3_000]
    assert len(model("what is this", hostile)) == len(hostile)

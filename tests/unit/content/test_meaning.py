import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import attrs
import msgspec
import pytest

from tabwright.content import embeddings
from tabwright.content.embeddings import (
    TEXTS_MAX,
    ByMeaning,
    fuse_ranks,
    installed_ranker,
    is_english,
    is_installed,
    rank_by_embedding,
)
from tabwright.content.extract import extract_snapshot
from tabwright.content.relevance import Ranker, rank_bm25, top_passages
from tabwright.content.render.markdown import text_of
from tabwright.protocol.blocks import Blocks
from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import LoadedPage, Selection

HERE = Path(__file__).parent
SUBJECTS = (("dog", "pet", "hound"), ("bread", "loaf", "dough"), ("rain", "weather", "cloud"))


def by_subject(texts):
    """Stand in for the embedding model: return one dimension for each subject."""
    return [[float(any(word in text for word in words)) for words in SUBJECTS] for text in texts]


def always(model):
    """Return a chooser that uses this model for every language."""
    return lambda _query, _texts: model


def never(_query, _texts):
    raise AssertionError("a model was asked for")


def test_synonym_scores_above_unrelated_texts():
    scores = ByMeaning(always(by_subject))("pet", ["the loaf is warm", "a hound barks", "a cloud"])
    assert scores[1] > 0
    assert max(scores[0], scores[2]) == 0


def test_synonym_with_a_shared_word_scores_above_synonym_alone():
    one, other = ByMeaning(always(by_subject))(
        "the pet Rufus", ["a hound barks", "the hound Rufus"]
    )
    assert other > one > 0


@pytest.mark.parametrize("query", ["ψωμί", "रोटी", "bread רוטב"])
def test_query_in_unsupported_script_is_ranked_by_words(query):
    texts = ["ψωμί και νερό", "रोटी और पानी", "bread רוטב"]
    assert rank_by_embedding(query, texts) == rank_bm25(query, texts)


def test_non_english_page_without_multilingual_model_is_ranked_by_words(monkeypatch):
    monkeypatch.setattr(embeddings, "find_spec", lambda _name: None)
    texts = ["Der Ausweis kostet zwölf Kronen.", "Hunde warten vor der Tür."]
    assert rank_by_embedding("Gebühr", texts) == rank_bm25("Gebühr", texts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dogs wait at the door, and the card is for you.", True),
        ("Hunde warten vor der Tür, und der Ausweis ist für Sie.", False),
        ("Les chiens attendent à la porte, et la carte est pour vous.", False),
        ("De honden wachten bij de deur, en de kaart is van u.", False),
        ("", True),
    ],
)
def test_english_is_recognized_by_its_words(text, expected):
    assert is_english([text]) is expected


def test_fused_ranks_prefer_texts_found_by_both_rankings():
    assert fuse_ranks([1, 0.9, 0], [0, 0.9, 1])[1] == max(fuse_ranks([1, 0.9, 0], [0, 0.9, 1]))


def test_text_found_by_no_ranking_scores_zero():
    assert fuse_ranks([1, 0.1, 0], [1, 0, -1])[1:] == [0, 0]


def test_page_with_too_many_passages_is_ranked_by_words():
    texts = [f"passage {number}" for number in range(TEXTS_MAX + 1)]
    assert ByMeaning(never)("passage 7", texts) == rank_bm25("passage 7", texts)


def test_a_page_without_passages_has_no_scores():
    assert ByMeaning(always(by_subject))("a pet", []) == []


@pytest.mark.parametrize(
    ("module", "ranker"), [("no_such_package", rank_bm25), ("sys", rank_by_embedding)]
)
def test_passages_are_ranked_by_meaning_if_its_extra_is_installed(monkeypatch, module, ranker):
    monkeypatch.setattr(embeddings, "MODULES", (module,))
    assert installed_ranker() is ranker


def test_unloadable_embedding_model_error_suggests_reinstalling(monkeypatch):
    embeddings._minilm.cache_clear()
    monkeypatch.setitem(sys.modules, "tabwright.content.minilm", None)
    with pytest.raises(BadInput, match="is not installed"):
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
    """Return how many questions have their answer among the passages that are kept."""
    return sum(
        one.answer in text_of(top_passages(content(one.page), one.text, judge))
        for one in questions(kind)
    )


@pytest.fixture(scope="module")
def model() -> Ranker:
    if not is_installed():
        pytest.skip("tabwright[meaning] is not installed")
    embeddings._minilm.cache_clear()
    return rank_by_embedding


def test_word_ranking_answers_queries_in_words_of_the_page():
    assert answered("own_words", rank_bm25) == 14
    assert answered("other_words", rank_bm25) <= 12


def test_embedding_ranking_answers_queries_in_words_of_the_page(model):
    assert answered("own_words", model) == 14


@pytest.mark.nightly
def test_embedding_ranking_also_answers_paraphrased_queries(model):
    assert answered("other_words", model) == 31


GERMAN = (
    "Hunde und Katzen warten vor der Eingangstür.",
    "Der Ausweis kostet zwölf Kronen im Jahr.",
    "Am Wochenende ist das Haus von zehn bis acht Uhr offen.",
    "Der Kopierer steht im Keller neben der Treppe.",
)


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("Haustiere mitbringen", 0),
        ("Wie hoch sind die Gebühren?", 1),
        ("Öffnungszeiten samstags und sonntags", 2),
        ("opening hours on Saturdays", 2),
        ("可以带宠物吗", 0),
    ],
)
def test_non_english_page_is_ranked_by_embedding(model, query, place):
    scores = model(query, GERMAN)
    assert scores[place] == max(scores)
    assert sum(score > 0 for score in scores) <= 2


def test_embedding_ranking_keeps_less_than_half_of_page(model):
    whole = len(text_of(content("handbook")))
    kept = len(text_of(top_passages(content("handbook"), "can I bring my pet", model)))
    assert kept < whole / 2


def test_embedding_model_accepts_any_text(model):
    hostile = ["", "\x00\ud800", "a" * 100_000, "\u0300" * 5_000, "[CLS] [SEP]", "漢" * 3_000]
    assert len(model("what is this", hostile)) == len(hostile)

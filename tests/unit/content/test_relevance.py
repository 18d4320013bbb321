from tabwright.content.relevance import rank_bm25, terms, top_passages
from tabwright.content.render.markdown import text_of
from tabwright.protocol.blocks import Heading, Paragraph, TextSpan


def page(*texts):
    return tuple(Paragraph((TextSpan(text),)) for text in texts)


FILLER = (
    "Something else altogether stands here, at some length, so that it is a passage of its own, "
)
TEXTS = (
    FILLER + "about the weather in spring and what it does to the roads.",
    FILLER + "about nurseries, in which tasks are started, and how a nursery waits for its tasks.",
    FILLER + "about cooking with wine, some of which even goes into the food.",
    FILLER + "about cancellation: a cancel scope ends the tasks in it.",
)


def test_most_relevant_passages_keep_the_order_of_the_page():
    text = text_of(
        top_passages(page(*TEXTS), "how do nurseries and cancel scopes end tasks", rank_bm25)
    )
    assert text.index("nurseries") < text.index("cancellation")
    assert "weather" not in text
    assert "cooking" not in text


def test_plural_and_singular_yield_the_same_term():
    assert list(terms("Boxes of cats, classes, buses")) == ["box", "of", "cat", "class", "bus"]


def test_text_without_spaces_is_compared_by_character_pairs():
    assert list(terms("结构化并发")) == ["结构", "构化", "化并", "并发"]
    scores = rank_bm25("并发任务", ["今天天气很好", "结构化并发让任务不丢失"])
    assert scores[1] > scores[0] == 0


def test_a_rare_word_counts_for_more_than_a_common_one():
    texts = ["the cat", "the dog", "the bird", "the cat sat on the mat with the hat"]
    scores = rank_bm25("the dog", texts)
    assert max(scores) == scores[1]


def test_passages_unrelated_to_the_query_are_dropped():
    assert top_passages(page(*TEXTS), "zebra", rank_bm25) == ()


def test_function_words_count_only_in_a_query_without_others():
    texts = ["the gate of the yard", "this is how it does", "a port"]
    assert rank_bm25("what is the boiling point of mercury", texts) == [0, 0, 0]
    assert rank_bm25("how does this port", texts)[:2] == [0, 0]
    scores = rank_bm25("how is it", texts)
    assert scores[1] > scores[0] == scores[2] == 0


def test_blank_query_keeps_all_passages():
    assert top_passages(page(*TEXTS), "  ", rank_bm25) == page(*TEXTS)


def test_custom_ranker_decides_which_passages_are_kept():
    chosen = top_passages(
        page(*TEXTS), "anything", lambda _query, texts: [0.0] * (len(texts) - 1) + [1.0]
    )
    assert chosen == page(*TEXTS)[-1:]


def test_heading_match_selects_the_passage_below_it():
    blocks = (
        Heading(2, (TextSpan("Prices of zebras"),)),
        *page("They cost more than you have, and then there is the hay and the stable to be paid."),
        Heading(2, (TextSpan("Other"),)),
        *page(*TEXTS),
    )
    text = text_of(top_passages(blocks, "zebra price", rank_bm25))
    assert "cost more" in text
    assert "Prices of zebras" in text
    assert "Other" not in text


def test_short_passages_of_one_section_are_ranked_together():
    blocks = (Heading(2, (TextSpan("Ports"),)), *page("HTTP is 80.", "TLS is 443.", "SSH is 22."))
    assert top_passages(blocks, "ssh", rank_bm25) == blocks

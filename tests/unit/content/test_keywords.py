from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.relevance import portions, rejoined, with_keywords
from tabwright.content.render.markdown import text_of
from tabwright.protocol.blocks import (
    Code,
    Heading,
    Item,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
)


def run(text):
    return (TextSpan(text),)


PAGE = (
    Heading(1, run("Fruit")),
    Paragraph(run("Apples are red.")),
    Heading(2, run("Tropical")),
    Paragraph(run("Mangoes are sweet, and so are bananas.")),
    ItemList(True, (Item(run("Kiwi")), Item(run("Banana")), Item(run("Papaya")))),
    Heading(2, run("Prices")),
    TableBlock(((run("Fruit"), run("Euro")), (run("Apple"), run("1")), (run("Banana"), run("2")))),
    Quote((Paragraph(run("An apple a day.")), Paragraph(run("So they say.")))),
    Code("fruit = 'apple'"),
)


def kept(*keywords, mode="any"):
    return text_of(with_keywords(PAGE, keywords, mode))


def test_matching_passages_are_kept_under_their_headings():
    text = kept("banana")
    assert "Mangoes" in text
    assert "Tropical" in text
    assert "Fruit" in text
    for other in ("Apples are red", "Kiwi", "Papaya", "So they say"):
        assert other not in text


def test_table_keeps_its_header_and_rows_matching_the_keyword():
    (table,) = (
        block for block in with_keywords(PAGE, ["banana"], "any") if isinstance(block, TableBlock)
    )
    assert table.rows == (PAGE[6].rows[0], PAGE[6].rows[2])


def test_a_numbered_item_keeps_its_number():
    (listed,) = (
        block for block in with_keywords(PAGE, ["papaya"], "any") if isinstance(block, ItemList)
    )
    assert listed.start == 3


def test_non_adjacent_matching_items_form_separate_lists():
    lists = [b for b in with_keywords(PAGE, ["kiwi", "papaya"], "any") if isinstance(b, ItemList)]
    assert [one.start for one in lists] == [1, 3]


def test_all_mode_requires_every_keyword_in_one_passage():
    assert "Mangoes" in kept("mangoes", "banana", mode="all")
    assert kept("mangoes", "apple", mode="all") == ""


def test_keywords_match_across_case_width_and_decomposed_accents():
    page = (Paragraph(run("Caf\u00e9 \uff21\uff22\uff23")),)
    assert with_keywords(page, ["CAFE\u0301"], "any") == page
    assert with_keywords(page, ["abc"], "any") == page


def test_matching_heading_keeps_the_content_directly_below_it():
    text = kept("tropical")
    assert "Mangoes" in text
    assert "Papaya" in text
    assert "Euro" not in text


def test_matching_heading_keeps_text_below_directly_nested_headings():
    page = (
        Heading(1, run("Fruit")),
        Paragraph(run("All of it.")),
        Heading(2, run("Citrus")),
        Heading(3, run("Sour")),
        Paragraph(run("Lemons.")),
    )
    found = text_of(with_keywords(page, ["citrus"], "any"))
    assert found == "Fruit\n\nCitrus\n\nSour\n\nLemons."
    assert "Lemons" not in text_of(with_keywords(page, ["fruit"], "any"))


def test_missing_or_blank_keywords_keep_everything():
    assert with_keywords(PAGE, [], "any") == PAGE
    assert with_keywords(PAGE, [" "], "all") == PAGE


@given(st.lists(st.sampled_from(["apple", "banana", "kiwi", "zebra", "are"]), min_size=1))
def test_all_mode_keeps_no_more_than_any_mode(words):
    assert len(kept(*words, mode="all")) <= len(kept(*words, mode="any"))


def test_portions_rejoin_to_original_page():
    assert rejoined(portions(PAGE), PAGE) == PAGE

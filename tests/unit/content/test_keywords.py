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


def test_only_the_passages_that_hold_one_are_kept_under_their_headings():
    text = kept("banana")
    assert "Mangoes" in text
    assert "Tropical" in text
    assert "Fruit" in text
    for other in ("Apples are red", "Kiwi", "Papaya", "So they say"):
        assert other not in text


def test_of_a_table_the_header_and_the_rows_that_hold_it():
    (table,) = (
        block for block in with_keywords(PAGE, ["banana"], "any") if isinstance(block, TableBlock)
    )
    assert table.rows == (PAGE[6].rows[0], PAGE[6].rows[2])


def test_a_numbered_item_keeps_its_number():
    (listed,) = (
        block for block in with_keywords(PAGE, ["papaya"], "any") if isinstance(block, ItemList)
    )
    assert listed.start == 3


def test_items_with_a_gap_between_them_are_two_lists():
    lists = [b for b in with_keywords(PAGE, ["kiwi", "papaya"], "any") if isinstance(b, ItemList)]
    assert [one.start for one in lists] == [1, 3]


def test_all_of_them_must_be_in_one_passage():
    assert "Mangoes" in kept("mangoes", "banana", mode="all")
    assert kept("mangoes", "apple", mode="all") == ""


def test_case_width_and_accents_written_apart_make_no_difference():
    page = (Paragraph(run("Caf\u00e9 \uff21\uff22\uff23")),)
    assert with_keywords(page, ["CAFE\u0301"], "any") == page
    assert with_keywords(page, ["abc"], "any") == page


def test_a_heading_counts_for_what_stands_right_under_it():
    text = kept("tropical")
    assert "Mangoes" in text
    assert "Papaya" in text
    assert "Euro" not in text


def test_headings_with_nothing_between_them_count_for_what_stands_under_them():
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


def test_no_keywords_or_blanks_keep_everything():
    assert with_keywords(PAGE, [], "any") == PAGE
    assert with_keywords(PAGE, [" "], "all") == PAGE


@given(st.lists(st.sampled_from(["apple", "banana", "kiwi", "zebra", "are"]), min_size=1))
def test_whatever_all_keeps_any_keeps_too(words):
    assert len(kept(*words, mode="all")) <= len(kept(*words, mode="any"))


def test_all_portions_together_are_the_page_but_for_empty_headings():
    assert rejoined(portions(PAGE), PAGE) == PAGE

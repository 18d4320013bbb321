from collections.abc import Callable

import pytest

from tabwright.protocol.blocks import (
    Blocks,
    Citation,
    Code,
    Heading,
    Item,
    ItemList,
    Paragraph,
    Quote,
    TableBlock,
    TextSpan,
    ThematicBreak,
)
from tabwright.search.ai_mode.answer import read_answer
from tabwright.search.ai_mode.page_state import Card, ContentNode, PageState, ThreadTurn

Recorded = Callable[[str], PageState]


def words(text: str) -> ContentNode:
    return ContentNode("text", text)


def box(*kids: ContentNode) -> ContentNode:
    return ContentNode("box", kids=kids)


def line(text: str) -> ContentNode:
    return box(words(text))


def paragraph(text: str) -> Paragraph:
    return Paragraph((TextSpan(text),))


def blocks_of(*column: ContentNode, cards: tuple[Card, ...] = ()) -> Blocks:
    return read_answer(PageState("u", turns=1, turn=ThreadTurn(column=column, cards=cards))).blocks


EXPECTED: Blocks = (
    Paragraph(
        (
            TextSpan("First para with "),
            TextSpan("bold", bold=True),
            TextSpan(" and "),
            TextSpan("a link", url="https://docs.example/a"),
            TextSpan(" and 10 km."),
            Citation((1,)),
            TextSpan(" After chip."),
        )
    ),
    Heading(3, (TextSpan("Heading"),)),
    ItemList(
        ordered=False,
        items=(
            Item((TextSpan("One:", bold=True), TextSpan(" first"), Citation((2,)))),
            Item(
                (TextSpan("Two"),),
                (
                    ItemList(
                        ordered=False,
                        items=(
                            Item((TextSpan("Nested a"),)),
                            Item(
                                (TextSpan("Nested b"),),
                                (ItemList(ordered=True, items=(Item((TextSpan("deep"),)),)),),
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ),
    TableBlock((((TextSpan("A"),), (TextSpan("B | c"),)), ((TextSpan("1"),), (TextSpan("2 3"),)))),
    paragraph("See this example:"),
    Code("def f():\n    return `1`", "python"),
    Code("int x;", "C++"),
    paragraph("After code."),
    ThematicBreak(),
    Quote((paragraph("Quoted"), paragraph("More"))),
    paragraph("Line one line two"),
    paragraph("Help"),
    Paragraph((TextSpan("Last sentence about captcha."), Citation((3,)))),
)


@pytest.mark.parametrize("page", ["marked", "unmarked"])
def test_recorded_page_is_read_into_expected_blocks(recorded: Recorded, page: str) -> None:
    assert read_answer(recorded(page)).blocks == EXPECTED


def test_streaming_page_yields_the_blocks_so_far(recorded: Recorded) -> None:
    answer = read_answer(recorded("streaming"))
    assert [block.kind for block in answer.blocks] == ["paragraph", "paragraph", "heading"]


def test_page_without_turn_has_no_blocks() -> None:
    assert read_answer(PageState("u")).blocks == ()


def test_text_beside_boxes_becomes_separate_paragraphs() -> None:
    assert blocks_of(words("a"), line("b"), words(" c ")) == (
        paragraph("a"),
        paragraph("b"),
        paragraph("c"),
    )


def test_single_break_is_a_space_and_double_break_a_paragraph() -> None:
    one, two = (ContentNode("break"),), (ContentNode("break"), words(" "), ContentNode("break"))
    assert blocks_of(words("a"), *one, words("b"), *two, words("c")) == (
        paragraph("a b"),
        paragraph("c"),
    )
    assert blocks_of(*two, words("a"), *two) == (paragraph("a"),)


def test_trailing_error_sentence_is_dropped_from_the_answer() -> None:
    regret = "Something went wrong and the content wasn't generated."
    assert blocks_of(line("a"), line(regret)) == (paragraph("a"),)
    assert blocks_of(line(regret), line("a"))[0] == paragraph(regret)


def test_nested_styles_combine_and_equal_spans_merge() -> None:
    inner = ContentNode("italic", kids=(words("b"), words(" c ")))
    both = ContentNode("bold", kids=(words("a "), inner, ContentNode("mono", kids=(words("d"),))))
    assert blocks_of(box(both, words(" e"))) == (
        Paragraph(
            (
                TextSpan("a ", bold=True),
                TextSpan("b c ", bold=True, italic=True),
                TextSpan("d", bold=True, code=True),
                TextSpan(" e"),
            )
        ),
    )


def test_empty_parts_leave_no_blocks() -> None:
    empty = (
        box(words(" \n\u00a0")),
        ContentNode("heading", level=2),
        ContentNode("list", kids=(ContentNode("item", kids=(words(" "),)),)),
        ContentNode("table", kids=(ContentNode("row", kids=(ContentNode("cell"),)),)),
        ContentNode("quote", kids=(box(),)),
        ContentNode("code", " \n"),
    )
    assert blocks_of(*empty) == ()


def test_list_nested_directly_in_list_joins_the_previous_item() -> None:
    nested = ContentNode("list", kids=(ContentNode("item", kids=(words("b"),)),))
    outer = ContentNode(
        "list", ordered=True, kids=(ContentNode("item", kids=(words("a"),)), nested)
    )
    inner = ItemList(ordered=False, items=(Item((TextSpan("b"),)),))
    assert blocks_of(outer) == (ItemList(ordered=True, items=(Item((TextSpan("a"),), (inner,)),)),)


def numbered(text: str, number: int | None = None) -> ContentNode:
    return ContentNode("item", kids=(words(text),), number=number)


def test_out_of_sequence_item_number_starts_new_list() -> None:
    items = (numbered("a", 2), numbered("b"), numbered("c", 4), numbered("d", 9))
    listed = ContentNode("list", ordered=True, kids=items)
    a, b, c, d = (Item((TextSpan(text),)) for text in "abcd")
    assert blocks_of(listed) == (
        ItemList(ordered=True, items=(a, b, c), start=2),
        ItemList(ordered=True, items=(d,), start=9),
    )


def test_table_caption_precedes_its_table() -> None:
    row = ContentNode("row", kids=(ContentNode("cell", kids=(words("1"),)),))
    table = ContentNode("table", kids=(line("Prices"), box(row)))
    assert blocks_of(table) == (paragraph("Prices"), TableBlock((((TextSpan("1"),),),)))


CODE = ContentNode("code", "x = 1\n")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((line("python"), CODE, line("Vorsicht bei Code.")), (Code("x = 1", "python"),)),
        ((line("python"), box(CODE)), (Code("x = 1", "python"),)),
        ((CODE, line("Use code with caution.")), (Code("x = 1"),)),
        ((CODE, line("请谨慎使用此类代码。")), (Code("x = 1"),)),
        ((CODE, line("It sets x.")), (Code("x = 1"), paragraph("It sets x."))),
        ((line("Try this:"), CODE), (paragraph("Try this:"), Code("x = 1"))),
        ((line("Output"), CODE), (paragraph("Output"), Code("x = 1"))),
        ((line("Zzyzx"), CODE, line("Use code with caution.")), (Code("x = 1", "Zzyzx"),)),
        (
            (box(line("python"), CODE), line("It sets x.")),
            (Code("x = 1", "python"), paragraph("It sets x.")),
        ),
        (
            (line("First"), box(line("C#"), CODE, line("!")), line("Last")),
            (paragraph("First"), Code("x = 1", "C#"), paragraph("Last")),
        ),
    ],
)
def test_code_language_and_caution_are_separated_from_surrounding_text(
    parts: tuple[ContentNode, ...], expected: Blocks
) -> None:
    assert blocks_of(box(*parts)) == expected


def test_code_language_attribute_overrides_label() -> None:
    code = ContentNode("code", "x", language="js")
    assert blocks_of(box(line("JavaScript"), code)) == (Code("x", "js"),)


def test_notices_are_removed_only_at_start_and_end() -> None:
    notice = "AI responses may include mistakes. Learn more"
    assert blocks_of(line(notice), line("a"), line(notice), line("b"), line(notice)) == (
        paragraph("a"),
        paragraph(notice),
        paragraph("b"),
    )


CARDS = tuple(
    Card(f"https://s{n}.example/", f"Title {n}. Opens in new tab.", (f"Title {n}", site))
    for n, site in ((1, "Same"), (2, "Same"), (3, "Other"))
)


@pytest.mark.parametrize(
    ("chip", "cited"),
    [
        (ContentNode("chip", hrefs=("https://s2.example/#frag",)), (2,)),
        (ContentNode("chip", hrefs=("https://www.google.com/url?q=https://s3.example/",)), (3,)),
        (ContentNode("chip", label="Same (+1) - Title 2. Related results"), (2,)),
        (ContentNode("chip", site="Other +2"), (3,)),
        (ContentNode("chip", site="Same"), ()),
        (ContentNode("chip", site="Copy"), ()),
        (ContentNode("chip", hrefs=("https://elsewhere.example/",)), (4,)),
        (ContentNode("link", href="https://s1.example/", label="Title 1"), (1,)),
    ],
)
def test_chip_citation_matches_by_link_then_title_then_site(
    chip: ContentNode, cited: tuple[int, ...]
) -> None:
    citations = tuple(Citation((number,)) for number in cited)
    assert blocks_of(box(words("a\u00a0"), chip), cards=CARDS) == (
        Paragraph((TextSpan("a"), *citations)),
    )


def button(text: str, **attributes: str) -> ContentNode:
    return ContentNode("chip", site=text, kids=(words(text),), **attributes)


@pytest.mark.parametrize(
    ("chip", "read"),
    [
        (button("Berlin"), paragraph("a Berlin b")),
        (button("Copy"), paragraph("a Copy b")),
        (button("Same"), paragraph("a b")),
        (button("Other"), Paragraph((TextSpan("a"), Citation((3,)), TextSpan(" b")))),
    ],
)
def test_button_that_names_no_source_is_read_as_text(chip: ContentNode, read: Paragraph) -> None:
    assert blocks_of(box(words("a "), chip, words(" b")), cards=CARDS) == (read,)


def test_a_line_of_page_buttons_alone_is_left_out() -> None:
    row = box(button("Copy"), words(" "), button("12 sites"))
    assert blocks_of(row, line("a"), box(button("Show prices"))) == (
        paragraph("a"),
        paragraph("Show prices"),
    )


def test_a_citation_beyond_the_limit_is_left_out() -> None:
    column = (box(words("a"), ContentNode("chip", hrefs=("https://s3.example/",))),)
    state = PageState("u", turns=1, turn=ThreadTurn(column=column, cards=CARDS))
    assert read_answer(state, limit=2).blocks == (paragraph("a"),)
    assert read_answer(state, limit=3).blocks == (Paragraph((TextSpan("a"), Citation((3,)))),)


def test_links_into_the_engine_become_plain_text() -> None:
    link = ContentNode("link", href="https://www.google.com/search?q=x", kids=(words("x"),))
    assert blocks_of(box(words("see "), link)) == (paragraph("see x"),)


def test_alert_is_read_unless_it_reports_a_failure() -> None:
    warning = ContentNode("box", kids=(words("Do not mix them."),), alert=True)
    failure = ContentNode("box", kids=(words("Something went wrong. Try again."),), alert=True)
    assert blocks_of(line("a"), warning, line("b"), failure) == (
        paragraph("a"),
        paragraph("Do not mix them."),
        paragraph("b"),
    )


def test_failure_sentence_beside_final_notice_is_left_out() -> None:
    regret = line("Something went wrong and the content wasn't generated.")
    notice = line("AI responses may include mistakes. Learn more")
    for end in ((regret, notice), (notice, regret), (notice, regret, notice)):
        assert blocks_of(line("a"), *end) == (paragraph("a"),)

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
    Rule,
    Table,
    Text,
)
from tabwright.search.ai_mode.answer import read_answer
from tabwright.search.ai_mode.page_state import Card, Look, Node, Turn

Recorded = Callable[[str], Look]


def words(text: str) -> Node:
    return Node("text", text)


def box(*kids: Node) -> Node:
    return Node("box", kids=kids)


def line(text: str) -> Node:
    return box(words(text))


def paragraph(text: str) -> Paragraph:
    return Paragraph((Text(text),))


def blocks_of(*column: Node, cards: tuple[Card, ...] = ()) -> Blocks:
    return read_answer(Look("u", turns=1, turn=Turn(column=column, cards=cards))).blocks


EXPECTED: Blocks = (
    Paragraph(
        (
            Text("First para with "),
            Text("bold", bold=True),
            Text(" and "),
            Text("a link", url="https://docs.example/a"),
            Text(" and 10 km."),
            Citation((1,)),
            Text(" After chip."),
        )
    ),
    Heading(3, (Text("Heading"),)),
    ItemList(
        ordered=False,
        items=(
            Item((Text("One:", bold=True), Text(" first"), Citation((2,)))),
            Item(
                (Text("Two"),),
                (
                    ItemList(
                        ordered=False,
                        items=(
                            Item((Text("Nested a"),)),
                            Item(
                                (Text("Nested b"),),
                                (ItemList(ordered=True, items=(Item((Text("deep"),)),)),),
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ),
    Table((((Text("A"),), (Text("B | c"),)), ((Text("1"),), (Text("2 3"),)))),
    paragraph("See this example:"),
    Code("def f():\n    return `1`", "python"),
    Code("int x;", "C++"),
    paragraph("After code."),
    Rule(),
    Quote((paragraph("Quoted"), paragraph("More"))),
    paragraph("Line one line two"),
    paragraph("Help"),
    Paragraph((Text("Last sentence about captcha."), Citation((3,)))),
)


@pytest.mark.parametrize("page", ["marked", "unmarked"])
def test_a_page_is_read_block_by_block(recorded: Recorded, page: str) -> None:
    assert read_answer(recorded(page)).blocks == EXPECTED


def test_a_streaming_page_is_read_as_far_as_it_goes(recorded: Recorded) -> None:
    answer = read_answer(recorded("streaming"))
    assert [block.kind for block in answer.blocks] == ["paragraph", "paragraph", "heading"]


def test_no_turn_no_answer() -> None:
    assert read_answer(Look("u")).blocks == ()


def test_lines_beside_boxes_are_paragraphs_of_their_own() -> None:
    assert blocks_of(words("a"), line("b"), words(" c ")) == (
        paragraph("a"),
        paragraph("b"),
        paragraph("c"),
    )


def test_one_break_is_a_space_and_two_part_paragraphs() -> None:
    one, two = (Node("break"),), (Node("break"), words(" "), Node("break"))
    assert blocks_of(words("a"), *one, words("b"), *two, words("c")) == (
        paragraph("a b"),
        paragraph("c"),
    )
    assert blocks_of(*two, words("a"), *two) == (paragraph("a"),)


def test_a_sentence_of_regret_at_the_end_is_no_part_of_the_answer() -> None:
    regret = "Something went wrong and the content wasn't generated."
    assert blocks_of(line("a"), line(regret)) == (paragraph("a"),)
    assert blocks_of(line(regret), line("a"))[0] == paragraph(regret)


def test_styles_nest_and_equal_runs_join() -> None:
    inner = Node("italic", kids=(words("b"), words(" c ")))
    both = Node("bold", kids=(words("a "), inner, Node("mono", kids=(words("d"),))))
    assert blocks_of(box(both, words(" e"))) == (
        Paragraph(
            (
                Text("a ", bold=True),
                Text("b c ", bold=True, italic=True),
                Text("d", bold=True, code=True),
                Text(" e"),
            )
        ),
    )


def test_empty_parts_leave_no_blocks() -> None:
    empty = (
        box(words(" \n\u00a0")),
        Node("heading", level=2),
        Node("list", kids=(Node("item", kids=(words(" "),)),)),
        Node("table", kids=(Node("row", kids=(Node("cell"),)),)),
        Node("quote", kids=(box(),)),
        Node("code", " \n"),
    )
    assert blocks_of(*empty) == ()


def test_a_list_right_inside_a_list_belongs_to_the_item_before() -> None:
    nested = Node("list", kids=(Node("item", kids=(words("b"),)),))
    outer = Node("list", ordered=True, kids=(Node("item", kids=(words("a"),)), nested))
    inner = ItemList(ordered=False, items=(Item((Text("b"),)),))
    assert blocks_of(outer) == (ItemList(ordered=True, items=(Item((Text("a"),), (inner,)),)),)


CODE = Node("code", "x = 1\n")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((line("python"), CODE, line("Vorsicht bei Code.")), (Code("x = 1", "python"),)),
        ((line("python"), box(CODE)), (Code("x = 1", "python"),)),
        ((CODE, line("Use code with caution.")), (Code("x = 1"),)),
        ((CODE, line("请谨慎使用此类代码。")), (Code("x = 1"),)),
        ((CODE, line("It sets x.")), (Code("x = 1"), paragraph("It sets x."))),
        ((line("Try this:"), CODE), (paragraph("Try this:"), Code("x = 1"))),
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
def test_language_and_caution_are_told_from_the_text_round_code(
    parts: tuple[Node, ...], expected: Blocks
) -> None:
    assert blocks_of(box(*parts)) == expected


def test_a_language_from_an_attribute_wins() -> None:
    code = Node("code", "x", language="js")
    assert blocks_of(box(line("JavaScript"), code)) == (Code("x", "js"),)


def test_notices_go_at_the_edges_only() -> None:
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
        (Node("chip", hrefs=("https://s2.example/#frag",)), (2,)),
        (Node("chip", hrefs=("https://www.google.com/url?q=https://s3.example/",)), (3,)),
        (Node("chip", label="Same (+1) - Title 2. Related results"), (2,)),
        (Node("chip", site="Other +2"), (3,)),
        (Node("chip", site="Same"), ()),
        (Node("chip", site="Copy"), ()),
        (Node("chip", hrefs=("https://elsewhere.example/",)), ()),
        (Node("link", href="https://s1.example/", label="Title 1"), (1,)),
    ],
)
def test_a_chip_cites_by_link_then_by_title_then_by_site(
    chip: Node, cited: tuple[int, ...]
) -> None:
    citations = tuple(Citation((number,)) for number in cited)
    assert blocks_of(box(words("a\u00a0"), chip), cards=CARDS) == (
        Paragraph((Text("a"), *citations)),
    )


def test_a_citation_beyond_the_limit_is_left_out() -> None:
    column = (box(words("a"), Node("chip", hrefs=("https://s3.example/",))),)
    look = Look("u", turns=1, turn=Turn(column=column, cards=CARDS))
    assert read_answer(look, limit=2).blocks == (paragraph("a"),)
    assert read_answer(look, limit=3).blocks == (Paragraph((Text("a"), Citation((3,)))),)


def test_links_into_the_engine_become_plain_text() -> None:
    link = Node("link", href="https://www.google.com/search?q=x", kids=(words("x"),))
    assert blocks_of(box(words("see "), link)) == (paragraph("see x"),)

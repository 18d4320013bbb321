from tabwright.protocol.blocks import (
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
from tabwright.testing.replica.answers import Truth, quoting

BEFORE = Truth(
    "q",
    (
        Paragraph(
            (TextSpan("One "), TextSpan("bold", bold=True), Citation((1,)), TextSpan(" word."))
        ),
        Heading(3, (TextSpan("Head"),)),
        ItemList(
            ordered=False,
            items=(
                Item(
                    (TextSpan("outer"),),
                    (ItemList(ordered=True, items=(Item((TextSpan("inner"),)),)),),
                ),
            ),
        ),
        TableBlock((((TextSpan("a"),), (TextSpan("b"),)), ((TextSpan("1"),), (TextSpan("2"),)))),
        Code("def f():\n    return 1", "python"),
        ThematicBreak(),
        Quote((Paragraph((TextSpan("said before"),)),)),
    ),
    (),
)
OWN = Truth("next", (Paragraph((TextSpan("own"),)),), ())


def test_quotation_contains_the_previous_answer_as_plain_text() -> None:
    quotation, *rest = quoting(OWN, BEFORE).blocks
    lines = [
        "One bold word.",
        "Head",
        "outer",
        "inner",
        "a b",
        "1 2",
        "def f(): return 1",
        "said before",
    ]
    assert quotation == Quote(tuple(Paragraph((TextSpan(line),)) for line in lines))
    assert tuple(rest) == OWN.blocks


def test_quoting_answer_keeps_its_own_question_and_sources() -> None:
    quoted = quoting(OWN, BEFORE)
    assert (quoted.question, quoted.sources) == ("next", ())

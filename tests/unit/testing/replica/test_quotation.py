from tabwright.protocol.blocks import (
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
from tabwright.testing.replica.answers import Truth, quoting

BEFORE = Truth(
    "q",
    (
        Paragraph((Text("One "), Text("bold", bold=True), Citation((1,)), Text(" word."))),
        Heading(3, (Text("Head"),)),
        ItemList(
            ordered=False,
            items=(
                Item((Text("outer"),), (ItemList(ordered=True, items=(Item((Text("inner"),)),)),)),
            ),
        ),
        Table((((Text("a"),), (Text("b"),)), ((Text("1"),), (Text("2"),)))),
        Code("def f():\n    return 1", "python"),
        Rule(),
        Quote((Paragraph((Text("said before"),)),)),
    ),
    (),
)
OWN = Truth("next", (Paragraph((Text("own"),)),), ())


def test_all_text_of_the_answer_before_is_quoted_and_no_mark_of_it() -> None:
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
    assert quotation == Quote(tuple(Paragraph((Text(line),)) for line in lines))
    assert tuple(rest) == OWN.blocks


def test_question_and_sources_are_its_own() -> None:
    quoted = quoting(OWN, BEFORE)
    assert (quoted.question, quoted.sources) == ("next", ())

from collections.abc import Callable

import pytest

from tabwright.protocol.errors import PageFailed
from tabwright.search.ai_mode.page_state import (
    ContentNode,
    PageState,
    ThreadTurn,
    page_state_function,
    parse_page_state,
    shown_text,
)

Recorded = Callable[[str], PageState]


@pytest.mark.parametrize(
    "text", ["", "null", "[]", '{"url": 1}', '{"url": "x", "turn": {"column": 3}}']
)
def test_malformed_page_state_is_refused(text: str) -> None:
    with pytest.raises(PageFailed, match="state of the page could not be read"):
        parse_page_state(text)


def test_recorded_page_state_has_the_expected_fields(recorded: Recorded) -> None:
    state = recorded("marked")
    assert state.turns == 2
    assert state.turn is not None
    assert state.turn.query == "What is x?"
    assert state.turn.complete
    assert state.turn.actions
    assert not state.turn.loading
    assert state.stop == "hidden"
    assert [card.label for card in state.turn.cards[:2]] == [
        "Title 1. More here. Opens in new tab.",
        "Title 2. More here. Opens in new tab.",
    ]


def test_recorded_page_state_contains_every_kind_of_node(recorded: Recorded) -> None:
    def kinds(nodes: tuple[ContentNode, ...]) -> set[str]:
        return {node.kind for node in nodes}.union(*(kinds(node.kids) for node in nodes))

    turn = recorded("marked").turn
    assert turn is not None
    assert kinds(turn.column) >= {"text", "bold", "mono", "link", "chip", "box"} - {"mono"}
    assert kinds(turn.column) >= {"heading", "list", "item", "table", "row", "cell", "code", "rule"}


def test_page_state_script_is_a_single_function() -> None:
    script = page_state_function()
    assert "function readPageState(...given) {" in script
    assert "/* library */" not in script
    assert script.rstrip().endswith("}")


def test_shown_text_has_a_line_for_each_block() -> None:
    column = (
        ContentNode("text", " a  "),
        ContentNode("bold", kids=(ContentNode("text", "b"),)),
        ContentNode(
            "box",
            kids=(
                ContentNode("heading", kids=(ContentNode("text", "c"),)),
                ContentNode("code", "d\n  e"),
            ),
        ),
    )
    assert shown_text(PageState("u", turns=1, turn=ThreadTurn(column=column))) == "a b\nc\nd\ne"
    assert shown_text(PageState("u")) == ""

import pytest

from tabwright.agent.actions import (
    ACTIONS,
    LEFT_OUT,
    NAMED,
    ActionForm,
    GoBack,
    GoToUrl,
    OpenTab,
    ScrollToPercent,
    ScrollUp,
    SearchGoogle,
    SwitchTab,
    Wait,
    action_line,
    name_of,
)
from tabwright.protocol import actions as protocol
from tabwright.protocol.actions import (
    AnswerDialog,
    Click,
    Drag,
    Hover,
    Press,
    Scroll,
    SelectOption,
    Type,
    Upload,
)
from tabwright.protocol.inspection import ListedControl, OutlineText

PAGE = OutlineText(
    "", controls=(ListedControl("1.5", "button", "Buy"), ListedControl("1.6", "file", "Photo")),
    above=100, below=900,
)  # fmt: skip


@pytest.mark.parametrize(
    ("action", "request_"),
    [
        (ACTIONS["click_element"](index="1.5"), Click("1.5")),
        (ACTIONS["double_click"](index="1.5"), Click("1.5", count=2)),
        (ACTIONS["right_click"](index="1.5"), Click("1.5", "right")),
        (ACTIONS["hover"](index="1.5"), Hover("1.5")),
        (ACTIONS["drag"](index="1.5", to="1.6"), Drag("1.5", "1.6")),
        (ACTIONS["upload_file"](index="1.6", path="/a.txt"), Upload("1.6", ("/a.txt",))),
        (ACTIONS["input_text"](index="1.5", text="{Enter}"), Type("1.5", "{Enter}", literal=True)),
        (ACTIONS["send_keys"](keys="Control+A"), Press("Control+A")),
        (ACTIONS["select_dropdown_option"](index="1.5", text="Red"), SelectOption("1.5", ("Red",))),
        (ACTIONS["answer_dialog"](accept=True), AnswerDialog(accept=True)),
        (ACTIONS["answer_dialog"](accept=False, text="x"), AnswerDialog(accept=False, text="x")),
        (ACTIONS["scroll_down"](), Scroll()),
        (ACTIONS["scroll_down"](amount=5), Scroll(y=5)),
        (ScrollUp(), Scroll(y=-700)),
        (ScrollUp(amount=5), Scroll(y=-5)),
        (ACTIONS["next_page"](), Scroll()),
        (ACTIONS["previous_page"](), Scroll(y=-700)),
        (ACTIONS["scroll_to_top"](), Scroll("top")),
        (ACTIONS["scroll_to_bottom"](), Scroll("bottom")),
        (ACTIONS["scroll_to_text"](text="Price"), Scroll("text", text="Price")),
        (ScrollToPercent(percent=50), Scroll(y=400)),
        (ScrollToPercent(percent=-9), Scroll(y=-100)),
        (ScrollToPercent(percent=999), Scroll(y=900)),
    ],
)
def test_page_actions_map_to_acting_requests(action, request_):
    assert action.request(PAGE) == request_


@pytest.mark.parametrize(
    ("seconds", "duration_s"), [(3, 3), (-1, 0), (float("nan"), 0), (float("inf"), 60)]
)
def test_wait_duration_is_limited_to_one_minute(seconds, duration_s):
    assert Wait(seconds=seconds).duration_s == duration_s


def test_navigation_actions_have_their_targets():
    assert GoToUrl(url="https://a.example/").target == "https://a.example/"
    assert GoBack().target == "back"
    assert SearchGoogle(query="50% of a&b=c").target == (
        "https://www.google.com/search?q=50%25+of+a%26b%3Dc"
    )
    assert OpenTab(url="https://a.example/").in_new_tab
    assert SwitchTab(tab_id=2).change == "switch"


def test_every_action_has_its_name():
    assert all(name_of(kind(**given(kind))) == name for name, kind in ACTIONS.items())


def given(kind):
    values = {"str": "x", "int": 1, "float": 1.0, "bool": True}
    required = [one for one in kind.__attrs_attrs__ if one.default.__class__.__name__ == "_Nothing"]
    return {one.name: values.get(getattr(one.type, "__name__", ""), "x") for one in required}


def test_action_line_contains_arguments_and_intent():
    action = ACTIONS["click_element"](index="1.5", intent="Buys it.")
    assert action_line(action) == "click_element(index: 1.5) Buys it."
    assert action_line(ACTIONS["scroll_down"]()) == "scroll_down()"


def test_navigator_offers_every_page_action():
    known = {form.kind for form in NAMED.values() if isinstance(form, ActionForm)}
    declared = {kind for kind in protocol.ACTIONS if kind.declared}
    assert declared == known | LEFT_OUT  # the others would have the names of their tools
    assert not known & LEFT_OUT

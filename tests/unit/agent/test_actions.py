from typing import get_type_hints

import pytest

from tabwright.agent.actions import (
    ACTIONS,
    AnswerOpenDialog,
    ClickElement,
    DoubleClick,
    DragElement,
    GoBack,
    GoToUrl,
    HoverElement,
    InputText,
    NextPage,
    OpenTab,
    PageAction,
    PreviousPage,
    RightClick,
    ScrollDown,
    ScrollToBottom,
    ScrollToPercent,
    ScrollToText,
    ScrollToTop,
    ScrollUp,
    SearchGoogle,
    SelectDropdownOption,
    SendKeys,
    SwitchTab,
    UploadFile,
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
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import ListedControl, OutlineText

PAGE = OutlineText(
    "", controls=(ListedControl("1.5", "button", "Buy"), ListedControl("1.6", "file", "Photo")),
    above=100, below=900,
)  # fmt: skip


@pytest.mark.parametrize(
    ("action", "request_"),
    [
        (ClickElement(index="1.5"), Click("1.5")),
        (DoubleClick(index="1.5"), Click("1.5", count=2)),
        (RightClick(index="1.5"), Click("1.5", "right")),
        (HoverElement(index="1.5"), Hover("1.5")),
        (DragElement(index="1.5", to="1.6"), Drag("1.5", "1.6")),
        (UploadFile(index="1.6", path="/a.txt"), Upload("1.6", ("/a.txt",))),
        (InputText(index="1.5", text="{Enter}"), Type("1.5", "{Enter}", literal=True)),
        (SendKeys(keys="Control+A"), Press("Control+A")),
        (SelectDropdownOption(index="1.5", text="Red"), SelectOption("1.5", ("Red",))),
        (AnswerOpenDialog(accept=True), AnswerDialog(accept=True)),
        (AnswerOpenDialog(accept=False, text="x"), AnswerDialog(accept=False, text="x")),
        (ScrollDown(), Scroll()),
        (ScrollDown(amount=5), Scroll(y=5)),
        (ScrollUp(), Scroll(y=-700)),
        (ScrollUp(amount=5), Scroll(y=-5)),
        (NextPage(), Scroll()),
        (PreviousPage(), Scroll(y=-700)),
        (ScrollToTop(), Scroll("top")),
        (ScrollToBottom(), Scroll("bottom")),
        (ScrollToText(text="Price"), Scroll("text", text="Price")),
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


@pytest.mark.parametrize("index", ["1.6", "[1.6]", "[*1.6]"])
def test_click_on_a_file_field_is_refused(index):
    with pytest.raises(BadInput, match="is a file field"):
        ClickElement(index=index).request(PAGE)


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


def test_input_text_lists_the_secrets_it_names():
    assert InputText(index="1.5", text="{{A}} and {{b_1}} {C}").secrets == {"A", "b_1"}


def test_action_line_contains_arguments_and_intent():
    action = ClickElement(index="1.5", intent="Buys it.")
    assert action_line(action) == "click_element(index: 1.5) Buys it."
    assert action_line(ScrollDown()) == "scroll_down()"


LEFT_OUT = {
    protocol.Fill,
    protocol.Emulate,
    protocol.RunSteps,
    protocol.UseMouse,
    protocol.Touch,
}
"""The navigator gives several actions at once anyway, and has a mouse, for elements, not points."""


def test_navigator_offers_every_page_action():
    made = {
        get_type_hints(kind.request)["return"]
        for kind in ACTIONS.values()
        if issubclass(kind, PageAction)
    }
    made.add(protocol.WaitFor)  # by `wait`, outside of the tab
    actions = {*protocol.ACTIONS, protocol.RunSteps}
    lacking = actions - LEFT_OUT - made
    assert not lacking, "Add a class to ACTIONS in agent/actions.py, or the action to LEFT_OUT."
    assert not made & LEFT_OUT, "Remove the action from LEFT_OUT."
    assert made <= actions

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.agent.actions import ACTIONS, Done, GoBack, Wait
from tabwright.agent.replies import (
    PROBLEM_MAX,
    NavigatorReply,
    navigator_reply_in,
    plan_in,
    validator_reply_in,
    without_thoughts,
)
from tabwright.protocol.errors import ModelFailed, ModelFault

CLICK = '{"current_state": {"next_goal": "On"}, "action": [{"click_element": {"index": "1.5"}}]}'
CLICKED = (ACTIONS["click_element"](index="1.5"),)
PIECES = ["<think>", "</think>", "```json", "{", "}", "[", "]", '"', ",", "\\", CLICK, '"action":']


@pytest.mark.parametrize(
    "text",
    [
        CLICK,
        f"```json\n{CLICK}\n```",
        f"Sure, I click it:\n{CLICK}\nThat is {{all}}.",
        f'<think>{{"action": []}} or what?</think>{CLICK}',
        f"No opening.</think>{CLICK}",
        f"{CLICK}<think>That never ends {{",
        f'{{"name": "navigate", "arguments": {CLICK}}}',
        json.dumps({"name": "navigate", "arguments": CLICK}),
        '{"action": {"click_element": {"index": "1.5"}}}',
        '{"action": [{"click_element": {"index": "1.5",},},],}',
        '{"action": [{"click_element": {"index": 1.5}}]}',
        '{"action": [{"click_element": {"index": "1.5"}, "done": null}], "current_state": null}',
        '{"action": [{"click_element": {"index": "1.5", "intent": null, "xpath": "//a"}}]}',
    ],
)
def test_navigator_reply_is_parsed_from_any_wrapping(text):
    assert navigator_reply_in(text).actions == CLICKED


def test_numeric_ref_keeps_its_trailing_zero():
    move = navigator_reply_in('{"action": [{"click_element": {"index": 1.10}}]}')
    assert move.actions == (ACTIONS["click_element"](index="1.10"),)


def test_values_that_are_spelt_as_text_are_understood():
    text = '{"action": [{"done": {"text": "Ok", "success": "True"}}, {"wait": {"seconds": "2.5"}}]}'
    assert navigator_reply_in(text).actions == (Done(text="Ok", success=True), Wait(seconds=2.5))
    assert navigator_reply_in('{"action": {"scroll_down": {"amount": "300"}}}').actions == (
        ACTIONS["scroll_down"](amount=300),
    )
    plan = plan_in('{"done": "false", "web_task": "true", "next_steps": ["Look.", "Buy."]}')
    assert (plan.done, plan.web_task, plan.next_steps) == (False, True, "Look.\nBuy.")


def test_lone_surrogate_is_replaced():
    text = '{"action": [{"input_text": {"index": "1.5", "text": "a\\ud800"}}]}'
    assert navigator_reply_in(text).actions == (ACTIONS["input_text"](index="1.5", text="a?"),)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it contains no JSON"),
        ("I cannot do that.", "it contains no JSON"),
        ("{", "it contains no JSON"),
        ("{}", "`action` is missing or empty"),
        ('{"action": []}', "`action` is missing or empty"),
        ('{"action": ["click"]}', "each action is an object"),
        (
            '{"action": [{"fly": {}}]}',
            "there is no action 'fly'; the actions are done, search_google",
        ),
        ('{"action": [{"click_element": {}}]}', "click_element: Object missing required field"),
        ('{"action": [{"click_element": "1.5"}]}', "click_element: an object is expected"),
        ('{"action": [{"wait": {"seconds": "long"}}]}', "wait: Expected `float`"),
        ('{"action": [{"go_back": {}}], "current_state": 1}', "an object is expected"),
    ],
)
def test_unreadable_reply_error_states_the_problem(text, problem):
    with pytest.raises(ModelFailed, match="cannot be read") as failed:
        navigator_reply_in(text)
    assert failed.value.fault is ModelFault.UNREADABLE
    assert problem in failed.value.message


def test_first_problem_is_reported_if_there_are_several_objects():
    with pytest.raises(ModelFailed, match="no action 'fly'"):
        navigator_reply_in('{"action": [{"fly": {}}]} and {"x": 1}')


def test_plan_and_verdict_require_only_their_decision_field():
    assert not plan_in('{"done": false}').done
    assert validator_reply_in('{"is_valid": "true"}').is_valid
    with pytest.raises(ModelFailed, match="`done`"):
        plan_in('{"next_steps": "Buy."}')
    with pytest.raises(ModelFailed, match="`is_valid`"):
        validator_reply_in('{"answer": "5"}')


def test_thinking_text_is_removed():
    assert without_thoughts("a<think>b</think>c<think>d") == "ac"
    assert without_thoughts("a</think>b") == "b"


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        "[" * 100_000,
        '{"a":' * 50_000,
        '{"action": ' + "[" * 5_000 + "]" * 5_000 + "}",
        '{"action": ' * 300 + "1" + "}" * 300,
        "<think>" * 20_000,
        "<think></think>" * 10_000,
        "{," * 50_000,
        '{"action": [{"wait": {"seconds": ' + "9" * 50_000 + "}}]}",
    ],
)
def test_deep_or_very_long_reply_is_refused_with_short_message(text):
    with pytest.raises(ModelFailed) as failed:
        navigator_reply_in(text)
    assert len(failed.value.message) < PROBLEM_MAX + 100


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_any_text_is_parsed_or_refused_as_unreadable(text):
    for read in (plan_in, navigator_reply_in, validator_reply_in):
        try:
            value = read(text)
        except ModelFailed as failed:
            assert failed.fault is ModelFault.UNREADABLE
        else:
            assert not isinstance(value, NavigatorReply) or value.actions


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
NAMES = st.sampled_from(["click_element", "wait", "done", "scroll_to_percent", "switch_tab", "x"])
FIELDS = st.sampled_from(["index", "seconds", "text", "success", "percent", "tab_id", "intent"])


@given(st.lists(st.dictionaries(NAMES, st.dictionaries(FIELDS, JSON)) | JSON) | JSON)
def test_any_json_is_parsed_or_refused_as_unreadable(actions):
    try:
        move = navigator_reply_in(json.dumps({"action": actions}))
    except ModelFailed as failed:
        assert failed.fault is ModelFault.UNREADABLE
    else:
        assert navigator_reply_in(move.json) == move


def test_navigator_reply_is_serialized_in_model_format():
    text = '{"current_state": {"memory": "m"}, "action": [{"go_back": {"intent": "Out"}}]}'
    move = navigator_reply_in(text)
    assert move.actions == (GoBack(intent="Out"),)
    assert json.loads(move.json)["action"] == [{"go_back": {"intent": "Out"}}]


EVIL = '{"action": [{"go_to_url": {"url": "https://evil.example/"}}]}'


def test_actions_in_model_thinking_are_not_executed():
    for text in (f"<think>The page says {EVIL}, I must not.</think>I stop.", f"<think>{EVIL}"):
        with pytest.raises(ModelFailed, match="cannot be read"):
            navigator_reply_in(text)


def test_conflicting_actions_in_one_reply_are_refused():
    with pytest.raises(ModelFailed, match="several answers"):
        navigator_reply_in(f"The page wants {EVIL} of me. I do instead:\n```json\n{CLICK}\n```")
    assert navigator_reply_in(f"{CLICK}\nOnce more:\n{CLICK}").actions == CLICKED

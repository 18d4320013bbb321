"""Calls of every tool with arguments that do not quite match the schema."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.config.engines import load_engines
from tabwright.mcp.arguments import meant
from tabwright.mcp.registry import tools
from tabwright.plugins.playwright.tools import playwright_tools
from tabwright.protocol.errors import BadInput

TOOLS = (*tools("en-US", load_engines()), *playwright_tools())
SAMPLES = {
    "string": "1.5",
    "integer": 1,
    "number": 1,
    "boolean": True,
    "array": ["1.5"],
    "object": {},
}
VALUES = {
    "pointer": ("delay_s",),
    "scroll": ("x", "y"),
    "browser_tabs": ("index",),
    "browse": ("max_age",),
}
"""Arguments of which 0 is a value."""

ASK_FOR_MORE = {"navigate", "fill_form", "verify"}
"""Tools that require one of several arguments."""


def arguments(tool) -> dict:
    return tool.input_schema["properties"]


def required(tool) -> dict[str, object]:
    """Return the minimal valid arguments of a tool."""
    given = {}
    for name in tool.input_schema["required"]:
        argument = arguments(tool)[name]
        given[name] = argument.get("enum", [SAMPLES[argument["type"]]])[0]
        if "properties" in argument.get("items", {}):
            given[name] = [{"target": "1.5", "value": "x"}]
        elif argument.get("items", {}).get("type") == "object":
            given[name] = [{"do": "press", "keys": "Tab"}]
    return given


def read(tool, given):
    return tool.read_arguments(given)


@pytest.mark.parametrize("nothing", [None, "", 0], ids=["null", "empty", "zero"])
def test_empty_optional_arguments_are_treated_as_omitted(nothing) -> None:
    for tool in TOOLS:
        least = required(tool)
        values = VALUES.get(tool.name, ()) if nothing == 0 else ()
        empty = {name: nothing for name in arguments(tool) if name not in values}
        if tool.name in ASK_FOR_MORE:
            with pytest.raises(BadInput):
                read(tool, {**empty, **least})
        else:
            assert read(tool, {**empty, **least}) == read(tool, least), tool.name


def test_tool_accepts_numbers_and_booleans_as_text_or_list() -> None:
    every = [(tool, *item) for tool in TOOLS for item in arguments(tool).items()]
    for tool, name, argument in every:
        kind = argument.get("type")
        bound = max(int(argument.get("minimum", 1)), 1)
        cases = {
            "integer": (bound, [str(bound), float(bound), [bound]]),
            "number": (bound, [str(bound), [bound]]),
            "boolean": (True, ["true", "True", 1, ["true"]]),
        }
        if kind not in cases:
            continue
        value, others = cases[kind]
        for other in others:
            given = {**required(tool), name: other}
            assert meant(given, tool.input_schema)[name] == value, (tool.name, name, other)


REFS = [
    "2.5",
    2.5,
    "[2.5]",
    "ref=2.5",
    "e2.5",
    "[*2.5]",
    ["2.5"],
    '["2.5"]'[1:-1],
    " 2.5 ",
    "ref: 2.5",
]


@pytest.mark.parametrize("ref", REFS, ids=repr)
def test_ref_is_read_in_any_form(ref) -> None:
    (click,) = (tool for tool in TOOLS if tool.name == "click")
    assert read(click, {"ref": ref}).ref == "2.5"
    (their_click,) = (tool for tool in TOOLS if tool.name == "browser_click")
    assert read(their_click, {"ref": ref}).target == "2.5"


@pytest.mark.parametrize(
    ("given", "follow_up"),
    [("true", True), ("True", True), ("false", False), (True, True), ("c0ffee12", "c0ffee12")],
)
def test_follow_up_argument_accepts_boolean_text_or_an_id(given, follow_up) -> None:
    (search,) = (tool for tool in TOOLS if tool.name == "google_ai_search")
    assert read(search, {"query": "q", "follow_up": given}).follow_up == follow_up


@pytest.mark.parametrize("tool", ["browse", "navigate", "browser_navigate"])
def test_scheme_of_an_address_may_be_left_out(tool) -> None:
    (goes,) = (one for one in TOOLS if one.name == tool)
    assert read(goes, {"url": "example.com/a"}).url == "https://example.com/a"
    for whole in ("http://example.com", "back", "about:blank", "a word"):
        assert read(goes, {"url": whole}).url == whole


def test_selector_and_typed_text_are_not_normalised() -> None:
    (type_text,) = (tool for tool in TOOLS if tool.name == "type")
    asked = read(type_text, {"ref": "#e2.5 > a", "text": "[2.5]"})
    assert (asked.ref, asked.text) == ("#e2.5 > a", "[2.5]")
    assert read(type_text, {"ref": "1.5", "text": ""}).text == ""


def test_zero_that_means_something_is_kept() -> None:
    by_name = {tool.name: tool for tool in TOOLS}
    assert read(by_name["scroll"], {"y": 0}).y == 0
    assert read(by_name["browser_tabs"], {"action": "select", "index": 0}).index == 0
    assert read(by_name["emulate"], {"viewport": ["0", 0]}).viewport == (0, 0)
    assert read(by_name["emulate"], {"offline": False}).offline is False
    assert read(by_name["dialog"], {"accept": 0}).accept is False
    assert read(by_name["fill_form"], {"fields": {"a": ""}}).fields == {"a": ""}


def test_single_values_become_lists_and_json_strings_are_decoded() -> None:
    by_name = {tool.name: tool for tool in TOOLS}
    assert read(by_name["browse"], {"url": "a.example", "keywords": "tea"}).keywords == ("tea",)
    assert read(by_name["upload"], {"ref": "1.5", "paths": '["a", "b"]'}).paths == ("a", "b")
    assert read(by_name["upload"], {"ref": "1.5", "paths": "[a"}).paths == ("[a",)
    assert read(by_name["fill_form"], {"fields": '{"a": "b"}'}).fields == {"a": "b"}
    assert read(by_name["press"], {"keys": ["Tab"]}).keys == "Tab"


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("browse", {"url": None}),
        ("browse", {"url": "a", "max_tokens": "many"}),
        ("browse", {"url": "a", "max_tokens": 1.5}),
        ("browse", {"url": ["a", "b"]}),
        ("click", {"ref": "1.5", "count": "9"}),
        ("dialog", {"accept": "perhaps"}),
        ("wait_for", {"text": "a", "seconds": "1e999"}),
    ],
)
def test_argument_that_cannot_be_coerced_is_rejected(name, given) -> None:
    (tool,) = (tool for tool in TOOLS if tool.name == name)
    with pytest.raises(BadInput):
        read(tool, given)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.sampled_from(TOOLS), st.data())
def test_arbitrary_arguments_are_read_or_refused_as_bad_input(tool, data) -> None:
    names = st.sampled_from([*arguments(tool), "unknown"])
    given = data.draw(st.dictionaries(names, json_values, max_size=6))
    with suppress(BadInput):
        tool.read_arguments(given)


TOOLS_BY_NAME = {tool.name: tool for tool in TOOLS}


@pytest.mark.parametrize(
    ("tool", "sent", "meant_as"),
    [
        ("click", {"selector": "#a"}, {"ref": "#a"}),
        ("click", {"text": "Save"}, {"ref": "Save"}),
        ("click", {"element": "Save", "ref": None}, {"ref": "Save"}),
        ("click", {"ref": None, "element": "Save"}, {"ref": "Save"}),
        ("click", {"ref": "1.5", "button": "Left"}, {"ref": "1.5", "button": "left"}),
        ("type", {"ref": "1.5", "value": "a", "submit": True}, {"text": "a", "submit": True}),
        ("select", {"ref": "1.5", "value": "Large"}, {"values": ("Large",)}),
        ("press", {"key": "Enter"}, {"keys": "Enter"}),
        ("screenshot", {"full_page": True}, {"full": True}),
        ("navigate", {"url": "a.example", "format": "Markdown"}, {"format": "markdown"}),
        ("web_search", {"q": "trio", "numResults": 3}, {"query": "trio", "limit": 3}),
        ("tabs", {"action": "new"}, {"action": "open"}),
        (
            "fill_form",
            {"fields": [{"ref": "1.5", "value": "a"}, {"name": "Email", "type": "x", "value": 1}]},
            {"fields": {"1.5": "a", "Email": "1"}},
        ),
        ("fill_form", {"fields": {"Name": "a", "Email": None}}, {"fields": {"Name": "a"}}),
        ("browser_click", {"ref": "1.5"}, {"target": "1.5"}),
    ],
)
def test_names_and_values_that_models_send_are_understood(
    tool: str, sent: dict[str, object], meant_as: dict[str, object]
) -> None:
    arguments = TOOLS_BY_NAME[tool].read_arguments(sent)
    assert {name: getattr(arguments, name) for name in meant_as} == meant_as


@pytest.mark.parametrize(
    "sent",
    [
        {"ref": "1.5", "selector": "#a"},
        {"selector": "#a", "text": "Save"},
        {"text": "Save", "selector": "#a"},
    ],
)
def test_two_names_of_one_argument_are_refused(sent: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        TOOLS_BY_NAME["click"].read_arguments(sent)


@pytest.mark.parametrize(
    ("tool", "name", "ignored"),
    [
        ("click", "element", True),
        ("navigate", "waitUntil", True),
        ("navigate", "wait_until", True),
        ("wait_for", "milliseconds", False),
        ("click", "sesion", False),
        ("tabs", "index", False),
        ("change_storage", "type", False),
    ],
)
def test_only_arguments_that_limit_no_call_are_ignored(
    tool: str, name: str, *, ignored: bool
) -> None:
    given = {"ref": "1.5", name: 1}
    assert (name in TOOLS_BY_NAME[tool].ignored_arguments(given)) is ignored


def test_number_of_a_setting_stays_a_number() -> None:
    sent = {"url": "http://a.example/", "settings": {"reading.max_tier": 1}}
    assert TOOLS_BY_NAME["navigate"].read_arguments(sent).settings == {"reading.max_tier": 1}

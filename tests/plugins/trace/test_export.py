"""Traces exported as programs: their content, and traces that cannot be exported."""

import ast

import attrs
import msgspec
import pytest

import tabwright
from tabwright.mcp.tools.run_steps import read_steps
from tabwright.plugins.trace.events import TraceEvent, TraceHeader, recorded_action
from tabwright.plugins.trace.export import EXPORT_KINDS, export_trace, locator_of
from tabwright.plugins.trace.playwright_script import code, locator_code
from tabwright.plugins.trace.records import ElementDescription, PerformedAction, RecordedTarget
from tabwright.plugins.trace.trace_file import Trace
from tabwright.protocol.actions import (
    ACTIONS,
    AnswerDialog,
    Click,
    Drag,
    Emulate,
    FieldValue,
    Fill,
    Hover,
    Press,
    Scroll,
    SelectOption,
    SelectText,
    Touch,
    Type,
    Upload,
    UseMouse,
    WaitFor,
)
from tabwright.protocol.errors import BadInput
from tabwright.protocol.locators import parse_locator

HOSTILE = 'a"); process.exit(1); //\\ \u2028 {0} """'
BUTTON = RecordedTarget("1.1", ElementDescription(role="button", name="Save"), count=2, place=1)
FIELD = RecordedTarget("1.2", ElementDescription(role="textbox", name=HOSTILE, tag="input"))
FRAMED = RecordedTarget("2.1", ElementDescription(role="link", name="Go", page="/in", frame=True))
CARD = RecordedTarget("1.4", ElementDescription(role="clickable", name="Card", css="main > div"))
NAMELESS = RecordedTarget("1.3", ElementDescription(role="button", css="main > button"))


def exported(kind, *performed: PerformedAction, url: str = "https://shop.example/") -> str:
    events = [TraceEvent(number=1, kind="navigate", request={"url": url})]
    for number, one in enumerate(performed, 2):
        recorded = recorded_action(one)
        values = {"type": "x"}
        events.append(
            TraceEvent(number=number, kind="action", request=values, performed=(recorded,))
        )
    return export_trace(
        Trace(TraceHeader(session="s", started=0, made_by="1"), tuple(events), {}), kind
    )


def done(action, *targets: RecordedTarget) -> PerformedAction:
    return PerformedAction(action, targets, done=True)


STEPS = (
    done(Click("1.1", count=2), BUTTON),
    done(Type("1.2", "{{PASS}}", submit=True), FIELD),
    done(Fill((FieldValue("Name", HOSTILE), FieldValue("News", False))), FIELD, FIELD),
    done(Press("Escape")),
    done(Scroll(y=100)),
    done(WaitFor(HOSTILE)),
)


ONE_OF_EACH = (
    done(Click("1.1"), BUTTON),
    done(Type("1.2", "tea"), FIELD),
    done(Press("Escape")),
    done(Hover("1.1"), BUTTON),
    done(Drag("1.1", "1.4"), BUTTON, CARD),
    done(SelectText("1.4"), CARD),
    done(Touch("1.1"), BUTTON),
    done(SelectOption("1.2", ("Large",)), FIELD),
    done(Scroll(y=100)),
    done(Fill((FieldValue("1.2", "tea"),)), FIELD),
    done(Upload("1.2", ("x.txt",)), FIELD),
    done(WaitFor("tea")),
    done(AnswerDialog(accept=True)),
    done(Emulate((800, 600))),
    done(UseMouse("wheel", ((0, 5),))),
)

REFUSED = {
    "run": {Emulate, Upload},
    "python": set(),
    "playwright": {Touch},
}
"""Actions without an equivalent, by kind of export."""


def test_each_action_is_exported_or_refused_as_decided():
    assert [type(one.action) for one in ONE_OF_EACH] == list(ACTIONS), (
        "Add an example of the action to ONE_OF_EACH, in the order of ACTIONS. Export it in "
        "tabwright/trace/playwright_script.py, or add it to REFUSED."
    )
    for kind in EXPORT_KINDS:
        for one in ONE_OF_EACH:
            if type(one.action) in REFUSED[kind]:
                with pytest.raises(BadInput):
                    exported(kind, one)
            else:
                assert exported(kind, one)


def test_python_program_of_all_actions_uses_only_the_api():
    tree = ast.parse(exported("python", *ONE_OF_EACH))
    imports = [
        name.name for node in tree.body if isinstance(node, ast.Import) for name in node.names
    ]
    assert imports == ["trio", "tabwright"]
    used = {node.attr for node in ast.walk(tree) if is_of_tabwright(node)}
    assert used <= {*tabwright.__all__}


def is_of_tabwright(node):
    return isinstance(node, ast.Attribute) and ast.unparse(node.value) == "tabwright"


def test_exported_run_steps_are_read_back_as_the_recorded_actions():
    recorded = [one for one in ONE_OF_EACH if type(one.action) not in REFUSED["run"]]
    steps = read_steps(msgspec.json.decode(exported("run", *recorded)))
    assert [type(step) for step in steps] == [type(one.action) for one in recorded]
    without_element = [place for place, one in enumerate(recorded) if not one.targets]
    assert [steps[at] for at in without_element] == [recorded[at].action for at in without_element]


def test_run_list_has_locators_and_only_non_default_values():
    steps = msgspec.json.decode(exported("run", *STEPS))
    assert steps[0] == {"do": "click", "ref": 'role=button[name="Save"] >> nth=1', "count": 2}
    assert [one["do"] for one in steps] == [
        "click",
        "type",
        "fill_form",
        "press",
        "scroll",
        "wait_for",
    ]


def test_python_program_is_valid_despite_hostile_page_text():
    program = exported("python", *STEPS)
    tree = ast.parse(program)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Await)]
    assert len(calls) == len(STEPS) + 1
    assert "os.environ['PASS']" in program
    assert "import os" not in exported("python", STEPS[0])


def test_playwright_script_contains_page_text_only_as_strings():
    script = exported("playwright", *STEPS)
    assert code(HOSTILE) in script
    assert HOSTILE not in script
    assert "\u2028" not in script
    assert 'fill(process.env["PASS"])' in script


def test_dialog_is_answered_before_the_action_that_opens_it():
    lines = exported("playwright", STEPS[0], done(AnswerDialog(accept=True))).splitlines()
    [answer] = [at for at, line in enumerate(lines) if "dialog.accept()" in line]
    assert ".click(" in lines[answer + 1]


@pytest.mark.parametrize(
    ("kind", "performed"),
    [
        ("run", done(Upload("1.2", ("x.txt",)), FIELD)),
        ("playwright", done(Touch("1.1", "pinch_in"), BUTTON)),
        ("playwright", done(Click("1.1"))),
        ("python", done(Click("2.1"), FRAMED)),
        ("run", done(Click("2.1"), FRAMED)),
    ],
)
def test_step_that_has_no_equivalent_is_refused(kind, performed):
    with pytest.raises(BadInput):
        exported(kind, performed)


SAVE_EXACTLY = '"button", { name: "Save", exact: true }'
GO_EXACTLY = '"link", { name: "Go", exact: true }'
IN_FRAME = 'page.frame({ url: (url) => url.pathname === "/in" })'


@pytest.mark.parametrize(
    ("target", "locator", "expression"),
    [
        (BUTTON, 'role=button[name="Save"] >> nth=1', f"page.getByRole({SAVE_EXACTLY}).nth(1)"),
        (CARD, 'text="Card"', 'page.locator("css=main > div")'),
        (NAMELESS, "css=main > button", 'page.locator("css=main > button")'),
        (FRAMED, 'role=link[name="Go"]', f"{IN_FRAME}.getByRole({GO_EXACTLY})"),
    ],
)
def test_element_locator_uses_role_and_place_or_css_selector(target, locator, expression):
    assert locator_of(target) == locator
    assert parse_locator(locator)
    assert locator_code(target) == expression


def test_playwright_click_on_option_of_closed_list_becomes_select_option():
    option = ElementDescription(role="option", name="Large", tag="option", shown=False)
    closed = done(Click("1.7"), RecordedTarget("1.7", option))
    opened = done(Click("1.7"), RecordedTarget("1.7", attrs.evolve(option, shown=True)))
    assert '.selectOption({"label":"Large"});' in exported("playwright", closed)
    assert ".click();" in exported("playwright", opened)

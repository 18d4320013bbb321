"""The action of CONTRIBUTING.md, added to tabwright: everything follows from its declaration."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

CONTRIBUTING = Path(__file__).resolve().parents[2] / "CONTRIBUTING.md"

PREAMBLE = """
import json
from random import Random
from typing import Annotated

import attrs
import trio

from tabwright.cdp.domains import input as input_domain
from tabwright.page.action_runner import ActionPlan, ActionRunner, performs
from tabwright.page.actions.actionability import wait_actionable
from tabwright.page.actions.mouse import OVER, hit_test_failure
from tabwright.protocol import actions
from tabwright.protocol.actions import Outcome, SimpleAction
from tabwright.protocol.declarations import Declaration, Parameter, Ref
"""

USES = """
actions.ACTIONS = (*actions.ACTIONS, Linger)

from tabwright.app import open_tabwright
from tabwright.agent.actions import ACTIONS
from tabwright.agent.replies import NAVIGATOR
from tabwright.cli.command_line import parser
from tabwright.cli.shell import COMMANDS
from tabwright.mcp.registry import PAGE_TOOLS
from tabwright.mcp.tool import CallContext, ToolContext, listed_tool
from tabwright.mcp.tools.run_steps import read_steps
from tabwright.protocol.inspection import OutlineText
from tabwright.plugins.trace.records import ElementDescription, PerformedAction, RecordedTarget
from tabwright.testing import (
    FakeControl, FakePage, FakeSite, fake_launcher, simulated_environment
)
from tabwright.plugins.trace.events import TraceEvent, TraceHeader, recorded_action
from tabwright.plugins.trace.export import export_trace
from tabwright.plugins.trace.trace_file import Trace

URL = "https://a.example/"
SITE = FakeSite(pages={URL: FakePage("<title>T</title>", controls=(FakeControl("Go"),))})
tool = next(tool for tool in PAGE_TOOLS if tool.name == "pointer")
command = next(command for command in COMMANDS if command.name == "act linger")
form = NAVIGATOR.schema["properties"]["action"]["items"]["properties"]["linger"]
chosen = ACTIONS["linger"](index="1.5", seconds=2.0)
target = RecordedTarget("1.5", ElementDescription(role="button", name="Go"))
performed = recorded_action(PerformedAction(Linger("1.5", 2.0), (target,), done=True))
trace = Trace(
    TraceHeader(session="s", started=0, made_by="1"),
    (
        TraceEvent(number=1, kind="navigate", request={"url": URL}),
        TraceEvent(number=2, kind="action", request={}, performed=(performed,)),
    ),
    {},
)
words = ["act", "linger", "1.5", "--seconds", "2"]
shell = parser(*words).parse_args(words)
context = CallContext(lambda _: None, thinks=False, asked_by_result=False)


async def use(random):
    environment = simulated_environment(fake_launcher(SITE, random), random)
    async with open_tabwright(environment=environment) as tabwright:
        await tabwright.session("s").enter(URL)
        given = tool.read_arguments(
            {"action": "linger", "ref": "text=Go", "session": "s", "seconds": "2"}
        )
        called = await tool.handler(given, ToolContext(tabwright, context))
        steps = read_steps([{"do": "linger", "ref": "text=Go"}])
        done = await tabwright.session("s").act(actions.RunSteps(steps))
        return called.structured["description"], done.steps.done


print(json.dumps({
    "listed": listed_tool(tool),
    "step": repr(read_steps([{"do": "linger", "ref": "1.5"}])),
    "command": [command.text, command.examples, shell.ref, shell.seconds],
    "form": form,
    "agent": repr(chosen.request(OutlineText(""))),
    "exported": json.loads(export_trace(trace, "run")),
    "done": trio.run(use, Random(0)),
}))
"""


def example() -> str:
    """Return the code that the how-to for a page action shows."""
    how_to = CONTRIBUTING.read_text().partition("**… a page action.**")[2]
    return how_to.partition("```python\n")[2].partition("```")[0]


@pytest.fixture(scope="module")
def uses(tmp_path_factory):
    """Return what the callers of the example see, in a process of its own."""
    program = tmp_path_factory.mktemp("action") / "program.py"
    program.write_text(PREAMBLE + example() + USES)
    ended = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_new_action_of_the_mouse_is_one_of_pointer_with_its_schema(uses):
    schema = uses["listed"]["inputSchema"]
    text = "linger: Keep the mouse over an element, e.g. to see its tooltip."
    assert text in schema["properties"]["action"]["description"]
    assert "linger" in schema["properties"]["action"]["enum"]
    assert schema["required"] == ["action"]
    assert schema["properties"]["seconds"] == {
        "type": "number",
        "description": "For linger: How long, default 1.",
        "maximum": 10,
    }


def test_new_action_is_a_step(uses):
    assert uses["step"] == "(Linger(ref='1.5', seconds=1.0),)"


def test_new_action_has_a_command(uses):
    assert uses["command"] == [
        "Keep the mouse over an element, e.g. to see its tooltip.",
        ["tabwright act linger 1.5"],
        "1.5",
        "2",
    ]


def test_new_action_is_one_of_the_navigator(uses):
    assert uses["form"]["required"] == ["index"]
    assert uses["agent"] == "Linger(ref='1.5', seconds=2.0)"


def test_new_action_is_exported_from_a_trace(uses):
    assert uses["exported"] == [{"do": "linger", "ref": 'role=button[name="Go"]', "seconds": 2.0}]


def test_new_action_is_performed_by_its_tool_and_as_a_step(uses):
    called, done = uses["done"]
    assert called == 'Lingered over button "Go".'
    assert done == [called]

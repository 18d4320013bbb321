"""Steps interrupted by a dialog, a hanging page or a cancellation, in Chromium."""

import pytest
import trio

from tabwright.mcp.tools.run_steps import read_steps
from tabwright.protocol.actions import Drag, Press, RunSteps
from tabwright.protocol.errors import BadInput, PageFailed
from tests.support.cases import cases

pytestmark = pytest.mark.chromium


async def run(agent, *steps):
    return await agent.ask(RunSteps(read_steps(steps)))


@cases(
    "step",
    [
        {"do": "read", "ref": "css=#text", "as": "text"},
        {"do": "if", "visible": "css=#text", "then": []},
        {"do": "repeat", "until": {"text": "nowhere"}, "steps": []},
    ],
)
async def test_read_step_behind_open_dialog_is_refused_immediately(agent, step):
    await agent.show("<p id=text>Text</p><button onclick=\"note(confirm('Sure?'))\">Ask</button>")
    with trio.fail_after(25):
        outcome = await run(agent, {"do": "click", "ref": "text=Ask"}, step)
    assert isinstance(outcome.steps.failure.error, BadInput)
    assert outcome.steps.failure.error.hints
    assert outcome.steps.failure.step.startswith(("read", "if", "repeat"))
    assert outcome.dialog is not None
    assert len(outcome.steps.done) == 1


async def test_steps_on_a_hanging_page_finish_or_fail_with_page_error(agent):
    await agent.show(
        '<p id=text>Text</p><button onclick="setTimeout(() => { for (;;); }, 2000)">Hang</button>'
    )
    outcome = await run(
        agent,
        {"do": "click", "ref": "text=Hang"},
        {"do": "repeat", "times": 100, "until": {"text": "nowhere"}, "steps": []},
        {"do": "read", "ref": "css=#text", "as": "text"},
    )
    assert outcome.steps.failure is None or isinstance(outcome.steps.failure.error, PageFailed)


async def test_repeated_steps_without_an_action_can_be_cancelled(agent):
    await agent.show("<p>Text</p>")
    steps = []
    for _ in range(4):
        steps = [{"do": "repeat", "times": 100, "steps": steps}]
    with trio.fail_after(60), trio.move_on_after(1) as scope:
        await run(agent, *steps)
    assert scope.cancelled_caught


async def test_a_cancelled_press_of_keys_leaves_no_key_held(agent):
    await agent.show(
        "<input aria-label=Field onkeydown=\"if (event.key === 'X')"
        ' { const end = Date.now() + 300; while (Date.now() < end); }">'
        "<script>addEventListener('keydown', event => {"
        " if (event.key === 'b') note('held:' + (event.shiftKey || event.ctrlKey)); })</script>"
    )
    await agent.click('"Field"')
    for delay in (0.01, 0.05, 0.1, 0.2):
        with trio.move_on_after(delay):
            await agent.ask(Press("Shift+X Control+Shift+X Shift+X"))
    await agent.ask(Press("b"))
    assert await agent.notes() == ["held:false"]


@cases("draggable", ["true", "false"])
async def test_a_cancelled_drag_leaves_no_button_held_and_no_drag_in_progress(agent, draggable):
    await agent.show(
        "<style>div { width: 90px; height: 90px }</style>"
        f"<div id=from draggable={draggable} style='background: red'>From</div>"
        "<div id=to style='background: blue'>To</div>"
        "<button onmousemove=\"note('held:' + event.buttons)\" onclick=note('clicked')>Click"
        "</button>"
    )
    await agent.see()
    for delay in (0.1, 0.2, 0.3, 0.4, 0.5, 0.7):
        with trio.move_on_after(delay):
            await agent.ask(Drag("css=#from", "css=#to"))
    await agent.click('"Click"')
    assert await agent.notes() == ["held:0", "clicked"]

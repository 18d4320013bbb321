"""Outcomes of actions on pages with animations, in a real Chromium."""

import pytest

from tabwright.protocol.actions import Click
from tabwright.protocol.errors import Effect, PageFailed
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

MENU = (
    "<style>#back {position: fixed; inset: 0; transition: opacity 300ms} .out {opacity: 0}"
    " @keyframes spin {to {transform: rotate(1turn)}}"
    " #spinner {width: 9px; height: 9px; animation: spin 300ms infinite}"
    " @keyframes ripple {to {opacity: 0}} #ripple {pointer-events: none; animation: ripple 500ms}"
    "</style><button>Under</button>%s<div id=back><button onclick=\"back.className = 'out'\">Close"
    "</button></div><script>back.ontransitionend = () => back.remove()</script>"
)


@pytest.mark.parametrize("other", ["", "<div id=spinner></div>", "<div id=ripple>x</div>"])
async def test_fading_backdrop_covers_nothing_in_the_outcome(agent, other):
    seen = await agent.show(MENU % other)
    outcome = await agent.click('button "Close"')
    assert "covered by" in seen
    assert '- [1.2] button "Close"' in outcome.changes.replace("[2.", "[1.")
    assert "covered by" not in await agent.see()
    await agent.click('"Under"')


async def test_click_on_element_that_moves_before_release_has_unknown_effect(agent):
    await agent.show(
        "<button style='position: relative' onclick=\"note('clicked')\""
        " onmousedown=\"this.style.left = '400px'\">Runs</button>"
    )
    refused = await agent.refused(Click("text=Runs"))
    assert isinstance(refused, PageFailed)
    assert refused.effect == Effect.UNKNOWN
    assert await agent.notes() == []


COVER = (
    "const menu = document.body.appendChild(document.createElement('div'));"
    " menu.style = 'position: fixed; inset: 0'"
)


@cases(
    "pressed",
    [
        COVER,
        "this.remove()",
        "this.style.top = '2px'",
    ],
)
async def test_click_completes_if_its_press_covers_removes_or_shifts_the_element(agent, pressed):
    await agent.show(
        f'<button style="position: relative" onmousedown="note(1); {pressed}">Opens</button>'
    )
    await agent.ask(Click("text=Opens"))
    assert await agent.notes() == ["1"]

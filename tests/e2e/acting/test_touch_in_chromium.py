"""Touch gestures on a page, in a real Chromium."""

import pytest

from tabwright.protocol.actions import Emulate, Touch
from tabwright.protocol.errors import Effect
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

PAD = (
    "<div id=pad style='width:400px;height:400px;background:#ddd;touch-action:none'></div><script>"
    "let fingers = 0, from = null;"
    "pad.addEventListener('touchstart', (e) => { fingers = Math.max(fingers, e.touches.length);"
    " from ??= [e.touches[0].clientX, e.touches[0].clientY] });"
    "pad.addEventListener('touchend', (e) => { const one = e.changedTouches[0];"
    " note(`${fingers}:${one.clientX - from[0]},${one.clientY - from[1]}`) });"
    "pad.addEventListener('touchcancel', () => note('cancel'));</script>"
)


async def test_tap_is_a_touch_and_a_click(agent):
    await agent.show(
        "<button id=b ontouchstart=note('touch') onclick=\"note('click:' + event.pointerType)\">B"
        "</button>"
    )
    outcome = await agent.ask(Touch("#b"))
    assert await agent.notes() == ["touch", "click:touch"]
    assert outcome.description == 'Tapped button "B".'


@cases(
    ("gesture", "moved"),
    [
        ("swipe_left", "-120,0"),
        ("swipe_right", "120,0"),
        ("swipe_up", "0,-120"),
        ("swipe_down", "0,120"),
    ],
)
async def test_swipe_moves_one_finger_by_its_distance(agent, gesture, moved):
    await agent.show(PAD)
    await agent.ask(Touch("#pad", gesture, 120))
    assert await agent.notes() == [f"1:{moved}"]


async def test_swipe_scrolls_a_mobile_page(agent):
    await agent.show("<div style=height:3000px>Long</div>")
    await agent.ask(Emulate(viewport=(390, 844), mobile=True))
    await agent.ask(Touch("body > div", "swipe_up", 300))
    assert float(await agent.value("scrollY")) > 100


@cases("gesture", ["pinch_in", "pinch_out"])
async def test_pinch_has_two_fingers(agent, gesture):
    await agent.show(PAD)
    await agent.ask(Touch("#pad", gesture))
    assert (await agent.notes())[0].startswith("2:")


async def test_double_tap_taps_twice_and_a_long_press_lasts(agent):
    await agent.show(
        "<button id=b>B</button><script>let at = 0;"
        "b.addEventListener('touchstart', () => { at = performance.now() });"
        "b.addEventListener('touchend', () => note(performance.now() - at > 500 ? 'long' : 'tap'))"
        "</script>"
    )
    await agent.ask(Touch("#b", "double_tap"))
    await agent.ask(Touch("#b", "long_press"))
    assert await agent.notes() == ["tap", "tap", "long"]


async def test_covered_element_is_not_touched(agent):
    await agent.show(
        "<button id=b ontouchstart=note('touch')>B</button>"
        "<div style='position:fixed;inset:0' ontouchstart=note('cover')></div>"
    )
    refusal = await agent.refused(Touch("#b"))
    assert refusal.effect is Effect.NONE
    assert await agent.notes() == []

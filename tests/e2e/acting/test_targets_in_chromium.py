"""A selector targets exactly the element that it matches, in a real Chromium."""

import pytest

from tabwright.protocol.actions import Click, Drag, Hover, Upload
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Capture, Evaluate, Locate, TakeOutline

pytestmark = pytest.mark.chromium

CARD = (
    "<div id=card style='width:400px; height:100px; text-align:center; line-height:100px'"
    " onclick=\"note('card')\">Invoice 17"
    " <button onclick=\"event.stopPropagation(); note('deleted')\">Delete</button></div>"
)


async def test_click_on_card_with_a_button_presses_the_card_itself(agent):
    await agent.show(CARD)
    await agent.ask(Click(await agent.ask(Locate("#card"))))
    assert await agent.notes() == ["card"]


async def test_click_on_element_with_a_button_in_its_middle_hits_beside_it(agent):
    await agent.show(
        "<div id=card onclick=\"note('card')\" style='width:300px; padding:20px'>"
        "<button style='width:100%; height:60px'"
        " onclick=\"event.stopPropagation(); note('deleted')\">Delete</button></div>"
    )
    await agent.ask(Click(await agent.ask(Locate("#card"))))
    assert await agent.notes() == ["card"]


async def test_any_element_can_be_located_and_acted_on(agent):
    await agent.show(
        "<h1 ondblclick=\"note('twice')\">Title</h1><ul><li>One<li>Two</ul>"
        "<svg width=40 height=40><circle r=15 cx=20 cy=20 id=dot></circle></svg>"
        "<p id=over onmouseover=\"note('over')\">Over</p>"
        "<script>dot.addEventListener('click', () => note('dot'))</script>"
    )
    await agent.ask(Click(await agent.ask(Locate("h1")), count=2))
    await agent.ask(Click(await agent.ask(Locate("#dot"))))
    await agent.ask(Hover(await agent.ask(Locate("#over"))))
    await agent.ask(Click(await agent.ask(Locate("body"))))
    tag = await agent.ask(Evaluate("element => element.tagName", await agent.ask(Locate("ul"))))
    assert await agent.notes() == ["twice", "dot", "over"]
    assert tag.json == '"UL"'


async def test_drag_between_located_elements_with_script_listeners_works(agent):
    await agent.show(
        "<div id=here draggable=true style='width:80px;height:40px'>Take</div>"
        "<div id=there style='width:80px;height:40px'>There</div><script>"
        "here.addEventListener('dragstart', e => e.dataTransfer.setData('text/plain', 'x'));"
        "there.addEventListener('dragover', e => e.preventDefault());"
        "there.addEventListener('drop', e => { e.preventDefault();"
        " note('got:' + e.dataTransfer.getData('text/plain')) });</script>"
    )
    start, end = await agent.ask(Locate("#here")), await agent.ask(Locate("#there"))
    await agent.ask(Drag(start, end))
    assert await agent.notes() == ["got:x"]


async def test_upload_to_located_element_that_is_not_a_control_succeeds(agent, tmp_path):
    (tmp_path / "a.txt").write_text("a")
    await agent.show(
        "<div id=zone style='width:90px;height:40px'>Drop files</div>"
        "<input type=file style='display:none' onchange=\"note(this.files[0].name)\">"
        "<script>const input = document.querySelector('input');"
        "zone.addEventListener('click', () => input.click())</script>"
    )
    await agent.ask(Upload(await agent.ask(Locate("#zone")), (str(tmp_path / "a.txt"),)))
    assert await agent.notes() == ["a.txt"]


async def test_capture_of_a_located_element_shows_all_of_it(agent):
    await agent.show("<div id=card style='width:300px;height:120px'>A <button>B</button></div>")
    picture = await agent.ask(Capture(await agent.ask(Locate("#card"))))
    assert (picture.width, picture.height) == (300, 120)


async def test_locate_several_matches_is_refused_with_refs_that_can_be_used(agent):
    await agent.show(
        "<p onclick=\"note('one')\">One</p><p onclick=\"note('two')\">Two</p><i>Three</i>"
    )
    refusal = await agent.refused(Locate("p"))
    refs = [part.partition("]")[0] for part in refusal.message.split("[")[1:]]
    await agent.ask(Click(refs[1]))
    assert isinstance(refusal, BadInput)
    assert len(refs) == 2
    assert await agent.notes() == ["two"]


async def test_locate_no_match_is_refused(agent):
    await agent.show("<p>One</p>")
    assert isinstance(await agent.refused(Locate("#nowhere")), BadInput)
    assert isinstance(await agent.refused(Locate("p[")), BadInput)


async def test_locate_finds_elements_in_shadow_roots_and_frames(agent):
    pressed = "this.textContent = 'Pressed'"
    agent.stand.put("/inner", f'<button id=framed onclick="{pressed}">Go</button>')
    await agent.show(
        f"<div id=host></div><iframe src={agent.stand.url('/inner', 'localhost')}></iframe>"
        "<script>"
        "host.attachShadow({mode: 'open'}).innerHTML ="
        " '<b id=deep>Deep</b>';"
        "host.shadowRoot.querySelector('b').addEventListener('click', () => note('deep'));</script>"
    )
    await agent.ask(Click(await agent.ask(Locate("#deep"))))
    await agent.ask(Click(await agent.ask(Locate("#framed"))))
    assert await agent.notes() == ["deep"]
    assert "Pressed" in await agent.see()


async def test_outline_of_a_selected_part_includes_its_text_only(agent):
    await agent.show("<ul id=list><li>First words<li><button>Inner</button></ul><p>Outside")
    by_selector = await agent.see(selector="#list")
    by_ref = await agent.see(ref=await agent.ask(Locate("#list")))
    several = await agent.refused(TakeOutline(selector="li"))
    assert by_selector == by_ref
    assert "First words" in by_ref
    assert '"Inner"' in by_ref
    assert "Outside" not in by_ref
    assert isinstance(several, BadInput)

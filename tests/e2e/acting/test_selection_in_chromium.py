"""Select text on a page and in fields, in a real Chromium."""

import pytest

from tabwright.protocol.actions import Press, SelectText, Type
from tabwright.protocol.errors import BadInput, Effect, PageFailed
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

SELECTED = "getSelection().toString()"


async def test_passage_across_elements_is_selected_with_mouse_events(agent):
    await agent.show(
        "<div style=height:1500px></div><p id=p onmousedown=note('down') onmouseup=\"note('up:' + "
        'getSelection().toString().length)">One <b>two\n  three</b> four, one two.</p>'
    )
    outcome = await agent.ask(SelectText("#p", "two three four"))
    assert await agent.value(SELECTED) == "two three four"
    assert await agent.notes() == ["down", "up:14"]
    assert outcome.description.startswith("Selected")


async def test_without_a_passage_the_whole_element_is_selected(agent):
    await agent.show("<p>Before</p><article>First<p>Second</article><p>After</p>")
    await agent.ask(SelectText("article"))
    assert str(await agent.value(SELECTED)).split() == ["First", "Second"]


@cases("field", ["<input id=f value='a bold word'>", "<textarea id=f>a bold word</textarea>"])
async def test_passage_of_a_field_is_selected_and_typing_replaces_it(agent, field):
    await agent.show(field)
    await agent.ask(SelectText("#f", "bold"))
    await agent.ask(Press("x"))
    assert await agent.value("f.value") == "a x word"


async def test_passage_in_an_editor_can_be_copied_and_pasted(agent):
    await agent.show("<div id=e contenteditable>keep this here</div><textarea id=t></textarea>")
    await agent.ask(SelectText("#e", "this"))
    await agent.ask(Press("Control+C"))
    await agent.ask(Press("Control+V", "#t"))
    assert await agent.value("t.value") == "this"


async def test_text_in_a_frame_is_selected(agent):
    await agent.show(
        "<div style=height:300px></div><iframe srcdoc=\"<p id=p onmouseup='parent.note("
        "getSelection().toString())'>In a frame</p>\"></iframe>"
    )
    await agent.ask(SelectText("text=In a frame", "frame"))
    assert await agent.notes() == ["frame"]


async def test_text_that_is_not_there_is_refused_before_the_mouse_is_pressed(agent):
    await agent.show("<p id=p onmousedown=note('down')>One <i hidden>two</i></p>")
    refusal = await agent.refused(SelectText("#p", "two"))
    assert isinstance(refusal, BadInput)
    assert refusal.effect is Effect.NONE
    assert await agent.notes() == []


async def test_selecting_unselectable_text_fails(agent):
    await agent.show(
        "<p id=p>Locked</p><script>document.addEventListener('selectionchange', () => "
        "getSelection().removeAllRanges()); getSelection().setBaseAndExtent = () => {}</script>"
        "<style>p { user-select: none }</style>"
    )
    refusal = await agent.refused(SelectText("#p"))
    assert isinstance(refusal, PageFailed)
    assert refusal.effect is Effect.DONE


async def test_mouse_is_released_if_the_text_changes_during_selection(agent):
    await agent.show("<p id=p onmousemove=\"this.textContent = 'Other'\">Gone soon</p>")
    refusal = await agent.refused(SelectText("#p", "soon"))
    assert refusal.effect is not Effect.NONE
    await agent.show("<p onmousemove=\"note('held:' + event.buttons)\">P</p><input id=i>")
    await agent.ask(Type("#i", "x"))
    assert await agent.value("i.value") == "x"


async def test_text_that_is_selected_already_is_selected_again_and_not_dragged(agent):
    await agent.show("<p id=p>One two three</p><button onclick=note('clicked')>Click</button>")
    await agent.ask(SelectText("#p"))
    await agent.ask(SelectText("#p", "two"))
    assert await agent.value(SELECTED) == "two"
    await agent.click('"Click"')
    assert await agent.notes() == ["clicked"]

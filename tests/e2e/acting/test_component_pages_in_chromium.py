"""Widgets as component libraries build them, in a real Chromium."""

import pytest

from tabwright.protocol.actions import Click, Drag, Hover, Type
from tabwright.protocol.errors import BadInput, Effect

pytestmark = pytest.mark.chromium

HIDDEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)"
CLIPPED = "position:absolute;inset:0;width:100%;height:100%;clip:rect(0 0 0 0);margin:0"
THUMB = "position:absolute;left:20px;top:0;width:20px;height:20px;background:#06c"
SLIDER = f"""
<div id=slider style="position:relative;width:300px;height:20px">
  <span style="{THUMB}"><input type=range aria-label=Volume style="{CLIPPED}"></span>
</div>
<button style="position:absolute;left:250px;top:100px">Far away</button>
<script>
slider.addEventListener('mousedown', () => note('down'));
addEventListener('mouseup', event => note(Math.round(event.clientX)));
</script>
"""


async def test_click_on_hidden_text_of_a_label_presses_the_label(agent):
    await agent.show(
        f"<label for=four style=display:inline-block><b>★</b><span style='{HIDDEN}'>4 Stars</span>"
        f"</label><input type=radio id=four style='{HIDDEN}' onchange=\"note('four')\">"
    )
    await agent.ask(Click("text=4 Stars"))
    assert await agent.notes() == ["four"]


async def test_slider_input_clipped_inside_its_handle_can_be_dragged(agent):
    await agent.show(SLIDER)
    await agent.ask(Drag(await agent.ref("Volume"), await agent.ref("Far away")))
    down, up = await agent.notes()
    assert down == "down"
    assert int(up) > 250


async def test_click_on_control_without_pointer_events_spares_its_parent(agent):
    await agent.show(
        "<div onclick=\"note('around')\"><button style=pointer-events:none>Send</button></div>"
    )
    refusal = await agent.refused(Click(await agent.ref("Send")))
    assert refusal.effect is Effect.NONE
    assert await agent.notes() == []


async def test_radio_behind_its_label_is_not_listed_as_covered(agent):
    labels = "".join(
        f"<label for=r{n} style=display:inline-block;width:40px>★{n}</label>"
        f"<input type=radio name=r id=r{n} style='{HIDDEN};top:0;left:8px'>"
        for n in (1, 2, 3)
    )
    await agent.show(f"<div style=position:absolute;top:0;left:0>{labels}</div>")
    assert "covered" not in await agent.see()


async def test_focus_trap_elements_of_a_dialog_are_not_listed(agent):
    await agent.show("<div tabindex=0></div><button>OK</button><div tabindex=0></div>")
    seen = await agent.see()
    assert "button" in seen
    assert "clickable" not in seen


async def test_control_that_is_scaled_to_nothing_is_not_listed(agent):
    await agent.show("<button style=transform:scale(0)>Copy</button><button>Open</button>")
    seen = await agent.see()
    assert "Open" in seen
    assert "Copy" not in seen


async def test_root_element_with_delegated_listeners_is_not_a_control(agent):
    await agent.show(
        "<div id=root>Total <button>Buy</button></div><script>"
        "for (const type of ['click', 'dblclick', 'contextmenu', 'mousedown', 'mouseup',"
        " 'pointerdown', 'pointerup', 'touchstart', 'touchend', 'mouseover', 'pointerover',"
        " 'mousemove', 'pointermove', 'dragenter', 'dragover', 'drop'])"
        " root.addEventListener(type, () => {});</script>"
    )
    seen = await agent.see()
    assert "Total" in seen
    assert "clickable" not in seen
    assert "droppable" not in seen


async def test_clickable_list_item_is_listed_with_its_text(agent):
    await agent.show(
        "<div role=listitem tabindex=0 onclick=\"note('one')\" class=MuiList>One</div>"
    )
    assert 'listitem "One"' in await agent.see()


async def test_tooltip_that_comes_after_a_while_is_part_of_the_outcome(agent):
    await agent.show(
        '<button onmouseenter="setTimeout(() => tip.hidden = false, 100)">Bin</button>'
        "<p id=tip hidden>Erases everything</p>"
    )
    outcome = await agent.ask(Hover(await agent.ref("Bin")))
    assert "Erases everything" in outcome.changes


async def test_page_matches_hover_and_fine_pointer_media_queries(agent):
    await agent.show(
        "<style>@media (hover: hover) and (pointer: fine) { i { display: none } }</style>"
        "<i>Touch</i><b>Mouse</b>"
    )
    seen = await agent.see()
    assert "Mouse" in seen
    assert "Touch" not in seen


async def test_content_clipped_by_zero_height_is_not_listed(agent):
    seen = await agent.show(
        "<button>Fold</button><div style=height:0;overflow:hidden>Folded words"
        "<button>Folded</button></div><div style=height:0>Flowing words</div>"
    )
    assert "Folded" not in seen
    assert "Flowing" in seen


async def test_options_for_screen_readers_do_not_make_a_locator_ambiguous(agent):
    await agent.show(
        "<div role=listbox style=height:0;width:0;overflow:hidden>"
        "<div role=option>pear</div></div>"
        "<div onclick=\"note('pear')\" style=cursor:pointer>pear</div>"
    )
    await agent.ask(Click("text=pear"))
    assert await agent.notes() == ["pear"]


async def test_off_screen_element_is_not_listed_unless_it_is_a_link(agent):
    seen = await agent.show(
        "<a href=#main style=position:absolute;left:-9999px>Skip</a>"
        "<div onclick=note(1) style=position:absolute;left:-9999px>Closed</div><p>Words</p>"
    )
    assert "Skip" in seen
    assert "Closed" not in seen


async def test_popup_that_fades_away_is_not_part_of_the_outcome(agent):
    await agent.show(
        '<style>@keyframes out { to { opacity: 0 } }</style><div id=popup><button onclick="'
        "popup.style = 'pointer-events:none;animation:out 300ms forwards';"
        'popup.onanimationend = () => popup.remove()">Choose</button></div><p>Chosen</p>'
    )
    outcome = await agent.click('"Choose"')
    assert '"Choose"' in outcome.changes
    assert "+ " not in outcome.changes


async def test_field_value_is_checked_after_enter_if_it_previews_another_one(agent):
    await agent.show(
        "<input aria-label=Time oninput=\"kept = value; value = '10:09'\""
        " onkeydown=\"if (event.key == 'Enter') value = kept\">"
    )
    outcome = await agent.type("Time", "10:20{Enter}")
    assert outcome.value_check == "matches"


SORTED = """
<ul id=list style="width:200px"><li>Apple</li><li>Banana</li><li>Cherry</li></ul><script>
let dragged;
list.addEventListener('pointerdown', event => {
  dragged = event.target;
  dragged.draggable = true;
});
list.addEventListener('dragover', event => {
  event.preventDefault();
  if (event.target !== dragged && event.target.tagName === 'LI') event.target.after(dragged);
});
list.addEventListener('dragend', () => note([...list.children].map(one => one.textContent).join()));
</script>
"""


async def test_items_of_a_sortable_list_have_refs_and_can_be_dragged(agent):
    await agent.show(SORTED)
    await agent.ask(Drag(await agent.ref('"Apple"'), await agent.ref('"Cherry"')))
    assert await agent.notes() == ["Banana,Cherry,Apple"]


async def test_drag_lasts_long_enough_for_a_page_that_polls_the_pointer(agent):
    await agent.show(
        '<button onmousedown="timer = setInterval(() => over = at, 50)">Tile</button>'
        "<p style=margin-top:200px><button>Slot</button></p><script>let timer, over, at = 0;"
        "addEventListener('mousemove', event => at = event.clientY);"
        "addEventListener('mouseup', () => { clearInterval(timer); note(over > 200) })</script>"
    )
    await agent.ask(Drag(await agent.ref("Tile"), await agent.ref("Slot")))
    assert await agent.notes() == ["true"]


async def test_menu_opened_by_delayed_hover_is_part_of_the_outcome(agent):
    await agent.show(
        "<button onmouseenter=\"this.className = 'active';"
        'setTimeout(() => menu.hidden = false, 200)">File</button><p id=menu hidden>Recent</p>'
    )
    outcome = await agent.ask(Hover(await agent.ref("File")))
    assert "Recent" in outcome.changes


async def test_zero_width_editor_field_can_be_typed_into(agent):
    await agent.show(
        "<div class=monaco-editor style=position:relative;width:300px;height:100px>"
        "<div id=input role=textbox tabindex=0 aria-label=Code"
        " style=position:absolute;width:0;height:19px;overflow:scroll></div></div><script>"
        "input.editContext = new EditContext();"
        "input.editContext.addEventListener('textupdate', event => note(event.text))</script>"
    )
    await agent.type('"Code"', "x=1")
    assert await agent.notes() == ["x=1"]


async def test_field_that_listens_to_key_releases_and_changes_is_typed_by_keys(agent):
    await agent.show("<input aria-label=Find onkeyup=note(value) onchange=note('changed')>")
    await agent.type("Find", "ab")
    assert await agent.notes() == ["a", "ab"]


async def test_dialog_with_press_listener_is_listed_as_dialog(agent):
    seen = await agent.show(
        "<div id=it role=dialog aria-modal=true aria-label=Sure><div id=content>Body "
        "<button>OK</button></div></div><script>for (const one of [it, content])"
        " one.addEventListener('mousedown', () => {})</script>"
    )
    assert 'dialog "Sure" modal:' in seen
    assert 'button "OK"' in seen


async def test_group_with_a_pointer_cursor_stays_a_group(agent):
    seen = await agent.show(
        "<div role=radiogroup aria-label=Rating style=cursor:pointer>"
        "<span role=radio tabindex=0>one star</span></div>"
    )
    assert 'radiogroup "Rating":' in seen


async def test_spin_button_without_an_input_has_its_value(agent):
    seen = await agent.show(
        "<div role=spinbutton tabindex=0 aria-valuenow=15 aria-label=Size>15</div>"
        "<div role=spinbutton tabindex=0 aria-valuetext=fifth aria-label=Day></div>"
    )
    assert 'spinbutton "Size" = "15"' in seen
    assert 'spinbutton "Day" = "fifth"' in seen


async def test_typing_into_slider_that_is_not_an_input_is_refused(agent):
    await agent.show("<div role=slider tabindex=0 aria-valuenow=5 aria-label=Heat>5</div>")
    refusal = await agent.refused(Type(await agent.ref("Heat"), "20"))
    assert isinstance(refusal, BadInput)
    assert refusal.effect is Effect.NONE


async def test_icon_font_glyph_is_ignored_in_name_matching(agent):
    await agent.show(
        "<style>b::before { content: '\\e800' }</style>"
        "<div role=treeitem tabindex=0 onclick=note(1)><b></b>Projects</div>"
    )
    await agent.ask(Click('role=treeitem[name="Projects"]'))
    assert await agent.notes() == ["1"]


async def test_drag_passes_the_middle_of_its_target(agent):
    await agent.show(
        "<button onmousedown=\"note('down')\">Tile</button>"
        "<p style=margin-top:200px><button id=slot>Slot</button></p><script>"
        "let past = false; addEventListener('mousemove', event => {"
        " const box = slot.getBoundingClientRect();"
        " past ||= event.clientY > box.y + box.height / 2 + 1 && event.target === slot; });"
        "addEventListener('mouseup', event => note(past, note(event.target.id)))</script>"
    )
    await agent.ask(Drag(await agent.ref("Tile"), await agent.ref("Slot")))
    assert await agent.notes() == ["down", "slot", "true"]

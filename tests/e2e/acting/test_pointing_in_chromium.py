"""Press elements that move, are covered, hidden or disabled, in a real Chromium."""

import pytest

from tabwright.protocol.actions import Click, Drag, Hover, Outcome, Scroll, UseMouse
from tabwright.protocol.errors import Effect, PageFailed

pytestmark = pytest.mark.chromium


async def test_moving_element_is_clicked_without_hitting_its_surroundings(agent):
    await agent.show(
        "<style>@keyframes slide { from { margin-left: 0 } to { margin-left: 400px } }"
        "#sliding { animation: slide 600ms linear } #running { position: relative }</style>"
        "<button id=sliding onclick=note('slid')>Sliding</button><div onclick=note('beside')>"
        "<button id=running onclick=\"event.stopPropagation(); note('ran')\">Running</button></div>"
        "<script>let at = 0; setInterval(() => {"
        " running.style.left = `${at = (at + 7) % 300}px` }, 8)</script>"
    )
    await agent.click('"Sliding"')
    try:
        await agent.click('"Running"')
    except PageFailed as refusal:
        assert refusal.effect is not Effect.DONE
        assert await agent.notes() == ["slid"]
    else:
        assert await agent.notes() == ["slid", "ran"]


async def test_element_that_moves_on_press_does_not_click_its_container(agent):
    await agent.show(
        "<div onclick=note('beside')><button id=shy onclick=note('pressed')"
        ' onpointerdown="shy.style.marginLeft = `400px`">Shy</button></div>'
    )
    refusal = await agent.refused(Click(await agent.ref('"Shy"')))
    assert refusal.effect is Effect.UNKNOWN
    assert await agent.notes() == []


async def test_click_on_covered_element_is_refused_and_names_the_cover(agent):
    seen = await agent.show(
        "<button onclick=note('bought')>Buy</button>"
        "<div id=cookies role=dialog aria-label='Cookies' style='position:fixed;inset:0;"
        "background:#fff8'><button onclick=\"note('no'); cookies.remove()\">Reject</button></div>"
    )
    refusal = await agent.refused(Click(await agent.ref('"Buy"')))
    reject = await agent.ref('"Reject"')
    before = await agent.notes()
    await agent.ask(Click(reject))
    await agent.click('"Buy"')
    assert 'button "Buy" covered by dialog "Cookies"' in seen
    assert 'covered by dialog "Cookies"' in refusal.message
    assert reject in str(refusal)
    assert before == []
    assert await agent.notes() == ["no", "bought"]


async def test_element_under_sticky_header_is_scrolled_clear_and_clicked(agent):
    await agent.show(
        "<header style='position:sticky;top:0;height:120px;background:#ccc' onclick=note('head')>"
        "Head</header><div style=height:2000px></div><button onclick=note('far')>Far</button>"
        "<div style=height:2000px></div><button onclick=note('last')>Last</button>"
    )
    await agent.click('"Last"')
    await agent.click('"Far"')
    assert await agent.notes() == ["last", "far"]


async def test_click_waits_for_disabled_or_hidden_element(agent):
    await agent.show(
        "<button id=later disabled onclick=note('enabled')>Later</button>"
        "<button disabled onclick=note('never')>Never</button>"
        "<button id=shy onclick=note('shown')>Shy</button>"
        '<button onclick="setTimeout(() => { later.disabled = false }, 500)">Free</button>'
    )
    later, never, shy = [await agent.ref(f'"{name}"') for name in ("Later", "Never", "Shy")]
    await agent.value(
        "shy.style.display = 'none'; setTimeout(() => { shy.style.display = '' }, 500); 0"
    )
    await agent.ask(Click(shy))
    await agent.click('"Free"')
    await agent.ask(Click(later))
    refusal = await agent.refused(Click(never))
    assert 'button "Never" is disabled' in refusal.message
    assert await agent.notes() == ["shown", "enabled"]


async def test_element_removed_while_click_waits_is_reported_as_gone(agent):
    await agent.show(
        "<button id=going disabled>Going</button><button id=coming hidden>Coming</button>"
    )
    ref = await agent.ref('"Going"')
    await agent.value("setTimeout(() => { going.remove(); coming.hidden = false }, 400); 0")
    refusal = await agent.refused(Click(ref))
    assert 'button "Going"' in refusal.message
    assert "no longer on the page" in refusal.message
    assert 'button "Coming"' in str(refusal)


async def test_click_uses_visible_label_and_refuses_element_without_size(agent):
    seen = await agent.show(
        "<style>.box { position: absolute; opacity: 0; width: 0; height: 0 }"
        ".over { position: absolute; opacity: 0 } label { display: block; padding: 1em }</style>"
        "<a href=# style='display:block;width:0;height:0' onclick=note('empty')></a>"
        "<label><input type=checkbox class=box id=one><span>Small print</span></label>"
        "<input type=checkbox class=over id=two><label for=two>News</label>"
        "<label><input type=radio name=r class=box id=three> Red</label>"
        "<label><input type=checkbox role=switch class=over id=four><i>Dark</i></label>"
    )
    for name in ("Small print", "News", "Red", "Dark"):
        await agent.click(f'"{name}"')
    checked = await agent.value("[one, two, three, four].map(box => box.checked)")
    refusal = await agent.refused(Click(await agent.ref("link")))
    assert "covered" not in seen
    assert checked == [True] * 4
    assert "has no size" in refusal.message


async def test_clicks_reach_elements_in_frames_and_shadow_roots(agent):
    inner = "<button onclick=\"top.postMessage(window.name, '*')\">In {}</button>"
    nested = '<p>Deep</p><iframe name=nested srcdoc="{}"></iframe>'.format(
        inner.format("nested").replace('"', "&quot;")
    )
    far = "<div style=height:1500px></div>" + inner.format("far") + "<div style=height:900px></div>"
    deep = inner.format("deep").replace('"', "&quot;")
    agent.stand.put("/near", inner.format("near"))
    agent.stand.put("/outer", nested)
    agent.stand.put("/far", far)
    agent.stand.put("/deep", f'<iframe name=deep srcdoc="{deep}"></iframe>')
    seen = await agent.show(
        "<script>onmessage = event => note(event.data)</script>"
        "<div style=height:300px></div><iframe name=near src=/near></iframe>"
        "<iframe name=outer src=/outer style='border:9px solid;padding:5px'></iframe>"
        f"<iframe name=elsewhere src={agent.stand.url('/near', 'localhost')}></iframe>"
        f"<iframe name=far src={agent.stand.url('/far', 'localhost')} style='transform:scale(.6);"
        "border:7px solid'></iframe><div style=height:1200px></div>"
        f"<iframe name=low src={agent.stand.url('/far', 'localhost')}></iframe>"
        f"<iframe name=mixed src={agent.stand.url('/deep', 'localhost')}></iframe>"
        "<x-open></x-open><x-closed></x-closed><script>"
        "for (const mode of ['open', 'closed'])"
        " customElements.define(`x-${mode}`, class extends HTMLElement { connectedCallback() {"
        " const root = this.attachShadow({mode}); root.innerHTML = `<button>In ${mode}</button>`;"
        " root.firstChild.onclick = () => note(mode) } })</script>"
    )
    for name in ("In near", "In nested", "In far", "In deep", "In open", "In closed"):
        await agent.click(f'"{name}"')
    for ref in await agent.refs('"In near"') + await agent.refs('"In far"'):
        await agent.ask(Click(ref))
    expected = ["near", "nested", "far", "deep", "open", "closed"]
    assert seen.count("In near") == seen.count("In far") == 2
    assert await agent.notes() == [*expected, "near", "elsewhere", "far", "low"]


async def test_click_supports_wrapped_links_offsets_buttons_and_modifiers(agent):
    await agent.show(
        "<div style=width:120px>Some words that go before it <a href=# id=broken"
        " onclick=\"note('broken'); return false\">a link that is broken over many lines</a></div>"
        "<div id=field style='width:200px;height:100px' onclick=note(`${event.offsetX},"
        "${event.offsetY}`)>Field</div>"
        "<button ondblclick=note('double') oncontextmenu=note('right')"
        " onclick=\"event.ctrlKey && event.shiftKey && note('held')\">Keys</button>"
        "<svg width=60 height=60><a href=#svg onclick=note('svg')><title>Round</title>"
        "<circle cx=30 cy=30 r=25></circle></a></svg>"
        "<img usemap=#m width=80 height=40 src=data:,><map name=m>"
        "<area href=#area alt=Area shape=rect coords=0,0,80,40 onclick=note('area')></map>"
    )
    await agent.click("a link that is")
    await agent.click('"Field"', at=(30, 40))
    await agent.click('"Keys"', count=2)
    await agent.click('"Keys"', button="right")
    await agent.click('"Keys"', modifiers=("Ctrl", "shift"))
    notes = await agent.notes()
    assert notes == ["broken", "30,40", "double", "right", "held"]


async def test_hover_reveals_menu_item_that_can_be_clicked(agent):
    await agent.show(
        "<style>#menu { display: none } nav:hover #menu { display: block }</style>"
        "<nav><button>Menu</button><div id=menu><button onclick=note('item')>Item</button></div>"
        "</nav>"
    )
    hovered: Outcome = await agent.ask(Hover(await agent.ref('"Menu"')))
    await agent.click('"Item"')
    assert 'button "Item"' in hovered.changes
    assert await agent.notes() == ["item"]


async def test_drag_works_with_data_transfer_and_with_pointer_events(agent):
    await agent.show(
        "<style>div { width: 90px; height: 60px; margin: 8px; border: 1px solid }</style>"
        "<div id=card draggable=true tabindex=0 ondragstart=\"event.dataTransfer.setData('text',"
        " 'ace')\">Card</div><div id=pile tabindex=0 ondragover=event.preventDefault()"
        " ondrop=\"event.preventDefault(); note(event.dataTransfer.getData('text'))\">Pile</div>"
        "<div id=knob tabindex=0 style='position:relative;left:0'>Knob</div>"
        "<div id=goal tabindex=0 style='position:absolute;left:400px;top:300px'>Goal</div>"
        "<script>knob.onpointerdown = down => { knob.setPointerCapture(down.pointerId);"
        " knob.onpointermove = move => { knob.style.left = `${move.clientX - down.clientX}px` };"
        " knob.onpointerup = up => note(`${up.clientX > 400}`) }</script>"
    )
    card, pile, knob, goal = [
        await agent.ref(f'"{name}"') for name in ("Card", "Pile", "Knob", "Goal")
    ]
    await agent.ask(Drag(card, pile))
    await agent.ask(Drag(knob, goal))
    assert await agent.notes() == ["ace", "true"]


async def test_click_intercepted_by_a_late_overlay_is_reported_as_failed(agent):
    """Show a banner between the check and the press; it takes the press."""
    await agent.show(
        "<button onclick=note('bought')>Buy</button><script>addEventListener('mousemove', () => {"
        " document.body.insertAdjacentHTML('beforeend', `<div role=dialog aria-label=Late"
        " onclick=note('late') style='position:fixed;inset:0'>Late</div>`) }, {once: true})"
        "</script>"
    )
    refusal = await agent.refused(Click(await agent.ref('"Buy"')))
    assert isinstance(refusal, PageFailed)
    assert 'dialog "Late"' in refusal.message
    assert await agent.notes() == []


async def test_click_whose_press_misses_the_element_is_retried(agent):
    await agent.show(
        "<div id=card style='padding:20px'><span id=more onclick=\"note('more')\">More</span>"
        "<button>Like</button></div>"
        "<script>let first = true;"
        "more.onmouseover = () => { if (first) more.style.visibility = 'hidden'; first = false; };"
        "addEventListener('pointerdown', () => { more.style.visibility = '' }, true);"
        "card.onclick = event => { if (event.target === card) note('card') }</script>"
    )
    await agent.click("More")
    assert await agent.notes() == ["more"]


async def test_mouse_button_is_pressed_where_hover_left_the_mouse(agent):
    await agent.show("<button style='margin:200px' onmousedown=note('down')>Hold</button>")
    await agent.ask(Hover("text=Hold"))
    await agent.ask(UseMouse("down"))
    await agent.ask(UseMouse("up"))
    assert await agent.notes() == ["down"]


async def test_element_that_ignores_the_mouse_is_refused_with_that_reason(agent):
    await agent.show("<div style=pointer-events:none><button>Go</button></div>")
    refusal = await agent.refused(Click("text=Go"))
    assert "pointer-events: none" in refusal.message
    assert refusal.effect is Effect.NONE


async def test_area_is_scrolled_sideways_and_not_down(agent):
    await agent.show(
        "<div id=area style='width:200px;height:100px;overflow:auto'>"
        "<div style='width:2000px;height:900px'>Wide</div></div>"
    )
    await agent.ask(Scroll(x=300, ref="#area"))
    assert await agent.value("[area.scrollLeft, area.scrollTop]") == [300, 0]

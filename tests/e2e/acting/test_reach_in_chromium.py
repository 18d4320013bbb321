"""Elements that only scripts, styles or attributes make usable have refs, in Chromium."""

import pytest

from tests.support.cases import cases

pytestmark = pytest.mark.chromium

LISTENING = """<script>
for (const element of document.querySelectorAll('[data-on]'))
  for (const type of element.dataset.on.split(' '))
    element.addEventListener(type, event => { note(element.id); event.stopPropagation(); });
</script>"""


PICTURE = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"


@cases(
    "element",
    [
        "<div id=it data-on=click>Like</div>",
        "<span id=it data-on=mousedown>Like</span>",
        "<span id=it data-on=pointerup>Like</span>",
        "<p id=it onmousedown=\"note('it')\">Like</p>",
        "<table><tr><td id=it data-on=click>Like</td><td>Other</td></tr></table>",
        "<table><tr id=it data-on=click><td>Like</td><td>Other</td></tr></table>",
        "<svg width=80 height=30><text y=20 id=it data-on=click>Like</text></svg>",
        "<svg width=80 height=30><rect id=it data-on=click aria-label=Like width=9 height=9></svg>",
        "<div style=cursor:pointer>Card <b id=it data-on=click>Like</b></div>",
        "<ul id=it data-on=click><li>Hate</li><li>Like</li></ul>",
        (
            f'<img usemap=#m width=40 height=40 src="{PICTURE}"><map name=m>'
            "<area id=it shape=rect coords=0,0,40,40 href=# data-on=click alt=Like></map>"
        ),
        "<div contenteditable=plaintext-only id=it data-on=click>Like</div>",
    ],
)
async def test_element_with_press_listener_can_be_clicked(agent, element):
    await agent.show(element + LISTENING)
    await agent.click("Like")
    assert await agent.notes() == ["it"]


@cases("mode", ["open", "closed"])
async def test_a_listener_in_a_shadow_root_gives_a_ref(agent, mode):
    await agent.show(
        "<div id=host style='height:20px;width:90px'></div><script>"
        f"const root = host.attachShadow({{mode: '{mode}'}});"
        "root.innerHTML = '<span>Inner</span>';"
        "root.firstChild.addEventListener('click', () => note('inner'));</script>"
    )
    await agent.click("Inner")
    assert await agent.notes() == ["inner"]


@cases("children", ["", "<b>Light</b>"])
async def test_button_in_closed_shadow_root_of_zero_height_host_has_a_ref(agent, children):
    await agent.show(
        f"<section id=host style='height:0'>{children}</section><script>"
        "const root = host.attachShadow({mode: 'closed'});"
        "root.innerHTML = '<button style=position:fixed;top:50px>Inner</button>';"
        "root.firstChild.addEventListener('click', () => note('inner'));</script>"
    )
    await agent.click("Inner")
    assert await agent.notes() == ["inner"]


async def test_button_in_nested_closed_shadow_root_has_a_ref(agent):
    await agent.show(
        "<x-a></x-a><script>customElements.define('x-a', class extends HTMLElement {"
        " constructor() { super(); this.attachShadow({mode: 'closed'}).innerHTML = '<x-b></x-b>' }"
        " }); customElements.define('x-b', class extends HTMLElement { constructor() { super();"
        " const root = this.attachShadow({mode: 'closed'}); root.innerHTML = '<button>Inner';"
        " root.firstChild.onclick = () => note('inner') } });</script>"
    )
    await agent.click("Inner")
    assert await agent.notes() == ["inner"]


@cases(("hosts", "is_read"), [(1500, True), (9000, False)])
async def test_button_in_last_of_many_closed_shadow_roots_gives_a_ref_or_a_note(
    agent, hosts, is_read
):
    await agent.show(
        f"{'<x-a></x-a>' * hosts}<script>const root = [...document.querySelectorAll('x-a')].at(-1)"
        ".attachShadow({mode: 'closed'}); root.innerHTML = '<button>Inner</button>'</script>"
    )
    outline = await agent.see()
    assert ("Inner" in outline) is is_read
    assert ("closed shadow roots" in outline) is not is_read


async def test_a_listener_in_a_frame_gives_a_ref(agent):
    inner = "<i id=i>Inner</i><script>i.addEventListener('click', () => parent.note('i'))</script>"
    await agent.show(f'<iframe srcdoc="{inner}"></iframe>')
    await agent.click("Inner")
    assert await agent.notes() == ["i"]


async def test_a_listener_that_is_added_later_gives_a_ref(agent):
    await agent.show(
        "<button onclick=\"later.addEventListener('click', () => note('later'))\">Go</button>"
        "<p id=later>Later</p>"
    )
    before = await agent.see()
    await agent.click('"Go"')
    await agent.click("Later")
    assert "] clickable" not in before
    assert await agent.notes() == ["later"]


async def test_each_control_in_a_card_has_its_own_ref(agent):
    await agent.show(
        "<div id=card data-on=click style=cursor:pointer>Invoice <span id=del data-on=click>Delete"
        "</span><span id=pay data-on=click>Pay</span></div>" + LISTENING
    )
    for name in ('"Delete"', '"Pay"', '"Invoice"'):
        await agent.click(name)
    assert await agent.notes() == ["del", "pay", "card"]


async def test_root_element_with_delegated_click_listener_has_no_ref(agent):
    buttons = "".join(f"<button>{i}</button>" for i in range(5))
    seen = await agent.show(f"<div id=root data-on=click><p>Text</p>{buttons}</div>{LISTENING}")
    assert "clickable" not in seen
    assert "\nText\n" in f"\n{seen}\n"


async def test_draggable_and_droppable_elements_canvases_and_hover_menus_have_refs(agent):
    seen = await agent.show(
        "<style>.menu ul {display: none} .menu:hover ul {display: block}</style>"
        "<div draggable=true>Card</div><div id=d data-on='dragover drop'>Bin</div>"
        "<canvas width=30 height=20></canvas><div class=menu>Products<ul><li>Tea</li></ul></div>"
        "<div id=h data-on=mouseenter>Tip</div>" + LISTENING
    )
    listed = [line.split("] ")[1] for line in seen.splitlines() if "[" in line]
    assert listed == [
        'draggable "Card"', 'droppable "Bin"', "canvas 30x20", 'hoverable "Products"',
        'hoverable "Tip"',
    ]  # fmt: skip


async def test_listener_lookup_leaves_dom_objects_of_the_page_intact(agent):
    await agent.show(
        "<div id=a data-on=click>A</div><iframe srcdoc='<p>Inner</p>'></iframe><p>B</p>" + LISTENING
    )
    intact = await agent.value(
        "[document, frames[0].document].every(one => [...one.querySelectorAll('*')].every("
        "element => element instanceof one.defaultView.Element))"
    )
    assert intact is True


async def test_focusable_parts_and_delegated_hover_items_have_their_own_refs(agent):
    seen = await agent.show(
        "<div id=track data-on='mousedown' style='width:90px;height:9px'>"
        "<span id=handle tabindex=0 style='display:block;width:9px;height:9px'></span></div>"
        "<ul id=menu data-on='click mouseover'><li>Rome</li><li>Paris</li></ul>" + LISTENING
    )
    assert [line.split("] ")[1] for line in seen.splitlines() if "[" in line] == [
        'clickable ~"handle"', 'clickable "Rome"', 'clickable "Paris"',
    ]  # fmt: skip


async def test_svg_shape_with_pointer_cursor_has_a_ref_and_its_fill_color(agent):
    seen = await agent.show(
        "<svg width=40 height=40><circle cx=9 cy=9 r=8 fill=red style='cursor:pointer'></svg>"
        "<svg width=40 height=40><text y=20 fill=blue style='cursor:pointer'>Go</text></svg>"
        "<svg width=40 height=40><circle cx=9 cy=9 r=8></svg>"
    )
    assert [line.split("] ")[1] for line in seen.splitlines() if "[" in line] == [
        "clickable circle #ff0000", 'clickable "Go" #0000ff',
    ]  # fmt: skip

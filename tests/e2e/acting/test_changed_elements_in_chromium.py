"""Refs of elements that now stand for something else, or for the same thing, in a real Chromium."""

import pytest

from tabwright.page.frames import StaleElement
from tabwright.protocol.actions import Click, Type
from tabwright.protocol.errors import Effect, HintKind
from tabwright.protocol.inspection import OutlineView
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

ROWS = "".join(
    f"<tr><td>{name}<td><button onclick=note('{name}')>Delete</button>"
    for name in ("Alice", "Bob", "Carol")
)
CELLS = "const cells = [...document.querySelectorAll('td:first-child')];"
VIRTUAL = "".join(
    f"<div class=row><span>Row {number}</span> <button onclick=note(1)>Open</button></div>"
    for number in range(4)
)

ANOTHER = {
    "name": ("<button id=b>Delete row 1</button>", "b.textContent = 'Delete row 2'"),
    "label": ("<button id=b aria-label='Delete 1'>x</button>", "b.ariaLabel = 'Delete 2'"),
    "target": ("<a id=a href=/1>Delete</a>", "a.href = '/2'"),
    "cell": (f"<table>{ROWS}</table>", f"{CELLS} cells[0].textContent = 'Dora'"),
    "reversed": (
        f"<table>{ROWS}</table>",
        (
            f"{CELLS} const names = cells.map((one) => one.textContent).reverse();"
            " cells.forEach((one, index) => { one.textContent = names[index] })"
        ),
    ),
    "virtual": (
        VIRTUAL.replace("Open", "Delete"),
        (
            "document.querySelectorAll('.row span').forEach((one, index) => {"
            " one.textContent = `Row ${index + 10}` })"
        ),
    ),
    "heading": (
        "<section><h2 id=h>Ann</h2><button>Delete</button></section>",
        "h.textContent = 'Bob'",
    ),
    "path": (
        "<h1>Account</h1><button>Delete</button>",
        "history.pushState({}, '', '/accounts/2')",
    ),
    "clickable": ("<div id=a onclick=note(1)>Delete Ann</div>", "a.textContent = 'Delete Bob'"),
    "redrawn": (
        "<div id=l><button>Delete 1</button></div>",
        "l.innerHTML = '<button>Delete 2</button>'",
    ),
}


@cases("kind", ANOTHER)
async def test_ref_of_element_that_stands_for_something_else_is_refused(agent, kind):
    html, change = ANOTHER[kind]
    await agent.show(html)
    ref = await agent.ref("Delete")
    await agent.value(f"(() => {{ {change}; return 1 }})()")
    error = await agent.refused(Click(ref))
    assert isinstance(error, StaleElement)
    assert error.effect is Effect.NONE
    assert error.hints[0].kind in {HintKind.TAKE_SNAPSHOT, HintKind.SEE_ALL_CHANGES}
    assert await agent.notes() == []


SAME = {
    "count": ("<button id=b onclick=note(1)>Go (3)</button>", "b.textContent = 'Go (4)'"),
    "badge": (
        "<button onclick=note(1)>Go <b id=n>3</b></button>",
        "n.textContent = '4'",
    ),
    "price": (
        "<table><tr><td>BTC<td id=p>$64,211.50<td><button onclick=note(1)>Go</button></table>",
        "p.textContent = '$64,300.10'",
    ),
    "clock": (
        "<table><tr><td id=p>12:01:05<td>Ann<td><button onclick=note(1)>Go</button></table>",
        "p.textContent = '12:01:06'",
    ),
    "amount": (
        "<ul><li>Hat <b id=n>1</b> <button onclick=note(1)>Go</button><li>Coat</ul>",
        "n.textContent = '2'",
    ),
    "status": (
        "<ul><li>Hat <i id=s></i> <button onclick=note(1)>Go</button><li>Coat</ul>",
        "s.textContent = 'Saved'",
    ),
    "sorted": (
        f"<table id=t>{ROWS}</table>".replace("Delete", "Go"),
        "t.tBodies[0].append(...[...t.rows].reverse())",
    ),
    "moved": (
        "<h2>A</h2><button id=b onclick=note(1)>Go</button><section id=s><h2>B</h2></section>",
        "s.append(b)",
    ),
    "new heading": (
        "<h1>App</h1><button id=b onclick=note(1)>Go</button>",
        "b.insertAdjacentHTML('beforebegin', '<h2>News</h2>')",
    ),
    "redrawn": (
        "<div id=l><ul><li>A <button onclick=note(1)>Go</button></ul></div>",
        "l.innerHTML = l.innerHTML",
    ),
}


@cases("kind", SAME)
async def test_ref_of_element_that_stands_for_the_same_thing_is_used(agent, kind):
    html, change = SAME[kind]
    await agent.show(html)
    ref = await agent.ref("Go")
    await agent.value(f"(() => {{ {change}; return 1 }})()")
    await agent.ask(Click(ref))
    assert len(await agent.notes()) == 1


async def test_redrawn_equal_buttons_keep_their_places(agent):
    await agent.show(
        "<div id=l><button onclick=note(1)>Go</button> <button onclick=note(2)>Go</button></div>"
    )
    refs = await agent.refs("Go")
    await agent.value("(() => { l.innerHTML = l.innerHTML; return 1 })()")
    await agent.ask(Click(refs[1]))
    assert await agent.notes() == ["2"]


async def test_refused_ref_is_accepted_after_a_new_outline(agent):
    await agent.show("<button id=b onclick=note(1)>Delete 1</button>")
    ref = await agent.ref("Delete")
    await agent.value("b.textContent = 'Delete 2'")
    assert (await agent.refused(Click(ref))).retryable
    await agent.see()
    await agent.ask(Click(ref))
    assert await agent.notes() == ["1"]


async def test_ref_keeps_its_meaning_if_an_outline_does_not_show_its_change(agent):
    await agent.show("<button id=b>Delete 1</button><p>Total</p>")
    ref = await agent.ref("Delete")
    await agent.value("b.textContent = 'Delete 2'")
    await agent.see(view=OutlineView(query="total"))
    assert isinstance(await agent.refused(Click(ref)), StaleElement)


async def test_change_that_an_outcome_reports_is_known(agent):
    await agent.show(
        "<button id=b onclick=note(1)>Delete 1</button>"
        "<button onclick=\"b.textContent = 'Delete 2'\">Next</button>"
    )
    ref = await agent.ref("Delete")
    outcome = await agent.click("Next")
    assert "Delete 2" in outcome.changes
    await agent.ask(Click(ref))
    assert await agent.notes() == ["1"]


async def test_row_that_scrolling_to_it_reuses_is_refused(agent):
    await agent.show(
        "<div id=v style='height:100px;overflow:auto'><div style=height:2000px></div><ul><li>"
        "<span id=s>Ann</span> <button onclick=note(1)>Delete</button></ul></div>"
        "<script>v.onscroll = () => { s.textContent = 'Bob' }</script>"
    )
    error = await agent.refused(Click(await agent.ref("Delete")))
    assert isinstance(error, StaleElement)
    assert await agent.notes() == []


async def test_field_of_reused_row_is_refused(agent):
    await agent.show(f"<ul><li><b id=s>Ann</b> <input aria-label=Amount><li>{'x'}</ul>")
    ref = await agent.ref("Amount")
    await agent.value("s.textContent = 'Bob'")
    assert isinstance(await agent.refused(Type(ref, "5")), StaleElement)
    assert await agent.value("document.querySelector('input').value") == ""


async def test_locator_names_the_element_as_it_is(agent):
    await agent.show("<button id=b onclick=note(1)>Delete 1</button>")
    await agent.see()
    await agent.value("b.textContent = 'Delete 2'")
    await agent.ask(Click("text=Delete 2"))
    assert await agent.notes() == ["1"]


async def test_locator_is_used_before_any_outline_was_taken(agent):
    agent.stand.put("/", "<button onclick=\"document.title = 'done'\">Go</button>")
    await agent.tabwright.session("s").enter(agent.stand.url("/"))
    await agent.ask(Click("text=Go"))
    assert await agent.notes() == ["done"]

"""Locators find one element or list the candidates, in a real Chromium."""

from functools import partial

import pytest

from tabwright.protocol.actions import Click, FieldValue, Fill, Hover, Press, SelectOption, Type
from tabwright.protocol.errors import BadInput, Effect, PageFailed
from tabwright.protocol.inspection import FindElements, Locate
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

PAGE = """
<form><label>Email <input name=mail placeholder="you@example.org"></label>
<label for=pw>Password</label><input id=pw type=password>
<label><input type=checkbox checked> Newsletter</label>
<select aria-label=Size><option>Small<option>Large</select>
<button data-testid=send>Sign in</button><button disabled>Sign out</button></form>
<table><tr><th>Name<th>Action</tr>
<tr><td>Ann</td><td><button onclick="note('ann')">Delete</button></td></tr>
<tr><td>Bob</td><td><button onclick="note('bob')">Delete</button></td></tr></table>
<h2><span onclick="note('h2')">Plans &amp; prices</span></h2>
<p onclick="note('p')">Choose one of our <b title="The best">great</b> plans.</p>
<img alt="A cat" width=9 height=9><search><button>Search</button></search>
<div id=host></div><button style="display:none">Sign in</button>
<x-b id=outer>Open <b slot=more>details</b> now</x-b>
<script>outer.attachShadow({mode: "open"}).innerHTML =
"<button><slot></slot></button><p><slot name=more></slot><slot name=no>spare</slot></p>";
host.attachShadow({mode: "open"}).innerHTML = "<button>Deep</button>"</script>
"""


@cases(
    ("locator", "found"),
    [
        ('role=button[name="Sign in"]', 'button "Sign in"'),
        ("role=button[name=sign in]", 'button "Sign in"'),
        ("role=button[disabled]", 'button "Sign out"'),
        ("role=checkbox[checked]", 'checkbox "Newsletter"'),
        ("role=cell[name=Ann]", 'td "Ann"'),
        ("role=textbox[name=Password]", 'password "Password"'),
        ("label=Email", 'textbox "Email"'),
        ("label=Size", 'combobox "Size"'),
        ("placeholder=example.org", 'textbox "Email"'),
        ("testid=send", 'button "Sign in"'),
        ("text=sign in", 'button "Sign in"'),
        ('text="Plans & prices"', 'clickable "Plans & prices"'),
        ("text=great", 'b "great"'),
        ("title=the best", 'b "great"'),
        ("alt=A cat", 'image "A cat"'),
        ("text=Deep", 'button "Deep"'),
        ("text=open now", 'button "Open now"'),
        ("text=details", 'b "details"'),
        ("text=spare", 'p "details spare"'),
        ("css=form > button:disabled", 'button "Sign out"'),
        ("form > button:disabled", 'button "Sign out"'),
        ("role=button[name=Delete] >> nth=1", 'button "Delete"'),
        ("Sign in", 'button "Sign in"'),
        ("email", 'textbox "Email"'),
        ("you@example", 'textbox "Email"'),
        ("pw", 'password "Password"'),
        ("mail", 'textbox "Email"'),
        ("Newsletter", 'checkbox "Newsletter"'),
        ("Plans & prices", 'clickable "Plans & prices"'),
        ("form select", 'combobox "Size"'),
        ("Search", 'button "Search"'),
        ("Deep", 'button "Deep"'),
        ("tr:has-text('bob') >> button", 'button "Delete"'),
        ("tr:has-text('bob')", 'tr "Bob Delete"'),
        ("//tr[3]//button", 'button "Delete"'),
        ("page.getByLabel('Email')", 'textbox "Email"'),
    ],
)
async def test_a_locator_finds_the_only_element_that_it_matches(agent, locator, found):
    await agent.show(PAGE)
    elements = await agent.ask(FindElements(locator))
    assert [one.what for one in elements.elements] == [found]
    assert await agent.ask(Locate(locator)) == elements.elements[0].ref


async def test_every_action_takes_a_locator_in_place_of_a_ref(agent):
    await agent.show(PAGE)
    await agent.ask(Type("label=Email", "eve@example.org"))
    await agent.ask(SelectOption("label=Size", ("Large",)))
    await agent.ask(Press("End", "label=Email"))
    await agent.ask(Hover("text=great"))
    await agent.ask(Fill((FieldValue("role=checkbox[name=Newsletter]", value=False),)))
    await agent.ask(Click('role=row[name="Bob Delete"] >> role=button[name="Delete"]'))
    await agent.ask(Click('text="Plans & prices"'))
    values = "[document.forms[0].mail.value, document.querySelector('select').value,"
    values += " document.querySelector('[type=checkbox]').checked]"
    assert await agent.value(values) == ["eve@example.org", "Large", False]
    assert await agent.notes() == ["bob", "h2"]


CLOSED = """
<select id=size aria-label=Size onchange="note('changed')" oninput="note('input')"
    onmousedown="note('pressed')"><optgroup label=A>
<option value=s>Small<option value=l>Large<option value=l>Large<option value=x disabled>Huge
<optgroup label=B disabled><option value=t>Tiny</select>
<select id=off aria-label=Off disabled><option>Left<option>Right</select>
<select id=tags aria-label=Tags multiple style="display:none">
<option selected>Red<option>Blue</select>
"""


async def test_click_option_of_closed_list_chooses_that_option(agent):
    await agent.show(CLOSED)
    outcome = await agent.ask(Click("#size option:nth-of-type(3)"))
    ref = await agent.ask(Locate("role=option[name=Small]"))
    third = await agent.value("size.selectedIndex")
    by_ref = await agent.ask(Click(ref))
    chosen = await agent.ask(SelectOption("#size", ("Small",)))
    assert third == 2
    assert 'combobox "Size" = "Large"' in outcome.changes
    assert (by_ref.description, await agent.value("size.selectedIndex")) == (chosen.description, 0)
    assert await agent.notes() == ["input", "changed"] * 3


async def test_click_on_option_of_hidden_multiselect_is_refused(agent):
    await agent.show(CLOSED)
    refused = await agent.refused(Click("#tags option:nth-child(2)"))
    assert refused.effect is Effect.NONE
    assert await agent.value("[...tags.selectedOptions].map(o => o.value)") == ["Red"]


@cases(
    ("locator", "kind", "named"),
    [
        ("css=option[value=x]", BadInput, 'option "Huge"'),
        ("css=option[value=t]", BadInput, 'option "Tiny"'),
        ("css=#off option:last-child", PageFailed, 'combobox "Off"'),
        ("css=optgroup[label=A]", BadInput, 'combobox "Size"'),
    ],
)
async def test_click_option_that_cannot_be_chosen_is_refused(agent, locator, kind, named):
    await agent.show(CLOSED)
    refused = await agent.refused(Click(locator))
    assert isinstance(refused, kind)
    assert named in refused.message
    assert refused.effect is Effect.NONE
    assert await agent.notes() == []


@cases("action", [Hover, partial(Click, button="right")])
async def test_hover_or_right_click_on_option_of_closed_select_is_refused(agent, action):
    await agent.show(CLOSED)
    refused = await agent.refused(action("role=option[name=Small]"))
    assert isinstance(refused, BadInput)
    assert 'combobox "Size"' in refused.message
    assert refused.advice == "Use select."


async def test_click_on_option_of_open_list_box_chooses_it(agent):
    await agent.show("<select id=size size=2 aria-label=Size><option>Small<option>Large</select>")
    await agent.ask(Click("role=option[name=Large]"))
    assert await agent.value("size.value") == "Large"


async def test_a_locator_that_matches_several_elements_is_refused_with_their_refs(agent):
    await agent.show(PAGE)
    refused = await agent.refused(Click("role=button[name=Delete]"))
    refs = [one.ref for one in (await agent.ask(FindElements("role=button[name=Delete]"))).elements]
    assert isinstance(refused, BadInput)
    assert len(refs) == 2
    assert all(f"[{ref}]" in refused.message for ref in refs)
    assert await agent.notes() == []


async def test_role_locator_without_match_lists_elements_of_that_role(agent):
    await agent.show(PAGE)
    refused = await agent.refused(Click('role=button[name="Log in"]'))
    nothing = await agent.refused(Click("text=nowhere"))
    assert isinstance(refused, BadInput)
    assert 'button "Sign in"' in refused.message
    assert isinstance(nothing, BadInput)


async def test_a_locator_reaches_into_frames_if_the_page_has_no_match(agent):
    inner = "<button onclick=&quot;parent.note('inner')&quot;>Inner</button>"
    await agent.show(f'<iframe srcdoc="{inner}"></iframe>')
    await agent.ask(Click("text=Inner"))
    assert await agent.notes() == ["inner"]

"""What a page keeps when its session sleeps and wakes, in a real Chromium."""

import json

import pytest
import trio

from tabwright.protocol.actions import Scroll
from tabwright.protocol.inspection import Evaluate, TakeOutline

pytestmark = pytest.mark.chromium

FORM = """<form id="f">
<input id="text" name="text" value="first"><input id="secret" name="secret" type="password">
<input id="tick" name="tick" type="checkbox"><input id="b" name="r" type="radio" value="b">
<textarea id="area" name="area"></textarea>
<select id="one" name="one"><option>1<option>2<option>3</select>
<select id="many" name="many" multiple><option>1<option>2<option>3</select></form>
<div id="inner" style="height: 100px; overflow: auto"><p style="height: 900px"></div>
<p style="height: 4000px"><script>
  window.heard = [];
  document.addEventListener("input", (event) => heard.push(event.target.id));
  window.seen = sessionStorage.getItem("step");
</script>"""
CHANGE = """{
  const put = (id, key, value) => { document.getElementById(id)[key] = value; };
  put("text", "value", "Ann"); put("secret", "value", "pass"); put("tick", "checked", true);
  put("b", "checked", true); put("area", "value", "two\\nlines"); put("one", "value", "3");
  for (const at of [0, 2]) document.getElementById("many").options[at].selected = true;
  document.getElementById("inner").scrollTop = 150; scrollTo(0, 1200);
  localStorage.setItem("cart", "3"); sessionStorage.setItem("step", "2");
  document.cookie = "who=ann; path=/";
}"""
READ = """[...["text", "secret", "area", "one"].map((id) => document.getElementById(id).value),
 document.getElementById("tick").checked, document.getElementById("b").checked,
 [...document.getElementById("many").selectedOptions].map((one) => one.value).join(),
 document.getElementById("inner").scrollTop, scrollY, localStorage.cart, sessionStorage.step,
 document.cookie]"""
EXPECTED = ["Ann", "pass", "two\nlines", "3", True, True, "1,3", 150, 1200, "3", "2", "who=ann"]
SLEEPY = {"session__sleep_after_s": 0.5, "acting__scripts": True}


async def asleep(agent):
    with trio.fail_after(60):
        while (await agent.tabwright.pool()).tabs:
            await trio.sleep(0.1)


async def value(agent, script):
    return json.loads((await agent.ask(Evaluate(script))).json)


async def test_form_scroll_position_and_storage_survive_sleep(open_agent):
    async with open_agent(**SLEEPY) as agent:
        await agent.show(FORM)
        await agent.ask(Evaluate(CHANGE))
        await asleep(agent)
        assert (await agent.ask(TakeOutline())).notes == ()
        assert await value(agent, READ) == EXPECTED
        assert await value(agent, "seen") == "2"
        assert {"text", "tick", "one"} <= set(await value(agent, "heard"))


@pytest.mark.parametrize(
    ("attributes", "is_kept"),
    [
        ("autocomplete='Current-Password'", True),
        ("autocomplete='section-a cc-number'", True),
        ("autocomplete='one-time-code'", True),
        ("type='password'", True),
        ("autocomplete='street-address'", False),
    ],
)
async def test_sensitive_field_values_are_kept_in_memory_only_during_sleep(
    open_agent, tmp_path, attributes, is_kept
):
    async with open_agent(**SLEEPY, session__dir=str(tmp_path)) as agent:
        await agent.show(f"<input id='word' {attributes}>")
        await agent.ask(Evaluate("document.getElementById('word').value = 'sesame'; 1"))
        await asleep(agent)
        with trio.fail_after(60):
            while not (paths := list(tmp_path.glob("asleep/*/*.json"))):
                await trio.sleep(0.1)
        assert ("sesame" not in paths[0].read_text()) is is_kept
        assert await value(agent, "document.getElementById('word').value") == "sesame"


async def test_session_storage_is_restored_only_once_after_wake(open_agent):
    async with open_agent(**SLEEPY) as agent:
        await agent.show(FORM)
        await agent.ask(Evaluate(CHANGE))
        await asleep(agent)
        await agent.ask(Evaluate("sessionStorage.clear()"))
        await agent.tabwright.session(agent.session).enter("reload")
        assert await value(agent, "sessionStorage.length") == 0


async def test_form_fields_missing_after_wake_are_reported(open_agent):
    async with open_agent(**SLEEPY) as agent:
        await agent.show(FORM)
        await agent.ask(Evaluate(CHANGE))
        await asleep(agent)
        agent.stand.put("/", "<p>Sold out</p>")
        notes = (await agent.ask(TakeOutline())).notes
        assert any("form fields" in note for note in notes if isinstance(note, str))
        assert (await agent.ask(TakeOutline())).notes == ()


async def test_lost_databases_are_reported_with_the_action_after_wake(open_agent):
    async with open_agent(**SLEEPY) as agent:
        await agent.show(FORM)
        await agent.ask(Evaluate("new Promise((done) => indexedDB.open('d').onsuccess = done)"))
        await asleep(agent)
        outcome = await agent.ask(Scroll("bottom"))
        assert any("IndexedDB" in note for note in outcome.notes if isinstance(note, str))

"""The live view on real Chromium: a person in another browser watches and uses a tab."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial

import attrs
import pytest
import trio

from tabwright import Tabwright
from tabwright.page import live_page
from tabwright.protocol.actions import Click, Type
from tabwright.protocol.errors import BadInput, PersonActing
from tabwright.protocol.inspection import Evaluate
from tabwright.testing.replica.server import Exchange, html, open_server

pytestmark = pytest.mark.chromium

SHOP = """<title>Shop</title><style>body { font: 18px sans-serif; margin: 40px }</style>
<h1>Shop</h1><p id="said">nothing</p>
<form onsubmit="say('sent ' + user.value + ' ' + word.value); return false">
<input id="user"> <input id="word" type="password"> <button>Log in</button></form>
<button id="ask" onclick="say('name ' + prompt('Who?', 'Ann'))">Ask</button>
<input type="file" id="file" onchange="read(file.files[0])">
<div id="far" style="height: 3000px">far</div>
<script>
  const say = (text) => { said.textContent = text; };
  const read = async (one) => say(`${one.name} ${await one.text()}`);
  const wheel = () => say('scrolled');
  addEventListener('scroll', wheel);
  addEventListener('touchstart', () => say('touched'));
</script>"""

PAINT = "<title>Paint</title><body style='margin:0;background:rgb(250,0,0)'>"


async def answer(text: str, exchange: Exchange) -> None:
    await exchange.answer(html(text))


@asynccontextmanager
async def page_open(tabwright: Tabwright, text: str) -> AsyncGenerator[None]:
    """Open a page in the session `work` of an agent."""
    async with open_server(partial(answer, text), []) as port:
        await tabwright.session("work").enter(f"http://127.0.0.1:{port}/")
        yield


async def wait_for_text(tabwright: Tabwright, text: str) -> None:
    """Wait until the page has received a text, after its dialog if one is open."""
    with trio.fail_after(45):
        while True:
            with suppress(BadInput):  # a dialog, until the person's answer reaches the page
                if text in await read(tabwright, "said.textContent"):
                    return
            await trio.sleep(0.05)


async def read(tabwright: Tabwright, script: str) -> str:
    return json.loads((await tabwright.session("work").inspect(Evaluate(script))).json)


async def center(tabwright: Tabwright, name: str) -> tuple[float, float]:
    script = f"(({{x, y, width, height}}) => [x, y, width, height])({name}.getBoundingClientRect())"
    x, y, width, height = map(float, await read(tabwright, script))
    return x + width / 2, y + height / 2


async def test_person_with_a_link_watches_acts_and_hands_back(open_local, person, monkeypatch):
    monkeypatch.setattr(live_page, "WAIT_S", 0.2)
    async with open_local("agent") as agent, page_open(agent, SHOP):
        link = await agent.view_link()
        await person.open(link)
        await person.sees("document.querySelector('#cards .title').textContent === 'Shop'")
        await person.click("#cards button")
        await person.sees("document.querySelectorAll('#outline li').length > 3")
        await person.take_over()
        await person.click_at(*await center(agent, "user"))
        await person.press("a Shift+B")
        await person.press("Tab p w Enter")
        await wait_for_text(agent, "sent aB pw")

        with pytest.raises(PersonActing):
            await agent.session("work").act(Click("css=#ask"))

        await person.click_at(*await center(agent, "ask"))
        await person.sees("document.getElementById('dialog').open")
        assert await person.read("document.getElementById('dialog-text').textContent") == "Who?"
        await person.click("#dialog-yes")
        await wait_for_text(agent, "name Ann")

        x, y = await person.point(300, 300)
        turn = f"{{deltaY: 100, clientX: {x}, clientY: {y}, bubbles: true, cancelable: true}}"
        await person.read(f"picture.dispatchEvent(new WheelEvent('wheel', {turn}))")
        await wait_for_text(agent, "scrolled")

        await person.click("#take")
        await person.sees("document.getElementById('live').className === ''")
        await agent.session("work").act(Type("css=#user", "again"))
        assert await read(agent, "user.value") == "again"
        events = await person.read("document.getElementById('events').textContent")
        assert "taken over" in str(events)
        assert "handed back" in str(events)

        stranger = attrs.evolve(person, name="stranger")
        await stranger.open(link)
        await stranger.sees("!document.getElementById('welcome').hidden")


async def test_files_that_the_person_chooses_reach_the_page(open_local, person):
    async with open_local("agent") as agent, page_open(agent, SHOP):
        await person.open(await agent.view_link())
        await person.click("#cards button")
        await person.take_over()
        await person.click_at(*await center(agent, "file"))
        await person.sees("document.getElementById('files').open")
        await person.read("chosen = new DataTransfer(), 0")
        await person.read("chosen.items.add(new File(['hello'], 'note.txt')), 0")
        await person.read("document.getElementById('files-input').files = chosen.files, 0")
        await person.click("#files button[value=yes]")
        await wait_for_text(agent, "note.txt hello")


async def test_live_picture_follows_changes_of_the_page(open_local, person):
    async with open_local("agent") as agent, page_open(agent, PAINT):
        await person.open(await agent.view_link())
        await person.click("#cards button")
        for red, green in ((250, 0), (0, 250), (250, 250)):
            await read(agent, f"document.body.style.background = 'rgb({red},{green},0)'")
            with trio.fail_after(45):
                while True:
                    shown = await person.color_at(100, 100)
                    if abs(shown[0] - red) < 12 and abs(shown[1] - green) < 12:
                        break
                    await trio.sleep(0.05)

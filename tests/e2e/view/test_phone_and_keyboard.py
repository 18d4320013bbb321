"""The page of the live view on a phone, by keyboard alone, and as checked by axe-core."""

from contextlib import asynccontextmanager
from functools import partial
from importlib.resources import files

import pytest
import trio

from tabwright.plugins.devtools.accessibility import AuditAccessibility
from tabwright.protocol.actions import Touch
from tabwright.protocol.inspection import Evaluate
from tabwright.testing.replica.server import Exchange, html, open_server

pytestmark = pytest.mark.chromium

PAGE = """<title>Form</title><style>* { margin: 0; font-size: 30px }</style>
<button id="big" style="width: 100%; height: 400px" onclick="said.textContent += event.pointerType">
Big</button><p id="said"></p><input id="field">
<script>
  addEventListener('touchstart', () => { said.textContent += 'touched '; });
  field.addEventListener('input', () => { said.textContent = field.value; });
</script>"""


async def answer(exchange: Exchange) -> None:
    await exchange.answer(html(PAGE))


@asynccontextmanager
async def page_open(open_local):
    async with open_local("agent") as agent, open_server(answer, []) as port:
        await agent.session("work").enter(f"http://127.0.0.1:{port}/")
        yield agent


async def wait_for_text(agent, text: str) -> None:
    with trio.fail_after(45):
        read = partial(agent.session("work").inspect, Evaluate("said.textContent"))
        while text not in (await read()).json:
            await trio.sleep(0.05)


async def violations(person) -> list[str]:
    axe = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    report = await person.tabwright.session(person.name).inspect(AuditAccessibility(axe))
    return [str(one) for one in report.problems]


async def test_phone_layout_fits_width_and_passes_touch_to_the_page(open_local, person):
    async with page_open(open_local) as agent:
        await person.open(await agent.view_link(), phone=True)
        await person.click("#cards button")
        await person.take_over()
        assert await person.read("document.documentElement.scrollWidth <= innerWidth")
        picture = Touch("css=#canvas")
        await person.tabwright.session(person.name).act(picture)
        await wait_for_text(agent, "touched")
        await person.click("#keyboard")
        assert await person.read("document.activeElement.id") == "typing"


async def test_keyboard_alone_reaches_the_page_and_leaves_it_again(open_local, person):
    async with page_open(open_local) as agent:
        await person.open(await agent.view_link())
        await person.sees("document.querySelector('#cards button') !== null")
        assert await violations(person) == []
        await person.press("Tab Enter")
        await person.sees("!document.getElementById('live').hidden")
        await person.read("document.getElementById('take').focus()")
        await person.press("Enter")
        await person.sees("document.activeElement.id === 'typing'")
        assert await violations(person) == []
        await person.press("Tab Tab h i")
        await wait_for_text(agent, "hi")
        await person.press("F6")
        assert await person.read("document.activeElement.id") == "take"
        await person.press("Shift+F6 Enter")
        await person.sees("document.getElementById('live').className === ''")
        await person.press("Tab Tab")
        inside = "document.getElementById('picture').contains(document.activeElement)"
        assert not await person.read(inside)

"""The replica as a real Chromium sees it."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import attrs
import pytest
import trio

from tabwright.cdp.chromium.finding import find_browser
from tabwright.cdp.chromium.plan import LaunchPlan
from tabwright.cdp.chromium.process import launch
from tabwright.cdp.command import Command
from tabwright.cdp.connection import Connection
from tabwright.cdp.domains import input as keyboard
from tabwright.cdp.domains import page, runtime, target
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.pipe import PipeLink
from tabwright.cdp.session import Session
from tabwright.cdp.wire import Nothing
from tabwright.protocol.blocks import Heading, ItemList, Paragraph, Text
from tabwright.testing.replica import LANGUAGES, Replica, Scenario, Truth, open_replica

pytestmark = pytest.mark.chromium

FAST: Final = Scenario(step_s=0.001)
DONE = """!!document.querySelector('[data-scope-id="turn"][data-complete="true"]')"""
BOX = """document.querySelector('[data-xid="aim-mars-input-plate"] textarea')"""
SEND = """document.querySelector('[data-xid="input-plate-send-button"]')"""
STOP = """document.querySelector('[data-xid="ljhwxf"]')"""


@attrs.frozen
class Tab:
    session: Session
    replica: Replica

    async def open(self, url: str) -> None:
        await self.session.execute(page.navigate(url))

    async def search(self, scenario: Scenario, *, hl: str = "en", q: str = "why") -> None:
        self.replica.scenario = scenario
        await self.open(f"https://www.google.com/search?udm=50&q={q}&hl={hl}")

    async def value(self, expression: str) -> object:
        reply = await self.session.execute(runtime.evaluate(expression))
        assert reply.exception_details is None, reply.exception_details
        return reply.result.value

    async def until(self, expression: str) -> None:
        guarded = f"(() => {{ try {{ return {expression}; }} catch {{ return false; }} }})()"
        with trio.fail_after(20):
            while not await self.holds(guarded):
                await trio.sleep(0.02)

    async def holds(self, expression: str) -> bool:
        try:
            return bool(await self.value(expression))
        except CommandFailed:  # the document is just being replaced
            return False

    async def type(self, text: str) -> None:
        await self.value(f"{BOX}.focus()")
        await self.session.execute(keyboard.insert_text(text))

    async def enter(self) -> None:
        for command in keyboard.press_enter():
            await self.session.execute(command)

    async def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            at = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            await self.session.execute(Command("Input.dispatchMouseEvent", at, Nothing))


@pytest.fixture
async def tab() -> AsyncGenerator[Tab]:
    async with open_replica(FAST) as replica, browsing(replica) as session:
        yield Tab(session, replica)


@asynccontextmanager
async def browsing(replica: Replica) -> AsyncGenerator[Session]:
    plan = LaunchPlan(path=find_browser().path, extra_args=replica.chromium_args)
    async with launch(plan) as chromium, trio.open_nursery() as nursery:
        assert chromium.pipe is not None
        link = PipeLink(*chromium.pipe.take())
        connection = Connection(link)
        nursery.start_soon(connection.run)
        created = await connection.root.execute(target.create_target(None))
        attached = await connection.root.execute(target.attach_to_target(created.target_id))
        yield connection.session(attached.session_id)
        nursery.cancel_scope.cancel()
        await link.aclose()


def sentences(truth: Truth) -> list[str]:
    """The runs of text that must be on the page."""
    blocks = [b for b in truth.blocks if isinstance(b, Paragraph | Heading)]
    items = [item for b in truth.blocks if isinstance(b, ItemList) for item in b.items]
    runs = [run for part in (*blocks, *items) for run in part.content]
    return [run.text for run in runs if isinstance(run, Text)]


ANSWER = """(() => {
  const column = [...document.querySelectorAll('[data-container-id="main-col"]')].at(-1);
  return (column.firstElementChild.shadowRoot ?? column).textContent;
})()"""


async def test_every_language_is_answered_in_full(tab: Tab) -> None:
    for language in LANGUAGES:
        await tab.search(FAST, hl=language)
        await tab.until(f"document.documentElement.lang === '{language}' && {DONE}")
        shown = str(await tab.value(ANSWER))
        assert [text for text in sentences(tab.replica.truth()) if text not in shown] == []


async def test_the_answer_can_stand_in_a_shadow_under_any_class_names(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, shadow="open", classes=4))
    await tab.until(DONE)
    shown = str(await tab.value(ANSWER))
    assert [text for text in sentences(tab.replica.truth()) if text not in shown] == []
    await tab.search(attrs.evolve(FAST, shadow="closed"), q="again")
    await tab.until(f"location.search.includes('again') && {DONE}")
    assert sentences(tab.replica.truth())[0] not in str(await tab.value("document.body.innerText"))


async def test_a_follow_up_is_typed_and_adds_a_turn(tab: Tab) -> None:
    await tab.search(FAST)
    await tab.until(DONE)
    await tab.value(f"{BOX}.value = 'set by a script'")
    assert await tab.value(f"{SEND}.disabled")
    await tab.value(f"{BOX}.value = ''")
    await tab.type("and then?")
    assert not await tab.value(f"{SEND}.disabled")
    await tab.enter()
    await tab.until(
        """document.querySelectorAll('[data-scope-id="turn"][data-complete]').length == 2"""
    )
    assert tab.replica.truth(1).question == "and then?"
    shown = str(await tab.value(ANSWER))
    assert [text for text in sentences(tab.replica.truth(1)) if text not in shown] == []
    assert any("/async/folif?" in seen.path for seen in tab.replica.log)


async def test_the_stop_button_is_there_while_the_answer_grows(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, stall_at=3, stall_s=3600))
    await tab.until(f"{STOP}.offsetWidth > 0 && {ANSWER.strip()}.includes('nursery does')")
    assert not await tab.value(DONE)
    await tab.value(f"{STOP}.click()")
    await tab.until(f"{STOP}.offsetWidth === 0")
    assert not await tab.value(DONE)


async def test_a_solved_captcha_leads_to_the_answer(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, captcha=True), hl="ja")
    await tab.until("!!window.frames[0]?.document.querySelector('#recaptcha-anchor')")
    await tab.value("window.frames[0].document.querySelector('#recaptcha-anchor').click()")
    assert await tab.value("location.pathname") == "/sorry/index"
    place = await tab.value(
        "JSON.stringify(document.querySelector('iframe').getBoundingClientRect())"
    )
    frame = json.loads(str(place))
    await tab.click(frame["x"] + 24, frame["y"] + 38)
    await tab.until(DONE)


async def test_refused_consent_leads_to_the_answer(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, consent=True), hl="fr")
    await tab.until("location.host === 'consent.google.com' && !!document.querySelector('#W0wltc')")
    await tab.value("document.querySelector('#W0wltc').click()")
    await tab.until(DONE)
    assert await tab.value("location.host") == "www.google.com"


async def test_a_browser_may_leave_in_the_middle_of_an_answer() -> None:
    async with open_replica(attrs.evolve(FAST, stall_at=2, stall_s=3600)) as replica:
        async with browsing(replica) as session:
            tab = Tab(session, replica)
            await tab.search(replica.scenario)
            await tab.until("document.body?.innerText.includes('Structured concurrency')")
        async with browsing(replica) as session:
            tab = Tab(session, replica)
            await tab.search(FAST)
            await tab.until(DONE)

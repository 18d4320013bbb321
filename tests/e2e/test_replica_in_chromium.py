"""The replica as shown in a real Chromium."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import product
from typing import Final

import attrs
import pytest
import trio

from tabwright.cdp.chromium.arguments import LaunchPlan
from tabwright.cdp.chromium.finding import PREFERENCE, SHELL, find_browser
from tabwright.cdp.chromium.process import launch
from tabwright.cdp.connection import CDPConnection
from tabwright.cdp.domains import input as keyboard
from tabwright.cdp.domains import page, runtime, target
from tabwright.cdp.errors import CommandFailed, TargetCrashed
from tabwright.cdp.pipe import PipeLink
from tabwright.cdp.session import CDPSession
from tabwright.cdp.wire import CDPCommand, Nothing
from tabwright.content.render.markdown import markdown_of
from tabwright.protocol.blocks import Heading, ItemList, Paragraph, Quote, TextSpan
from tabwright.search.ai_mode.answer import read_answer
from tabwright.search.ai_mode.page_state import (
    PageState,
    ThreadTurn,
    page_state_function,
    parse_page_state,
)
from tabwright.search.ai_mode.sources import sources_shortfall
from tabwright.testing.replica import LANGUAGES, Replica, Scenario, Truth, open_replica
from tabwright.testing.replica.scenario import LiveRegion, Shadow
from tabwright.testing.replica.site import RESOURCE_HOSTS
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

FAST: Final = Scenario(step_s=0.001)
OF_THE_REPLICA: Final = pytest.mark.nightly
"""A test of the replica only; in the gate, the searches of `test_search_oracle.py` need it."""
COMPLETE = '[data-scope-id="turn"][data-complete="true"]'
DONE = f"!!document.querySelector('{COMPLETE}')"
TURNS = """[...document.querySelectorAll('[data-xid="aim-mars-turn-root"]')]"""
BOX_OF_CAPTCHA = "!!window.frames[0]?.document.querySelector('#recaptcha-anchor')"
PICTURE = "window.frames[0].document.querySelector('img')"
BOX = """document.querySelector('textarea[maxlength="8192"]')"""
SEND = """document.querySelector('[data-xid="input-plate-send-button"]')"""
STOP = """document.querySelector('[data-xid="ljhwxf"]')"""


@attrs.frozen
class Tab:
    session: CDPSession
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
        with trio.fail_after(60):
            while not await self.holds(guarded):
                await trio.sleep(0.02)

    async def holds(self, expression: str) -> bool:
        try:
            return bool(await self.value(expression))
        except CommandFailed:  # the document is just being replaced
            return False

    async def type(self, text: str) -> None:
        await self.until("document.readyState === 'complete'")
        await self.value(f"{BOX}.focus()")
        await self.session.execute(keyboard.insert_text(text))

    async def block(self, *urls: str) -> None:
        """Block exactly these URLs from now on."""
        await self.session.execute(CDPCommand("Network.enable", {}, Nothing))
        await self.session.execute(CDPCommand("Network.setBlockedURLs", {"urls": urls}, Nothing))

    async def enter(self) -> None:
        for command in keyboard.press_enter():
            await self.session.execute(command)

    async def ask(self, question: str) -> None:
        await self.type(question)
        await self.enter()

    async def tick(self) -> None:
        """Click the checkbox in the CAPTCHA's frame with real mouse events."""
        place = await self.value(
            "JSON.stringify(document.querySelector('iframe').getBoundingClientRect())"
        )
        frame = json.loads(str(place))
        await self.click(frame["x"] + 24, frame["y"] + 38)

    async def answered(self, turns: int) -> None:
        """Wait for this many complete turns, and check the text of the last one."""
        await self.until(f"document.querySelectorAll('{COMPLETE}').length === {turns}")
        shown = str(await self.value(ANSWER))
        assert [text for text in sentences(self.replica.truth(-1)) if text not in shown] == []

    async def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            at = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            await self.session.execute(CDPCommand("Input.dispatchMouseEvent", at, Nothing))


@pytest.fixture
async def tab() -> AsyncGenerator[Tab]:
    async with open_replica(FAST) as replica, browsing(replica) as session:
        yield Tab(session, replica)


@asynccontextmanager
async def browsing(replica: Replica) -> AsyncGenerator[CDPSession]:
    path = find_browser((SHELL, *PREFERENCE)).path
    plan = LaunchPlan(path=path, extra_args=replica.chromium_args)
    async with launch(plan) as chromium, trio.open_nursery() as nursery:
        assert chromium.pipe is not None
        link = PipeLink(*chromium.pipe.take())
        connection = CDPConnection(link)
        nursery.start_soon(connection.run)
        created = await connection.root.execute(target.create_target(None))
        attached = await connection.root.execute(target.attach_to_target(created.target_id))
        yield connection.session(attached.session_id)
        nursery.cancel_scope.cancel()
        await link.aclose()


def sentences(truth: Truth) -> list[str]:
    """Return all runs of text that the page must show."""
    blocks = [b for b in truth.blocks if isinstance(b, Paragraph | Heading)]
    items = [item for b in truth.blocks if isinstance(b, ItemList) for item in b.items]
    runs = [run for part in (*blocks, *items) for run in part.content]
    return [run.text for run in runs if isinstance(run, TextSpan)]


ANSWER = """(() => {
  const column = [...document.querySelectorAll('[data-container-id="main-col"]')].at(-1);
  return (column.firstElementChild?.shadowRoot ?? column).textContent;
})()"""


async def test_replica_answers_in_full_in_every_language(tab: Tab) -> None:
    for language in LANGUAGES:
        await tab.search(FAST, hl=language)
        await tab.until(f"document.documentElement.lang === '{language}' && {DONE}")
        shown = str(await tab.value(ANSWER))
        assert [text for text in sentences(tab.replica.truth()) if text not in shown] == []


async def test_answer_can_be_in_shadow_root_with_any_class_names(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, shadow="open", classes=4))
    await tab.until(DONE)
    shown = str(await tab.value(ANSWER))
    assert [text for text in sentences(tab.replica.truth()) if text not in shown] == []
    await tab.search(attrs.evolve(FAST, shadow="closed"), q="again")
    await tab.until(f"location.search.includes('again') && {DONE}")
    assert sentences(tab.replica.truth())[0] not in str(await tab.value("document.body.innerText"))


async def test_typed_follow_up_adds_a_turn(tab: Tab) -> None:
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


@OF_THE_REPLICA
async def test_the_stop_button_is_there_while_the_answer_grows(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, stall_at=3, stall_s=3600))
    await tab.until(f"{STOP}.offsetWidth > 0 && {ANSWER}.includes('nursery does')")
    assert not await tab.value(DONE)
    await tab.value(f"{STOP}.click()")
    await tab.until(f"{STOP}.offsetWidth === 0")
    assert not await tab.value(DONE)


@OF_THE_REPLICA
async def test_a_solved_captcha_leads_to_the_answer(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, captcha=True), hl="ja")
    await tab.until(BOX_OF_CAPTCHA)
    await tab.value("window.frames[0].document.querySelector('#recaptcha-anchor').click()")
    assert await tab.value("location.pathname") == "/sorry/index"
    await tab.tick()
    await tab.until(DONE)


@OF_THE_REPLICA
async def test_refused_consent_leads_to_the_answer(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, consent=True), hl="fr")
    await tab.until("location.host === 'consent.google.com' && !!document.querySelector('#W0wltc')")
    await tab.value("document.querySelector('#W0wltc').click()")
    await tab.until(DONE)
    assert await tab.value("location.host") == "www.google.com"


@OF_THE_REPLICA
async def test_replica_survives_a_browser_leaving_mid_answer() -> None:
    async with open_replica(attrs.evolve(FAST, stall_at=2, stall_s=3600)) as replica:
        async with browsing(replica) as session:
            tab = Tab(session, replica)
            await tab.search(replica.scenario)
            await tab.until("document.body?.innerText.includes('Structured concurrency')")
        async with browsing(replica) as session:
            tab = Tab(session, replica)
            await tab.search(FAST)
            await tab.until(DONE)


@OF_THE_REPLICA
async def test_follow_up_is_answered_after_its_captcha_is_solved(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, captcha_after=1))
    await tab.answered(1)
    await tab.ask("and then?")
    await tab.until(f"location.pathname === '/sorry/index' && {BOX_OF_CAPTCHA}")
    assert await tab.value("new URLSearchParams(location.search).get('continue')") == (
        "https://www.google.com/search?udm=50&q=and+then%3F&hl=en-US"
    )
    await tab.tick()
    await tab.until(DONE)
    assert tab.replica.truth(1).question == "and then?"
    await tab.answered(1)
    await tab.search(tab.replica.scenario, q="exempt")
    await tab.until(f"location.search.includes('exempt') && {DONE}")


@OF_THE_REPLICA
async def test_later_search_of_a_session_can_meet_a_captcha(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, captcha_after=1))
    await tab.answered(1)
    await tab.open("https://www.google.com/search?udm=50&q=more&hl=en")
    assert await tab.value("location.pathname") == "/sorry/index"


@OF_THE_REPLICA
async def test_captcha_is_not_solved_before_its_image_loads(tab: Tab) -> None:
    await tab.block("*gstatic.com*")
    await tab.search(attrs.evolve(FAST, captcha=True))
    await tab.until(f"{BOX_OF_CAPTCHA} && {PICTURE}.complete")
    await tab.tick()
    await tab.value("new Promise((settled) => setTimeout(settled, 100))")
    assert await tab.value("location.pathname") == "/sorry/index"
    assert not [seen for seen in tab.replica.log if seen.method == "POST" and "sorry" in seen.path]
    await tab.block()
    await tab.value("location.reload()")
    await tab.until(f"{BOX_OF_CAPTCHA} && {PICTURE}.naturalWidth > 0")
    await tab.tick()
    await tab.until(DONE)


@OF_THE_REPLICA
@pytest.mark.parametrize("button", ["reject", "accept"])
async def test_replica_records_consent_choice(tab: Tab, button: str) -> None:
    await tab.search(attrs.evolve(FAST, consent=True, consent_ids=False))
    await tab.until("location.host === 'consent.google.com' && document.forms.length === 2")
    form = {"reject": 0, "accept": 1}[button]
    await tab.value(f"document.forms[{form}].querySelector('button').click()")
    await tab.until(DONE)
    assert tab.replica.consent == button


@OF_THE_REPLICA
@pytest.mark.parametrize("shadow", ["none", "open", "closed"])
async def test_thread_rebuilt_with_new_nodes_keeps_its_content(tab: Tab, shadow: Shadow) -> None:
    await tab.search(attrs.evolve(FAST, shadow=shadow, thread=2, rebuild=3, clock="stepped"))
    await tab.until(f"document.querySelectorAll('{COMPLETE}').length === 2")
    await tab.value(f"window.before = {TURNS}")
    whole = await tab.value("before.map((turn) => turn.textContent).join()")
    await tab.ask("and then?")
    tab.replica.step()
    await tab.until(f"{TURNS}.length === 3")
    await tab.value(f"window.growing = {TURNS}.at(-1)")
    tab.replica.step(1000)
    await tab.until(f"document.querySelectorAll('{COMPLETE}').length === 3")
    assert await tab.value("[...before, growing].some((turn) => turn.isConnected)") is False
    assert await tab.value(f"{TURNS}.slice(0, 2).map((turn) => turn.textContent).join()") == whole
    if shadow != "closed":
        await tab.answered(3)
    assert await tab.value("document.querySelectorAll('template').length") == 0


@OF_THE_REPLICA
async def test_page_reloading_mid_answer_shows_the_whole_answer(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, thread=2, reload_at=12))
    await tab.until(f"document.querySelectorAll('{COMPLETE}').length === 2")
    address = await tab.value("window.mark = location.href")
    await tab.ask("and then?")
    await tab.until(f"window.mark === undefined && {TURNS}.length === 3")
    assert await tab.value("location.href") == address
    await tab.answered(3)
    assert tab.replica.truth(2).question == "and then?"
    assert len([seen for seen in tab.replica.log if seen.path.startswith("/async/folif")]) == 1


@OF_THE_REPLICA
async def test_replica_page_can_crash_its_renderer(tab: Tab) -> None:
    with pytest.raises(TargetCrashed), trio.fail_after(60):
        await tab.search(attrs.evolve(FAST, crash_at=12))
        while True:
            await tab.value("1")
            await trio.sleep(0.02)
    assert len(tab.replica.truth().blocks) == 14


@OF_THE_REPLICA
async def test_a_stream_can_hang_with_its_stop_button_in_sight(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, hang_at=12))
    await tab.until(f"{STOP}.offsetWidth > 0 && {ANSWER}.includes('Structured')")
    assert not await tab.value(DONE)


@OF_THE_REPLICA
async def test_stepped_clock_releases_stream_frames_one_by_one(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, clock="stepped"))
    await tab.until(f"{TURNS}.length === 1 && document.readyState === 'complete'")
    assert await tab.value(f"{STOP}.offsetWidth") == 0
    tab.replica.step()
    await tab.until(f"{STOP}.offsetWidth > 0")
    assert await tab.value(ANSWER) == ""
    tab.replica.step(2)
    await tab.until(f"{ANSWER} === 'Structured concurrency keeps every task inside a block '")
    tab.replica.step(1000)
    await tab.answered(1)


@OF_THE_REPLICA
async def test_repeated_question_after_forty_turns_gets_the_same_answer(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, thread=40, repeat="same"))
    await tab.until(f"document.querySelectorAll('{COMPLETE}').length === 40")
    await tab.ask("why")
    await tab.answered(41)
    assert tab.replica.truth(40) == tab.replica.truth(39)


@OF_THE_REPLICA
async def test_answer_with_quote_repeat_begins_with_the_previous_answer(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, thread=1, repeat="quote"))
    await tab.until(DONE)
    await tab.ask("and then?")
    await tab.answered(2)
    quotation = tab.replica.truth(1).blocks[0]
    assert isinstance(quotation, Quote)
    shown = await tab.value(
        "[...document.querySelectorAll('blockquote')]"
        ".find((quote) => quote.offsetHeight).innerText.split(/\\n+/).length"
    )
    assert shown == len(quotation.blocks)


async def test_composer_in_a_closed_shadow_root_accepts_keyboard_input(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, composer="closed_root", classes=5))
    await tab.answered(1)
    trap = "document.querySelectorAll('textarea')"
    assert await tab.value(f"{trap}.length === 1 && {trap}[0].maxLength") == 1500
    await tab.click(400, int(str(await tab.value("innerHeight"))) - 30)
    await tab.session.execute(keyboard.insert_text("and then?"))
    await tab.enter()
    await tab.answered(2)


@OF_THE_REPLICA
async def test_page_without_a_composer_has_only_the_hidden_decoy_field(tab: Tab) -> None:
    await tab.search(attrs.evolve(FAST, composer="missing"))
    await tab.answered(1)
    boxes = await tab.value(
        "JSON.stringify([...document.querySelectorAll('textarea')]"
        ".map((box) => [box.maxLength, box.offsetWidth]))"
    )
    assert json.loads(str(boxes)) == [[1500, 0]]


@OF_THE_REPLICA
@pytest.mark.parametrize("live_region", ["refilled", "unchanged"])
async def test_live_region_announces_each_turn_with_the_same_text(
    tab: Tab, live_region: LiveRegion
) -> None:
    live = "document.querySelector('#goog-lr-2').textContent"
    await tab.search(attrs.evolve(FAST, live_region=live_region))
    await tab.answered(1)
    output = await tab.value(live)
    tab.replica.scenario = attrs.evolve(tab.replica.scenario, hang_at=5)
    await tab.ask("and then?")
    await tab.until(f"{STOP}.offsetWidth > 0")
    assert await tab.value(live) == ("" if live_region == "refilled" else output)
    assert output == "AI Mode response is ready"


@OF_THE_REPLICA
async def test_every_page_resource_is_served_and_logged(tab: Tab) -> None:
    await tab.search(FAST)
    await tab.answered(1)
    await tab.until("document.fonts.size === 1 && [...document.fonts][0].status === 'loaded'")
    await tab.until("document.querySelector('audio').readyState > 0")
    await tab.until("!!document.querySelector('.topbar, img[src*=logo]') && !!window.dataLayer")
    await tab.until("[...document.images].filter((image) => image.naturalWidth).length >= 5")
    with trio.fail_after(60):
        while not {seen.host for seen in tab.replica.log} >= RESOURCE_HOSTS:
            await trio.sleep(0.02)


@OF_THE_REPLICA
async def test_answer_completes_with_all_resource_hosts_blocked(tab: Tab) -> None:
    await tab.block(*(f"*{host}*" for host in RESOURCE_HOSTS))
    await tab.search(FAST)
    await tab.answered(1)
    assert not {seen.host for seen in tab.replica.log} & RESOURCE_HOSTS


@pytest.mark.parametrize("shadow", ["none", "open"])
async def test_page_without_data_attributes_is_parsed_by_its_structure(
    tab: Tab, shadow: Shadow
) -> None:
    await tab.search(attrs.evolve(FAST, attributes="bare", shadow=shadow, thread=3, classes=2))
    await tab.until("document.querySelectorAll('[role=main] [aria-level=\"2\"]').length === 3")
    await tab.ask("and then?")
    await tab.until("document.querySelectorAll('[role=main] [aria-level=\"2\"]').length === 4")
    await tab.until("document.querySelector('#goog-lr-2').textContent !== ''")
    marks = ("xid", "container-id", "tr-rsts", "scope-id", "complete", "subtree", "src-id")
    marked = ",".join(f"[data-{mark}]" for mark in marks)
    assert await tab.value(f"document.querySelectorAll('{marked}').length") == 0
    state = parse_page_state(str(await tab.value(f"({page_state_function()})()")))
    answer, truth = read_answer(state), tab.replica.truth(3)
    assert state.turns == 4
    assert markdown_of(answer.blocks) == markdown_of(truth.blocks)
    assert answer.sources == truth.sources


SHAPES: Final = {
    "MathML": (
        "<p>The area is <math><mi>π</mi><msup><mi>r</mi><mn>2</mn></msup></math> here.</p>",
        "The area is $πr^2$ here.",
    ),
    "MathML beside glyphs": (
        (
            '<p>So <span><span style="position:absolute;clip:rect(1px,1px,1px,1px)">'
            "<math><semantics><mrow><mi>x</mi></mrow>"
            '<annotation encoding="application/x-tex">x^2</annotation>'
            '</semantics></math></span><span aria-hidden="true"><span>x</span><span>2</span></span>'
            "</span>.</p>"
        ),
        "So $x^2$.",
    ),
    "MathML beside a picture in a box": (
        (
            '<p>So <mjx-container><span><svg aria-hidden="true" width=30 height=20><text>x</text>'
            '</svg></span><mjx-assistive-mml style="position:absolute;clip:rect(1px,1px,1px,1px)">'
            "<math><msup><mi>x</mi><mn>2</mn></msup></math></mjx-assistive-mml></mjx-container>.</p>"
        ),
        "So $x^2$.",
    ),
    "fields": (
        (
            '<p>Convert <input value="100"> <select><option>USD<option selected>EUR</select> '
            "<input type=hidden value=no><input type=checkbox checked value=no>now.</p>"
        ),
        "Convert 100 EUR now.",
    ),
    "marked TeX": ('<p>So <span data-tex="a_1"><i>a</i>1</span>.</p>', "So $a_1$."),
    "picture": (
        '<p>If <img alt="r > 0" src="https://static.example/f.png" width=20 height=10> only.</p>',
        "If ![r > 0](https://static.example/f.png) only.",
    ),
    "picture in the page": (
        '<p>If <img alt="r = 0" width=20 height=10 src="data:image/gif;base64,R0lGOD"> only.</p>',
        "If r = 0 only.",
    ),
    "sub and sup": (
        "<p>H<sub>2</sub>O and <i>mc</i><sup>2</sup> <s>old</s>.</p>",
        "H<sub>2</sub>O and *mc*<sup>2</sup> ~~old~~.",
    ),
    "spanned rows": (
        (
            "<table><tr><th>Name<th>A<th>B</tr><tr><td rowspan=2>R<td>1<td>2</tr>"
            "<tr><td>3<td>4</tr></table>"
        ),
        "| Name | A | B |\n| --- | --- | --- |\n| R | 1 | 2 |\n| R | 3 | 4 |",
    ),
    "list in a cell": (
        "<table><tr><th>N<th>L</tr><tr><td>a<td><ul><li>x<li>y</ul></tr></table>",
        "| N | L |\n| --- | --- |\n| a | - x<br>- y |",
    ),
    "caption": (
        "<table><caption>Prices <b>in EUR</b></caption><tr><th>A<th>B</tr><tr><td>1<td>2</table>",
        "Prices **in EUR**\n\n| A | B |\n| --- | --- |\n| 1 | 2 |",
    ),
    "numbers of items": (
        "<ol><li value=2>Two<li>Three<li value=10>Ten</ol><p>Or:</p><ol start=4><li>Four</ol>",
        "2. Two\n3. Three\n\n10) Ten\n\nOr:\n\n4. Four",
    ),
    "labels before code": (
        (
            "<div><p>Output</p><pre>3</pre></div><div><h4>Run</h4><pre>ls</pre></div>"
            "<div><div>C++</div><pre>int x;</pre></div>"
            "<div><p>Python</p><pre>x = 3</pre><p>It sets x.</p></div>"
        ),
        (
            "Output\n\n```\n3\n```\n\n#### Run\n\n```\nls\n```\n\n```C++\nint x;\n```\n\n"
            "Python\n\n```\nx = 3\n```\n\nIt sets x."
        ),
    ),
    "class of code": (
        '<pre><code class="hljs language-rust">fn main() {}</code></pre>',
        "```rust\nfn main() {}\n```",
    ),
    "remark": ("<aside><p>Tip: bring water along.</p></aside>", "Tip: bring water along."),
    "details": (
        (
            "<details><summary>More</summary><div style='overflow-x:auto'><p>Inside.</p></div>"
            "</details>"
        ),
        "**More**\n\nInside.",
    ),
    "line numbers of code": (
        (
            "<pre><div><i style='user-select:none'>1 </i>x = 3</div><div>"
            "<i style='user-select:none'>2 </i>print(4)</div></pre>"
            "<pre style='user-select:none'><b>5</b></pre>"
        ),
        "```\nx = 3\nprint(4)\n```\n\n```\n5\n```",
    ),
    "fields beside labels": (
        "<p><label>Size</label><select><option>Large</select><label>(<input value=2>)</label></p>",
        "Size Large (2)",
    ),
    "terms": (
        "<dl><dt>Tide</dt><dd>A rise of the sea.</dd></dl>",
        "**Tide**\n\nA rise of the sea.",
    ),
    "alert": ("<div role=alert><p>Do not mix them.</p></div>", "Do not mix them."),
    "tabs": (
        (
            "<div role=tablist><button role=tab id=t1 aria-controls=p1>Tab A</button>"
            "<span role=tab id=t2 aria-controls=p2>Tab B</span></div>"
            "<div role=tabpanel id=p1><p>One.</p></div>"
            '<div role=tabpanel id=p2 style="display:none"><p>Two.</p></div>'
        ),
        "**Tab A**\n\nOne.\n\n**Tab B**\n\nTwo.",
    ),
    "tabs in hidden boxes": (
        (
            "<div role=tablist><button role=tab aria-controls=p1>Tab A</button>"
            "<button role=tab aria-controls=p2>Tab B</button></div>"
            "<div role=tabpanel id=p1><p>One.</p></div>"
            '<div style="display:none"><div role=tabpanel id=p2><p>Two.</p>'
            '<img alt="P" src="https://static.example/p.png" width=20 height=10></div></div>'
        ),
        "**Tab A**\n\nOne.\n\n**Tab B**\n\nTwo.\n\n![P](https://static.example/p.png)",
    ),
    "what a button opens": (
        (
            "<button aria-expanded=false aria-controls=more>How?</button>"
            '<div id=more role=region style="display:none"><p>Thus.</p><p hidden>Never.</p></div>'
        ),
        "How?\n\nThus.",
    ),
    "folds without a button": (
        (
            '<div hidden="until-found"><p>Found.</p></div>'
            '<div style="max-height:0;overflow:hidden"><p>Collapsed.</p></div>'
            '<div style="width:0;height:0;overflow:hidden"><p>Never.</p></div><p hidden>Never.</p>'
        ),
        "Found.\n\nCollapsed.",
    ),
    "words on buttons": (
        (
            "<p>The <button aria-haspopup=dialog>Kubernetes</button> project of "
            '<span role=button>Berlin</span> and <a href="#" role=button>Hamburg</a>.</p>'
        ),
        "The Kubernetes project of Berlin and Hamburg.",
    ),
    "buttons at the start of items": (
        "<ul><li><button><span>Hotel Adler</span></button> is quiet.<li>Others are loud.</ul>",
        "- Hotel Adler is quiet.\n- Others are loud.",
    ),
    "heading that is a button": (
        "<h3><button aria-expanded=true>Side effects</button></h3><p>None.</p>",
        "### Side effects\n\nNone.",
    ),
    "cards that are buttons": (
        (
            "<div role=button><div>Widget A</div><div>1 EUR</div></div>"
            "<button><div>Widget B</div><div>2 EUR</div></button>"
            "<a role=button href='https://c.example/'><div>Widget C</div><div>3 EUR</div></a>"
        ),
        (
            "Widget A\n\n1 EUR\n\nWidget B\n\n2 EUR\n\n[Widget C](https://c.example/) "
            "[3 EUR](https://c.example/)"
        ),
    ),
    "ruby": (
        "<p>これは<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>の<ruby>字<rt>じ</rt></ruby>。</p>",
        "これは漢字(かんじ)の字(じ)。",
    ),
    "quotation in a line": (
        "<p>He said <mark>once</mark><q>Go <b>now</b></q>.</p>",
        "He said once\u201cGo **now**\u201d.",
    ),
    "buttons beside each other": (
        "<p><button>Retry</button> <span>or</span><button>Stop</button><button>Ask</button></p>",
        "Retry or Stop Ask",
    ),
    "rows in a line": (
        (
            '<p>The <span style="display:inline-flex"><span>S</span><span>-Bahn</span></span> to '
            '<a href="https://x.example/" style="display:inline-flex"><span>the zoo</span></a> has '
            '<span style="display:inline-flex;gap:4px"><span>4</span><span>stars</span></span> or '
            '<span style="display:inline-grid"><i>so</i></span>.</p>'
        ),
        "The S-Bahn to [the zoo](https://x.example/) has 4 stars or *so*.",
    ),
    "row of paragraphs": (
        '<div style="display:inline-flex"><p>One.</p><p>Two.</p></div>',
        "One.\n\nTwo.",
    ),
    "what a button without a name for it opens": (
        (
            "<h3><button aria-expanded=false>How?</button></h3><div hidden><p>Thus.</p></div>"
            "<div><button aria-expanded=false>When?</button><div style='display:grid;"
            "grid-template-rows:0fr'><div style='overflow:hidden'><p>Now.</p></div></div></div>"
            "<ul><li>One<li hidden>Two</ul><button aria-expanded=false>More</button>"
            "<div><button aria-expanded=false aria-haspopup=menu>Menu</button><p hidden>No.</div>"
        ),
        "### How?\n\nThus.\n\nWhen?\n\nNow.\n\n- One\n- Two\n\nMore\n\nMenu",
    ),
    "choices and pressed buttons": (
        (
            "<div><input type=radio name=r id=r1 checked><label for=r1>A</label><input type=radio "
            "name=r id=r2><label for=r2>B</label><p>One.</p><p style='display:none'>Two.</p></div>"
            "<button aria-pressed=true aria-controls=b1>C</button> "
            "<button aria-pressed=false aria-controls=b2>D</button>"
            "<p id=b1>Three.</p><p id=b2 hidden>Four.</p>"
        ),
        "A B\n\nOne.\n\nTwo.\n\nC D\n\nThree.\n\nFour.",
    ),
    "tabs in a box that clips": (
        (
            "<div style='overflow:hidden'><div role=tablist><span role=tab aria-controls=p1>Tab A"
            "</span></div><div role=tabpanel id=p1 hidden><div><button aria-expanded=false>How?"
            "</button><p hidden>Thus.</p></div></div></div>"
        ),
        "**Tab A**\n\nHow?\n\nThus.",
    ),
    "invisible panel": (
        (
            "<div role=tablist><span role=tab aria-controls=p1>Tab A</span></div>"
            "<div role=tabpanel id=p1 style='visibility:hidden'><p>One <b>bold</b>.</p></div>"
            "<p style='visibility:hidden'>Never.</p>"
        ),
        "**Tab A**\n\nOne **bold**.",
    ),
    "names of drawings": (
        (
            "<p>It has <span role=img aria-label='4 of 5 stars'><svg width=60></svg></span> and"
            " <svg role=img width=40 height=40><title>a curve</title></svg> but "
            "<svg role=img aria-label='no icon' width=16 height=16></svg><span role=img "
            "aria-label='no name'>:-)</span>.</p><canvas role=img aria-label='A chart.'></canvas>"
        ),
        "It has 4 of 5 stars and a curve but :-).\n\nA chart.",
    ),
    "names of drawings that are not laid out": (
        (
            "<details><summary>More</summary><p><svg role=img aria-label='A curve' width=40></svg> "
            "<svg role=img aria-label='icon' width=16 height=16></svg><canvas role=img aria-label="
            "'a chart'></canvas>.</p><p style='transform:scale(0)'>Never.</p></details>"
        ),
        "**More**\n\nA curve a chart.",
    ),
    "glyphs with a name": (
        "<p>So <span aria-label='x squared'><span aria-hidden=true>x2</span></span>.</p>",
        "So x squared.",
    ),
    "words of a diagram": (
        (
            "<div><svg width=200 height=80><text><tspan x=0>First</tspan><tspan x=0>step"
            "</tspan></text><foreignObject width=80 height=20><p>Second <b>step</b></p>"
            "</foreignObject></svg></div>"
        ),
        "First step\n\nSecond **step**",
    ),
    "picture that is a link": (
        (
            "<p>See <a href='https://l.example/'><img alt='the map' width=30 height=30 "
            "src='https://l.example/a.png'></a>.</p>"
        ),
        "See ![the map](https://l.example/a.png).",
    ),
    "empty cells": (
        "<table><tr><th><th>A</tr><tr><th>B<td></tr><tr><th>C<td>1</tr></table>",
        "|  | A |\n| --- | --- |\n| B |  |\n| C | 1 |",
    ),
    "legend": (
        (
            "<div><div style='width:9px;height:9px'></div><span>Costs</span>"
            "<div style='width:9px;height:9px'></div><span>Sales</span></div>"
        ),
        "Costs\n\nSales",
    ),
    "remark with links": (
        "<aside><p>Tip: see <a href='https://l.example/'>the map</a> of it.</p></aside>",
        "Tip: see [the map](https://l.example/) of it.",
    ),
    "prompt to copy, and bars": (
        "<textarea readonly>Write a poem.</textarea><p>Half<progress value=1>no</progress>.</p>",
        "Write a poem.\n\nHalf.",
    ),
    "text without a size": ("<p>So.</p><p style='transform:scale(0)'>Never.</p>", "So."),
    "buttons of the page": (
        (
            "<div><div><span>python</span><button>Copy</button></div><pre>x = 1</pre></div>"
            "<p><button>Share</button> <button aria-label=More><svg></svg></button></p>"
            "<p><button aria-label='Nowhere - Title'>Nowhere</button></p>"
        ),
        "```python\nx = 1\n```",
    ),
}
"""Parts of an answer, and what they are as Markdown."""


async def test_answer_html_shapes_are_converted_to_matching_markdown(tab: Tab) -> None:
    await tab.search(FAST)
    await tab.answered(1)
    for html, markdown in SHAPES.values():
        shape = json.dumps(f"<p>Before it.</p>{html}<p>After it, there is more text.</p>")
        column = "document.querySelector('[data-container-id=main-col]')"
        await tab.value(f"{column}.innerHTML = {shape}")
        state = parse_page_state(str(await tab.value(f"({page_state_function()})()")))
        wanted = f"Before it.\n\n{markdown}\n\nAfter it, there is more text."
        assert markdown_of(read_answer(state).blocks) == wanted


async def test_sources_in_a_dialog_outside_the_turn_are_found(tab: Tab) -> None:
    await tab.search(FAST)
    await tab.answered(1)
    moved = (
        "document.body.append(document.querySelector('[role=dialog] ul').closest('[role=dialog]'))"
    )
    await tab.value(moved)
    state = parse_page_state(str(await tab.value(f"({page_state_function()})()")))
    assert read_answer(state).sources == tab.replica.truth(0).sources
    await tab.value("document.querySelector('body > [role=dialog]').remove()")
    state = parse_page_state(str(await tab.value(f"({page_state_function()})()")))
    read, counted = sources_shortfall(state)
    assert read < counted == 10


ENTRIES: Final = "".join(
    f'<li><a href="https://s{n}.example/"><b>Title {n}</b></a> <span>Site {n}</span></li>'
    for n in (1, 2)
)
PLACES: Final = {
    "list under a heading": f"<section><h3>Sources</h3><ol>{ENTRIES}</ol></section>",
    "closed dialog in the turn": (
        f'<div role=dialog style="display:none"><ul>{ENTRIES}</ul></div>'
        '<div role=dialog><a href="https://share.example/">Share there</a></div>'
    ),
}
"""Where the sources of a turn may stand, beside its answer."""


async def without_sources(tab: Tab) -> None:
    await tab.search(FAST)
    await tab.answered(1)
    await tab.value(
        "document.querySelectorAll('[data-container-id=rhs-col], [role=dialog]')"
        ".forEach((place) => place.replaceChildren())"
    )
    text = json.dumps("An answer that is too long to be a word about the progress of an answer.")
    await tab.value(f"document.querySelector('[data-container-id=main-col]').innerHTML = {text}")


@cases("place", PLACES)
async def test_sources_with_titles_in_their_links_are_found(tab: Tab, place: str) -> None:
    await without_sources(tab)
    html = json.dumps(PLACES[place])
    await tab.value(f"{TURNS}.at(-1).insertAdjacentHTML('beforeend', {html})")
    state = parse_page_state(str(await tab.value(f"({page_state_function()})()")))
    assert [(one.title, one.url, one.site) for one in read_answer(state).sources] == [
        ("Title 1", "https://s1.example/", "Site 1"),
        ("Title 2", "https://s2.example/", "Site 2"),
    ]


async def test_sources_outside_the_turn_are_found_if_it_has_none(tab: Tab) -> None:
    await without_sources(tab)
    html = json.dumps(f"<aside><button>2 sites</button><ul>{ENTRIES}</ul></aside>")
    await tab.value(f"document.body.insertAdjacentHTML('beforeend', {html})")
    state = parse_page_state(str(await tab.value(f"({page_state_function()})()")))
    assert [one.title for one in read_answer(state).sources] == ["Title 1", "Title 2"]


COUNTS: Final = (
    '<button aria-label="12 sites"><span>+9</span></button>',
    "<a role=link>12 sites</a>",
    "<div>12 sites</div>",
    "<button>12 Quellen</button>",
    "<button>12 siti</button>",
)


@cases("count", COUNTS)
async def test_count_of_the_sources_is_read_from_any_short_text(tab: Tab, count: str) -> None:
    await without_sources(tab)
    html = json.dumps(f"{count}<ul>{ENTRIES}</ul>")
    place = f"{TURNS}.at(-1).querySelector('[data-container-id=rhs-col]')"
    await tab.value(f"{place}.innerHTML = {html}")
    state = parse_page_state(str(await tab.value(f"({page_state_function()})()")))
    assert sources_shortfall(state) == (2, 12)


@cases(
    ("part", "place"),
    product(
        [
            "<div><h3>Then</h3><p>Two.</p></div>",
            "<div data-container-id=main-col><div>Two.</div></div>",
        ],
        ["beforebegin", "afterend"],
    ),
)
async def test_parts_of_an_answer_beside_its_column_are_read(
    tab: Tab, part: str, place: str
) -> None:
    await tab.search(FAST)
    await tab.answered(1)
    column = "document.querySelector('[data-container-id=main-col]')"
    await tab.value(f"{column}.innerHTML = '<p>One.</p>'")
    await tab.value(f"{column}.insertAdjacentHTML('{place}', {json.dumps(part)})")
    state = parse_page_state(str(await tab.value(f"({page_state_function()})()")))
    lines = [line for line in markdown_of(read_answer(state).blocks).splitlines() if line]
    other = ["### Then", "Two."] if "h3" in part else ["Two."]
    assert lines == (["One.", *other] if place == "afterend" else [*other, "One."])


async def test_grey_bars_in_place_of_sources_mean_they_are_pending(tab: Tab) -> None:
    await without_sources(tab)
    state = parse_page_state(str(await tab.value(f"({page_state_function()})()")))
    assert state.turn is not None
    assert not state.turn.sources_pending
    bars = json.dumps("<div>" + "<div style='width:80px;height:20px'></div>" * 3 + "</div>")
    place = f"{TURNS}.at(-1).querySelector('[data-container-id=rhs-col]')"
    await tab.value(f"{place}.innerHTML = {bars}")
    state = parse_page_state(str(await tab.value(f"({page_state_function()})()")))
    assert state.turn is not None
    assert state.turn.sources_pending
    assert not state.turn.loading


ROW: Final = "<div><button></button><button></button><button></button></div>"
NOTICE: Final = "<p>AI responses may include mistakes. Learn more</p>"


async def turn_of(tab: Tab, *turns: str) -> ThreadTurn:
    """Read the last turn of a page without attributes, made of these turns."""
    html = "".join(f"<article>{turn}</article>" for turn in turns)
    page_html = json.dumps(f"<div role=main><div>{html}</div></div>")
    await tab.value(f"document.body.innerHTML = {page_html}")
    seen = parse_page_state(str(await tab.value(f"({page_state_function()})()"))).turn
    assert seen is not None
    return seen


def asked(question: str, answer: str, *, tools: str = "", below: str = "") -> str:
    heading = f"<header><div role=heading aria-level=2>{question}</div>{tools}</header>"
    return f"{heading}<section><div>{answer}</div></section>{below}"


@cases(
    ("turn", "is_bar", "footnote"),
    [
        (asked("Why?", "<p>So.</p>", below=ROW), True, ""),
        (asked("Why?", f"<p>So.</p>{ROW}"), True, ""),
        (asked("Why?", f"<p>So.</p>{ROW}{NOTICE}"), True, NOTICE[3:-4]),
        (asked("Why?", f"<p>So.</p>{ROW}<p>And so.</p>"), True, "And so."),
        (asked("Why?", "<p>So.</p>", tools=ROW), False, ""),
        (asked("Why?", "", tools=ROW), False, ""),
        (asked("Why?", f"{ROW}<p>So.</p>"), False, ""),
    ],
)
async def test_button_row_counts_as_action_bar_only_after_the_text(
    tab: Tab, turn: str, *, is_bar: bool, footnote: str
) -> None:
    seen = await turn_of(tab, turn)
    assert (seen.actions, seen.footnote) == (is_bar, footnote)


PRO: Final = "It is quick to build, and there are many who know it."
CON: Final = "It is slow to run."
COLUMNS: Final = f"<div style='display:flex'><div><p>{PRO}</p></div><div><p>{CON}</p></div></div>"
SECTION: Final = "<div role=heading aria-level=2>{}</div><p>{}</p>"
BESIDE: Final = (
    "<aside style='float:right'><ul><li><a href='https://a.example/'>A page</a></li></ul></aside>"
)


@cases(
    ("answer", "markdown"),
    [
        ("<p>It is 42.</p>", "It is 42."),
        ("<p>東京は日本の首都です。</p>", "東京は日本の首都です。"),
        (f"<p>So.</p>{ROW}<p>And so.</p>", "So.\n\nAnd so."),
        (f"<p>So.</p>{ROW}{NOTICE}", "So."),
        (f"<p>So.</p>{COLUMNS}", f"So.\n\n{PRO}\n\n{CON}"),
        (COLUMNS, f"{PRO}\n\n{CON}"),
        (f"<p>So.</p>{BESIDE}", "So."),
        (
            SECTION.format("First", "One.") + SECTION.format("Second", "Two."),
            "## First\n\nOne.\n\n## Second\n\nTwo.",
        ),
        ("<p>So.</p>" + SECTION.format("Then", "Two."), "So.\n\n## Then\n\nTwo."),
    ],
)
async def test_answer_without_data_attributes_is_read_in_full(
    tab: Tab, answer: str, markdown: str
) -> None:
    for turns in ((), (asked("Who?", SECTION.format("He", "He did.")),)):
        seen = await turn_of(tab, *turns, asked("Why?", answer, below=ROW))
        assert seen.query == "Why?"
        assert markdown_of(read_answer(PageState("u", turn=seen)).blocks) == markdown

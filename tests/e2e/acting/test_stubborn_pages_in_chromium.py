"""Pages that never become idle, never answer or block, in a real Chromium."""

import pytest
import trio

from tabwright.protocol.actions import Click, Scroll, WaitFor
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.inspection import Evaluate, ReadConsole
from tabwright.protocol.sessions import Sessions
from tabwright.testing.replica.server import ServerResponse

pytestmark = pytest.mark.chromium

ENDLESS_S = 30.0
"""What takes longer than this is waited for without end."""


async def never(_exchange):
    await trio.sleep_forever()


async def stream(exchange):
    await exchange.begin(200, (("Content-Type", "text/event-stream"),))
    for number in range(10_000):
        await exchange.send(f"data: {number}\n\n".encode())
        await trio.sleep(0.1)


async def test_hanging_tab_is_named_blocks_no_other_tab_and_recovers(agent):
    await agent.show(
        "<button onclick=\"note('begun'); while (true);\">Hang</button>"
        "<button onclick=note('works')>Work</button>"
    )
    hang, work = await agent.ref('"Hang"'), await agent.ref('"Work"')
    await agent.go("/", new_tab=True)
    refusals = []

    async def act() -> None:
        refusals.append(await agent.refused(Click(hang), 1))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(act)
        await trio.sleep(0.3)
        await agent.click('"Work"')
        assert refusals == []  # the other tab still hangs
    assert await agent.notes() == ["works"]
    await agent.ask(Click(work), 1)
    (refusal,) = refusals
    assert isinstance(refusal, PageFailed)
    assert "hung" in refusal.message
    assert "Hard to act on begun works" in str(await agent.value("document.title", 1))


async def test_endless_script_is_terminated(agent):
    await agent.show("<button onclick=note('works')>Work</button>")
    with trio.fail_after(60):
        endless = await agent.refused(Evaluate("while (true);"))
        waiting = await agent.refused(Evaluate("new Promise(() => {})"))
    await agent.click('"Work"')
    assert isinstance(endless, PageFailed)
    assert isinstance(waiting, PageFailed)
    assert await agent.notes() == ["works"]


async def test_actions_finish_despite_open_streams_and_endless_animations(agent):
    agent.stand.pages |= {"/stream": stream, "/never": never}
    await agent.show(
        "<p id=clock></p><button onclick=note('clicked')>Click</button>"
        "<button onclick=\"fetch('/never'); note('asked')\">Ask</button><script>"
        "const tick = () => { clock.textContent = performance.now(); requestAnimationFrame(tick) };"
        "tick(); new EventSource('/stream').onmessage = event => { window.last = event.data };"
        "fetch('/never'); setInterval(() => fetch('/'), 200)</script>"
    )
    click = await agent.ref('"Click"')
    with trio.fail_after(ENDLESS_S):
        await agent.ask(Click(click))
    asked = await agent.click('"Ask"')
    assert asked.busy
    assert await agent.notes() == ["clicked", "asked"]


async def test_unread_fetch_response_does_not_keep_the_page_busy(agent):
    agent.stand.pages["/api"] = ServerResponse(b"noted", headers=(("Cache-Control", "no-store"),))
    await agent.show("<button onclick=\"fetch('/api', {method: 'POST'})\">Send</button>")
    sent = await agent.click('"Send"')
    assert not sent.busy


async def test_scroll_on_an_infinite_page_reports_the_items_loaded(agent):
    await agent.show(
        "<div id=list></div><script>let count = 0;"
        " const more = () => { for (let i = 0; i < 20; i++)"
        " list.insertAdjacentHTML('beforeend', `<p style=height:60px>Item ${++count}</p>`) };"
        "more(); onscroll = () => { if (scrollY + innerHeight > document.body.scrollHeight - 50)"
        " setTimeout(more, 30) }</script>"
    )
    first = await agent.ask(Scroll("bottom"))
    second = await agent.ask(Scroll("bottom"))
    assert "Item 21" in first.changes
    assert "Item 41" in second.changes


async def test_virtual_list_never_reuses_a_ref_for_another_row(agent):
    await agent.show(
        "<div id=box style=height:200px;overflow:auto><div id=space style=position:relative;"
        "height:20000px></div></div><script>const draw = () => { const from = Math.floor("
        "box.scrollTop / 20); space.innerHTML = ''; for (let i = from; i < from + 12; i++)"
        " space.insertAdjacentHTML('beforeend', `<button style='position:absolute;top:${i * 20}px'"
        " onclick=\"note('row${i}')\">Row ${i}</button>`) }; box.onscroll = draw; draw()</script>"
    )
    old = await agent.ref('"Row 3"')
    box = await agent.ref('"Row 5"')
    await agent.ask(Scroll("by", y=1000, ref=box))
    stale = await agent.refused(Click(old))
    await agent.click('"Row 52"')
    assert "Row 3" in stale.message
    assert "Row 52" in stale.message
    assert await agent.notes() == ["row52"]


async def test_console_errors_of_cross_process_frames_are_reported(agent):
    agent.stand.pages["/inner"] = ServerResponse(
        b"<!doctype html><button onclick=\"console.error('inner fault')\">Fault</button>"
    )
    elsewhere = agent.stand.url("/inner", "localhost")
    await agent.show(f"<p>Around</p><iframe src={elsewhere}></iframe>")
    outcome = await agent.click('"Fault"')
    output = await agent.ask(ReadConsole("error"))
    assert [one.text for one in outcome.errors] == ["inner fault"]
    assert "inner fault" in [one.text for one in output]


async def test_wait_in_one_tab_does_not_block_other_tabs(agent):
    await agent.show("<button onclick=note('works')>Work</button>")
    ref = await agent.ref('"Work"')
    waited = []

    async def wait() -> None:
        waited.append(await agent.refused(WaitFor(text="Never", seconds=5)))

    await agent.go("/", new_tab=True)
    other = await agent.ref('"Work"')
    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.sleep(0.1)
        await agent.tabwright.parts.sessions.ask(Sessions.act, "s", Click(ref), tab=1)
        assert waited == []
    await agent.ask(Click(other))
    assert await agent.notes() == ["works"]


async def test_elements_named_like_dom_properties_do_not_break_actions(agent):
    names = "body documentElement styleSheets getAnimations querySelector querySelectorAll"
    images = "".join(f"<img name={name} width=1 height=1>" for name in names.split())
    fields = "".join(f"<input type=hidden name={name}>" for name in (*names.split(), "children"))
    await agent.show(
        "<style>form:hover b {display: block} b {display: none}</style>"
        f"{images}<form name=querySelectorAll onsubmit=\"note('sent'); return false\">{fields}"
        "<input aria-label=Name><button>Send</button><b>Hidden</b></form>"
    )
    await agent.type('"Name"', "Eve")
    await agent.click('"Send"')
    assert await agent.notes() == ["sent"]

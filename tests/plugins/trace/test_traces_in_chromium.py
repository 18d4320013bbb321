"""Traces of sessions on Chromium: what they contain, and what they must not contain."""

import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tabwright.plugins.trace.events import outlines
from tabwright.plugins.trace.replay import replay
from tabwright.plugins.trace.trace_file import SUFFIX, Trace, read_trace
from tabwright.protocol.actions import Click, FieldValue, Fill, RunSteps, Type
from tabwright.protocol.errors import BadInput

pytestmark = pytest.mark.chromium

SHOP = """<title>Shop</title><main><h1>Shop</h1><ul>
<li>Lamp <button onclick="cart.textContent = 'Cart: Lamp'; console.error('sold')">Buy</button>
<li>Vase <button onclick="cart.textContent = 'Cart: Vase'; fetch('/api?x=1')">Buy</button></ul>
<p id=cart>Cart: empty</p><form action=/done><h2>Log in</h2><label>Name <input name=user></label>
<label>Password <input type=password name=pass autocomplete=current-password></label>
<button type=button onclick="document.querySelector('[name=pass]').type = 'text'">Show</button>
<button>Log in</button></form></main>"""
TYPED = "hunter2! of Ann"


FIELD_PIXELS_MIN = 2000
"""The least area of a field that is black, in pixels."""


def black_pixels(picture: bytes) -> int:
    with Image.open(BytesIO(picture)) as opened:
        return sum(opened.convert("L").histogram()[:40])


def contents(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


def traces(folder: Path) -> list[Trace]:
    return [read_trace(path) for path in sorted(folder.glob(f"*{SUFFIX}"))]


async def test_trace_has_actions_with_outcome_outlines_pictures_console_and_requests(open_recorder):
    async with open_recorder() as site:
        site.pages |= {"/": SHOP, "/api": ""}
        tabwright = site.tabwright
        await tabwright.session("s").change_trace("start")
        await tabwright.read(site.url(), session="s")
        vase = 'role=button[name="Buy"] >> nth=1'
        await tabwright.session("s").act(
            RunSteps((Click('role=button[name="Buy"] >> nth=0'), Click(vase)))
        )
        with pytest.raises(BadInput):
            await tabwright.session("s").act(Click("text=Rent"))
        trace = await site.stopped()
    opened, bought, failed = trace.events
    assert (opened.kind, opened.request["url"]) == ("navigate", site.url())
    assert [one.request.kind for one in opened.requests] == ["Document"]
    lamp, chosen = (one.targets[0] for one in bought.performed)
    assert (lamp.distinct, chosen.distinct) == (("lamp",), ("vase",))
    assert (chosen.element.role, chosen.element.name, chosen.count, chosen.place) == (
        "button",
        "Buy",
        2,
        1,
    )
    assert [one.text for one in bought.console] == ["sold"]
    assert [one.request.url for one in bought.requests] == [site.url("/api?x=1")]
    before, after = list(outlines(trace.events))[1]
    assert ("Cart: empty" in before, "Cart: Vase" in after) == (True, True)
    assert failed.error.kind == "bad_input"
    assert [one.done for one in failed.performed] == [False]
    assert len(trace.pictures) == 3
    assert all(picture.startswith(b"\xff\xd8") for picture in trace.pictures.values())


async def test_trace_contains_secret_name_instead_of_password(open_recorder):
    async with open_recorder() as site:
        site.pages |= {"/": SHOP, "/done": "<title>Done</title><h1>Welcome</h1>"}
        tabwright = site.tabwright
        await tabwright.session("s").enter(site.url())
        path = Path((await tabwright.session("s").change_trace("start")).path)
        values = (FieldValue("Name", "ann"), FieldValue("Password", TYPED))
        await tabwright.session("s").act(Fill(values))
        await tabwright.session("s").act(Click("text=Show"))
        await tabwright.session("s").act(Click('role=button[name="Log in"]'))
        trace = await site.stopped()
    written = contents(path).decode("latin-1")
    assert "hunter2" not in written
    [filled] = trace.events[0].performed
    assert [one["value"] for one in filled.action["fields"]] == ["ann", "{{PASS}}"]
    assert "pass={{PASS}}" in trace.events[-1].url
    dots, shown = (black_pixels(trace.pictures[one.picture]) for one in trace.events[:2])
    assert shown - dots > FIELD_PIXELS_MIN
    assert any('= "{{PASS}}"' in line for line in list(outlines(trace.events))[1][1])


async def test_recording_does_not_change_what_an_action_reports(open_recorder):
    async with open_recorder() as site:
        site.pages["/"] = SHOP
        reports = []
        for session in ("plain", "recorded"):
            if session == "recorded":
                await site.tabwright.session(session).change_trace("start")
            await site.tabwright.session(session).enter(site.url())
            action = Click('role=button[name="Buy"] >> nth=1')
            outcome = await site.tabwright.session(session).act(action)
            reports.append([line.rpartition("]")[2] for line in outcome.changes.splitlines()])
        assert reports[0] == reports[1] != []


async def test_setting_records_sessions_and_keeps_only_failed_ones(open_recorder):
    async with open_recorder(trace__record="failures") as site:
        site.pages["/"] = SHOP
        for session in ("good", "bad"):
            await site.tabwright.session(session).enter(site.url())
        with pytest.raises(BadInput):
            await site.tabwright.session("bad").act(Click("text=Rent"))
        await site.tabwright.session("good").close()
        await site.tabwright.session("bad").close()
        [kept] = traces(site.folder)
    assert (kept.header.session, len(kept.events)) == ("bad", 2)


async def test_full_trace_file_reports_it_and_stops_recording(open_recorder):
    async with open_recorder(trace__file_mb=0.02) as site:
        site.pages["/"] = SHOP
        await site.tabwright.session("s").change_trace("start")
        for _ in range(4):
            await site.tabwright.session("s").enter(site.url())
        status = await site.tabwright.session("s").change_trace("status")
        trace = await site.stopped()
    assert status.is_full
    assert status.size_bytes <= 20_000
    assert trace.events[-1].kind == "full"


async def test_trace_that_is_not_recorded_cannot_be_stopped(open_recorder):
    async with open_recorder() as site:
        site.pages["/"] = SHOP
        await site.tabwright.session("s").enter(site.url())
        with pytest.raises(BadInput):
            await site.stopped()
        await site.tabwright.session("s").change_trace("start")
        again = await site.tabwright.session("s").change_trace("start")
        await site.tabwright.session("s").act(Type("label=Name", "ann"))
        assert again.recording
        assert len((await site.stopped()).events) == 1


@pytest.mark.smoke
async def test_click_that_opens_a_tab_records_its_element_and_the_opened_page(
    open_recorder,
):
    async with open_recorder() as site:
        site.pages |= {
            "/": "<title>List</title><a href=/item target=_blank>Lamp</a>",
            "/item": "<title>Lamp</title><button onclick=\"fetch('/bought')\">Buy</button>",
        }
        await site.tabwright.session("s").change_trace("start")
        await site.tabwright.session("s").enter(site.url())
        for name in ("Lamp", "Buy"):
            await site.tabwright.session("s").act(Click(f"text={name}"))
        trace = await site.stopped()
        report = await replay(site.tabwright, site.path_of(trace), session="again")
    _, opened, bought = trace.events
    assert [one.targets[0].element.name for one in opened.performed] == ["Lamp"]
    assert (opened.title, opened.opened) == ("Lamp", True)
    assert [one.targets[0].element.name for one in bought.performed] == ["Buy"]
    assert report.failure is None
    assert [seen.path for seen in site.log].count("/bought") == 2

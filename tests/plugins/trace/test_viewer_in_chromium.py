"""The trace viewer in Chromium: by keyboard, and with a page that tries to reach it."""

import json

import pytest

from tabwright import Click
from tabwright.plugins.trace.viewer import viewer_page
from tabwright.protocol.actions import Press
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Evaluate, ReadConsole

pytestmark = pytest.mark.chromium

HOSTILE = "</script><img src=x onerror=document.title=1>"
SELECTED = "document.querySelector('[role=option][aria-selected=true]').id"
TAB = "document.querySelector('[role=tab][aria-selected=true]').textContent"


async def test_viewer_works_by_keyboard_and_runs_no_recorded_script(open_recorder):
    text = HOSTILE.replace("<", "&lt;")
    async with open_recorder() as site:
        site.pages["/"] = (
            f"<title>{text}</title><h1>{text}</h1><button aria-label='{text}'>Go</button>"
        )
        tabwright = site.tabwright
        await tabwright.change_trace("s", "start")
        await tabwright.enter(site.url(), session="s")
        await tabwright.act(Click("role=button"), session="s")
        with pytest.raises(BadInput):
            await tabwright.act(Click("text=Nothing"), session="s")
        trace = await site.stopped()
        page = viewer_page(trace)
        site.pages["/viewer"] = page.removeprefix("<!doctype html>")
        await tabwright.enter(site.url("/viewer"), session="v")

        async def value(script: str) -> object:
            evaluation = await tabwright.inspect(Evaluate(script), session="v")
            return json.loads(evaluation.json)

        assert await value(SELECTED) == "event-1"
        assert await value("document.querySelector('#panel img').naturalWidth > 0")
        await tabwright.act(Press("ArrowDown End"), session="v")
        assert await value(SELECTED) == "event-3"
        assert "Nothing" in str(await value("document.getElementById('error').textContent"))
        await tabwright.act(Press("Home Tab ArrowRight"), session="v")
        assert (await value(SELECTED), await value(TAB)) == ("event-1", "Changes")
        assert HOSTILE in str(await value("document.querySelector('.lines').textContent"))
        await tabwright.act(Click("label=Failures only"), session="v")
        assert await value("document.querySelectorAll('[role=option]').length") == 1
        assert await value("document.title") == "Trace of s"
        assert await tabwright.inspect(ReadConsole("warning"), session="v") == ()

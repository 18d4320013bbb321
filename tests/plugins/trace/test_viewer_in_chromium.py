"""The trace viewer in Chromium: by keyboard, and with a page that tries to reach it."""

import json

import pytest

from tabwright.plugins.trace.viewer import viewer_page
from tabwright.protocol.actions import Click, Press
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
        await tabwright.session("s").change_trace("start")
        await tabwright.session("s").enter(site.url())
        await tabwright.session("s").act(Click("role=button"))
        with pytest.raises(BadInput):
            await tabwright.session("s").act(Click("text=Nothing"))
        trace = await site.stopped()
        page = viewer_page(trace)
        site.pages["/viewer"] = page.removeprefix("<!doctype html>")
        await tabwright.session("v").enter(site.url("/viewer"))

        async def value(script: str) -> object:
            evaluation = await tabwright.session("v").inspect(Evaluate(script))
            return json.loads(evaluation.json)

        assert await value(SELECTED) == "event-1"
        assert await value("document.querySelector('#panel img').naturalWidth > 0")
        await tabwright.session("v").act(Press("ArrowDown End"))
        assert await value(SELECTED) == "event-3"
        assert "Nothing" in str(await value("document.getElementById('error').textContent"))
        await tabwright.session("v").act(Press("Home Tab ArrowRight"))
        assert (await value(SELECTED), await value(TAB)) == ("event-1", "Changes")
        assert HOSTILE in str(await value("document.querySelector('.lines').textContent"))
        await tabwright.session("v").act(Click("label=Failures only"))
        assert await value("document.querySelectorAll('[role=option]').length") == 1
        assert await value("document.title") == "Trace of s"
        assert await tabwright.session("v").inspect(ReadConsole("warning")) == ()

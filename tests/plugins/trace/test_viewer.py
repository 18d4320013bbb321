"""The trace viewer: a single page that shows the text of other pages only as text."""

import re

import msgspec

from tabwright.plugins.trace.events import (
    EventError,
    LinesChange,
    RecordedAction,
    TraceEvent,
    TraceHeader,
)
from tabwright.plugins.trace.records import ElementDescription, RecordedTarget
from tabwright.plugins.trace.trace_file import Trace
from tabwright.plugins.trace.viewer import trace_text, viewer_page

HOSTILE = "</script><script>alert(1)</script><!--<script>@@script@@\u2028"
BUTTON = RecordedTarget("1.5", ElementDescription(role="button", name=HOSTILE))
TRACE = Trace(
    TraceHeader(session="shop", started=0, made_by="1"),
    (
        TraceEvent(number=1, kind="navigate", request={"url": "https://shop.example/"}),
        TraceEvent(
            number=2,
            kind="action",
            request={"type": "Click", "ref": "1.5"},
            title=HOSTILE,
            url="https://shop.example/cart",
            performed=(RecordedAction({"type": "Click", "ref": "1.5"}, (BUTTON,), done=True),),
            after=LinesChange(((HOSTILE,),)),
            picture="pictures/000002.jpg",
        ),
        TraceEvent(
            number=3,
            kind="action",
            request={"type": "Type", "ref": "label=Name"},
            error=EventError("bad_input", "Nothing matches."),
        ),
    ),
    {"pictures/000002.jpg": b"\xff\xd8"},
)


def data_of(page: str) -> dict[str, object]:
    [data] = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL
    )
    return msgspec.json.decode(data, type=dict[str, object])


def test_page_text_cannot_break_out_of_the_viewer_data():
    page = viewer_page(TRACE)
    assert page.count("<script") == 2
    events = data_of(page)["events"]
    assert (events[1]["title"], events[1]["after"]) == (HOSTILE, [HOSTILE])


def test_viewer_csp_allows_only_its_own_script_and_no_requests():
    page = viewer_page(TRACE)
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy.startswith("default-src 'none'; img-src data:; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "innerHTML" not in page


def test_viewer_contains_the_pictures():
    assert data_of(viewer_page(TRACE))["events"][1]["picture"] == "data:image/jpeg;base64,/9g="


def test_trace_text_has_a_line_for_each_event_and_error():
    lines = trace_text(TRACE).splitlines()
    assert lines[1].startswith("1. Open https://shop.example/")
    assert 'Click button "' in lines[2]
    assert lines[-2:] == ["3. Type label=Name (0 ms) FAILED", "   bad_input: Nothing matches."]

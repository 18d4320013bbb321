"""Trace events: outlines as changes, and actions as JSON."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.plugins.trace.events import (
    LinesChange,
    TraceEvent,
    action_of,
    action_record,
    changed_lines,
    lines_change,
    outlines,
)
from tabwright.protocol.actions import Click, FieldValue, Fill, SelectOption, WaitFor

OUTLINES = st.lists(st.sampled_from(["", "a", "b", "[1.2] button", "text " * 9]), max_size=12).map(
    tuple
)


@given(OUTLINES, OUTLINES)
def test_outline_is_restored_from_its_change(before, after):
    written = msgspec.json.encode(lines_change(before, after))
    change = msgspec.json.decode(written, type=LinesChange)
    assert changed_lines(before, change) == after


def test_small_outline_change_omits_unchanged_lines():
    before = tuple(f"line {number}" for number in range(100))
    after = (*before[:50], "new", *before[51:])
    assert lines_change(before, after) == LinesChange((50, -1, ("new",), 49))


def test_outlines_are_restored_across_events_without_outline():
    events = (
        TraceEvent(number=1, kind="action", request={}, after=LinesChange((("a", "b"),))),
        TraceEvent(number=2, kind="action", request={}),
        TraceEvent(
            number=3,
            kind="action",
            request={},
            before=LinesChange((2,)),
            after=LinesChange((1, -1)),
        ),
    )
    assert list(outlines(events)) == [(None, ("a", "b")), (None, None), (("a", "b"), ("a",))]


@pytest.mark.parametrize(
    "action",
    [
        Click("1.2", modifiers=("Shift",), at=(1.0, 2.5)),
        SelectOption("1.3", ("a", "b")),
        Fill((FieldValue("Name", "Eve"), FieldValue("Newsletter", True)), submit=True),
        WaitFor("Saved"),
    ],
)
def test_action_round_trips_through_its_record(action):
    written = msgspec.json.encode(action_record(action))
    assert action_of(msgspec.json.decode(written, type=dict[str, object])) == action


def test_record_of_unknown_action_is_refused():
    with pytest.raises(msgspec.ValidationError):
        action_of({"type": "RunSteps", "steps": []})

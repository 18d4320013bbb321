"""The steps of a trace: which events are repeated, and which cannot be."""

import attrs
import pytest

from tabwright.plugins.trace.events import (
    EventError,
    TraceEvent,
    TraceHeader,
    recorded_action,
)
from tabwright.plugins.trace.records import ElementDescription, PerformedAction, RecordedTarget
from tabwright.plugins.trace.steps import needed_secrets, steps_of, with_targets
from tabwright.plugins.trace.trace_file import Trace
from tabwright.protocol.actions import Click, FieldValue, Fill, Type, UseMouse
from tabwright.protocol.errors import BadInput

HEADER = TraceHeader(session="s", started=0, made_by="1")
SAVE = RecordedTarget("1.1", ElementDescription(role="button", name="Save"))
ERROR = EventError("bad_input", "No.")


def act(action, *targets: RecordedTarget, done: bool = True, error=None) -> TraceEvent:
    recorded = recorded_action(PerformedAction(action, targets, done))
    return TraceEvent(
        number=1,
        kind="action",
        request={"type": type(action).__name__},
        performed=(recorded,),
        error=error,
        start="https://shop.example/cart",
    )


def opened(url: str) -> TraceEvent:
    return TraceEvent(number=1, kind="navigate", request={"url": url}, url=url)


def trace(*events: TraceEvent) -> Trace:
    numbered = (attrs.evolve(one, number=number) for number, one in enumerate(events, 1))
    return Trace(HEADER, tuple(numbered), {})


def test_trace_that_began_on_a_page_opens_it_first():
    steps = steps_of(trace(act(Click("1.1"), SAVE)))
    assert [(one.url, one.action) for one in steps] == [
        ("https://shop.example/cart", None),
        ("", Click("1.1")),
    ]


def test_failed_events_and_actions_are_left_out():
    failed = TraceEvent(number=1, kind="navigate", request={"url": "/x"}, error=ERROR)
    events = (
        opened("https://a.example/"),
        failed,
        act(Click("1.1"), SAVE, done=False, error=ERROR),
    )
    assert [one.number for one in steps_of(trace(*events))] == [1]


def test_replacement_url_also_changes_the_origin_of_later_steps():
    urls = ("https://a.example/start", "back", "https://a.example/b?c=1", "https://other.example/")
    steps = steps_of(trace(*map(opened, urls)), "http://127.0.0.1:80/test")
    assert [one.url for one in steps] == [
        "http://127.0.0.1:80/test",
        "back",
        "http://127.0.0.1:80/b?c=1",
        "https://other.example/",
    ]


@pytest.mark.parametrize(
    "event",
    [
        TraceEvent(number=1, kind="script", request={"script": "1"}),
        TraceEvent(number=1, kind="form", request={}),
        TraceEvent(number=1, kind="full", request={}),
        act(Click("1.1")),
        act(UseMouse("click", ((1, 2),))),
        act(Type("1.1", "(hidden)"), SAVE),
        act(Fill((FieldValue("a", "x"), FieldValue("b", "y"))), SAVE),
    ],
)
def test_step_that_cannot_be_repeated_has_a_refusal_reason(event):
    assert steps_of(trace(opened("https://a.example/"), event))[-1].refusal


def test_point_is_refused_if_nothing_identifies_the_element():
    refusals, points = [], []
    for element in (
        ElementDescription(role="canvas", tag="canvas"),
        ElementDescription(role="button", tag="button", name="Save"),
        ElementDescription(role="body", tag="body"),
    ):
        target = RecordedTarget("shot1@5,6", element, at=(5.0, 6.0))
        [_, step] = steps_of(trace(opened("https://a.example/"), act(Click("shot1@5,6"), target)))
        refusals.append(bool(step.refusal))
        points.append(with_targets(step, step.action, ["1.1"]).at)
    assert refusals == [False, False, True]
    assert points[:2] == [(5.0, 6.0), None]


def test_trace_without_steps_or_with_an_unknown_action_is_refused():
    wrong = act(Click("1.1"), SAVE)
    unknown = attrs.evolve(wrong.performed[0], action={"type": "Explode"})
    for events in ((), (attrs.evolve(wrong, performed=(unknown,)),)):
        with pytest.raises(BadInput):
            steps_of(trace(*events))


def test_needed_secrets_are_those_in_typed_texts():
    form = Fill((FieldValue("a", "{{CODE}}"), FieldValue("b", True)))
    steps = steps_of(trace(act(Type("1.1", "{{PASS}}{Enter}"), SAVE), act(form, SAVE, SAVE)))
    assert needed_secrets(steps) == ("PASS", "CODE")

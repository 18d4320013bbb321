"""A person's input in the live view as CDP commands."""

import pytest

from tabwright.page.screencast import LiveFrame
from tabwright.view.inputs import InputQueue, commands_of
from tabwright.view.messages import (
    Fingers,
    KeyStroke,
    MousePoint,
    TextComposed,
    TextEntered,
    WheelTurn,
)

VIEW = LiveFrame(b"", width=1000, height=500, top=0, at_s=0, taken_at=0)


async def test_queued_moves_and_wheel_turns_are_merged() -> None:
    queue = InputQueue()
    for event in (
        MousePoint("move", 0.1, 0.1),
        MousePoint("move", 0.2, 0.2),
        MousePoint("down", 0.2, 0.2, "left", "left", 1),
        WheelTurn(0.5, 0.5, 0, 10),
        WheelTurn(0.6, 0.5, 1, 10),
        Fingers("move", ((0, 0),)),
        Fingers("move", ((1, 1),)),
        Fingers("move", ((1, 1), (0, 0))),
    ):
        queue.put(event)
    assert [await queue.next() for _ in range(5)] == [
        MousePoint("move", 0.2, 0.2),
        MousePoint("down", 0.2, 0.2, "left", "left", 1),
        WheelTurn(0.6, 0.5, 1, 20),
        Fingers("move", ((1, 1),)),
        Fingers("move", ((1, 1), (0, 0))),
    ]


def test_input_points_are_converted_to_css_pixels() -> None:
    (down,) = commands_of(MousePoint("down", 0.5, 0.5, "right", "right", 1), VIEW)
    (touch,) = commands_of(Fingers("start", ((0.25, 1.0),)), VIEW)
    assert (down.params["x"], down.params["y"], down.params["button"]) == (500, 250, "right")
    assert touch.params["touchPoints"] == [{"x": 250, "y": 500, "id": 0}]


@pytest.mark.parametrize(
    ("stroke", "event", "text"),
    [
        (KeyStroke("down", "a"), "keyDown", "a"),
        (KeyStroke("down", "a", 2), "rawKeyDown", None),
        (KeyStroke("down", "Enter"), "keyDown", "\r"),
        (KeyStroke("down", "ArrowLeft"), "rawKeyDown", None),
        (KeyStroke("down", "Fantasy"), "rawKeyDown", None),
        (KeyStroke("up", "a"), "keyUp", None),
    ],
)
def test_key_types_its_text_unless_a_modifier_is_held(
    stroke: KeyStroke, event: str, text: str | None
) -> None:
    (command,) = commands_of(stroke, VIEW)
    assert (command.params["type"], command.params.get("text") or None) == (event, text)


def test_control_a_selects_all() -> None:
    (command,) = commands_of(KeyStroke("down", "a", 2), VIEW)
    assert command.params["commands"] == ["selectAll"]


def test_entered_and_composed_text_is_sent_as_one_command() -> None:
    assert [one.method for one in commands_of(TextEntered("paste"), VIEW)] == ["Input.insertText"]
    assert [one.method for one in commands_of(TextComposed("に"), VIEW)] == [
        "Input.imeSetComposition"
    ]

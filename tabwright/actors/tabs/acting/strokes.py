"""Mouse and keyboard: commands for what a hand does."""

from collections.abc import Iterator

from tabwright.cdp.command import Command
from tabwright.cdp.domains import input as hand
from tabwright.cdp.wire import Nothing
from tabwright.page.actions.keyboard import MODIFIERS, Key, Stroke, character, key_of
from tabwright.protocol.actions import MouseButton

PULL_STEPS = 5

_EDITING = {"a": "selectAll", "c": "copy", "v": "paste", "x": "cut", "z": "undo", "y": "redo"}
"""What an editor does at Control and a letter: Chromium leaves that to its platform's keys."""


def pressed(stroke: Stroke) -> Iterator[Command[Nothing]]:
    """A key goes down and up, while its modifiers are held."""
    held = 0
    for name in stroke.modifiers:
        held |= MODIFIERS[name]
        yield _down(key_of(name) or stroke.key, held)
    yield _down(stroke.key, stroke.bits)
    yield _up(stroke.key, stroke.bits)
    for name in reversed(stroke.modifiers):
        held &= ~MODIFIERS[name]
        yield _up(key_of(name) or stroke.key, held)


def characters(text: str) -> Iterator[Command[Nothing]]:
    """Each character by a key of its own, with Shift where a keyboard has it so."""
    for sign in text:
        if sign.isprintable() or sign in "\r\n":
            key = character(sign)
            yield from pressed(Stroke(key, ("Shift",) if key.shifted else ()))
        else:  # no key writes a tab into a field
            yield hand.insert_text(sign)


def inserted(text: str) -> Iterator[Command[Nothing]]:
    """Text as a whole; what is written with an input method is composed first."""
    if any(map(_is_composed, text)):
        yield hand.compose_text(text)
    yield hand.insert_text(text)


def clicked(
    x: float, y: float, button: MouseButton, count: int, modifiers: int
) -> Iterator[Command[Nothing]]:
    """The mouse comes to a point, and its button goes down and up there."""
    yield hand.mouse_event("mouseMoved", x, y, modifiers=modifiers)
    for number in range(1, count + 1):
        for event in ("mousePressed", "mouseReleased"):
            held = button if event == "mousePressed" else "none"
            yield hand.mouse_event(
                event, x, y, button=button, held=held, clicks=number, modifiers=modifiers
            )


def pulled(x: float, y: float, end_x: float, end_y: float) -> Iterator[Command[Nothing]]:
    """The mouse presses at a point and comes to another, in steps: many pages look at how."""
    yield hand.mouse_event("mouseMoved", x, y)
    yield hand.mouse_event("mousePressed", x, y, button="left", held="left", clicks=1)
    for step in range(1, PULL_STEPS + 1):
        part = step / PULL_STEPS
        place = x + (end_x - x) * part, y + (end_y - y) * part
        yield hand.mouse_event("mouseMoved", *place, button="left", held="left")


def _down(key: Key, modifiers: int) -> Command[Nothing]:
    text = "" if modifiers & ~MODIFIERS["Shift"] else key.text
    edits = _EDITING.get(key.name.lower()) if modifiers == MODIFIERS["Control"] else None
    return hand.key_event(
        "keyDown" if text else "rawKeyDown",
        key=key.name,
        code=key.code,
        key_code=key.key_code,
        text=text,
        modifiers=modifiers,
        commands=(edits,) if edits else (),
    )


def _up(key: Key, modifiers: int) -> Command[Nothing]:
    return hand.key_event(
        "keyUp", key=key.name, code=key.code, key_code=key.key_code, modifiers=modifiers
    )


def _is_composed(sign: str) -> bool:
    """Whether people write it with an input method: Chinese, Japanese, Korean."""
    return (
        "\u1100" <= sign <= "\u11ff" or "\u2e80" <= sign <= "\ud7ff" or "\uf900" <= sign <= "\ufaff"
    )

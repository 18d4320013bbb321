"""The Input domain: trusted events, as from a person's keyboard."""

from collections.abc import Mapping

from tabwright.cdp.command import Command
from tabwright.cdp.wire import JSON, Nothing

ENTER_KEY_CODE = 13


def insert_text(text: str) -> Command[Nothing]:
    """Input.insertText: into the focused field, with an input event."""
    return Command("Input.insertText", {"text": text}, Nothing)


def press_enter() -> tuple[Command[Nothing], Command[Nothing]]:
    """Input.dispatchKeyEvent twice: Enter down, Enter up."""
    return _enter("keyDown"), _enter("keyUp")


def _enter(event: str) -> Command[Nothing]:
    params: Mapping[str, JSON] = {
        "type": event,
        "key": "Enter",
        "code": "Enter",
        "windowsVirtualKeyCode": ENTER_KEY_CODE,
        "text": "\r" if event == "keyDown" else "",
    }
    return Command("Input.dispatchKeyEvent", params, Nothing)

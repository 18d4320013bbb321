"""The dialogs of a page: what stops it until somebody answers."""

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from typing import Generic, TypeVar

import trio

from tabwright.cdp.domains import page
from tabwright.cdp.wire import CDPCommand, Nothing
from tabwright.protocol.actions import Dialog, DialogKind

TEXT_MAX = 1000
"""Of what a dialog says; a page may say any number of characters."""

REMEMBERED_MAX = 16
"""Alerts in a loop are told of, but not without end."""

KINDS: dict[str, DialogKind] = {
    "alert": "alert",
    "confirm": "confirm",
    "prompt": "prompt",
    "beforeunload": "beforeunload",
}


class Dialogs:
    """What becomes of a page's dialogs.

    Where nobody acts, each is answered at once: no, except that a page may be left. Where somebody
    does, alerts are answered and told of, and the others wait.

    Attributes:
        asked: whether somebody acts, who can be asked.
        open: the one that waits; None for none.
        said: those that were answered at once, unless it was to leave the page.
        leaving: whether we have the page go, and so let it.
    """

    def __init__(self) -> None:
        self.asked = False
        self.leaving = False
        self.open: Dialog | None = None
        self.said = SequencedBuffer[Dialog](REMEMBERED_MAX)
        self._asked_about = 0
        self._opened = trio.Event()

    def take(self, event: page.DialogOpening) -> CDPCommand[Nothing] | None:
        """The answer to a dialog; None where it waits for somebody's."""
        dialog = dialog_of(event)
        if self.asked and dialog.kind != "alert" and not self.leaving:
            self.open = dialog
            self._opened.set()
            return None
        return self.dismiss(dialog)

    def dismiss(self, dialog: Dialog) -> CDPCommand[Nothing]:
        """The answer to one that nobody is asked: no, except that a page may be left."""
        if dialog.kind != "beforeunload":
            self.said.add(dialog)
        return page.handle_dialog(accept=dialog.kind in {"alert", "beforeunload"})

    def next_answered(self) -> tuple[Dialog, ...]:
        """Those that were answered at once, from the first that nobody asked about yet.

        Each is the first of them once.
        """
        answered = self.said.between(self._asked_about, self.said.last)
        self._asked_about = self.said.last - max(len(answered) - 1, 0)
        return answered

    @contextmanager
    def left(self) -> Generator[None]:
        """The page may be left in the block: what it says of that is answered by yes.

        What the next one asks before it is there is answered by no: nobody can see it yet.
        """
        self.leaving = True
        try:
            yield
        finally:
            self.leaving = False

    def closed(self) -> None:
        """It is gone, by an answer or with its document."""
        self.open = None
        if self._opened.is_set():  # else somebody waits in it for the next one
            self._opened = trio.Event()

    async def opens(self) -> None:
        """Waits until one is open."""
        await self._opened.wait()


def dialog_of(event: page.DialogOpening) -> Dialog:
    """What the browser tells of a dialog."""
    message, preset = event.message[:TEXT_MAX], event.default_prompt[:TEXT_MAX]
    return Dialog(KINDS.get(event.type, "alert"), message, preset)


# The latest of what a page tells, counted, so that each is told once.

ItemT = TypeVar("ItemT")


class SequencedBuffer(Generic[ItemT]):
    """Remembers so many; a page may tell any number.

    Attributes:
        last: how many there were, and so the number of the last.
    """

    def __init__(self, kept_max: int) -> None:
        self.last = 0
        self._items = deque[tuple[int, ItemT]](maxlen=kept_max)

    def add(self, item: ItemT) -> None:
        """One more."""
        self.last += 1
        self._items.append((self.last, item))

    def between(self, after: int, last: int) -> tuple[ItemT, ...]:
        """Those with a number greater than the first, and not greater than the second."""
        return tuple(item for number, item in self._items if after < number <= last)

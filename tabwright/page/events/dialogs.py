"""The dialogs of a page: they block it until they are answered."""

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from typing import Generic, TypeVar

import trio

from tabwright.cdp.domains import page
from tabwright.cdp.wire import CDPCommand, Nothing
from tabwright.page.frames import LATEST_MAX
from tabwright.page.outline_text import ENTRY_MAX
from tabwright.protocol.actions import Dialog, DialogKind

KINDS: dict[str, DialogKind] = {
    "alert": "alert",
    "confirm": "confirm",
    "prompt": "prompt",
    "beforeunload": "beforeunload",
}


class Dialogs:
    """The handling of a page's dialogs.

    Without a user that acts, each is answered at once: no, except that a page may be left. With
    such a user, alerts are answered and reported, and the others wait.

    Attributes:
        asked: whether a user acts who can be asked.
        open: the waiting dialog; None if there is none.
        answered: the dialogs answered at once, except those about leaving the page.
        leaving: whether we are leaving the page, and so permit it.
    """

    def __init__(self) -> None:
        self.asked = False
        self.leaving = False
        self._stays: trio.Event | None = None
        self.open: Dialog | None = None
        self.answered = SequencedBuffer[Dialog](LATEST_MAX)
        self._asked_about = 0
        self._until_open = set[trio.CancelScope]()

    def take(self, event: page.DialogOpening) -> CDPCommand[Nothing] | None:
        """Return the answer to a dialog, or None if it waits for the user."""
        dialog = dialog_of(event)
        if self.asked and dialog.kind != "alert" and not self.leaving:
            self.open = dialog
            for scope in self._until_open:
                scope.cancel()
            return None
        return self.dismiss(dialog)

    def dismiss(self, dialog: Dialog, *, of_pop_up: bool = False) -> CDPCommand[Nothing]:
        """Return the answer to an unseen dialog: no, except that a page may be left.

        Args:
            dialog: the dialog.
            of_pop_up: whether it is of another page, which this one has just opened.
        """
        if dialog.kind != "beforeunload":
            self.answered.add(dialog)
            return page.handle_dialog(accept=dialog.kind == "alert")
        if self._stays is None or of_pop_up:
            return page.handle_dialog(accept=True)
        self._stays.set()
        return page.handle_dialog(accept=False)

    def next_answered(self) -> tuple[Dialog, ...]:
        """Return the dialogs answered at once, from the first that was not reported yet.

        Each dialog is the first of them only once.
        """
        answered = self.answered.between(self._asked_about, self.answered.last)
        self._asked_about = self.answered.last - max(len(answered) - 1, 0)
        return answered

    @contextmanager
    def left(self, *, agreed: bool = True) -> Generator[trio.Event]:
        """Permit leaving the page in the block: its dialog about that is answered by yes.

        Unless that is `agreed`: then it is answered by no, and the event is set. A dialog of the
        next page before it has loaded is answered by no: it is not visible yet.
        """
        stays = trio.Event()
        self.leaving = True
        self._stays = None if agreed else stays
        try:
            yield stays
        finally:
            self.leaving = False
            self._stays = None

    def closed(self) -> None:
        """Record that the dialog is gone, by an answer or together with its document."""
        self.open = None

    @contextmanager
    def until_open(self) -> Generator[None]:
        """Cancel the block once a dialog is open: the page does not respond then."""
        with trio.CancelScope() as scope:
            if self.open is not None:
                scope.cancel()
            self._until_open.add(scope)
            try:
                yield
            finally:
                self._until_open.discard(scope)


def dialog_of(event: page.DialogOpening) -> Dialog:
    """Return the dialog that the browser reports."""
    message, preset = event.message[:ENTRY_MAX], event.default_prompt[:ENTRY_MAX]
    return Dialog(KINDS.get(event.type, "alert"), message, preset)


# The latest items of a page, numbered, so that each is reported once.

ItemT = TypeVar("ItemT")


class SequencedBuffer(Generic[ItemT]):
    """A buffer of a limited number of items; a page may add any number.

    Attributes:
        last: the number of items so far, and so the number of the last.
    """

    def __init__(self, kept_max: int) -> None:
        self.last = 0
        self._items = deque[tuple[int, ItemT]](maxlen=kept_max)

    def add(self, item: ItemT) -> None:
        """Add an item."""
        self.last += 1
        self._items.append((self.last, item))

    def between(self, after: int, last: int) -> tuple[ItemT, ...]:
        """Return the items with a number above the first, and not above the second."""
        return tuple(item for number, item in self._items if after < number <= last)

"""The dialogs of a page: what stops it until somebody answers."""

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager

import trio

from tabwright.cdp.command import Command
from tabwright.cdp.domains import page
from tabwright.cdp.wire import Nothing
from tabwright.protocol.outcomes import Dialog, DialogKind

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
        said: those that were answered at once, since `forget`.
        leaving: whether we have the page go, and so let it.
    """

    def __init__(self) -> None:
        self.asked = False
        self.leaving = False
        self.open: Dialog | None = None
        self.said = deque[Dialog](maxlen=REMEMBERED_MAX)
        self._opened = trio.Event()

    def take(self, event: page.DialogOpening) -> Command[Nothing] | None:
        """The answer to a dialog; None where it waits for somebody's."""
        message, preset = event.message[:TEXT_MAX], event.default_prompt[:TEXT_MAX]
        dialog = Dialog(KINDS.get(event.type, "alert"), message, preset)
        if not self.asked:
            return page.handle_dialog(accept=dialog.kind == "beforeunload")
        if dialog.kind == "alert" or self.leaving:
            self.said.append(dialog)
            return page.handle_dialog(accept=dialog.kind in {"alert", "beforeunload"})
        self.open = dialog
        self._opened.set()
        return None

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
        self._opened = trio.Event()

    def forget(self) -> None:
        """What was said was told of."""
        self.said.clear()

    async def opens(self) -> None:
        """Waits until one is open."""
        await self._opened.wait()

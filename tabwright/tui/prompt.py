"""The line in which one types: a command, words to be found, what a field is to hold."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Label

from tabwright.tui.page_view import PAGE

Completion = Callable[[str], Sequence[str]]
"""Gives the lines that may be meant by what is typed."""


class InputLine(Input):
    """The input itself, with keys of its own."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", show=False),
        Binding("up", "earlier", show=False),
        Binding("down", "later", show=False),
        Binding("enter", "submit", show=False),
        Binding("escape", "leave", show=False),
    ]

    class Left(Message):
        """It is left without a word."""

    class Early(Message):
        """A key came here that is not for here any more."""

        def __init__(self, key: str, character: str | None) -> None:
            super().__init__()
            self.key = key
            self.character = character

    def __init__(self) -> None:
        super().__init__(compact=True, select_on_focus=False, id="line")
        self.completion: Completion = _nothing
        self.before: Sequence[str] = ()
        self._offered: Sequence[str] = ()
        self._back = 0

    def begin(self, text: str, before: Sequence[str], completion: Completion) -> None:
        """Begins anew."""
        self.value, self.before, self.completion = text, before, completion
        self.cursor_position = len(text)
        self._offered, self._back = (), 0

    def action_complete(self) -> None:
        """Takes the first line that may be meant, then the next."""
        if self.value not in self._offered:
            self._offered = (*self.completion(self.value), self.value)
            place = 0
        else:
            place = (self._offered.index(self.value) + 1) % len(self._offered)
        self._take(self._offered[place])

    def action_earlier(self) -> None:
        """What was typed before."""
        self._recall(self._back + 1)

    def action_later(self) -> None:
        """What was typed after that."""
        self._recall(self._back - 1)

    async def action_submit(self) -> None:
        """Hands on what is typed."""
        await super().action_submit()
        self._give_keys_back()

    def action_leave(self) -> None:
        """Leaves the line."""
        self.post_message(self.Left())
        self._give_keys_back()

    def action_delete_left(self) -> None:
        """Deletes a character; with none left it leaves the line."""
        if self.value:
            super().action_delete_left()
        else:
            self.action_leave()

    async def _on_key(self, event: events.Key) -> None:
        """Types; what was pressed before it was known that the line is left is the page's."""
        if self.has_focus:
            await super()._on_key(event)
        else:
            event.stop()
            event.prevent_default()
            self.post_message(self.Early(event.key, event.character))

    def _give_keys_back(self) -> None:
        """The next key is the page's, however soon it comes."""
        self.screen.set_focus(self.screen.query_one(f"#{PAGE}"))

    def _recall(self, back: int) -> None:
        if 0 <= back <= len(self.before):
            self._back = back
            self._take(self.before[-back] if back else "")

    def _take(self, text: str) -> None:
        self.value = text
        self.cursor_position = len(text)


class Prompt(Horizontal):
    """The line with what stands before it; it is there only while something is typed."""

    class Typed(Message):
        """Something was typed.

        Attributes:
            before: what stands before the line.
        """

        def __init__(self, before: str, text: str) -> None:
            super().__init__()
            self.before = before
            self.text = text

    def __init__(self) -> None:
        super().__init__(id="entry")
        self._label = Label("", markup=False, id="before")
        self._line = InputLine()
        self._typed: dict[str, list[str]] = {}
        self.display = False

    def compose(self) -> ComposeResult:
        """The parts."""
        yield self._label
        yield self._line

    def begin(
        self,
        before: str,
        text: str = "",
        completion: Completion | None = None,
        *,
        secret: bool = False,
    ) -> None:
        """Has something typed after `before`; what is secret is not shown, and not kept."""
        self._label.update(before)
        self._line.password = secret
        self._before = before
        self._line.begin(text, () if secret else self.typed(before), completion or _nothing)
        self.display = True
        self.screen.set_focus(self._line)

    def typed(self, before: str) -> Sequence[str]:
        """What was typed after that, oldest first."""
        return tuple(self._typed.get(before, ()))

    def end(self) -> None:
        """Goes away."""
        self.display = False

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        """Hands on what was typed."""
        submitted.stop()
        if submitted.value.strip() and not self._line.password:
            kept = self._typed.setdefault(self._before, [])
            kept[:] = [*(one for one in kept if one != submitted.value), submitted.value]
        self.post_message(self.Typed(self._before, submitted.value))


def _nothing(_typed: str) -> Sequence[str]:
    return ()

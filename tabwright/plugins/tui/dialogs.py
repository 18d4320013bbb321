"""The prompt, and dialogs over the page: options and multi-line text."""

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeAlias

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList, SelectionList, TextArea
from textual.widgets.option_list import Option as Choice

from tabwright.plugins.tui.page import FieldValue
from tabwright.plugins.tui.page_view import PAGE
from tabwright.protocol.snapshot import Field
from tabwright.text.lines import strip_invisible

Completion = Callable[[str], Sequence[str]]
"""Returns possible completions of the typed text."""


class InputLine(Input):
    """The input of the prompt, with additional keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", show=False),
        Binding("up", "earlier", show=False),
        Binding("down", "later", show=False),
        Binding("enter", "submit", show=False),
        Binding("escape", "leave", show=False),
    ]

    class Left(Message):
        """The prompt was cancelled."""

    class Early(Message):
        """A key arrived after the input was left."""

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
        """Start a new input."""
        self.value, self.before, self.completion = text, before, completion
        self.cursor_position = len(text)
        self._offered, self._back = (), 0

    def action_complete(self) -> None:
        """Insert the first completion, then the next ones."""
        if self.value not in self._offered:
            self._offered = (*self.completion(self.value), self.value)
            place = 0
        else:
            place = (self._offered.index(self.value) + 1) % len(self._offered)
        self._take(self._offered[place])

    def action_earlier(self) -> None:
        """Show the previous line of the history."""
        self._recall(self._back + 1)

    def action_later(self) -> None:
        """Show the next line of the history."""
        self._recall(self._back - 1)

    async def action_submit(self) -> None:
        """Submit the line."""
        await super().action_submit()
        self._give_keys_back()

    def action_leave(self) -> None:
        """Cancel the input."""
        self.post_message(self.Left())
        self._give_keys_back()

    def action_delete_left(self) -> None:
        """Delete a character; cancel the input if it is empty."""
        if self.value:
            super().action_delete_left()
        else:
            self.action_leave()

    async def _on_key(self, event: events.Key) -> None:
        """Handle a key; after the input was left, pass it to the page."""
        if self.has_focus:
            await super()._on_key(event)
        else:
            event.stop()
            event.prevent_default()
            self.post_message(self.Early(event.key, event.character))

    def _give_keys_back(self) -> None:
        """Pass the next keys to the page, however soon they come."""
        self.screen.set_focus(self.screen.query_one(f"#{PAGE}"))

    def _recall(self, back: int) -> None:
        if 0 <= back <= len(self.before):
            self._back = back
            self._take(self.before[-back] if back else "")

    def _take(self, text: str) -> None:
        self.value = text
        self.cursor_position = len(text)


class Prompt(Horizontal):
    """The input with its label, visible only while the user types."""

    class Typed(Message):
        """A line was submitted.

        Attributes:
            before: the label of the prompt.
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
        """Create the widgets."""
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
        """Prompt with the label `before`; a secret is masked and not kept in the history."""
        self._label.update(before)
        self._line.password = secret
        self._before = before
        self._line.begin(text, () if secret else self.typed(before), completion or _nothing)
        self.display = True
        self.screen.set_focus(self._line)

    def typed(self, before: str) -> Sequence[str]:
        """Return the earlier lines of this label, oldest first."""
        return tuple(self._typed.get(before, ()))

    def end(self) -> None:
        """Hide the prompt."""
        self.display = False

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        """Submit the typed line."""
        submitted.stop()
        if submitted.value.strip() and not self._line.password:
            kept = self._typed.setdefault(self._before, [])
            kept[:] = [*(one for one in kept if one != submitted.value), submitted.value]
        self.post_message(self.Typed(self._before, submitted.value))


def _nothing(_typed: str) -> Sequence[str]:
    return ()


# Windows over the page.

Chosen: TypeAlias = FieldValue | None
"""The chosen value of a field; None if it was not changed."""

LEAVE = Binding("escape", "leave", show=False)
DOWN = Binding("j", "cursor_down", show=False)
UP = Binding("k", "cursor_up", show=False)


class _Choices(OptionList):
    """A list from which one option is chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [DOWN, UP]


class OneOf(ModalScreen[Chosen]):
    """A dialog to choose one option of a field."""

    BINDINGS: ClassVar[list[BindingType]] = [LEAVE]

    def __init__(self, field: Field) -> None:
        super().__init__()
        self._field = field
        self._list = _Choices(*(Choice(Text(one)) for one in _labels(field)), markup=False)

    def compose(self) -> ComposeResult:
        """Create the widgets."""
        yield Label(_title(self._field), markup=False)
        yield self._list

    def on_option_list_option_selected(self, selected: OptionList.OptionSelected) -> None:
        """Choose the selected option."""
        self.dismiss(self._field.options[selected.option_index].value)

    def action_leave(self) -> None:
        """Cancel the dialog."""
        self.dismiss(None)


class _Ticks(SelectionList[str]):
    """A list of checkable options; its own bindings keep keys in order."""

    BINDINGS: ClassVar[list[BindingType]] = [
        DOWN,
        UP,
        Binding("enter", "screen.take", show=False),
    ]

    def action_select(self) -> None:
        """Toggle the highlighted option at once, before another key moves on."""
        if self.highlighted is not None:
            self.toggle(self.get_option_at_index(self.highlighted))


class _Text(TextArea):
    """A multi-line input; its own bindings keep keys in order."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "screen.take", show=False),
        Binding("escape", "screen.leave", show=False),
    ]


class SomeOf(ModalScreen[Chosen]):
    """A dialog to choose several options of a field: Space toggles, Enter accepts."""

    BINDINGS: ClassVar[list[BindingType]] = [LEAVE]

    def __init__(self, field: Field, value: FieldValue) -> None:
        super().__init__()
        self._field = field
        chosen = value if isinstance(value, tuple) else (str(value),)
        self._list = _Ticks(
            *(
                (Text(text), one.value, one.value in chosen)
                for text, one in zip(_labels(field), field.options, strict=True)
            )
        )

    def compose(self) -> ComposeResult:
        """Create the widgets."""
        yield Label(f"{_title(self._field)} (Space toggles, Enter confirms)", markup=False)
        yield self._list

    def action_take(self) -> None:
        """Accept the selected options."""
        self.dismiss(tuple(self._list.selected))

    def action_leave(self) -> None:
        """Cancel the dialog."""
        self.dismiss(None)


class Lines(ModalScreen[Chosen]):
    """A dialog for multi-line text: Ctrl+S accepts."""

    BINDINGS: ClassVar[list[BindingType]] = [LEAVE]

    def __init__(self, field: Field, value: FieldValue) -> None:
        super().__init__()
        self._field = field
        self._text = _Text(str(value))

    def compose(self) -> ComposeResult:
        """Create the widgets."""
        yield Label(f"{_title(self._field)} (Ctrl+S saves, Esc cancels)", markup=False)
        yield self._text

    def action_take(self) -> None:
        """Accept the text."""
        self.dismiss(self._text.text)

    def action_leave(self) -> None:
        """Cancel the dialog."""
        self.dismiss(None)


def _title(field: Field) -> str:
    return strip_invisible(field.label or field.name)


def _labels(field: Field) -> list[str]:
    return [strip_invisible(one.label or one.value) for one in field.options]

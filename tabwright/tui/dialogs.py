"""Windows over the page: one of several options, several of them, text of several lines."""

from typing import ClassVar, TypeAlias

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Label, OptionList, SelectionList, TextArea
from textual.widgets.option_list import Option as Choice

from tabwright.protocol.snapshot import Field
from tabwright.text.lines import strip_invisible
from tabwright.tui.page import FieldValue

Chosen: TypeAlias = FieldValue | None
"""What a field is to hold; None where it was left as it is."""

LEAVE = Binding("escape", "leave", show=False)
DOWN = Binding("j", "cursor_down", show=False)
UP = Binding("k", "cursor_up", show=False)


class _Choices(OptionList):
    """Options of which one is chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [DOWN, UP]


class OneOf(ModalScreen[Chosen]):
    """One of the options of a field."""

    BINDINGS: ClassVar[list[BindingType]] = [LEAVE]

    def __init__(self, field: Field) -> None:
        super().__init__()
        self._field = field
        self._list = _Choices(*(Choice(Text(one)) for one in _labels(field)), markup=False)

    def compose(self) -> ComposeResult:
        """The parts."""
        yield Label(_title(self._field), markup=False)
        yield self._list

    def on_option_list_option_selected(self, selected: OptionList.OptionSelected) -> None:
        """It is chosen."""
        self.dismiss(self._field.options[selected.option_index].value)

    def action_leave(self) -> None:
        """Leaves the field as it is."""
        self.dismiss(None)


class _Ticks(SelectionList[str]):
    """Options to be ticked; its keys are its own, so that each acts after the one before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        DOWN,
        UP,
        Binding("enter", "screen.take", show=False),
    ]

    def action_select(self) -> None:
        """Ticks what is highlighted at once, before another key moves on."""
        if self.highlighted is not None:
            self.toggle(self.get_option_at_index(self.highlighted))


class _Text(TextArea):
    """Text of several lines, with keys of its own for the same reason."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "screen.take", show=False),
        Binding("escape", "screen.leave", show=False),
    ]


class SomeOf(ModalScreen[Chosen]):
    """Several of the options of a field: Space ticks, Enter ends."""

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
        """The parts."""
        yield Label(f"{_title(self._field)} (Space ticks, Enter ends)", markup=False)
        yield self._list

    def action_take(self) -> None:
        """They are chosen."""
        self.dismiss(tuple(self._list.selected))

    def action_leave(self) -> None:
        """Leaves the field as it is."""
        self.dismiss(None)


class Lines(ModalScreen[Chosen]):
    """Text of several lines: Ctrl+S ends."""

    BINDINGS: ClassVar[list[BindingType]] = [LEAVE]

    def __init__(self, field: Field, value: FieldValue) -> None:
        super().__init__()
        self._field = field
        self._text = _Text(str(value))

    def compose(self) -> ComposeResult:
        """The parts."""
        yield Label(f"{_title(self._field)} (Ctrl+S ends, Esc leaves it)", markup=False)
        yield self._text

    def action_take(self) -> None:
        """That is the text."""
        self.dismiss(self._text.text)

    def action_leave(self) -> None:
        """Leaves the field as it is."""
        self.dismiss(None)


def _title(field: Field) -> str:
    return strip_invisible(field.label or field.name)


def _labels(field: Field) -> list[str]:
    return [strip_invisible(one.label or one.value) for one in field.options]

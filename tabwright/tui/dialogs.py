"""Windows over the page: one of several options, several of them, text of several lines."""

from typing import ClassVar, TypeAlias

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Label, OptionList, SelectionList, TextArea
from textual.widgets.option_list import Option as Choice

from tabwright.protocol.snapshots import Field, Option
from tabwright.reading.lines import visible
from tabwright.tui.fields import FieldValue

Chosen: TypeAlias = FieldValue | None
"""What a field is to hold; None where it was left as it is."""

LEAVE = Binding("escape", "leave", show=False)
LINES: list[BindingType] = [
    LEAVE,
    Binding("j", "down", show=False),
    Binding("k", "up", show=False),
]


class OneOf(ModalScreen[Chosen]):
    """One of the options of a field."""

    BINDINGS = LINES

    def __init__(self, field: Field) -> None:
        super().__init__()
        self._field = field
        self._list = OptionList(*(Choice(_label(one)) for one in _labels(field)), markup=False)

    def compose(self) -> ComposeResult:
        """The parts."""
        yield Label(_title(self._field), markup=False)
        yield self._list

    def on_option_list_option_selected(self, selected: OptionList.OptionSelected) -> None:
        """It is chosen."""
        self.dismiss(self._field.options[selected.option_index].value)

    def action_down(self) -> None:
        """To the next."""
        self._list.action_cursor_down()

    def action_up(self) -> None:
        """To the one before."""
        self._list.action_cursor_up()

    def action_leave(self) -> None:
        """Leaves the field as it is."""
        self.dismiss(None)


class SomeOf(ModalScreen[Chosen]):
    """Several of the options of a field: Space ticks, Enter ends."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *LINES,
        Binding("enter", "take", show=False, priority=True),
    ]

    def __init__(self, field: Field, value: FieldValue) -> None:
        super().__init__()
        self._field = field
        chosen = value if isinstance(value, tuple) else (str(value),)
        self._list = SelectionList[str](
            *((_label(text), one.value, one.value in chosen) for text, one in _pairs(field))
        )

    def compose(self) -> ComposeResult:
        """The parts."""
        yield Label(f"{_title(self._field)} (Space ticks, Enter ends)", markup=False)
        yield self._list

    def action_down(self) -> None:
        """To the next."""
        self._list.action_cursor_down()

    def action_up(self) -> None:
        """To the one before."""
        self._list.action_cursor_up()

    def action_take(self) -> None:
        """They are chosen."""
        self.dismiss(tuple(self._list.selected))

    def action_leave(self) -> None:
        """Leaves the field as it is."""
        self.dismiss(None)


class Lines(ModalScreen[Chosen]):
    """Text of several lines: Ctrl+S ends."""

    BINDINGS = [  # noqa: RUF012  (as its class has it)
        Binding("escape", "leave", show=False, priority=True),
        Binding("ctrl+s", "take", show=False, priority=True),
    ]

    def __init__(self, field: Field, value: FieldValue) -> None:
        super().__init__()
        self._field = field
        self._text = TextArea(str(value))

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
    return visible(field.label or field.name)


def _labels(field: Field) -> list[str]:
    return [visible(one.label or one.value) for one in field.options]


def _pairs(field: Field) -> list[tuple[str, Option]]:
    return list(zip(_labels(field), field.options, strict=True))


def _label(text: str) -> Text:
    """As it stands: not as markup."""
    return Text(text)

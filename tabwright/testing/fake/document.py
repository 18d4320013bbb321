"""A document of the fake browser that is acted on, and what our library in it says."""

import json
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlsplit

import attrs
import msgspec

from tabwright.testing.fake.site import FakeControl, FakePage

ROW_PX = 30
"""Each control has a row of its own, one below the other."""

VIEW_PX = (800, 600)
FRAME_S = 1 / 60
LOOK_AGAIN_S = 0.05

FIELDS = frozenset({"textbox", "searchbox"})


@attrs.frozen
class Waiting:
    """An answer that is not there yet, and how to ask for it after a while."""

    delay_s: float
    answer: Callable[[], "str | Waiting"]


@attrs.frozen
class Handle:
    """A handle on an element, which has its number as node of the page too."""

    number: int


@attrs.define(eq=False)
class FakeDocument:
    """What can be acted on in one document.

    Attributes:
        number: what our library was given when it was put there; 0 before.
        shown: the texts that its controls have brought up.
    """

    url: str
    page: FakePage
    number: int = attrs.field(default=0, init=False)
    shown: list[str] = attrs.field(factory=list[str], init=False)
    _values: dict[int, str] = attrs.field(factory=dict[int, str], init=False)
    _focused: int = attrs.field(default=0, init=False)
    _selected: bool = attrs.field(default=False, init=False)
    _stirred: bool = attrs.field(default=True, init=False)
    _changes: int = attrs.field(default=0, init=False)

    def install(self, number: int) -> int:
        """Takes the library in, unless it is there; the number that it has."""
        self.number = self.number or number
        return self.number

    def answer(self, name: str, values: Sequence[object]) -> str | Waiting:
        """What a function of the library answers, as JSON.

        Raises:
            LookupError: it is none of those that the fake knows.
        """
        match name, values:
            case "quiet", _:
                return Waiting(2 * FRAME_S, lambda: "true")
            case "changed", (int() | float() as ms,):
                return self._changed(self._changes, ms / 1000)
            case _:
                return json.dumps(self._said(name, values))

    def _said(self, name: str, values: Sequence[object]) -> object:  # noqa: PLR0911  (a case a function)
        match name, values:
            case "place", _:
                return {"url": self.url, "title": self.page.title}
            case "listed", _:
                return self._listed()
            case "ready", (int(number), *_):
                return self._ready(number)
            case "frames", _:
                return []
            case "shows", (wish,):
                return self._shows(msgspec.convert(wish, _Wish))
            case "disarm", _:
                return {}
            case "focusOn", (int(number), wish):
                return self._focus_on(number, msgspec.convert(wish, dict[str, bool]))
            case "held", (int(number), str(text), wish):
                append = msgspec.convert(wish, dict[str, bool])["append"]
                return self._held(number, text, append=append)
            case "stirred", _:
                stirred, self._stirred = self._stirred, False
                return stirred
            case _:
                raise LookupError(name)

    def press(self, y: float) -> FakeControl | None:
        """The mouse presses at that height: what is there gets the focus; None for nothing."""
        row = int(y // ROW_PX)
        if not 0 <= row < len(self.page.controls):
            return None
        self._focused, self._selected = row + 1, False
        return self.page.controls[row]

    def show(self, text: str) -> None:
        """Something new is there."""
        self.shown.append(text)
        self._stir()

    def insert(self, text: str) -> bool:
        """Text goes into the field that has the focus; False where none has it."""
        if not self._focused or self.page.controls[self._focused - 1].role not in FIELDS:
            return False
        before = "" if self._selected else self._values.get(self._focused, "")
        self._values[self._focused] = before + text
        self._selected = False
        self._stir()
        return True

    def _stir(self) -> None:
        self._stirred = True
        self._changes += 1

    def _listed(self) -> object:
        controls = list(map(self._control, range(1, len(self.page.controls) + 1)))
        parts = [*self.page.says, *controls, *self.shown]
        return {
            "url": self.url,
            "title": self.page.title,
            "top": 0,
            "height": VIEW_PX[1],
            "viewport": VIEW_PX,
            "lines": [{"depth": 0, "kind": "", "parts": [part]} for part in parts],
        }

    def _control(self, number: int) -> Mapping[str, object]:
        control = self.page.controls[number - 1]
        return {
            "ref": number,
            "role": control.role,
            "name": control.name,
            "value": self._values.get(number, ""),
            "states": ["focused"] if number == self._focused else [],
            "url": urlsplit(control.leads_to).path if control.role == "link" else "",
        }

    def _ready(self, number: int) -> object:
        if not 1 <= number <= len(self.page.controls):
            return {"problem": "unknown"}
        top = (number - 1) * ROW_PX
        return {
            "what": self._what(number),
            "point": {"x": 50, "y": top + ROW_PX / 2},
            "box": {"x": 0, "y": top, "width": 100, "height": ROW_PX},
        }

    def _focus_on(self, number: int, wish: Mapping[str, bool]) -> object:
        if self.page.controls[number - 1].role not in FIELDS:
            problem = "no text field" if wish["writes"] else "unfocused"
            return {"problem": problem, "detail": self._what(number)}
        self._focused, self._selected = number, not wish["append"]
        filled = bool(self._values.get(number))
        return {"what": self._what(number), "filled": filled, "field": number}

    def _held(self, number: int, text: str, *, append: bool) -> object:
        value = self._values.get(number, "")
        same = value.endswith(text) if append else value == text
        return {"same": same, "taken": True, "value": value, "length": len(value)}

    def _what(self, number: int) -> str:
        control = self.page.controls[number - 1]
        return f'{control.role} "{control.name}"'

    def _changed(self, before: int, left_s: float) -> str | Waiting:
        if left_s > 0 and self._changes == before:
            return Waiting(LOOK_AGAIN_S, lambda: self._changed(before, left_s - LOOK_AGAIN_S))
        return "true"

    def _shows(self, wish: "_Wish") -> object:
        text = "\n".join((*self.page.says, *self.shown)).lower()
        return {
            "text": any(one.lower() in text for one in wish.text),
            "gone": bool(wish.gone) and wish.gone.lower() in text,
            "selector": False,
        }


class _Wish(msgspec.Struct):
    text: tuple[str, ...] = ()
    gone: str = ""

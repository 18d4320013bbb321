"""Redaction of secrets in a trace: the user's, and what was typed into fields for passwords."""

import re
from collections.abc import Iterable

import attrs

from tabwright.config.secrets import Secrets, mark
from tabwright.page.actions.keyboard import KeyChord, Secret, Typed, literal, typed
from tabwright.plugins.trace.records import ElementDescription, PerformedAction
from tabwright.protocol.actions import FieldValue, Fill, Press, SimpleAction, Type
from tabwright.text.records import each_text

HIDDEN = "(hidden)"
"""The replacement for a text that was typed into an unknown field."""

_NOT_IN_NAMES = re.compile(r"[^A-Z0-9]+")


class TraceMask:
    """The values that a trace must not contain, by the names that replace them.

    Args:
        secrets: those of the user.
    """

    def __init__(self, secrets: Secrets) -> None:
        self._given = secrets
        self._typed: dict[str, str] = {}
        self._all = secrets

    def learn(self, performed: PerformedAction) -> PerformedAction:
        """Return an action with names instead of what it typed into confidential fields."""
        action, elements = performed.action, [one.element for one in performed.targets]
        return attrs.evolve(performed, action=self._without_typed(action, elements))

    def text(self, text: str) -> str:
        """Return a text with names instead of all values known so far."""
        return self._all.masked(text)

    def record(self, value: object) -> object:
        """Return a JSON value with the same in all its texts."""
        return each_text(value, self.text, names=False)

    def _without_typed(
        self, action: SimpleAction, elements: list[ElementDescription]
    ) -> SimpleAction:
        match action:
            case Type() if not elements:
                return attrs.evolve(action, text=HIDDEN)
            case Type() if elements[0].confidential:
                pieces = literal(action.text) if action.literal else typed(action.text)
                return attrs.evolve(action, text=self._named(pieces, elements[0]), literal=False)
            case Press() if elements and elements[0].confidential:
                return attrs.evolve(action, keys=HIDDEN)
            case Fill():
                known = dict(enumerate(elements))
                fields = (
                    attrs.evolve(one, value=self._value(one, known.get(place)))
                    for place, one in enumerate(action.fields)
                )
                return attrs.evolve(action, fields=tuple(fields))
            case _:
                return action

    def _value(
        self, field: FieldValue, element: ElementDescription | None
    ) -> str | bool | tuple[str, ...]:
        value = field.value
        if not isinstance(value, str):
            return value
        if element is None:
            return HIDDEN
        return self._named(literal(value), element) if element.confidential else value

    def _named(self, pieces: Iterable[Typed], element: ElementDescription) -> str:
        """Return what was typed with names instead of the texts."""
        spelled = list[str]()
        for piece in pieces:
            match piece:
                case str():
                    spelled.append(mark(self._name(piece, element)))
                case Secret(name=name):
                    spelled.append(mark(name))
                case KeyChord():
                    spelled.append(f"{{{'+'.join((*piece.modifiers, piece.key.name))}}}")
        return "".join(spelled)

    def _name(self, value: str, element: ElementDescription) -> str:
        """Return the name of a value, a new one for a new value."""
        for name, known in (*self._given.items(), *self._typed.items()):
            if known == value:
                return name
        words = element.field or element.id or element.name or element.placeholder
        first = _NOT_IN_NAMES.sub("_", words.upper()).strip("_")
        stem = first if first[:1].isalpha() else "PASSWORD"
        used = {*self._typed, *dict(self._given.items())}
        names = (stem, *(f"{stem}_{number}" for number in range(2, len(used) + 3)))
        name = next(one for one in names if one not in used)
        self._typed[name] = value
        self._all = Secrets({**dict(self._given.items()), **self._typed})
        return name

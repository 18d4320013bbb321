"""Secrets: a call names one, a page is given its value, and nothing that we say shows that."""

import json
import re
from collections.abc import Mapping
from urllib.parse import quote, quote_plus

import attrs

from tabwright.protocol.errors import BadInput

BEGINNING_MIN = 6
"""Of a value that is masked where it is cut: so many characters are no chance."""

LENGTH_MIN = 4
"""Of a value that is masked: a shorter one stands in any text by chance."""


@attrs.frozen
class Secrets:
    """Values by their names."""

    _values: Mapping[str, str] = attrs.field(factory=dict[str, str], repr=False)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._values)

    def value(self, name: str) -> str:
        """The value of a secret. Where there are none at all, the name stands for itself.

        Raises:
            BadInput: there are others, but none of that name.
        """
        if not self._values:
            return mark(name)
        if name not in self._values:
            raise BadInput(
                f"There is no secret {name}.", advice=f"There are: {', '.join(self._values)}."
            )
        return self._values[name]

    def masked(self, text: str) -> str:
        """The text with the names in place of the values, however these are spelt or cut there."""
        for name, value in self._longest_first:
            spellings = _spellings(value)
            for spelling in spellings:
                text = text.replace(spelling, mark(name))
            for spelling in spellings:
                text = _without_beginning(text, spelling, mark(name))
        return text

    @property
    def _longest_first(self) -> list[tuple[str, str]]:
        long = [pair for pair in self._values.items() if len(pair[1]) >= LENGTH_MIN]
        return sorted(long, key=lambda pair: -len(pair[1]))


def _spellings(value: str) -> list[str]:
    """A value as text, as JSON has it, as URLs do, and with its white space folded."""
    spelt = {
        value,
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        quote(value, safe=""),
        quote(value),
        quote_plus(value),
        " ".join(value.split()),
    }
    return sorted((one for one in spelt if len(one) >= LENGTH_MIN), key=len, reverse=True)


def _without_beginning(text: str, value: str, name: str) -> str:
    """Without the beginning of a value that was cut, as a long text is."""
    for length in range(len(value) - 1, BEGINNING_MIN - 1, -1):
        for cut in ("\u2026", " \u2026"):
            text = text.replace(f"{value[:length]}{cut}", f"{name}{cut}")
    return text


NAME = re.compile(r"\{\{([A-Za-z][A-Za-z0-9_]*)\}\}")
"""How a text names one."""


def mark(name: str) -> str:
    """How a text names it."""
    return f"{{{{{name}}}}}"

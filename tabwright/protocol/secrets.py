"""Secrets: a call names one, a page is given its value, and nothing that we say shows that."""

import re
from collections.abc import Mapping

import attrs

from tabwright.protocol.errors import BadInput

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
        """The text with the names in place of the values."""
        for name, value in self._longest_first:
            text = text.replace(value, mark(name))
        return text

    @property
    def _longest_first(self) -> list[tuple[str, str]]:
        long = [pair for pair in self._values.items() if len(pair[1]) >= LENGTH_MIN]
        return sorted(long, key=lambda pair: -len(pair[1]))


NAME = re.compile(r"\{\{([A-Za-z][A-Za-z0-9_]*)\}\}")
"""How a text names one."""


def mark(name: str) -> str:
    """How a text names it."""
    return f"{{{{{name}}}}}"

"""The number of a link as it is typed, digit by digit."""

import attrs


@attrs.define(eq=False)
class TypedNumber:
    """The digits so far."""

    _digits: str = attrs.field(default="", init=False)

    def __str__(self) -> str:
        return self._digits

    def take(self, digit: str, last: int) -> int | None:
        """Takes a digit; gives the number once no other up to `last` begins like it."""
        self._digits += digit
        return self.end() if int(self._digits) * 10 > last else None

    def end(self) -> int | None:
        """Gives the number as it is, and begins anew; None where nothing was typed."""
        digits, self._digits = self._digits, ""
        return int(digits) if digits else None

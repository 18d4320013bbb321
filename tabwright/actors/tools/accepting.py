"""What a tool accepts, in words: for calls whose arguments do not fit."""

import difflib
import re
from collections.abc import Iterable

import msgspec

from tabwright.actors.tools.schema import JSONObject
from tabwright.protocol.errors import BadInput

_PLACE = re.compile(r" - at `\$\.?(\w*)[^`]*`$")
_WRONG_CHOICE = re.compile(r"Invalid enum value '(.*)'")


class _ChoiceSchema(msgspec.Struct, rename="camel"):
    type: str = ""
    any_of: "list[_ChoiceSchema]" = []
    enum: list[str | int] = []
    items: "_ChoiceSchema | None" = None

    @property
    def choices(self) -> list[str]:
        """The words that may be chosen from; empty for any."""
        return list(map(str, (self.items or self).enum))

    @property
    def kind(self) -> str:
        """What it may be, as a person would write it."""
        if self.any_of:
            return " | ".join(one.kind for one in self.any_of)
        if self.items is not None:
            return f"list of {self.items.kind}"
        return " | ".join(map(str, self.enum)) or self.type or "any"


class _Accepted(msgspec.Struct):
    properties: dict[str, _ChoiceSchema]
    required: list[str] = []

    def __str__(self) -> str:
        told = (
            f"{name}{'' if name in self.required else '?'}: {argument.kind}"
            for name, argument in self.properties.items()
        )
        return ", ".join(told)


def close_match(word: str, known: Iterable[str]) -> str:
    """Which word may have been meant, as a question; empty for none."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean {close[0]}?" if close else ""


def unknown(tool: str, given: JSONObject, schema: JSONObject) -> BadInput | None:
    """What is said of arguments that the tool does not know; None where it knows all."""
    accepted = msgspec.convert(schema, _Accepted)
    strange = sorted(set(given) - set(accepted.properties))
    if not strange:
        return None
    meant = "".join(close_match(name, accepted.properties) for name in strange)
    names = ", ".join(map(repr, strange))
    return BadInput(f"{tool} has no argument {names}.{meant}", advice=_advice(tool, accepted))


def misfit(tool: str, problem: str, schema: JSONObject) -> BadInput:
    """What is said of arguments that are missing, or are not what the tool takes.

    Args:
        tool: its name.
        problem: what msgspec says.
        schema: of what it takes.
    """
    accepted = msgspec.convert(schema, _Accepted)
    place = _PLACE.search(problem)
    told = _PLACE.sub("", problem)
    argument = accepted.properties.get(place[1]) if place else None
    if place is None or argument is None:
        return BadInput(f"{tool}: {told}.", advice=_advice(tool, accepted))
    wrong = _WRONG_CHOICE.match(told)
    meant = close_match(wrong[1], argument.choices) if wrong else ""
    return BadInput(
        f"{tool} cannot take that for {place[1]!r}: {told}.{meant}",
        advice=f"It takes {argument.kind}.",
    )


def _advice(tool: str, accepted: _Accepted) -> str:
    return f"{tool} takes {accepted}." if accepted.properties else f"{tool} takes no arguments."

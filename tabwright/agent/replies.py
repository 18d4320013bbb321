"""Reading what a model has said: tolerant of how it is wrapped, strict about what it means.

Takes the JSON of a tool call, in a code fence, or bare within prose, with or without what a model
thought aloud before. What stands in its thoughts is no answer, and of two answers neither is: a
page may have had it say one of them. The time is linear in the text, of which no more than
`TEXT_MAX` is read.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeVar

import msgspec

from tabwright.agent.actions import ACTIONS, AnyAction
from tabwright.agent.forms import CurrentState, Move, Plan, Verdict
from tabwright.protocol.errors import ModelFailed, ModelFault

TEXT_MAX = 100_000
"""Characters of an answer."""

STARTS_MAX = 32
"""Places in it where an object may begin."""

PROBLEM_MAX = 600
"""Characters of what is said of an answer that cannot be read."""

_COMMA = re.compile(r",\s*(?=[}\]])")
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_WRAPPINGS = ("arguments", "args", "parameters", "input")
"""Under which a model puts its answer that writes a whole tool call."""

ValueT = TypeVar("ValueT")
JSONDict = dict[str, object]


class _Misfit(ValueError):
    """An object is not what was asked for; says why."""


def plan_in(text: str) -> Plan:
    """The plan in a planner's text.

    Raises:
        ModelFailed: there is none, and what is wrong.
    """
    return _read(text, lambda given: _convert(given, Plan))


def move_in(text: str) -> Move:
    """The next move in a navigator's text.

    Raises:
        ModelFailed: there is none, and what is wrong.
    """
    return _read(text, _move)


def verdict_in(text: str) -> Verdict:
    """The verdict in a validator's text.

    Raises:
        ModelFailed: there is none, and what is wrong.
    """
    return _read(text, lambda given: _convert(given, Verdict))


def _read(text: str, value_of: Callable[[JSONDict], ValueT]) -> ValueT:
    """The one object in the text that is one of these."""
    spoken, problem = without_thoughts(text[:TEXT_MAX]), ""
    for spelt in dict.fromkeys((spoken, _COMMA.sub("", spoken))):
        values: list[ValueT] = []
        for given in _decoded(spelt):
            try:
                values.append(_value(given, value_of))
            except (_Misfit, RecursionError) as misfit:
                problem = problem or str(misfit)
        if values and all(value == values[0] for value in values):
            return values[0]
        if values:
            problem = "there are several answers in it: give one"
    raise ModelFailed(
        f"The model's answer cannot be read: {problem[:PROBLEM_MAX] or 'there is no JSON in it'}.",
        fault=ModelFault.UNREADABLE,
        advice="Ask again, or take another model.",
    )


def _value(given: JSONDict, value_of: Callable[[JSONDict], ValueT]) -> ValueT:
    """What an object is, or what it is written round."""
    try:
        return value_of(given)
    except _Misfit:
        for inner in _unwrapped(given):
            with suppress(_Misfit):
                return value_of(inner)
        raise


def without_thoughts(text: str) -> str:
    """What was said after thinking aloud; of thoughts that never end, what was said before."""
    return _THOUGHTS.sub("", text).rpartition("</think>")[2]


def _decoded(text: str) -> Iterator[JSONDict]:
    """The objects in a text, none of them inside another."""
    decoder = json.JSONDecoder(parse_float=str, parse_constant=str)  # 1.10 is a ref, and no number
    start = text.find("{")
    for _ in range(STARTS_MAX):
        if start < 0:
            return
        try:
            given, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield given
        start = text.find("{", end)


def _unwrapped(given: JSONDict) -> Iterator[JSONDict]:
    """What a tool call has been written round."""
    for name in _WRAPPINGS:
        match given.get(name):
            case str(text):
                yield from _decoded(text)
            case dict():
                yield msgspec.convert(given[name], JSONDict)
            case _:
                pass


def _move(given: JSONDict) -> Move:
    actions = tuple(action for one in _listed(given.get("action")) for action in _actions(one))
    if not actions:
        raise _Misfit("`action` is missing or empty: give one action at least")
    return Move(_convert(given.get("current_state") or {}, CurrentState), actions)


def _listed(given: object) -> list[object]:
    """What is given as a list, or alone."""
    if given is None:
        return []
    return msgspec.convert(given, list[object]) if isinstance(given, list) else [given]


def _actions(given: object) -> Iterator[AnyAction]:
    """What an entry of the list says: one action, where the other names stand for nothing."""
    if not isinstance(given, dict):
        raise _Misfit('each action is an object as {"click_element": {"index": "1.5"}}')
    for name, arguments in msgspec.convert(given, JSONDict).items():
        if arguments is None:
            continue
        if name not in ACTIONS:
            raise _Misfit(f"there is no action {name[:40]!r}; there are {', '.join(ACTIONS)}")
        yield _convert(arguments, ACTIONS[name], f"{name}: ")


def _convert(given: object, kind: type[ValueT], where: str = "") -> ValueT:
    """A value of plain ones, with those that are spelt as text understood."""
    if not isinstance(given, dict):
        raise _Misfit(f"{where}an object is expected")
    plain = {
        name: _flat(value)
        for name, value in msgspec.convert(given, JSONDict).items()
        if value is not None
    }
    try:
        return msgspec.convert(plain, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _Misfit(f"{where}{error}") from error


def _flat(value: object) -> object:
    """A list of sentences as a text, which is what is asked for; no half of a surrogate pair."""
    if isinstance(value, list):
        value = "\n".join(map(str, msgspec.convert(value, list[object])))
    return value.encode(errors="replace").decode() if isinstance(value, str) else value

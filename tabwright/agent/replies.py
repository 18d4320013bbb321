"""Parsing of model replies: tolerant of the wrapping, strict about the content.

Accepts the JSON of a tool call, in a code fence, or bare within prose, with or without preceding
reasoning. JSON inside the reasoning does not count. Two answers are refused, because a page may
have injected one of them. The time is linear in the length of the text.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Annotated, TypeAlias, TypeVar

import attrs
import msgspec
from msgspec import Meta

from tabwright.agent.actions import ACTIONS, Action, AnyAction, name_of
from tabwright.protocol.errors import ModelFailed, ModelFault
from tabwright.protocol.llm import AnswerForm
from tabwright.protocol.untrusted_text import Quoted

# The replies of planner, navigator, validator and extractor, as values and as JSON schemas.
#
# The schemas use only what all vendors accept: objects, arrays and plain values, no references.

JSONObject: TypeAlias = Mapping[str, object]


class _Part(msgspec.Struct, rename={"any_of": "anyOf"}):
    """The keywords of a schema that are kept; Gemini refuses most others."""

    type: str = ""
    description: str = ""
    properties: dict[str, "_Part"] = {}
    required: list[str] = []
    any_of: list["_Part"] = []


@attrs.frozen(kw_only=True)
class Plan:
    """The reply of the planner.

    Attributes:
        web_task: whether the task needs a browser.
    """

    observation: Annotated[str, Meta(description="State of the task.")] = ""
    challenges: Annotated[str, Meta(description="Obstacles.")] = ""
    done: Annotated[bool, Meta(description="Whether the task has ended.")]
    success: Annotated[bool, Meta(description="If done: whether the whole task was achieved.")] = (
        True
    )
    next_steps: Annotated[str, Meta(description="Two or three steps; empty if done.")] = ""
    reasoning: Annotated[str, Meta(description="Why these steps.")] = ""
    web_task: Annotated[bool, Meta(description="Whether the task needs a browser.")] = True
    final_answer: Annotated[str, Meta(description="If done: the answer for the user.")] = ""


@attrs.frozen(kw_only=True)
class CurrentState:
    """The navigator's assessment of the state of the task."""

    evaluation_previous_goal: Annotated[
        str, Meta(description="Result of the last goal: success, failure or unknown, and why.")
    ] = ""
    memory: Annotated[str, Meta(description="What was done and found, with counts.")] = ""
    next_goal: Annotated[str, Meta(description="Goal of the next actions.")] = ""


@attrs.frozen
class NavigatorReply:
    """The reply of the navigator: its assessment and the next actions."""

    state: CurrentState
    actions: tuple[AnyAction, ...]

    @property
    def json(self) -> str:
        """Return the reply as JSON in the form that a model would write."""
        actions = [{name_of(action): _given(action)} for action in self.actions]
        reply = {"current_state": attrs.asdict(self.state), "action": actions}
        return msgspec.json.encode(reply).decode()


@attrs.frozen(kw_only=True)
class ValidatorReply:
    """The reply of the validator."""

    is_valid: Annotated[bool, Meta(description="Whether the answer fulfills the whole task.")]
    reason: Annotated[str, Meta(description="Why, and what is missing.")] = ""
    answer: Annotated[str, Meta(description="If valid: the answer, in its final wording.")] = ""


@attrs.frozen(kw_only=True)
class Extraction:
    """The reply of the extractor."""

    found: Annotated[bool, Meta(description="Whether the page answers the question.")]
    content: Annotated[
        str, Meta(description="Everything on the page that answers it, with names and numbers.")
    ] = ""


def _given(action: Action) -> dict[str, object]:
    return {name: value for name, value in attrs.asdict(action).items() if value not in (None, "")}


def _schema(kind: type) -> dict[str, object]:
    """Return the JSON schema of a dataclass of plain values."""
    _, parts = msgspec.json.schema_components([kind])
    return _plain(msgspec.convert(parts[kind.__name__], _Part))


def _plain(schema: _Part) -> dict[str, object]:
    """Return a schema without the parts that only mark a value as optional."""
    sole = schema.any_of[0] if schema.any_of else schema
    described = schema.description or sole.description
    plain: dict[str, object] = {"type": sole.type}
    if described:
        plain["description"] = described.partition("\n")[0]
    if schema.properties:
        plain["properties"] = {name: _plain(one) for name, one in schema.properties.items()}
    if schema.required:
        plain["required"] = schema.required
    return plain


PLANNER = AnswerForm("plan", "The state of the task, and what to do next.", _schema(Plan))

NAVIGATOR = AnswerForm(
    "navigate",
    "What to do in the browser now.",
    {
        "type": "object",
        "properties": {
            "current_state": _schema(CurrentState),
            "action": {
                "type": "array",
                "description": "Actions in order, each an object with one key, its name.",
                "items": {
                    "type": "object",
                    "properties": {name: _schema(kind) for name, kind in ACTIONS.items()},
                },
            },
        },
        "required": ["current_state", "action"],
    },
)

EXTRACTOR = AnswerForm("extract", "What the page says about the question.", _schema(Extraction))

VALIDATOR = AnswerForm("validate", "Whether the answer fulfills the task.", _schema(ValidatorReply))


STARTS_MAX = 32
"""Maximum number of places in a reply where an object may begin."""

PROBLEM_MAX = 600
"""Maximum characters of the explanation of an unreadable reply."""

_COMMA = re.compile(r",\s*(?=[}\]])")
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_WRAPPINGS = ("arguments", "args", "parameters", "input")
"""Keys under which models that write out a tool call put their reply."""

ValueT = TypeVar("ValueT")
JSONDict = dict[str, object]


class _Misfit(ValueError):
    """An object does not have the requested form; the message says why."""


def plan_in(text: str) -> Plan:
    """Return the plan in a planner's reply.

    Raises:
        ModelFailed: there is no valid plan, with the reason.
    """
    return _read(text, lambda given: _convert(given, Plan))


def navigator_reply_in(text: str) -> NavigatorReply:
    """Return the next move in a navigator's reply.

    Raises:
        ModelFailed: there is no valid move, with the reason.
    """
    return _read(text, _move)


def validator_reply_in(text: str) -> ValidatorReply:
    """Return the verdict in a validator's reply.

    Raises:
        ModelFailed: there is no valid verdict, with the reason.
    """
    return _read(text, lambda given: _convert(given, ValidatorReply))


def extraction_in(text: str) -> Extraction:
    """Return the findings in an extractor's reply.

    Raises:
        ModelFailed: there is no valid reply, with the reason.
    """
    return _read(text, lambda given: _convert(given, Extraction))


def _read(text: str, value_of: Callable[[JSONDict], ValueT]) -> ValueT:
    """Return the single object in the text that has one of these types."""
    spoken, problem = without_thoughts(text), ""
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
            problem = "it contains several answers; give one"
    raise ModelFailed(
        (
            "The model's answer cannot be read: ",
            Quoted(problem[:PROBLEM_MAX] or "it contains no JSON"),
            ".",
        ),
        fault=ModelFault.UNREADABLE,
        advice="Try again, or use another model.",
    )


def _value(given: JSONDict, value_of: Callable[[JSONDict], ValueT]) -> ValueT:
    """Return the value of an object, or of the object that it wraps."""
    try:
        return value_of(given)
    except _Misfit:
        for inner in _unwrapped(given):
            with suppress(_Misfit):
                return value_of(inner)
        raise


def without_thoughts(text: str) -> str:
    """Return the text after the reasoning; if the reasoning never ends, the text before it."""
    return _THOUGHTS.sub("", text).rpartition("</think>")[2]


def _decoded(text: str) -> Iterator[JSONDict]:
    """Return the top-level objects in a text."""
    decoder = json.JSONDecoder(parse_float=str, parse_constant=str)  # 1.10 is a ref, not a number
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
    """Return the value that a tool call wraps."""
    for name in _WRAPPINGS:
        match given.get(name):
            case str(text):
                yield from _decoded(text)
            case dict():
                yield msgspec.convert(given[name], JSONDict)
            case _:
                pass


def _move(given: JSONDict) -> NavigatorReply:
    entries = given.get("action")
    if not isinstance(entries, list):  # a single action
        entries = [] if entries is None else [entries]
    listed = msgspec.convert(entries, list[object])
    actions = tuple(action for one in listed for action in _actions(one))
    if not actions:
        raise _Misfit("`action` is missing or empty; give at least one action")
    return NavigatorReply(_convert(given.get("current_state") or {}, CurrentState), actions)


def _actions(given: object) -> Iterator[AnyAction]:
    """Yield the actions of a list entry, usually one; names with a null value are ignored."""
    if not isinstance(given, dict):
        raise _Misfit('each action is an object such as {"click_element": {"index": "1.5"}}')
    for name, arguments in msgspec.convert(given, JSONDict).items():
        if arguments is None:
            continue
        if name not in ACTIONS:
            raise _Misfit(f"there is no action {name[:40]!r}; the actions are {', '.join(ACTIONS)}")
        yield _convert(arguments, ACTIONS[name], f"{name}: ")


def _convert(given: object, kind: type[ValueT], where: str = "") -> ValueT:
    """Convert plain values to a typed value, including values that are written as text."""
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
    """Return a list of sentences as one text, without lone surrogates."""
    if isinstance(value, list):
        value = "\n".join(map(str, msgspec.convert(value, list[object])))
    return value.encode(errors="replace").decode() if isinstance(value, str) else value

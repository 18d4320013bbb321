"""What the three parts of the agent have to say: values, and JSON schemas that models are given.

The schemas keep to what all vendors take: objects, arrays and plain values, no references.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeAlias

import attrs
import msgspec
from msgspec import Meta

from tabwright.agent.actions import ACTIONS, Action, AnyAction, name_of
from tabwright.protocol.llm import AnswerForm

JSONObject: TypeAlias = Mapping[str, object]


class _Part(msgspec.Struct, rename={"any_of": "anyOf"}):
    """What is kept of a schema; Gemini refuses most of the rest."""

    type: str = ""
    description: str = ""
    properties: dict[str, "_Part"] = {}
    required: list[str] = []
    any_of: list["_Part"] = []


@attrs.frozen(kw_only=True)
class Plan:
    """What the planner says.

    Attributes:
        web_task: whether it needs a browser at all.
    """

    observation: Annotated[str, Meta(description="How the task stands.")] = ""
    challenges: Annotated[str, Meta(description="What is in the way.")] = ""
    done: Annotated[bool, Meta(description="Whether the task is over.")]
    success: Annotated[bool, Meta(description="If done: whether all of it was achieved.")] = True
    next_steps: Annotated[str, Meta(description="Two or three steps; empty if done.")] = ""
    reasoning: Annotated[str, Meta(description="Why these.")] = ""
    web_task: Annotated[bool, Meta(description="Whether it takes a browser.")] = True
    final_answer: Annotated[str, Meta(description="If done: the answer for the user.")] = ""


@attrs.frozen(kw_only=True)
class CurrentState:
    """What the navigator thinks of how it stands."""

    evaluation_previous_goal: Annotated[
        str, Meta(description="Success, failure or unknown, and why.")
    ] = ""
    memory: Annotated[str, Meta(description="What was done and found, with counts.")] = ""
    next_goal: Annotated[str, Meta(description="What the actions are to reach.")] = ""


@attrs.frozen
class Move:
    """What the navigator says: what it thinks, and what is done next."""

    state: CurrentState
    actions: tuple[AnyAction, ...]

    @property
    def json(self) -> str:
        """The same as a model would say it."""
        actions = [{name_of(action): _given(action)} for action in self.actions]
        said = {"current_state": attrs.asdict(self.state), "action": actions}
        return msgspec.json.encode(said).decode()


@attrs.frozen(kw_only=True)
class Verdict:
    """What the validator says."""

    is_valid: Annotated[bool, Meta(description="Whether the answer does all of the task.")]
    reason: Annotated[str, Meta(description="Why, and what is missing.")] = ""
    answer: Annotated[str, Meta(description="If valid: the answer, in its final wording.")] = ""


def _given(action: Action) -> dict[str, object]:
    return {name: value for name, value in attrs.asdict(action).items() if value not in (None, "")}


def _schema(kind: type) -> dict[str, object]:
    """The schema of a class of plain values."""
    _, parts = msgspec.json.schema_components([kind])
    return _plain(msgspec.convert(parts[kind.__name__], _Part))


def _plain(schema: _Part) -> dict[str, object]:
    """Without what only says that a value may be left out."""
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


def _object(properties: JSONObject, required: Sequence[str]) -> JSONObject:
    return {"type": "object", "properties": properties, "required": list(required)}


PLANNER = AnswerForm("plan", "How the task stands, and what to do next.", _schema(Plan))

NAVIGATOR = AnswerForm(
    "navigate",
    "What to do in the browser now.",
    _object(
        {
            "current_state": _schema(CurrentState),
            "action": {
                "type": "array",
                "description": "Actions in their order, each an object with one name.",
                "items": {
                    "type": "object",
                    "properties": {name: _schema(kind) for name, kind in ACTIONS.items()},
                },
            },
        },
        ["current_state", "action"],
    ),
)

VALIDATOR = AnswerForm("validate", "Whether the answer does the task.", _schema(Verdict))

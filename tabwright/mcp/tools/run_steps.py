"""``run``: several steps on a page in one call."""

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeAlias, TypeVar

import attrs
import msgspec
from msgspec import Meta

from tabwright.mcp.arguments import JSONObject
from tabwright.mcp.page_results import outcome_result
from tabwright.mcp.tool import ACTS, AnyTool, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.actions import ACTION_TOOLS, OUTCOME, perform
from tabwright.mcp.tools.forms import FieldValues
from tabwright.mcp.tools.page_arguments import TabArguments
from tabwright.protocol.actions import (
    STEPS_MAX,
    FieldValue,
    Fill,
    IfStep,
    ReadElements,
    ReadKind,
    RepeatSteps,
    RunSteps,
    Step,
    StepCondition,
)
from tabwright.protocol.errors import BadInput, Effect
from tabwright.text.similarity import did_you_mean

StepValue: TypeAlias = Annotated[object, Meta(extra_json_schema={"title": "Any value"})]
GivenStep: TypeAlias = Mapping[str, StepValue]


@attrs.frozen(kw_only=True)
class RunArguments(TabArguments):
    """Arguments of `run`."""

    steps: Annotated[
        tuple[GivenStep, ...],
        Meta(
            description='{"do": tool, …its arguments}, e.g. {"do": "click", "ref": "text=Next"}. '
            "do is also fill_form (fields, submit), read (ref, as), if (visible, hidden, text, "
            "gone, url; then, else) or repeat (times, until, steps). ${name} inserts what was read."
        ),
    ]


async def run(arguments: RunArguments, context: ToolContext) -> ToolResult:
    """Perform the steps in the tab."""
    outcome = await perform(RunSteps(read_steps(arguments.steps)), arguments, context)
    result = outcome_result(outcome, context.names)
    if outcome.steps is None or outcome.steps.failure is None:
        return result
    details = outcome.steps.failure.error.details()
    if outcome.steps.acted:  # the effect of the call is not only that of the step that failed
        details["effect"] = Effect.DONE.value
    return attrs.evolve(result, is_error=True, error=details)


RUN = Tool(
    name="run",
    description=(
        "Do several steps in one call. The first failure ends them; what was done is reported."
    ),
    group="act",
    annotations=ACTS,
    arguments=RunArguments,
    handler=run,
    output_schema=OUTCOME,
)

TOOLS = (RUN,)


# The steps of a call.


@attrs.frozen(kw_only=True)
class _Fill:
    """The arguments of the step ``fill_form``."""

    fields: FieldValues
    submit: bool = False


@attrs.frozen(kw_only=True)
class _Read:
    """The arguments of the step ``read``; ``as`` is `kept`."""

    ref: str
    kept: str
    what: ReadKind = "text"


STEP_TOOLS: Mapping[str, AnyTool] = {
    tool.name: tool
    for kind, tool in ACTION_TOOLS.items()
    if kind.declared is not None and kind.declared.is_step
}
"""The tools that can be steps."""

KindT = TypeVar("KindT", _Fill, _Read, StepCondition)

EXAMPLE = '{"do": "click", "ref": "1.5"}'

DO = ("do", "tool", "action")
"""The names of the argument that says what a step does; models also use the last two."""

KINDS = (*STEP_TOOLS, "fill_form", "read", "if", "repeat")


def read_steps(given: Sequence[GivenStep], depth: int = 1) -> tuple[Step, ...]:
    """Return the steps of a call.

    Raises:
        BadInput: a step is not valid; names the step.
    """
    if depth > STEPS_MAX:
        raise BadInput(f"Steps are nested more than {STEPS_MAX} deep.")
    steps = list[Step]()
    for number, one in enumerate(given, 1):
        try:
            steps.append(_read_step(one, depth))
        except BadInput as refusal:
            refusal.chunks = (f"Step {number}: ", *refusal.chunks)
            raise
        except msgspec.ValidationError as refusal:
            raise BadInput(f"Step {number} is not valid: {refusal}.") from refusal
    return tuple(steps)


def _read_step(given: GivenStep, depth: int) -> Step:
    step = dict(given)
    kind = step.pop(next((key for key in DO if key in step), "do"), "")
    if {"session", "tab"} & step.keys():
        raise BadInput(
            "session and tab are arguments of the whole call.", advice="Omit them in the step."
        )
    match kind:
        case "fill_form":
            filling = _converted(step, _Fill)
            values = tuple(FieldValue(name, value) for name, value in filling.fields.items())
            return Fill(values, filling.submit)
        case "read":
            reading = _converted({"kept" if key == "as" else key: step[key] for key in step}, _Read)
            return ReadElements(reading.ref, reading.kept, reading.what)
        case "if":
            then, otherwise = step.pop("then", ()), step.pop("else", ())
            return IfStep(
                _converted(step, StepCondition),
                read_steps(_listed(then), depth + 1),
                read_steps(_listed(otherwise), depth + 1),
            )
        case "repeat":
            inner, until = read_steps(_listed(step.get("steps", ())), depth + 1), step.get("until")
            condition = None if until is None else msgspec.convert(until, StepCondition)
            times = msgspec.convert(step.get("times", 10), int, strict=False)
            return RepeatSteps(inner, times, condition)
        case str() if kind in STEP_TOOLS:
            arguments = STEP_TOOLS[kind].read_arguments(step)
            request: Step = arguments.request()
            return request
        case _:
            what = f"{kind!r} cannot be a step." if kind else "It does not say what to do."
            raise BadInput(
                f"{what}{did_you_mean(str(kind), KINDS)}",
                advice=f"A step is {EXAMPLE}; do is one of {', '.join(KINDS)}.",
            )


def _listed(given: object) -> Sequence[GivenStep]:
    """Return inner steps; a single one is a list of one."""
    if isinstance(given, Mapping):
        return (msgspec.convert(given, dict[str, object]),)
    return msgspec.convert(given, tuple[dict[str, object], ...])


def _converted(given: JSONObject, kind: type[KindT]) -> KindT:
    """Return the arguments of a step that is not a tool.

    Raises:
        BadInput: an argument is missing, unknown or of the wrong type.
    """
    known = [field.name for field in attrs.fields(kind)]
    for name in given:
        if name not in known:
            names = ", ".join(known).replace("kept", "as")
            raise BadInput(f"It has no argument {name!r}.", advice=f"Use {names}.")
    return msgspec.convert(given, kind)

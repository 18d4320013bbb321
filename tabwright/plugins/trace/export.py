"""A trace as a program: steps for the tool ``run``, Python for tabwright, or a Playwright script.

Elements are named as they were on the recorded pages; unlike a replay, a program does not look for
them on pages that have changed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias, get_args

import attrs
import msgspec

from tabwright.config.secrets import NAME
from tabwright.objects.page import Page
from tabwright.plugins.trace.events import JSONRecord
from tabwright.plugins.trace.playwright_script import playwright_script
from tabwright.plugins.trace.records import RecordedTarget
from tabwright.plugins.trace.steps import TraceStep, steps_of, with_targets
from tabwright.plugins.trace.trace_file import Trace
from tabwright.protocol.actions import ACTIONS, Fill, SimpleAction
from tabwright.protocol.errors import BadInput
from tabwright.protocol.locators import SEPARATOR
from tabwright.protocol.quotation_marks import double_quoted
from tabwright.sessions.store import STEPS

ExportKind: TypeAlias = Literal["run", "python", "playwright"]
EXPORT_KINDS: tuple[ExportKind, ...] = get_args(ExportKind)

LISTED_ROLES = frozenset({"clickable", "hoverable", "draggable", "droppable"})
"""Roles of outlines that say what an element reacts to; such an element is found by its text."""


def export_trace(trace: Trace, kind: ExportKind, url: str = "") -> str:
    """Return the steps of a trace as a program.

    Args:
        trace: the trace.
        kind: ``run`` for a JSON list of steps for the tool ``run``, ``python`` for a program that
            uses tabwright, ``playwright`` for a script of Playwright in JavaScript.
        url: see `steps_of`.

    Raises:
        BadInput: a step cannot be repeated, or not in this form.
    """
    steps = steps_of(trace, url)
    for step in steps:
        if step.refusal:
            raise BadInput(
                f"Step {step.number} cannot be exported: {step.refusal}",
                advice="Record the trace again without this step.",
            )
    return EXPORTS[kind](steps)


# Elements and actions.


def locator_of(target: RecordedTarget) -> str:
    """Return a locator that found the element on the recorded page, and no other."""
    element = target.element
    if element.name and SEPARATOR not in element.name and not element.name.endswith("…"):
        name = double_quoted(element.name)
        is_role = element.role not in LISTED_ROLES
        base = f"role={element.role}[name={name}]" if is_role else f"text={name}"
    elif element.test_id and SEPARATOR not in element.test_id:
        base = f"testid={double_quoted(element.test_id)}"
    else:
        base = f"css={element.css}"
    if target.count > 1 and base.startswith(("role=", "text=")):
        return f"{base}{SEPARATOR}nth={target.place}"
    return base


def located(step: TraceStep, action: SimpleAction) -> SimpleAction:
    """Return the action of a step with locators instead of refs.

    Raises:
        BadInput: an element is in a frame, which a locator cannot say.
    """
    if any(one.element.frame for one in step.targets):
        raise BadInput(
            f"Step {step.number} uses an element in a frame: {step.text}.",
            advice="Export to playwright instead.",
        )
    return with_targets(step, action, [locator_of(one) for one in step.targets])


def changed_fields(action: SimpleAction) -> JSONRecord:
    """Return the fields of an action that differ from their defaults."""
    return {
        field.name: value
        for field in attrs.fields(type(action))
        if (value := getattr(action, field.name)) != field.default
    }


# Steps for `run`.

RUN_STEPS: Mapping[type[SimpleAction], str] = {
    Fill: "fill_form",
    **{kind: kind.declared.name for kind in ACTIONS if kind.declared and kind.declared.is_step},
}
"""The names of actions as steps."""


def run_steps(steps: Sequence[TraceStep]) -> str:
    """Return steps for the tool ``run``, as JSON; the first page has to be opened before.

    Raises:
        BadInput: the steps open further pages, change tabs, or do what ``run`` cannot.
    """
    listed = list[JSONRecord]()
    for step in steps[1:]:
        action = located(step, step.action) if step.action else None
        name = RUN_STEPS.get(type(action)) if action else None
        if action is None or name is None:
            raise BadInput(
                f"run cannot do step {step.number}: {step.text}.",
                advice="Export to python instead.",
            )
        if isinstance(action, Fill):
            fields = {one.field: one.value for one in action.fields}
            submit = {"submit": True} if action.submit else {}
            listed.append({"do": name, "fields": fields, **submit})
        else:
            listed.append({"do": name, **changed_fields(action)})
    return f"{msgspec.json.format(msgspec.json.encode(listed), indent=2).decode()}\n"


# A Python program.

PROGRAM = '''"""Recorded by tabwright."""

import os

import trio

import tabwright


async def main() -> None:
    async with tabwright.open(tabwright.load_settings(user=True)) as tw:
        page = tabwright.Page(tw.session("trace"))  # whichever tab is current
{lines}


trio.run(main)
'''

INDENT = " " * 8


def python_program(steps: Sequence[TraceStep]) -> str:
    """Return a program that performs the steps with tabwright; secrets are environment variables.

    Raises:
        BadInput: `Page` has no method for an action.
    """
    lines = [line for step in steps for line in _python_lines(step)]
    text = PROGRAM.format(lines="\n".join(f"{INDENT}{line}" for line in lines))
    return text if "os.environ" in text else text.replace("import os\n\n", "")


def _python_lines(step: TraceStep) -> Iterator[str]:
    page = "page" if step.tab is None else f"tabwright.Page(page.session, {step.tab})"
    if step.action is not None:
        yield f"await {page}.{_python_call(located(step, step.action))}"
    elif step.url in STEPS:
        yield f"await {page}.{step.url}()"
    elif step.url and step.new_tab:
        yield f"await page.session.open({step.url!r})"
    elif step.url:
        yield f"await {page}.goto({step.url!r})"
    else:
        change = "close" if step.closes else "switch"
        yield f'await page.session.change_tabs("{change}", {step.tab})'


def _python_call(action: SimpleAction) -> str:
    """Return the call of the method of `Page` that performs an action."""
    if isinstance(action, Fill):
        fields = ", ".join(
            f"{_python_field(one.field)}: {_python_field(one.value)}" for one in action.fields
        )
        return f"fill({{{fields}}}{', submit=True' if action.submit else ''})"
    name = action.declared.name if action.declared else type(action).__name__.lower()
    if not hasattr(Page, name):
        raise BadInput(f"The action {name or action!r} cannot be exported to python.")
    given = (
        f"{field.name}={_python_field(getattr(action, field.name))}"
        for field in attrs.fields(type(action))
        if getattr(action, field.name) != field.default
    )
    return f"{name}({', '.join(given)})"


def _python_field(value: object) -> str:
    match value:
        case str():
            pieces = NAME.split(value)  # texts and names of secrets, in turn
            parts = (
                f"os.environ[{one!r}]" if at % 2 else repr(one) for at, one in enumerate(pieces)
            )
            return " + ".join(part for part in parts if part != "''") or "''"
        case tuple():
            items = [_python_field(one) for one in msgspec.convert(value, tuple[object, ...])]
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        case _:
            return repr(value)


EXPORTS: Mapping[ExportKind, Callable[[Sequence[TraceStep]], str]] = {
    "run": run_steps,
    "python": python_program,
    "playwright": playwright_script,
}

"""Several actions in one request: conditions, repetition, and variables read from the page."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeVar

import attrs
import msgspec
import trio

from tabwright.config.secrets import NAME
from tabwright.page.action_runner import NO_EFFECT, PERFORMERS, ActionRunner, performs, with_changes
from tabwright.page.actions.keyboard import Typed, escape_keys, typed
from tabwright.page.actions.viewport import condition_holds
from tabwright.page.errors import translate_cdp_errors
from tabwright.protocol.actions import (
    STEPS_MAX,
    BackgroundEvents,
    Fill,
    IfStep,
    Outcome,
    Press,
    ReadElements,
    RepeatSteps,
    RunSteps,
    SimpleAction,
    Step,
    StepCondition,
    StepFailure,
    StepsReport,
    Type,
    ValueCheck,
)
from tabwright.protocol.declarations import element_fields
from tabwright.protocol.errors import BadInput, Effect, Hint, HintKind, Note, TabwrightError
from tabwright.protocol.locators import is_ref, parse_locator, parse_point
from tabwright.protocol.untrusted_text import Quoted
from tabwright.text.lines import words_of_name

RUN_S = 120.0
"""Maximum seconds for all steps."""

ABOUT_CHANGES = {
    HintKind.MORE_CHANGES,
    HintKind.MORE_LINES,
    HintKind.HIDDEN_CONTROLS,
    HintKind.SHORTENED_ADDRESSES,
}

TEXTS_MAX, TEXT_MAX = 100, 2000
"""Maximum number of texts in a variable, and characters in each."""

_SEVERITY: Sequence[ValueCheck] = ("", "matches", "unknown", "differs")

_SELECTOR_NAME = re.compile(r"[\w-]+")

_VARIABLE = re.compile(r"\$\{(\w{1,40})\}", re.ASCII)

ActionT = TypeVar("ActionT", bound=SimpleAction)


@performs(RunSteps, dialog=True)
async def run_steps(runner: ActionRunner, request: RunSteps) -> Outcome:
    check_steps(request.steps)
    before = runner.last
    run = StepRun(runner)
    failure = None
    with trio.move_on_after(RUN_S) as limit:
        try:
            with translate_cdp_errors():
                await run.all(request.steps)
        except TabwrightError as error:
            failure = StepFailure(run.current, error)
    if limit.cancelled_caught:
        late = BadInput(
            f"The steps were not done within {RUN_S:g} s.", advice="Run the rest separately."
        )
        late.effect = Effect.UNKNOWN
        failure = StepFailure(run.current, late)
    report = StepsReport(tuple(run.done), failure, tuple(run.variables.items()), run.acted)
    notes = tuple(one for one in run.outcome.notes if not is_about_changes(one))
    outcome = attrs.evolve(
        run.outcome, steps=report, changes="", notes=notes, dialog=runner.dialogs.open
    )
    after = runner.last
    if after is None or outcome.dialog is not None:
        return outcome
    return with_changes(outcome, before, after)


def is_about_changes(note: Note) -> bool:
    """Return whether a note is about the changes of a step, which the final ones replace."""
    return note == NO_EFFECT or (isinstance(note, Hint) and note.kind in ABOUT_CHANGES)


@attrs.define
class StepRun:
    """The progress of several steps on one page.

    Attributes:
        runner: the page.
        done: the steps that were done, a line each.
        current: the description of the step that is being done.
        variables: what was read.
        outcome: the events of all steps, and the state after the last.
        acted: whether any step was done that does more than read.
    """

    runner: ActionRunner
    done: list[str] = attrs.field(factory=list[str])
    current: str = ""
    variables: dict[str, tuple[str, ...]] = attrs.field(factory=dict[str, tuple[str, ...]])
    outcome: Outcome = attrs.field(factory=lambda: Outcome(""))
    acted: bool = False

    async def all(self, steps: Sequence[Step]) -> None:
        """Do steps in order.

        Raises:
            TabwrightError: a step failed, or there are more than `STEPS_MAX`.
        """
        for step in steps:
            await self.one(step)

    async def one(self, step: Step) -> None:
        """Do one step, which may consist of others.

        Raises:
            TabwrightError: it failed.
        """
        match step:
            case IfStep():
                self.current = describe_step(step)
                holds = await self.holds(step.condition)
                await self.all(step.then if holds else step.otherwise)
            case RepeatSteps():
                for _ in range(step.times):
                    await trio.lowlevel.checkpoint()
                    self.current = describe_step(step)
                    if step.until is not None and await self.holds(step.until):
                        return
                    await self.all(step.steps)
            case ReadElements():
                self.begin(describe_step(step))
                texts = await self.runner.inspect(partial(self.read, step))
                known = self.variables.get(step.name, ())
                self.variables[step.name] = (*known, *texts)[:TEXTS_MAX]
                what = "1 text" if len(texts) == 1 else f"{len(texts)} texts"
                self.done.append(f"Read {what} into {step.name}.")
            case _:
                self.begin(describe_step(step))
                action = self.filled(step)
                outcome = await PERFORMERS[type(action)](self.runner, action)
                effect = NO_EFFECT if NO_EFFECT in outcome.notes else ""
                self.done.append(f"{outcome.description} {effect}".strip())
                self.outcome = _joined(self.outcome, outcome)
                self.acted = True

    def begin(self, what: str) -> None:
        """Count a step.

        Raises:
            BadInput: there are more than `STEPS_MAX`.
        """
        self.current = what
        if len(self.done) >= STEPS_MAX:
            raise BadInput(
                f"{STEPS_MAX} steps were done, which is the maximum.",
                advice="Run the rest separately.",
            )

    async def read(self, step: ReadElements) -> tuple[str, ...]:
        """Return the texts of a step, without secrets.

        Raises:
            TabwrightError: the target is not valid.
        """
        documents = self.runner.documents
        searched, steps = await self.runner.targets.search(self.target(step.ref))
        texts = [
            documents.masked(text)
            for document in searched
            for text in await documents.call(
                document, "readAll", steps, step.what, answer=tuple[str, ...]
            )
        ]
        if step.what == "count":
            return (str(sum(map(int, texts))),)
        return tuple(text[:TEXT_MAX] for text in texts[:TEXTS_MAX])

    async def holds(self, condition: StepCondition) -> bool:
        """Return whether a condition holds now.

        Raises:
            TabwrightError: a target is not valid, or the page does not respond.
        """
        value = "\n".join(self.variables.get(condition.variable, ()))
        if condition.equals is not None and value != self.text(condition.equals):
            return False
        if condition.contains and self.text(condition.contains) not in value:
            return False
        filled = attrs.evolve(
            condition,
            visible=self.target(condition.visible),
            hidden=self.target(condition.hidden),
            text=self.text(condition.text),
            gone=self.text(condition.gone),
            url=self.text(condition.url),
        )
        return await self.runner.inspect(partial(condition_holds, self.runner, filled))

    def text(self, text: str, *, escaped: bool = False) -> str:
        """Return a text with the variables in it, in which `escaped` ones contain no keys."""
        escape = escape_keys if escaped else str
        return _VARIABLE.sub(
            lambda found: escape(", ".join(self.variables.get(found[1], ()))), text
        )

    def target(self, target: str) -> str:
        """Return a target with the variables in it, which can be texts of a locator and no more.

        Raises:
            BadInput: a variable adds a step, a quote or a part of a CSS selector, or is a ref.
        """
        filled = self.text(target)
        if filled != target and _form_of(filled) != _form_of(_VARIABLE.sub("x", target)):
            raise BadInput(
                ("A variable in the target ", Quoted(repr(target)), " is more than a text."),
                advice='Use it as a text, for example role=button[name="${name}"].',
            )
        return filled

    def filled(self, action: ActionT) -> ActionT:
        """Return an action with the variables in its texts.

        A page may have written the variables: they are neither keys nor names of secrets.

        Raises:
            BadInput: a variable has the name of a secret in it.
        """
        if not any(map(_VARIABLE.search, _texts(action))):
            return action
        for target in _targets(action):
            self.target(target)
        types_keys = isinstance(action, Type) and not action.literal
        values = {
            name: self._value(value, keys=types_keys and name == "text")
            for name, value in _fields(action).items()
        }
        return msgspec.convert(values, type(action))

    def _value(self, value: object, *, keys: bool = False) -> object:
        match value:
            case str(text):
                filled = self.text(text, escaped=keys)
                template = _VARIABLE.sub(" ", text)
                special = _special if keys else NAME.findall
                if special(filled) != special(template):
                    raise BadInput(
                        f"A variable in {text!r} contains a key or the name of a secret in braces.",
                        advice="Write the text itself instead of the variable.",
                    )
                return filled
            case list() | tuple():
                return [self._value(one) for one in msgspec.convert(value, list[object])]
            case dict():
                inner = msgspec.convert(value, dict[str, object])
                return {name: self._value(one) for name, one in inner.items()}
            case _:
                return value


def _form_of(target: str) -> object:
    """Return what a target is but for its texts; a CSS selector without its names."""
    if is_ref(target) or parse_point(target):
        return target
    return [
        (step.kind, step.value.exact, step.name is None or step.name.exact, step.states)
        if step.kind != "css"
        else _SELECTOR_NAME.sub("x", step.value.text)
        for step in parse_locator(target).steps
    ]


def _special(text: str) -> list[Typed]:
    """Return the keys and secrets in a text to type."""
    return [piece for piece in typed(text) if not isinstance(piece, str)]


def check_steps(steps: Sequence[Step]) -> None:
    """Check all steps before the first is done.

    Raises:
        BadInput: there are none or too many, a locator is not valid, a variable is never read, or
            keys depend on a variable.
    """
    every = tuple(_flat(steps))
    if not every or len(every) > STEPS_MAX:
        raise BadInput(f"There must be 1 to {STEPS_MAX} steps, not {len(every)}.")
    names = {step.name for step in every if isinstance(step, ReadElements)}
    for step in every:
        for text in _texts(step):
            for name in _VARIABLE.findall(text):
                if name not in names:
                    raise BadInput(
                        f"No step reads the variable {name}.", advice="Add a step that reads it."
                    )
        if isinstance(step, Press) and _VARIABLE.search(step.keys):
            raise BadInput("Keys cannot contain variables.", advice="Type the text instead.")
        for target in filter(None, _targets(step)):
            if not (is_ref(target) or parse_point(target) or _VARIABLE.search(target)):
                parse_locator(target)
        if isinstance(step, RepeatSteps) and not 1 <= step.times <= STEPS_MAX:
            raise BadInput(f"Steps are repeated 1 to {STEPS_MAX} times, not {step.times}.")


def _flat(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield all steps, with the inner ones."""
    for step in steps:
        yield step
        match step:
            case IfStep():
                yield from _flat((*step.then, *step.otherwise))
            case RepeatSteps():
                yield from _flat(step.steps)
            case _:
                pass


def _fields(value: object) -> dict[str, object]:
    """Return the fields of a step or a condition, in lists and dictionaries."""
    return msgspec.convert(msgspec.to_builtins(value), dict[str, object])


def _texts(step: Step) -> Iterator[str]:
    """Yield the texts of a step that may contain variables."""
    match step:
        case IfStep(condition=condition):
            yield from _strings(_fields(condition))
        case RepeatSteps(until=until):
            yield from _strings(_fields(until)) if until else ()
        case _:
            yield from _strings(_fields(step))


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list() | tuple():
            for one in msgspec.convert(value, list[object]):
                yield from _strings(one)
        case dict():
            for one in msgspec.convert(value, dict[str, object]).values():
                yield from _strings(one)
        case _:
            pass


def _targets(step: Step | StepCondition) -> tuple[str, ...]:
    match step:
        case IfStep(condition=condition) | RepeatSteps(until=StepCondition() as condition):
            return _targets(condition)
        case Fill():
            return tuple(value.field for value in step.fields)
        case RepeatSteps():
            return ()
        case _:
            return tuple(_strings([getattr(step, name) for name in element_fields(type(step))]))


def describe_step(step: Step) -> str:
    """Return a step in a few words, for the report of a failure."""
    named = next(filter(None, _targets(step)), "")
    return f"{words_of_name(type(step).__name__)} {named}".strip()


def _joined(before: Outcome, after: Outcome) -> Outcome:
    """Return the events of both outcomes, with the state of the later one."""
    first, then = before.meanwhile, after.meanwhile
    meanwhile = BackgroundEvents(
        dialogs=(*first.dialogs, *then.dialogs),
        opened=(*first.opened, *then.opened),
        tabs=(*first.tabs, *then.tabs),
        downloads=(*first.downloads, *then.downloads),
        errors=(*first.errors, *then.errors),
    )
    # A request that is pending after one step may end during the next, which reports it as earlier.
    requests = {one.number: one for one in (*before.requests, *after.requests)}
    ended = {one.number: one for one in then.requests}
    requests.update((number, ended.pop(number)) for number in ended.keys() & requests.keys())
    meanwhile = attrs.evolve(meanwhile, requests=(*first.requests, *ended.values()))
    return attrs.evolve(
        after,
        description="",
        navigated=after.navigated or before.navigated,
        dialogs=(*before.dialogs, *after.dialogs),
        opened=(*before.opened, *after.opened),
        downloads=(*before.downloads, *after.downloads),
        errors=(*before.errors, *after.errors),
        requests=tuple(requests.values()),
        notes=(*before.notes, *(note for note in after.notes if note not in before.notes)),
        meanwhile=meanwhile,
        value_check=max(before.value_check, after.value_check, key=_SEVERITY.index),
        script=after.script or before.script,
    )

"""Filling in several fields, and submitting their form as a person would."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress

import attrs

from tabwright.cdp.errors import CommandFailed
from tabwright.config.secrets import NAME
from tabwright.page.action_runner import ActionPlan, ActionRunner, performs
from tabwright.page.actions.actionability import (
    ActionabilityReport,
    raise_not_actionable,
    wait_element_actionable,
)
from tabwright.page.actions.field import (
    UNKNOWN,
    WRITABLE,
    FieldReport,
    Held,
    ask_field,
    check_secrets,
    pick,
    write,
)
from tabwright.page.actions.keyboard import key_press_commands, stroke_of
from tabwright.page.actions.mouse import MousePress
from tabwright.page.errors import unsent_form
from tabwright.page.frames import ElementHandle, FrameDocument
from tabwright.page.outline_text import escape_refs
from tabwright.protocol.actions import FieldValue, Fill, Outcome, Type, ValueCheck
from tabwright.protocol.errors import BadInput, Effect, HintKind, Refusal
from tabwright.protocol.locators import is_locator, is_ref
from tabwright.protocol.untrusted_text import Quoted
from tabwright.text.hints import advised

WORST_FIRST: tuple[ValueCheck, ...] = ("differs", "unknown", "matches")

_NO = frozenset({"false", "no", "off", "0", ""})


@attrs.frozen
class _NamedField:
    ref: int
    value: str = ""
    label: str = ""


@attrs.frozen
class _Named:
    """The fields of a name; if there are none, the names of those in the document."""

    refs: tuple[_NamedField, ...]
    fields: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class _Sending:
    """The way to submit the form of a field.

    Attributes:
        problem, detail: why it cannot be submitted.
        form: whether there is a form.
        button: the number of its button that can be pressed; 0 for none.
        what: the description of the button.
        enter: whether Enter in the field submits the form.
    """

    problem: str = ""
    detail: str = ""
    form: bool = False
    button: int = 0
    what: str = ""
    enter: bool = False

    def __str__(self) -> str:
        if self.button:
            return f"Submitted the form with {self.what}."
        if self.form:
            return (
                "Submitted the form with Enter."
                if self.enter
                else "Submitted the form; it has no button."
            )
        done = "Pressed Enter" if self.enter else "Nothing was submitted"
        return f"{done}: the last field is not in a form."


@performs(Fill)
async def fill(runner: ActionRunner, request: Fill) -> Outcome:
    if not request.fields:
        raise BadInput("No field is given.", advice="Set fields to values by ref or label.")
    targets = [await _checked_target(runner, field) for field in request.fields]
    sentences = [f"Filled in {_names(request.fields)}."]
    held = list[Held]()

    async def fill_all() -> None:
        """Fill in the fields, then submit the form; if cancelled, keep the fields filled so far."""
        element: ElementHandle | None = None
        for number, (ref, field) in enumerate(targets):
            with _telling(request.fields[:number]):
                element, one = await _fill_one(runner, ref, field)
                held.append(one)
        pairs = list(zip(request.fields, held, strict=True))
        wrong = [f"{field.field}: {one.shown}" for field, one in pairs if one.check == "differs"]
        unknown = [field.field for field, one in pairs if one.check == "unknown"]
        notes = [f"Values that differ: {'; '.join(wrong)}."] if wrong else []
        notes += [f"These values could not be checked: {', '.join(unknown)}."] if unknown else []
        sentences.append(" ".join(notes) or "All values match.")
        if request.submit and element is not None:
            with _telling(request.fields):
                sending = await runner.documents.call_on(element, "sending", answer=_Sending)
                if sending.problem == "invalid":
                    raise unsent_form(sending.detail)
                if sending.problem:
                    raise_not_actionable(
                        ActionabilityReport(problem=sending.problem, detail=sending.detail),
                        element.ref,
                    )
                sentences.append(str(sending))
                if sending.button:
                    await _press(runner, ElementHandle(element.document, sending.button))
                elif sending.enter:
                    await runner.session.execute_all(list(key_press_commands(stroke_of("Enter"))))
                elif sending.form:
                    with suppress(CommandFailed):  # the submission has caused a navigation
                        await ask_field(runner, element, "send")

    outcome = await runner.act(ActionPlan("", fill_all, may_be_late=request.submit))
    checks = {one.check for one in held}
    found: list[ValueCheck] = [one for one in WORST_FIRST if one in checks]
    return attrs.evolve(
        outcome,
        description=" ".join((*sentences, outcome.description)).strip(),
        value_check=found[0] if found else "",
    )


@contextmanager
def _telling(done: tuple[FieldValue, ...]) -> Generator[None]:
    """Add the fields filled in so far to an error of the block."""
    try:
        yield
    except Refusal as refusal:
        if done:
            refusal.add(" Filled in before: ", Quoted(_names(done)), ".")
            refusal.effect = Effect.DONE
        raise


def _names(fields: Iterable[FieldValue]) -> str:
    return ", ".join(field.field for field in fields)


async def _fill_one(
    runner: ActionRunner, ref: str, field: FieldValue
) -> tuple[ElementHandle, Held]:
    element = await runner.targets.find(ref)
    shown = await ask_field(runner, element, "shownValue")
    if shown.files:
        raise BadInput((Quoted(shown.what), " is a file field."), **advised(HintKind.UPLOAD_FILES))
    if shown.role in {"checkbox", "radio", "switch"}:
        if isinstance(field.value, bool):
            wanted = field.value
        else:
            word = field.value.strip().lower() if isinstance(field.value, str) else ""
            wanted = word not in _NO
        return element, await _check(runner, element, shown, wanted=wanted)
    if shown.select:
        await pick(runner, element, _texts(field))
        return element, Held(same=True)
    (text,) = _texts(field)[:1] or ("",)
    reached = await wait_element_actionable(runner.documents, element, WRITABLE)
    return element, await write(runner, reached, Type(ref, text, literal=True))


async def _check(
    runner: ActionRunner, element: ElementHandle, shown: FieldReport, *, wanted: bool
) -> Held:
    if shown.checked is wanted:
        return Held(same=True)
    await _press(runner, element)
    try:
        after = await runner.documents.call_on(element, "shownValue", answer=FieldReport)
    except CommandFailed:  # the press has caused a navigation
        return UNKNOWN
    if after.problem:
        return UNKNOWN
    state = "checked" if after.checked else "not checked"
    return Held(same=after.checked is wanted, value=state, length=len(state))


async def _press(runner: ActionRunner, element: ElementHandle) -> None:
    pressing = MousePress(element.ref)
    await pressing.press(
        runner, await wait_element_actionable(runner.documents, element, pressing.checks)
    )


async def _checked_target(runner: ActionRunner, field: FieldValue) -> tuple[str, FieldValue]:
    """Return the ref of a field and its value, whose secrets belong to the site of the field.

    Raises:
        BadInput: there is no such field, more than one, or a secret belongs to another site.
    """
    ref, field = await _target_of(runner, field)
    if isinstance(field.value, str) and NAME.search(field.value):
        element = await runner.targets.find(ref)
        await check_secrets(runner, element, Type(ref, field.value, literal=True))
    return ref, field


async def _target_of(runner: ActionRunner, field: FieldValue) -> tuple[str, FieldValue]:
    """Return the ref of a field by its ref, name, id, label, placeholder or group, and its value.

    Raises:
        BadInput: there is no such field, or more than one.
    """
    if is_ref(field.field) or is_locator(field.field):
        return field.field, field
    main = await runner.documents.main()
    named, others = await _fields_of((main,), runner, field.field)
    if not named:
        named, framed = await _fields_of(await runner.documents.frames(), runner, field.field)
        others += framed
    if not named:
        named_fields = escape_refs(", ".join(others)) or "none with a name"
        raise BadInput(
            (
                "The page has no field ",
                Quoted(repr(field.field)),
                ". Its fields: ",
                Quoted(named_fields),
                ".",
            ),
            advice="Use a ref or a label from an outline.",
        )
    if len(named) == 1:
        return next(iter(named)), field
    # Radio buttons share their name: the value selects the button, which is then checked.
    chosen = [ref for ref, one in named.items() if field.value in {one.value, one.label}]
    if len(chosen) != 1:
        choices = ", ".join(f"{ref} {one.label!r}" for ref, one in named.items())
        raise BadInput(
            ("Several fields match ", Quoted(repr(field.field)), ": ", Quoted(choices), "."),
            advice="Use one of these refs, or the label of a radio button as the value.",
        )
    return chosen[0], attrs.evolve(field, value=True)


async def _fields_of(
    documents: Iterable[FrameDocument], runner: ActionRunner, name: str
) -> tuple[dict[str, _NamedField], list[str]]:
    """Return the fields of a name by ref, and the names of the fields in documents without one."""
    found: dict[str, _NamedField] = {}
    others = list[str]()
    for document in documents:
        named = await runner.documents.call(document, "fieldsNamed", name, answer=_Named)
        found |= {f"{document.number}.{one.ref}": one for one in named.refs}
        others += [other for other in named.fields if other]
    return found, others


def _texts(field: FieldValue) -> tuple[str, ...]:
    match field.value:
        case bool():
            raise BadInput((Quoted(repr(field.field)), " accepts text, not true or false."))
        case str(text):
            return (text,)
        case texts:
            return texts

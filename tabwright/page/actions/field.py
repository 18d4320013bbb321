"""Actions on a field: typing, pressing keys, selecting options."""

from collections.abc import Iterator, Sequence
from itertools import chain

import attrs
import trio

from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.wire import JSON, CDPCommand, Nothing
from tabwright.page.action_runner import HELD_S, ActionPlan, ActionRunner, answers, performs
from tabwright.page.actions.actionability import (
    ActionabilityReport,
    ActionableElement,
    raise_not_actionable,
    wait_actionable,
)
from tabwright.page.actions.keyboard import (
    KeyChord,
    Secret,
    Typed,
    insert_text_commands,
    key_press_commands,
    literal,
    stroke_of,
    strokes_of,
    type_commands,
    typed,
)
from tabwright.page.frames import POLL_S, ElementHandle, FrameDocument
from tabwright.page.outline_text import escape_refs, truncate
from tabwright.protocol.actions import Outcome, Press, SelectOption, Type, ValueCheck
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Choice, ListOptions
from tabwright.protocol.untrusted_text import Quoted

WRITABLE: dict[str, JSON] = {"visible": True, "enabled": True, "editable": True}

KEY_S = 0.02
"""Seconds for a page to process a key, if each character is a separate key."""

LATE_TEXT_S = 0.2
"""Seconds for an editor that cancels the input of text and inserts it itself a moment later."""

KEY_EVENTS = frozenset({"keydown", "keypress", "keyup"})
TEXT_EVENTS = frozenset(
    {"input", "beforeinput", "textInput", "compositionend", "compositionupdate", "paste"}
)
"""The events that a page receives for the text of a field, however it was entered."""

OPTIONS_LISTED_MAX = 30
"""The problem of a select element without the option."""


@attrs.frozen(kw_only=True)
class FieldReport:
    """The library's report on a field.

    Attributes:
        sets: whether its value is set instead of typed, for example a date or a color.
        filled: whether it has content.
        field: the number of the text field that receives keys; 0 if it is not a text field.
        drawn: whether an editor draws its text outside that field.
        files, select: whether it is a file field or a select element.
        folder: whether it is a file field for a folder.
    """

    problem: str = ""
    detail: str = ""
    what: str = ""
    role: str = ""
    value: str = ""
    sets: bool = False
    filled: bool = False
    field: int = 0
    drawn: bool = False
    checked: bool = False
    files: bool = False
    folder: bool = False
    select: bool = False
    options: tuple[Choice, ...] = ()


@attrs.frozen(kw_only=True)
class Held:
    """The content of a field after text was entered.

    Attributes:
        problem: why the content is not known; empty if it is known.
        same: whether it is the requested text.
        taken: whether the page received the text.
        value: its beginning; empty for a password.
        length: how many characters it has.
    """

    problem: str = ""
    same: bool = False
    taken: bool = True
    value: str = ""
    length: int = 0

    @property
    def check(self) -> ValueCheck:
        """Return the comparison in a word."""
        return "unknown" if self.problem else "matches" if self.same else "differs"

    @property
    def shown(self) -> str:
        """Return the content in words."""
        if not self.length:
            return "the field is empty"
        if not self.value:
            return f"it has {self.length} characters"
        return f'it is "{escape_refs(truncate(self.value))}" ({self.length} characters)'


UNKNOWN = Held(problem="no value")
"""The content of a field that has none, or is gone."""


@performs(Type)
async def type_text(runner: ActionRunner, request: Type) -> Outcome:
    reached = await wait_actionable(runner.targets, request.ref, WRITABLE)
    await check_secrets(runner, reached.element, request)
    held = UNKNOWN

    async def write_it() -> None:
        """Type the text; if cancelled, the text typed so far stays."""
        nonlocal held
        held = await write(runner, reached, request)

    end = " and pressed Enter" if request.submit else ""
    held_s = HELD_S + len(request.text) * KEY_S
    document = reached.element.document if request.submit else None
    move = ActionPlan("", write_it, held_s=held_s, may_be_late=request.submit, submits_in=document)
    outcome = await runner.act(move)
    values = {
        "matches": "The value matches",
        "differs": f"The value differs: {held.shown}",
        "unknown": "The value could not be checked",
    }
    text = f"Typed into {reached.what}{end}. {values[held.check]}."
    return attrs.evolve(
        outcome, description=f"{text} {outcome.description}".strip(), value_check=held.check
    )


@performs(Press)
async def press(runner: ActionRunner, request: Press) -> Outcome:
    strokes = strokes_of(request.keys)
    reached = (
        await wait_actionable(runner.targets, request.ref, {"visible": True})
        if request.ref
        else None
    )

    async def press_key() -> None:
        """Press one key after the other; if cancelled, the pressed keys stay pressed."""
        if reached is not None:
            options: JSON = {"append": True, "writes": False, "keeps": True}
            await ask_field(runner, reached.element, "focusOn", options)
        for stroke in strokes:
            await runner.session.execute_all(list(key_press_commands(stroke)))

    where = f" on {reached.what}" if reached else ""
    text, plain = f"Pressed {request.keys}{where}.", reached is None
    document = reached.element.document if reached else await runner.documents.main()
    plan = ActionPlan(text, press_key, may_be_late=True, is_plain=plain, submits_in=document)
    return await runner.act(plan)


@performs(SelectOption)
async def choose(runner: ActionRunner, request: SelectOption) -> Outcome:
    element = await runner.targets.find(request.ref)
    listed = await ask_field(runner, element, "options")
    values = request.values or ()

    async def pick_them() -> None:
        """Select all options in one call of the page's library."""
        await pick(runner, element, values)

    chosen = ", ".join(values) or "nothing"
    return await runner.act(ActionPlan(f"Chose {chosen} in {listed.what}.", pick_them))


async def choose_option(runner: ActionRunner, option: ElementHandle) -> Outcome:
    """Select an option of a drop-down list, as `SelectOption` with it does.

    Raises:
        BadInput, PageFailed: the option or its list is disabled.
    """
    listed = await ask_field(runner, option, "listOf")

    async def pick_it() -> None:
        """Select the option in one call of the page's library."""
        await ask_field(runner, option, "chooseOption")

    chosen = escape_refs(truncate(listed.value))
    return await runner.act(ActionPlan(f"Chose {chosen} in {listed.what}.", pick_it))


@answers(ListOptions)
async def options(runner: ActionRunner, request: ListOptions) -> tuple[Choice, ...]:
    element = await runner.targets.find(request.ref)
    return (await ask_field(runner, element, "options")).options


async def pick(runner: ActionRunner, element: ElementHandle, values: Sequence[str]) -> None:
    """Select options by value or label.

    Raises:
        BadInput, PageFailed: the element has no such option, or cannot be used.
    """
    chosen = await runner.documents.call_on(element, "choose", list(values), answer=FieldReport)
    if chosen.problem == "no option":
        labels = (escape_refs(truncate(one.label)) for one in chosen.options[:OPTIONS_LISTED_MAX])
        known = ", ".join(f'"{label}"' for label in labels)
        left = len(chosen.options) - OPTIONS_LISTED_MAX
        more = f" and {left} more" if left > 0 else ""
        wanted = escape_refs(truncate(chosen.detail))
        raise BadInput(
            (
                'There is no option "',
                Quoted(wanted),
                '". The options are ',
                Quoted(known),
                f"{more}.",
            ),
            advice="Use one of them.",
        )
    _check(chosen, element)


async def write(runner: ActionRunner, reached: ActionableElement, request: Type) -> Held:
    """Type into a ready field; return its content before any key was pressed in it.

    If that differs from the text, but the content after the keys does not, return the latter.

    Text is inserted as a whole. It is typed key by key if requested, if the focused element is not
    a field, if the page listens only to the keys of the field, or if the field did not accept the
    text.

    Raises:
        BadInput, PageFailed: the field accepts no text, or not this text.
    """
    secret = any(isinstance(piece, Secret) for piece in _typed(request))
    if secret:
        runner.secret_fields.add(reached.element.ref)
    options: JSON = {"append": request.append, "writes": True}
    focused, handle = await runner.documents.call_and_hold(
        reached.element, "focusOn", options, holds="focused", answer=FieldReport
    )
    _check(focused, reached.element)
    if focused.sets:
        # The value to set has the values of secrets in it; keys are not possible.
        as_text = attrs.evolve(request, literal=True)
        text = "".join(map(str, await _pieces(runner, reached.element.document, as_text)))
        set_to = await ask_field(runner, reached.element, "setValue", text)
        held = Held(same=set_to.value == text, value=set_to.value, length=len(set_to.value))
    else:
        held = await _type(runner, reached, request, focused, handle)
    if request.submit:
        await runner.session.execute_all(list(key_press_commands(stroke_of("Enter"))))
    return attrs.evolve(held, value="") if secret else held


async def _type(
    runner: ActionRunner,
    reached: ActionableElement,
    request: Type,
    focused: FieldReport,
    handle: str | None,
) -> Held:
    pieces = await _pieces(runner, reached.element.document, request)
    text = pieces.pop(0) if pieces and isinstance(pieces[0], str) else ""
    text = text if isinstance(text, str) else ""
    field = ElementHandle(reached.element.document, focused.field) if focused.field else None
    by_keys = (
        request.slowly
        or not field
        or not handle
        or await _hears_keys_alone(runner, field.document, handle, text)
    )
    writing = type_commands if by_keys else insert_text_commands
    clearing = [] if request.append else list(_clearing(focused, empty=not text))
    await runner.session.execute_all([*clearing, *writing(text)])
    held = await _held(runner, field, focused, request, text)
    if not held.taken and not by_keys and text and "\n" not in text:
        writing = type_commands
        await runner.session.execute_all(list(type_commands(text)))
        held = await _held(runner, field, focused, request, text)
    rest = (
        key_press_commands(one) if isinstance(one, KeyChord) else writing(one) for one in pieces
    )
    await runner.session.execute_all(list(chain.from_iterable(rest)))
    if held.check == "differs":
        # A picker that opens under the mouse previews its own value in the field for a moment.
        later = await _held(runner, field, focused, request, text)
        with trio.move_on_after(LATE_TEXT_S):
            while text and not later.length and not later.problem:
                await trio.sleep(POLL_S)
                later = await _held(runner, field, focused, request, text)
        return later if later.same else held
    return held


def _clearing(focused: FieldReport, *, empty: bool) -> Iterator[CDPCommand[Nothing]]:
    """Return the steps that clear a field; text replaces a selection, but not a whole editor."""
    if focused.drawn:
        yield from key_press_commands(stroke_of("Control+A"))
    if empty and (focused.filled or focused.drawn):
        yield from key_press_commands(stroke_of("Backspace"))


async def _hears_keys_alone(
    runner: ActionRunner, document: FrameDocument, handle: str, text: str
) -> bool:
    """Return whether a page listens to the keys of a field only, as games and terminals do.

    A text of several lines is inserted as a whole: Enter may send the text typed so far.
    """
    if not text or "\n" in text:
        return False
    types = await runner.documents.handled_events(document, handle)
    return bool(types & KEY_EVENTS) and not types & TEXT_EVENTS


async def _held(
    runner: ActionRunner,
    field: ElementHandle | None,
    focused: FieldReport,
    request: Type,
    text: str,
) -> Held:
    """Compare the content of a field with the text; unknown if the field is gone."""
    if field is None or focused.drawn:
        return UNKNOWN
    options: JSON = {"append": request.append}
    try:
        held = await runner.documents.call_on(field, "held", text, options, answer=Held)
    except CommandFailed:  # the text has caused a navigation
        return UNKNOWN
    return attrs.evolve(held, value=runner.secrets.masked(held.value))


async def check_secrets(runner: ActionRunner, element: ElementHandle, request: Type) -> None:
    """Check that the secrets in a text belong to the site of the document of a field.

    Raises:
        BadInput: one does not, or does not exist.
    """
    await _pieces(runner, element.document, request)


async def _pieces(
    runner: ActionRunner, document: FrameDocument, request: Type
) -> list[str | KeyChord]:
    """Return the parts to type, with the values of secrets.

    Raises:
        BadInput: a secret belongs to another site than the document, or does not exist.
    """
    pieces = _typed(request)
    has_secret = any(isinstance(piece, Secret) for piece in pieces)
    origin = await runner.documents.origin(document) if has_secret else ""
    return [
        runner.secrets.value(piece.name, origin) if isinstance(piece, Secret) else piece
        for piece in pieces
    ]


def _typed(request: Type) -> tuple[Typed, ...]:
    return literal(request.text) if request.literal else typed(request.text)


async def ask_field(
    runner: ActionRunner, element: ElementHandle, name: str, *values: JSON
) -> FieldReport:
    """Return the library's report on a field.

    Raises:
        BadInput, PageFailed: the problem of the field.
    """
    report = await runner.documents.call_on(element, name, *values, answer=FieldReport)
    _check(report, element)
    return report


def _check(report: FieldReport, element: ElementHandle) -> None:
    if report.problem:
        raise_not_actionable(
            ActionabilityReport(problem=report.problem, detail=report.detail), element.ref
        )

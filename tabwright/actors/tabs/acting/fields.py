"""What is done with a field: typing, pressing keys, choosing."""

from collections.abc import Callable, Iterator, Sequence

import attrs

from tabwright.acting.keys import Secret, Stroke, Typed, literal, stroke_of, strokes_of, typed
from tabwright.acting.line_text import harmless, shortened
from tabwright.actors.tabs.acting.documents import Element
from tabwright.actors.tabs.acting.reaching import Reached, Report, reach, refuse
from tabwright.actors.tabs.acting.stage import Move, Stage
from tabwright.actors.tabs.acting.strokes import characters, inserted, pressed
from tabwright.cdp.command import Command
from tabwright.cdp.wire import JSON, Nothing
from tabwright.protocol.actions import Choice, Choose, ListOptions, Press, Type
from tabwright.protocol.errors import BadInput
from tabwright.protocol.outcomes import Outcome

WRITABLE: JSON = {"visible": True, "enabled": True, "editable": True}

OPTIONS_TOLD = 30
"""Of a list that has no such option."""


@attrs.frozen(kw_only=True)
class FieldReport:
    """What the library says of a field.

    Attributes:
        sets: whether its value is set, and not typed: a date, a color.
        filled: whether it holds anything.
        files, select: what kind of field it is.
    """

    problem: str = ""
    detail: str = ""
    what: str = ""
    role: str = ""
    value: str = ""
    sets: bool = False
    filled: bool = False
    checked: bool = False
    files: bool = False
    select: bool = False
    options: tuple[Choice, ...] = ()


async def type_text(stage: Stage, request: Type) -> Outcome:
    """See `Type`."""
    reached = await reach(stage.documents, request.ref, WRITABLE)

    async def write_it() -> None:
        """Types; cancelled half-way, it leaves what was typed so far."""
        await write(stage, reached, request)

    end = " and pressed Enter" if request.submit else ""
    return await stage.act(
        Move(f"Typed into {reached.what}{end}.", write_it, may_be_late=request.submit)
    )


async def press(stage: Stage, request: Press) -> Outcome:
    """See `Press`."""
    strokes = strokes_of(request.keys)
    reached = await reach(stage.documents, request.ref, {"visible": True}) if request.ref else None

    async def strike() -> None:
        """Presses key after key; cancelled, it leaves those that were pressed."""
        if reached is not None:
            await _focus(stage, reached, append=True, writes=False)
        for stroke in strokes:
            await stage.session.execute_all(list(pressed(stroke)))

    where = f" on {reached.what}" if reached else ""
    return await stage.act(Move(f"Pressed {request.keys}{where}.", strike, may_be_late=True))


async def choose(stage: Stage, request: Choose) -> Outcome:
    """See `Choose`."""
    element = await stage.documents.find(request.ref)
    listed = await ask_field(stage, element, "options")

    async def pick_them() -> None:
        """Chooses all of them in one call of the page's library."""
        await pick(stage, element, request.values)

    chosen = ", ".join(request.values) or "nothing"
    return await stage.act(Move(f"Chose {chosen} in {listed.what}.", pick_them))


async def options(stage: Stage, request: ListOptions) -> tuple[Choice, ...]:
    """See `ListOptions`."""
    element = await stage.documents.find(request.ref)
    return (await ask_field(stage, element, "options")).options


async def pick(stage: Stage, element: Element, values: Sequence[str]) -> None:
    """Chooses from a list, by value or label.

    Raises:
        BadInput, PageFailed: it has no such option, or cannot be chosen from.
    """
    chosen = await stage.documents.call_on(element, "choose", list(values), answer=FieldReport)
    if chosen.problem == "no option":
        raise _no_option(chosen)
    _check(chosen, element)


def _no_option(chosen: FieldReport) -> BadInput:
    labels = (harmless(shortened(one.label)) for one in chosen.options[:OPTIONS_TOLD])
    known = ", ".join(f'"{label}"' for label in labels)
    left = len(chosen.options) - OPTIONS_TOLD
    more = f" and {left} more" if left > 0 else ""
    wanted = harmless(shortened(chosen.detail))
    return BadInput(f'There is no option "{wanted}".', advice=f"There are {known}{more}.")


async def write(stage: Stage, reached: Reached, request: Type) -> None:
    """Types into a field that was reached.

    Raises:
        BadInput, PageFailed: it takes no text, or not that one.
    """
    if any(isinstance(piece, Secret) for piece in _typed(request)):
        stage.secret_fields.add(reached.element.ref)
    focused = await _focus(stage, reached, append=request.append, writes=True)
    if focused.sets:
        await ask_field(stage, reached.element, "setValue", _text(stage, request))
    else:
        writing = characters if request.slowly else inserted
        commands = list(
            _commands(stage, request, writing, clears=focused.filled and not request.append)
        )
        if commands:
            await stage.session.execute_all(commands)
    if request.submit:
        await stage.session.execute_all(list(pressed(stroke_of("Enter"))))


def _commands(
    stage: Stage,
    request: Type,
    writing: Callable[[str], Iterator[Command[Nothing]]],
    *,
    clears: bool,
) -> Iterator[Command[Nothing]]:
    pieces = _pieces(stage, request)
    if clears and not (pieces and isinstance(pieces[0], str)):  # text replaces what is selected
        yield from pressed(stroke_of("Backspace"))
    for piece in pieces:
        yield from pressed(piece) if isinstance(piece, Stroke) else writing(piece)


def _pieces(stage: Stage, request: Type) -> list[str | Stroke]:
    """What is typed, with the values of secrets."""
    return [
        stage.secrets.value(piece.name) if isinstance(piece, Secret) else piece
        for piece in _typed(request)
    ]


def _typed(request: Type) -> tuple[Typed, ...]:
    return literal(request.text) if request.literal else typed(request.text)


async def _focus(stage: Stage, reached: Reached, *, append: bool, writes: bool) -> FieldReport:
    wish: JSON = {"append": append, "writes": writes}
    return await ask_field(stage, reached.element, "focusOn", wish)


def _text(stage: Stage, request: Type) -> str:
    """What a field is set to, with the values of secrets; it hears no keys."""
    return "".join(map(str, _pieces(stage, attrs.evolve(request, literal=True))))


async def ask_field(stage: Stage, element: Element, name: str, *values: JSON) -> FieldReport:
    """What the library says of a field.

    Raises:
        BadInput, PageFailed: what is in the way.
    """
    report = await stage.documents.call_on(element, name, *values, answer=FieldReport)
    _check(report, element)
    return report


def _check(report: FieldReport, element: Element) -> None:
    if report.problem:
        refuse(Report(problem=report.problem, detail=report.detail), element.ref)

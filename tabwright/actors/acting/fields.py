"""What is done with fields: typing, choosing, filling in."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager

import attrs

from tabwright.acting.keys import Secret, Stroke, literal, stroke_of, strokes_of, typed
from tabwright.actors.acting.documents import Document
from tabwright.actors.acting.pressing import Pressing
from tabwright.actors.acting.reaching import Reached, Report, reach, refuse
from tabwright.actors.acting.stage import Move, Stage
from tabwright.actors.acting.strokes import characters, inserted, pressed
from tabwright.cdp.command import Command
from tabwright.cdp.wire import JSON, Nothing
from tabwright.protocol.actions import Choice, Choose, FieldValue, Fill, ListOptions, Press, Type
from tabwright.protocol.errors import BadInput, Effect, Refusal
from tabwright.protocol.outcomes import Outcome
from tabwright.protocol.outlines import REF

WRITABLE: JSON = {"visible": True, "enabled": True, "editable": True}

_YES, _NO = (
    frozenset({"true", "yes", "on", "1", "checked"}),
    frozenset({"false", "no", "off", "0", ""}),
)


@attrs.frozen(kw_only=True)
class FieldReport:
    """What the library says of a field.

    Attributes:
        sets: whether its value is set, and not typed: a date, a color.
        filled: whether it holds anything.
        files, select, editable: what kind of field it is.
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
    editable: bool = False
    options: tuple[Choice, ...] = ()


@attrs.frozen
class _NamedField:
    ref: int
    value: str = ""
    label: str = ""


@attrs.frozen
class _Named:
    refs: tuple[_NamedField, ...]


async def type_text(stage: Stage, request: Type) -> Outcome:
    """See `Type`."""
    reached = await reach(stage.documents, request.ref, WRITABLE)

    async def write() -> None:
        await _write(stage, reached, request)

    end = " and pressed Enter" if request.submit else ""
    return await stage.act(
        Move(f"Typed into {reached.what}{end}.", write, may_be_late=request.submit)
    )


async def press(stage: Stage, request: Press) -> Outcome:
    """See `Press`."""
    strokes = strokes_of(request.keys)
    reached = await reach(stage.documents, request.ref, {"visible": True}) if request.ref else None

    async def strike() -> None:
        if reached is not None:
            await _focus(stage, reached, request.ref, append=True, writes=False)
        for stroke in strokes:
            await stage.session.execute_all(list(pressed(stroke)))

    where = f" on {reached.what}" if reached else ""
    return await stage.act(Move(f"Pressed {request.keys}{where}.", strike, may_be_late=True))


async def choose(stage: Stage, request: Choose) -> Outcome:
    """See `Choose`."""
    document, element = await stage.documents.find(request.ref)
    listed = await _asked(stage, request.ref, document, "options", element)

    async def pick() -> None:
        await _pick(stage, document, element, request)

    chosen = ", ".join(request.values) or "nothing"
    return await stage.act(Move(f"Chose {chosen} in {listed.what}.", pick))


async def options(stage: Stage, request: ListOptions) -> tuple[Choice, ...]:
    """See `ListOptions`."""
    document, element = await stage.documents.find(request.ref)
    return (await _asked(stage, request.ref, document, "options", element)).options


async def fill(stage: Stage, request: Fill) -> Outcome:
    """See `Fill`."""
    if not request.fields:
        raise BadInput("No field is named.", advice="Give fields: refs or labels, with values.")
    refs = [await _ref_of(stage, field) for field in request.fields]

    async def fill_all() -> None:
        for number, ref in enumerate(refs):
            with _telling(request.fields[:number]):
                await _fill_one(stage, ref, request.fields[number])
        if request.submit:
            await stage.session.execute_all(list(pressed(stroke_of("Enter"))))

    end = ", and sent the form" if request.submit else ""
    names = ", ".join(field.field for field in request.fields)
    return await stage.act(Move(f"Filled in {names}{end}.", fill_all, may_be_late=request.submit))


@contextmanager
def _telling(done: tuple[FieldValue, ...]) -> Generator[None]:
    """Says what was filled in before the block failed."""
    try:
        yield
    except Refusal as refusal:
        if done:
            named = ", ".join(field.field for field in done)
            refusal.message += f" Filled in before: {named}."
            refusal.effect = Effect.DONE
        raise


async def _fill_one(stage: Stage, ref: str, field: FieldValue) -> None:
    document, element = await stage.documents.find(ref)
    shown = await _asked(stage, ref, document, "shownValue", element)
    if shown.files:
        raise BadInput(f"{shown.what} takes files.", advice="Use upload.")
    if shown.role in {"checkbox", "radio", "switch"}:
        await _check(stage, ref, shown, wanted=_truth(field))
    elif shown.select:
        await _pick(stage, document, element, Choose(ref, _texts(field)))
    else:
        (text,) = _texts(field)[:1] or ("",)
        reached = await reach(stage.documents, ref, WRITABLE)
        await _write(stage, reached, Type(ref, text, literal=True))


async def _ref_of(stage: Stage, field: FieldValue) -> str:
    """The ref of a field by its ref, name, id, label or placeholder.

    Raises:
        BadInput: there is no such field, or more than one.
    """
    if REF.fullmatch(field.field.strip("[]*")):
        return field.field
    named = await _fields_named(stage, field.field)
    if not named:
        raise BadInput(
            f"The page has no field {field.field!r}.", advice="Take a ref or a label of a snapshot."
        )
    wanted = list(named)
    if len(named) > 1:  # radio buttons share their name: what is wanted is the value of one
        wanted = [ref for ref, one in named.items() if field.value in {one.value, one.label}]
    if len(wanted) != 1:
        refs = ", ".join(named)
        raise BadInput(f"Several fields are called {field.field!r}: {refs}.", advice="Take one.")
    return wanted[0]


async def _fields_named(stage: Stage, name: str) -> dict[str, _NamedField]:
    """The fields of that name by their refs: those of the page itself, or else of its frames."""
    main = await stage.documents.main()
    return await _fields_of((main,), stage, name) or await _fields_of(
        await stage.documents.frames(), stage, name
    )


async def _fields_of(
    documents: Iterable[Document], stage: Stage, name: str
) -> dict[str, _NamedField]:
    found: dict[str, _NamedField] = {}
    for document in documents:
        named = await stage.documents.call(document, "fieldsNamed", name, answer=_Named)
        found |= {f"{document.number}.{one.ref}": one for one in named.refs}
    return found


async def _check(stage: Stage, ref: str, shown: FieldReport, *, wanted: bool) -> None:
    if shown.checked is not wanted:
        pressing = Pressing(ref)
        await pressing.press(stage, await pressing.reach(stage))


async def _pick(stage: Stage, document: Document, element: int, request: Choose) -> None:
    chosen = await _report(stage, document, "choose", element, list(request.values))
    if chosen.problem == "no option":
        known = ", ".join(repr(one.label) for one in chosen.options[:30])
        more = f" and {len(chosen.options) - 30} more" if len(chosen.options) > 30 else ""  # noqa: PLR2004
        raise BadInput(f"There is no option {chosen.detail!r}.", advice=f"There are {known}{more}.")
    if chosen.problem:
        _refuse(chosen, request.ref)


async def _write(stage: Stage, reached: Reached, request: Type) -> None:
    focused = await _focus(stage, reached, request.ref, append=request.append, writes=True)
    if focused.sets:
        await _set(stage, reached, request)
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
    pieces = literal(request.text) if request.literal else typed(request.text)
    return [
        stage.secrets.value(piece.name) if isinstance(piece, Secret) else piece for piece in pieces
    ]


async def _focus(
    stage: Stage, reached: Reached, ref: str, *, append: bool, writes: bool
) -> FieldReport:
    wish: JSON = {"append": append, "writes": writes}
    return await _asked(stage, ref, reached.document, "focusOn", reached.element, wish)


async def _set(stage: Stage, reached: Reached, request: Type) -> None:
    text = _text(stage, request)
    await _asked(stage, request.ref, reached.document, "setValue", reached.element, text)


def _text(stage: Stage, request: Type) -> str:
    """What a field is set to, with the values of secrets; it hears no keys."""
    return "".join(map(str, _pieces(stage, attrs.evolve(request, literal=True))))


async def _report(stage: Stage, document: Document, name: str, *values: JSON) -> FieldReport:
    return await stage.documents.call(document, name, *values, answer=FieldReport)


async def _asked(
    stage: Stage, ref: str, document: Document, name: str, *values: JSON
) -> FieldReport:
    """What the library says of a field.

    Raises:
        BadInput, PageFailed: what is in the way.
    """
    report = await _report(stage, document, name, *values)
    if report.problem:
        _refuse(report, ref)
    return report


def _refuse(report: FieldReport, ref: str) -> None:
    refuse(Report(problem=report.problem, detail=report.detail), ref)


def _truth(field: FieldValue) -> bool:
    if isinstance(field.value, bool):
        return field.value
    word = field.value.strip().lower() if isinstance(field.value, str) else ""
    return word not in _NO


def _texts(field: FieldValue) -> tuple[str, ...]:
    match field.value:
        case bool():
            raise BadInput(f"{field.field!r} takes text, not true or false.")
        case str(text):
            return (text,)
        case texts:
            return texts

"""Actions on a page, as a person would do them, and their outcomes."""

from typing import Literal, TypeAlias

import attrs

from tabwright.protocol.errors import Note
from tabwright.protocol.snapshot import LoadedPage

# The outcome of an action.

DialogKind: TypeAlias = Literal["alert", "confirm", "prompt", "beforeunload"]


ConsoleLevel: TypeAlias = Literal["debug", "info", "warning", "error"]


ValueCheck: TypeAlias = Literal["", "matches", "differs", "unknown"]
"""Whether a field holds what was written into it; empty where nothing was."""


@attrs.frozen
class Dialog:
    """A dialog that the page has opened, and that stops it until it is answered.

    Attributes:
        preset: what a prompt suggests.
    """

    kind: DialogKind
    message: str
    preset: str = ""


@attrs.frozen
class Download:
    """A file that a page has given.

    Attributes:
        path: where it is; empty while it is on its way, and where it did not come.
        state: ``under way``, ``complete``, ``failed`` or ``too large``.
    """

    url: str
    name: str
    path: str = ""
    size_bytes: int = 0
    state: Literal["under way", "complete", "failed", "too large"] = "under way"


@attrs.frozen
class ConsoleEntry:
    """Something that a page said, or the browser of it.

    Attributes:
        number: counts from 1 in each tab.
        level: ``debug``, ``info``, ``warning`` or ``error``.
        place: the script and its line; empty where nobody knows.
        stack: the calls that led there, the innermost first, each as ``name url:line:column``. Of
            errors, warnings and traces only.
    """

    number: int
    level: ConsoleLevel
    text: str
    place: str = ""
    stack: tuple[str, ...] = ()


@attrs.frozen
class ConsoleCounts:
    """Numbers of errors and warnings in the console since the tab came to its page."""

    errors: int = 0
    warnings: int = 0


@attrs.frozen
class TabInfo:
    """A tab of a session.

    Attributes:
        current: whether it is meant where none is named.
    """

    number: int
    url: str
    title: str
    current: bool = False


@attrs.frozen
class BackgroundEvents:
    """What a page did of itself between two outcomes; much of it an action before has begun.

    Attributes:
        dialogs, opened, tabs, downloads, errors: see `Outcome`.
    """

    dialogs: tuple[Dialog, ...] = ()
    opened: tuple[str, ...] = ()
    tabs: tuple[TabInfo, ...] = ()
    downloads: tuple[Download, ...] = ()
    errors: tuple[ConsoleEntry, ...] = ()


@attrs.frozen
class Outcome:
    """What an action did, and what has changed by it.

    Attributes:
        said: what was done, in a sentence.
        url, title: of the page now.
        navigated: the page that it has come to, if it has.
        dialogs: those that were answered at once: what the page said, and what it or a page that
            it opened asked before anybody could see it, which was dismissed.
        dialog: the one that waits for an answer; None for none.
        opened: pages that it opened, by their targets.
        tabs: those pages, as tabs of their session.
        downloads: files that it gave, or that came to their end.
        errors: what went wrong in the page's scripts.
        console: the counts of errors and warnings while the page loaded, if an agent sent the tab
            there and there were any.
        changes: lines of the outline that came or went; empty where none did.
        notes: what is to be known or done besides, a sentence each; no page has a word in it.
        is_plain: whether no page has a word in `said` either.
        busy: whether the page was still at work when it was last looked at.
        value_check: whether the fields that were written into hold what they were given: their
            whole values, as soon as the text was there, and before any key after it.
        meanwhile: what came before the action, and was not told yet.
    """

    said: str
    url: str = ""
    title: str = ""
    navigated: LoadedPage | None = None
    dialogs: tuple[Dialog, ...] = ()
    dialog: Dialog | None = None
    opened: tuple[str, ...] = ()
    tabs: tuple[TabInfo, ...] = ()
    downloads: tuple[Download, ...] = ()
    errors: tuple[ConsoleEntry, ...] = ()
    console: ConsoleCounts | None = None
    changes: str = ""
    busy: bool = False
    value_check: ValueCheck = ""
    meanwhile: BackgroundEvents = attrs.field(factory=BackgroundEvents)
    notes: tuple[Note, ...] = ()
    is_plain: bool = False


MouseButton: TypeAlias = Literal["left", "middle", "right"]


ScrollGoal: TypeAlias = Literal["by", "top", "bottom", "element", "text"]


WAIT_S = 10.0
"""How long to wait for an element to be ready, or for a condition on the page, in seconds."""


@attrs.frozen
class Click:
    """Press a mouse button on an element, once it is there, at rest, enabled and on top.

    Refused with `PageFailed`, and nothing pressed, where it is not within `WAIT_S`; with `BadInput`
    where there is no such element. Cancelled before the press it has done nothing.

    Attributes:
        count: 2 for a double click.
        modifiers: keys that are held: Control, Shift, Alt, Meta.
        at: where in the element, in CSS pixels from its left upper corner; None for its middle.
    """

    ref: str
    button: MouseButton = "left"
    count: int = 1
    modifiers: tuple[str, ...] = ()
    at: tuple[float, float] | None = None


@attrs.frozen
class Type:
    """Type text into a field. Refused as `Click`.

    Attributes:
        text: ``{Enter}`` or ``{Control+A}`` in it are keys, ``{{NAME}}`` is a secret; see
            `tabwright.page.actions.keyboard.typed`.
        literal: whether braces are no keys.
        append: whether what is there stays.
        submit: whether Enter is pressed at the end.
        slowly: whether each character is a key of its own, for pages that listen to keys.
    """

    ref: str
    text: str
    append: bool = False
    submit: bool = False
    slowly: bool = False
    literal: bool = False


@attrs.frozen
class Press:
    """Press keys where the focus is; refused with `BadInput` where there is no such key.

    Attributes:
        keys: as ``Enter`` or ``Control+A``; several with spaces between them.
        ref: the element that gets the focus first; empty for none.
    """

    keys: str
    ref: str = ""


@attrs.frozen
class Hover:
    """Bring the mouse over an element. Refused as `Click`."""

    ref: str


@attrs.frozen
class Drag:
    """Drag one element onto another, with what it carries. Refused as `Click`."""

    ref: str
    to: str


@attrs.frozen
class SelectOption:
    """Choose from a list (``select``), by value or label; refused with `BadInput` that lists them.

    Attributes:
        values: all that shall be chosen; empty for none.
    """

    ref: str
    values: tuple[str, ...]


@attrs.frozen
class Scroll:
    """Scroll the page, or the part of it that an element is in.

    Refused with `BadInput` where there is no such element or text.

    Attributes:
        x, y: for ``by``, in CSS pixels; None for most of what is seen, downwards.
        text: for ``text``.
        ref: for ``element``; for the others a part that scrolls by itself.
    """

    to: ScrollGoal = "by"
    x: int | None = None
    y: int | None = None
    text: str = ""
    ref: str = ""


@attrs.frozen
class FieldValue:
    """What a field is to hold.

    Attributes:
        field: its ref, or its name, id, label or placeholder.
        value: text; of a list the values or labels; of a checkbox whether it is checked.
    """

    field: str
    value: str | bool | tuple[str, ...]


@attrs.frozen
class Fill:
    """Fill in many fields, one after the other. Refused as `Click`, and with what was done before.

    Attributes:
        submit: whether the form of the last of them is sent then: by its button, or by Enter where
            none is seen. It is refused where the page does not take what is filled in; of a field
            in no form the outcome says so.
    """

    fields: tuple[FieldValue, ...]
    submit: bool = False


@attrs.frozen
class Upload:
    """Give files to a field, or to what asks for them when it is clicked.

    Attributes:
        paths: that may be read: the caller has checked that. Empty takes files back.
    """

    ref: str
    paths: tuple[str, ...]


@attrs.frozen
class AnswerDialog:
    """Answer the dialog that is open.

    Where none is, the next that was answered at once is told; without one it is refused with
    `BadInput`.

    Attributes:
        text: what a prompt is answered with; None for what it suggests.
    """

    accept: bool
    text: str | None = None


def _texts_of(given: str | tuple[str, ...]) -> tuple[str, ...]:
    """One text or several, as several, without those that are empty."""
    return tuple(filter(None, (given,) if isinstance(given, str) else given))


@attrs.frozen
class WaitFor:
    """Wait until all that is given holds; refused with `TimeOut` where it does not in time.

    Attributes:
        text: texts of which any is shown: on the page, in a frame of it or in a shadow root, as
            words or as the name of a control. What fields hold does not count.
        gone: a text that is not shown, or not any more.
        selector: CSS; something on the page or in a frame matches it.
        url: is a part of the page's URL.
        idle: whether the page shall have nothing under way.
        seconds: how long at most; the whole wait where nothing else is given.
    """

    text: tuple[str, ...] = attrs.field(default=(), converter=_texts_of)
    gone: str = ""
    selector: str = ""
    url: str = ""
    idle: bool = False
    seconds: float = WAIT_S


@attrs.frozen
class Emulate:
    """What the page takes its device for; None leaves it as it is, empty gives it back.

    Attributes:
        viewport: width and height in CSS pixels; (0, 0) for the browser's own.
        mobile: whether it is a telephone's: with touch, and a view as wide as it says.
        locale: as ``de-DE``.
        timezone: as ``Europe/Berlin``.
        offline: whether it has no network.
        dark: whether its user likes dark pages.
    """

    viewport: tuple[int, int] | None = None
    scale: float = 1.0
    mobile: bool = False
    locale: str | None = None
    timezone: str | None = None
    offline: bool | None = None
    dark: bool | None = None


Action: TypeAlias = (
    Click
    | Type
    | Press
    | Hover
    | Drag
    | SelectOption
    | Scroll
    | Fill
    | Upload
    | AnswerDialog
    | WaitFor
    | Emulate
)
"""Everything that can be done on a page; its answer is an `Outcome`."""

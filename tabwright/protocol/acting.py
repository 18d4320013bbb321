"""What can be done on a page as a person would do it, and what comes of it."""

import re
from typing import Literal, Protocol, TypeAlias

import attrs

from tabwright.protocol.pages import LoadedPage
from tabwright.protocol.pictures import SmallPicture

MouseButton: TypeAlias = Literal["left", "middle", "right"]
ScrollGoal: TypeAlias = Literal["by", "top", "bottom", "element", "text"]
DialogKind: TypeAlias = Literal["alert", "confirm", "prompt", "beforeunload"]

ConsoleLevel: TypeAlias = Literal["debug", "info", "warning", "error"]

REF = re.compile(r"\d{1,9}\.\d{1,9}", re.ASCII)
"""What a ref looks like: the number of a document, and that of an element in it."""

WAIT_S = 10.0
"""How long an element is waited for that is not ready, and a page for what is wished of it."""


class Acting(Protocol):
    """The acting side of a tab. An action is begun only when the one before has ended."""

    async def look(self, request: "Look", /) -> "Place":
        """See `Look`."""
        ...

    async def downloads(self, request: "ListDownloads", /) -> tuple["Download", ...]:
        """See `ListDownloads`."""
        ...

    async def outline(self, request: "TakeOutline", /) -> "OutlineText":
        """See `TakeOutline`."""
        ...

    async def click(self, request: "Click", /) -> "Outcome":
        """See `Click`."""
        ...

    async def type(self, request: "Type", /) -> "Outcome":
        """See `Type`."""
        ...

    async def press(self, request: "Press", /) -> "Outcome":
        """See `Press`."""
        ...

    async def hover(self, request: "Hover", /) -> "Outcome":
        """See `Hover`."""
        ...

    async def drag(self, request: "Drag", /) -> "Outcome":
        """See `Drag`."""
        ...

    async def choose(self, request: "Choose", /) -> "Outcome":
        """See `Choose`."""
        ...

    async def options(self, request: "ListOptions", /) -> tuple["Choice", ...]:
        """See `ListOptions`."""
        ...

    async def scroll(self, request: "Scroll", /) -> "Outcome":
        """See `Scroll`."""
        ...

    async def fill(self, request: "Fill", /) -> "Outcome":
        """See `Fill`."""
        ...

    async def upload(self, request: "Upload", /) -> "Outcome":
        """See `Upload`."""
        ...

    async def answer_dialog(self, request: "AnswerDialog", /) -> "Outcome":
        """See `AnswerDialog`."""
        ...

    async def wait_for(self, request: "WaitFor", /) -> "Outcome":
        """See `WaitFor`."""
        ...

    async def evaluate(self, request: "Evaluate", /) -> "Evaluation":
        """See `Evaluate`."""
        ...

    async def capture(self, request: "Capture", /) -> SmallPicture:
        """See `Capture`."""
        ...

    async def print(self, request: "Print", /) -> bytes:
        """See `Print`."""
        ...

    async def console(self, request: "ReadConsole", /) -> tuple["ConsoleEntry", ...]:
        """See `ReadConsole`."""
        ...

    async def requests(self, request: "ListRequests", /) -> tuple["PageRequest", ...]:
        """See `ListRequests`."""
        ...

    async def body(self, request: "ReadBody", /) -> bytes:
        """See `ReadBody`."""
        ...

    async def emulate(self, request: "Emulate", /) -> "Outcome":
        """See `Emulate`."""
        ...


class ActingTab(Protocol):
    """A tab that can be acted in."""

    @property
    def acting(self) -> Acting:
        """Its acting side."""
        ...


@attrs.frozen
class OutlineView:
    """How an outline is wanted.

    Attributes:
        max_tokens: what the text may have; 0 for no limit.
        offset: the line to begin with.
        query: only lines that hold all of these words, and what they stand under.
        viewport: only what a person would see without scrolling.
    """

    max_tokens: int = 4000
    offset: int = 0
    query: str = ""
    viewport: bool = False


@attrs.frozen
class ListedControl:
    """A control of an outline, for who wants no text.

    Attributes:
        depth: how many groups it stands in.
        new: whether it was not there in the outline before.
    """

    ref: str
    role: str
    name: str
    value: str = ""
    states: tuple[str, ...] = ()
    url: str = ""
    depth: int = 0
    new: bool = False


@attrs.frozen
class OutlineText:
    """An outline that was written.

    Attributes:
        url, title: of the page.
        next_offset: where to go on; None where nothing is left.
        lines: how many lines there are to choose from.
        controls: of all those lines.
        above, below: how much of the page is out of view, in CSS pixels.
    """

    text: str
    url: str = ""
    title: str = ""
    next_offset: int | None = None
    lines: int = 0
    controls: tuple[ListedControl, ...] = ()
    above: int = 0
    below: int = 0


@attrs.frozen
class TakeOutline:
    """The page as an outline, with a ref for each control.

    A ref is ``document.element``: it stays with its element for as long as that lives, and is
    never given to another. Refused with `BadInput` where there is no such element to begin at.

    Attributes:
        ref, selector: the element to begin at; empty for the whole page.
        hidden: whether to list controls too that nobody sees.
        diff: only what has changed since the last one, if there was one.
    """

    view: OutlineView = attrs.field(factory=OutlineView)
    ref: str = ""
    selector: str = ""
    hidden: bool = False
    diff: bool = False

    async def visit(self, tab: ActingTab, /) -> OutlineText:
        """Has `tab` answer."""
        return await tab.acting.outline(self)


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
    """

    number: int
    level: ConsoleLevel
    text: str
    place: str = ""


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
class Outcome:
    """What an action did, and what has changed by it.

    Attributes:
        said: what was done, in a sentence.
        url, title: of the page now.
        navigated: the page that it has come to, if it has.
        dialogs: what the page said in dialogs that needed no answer.
        dialog: the one that waits for an answer; None for none.
        opened: pages that it opened, by their targets.
        tabs: those pages, as tabs of their session.
        downloads: files that it gave.
        errors: what went wrong in the page's scripts.
        changes: lines of the outline that came or went; empty where none did.
        busy: whether the page was still at work when it was last looked at.
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
    changes: str = ""
    busy: bool = False


@attrs.frozen
class Place:
    """Where a page is, and the dialog that stops it."""

    url: str
    title: str
    dialog: Dialog | None = None


@attrs.frozen
class Look:
    """Where the page is; also makes it ready to be acted on.

    Attributes:
        settles: whether the page is waited for until it is at rest.
    """

    settles: bool = False

    async def visit(self, tab: ActingTab, /) -> Place:
        """Has `tab` answer."""
        return await tab.acting.look(self)


@attrs.frozen
class ListDownloads:
    """The files that the page has given, once none is under way any more."""

    async def visit(self, tab: ActingTab, /) -> tuple[Download, ...]:
        """Has `tab` answer."""
        return await tab.acting.downloads(self)


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

    async def visit(self, tab: ActingTab, /) -> Outcome:
        """Has `tab` answer."""
        return await tab.acting.click(self)


@attrs.frozen
class Type:
    """Type text into a field. Refused as `Click`.

    Attributes:
        text: ``{Enter}`` or ``{Control+A}`` in it are keys, ``{{NAME}}`` is a secret.
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

    async def visit(self, tab: ActingTab, /) -> Outcome:
        """Has `tab` answer."""
        return await tab.acting.type(self)


@attrs.frozen
class Press:
    """Press keys where the focus is; refused with `BadInput` where there is no such key.

    Attributes:
        keys: as ``Enter`` or ``Control+A``; several with spaces between them.
        ref: the element that gets the focus first; empty for none.
    """

    keys: str
    ref: str = ""

    async def visit(self, tab: ActingTab, /) -> Outcome:
        """Has `tab` answer."""
        return await tab.acting.press(self)


@attrs.frozen
class Hover:
    """Bring the mouse over an element. Refused as `Click`."""

    ref: str

    async def visit(self, tab: ActingTab, /) -> Outcome:
        """Has `tab` answer."""
        return await tab.acting.hover(self)


@attrs.frozen
class Drag:
    """Drag one element onto another, with what it carries. Refused as `Click`."""

    ref: str
    to: str

    async def visit(self, tab: ActingTab, /) -> Outcome:
        """Has `tab` answer."""
        return await tab.acting.drag(self)


@attrs.frozen
class Choose:
    """Choose from a list (``select``), by value or label; refused with `BadInput` that lists them.

    Attributes:
        values: all that shall be chosen; empty for none.
    """

    ref: str
    values: tuple[str, ...]

    async def visit(self, tab: ActingTab, /) -> Outcome:
        """Has `tab` answer."""
        return await tab.acting.choose(self)


@attrs.frozen
class Choice:
    """One choice of a list."""

    value: str
    label: str
    selected: bool = False
    disabled: bool = False


@attrs.frozen
class ListOptions:
    """All choices of a list; refused with `BadInput` where it is none."""

    ref: str

    async def visit(self, tab: ActingTab, /) -> tuple[Choice, ...]:
        """Has `tab` answer."""
        return await tab.acting.options(self)


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

    async def visit(self, tab: ActingTab, /) -> Outcome:
        """Has `tab` answer."""
        return await tab.acting.scroll(self)


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
        submit: whether the form is sent then, by Enter in the last of them.
    """

    fields: tuple[FieldValue, ...]
    submit: bool = False

    async def visit(self, tab: ActingTab, /) -> Outcome:
        """Has `tab` answer."""
        return await tab.acting.fill(self)


@attrs.frozen
class Upload:
    """Give files to a field, or to what asks for them when it is clicked.

    Attributes:
        paths: that may be read: whoever asks has checked that. Empty takes files back.
    """

    ref: str
    paths: tuple[str, ...]

    async def visit(self, tab: ActingTab, /) -> Outcome:
        """Has `tab` answer."""
        return await tab.acting.upload(self)


@attrs.frozen
class AnswerDialog:
    """Answer the dialog that is open; refused with `BadInput` where none is.

    Attributes:
        text: what a prompt is answered with; None for what it suggests.
    """

    accept: bool
    text: str | None = None

    async def visit(self, tab: ActingTab, /) -> Outcome:
        """Has `tab` answer."""
        return await tab.acting.answer_dialog(self)


@attrs.frozen
class WaitFor:
    """Wait until all that is given holds; refused with `TimeOut` where it does not in time.

    Attributes:
        text: is shown.
        gone: is not shown, or not any more.
        selector: is there.
        url: is a part of the page's URL.
        idle: whether the page shall have nothing under way.
        seconds: how long at most; the whole wait where nothing else is given.
    """

    text: str = ""
    gone: str = ""
    selector: str = ""
    url: str = ""
    idle: bool = False
    seconds: float = WAIT_S

    async def visit(self, tab: ActingTab, /) -> Outcome:
        """Has `tab` answer."""
        return await tab.acting.wait_for(self)


@attrs.frozen
class Evaluation:
    """What a script gave.

    Attributes:
        json: the value as JSON, or what it is where it is none.
    """

    json: str
    outcome: Outcome


@attrs.frozen
class Evaluate:
    """Run somebody's script in the page's own world; refused with `PageFailed` where it throws.

    Attributes:
        script: an expression, or with `ref` a function that is given the element.
    """

    script: str
    ref: str = ""

    async def visit(self, tab: ActingTab, /) -> Evaluation:
        """Has `tab` answer."""
        return await tab.acting.evaluate(self)


@attrs.frozen
class Capture:
    """A picture of what is seen, of the whole page, or of an element.

    Attributes:
        bytes_max: it is made smaller until it has no more.
        side_max: in pixels.
    """

    ref: str = ""
    full: bool = False
    bytes_max: int = 200_000
    side_max: int = 1568

    async def visit(self, tab: ActingTab, /) -> SmallPicture:
        """Has `tab` answer."""
        return await tab.acting.capture(self)


@attrs.frozen
class Print:
    """The page as PDF."""

    landscape: bool = False
    background: bool = True

    async def visit(self, tab: ActingTab, /) -> bytes:
        """Has `tab` answer."""
        return await tab.acting.print(self)


@attrs.frozen
class ReadConsole:
    """What the page said, the latest last.

    Attributes:
        level: only what is at least as grave.
        after: only what has a greater number.
    """

    level: ConsoleLevel = "debug"
    after: int = 0

    async def visit(self, tab: ActingTab, /) -> tuple[ConsoleEntry, ...]:
        """Has `tab` answer."""
        return await tab.acting.console(self)


@attrs.frozen
class PageRequest:
    """A request that the page made.

    Attributes:
        number: counts from 1 in each tab.
        kind: as ``Document``, ``Fetch``, ``Image``.
        status: of HTTP; 0 where no answer came yet, or none.
        failure: why none came; empty where one did.
        ms: from its beginning to its end; None while it is under way.
    """

    number: int
    method: str
    url: str
    kind: str
    status: int = 0
    media_type: str = ""
    size_bytes: int = 0
    ms: float | None = None
    failure: str = ""


@attrs.frozen
class ListRequests:
    """The latest requests of the page, in order.

    Attributes:
        filter: only those with this in their URL.
        kind: only those; empty for all.
        failed: only those that failed or were answered with an error.
    """

    filter: str = ""
    kind: str = ""
    failed: bool = False

    async def visit(self, tab: ActingTab, /) -> tuple[PageRequest, ...]:
        """Has `tab` answer."""
        return await tab.acting.requests(self)


@attrs.frozen
class ReadBody:
    """The body of an answer; refused with `BadInput` where it is not kept, or there is none."""

    number: int

    async def visit(self, tab: ActingTab, /) -> bytes:
        """Has `tab` answer."""
        return await tab.acting.body(self)


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

    async def visit(self, tab: ActingTab, /) -> Outcome:
        """Has `tab` answer."""
        return await tab.acting.emulate(self)

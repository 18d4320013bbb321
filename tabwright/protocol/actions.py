"""Actions on a page, as a person would do them, and their outcomes."""

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, TypeAlias

import attrs
from attrs.validators import deep_iterable, instance_of

from tabwright.protocol.declarations import Declaration, Parameter, Ref
from tabwright.protocol.errors import BadInput, Note, TabwrightError
from tabwright.protocol.snapshot import ERROR_STATUS_MIN, LoadedPage

# The outcome of an action.

DialogKind: TypeAlias = Literal["alert", "confirm", "prompt", "beforeunload"]


ConsoleLevel: TypeAlias = Literal["debug", "info", "warning", "error"]


ValueCheck: TypeAlias = Literal["", "matches", "differs", "unknown"]
"""Whether a field has the value that was written into it; empty if nothing was written."""


@attrs.frozen
class Dialog:
    """A dialog that blocks its page until it is answered.

    Attributes:
        kind: of the dialog.
        message: its text, written by the page.
        preset: the suggested answer to a prompt.
    """

    kind: DialogKind
    message: str
    preset: str = ""


@attrs.frozen
class Download:
    """A downloaded file.

    Attributes:
        path: of the file; empty until it is complete, and if it failed.
        state: ``under way``, ``complete``, ``failed`` or ``too large``.
        problem: why no file can be saved, and the setting to change; empty for other failures.
    """

    url: str
    name: str
    path: str = ""
    size_bytes: int = 0
    state: Literal["under way", "complete", "failed", "too large"] = "under way"
    problem: str = ""


@attrs.frozen
class ConsoleEntry:
    """A message in the console: by a page, or by the browser about it.

    Attributes:
        number: counts from 1 in each tab.
        level: ``debug``, ``info``, ``warning`` or ``error``.
        place: the script and its line; empty if unknown.
        stack: the call stack, innermost first, each call as ``name url:line:column``; only for
            errors, warnings and traces.
    """

    number: int
    level: ConsoleLevel
    text: str
    place: str = ""
    stack: tuple[str, ...] = ()


@attrs.frozen
class ConsoleCounts:
    """The number of errors and warnings in the console since the page was opened."""

    errors: int = 0
    warnings: int = 0


@attrs.frozen
class NetworkEntry:
    """A request made by the page.

    Attributes:
        number: counts from 1 in each tab.
        kind: for example ``Document``, ``Fetch``, ``Image`` or ``WebSocket``.
        status: the HTTP status; 0 without a response.
        size_bytes: the bytes received.
        ms: the duration; None while it is under way.
        failure: why there was no response; empty if there was one.
        frames: the number of WebSocket frames in both directions.
        location: the target of a redirect, as the server wrote it; empty for other responses.
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
    frames: int = 0
    location: str = ""


def has_failed(request: NetworkEntry) -> bool:
    """Return whether a request has no response, or one with an error status."""
    return bool(request.failure) or request.status >= ERROR_STATUS_MIN


@attrs.frozen
class TabInfo:
    """A tab of a session.

    Attributes:
        current: whether it is the default for requests that name no tab.
    """

    number: int
    url: str
    title: str
    current: bool = False


@attrs.frozen
class BackgroundEvents:
    """The events on a page between two actions; earlier actions may have caused them.

    Attributes:
        dialogs, opened, tabs, downloads, errors: see `Outcome`.
        requests: those that an earlier outcome reported as pending and that have ended since, and
            others that failed or may have changed data; each is reported once it has ended.
    """

    dialogs: tuple[Dialog, ...] = ()
    opened: tuple[str, ...] = ()
    tabs: tuple[TabInfo, ...] = ()
    downloads: tuple[Download, ...] = ()
    errors: tuple[ConsoleEntry, ...] = ()
    requests: tuple[NetworkEntry, ...] = ()


@attrs.frozen
class ScriptEnd:
    """The end of a script that a dialog had interrupted.

    Attributes:
        json: its value, as in `Evaluation`.
        failure: why there is no value; empty if there is one.
    """

    json: str = ""
    failure: str = ""


@attrs.frozen
class Outcome:
    """The effect of an action, and the changes that followed.

    Attributes:
        description: what was done, in a sentence.
        url, title: of the current page.
        navigated: the new page, if the action opened one.
        dialogs: those that were answered at once: alerts, and questions that were dismissed because
            they were not visible yet.
        dialog: the open one, which needs an answer; None for none.
        opened: the targets of pages that the page opened.
        tabs: those pages, as tabs of their session.
        downloads: files whose download started or ended.
        errors: errors in the console, except those about `requests`.
        requests: the requests of scripts and forms since the action began, and all failed ones; if
            the action opened a page, those before it.
        console: the counts of errors and warnings while the page loaded, if an agent sent the tab
            there and there were any.
        changes: lines of the outline that appeared or disappeared; empty for none.
        notes: further information and next steps, a sentence each; never page text.
        is_plain: whether `description` has no page text either.
        steps: what each step of `RunSteps` did; None for other actions.
        script: the end of the script that the answered dialog had interrupted; None if it had not
            interrupted any, or if the script has opened another dialog.
        busy: whether the page was still changing when it was last checked.
        value_check: whether the fields have the values that were written: the whole values, right
            after the text and before any key that follows it.
        meanwhile: events before the action that were not reported yet.
        tab: the number of the tab that a navigation chose; None for other actions.
    """

    description: str
    url: str = ""
    title: str = ""
    navigated: LoadedPage | None = None
    dialogs: tuple[Dialog, ...] = ()
    dialog: Dialog | None = None
    opened: tuple[str, ...] = ()
    tabs: tuple[TabInfo, ...] = ()
    downloads: tuple[Download, ...] = ()
    errors: tuple[ConsoleEntry, ...] = ()
    requests: tuple[NetworkEntry, ...] = ()
    console: ConsoleCounts | None = None
    changes: str = ""
    busy: bool = False
    value_check: ValueCheck = ""
    meanwhile: BackgroundEvents = attrs.field(factory=BackgroundEvents)
    notes: tuple[Note, ...] = ()
    is_plain: bool = False
    steps: "StepsReport | None" = None
    script: ScriptEnd | None = None
    tab: int | None = None


MouseButton: TypeAlias = Literal["left", "middle", "right"]


ScrollGoal: TypeAlias = Literal["by", "top", "bottom", "element", "text"]


WAIT_S = 10.0
"""How long to wait for an element to be ready, or for a condition on the page, in seconds."""


@attrs.frozen
class SimpleAction:
    """An action that is done at once.

    Attributes:
        declared: its declaration; None if it has no tool that is derived from it.
    """

    declared: ClassVar[Declaration | None] = None


@attrs.frozen
class Click(SimpleAction):
    """Click an element as soon as it is visible, no longer moving, enabled and not covered.

    The option of a closed drop-down list is chosen in its list instead, as by `SelectOption`.

    Errors: `PageFailed` if it is not ready within `WAIT_S`, and `BadInput` if there is no such
    element; both without a click. Cancellation before the click has no effect.

    Attributes:
        ref: of the element, or a locator with one match (`tabwright.protocol.locators`), as in all
            actions.
        button: of the mouse.
        count: 2 for a double click.
        modifiers: keys that are held: Control, Shift, Alt, Meta.
        at: position in CSS pixels from the element's top left corner; None for its center.
    """

    declared = Declaration(
        name="click",
        description="Click an element and return what changed on the page.",
        group="act",
    )

    ref: Annotated[
        str,
        Parameter(
            'Ref such as 1.5, or locator: text=Save, label=Email, role=button[name="Save"], CSS.',
            element=True,
        ),
    ]
    button: MouseButton = "left"
    count: Annotated[int, Parameter("2 for a double click.", ge=1, le=3)] = 1
    modifiers: Annotated[tuple[str, ...], Parameter("Control, Shift, Alt or Meta.", rare=True)] = ()
    at: (
        Annotated[
            tuple[float, float],
            Parameter("x, y in pixels from the element's top left corner.", rare=True),
        ]
        | None
    ) = None


MouseEvent: TypeAlias = Literal["move", "click", "drag", "down", "up", "wheel"]


PATH_MAX = 200
"""Maximum number of points of a path."""


PATHS: Mapping[MouseEvent, range] = {
    "move": range(1, 2),
    "click": range(1, 2),
    "drag": range(2, PATH_MAX + 1),
    "wheel": range(1, 2),
}
"""The numbers of points that an event of the mouse can have; the others have none."""


@attrs.frozen
class UseMouse(SimpleAction):
    """Use the mouse at points of the view, whatever is there.

    Error: `BadInput` if the event cannot have that many points.

    Attributes:
        event: ``down`` and ``up`` press and release at the last point, where ``wheel`` turns, too.
        path: the points in CSS pixels of the view; for ``wheel`` the distances.
        button: of the mouse, for ``click``, ``down`` and ``up``.
        count: number of clicks.
        delay_s: seconds between press and release of a click.
    """

    declared = Declaration(
        name="mouse",
        description=("Use the mouse at points of the visible page, where there is no element."),
        group="mouse",
    )

    event: Annotated[MouseEvent, Parameter("down and up press and release where the mouse is.")]
    path: Annotated[
        tuple[tuple[float, float], ...],
        Parameter(
            "Points [x, y] in pixels of the visible page; for wheel: right, down.",
            length_max=PATH_MAX,
        ),
    ] = ()
    button: Annotated[MouseButton, Parameter(rare=True)] = "left"
    count: Annotated[int, Parameter("2 for a double click.", ge=1, le=3, rare=True)] = 1
    delay_s: Annotated[
        float, Parameter("Seconds between press and release.", ge=0, le=10, rare=True)
    ] = 0

    def __attrs_post_init__(self) -> None:
        """Check the number of points.

        Raises:
            BadInput: the event cannot have that many.
        """
        if len(self.path) not in PATHS.get(self.event, range(1)):
            raise BadInput(
                "The path does not have as many points as the event needs.",
                advice="drag needs two or more, move, click and wheel one, down and up none.",
            )


@attrs.frozen
class Type(SimpleAction):
    """Type text into a field. Errors: those of `Click`.

    Attributes:
        text: ``{Enter}`` or ``{Control+A}`` in it are keys, ``{{NAME}}`` is a secret; see
            `tabwright.page.actions.keyboard.typed`.
        append: whether to keep the current value and add to it.
        submit: whether to press Enter at the end.
        slowly: whether to type key by key, for pages that listen to keys.
        literal: whether braces are text instead of keys.
    """

    declared = Declaration(
        name="type",
        description=(
            "Type text into a field, replacing its value. For several fields, use fill_form."
        ),
        group="act",
    )

    ref: Ref
    text: Annotated[str, Parameter("{Enter} or {Control+A} presses keys; \\{Enter} is text.")]
    append: Annotated[bool, Parameter("Keep the current value and add to it.", rare=True)] = False
    submit: Annotated[bool, Parameter("Press Enter afterwards.")] = False
    slowly: Annotated[bool, Parameter("Type key by key.", rare=True)] = False
    literal: Annotated[
        bool,
        Parameter(
            "Take braces as text. Otherwise {Enter}, {Tab}, {Escape}, {Backspace}, "
            "{Delete}, {Insert}, {Home}, {End}, {PageUp}, {PageDown}, {ArrowUp}, {ArrowDown}, "
            "{ArrowLeft}, {ArrowRight}, {F1} to {F12} and keys with modifiers such as "
            "{Control+A} are pressed. \\{Enter} is text; \\\\{Enter} a backslash and the key.",
            rare=True,
        ),
    ] = False


@attrs.frozen
class Press(SimpleAction):
    """Press keys in the focused element. Error: `BadInput` for an unknown key.

    Attributes:
        keys: for example ``Enter`` or ``Control+A``; several are separated by spaces.
        ref: the element that gets the focus first; empty for none.
    """

    declared = Declaration(
        name="press",
        description="Press keys on the focused element, or on ref.",
        group="act",
    )

    keys: Annotated[str, Parameter("Keys in turn, e.g. Control+A or Tab Tab Enter.")]
    ref: Ref = ""


@attrs.frozen
class Hover(SimpleAction):
    """Move the mouse over an element. Errors: those of `Click`."""

    declared = Declaration(
        name="hover",
        description="Move the mouse over an element, e.g. to open a menu.",
        group="mouse",
        destructive=False,
        idempotent=True,
    )

    ref: Ref


@attrs.frozen
class Drag(SimpleAction):
    """Drag an element and drop it on another, with its data. Errors: those of `Click`."""

    declared = Declaration(
        name="drag",
        description="Drag an element onto another.",
        group="mouse",
    )

    ref: Ref
    to: Annotated[str, Parameter("Ref or locator of the target.", element=True)]


@attrs.frozen
class SelectText(SimpleAction):
    """Select text, as a person does who drags the mouse over it.

    Errors: those of `Click`, `BadInput` if the element does not contain the text, and `PageFailed`
    if the page does not let it be selected.

    Attributes:
        ref: the element with the text, or a text field.
        text: the passage to select, its first occurrence; empty for all.
    """

    declared = Declaration(
        name="select_text",
        description="Select text, to copy, format or replace it.",
        group="mouse",
        destructive=False,
        idempotent=True,
    )

    ref: Ref
    text: Annotated[str, Parameter("Omit for all.")] = ""


TouchGesture: TypeAlias = Literal[
    "tap",
    "double_tap",
    "long_press",
    "swipe_left",
    "swipe_right",
    "swipe_up",
    "swipe_down",
    "pinch_in",
    "pinch_out",
]


@attrs.frozen
class Touch(SimpleAction):
    """Touch an element with one finger, or with two for a pinch. Errors: those of `Click`.

    Attributes:
        ref: the element that is touched; a gesture begins in its middle.
        gesture: what the fingers do.
        distance: the length of a swipe, in CSS pixels.
    """

    declared = Declaration(
        name="touch",
        description="Tap, swipe or pinch, as with fingers.",
        group="mouse",
    )

    ref: Ref
    gesture: TouchGesture = "tap"
    distance: Annotated[
        float, Parameter("Pixels of a swipe, default 250.", gt=0, le=5000, rare=True)
    ] = 250


def _choices_of(given: str | tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return one or several options as a tuple."""
    return (given,) if isinstance(given, str) else given


@attrs.frozen
class SelectOption(SimpleAction):
    """Select options of a ``select`` by value or label.

    Error: `BadInput`, which lists the options, if there is no such option.

    Attributes:
        ref: of the ``select``.
        values: all options to select; empty or None for none. The tool lists the options instead
            if they are None.
    """

    declared = Declaration(
        name="select",
        description="Select options of a list, or list them.",
        group="act",
        idempotent=True,
    )

    ref: Ref
    values: (
        Annotated[tuple[str, ...], Parameter("Values or labels; omit to list the options.")] | None
    ) = attrs.field(default=None, converter=_choices_of)


@attrs.frozen
class Scroll(SimpleAction):
    """Scroll the page, or the part of it that an element is in.

    Error: `BadInput` if there is no such element or text, or none is given.

    Attributes:
        to: ``by`` scrolls by `x` and `y`; the others scroll to an end, an element or a text.
        x, y: for ``by``, in CSS pixels; None for most of a screen, downwards.
        text: for ``text``.
        ref: the element for ``element``; otherwise a scrollable area.
    """

    declared = Declaration(
        name="scroll",
        description="Scroll the page or an area, to see or load more.",
        group="act",
        destructive=False,
    )

    to: Annotated[ScrollGoal, Parameter("Where to; by: y pixels.")] = "by"
    x: Annotated[int, Parameter("Pixels to the right, negative for left.", rare=True)] | None = None
    y: Annotated[int, Parameter("Pixels down, or up if negative; default: a screen.")] | None = None
    text: Annotated[str, Parameter("Text to scroll to.")] = ""
    ref: Annotated[str, Parameter("Element to scroll to, or area.", element=True)] = ""

    @property
    def goal(self) -> ScrollGoal:
        """Return `to`, or ``text`` if a text is given and nothing else."""
        return "text" if self.text and self.to == "by" else self.to


@attrs.frozen
class FieldValue:
    """A value for a field.

    Attributes:
        field: its ref, or its name, id, label or placeholder.
        value: text; for a list the values or labels; for a checkbox whether it is checked.
    """

    field: str
    value: str | bool | tuple[str, ...]


@attrs.frozen
class Fill(SimpleAction):
    """Fill in several fields in order. Errors: those of `Click`, with the fields already filled in.

    Attributes:
        fields: the values; anything else raises `TypeError`.
        submit: whether to submit the form of the last field: with its button, or with Enter if it
            has none. The page may reject the values (`BadInput`). If the field is not in a form,
            the outcome says so.
    """

    fields: tuple[FieldValue, ...] = attrs.field(
        validator=deep_iterable(instance_of(FieldValue), instance_of(tuple))
    )
    submit: bool = False


@attrs.frozen
class Upload(SimpleAction):
    """Choose files for a file field, or for an element that opens a file chooser.

    Error: `BadInput` if a folder is given to a field for files, or files to a field for a folder.

    Attributes:
        ref: of the element.
        paths: of the files, or of the one folder for a field that takes a folder
            (``webkitdirectory``); the caller has checked that they can be read. Empty removes
            files.
    """

    declared = Declaration(
        name="upload",
        description="Choose files for a field or an upload button.",
        group="files",
        is_step=False,
    )

    ref: Ref
    paths: Annotated[
        tuple[str, ...],
        Parameter(
            "Absolute paths in the download folder or in acting.upload_roots: files, or one folder "
            "for a folder field."
        ),
    ]


@attrs.frozen
class AnswerDialog(SimpleAction):
    """Answer the dialog that is open.

    If none is open, the next one that was answered at once is reported. Error: `BadInput` if there
    is no such dialog either.

    Attributes:
        accept: True for OK, False for Cancel.
        text: the answer to a prompt; None for the suggested text.
    """

    declared = Declaration(
        name="dialog",
        description="Answer the open dialog (alert, confirm, prompt).",
        group="act",
    )

    accept: Annotated[bool, Parameter("true for OK, false for Cancel.")]
    text: Annotated[str, Parameter("Answer to a prompt.")] | None = None


def _texts_of(given: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return one or several texts as a tuple, without empty ones."""
    return tuple(filter(None, (given,) if isinstance(given, str) else given))


@attrs.frozen
class WaitFor(SimpleAction):
    """Wait until all given conditions hold.

    Errors: `TimeOut`, and `BadInput` if nothing is given.

    Attributes:
        text: any of these texts is visible: on the page, in a frame or in a shadow root, as text or
            as the name of a control. The values of fields do not count.
        gone: this text is not visible.
        selector: this locator (`tabwright.protocol.locators`) matches an element on the page or in
            a frame.
        url: the page's URL contains this.
        idle: the page has no requests and no changes.
        seconds: the time limit, or None for `WAIT_S`; without a condition, the length of the
            pause.
    """

    declared = Declaration(
        name="wait_for",
        description="Wait until all given conditions hold, or fail.",
        group="act",
        read_only=True,
        destructive=False,
        idempotent=True,
    )

    text: Annotated[
        tuple[str, ...],
        Parameter("Visible text; of a list, any.", accepts=str | tuple[str, ...]),
    ] = attrs.field(default=(), converter=_texts_of)
    gone: Annotated[str, Parameter("Text that must disappear.")] = ""
    selector: Annotated[str, Parameter("Locator that must match.", rare=True)] = ""
    url: Annotated[str, Parameter("URL, or part of it.")] = ""
    idle: Annotated[bool, Parameter("No requests and no changes.")] = False
    seconds: (
        Annotated[
            float,
            Parameter("Time limit, default 10. On its own: a pause.", gt=0, le=300),
        ]
        | None
    ) = None

    def __attrs_post_init__(self) -> None:
        """Check that there is something to wait for.

        Raises:
            BadInput: there is not.
        """
        conditions = (self.text, self.gone, self.selector, self.url, self.idle)
        if not any(conditions) and self.seconds is None:
            raise BadInput(
                "No condition to wait for is given.",
                advice="Set text, gone, selector, url, idle or seconds.",
            )

    @property
    def limit_s(self) -> float:
        """Return the time limit, or the length of the pause."""
        return WAIT_S if self.seconds is None else self.seconds


_LOCALE = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*")


def _unless_default(chosen: str | None) -> str | None:
    """Return a value to emulate: empty instead of ``default``."""
    return "" if chosen == "default" else chosen


@attrs.frozen
class Emulate(SimpleAction):
    """Emulate a device, a locale or a lost network; None changes nothing, empty restores it.

    Error: `BadInput` if the locale is not valid.

    Attributes:
        viewport: width and height in CSS pixels; (0, 0) for the default.
        scale: the device pixel ratio; 0 for that of the screen.
        mobile: whether to use the mobile layout and touch.
        locale: for example ``de-DE``; ``default`` restores it, too.
        timezone: for example ``Europe/Berlin``; ``default`` restores it, too.
        offline: whether the network is cut.
        dark: whether to prefer a dark color scheme.
    """

    viewport: tuple[int, int] | None = None
    scale: float = 1.0
    mobile: bool = False
    locale: str | None = attrs.field(default=None, converter=_unless_default)
    timezone: str | None = attrs.field(default=None, converter=_unless_default)
    offline: bool | None = None
    dark: bool | None = None

    def __attrs_post_init__(self) -> None:
        """Check the locale.

        Raises:
            BadInput: it is not valid.
        """
        if self.locale and not _LOCALE.fullmatch(self.locale):
            raise BadInput(
                f"{self.locale!r} is not a locale.",
                advice="Use a locale such as de-DE, or default.",
            )


# Several actions in one request.

ReadKind: TypeAlias = Literal["text", "value", "href", "count"]

STEPS_MAX = 100
"""Maximum number of steps that are listed, and of those that are performed in one request."""


@attrs.frozen
class ReadElements:
    """A step: read all elements that a target names, and keep the texts as a variable.

    Attributes:
        ref: a ref or a locator; it is not an error if no element matches.
        name: of the variable; ``${name}`` in the texts of later steps is replaced by it.
        what: the visible text, the value of a field, the URL of a link, or the number of elements.
    """

    ref: Ref
    name: str
    what: ReadKind = "text"


@attrs.frozen
class StepCondition:
    """A condition of the page or of a variable. All parts that are given have to hold.

    Attributes:
        text, gone: a text that is visible, or is not.
        visible, hidden: a target of which an element is visible, or none is.
        url: a part of the page's URL.
        variable: the name of a variable, for `equals` and `contains`.
        equals, contains: the whole text of the variable, or a part of it.
    """

    text: str = ""
    gone: str = ""
    visible: Ref = ""
    hidden: Ref = ""
    url: str = ""
    variable: str = ""
    equals: str | None = None
    contains: str = ""


@attrs.frozen
class IfStep:
    """A step: other steps if a condition holds, or else others."""

    condition: StepCondition
    then: "tuple[Step, ...]"
    otherwise: "tuple[Step, ...]" = ()


@attrs.frozen
class RepeatSteps:
    """A step: other steps, up to so many times.

    Attributes:
        steps: to repeat.
        times: the maximum.
        until: checked before each time; None for all times.
    """

    steps: "tuple[Step, ...]"
    times: int
    until: StepCondition | None = None


@attrs.frozen
class StepFailure:
    """The step that failed.

    Attributes:
        step: its description.
        error: the error; its `effect` is that of this step.
    """

    step: str
    error: TabwrightError


@attrs.frozen
class StepsReport:
    """The outcome of several steps.

    Attributes:
        done: the steps that were done, in order, a line each.
        failure: the step that failed and ended them; None if all were done.
        variables: what was read, by the name of the variable.
        acted: whether any step was done that does more than read.
    """

    done: tuple[str, ...]
    failure: StepFailure | None = None
    variables: tuple[tuple[str, tuple[str, ...]], ...] = ()
    acted: bool = False


ACTIONS: tuple[type[SimpleAction], ...] = (
    Click,
    Type,
    Press,
    Hover,
    Drag,
    SelectText,
    Touch,
    SelectOption,
    Scroll,
    Fill,
    Upload,
    WaitFor,
    AnswerDialog,
    Emulate,
    UseMouse,
)
"""Every action that is done at once."""

Step: TypeAlias = SimpleAction | ReadElements | IfStep | RepeatSteps


@attrs.frozen
class RunSteps:
    """Perform steps one after the other, and report the changes once, at the end.

    The first failure ends them; it is reported in the outcome, not raised. Cancellation ends them
    within a step; what was done stays done.

    Attributes:
        steps: at most `STEPS_MAX`, including the inner ones; no more are performed either.
    """

    steps: tuple[Step, ...]


Action: TypeAlias = SimpleAction | RunSteps
"""Every action on a page; the answer to each is an `Outcome`."""

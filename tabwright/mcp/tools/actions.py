"""Tools that act on a page: ``click``, ``type``, ``press`` and so on."""

from abc import ABC, abstractmethod
from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import ELEMENT, object_schema
from tabwright.mcp.page_results import outcome_result
from tabwright.mcp.tool import (
    ACTS,
    LOOKS,
    READS,
    SETS,
    Tool,
    ToolAnnotations,
    ToolContext,
    ToolResult,
)
from tabwright.mcp.tools.page_arguments import COUNTS, FirstRef, Rare, Ref, TabArguments
from tabwright.protocol.actions import (
    WAIT_S,
    Action,
    AnswerDialog,
    Click,
    Drag,
    Hover,
    MouseButton,
    Press,
    Scroll,
    ScrollGoal,
    SelectOption,
    SelectText,
    Touch,
    TouchGesture,
    Type,
    WaitFor,
)
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import FindElements, ListOptions
from tabwright.protocol.untrusted_text import plain

OUTCOME = object_schema(
    {
        "description": {"type": "string", "description": "What was done."},
        "url": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer", "description": "HTTP status, if the page navigated."},
        "changes": {"type": "string", "description": "Outline lines that were added or removed."},
        "dialog": {"type": "object", "description": "Dialog that is waiting for an answer."},
        "dialogs": {"type": "array", "items": {"type": "object"}},
        "tabs": {
            "type": "array",
            "items": {"type": "object"},
            "description": "Tabs that the action opened.",
        },
        "downloads": {"type": "array", "items": {"type": "object"}},
        "errors": {"type": "array", "items": {"type": "object"}},
        "console": COUNTS,
        "value_check": {
            "type": "string",
            "enum": ["matches", "differs", "unknown"],
            "description": "Whether each field holds the value written to it.",
        },
        "steps": {"type": "object", "description": "For run: done, failed and variables."},
        "script": {"type": "object", "description": "End of the script that a dialog interrupted."},
        "busy": {"type": "boolean", "description": "Whether the page was still changing."},
        "meanwhile": {
            "type": "object",
            "description": "The same for earlier changes that were not reported yet.",
        },
    },
    required=["description", "url", "title"],
)
"""The record of an action. Empty fields are left out."""


@attrs.frozen(kw_only=True)
class ActArguments(TabArguments, ABC):
    """Arguments of every tool that acts on a page."""

    @abstractmethod
    def request(self) -> Action:
        """Return the action for the tab."""


async def act(arguments: ActArguments, context: ToolContext) -> ToolResult:
    """Perform the action in the tab."""
    outcome = await context.tabwright.act(
        arguments.request(),
        session=arguments.session,
        tab=arguments.tab,
        progress=context.on_progress,
    )
    return outcome_result(outcome, context.names)


@attrs.frozen(kw_only=True)
class ClickArguments(ActArguments):
    """Arguments of `click`."""

    ref: FirstRef
    button: MouseButton = "left"
    count: Annotated[int, Meta(ge=1, le=3, description="2 for a double click.")] = 1
    modifiers: Rare[
        Annotated[tuple[str, ...], Meta(description="Control, Shift, Alt or Meta.")]
    ] = ()
    at: (
        Rare[
            Annotated[
                tuple[float, float],
                Meta(description="x, y in pixels from the element's top left corner."),
            ]
        ]
        | None
    ) = None

    def request(self) -> Click:
        """Return the action."""
        return Click(self.ref, self.button, self.count, self.modifiers, self.at)


CLICK = Tool(
    name="click",
    description="Click an element and return what changed on the page.",
    group="act",
    annotations=ACTS,
    arguments=ClickArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class TypeArguments(ActArguments):
    """Arguments of `type`."""

    ref: Ref
    text: Annotated[
        str,
        Meta(description="{Enter} or {Control+A} presses keys; \\{Enter} is text."),
    ]
    append: Rare[Annotated[bool, Meta(description="Keep the current value and add to it.")]] = False
    submit: Annotated[bool, Meta(description="Press Enter afterwards.")] = False
    slowly: Rare[Annotated[bool, Meta(description="Type key by key.")]] = False
    literal: Rare[
        Annotated[
            bool,
            Meta(
                description="Take braces as text. Otherwise {Enter}, {Tab}, {Escape}, {Backspace}, "
                "{Delete}, {Insert}, {Home}, {End}, {PageUp}, {PageDown}, {ArrowUp}, {ArrowDown}, "
                "{ArrowLeft}, {ArrowRight}, {F1} to {F12} and keys with modifiers such as "
                "{Control+A} are pressed. \\{Enter} is text; \\\\{Enter} a backslash and the key."
            ),
        ]
    ] = False

    def request(self) -> Type:
        """Return the action."""
        return Type(
            self.ref, self.text, self.append, self.submit, self.slowly, literal=self.literal
        )


TYPE = Tool(
    name="type",
    description=(
        "Type text into a field, replacing its value. For several fields at once, use fill_form."
    ),
    group="act",
    annotations=ACTS,
    arguments=TypeArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class PressArguments(ActArguments):
    """Arguments of `press`."""

    keys: Annotated[str, Meta(description="Keys in turn, e.g. Control+A or Tab Tab Enter.")]
    ref: Ref = ""

    def request(self) -> Press:
        """Return the action."""
        return Press(self.keys, self.ref)


PRESS = Tool(
    name="press",
    description="Press keys on the focused element, or on ref.",
    group="act",
    annotations=ACTS,
    arguments=PressArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class HoverArguments(ActArguments):
    """Arguments of `hover`."""

    ref: Ref

    def request(self) -> Hover:
        """Return the action."""
        return Hover(self.ref)


HOVER = Tool(
    name="hover",
    description="Move the mouse over an element, e.g. to open a menu.",
    group="mouse",
    annotations=LOOKS,
    arguments=HoverArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class DragArguments(ActArguments):
    """Arguments of `drag`."""

    ref: Ref
    to: Annotated[str, Meta(description="Ref or locator of the target.", extra_json_schema=ELEMENT)]

    def request(self) -> Drag:
        """Return the action."""
        return Drag(self.ref, self.to)


DRAG = Tool(
    name="drag",
    description="Drag an element onto another.",
    group="mouse",
    annotations=ACTS,
    arguments=DragArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class SelectTextArguments(ActArguments):
    """Arguments of `select_text`."""

    ref: Ref
    text: Annotated[str, Meta(description="Omit for all.")] = ""

    def request(self) -> SelectText:
        """Return the action."""
        return SelectText(self.ref, self.text)


SELECT_TEXT = Tool(
    name="select_text",
    description="Select text, to copy, format or replace it.",
    group="mouse",
    annotations=LOOKS,
    arguments=SelectTextArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class TouchArguments(ActArguments):
    """Arguments of `touch`."""

    ref: Ref
    gesture: TouchGesture = "tap"
    distance: Rare[
        Annotated[float, Meta(gt=0, le=5000, description="Pixels of a swipe, default 250.")]
    ] = 250

    def request(self) -> Touch:
        """Return the action."""
        return Touch(self.ref, self.gesture, self.distance)


TOUCH = Tool(
    name="touch",
    description="Tap, swipe or pinch, as with fingers.",
    group="mouse",
    annotations=ACTS,
    arguments=TouchArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class SelectArguments(ActArguments):
    """Arguments of `select`."""

    ref: Ref
    values: (
        Annotated[
            tuple[str, ...],
            Meta(description="Values or labels; omit to list the options."),
        ]
        | None
    ) = None

    def request(self) -> SelectOption:
        """Return the action."""
        return SelectOption(self.ref, self.values or ())


async def select(arguments: SelectArguments, context: ToolContext) -> ToolResult:
    """Select options of a list, or list its options."""
    if arguments.values is not None:
        return await act(arguments, context)
    from tabwright.page.render import options_parts  # noqa: PLC0415  (heavy)

    listed = await context.tabwright.inspect(
        ListOptions(arguments.ref), session=arguments.session, tab=arguments.tab
    )
    budget = (await context.settings(arguments)).reading.outline_tokens_max
    parts = options_parts(listed, budget)
    return ToolResult(parts, {"description": plain(parts), "url": "", "title": ""})


SELECT = Tool(
    name="select",
    description="Select options of a list by value or label, or list them.",
    group="act",
    annotations=SETS,
    arguments=SelectArguments,
    handler=select,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class FindArguments(TabArguments):
    """Arguments of `find`."""

    locator: Annotated[
        str, Meta(description="text=, role=, label=, placeholder=, testid=, CSS; >> nests.")
    ]


async def find(arguments: FindArguments, context: ToolContext) -> ToolResult:
    """List the elements that a locator matches."""
    from tabwright.page.render import found_parts  # noqa: PLC0415  (heavy)

    found = await context.tabwright.inspect(
        FindElements(arguments.locator), session=arguments.session, tab=arguments.tab
    )
    budget = (await context.settings(arguments)).reading.outline_tokens_max
    parts = found_parts(found, budget)
    return ToolResult(
        parts,
        {"count": found.count, "elements": [attrs.asdict(one) for one in found.elements]},
    )


FIND = Tool(
    name="find",
    description="Find elements of any kind on the page and return their refs.",
    group="act",
    annotations=READS,
    arguments=FindArguments,
    handler=find,
    output_schema=object_schema(
        {
            "count": {"type": "integer", "description": "Number of matching elements."},
            "elements": {
                "type": "array",
                "items": {"type": "object"},
                "description": "The first of them: ref, and role and name or text.",
            },
        },
        required=["count", "elements"],
    ),
)


@attrs.frozen(kw_only=True)
class ScrollArguments(ActArguments):
    """Arguments of `scroll`."""

    to: Annotated[
        ScrollGoal,
        Meta(description="By y pixels, or to an end, to the text or to the element."),
    ] = "by"
    y: (
        Annotated[
            int,
            Meta(description="Pixels down, negative for up; default: most of a screen."),
        ]
        | None
    ) = None
    x: Rare[Annotated[int, Meta(description="Pixels to the right, negative for left.")]] | None = (
        None
    )
    text: Annotated[str, Meta(description="Text to scroll to.")] = ""
    ref: Annotated[
        str,
        Meta(
            description="Element to scroll to, or area to scroll.",
            extra_json_schema=ELEMENT,
        ),
    ] = ""

    def request(self) -> Scroll:
        """Return the action."""
        to = "text" if self.text and self.to == "by" else self.to
        return Scroll(to, self.x, self.y, self.text, self.ref)


SCROLL = Tool(
    name="scroll",
    description="Scroll the page or an area, to see or load more.",
    group="mouse",
    annotations=ToolAnnotations(),
    arguments=ScrollArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class WaitForArguments(ActArguments):
    """Arguments of `wait_for`."""

    text: Annotated[
        str | tuple[str, ...],
        Meta(description="Text that must be visible; of a list, any."),
    ] = ""
    gone: Annotated[str, Meta(description="Text that must disappear.")] = ""
    selector: Rare[Annotated[str, Meta(description="Locator that must match.")]] = ""
    url: Annotated[str, Meta(description="URL, or part of it.")] = ""
    idle: Annotated[bool, Meta(description="No requests and no changes.")] = False
    seconds: (
        Annotated[
            float,
            Meta(gt=0, le=300, description="Time limit, default 10. On its own: a pause."),
        ]
        | None
    ) = None

    def request(self) -> WaitFor:
        """Return the request.

        Raises:
            BadInput: there is no condition.
        """
        if not (
            any(self.text) or self.gone or self.selector or self.url or self.idle or self.seconds
        ):
            raise BadInput(
                "No condition to wait for is given.",
                advice="Set text, gone, selector, url, idle or seconds.",
            )
        seconds = self.seconds or WAIT_S
        return WaitFor(self.text, self.gone, self.selector, self.url, self.idle, seconds)


WAIT_FOR = Tool(
    name="wait_for",
    description="Wait until all given conditions hold. Fails if they do not in time.",
    group="act",
    annotations=READS,
    arguments=WaitForArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class DialogArguments(ActArguments):
    """Arguments of `dialog`."""

    accept: Annotated[bool, Meta(description="true for OK, false for Cancel.")]
    text: Annotated[str, Meta(description="Answer to a prompt.")] | None = None

    def request(self) -> AnswerDialog:
        """Return the action."""
        return AnswerDialog(self.accept, self.text)


DIALOG = Tool(
    name="dialog",
    description="Answer the open JavaScript dialog (alert, confirm, prompt).",
    group="act",
    annotations=ACTS,
    arguments=DialogArguments,
    handler=act,
    output_schema=OUTCOME,
)

TOOLS = (
    CLICK,
    TYPE,
    PRESS,
    HOVER,
    DRAG,
    SELECT_TEXT,
    TOUCH,
    SELECT,
    FIND,
    SCROLL,
    WAIT_FOR,
    DIALOG,
)

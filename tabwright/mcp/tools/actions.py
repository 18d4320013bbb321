"""What an agent does on a page: ``click``, ``type``, ``press`` and their like."""

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
from tabwright.mcp.tools.page_arguments import COUNTS, Plain, Rare, Ref, TabArguments
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
    Type,
    WaitFor,
)
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import ListOptions
from tabwright.protocol.page_text import plain

OUTCOME = object_schema(
    {
        "said": {"type": "string", "description": "What was done."},
        "url": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer", "description": "Of HTTP, where the page went somewhere."},
        "changes": {"type": "string", "description": "Lines of the outline that came or went."},
        "dialog": {"type": "object", "description": "The one that waits for an answer."},
        "dialogs": {"type": "array", "items": {"type": "object"}},
        "tabs": {"type": "array", "items": {"type": "object"}, "description": "That it opened."},
        "downloads": {"type": "array", "items": {"type": "object"}},
        "errors": {"type": "array", "items": {"type": "object"}},
        "console": COUNTS,
        "value_check": {
            "type": "string",
            "enum": ["matches", "differs", "unknown"],
            "description": "Whether each field holds what was written into it.",
        },
        "busy": {"type": "boolean", "description": "Whether the page was still at work."},
        "meanwhile": {
            "type": "object",
            "description": "The same that came before, of itself, and was not told yet.",
        },
    },
    required=["said", "url", "title"],
)
"""What comes of an action; what is empty is left out."""


@attrs.frozen(kw_only=True)
class ActArguments(TabArguments, ABC):
    """What every tool takes that does something on a page."""

    @abstractmethod
    def request(self) -> Action:
        """What is asked of the tab."""


async def act(arguments: ActArguments, context: ToolContext) -> ToolResult:
    """Have the tab do what the arguments say."""
    outcome = await context.tabwright.act(
        arguments.request(),
        session=arguments.session,
        tab=arguments.tab,
        progress=context.on_progress,
    )
    return outcome_result(outcome, context.names)


@attrs.frozen(kw_only=True)
class ClickArguments(ActArguments):
    """What `click` takes."""

    ref: Ref
    button: MouseButton = "left"
    count: Plain[Annotated[int, Meta(ge=1, le=3, description="2: double click")]] = 1
    modifiers: Plain[Annotated[tuple[str, ...], Meta(description="Control, Shift, Alt, Meta")]] = ()
    at: Rare[Annotated[tuple[float, float], Meta(description="x, y in the element")]] | None = None

    def request(self) -> Click:
        """The request."""
        return Click(self.ref, self.button, self.count, self.modifiers, self.at)


CLICK = Tool(
    name="click",
    description="Click an element.",
    group="act",
    annotations=ACTS,
    arguments=ClickArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class TypeArguments(ActArguments):
    """What `type` takes."""

    ref: Ref
    text: Annotated[str, Meta(description="{Enter}, {Control+A} are keys, \\{Enter} text")]
    append: Plain[Annotated[bool, Meta(description="to what is there")]] = False
    submit: Plain[Annotated[bool, Meta(description="with Enter")]] = False
    slowly: Rare[Annotated[bool, Meta(description="key by key")]] = False
    literal: Rare[
        Annotated[
            bool,
            Meta(
                description="Braces are text. Otherwise keys are {Enter}, {Tab}, {Escape}, "
                "{Backspace}, {Delete}, {Insert}, {Home}, {End}, {PageUp}, {PageDown}, {ArrowUp} "
                "and its like, {F1} to {F12}, and any key after modifiers, as {Control+A}, written "
                "exactly so; \\{Enter} is text, \\\\{Enter} a backslash and the key."
            ),
        ]
    ] = False

    def request(self) -> Type:
        """The request."""
        return Type(
            self.ref, self.text, self.append, self.submit, self.slowly, literal=self.literal
        )


TYPE = Tool(
    name="type",
    description="Replace what a field holds.",
    group="act",
    annotations=ACTS,
    arguments=TypeArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class PressArguments(ActArguments):
    """What `press` takes."""

    keys: Annotated[str, Meta(description="Control+A, or Tab Tab Enter")]
    ref: Ref = ""

    def request(self) -> Press:
        """The request."""
        return Press(self.keys, self.ref)


PRESS = Tool(
    name="press",
    description="Press keys at the focus, or in ref.",
    group="act",
    annotations=ACTS,
    arguments=PressArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class HoverArguments(ActArguments):
    """What `hover` takes."""

    ref: Ref

    def request(self) -> Hover:
        """The request."""
        return Hover(self.ref)


HOVER = Tool(
    name="hover",
    description="Point at an element.",
    group="mouse",
    annotations=LOOKS,
    arguments=HoverArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class DragArguments(ActArguments):
    """What `drag` takes."""

    ref: Ref
    to: Ref

    def request(self) -> Drag:
        """The request."""
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
class SelectArguments(ActArguments):
    """What `select` takes."""

    ref: Ref
    values: Annotated[tuple[str, ...], Meta(description="or labels; none lists all")] | None = None

    def request(self) -> SelectOption:
        """The request."""
        return SelectOption(self.ref, self.values or ())


async def select(arguments: SelectArguments, context: ToolContext) -> ToolResult:
    """Choose from a list, or list what there is to choose from."""
    if arguments.values is not None:
        return await act(arguments, context)
    from tabwright.page.render import options_parts  # noqa: PLC0415  (heavy)

    listed = await context.tabwright.inspect(
        ListOptions(arguments.ref), session=arguments.session, tab=arguments.tab
    )
    parts = options_parts(listed, context.tabwright.settings.acting.max_tokens)
    return ToolResult(parts, {"said": plain(parts), "url": "", "title": ""})


SELECT = Tool(
    name="select",
    description="Choose from a list.",
    group="act",
    annotations=SETS,
    arguments=SelectArguments,
    handler=select,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class ScrollArguments(ActArguments):
    """What `scroll` takes."""

    to: ScrollGoal = "by"
    y: int | None = None
    x: Rare[int] | None = None
    text: str = ""
    ref: Annotated[
        str,
        Meta(
            description="the element, or a part that scrolls by itself", extra_json_schema=ELEMENT
        ),
    ] = ""

    def request(self) -> Scroll:
        """The request."""
        to = "text" if self.text and self.to == "by" else self.to
        return Scroll(to, self.x, self.y, self.text, self.ref)


SCROLL = Tool(
    name="scroll",
    description="Scroll the page.",
    group="mouse",
    annotations=ToolAnnotations(),
    arguments=ScrollArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class WaitForArguments(ActArguments):
    """What `wait_for` takes."""

    text: Plain[
        Annotated[str | tuple[str, ...], Meta(description="visible anywhere; any of a list")]
    ] = ""
    gone: Annotated[str, Meta(description="a text")] = ""
    selector: str = ""
    url: Plain[Annotated[str, Meta(description="or a part")]] = ""
    idle: bool = False
    seconds: (
        Plain[
            Annotated[float, Meta(gt=0, le=300, description="at most; default 10; alone: a pause")]
        ]
        | None
    ) = None

    def request(self) -> WaitFor:
        """The request.

        Raises:
            BadInput: nothing is waited for.
        """
        if not (
            any(self.text) or self.gone or self.selector or self.url or self.idle or self.seconds
        ):
            raise BadInput(
                "Nothing is waited for.",
                advice="Give text, gone, selector, url, idle or seconds.",
            )
        seconds = self.seconds or WAIT_S
        return WaitFor(self.text, self.gone, self.selector, self.url, self.idle, seconds)


WAIT_FOR = Tool(
    name="wait_for",
    description="Wait for all that is given, seconds at most.",
    group="act",
    annotations=READS,
    arguments=WaitForArguments,
    handler=act,
    output_schema=OUTCOME,
)


@attrs.frozen(kw_only=True)
class DialogArguments(ActArguments):
    """What `dialog` takes."""

    accept: bool
    text: Plain[Annotated[str, Meta(description="for a prompt")]] | None = None

    def request(self) -> AnswerDialog:
        """The request."""
        return AnswerDialog(self.accept, self.text)


DIALOG = Tool(
    name="dialog",
    description="Answer the open dialog.",
    group="act",
    annotations=ACTS,
    arguments=DialogArguments,
    handler=act,
    output_schema=OUTCOME,
)

TOOLS = (CLICK, TYPE, PRESS, HOVER, DRAG, SELECT, SCROLL, WAIT_FOR, DIALOG)

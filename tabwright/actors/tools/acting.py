"""What an agent does on a page: ``click``, ``type``, ``press`` and their like."""

from abc import ABC, abstractmethod
from typing import Annotated, TypeAlias

import attrs
from msgspec import Meta

from tabwright.actors.tools.page_schema import DEFAULT_SESSION
from tabwright.actors.tools.schema import schema_of
from tabwright.actors.tools.tool import Effects, Tool, object_schema
from tabwright.protocol.acting import (
    ActingTab,
    AnswerDialog,
    Choose,
    Click,
    Drag,
    Hover,
    MouseButton,
    Outcome,
    Press,
    Scroll,
    ScrollGoal,
    Type,
    WaitFor,
)
from tabwright.protocol.asking import Request

Ref: TypeAlias = Annotated[str, Meta(description="of a snapshot, as 1.5")]

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
        "busy": {"type": "boolean", "description": "Whether the page was still at work."},
    },
    required=["said", "url", "title"],
)
"""What comes of an action; what is empty is left out."""


ACTS = Effects(destructive=True)
"""Of a tool that may have a page do what cannot be brought back."""

SETS = Effects(destructive=True, idempotent=True)
"""The same, where twice is as once."""

LOOKS = Effects(idempotent=True)
"""Of a tool that changes nothing outside of the browser."""


@attrs.frozen(kw_only=True)
class ActArguments(ABC):
    """What every tool takes that does something on a page.

    Attributes:
        session: whose page.
        tab: which of its tabs; None for the current one.
    """

    session: str = DEFAULT_SESSION
    tab: int | None = None

    @abstractmethod
    def request(self) -> Request[ActingTab, Outcome]:
        """What is asked of the tab."""


@attrs.frozen(kw_only=True)
class ClickArguments(ActArguments):
    """What `click` takes."""

    ref: Ref
    button: MouseButton = "left"
    count: Annotated[int, Meta(ge=1, le=3, description="2 is a double click")] = 1
    modifiers: Annotated[tuple[str, ...], Meta(description="held: Control, Shift, Alt, Meta")] = ()
    at: Annotated[tuple[float, float], Meta(description="x, y in the element")] | None = None

    def request(self) -> Click:
        """The request."""
        return Click(self.ref, self.button, self.count, self.modifiers, self.at)


@attrs.frozen(kw_only=True)
class TypeArguments(ActArguments):
    """What `type` takes."""

    ref: Ref
    text: Annotated[str, Meta(description="{Enter}, {Control+A} in it are keys; \\{ is a brace")]
    append: Annotated[bool, Meta(description="keep what is there")] = False
    submit: Annotated[bool, Meta(description="press Enter after it")] = False
    slowly: Annotated[bool, Meta(description="key by key")] = False

    def request(self) -> Type:
        """The request."""
        return Type(self.ref, self.text, self.append, self.submit, self.slowly)


@attrs.frozen(kw_only=True)
class PressArguments(ActArguments):
    """What `press` takes."""

    keys: Annotated[str, Meta(description="as Escape, Control+A, or several: Tab Tab Enter")]
    ref: str = ""

    def request(self) -> Press:
        """The request."""
        return Press(self.keys, self.ref)


@attrs.frozen(kw_only=True)
class HoverArguments(ActArguments):
    """What `hover` takes."""

    ref: Ref

    def request(self) -> Hover:
        """The request."""
        return Hover(self.ref)


@attrs.frozen(kw_only=True)
class DragArguments(ActArguments):
    """What `drag` takes."""

    ref: Ref
    to: Ref

    def request(self) -> Drag:
        """The request."""
        return Drag(self.ref, self.to)


@attrs.frozen(kw_only=True)
class SelectArguments(ActArguments):
    """What `select` takes."""

    ref: Ref
    values: (
        Annotated[tuple[str, ...], Meta(description="values or labels; none lists all options")]
        | None
    ) = None

    def request(self) -> Choose:
        """The request."""
        return Choose(self.ref, self.values or ())


@attrs.frozen(kw_only=True)
class ScrollArguments(ActArguments):
    """What `scroll` takes."""

    to: ScrollGoal = "by"
    y: int | None = None
    x: int | None = None
    text: str = ""
    ref: Annotated[str, Meta(description="the element, or a part that scrolls by itself")] = ""

    def request(self) -> Scroll:
        """The request."""
        to = "text" if self.text and self.to == "by" else self.to
        return Scroll(to, self.x, self.y, self.text, self.ref)


@attrs.frozen(kw_only=True)
class WaitForArguments(ActArguments):
    """What `wait_for` takes."""

    text: Annotated[str, Meta(description="is shown")] = ""
    gone: Annotated[str, Meta(description="text that is not, or not any more")] = ""
    selector: str = ""
    url: Annotated[str, Meta(description="a part of it")] = ""
    idle: bool = False
    seconds: Annotated[float, Meta(gt=0, le=300, description="at most")] = 10.0

    def request(self) -> WaitFor:
        """The request."""
        return WaitFor(self.text, self.gone, self.selector, self.url, self.idle, self.seconds)


@attrs.frozen(kw_only=True)
class DialogArguments(ActArguments):
    """What `dialog` takes."""

    accept: bool
    text: Annotated[str, Meta(description="for a prompt")] | None = None

    def request(self) -> AnswerDialog:
        """The request."""
        return AnswerDialog(self.accept, self.text)


def acting_tools() -> tuple[Tool[ActArguments], ...]:
    """All of them."""
    return (
        _tool("click", "Click an element", "Click an element.", ClickArguments),
        _tool(
            "type",
            "Type into a field",
            "Replace what a field holds by text.",
            TypeArguments,
            SETS,
        ),
        _tool(
            "press",
            "Press keys",
            "Press keys, in an element or where the focus is.",
            PressArguments,
        ),
        _tool(
            "hover",
            "Hover over an element",
            "Bring the mouse over an element.",
            HoverArguments,
            LOOKS,
        ),
        _tool("drag", "Drag an element", "Drag an element onto another.", DragArguments),
        _tool(
            "select",
            "Choose from a list",
            "Choose from a native list, or list its options.",
            SelectArguments,
            SETS,
        ),
        _tool(
            "scroll",
            "Scroll",
            "Scroll by pixels (a screen without them), to top or bottom, to an element or a text.",
            ScrollArguments,
            LOOKS,
        ),
        _tool(
            "wait_for",
            "Wait for something",
            "Wait until all that is given holds.",
            WaitForArguments,
            LOOKS,
        ),
        _tool("dialog", "Answer a dialog", "Answer an open dialog of the page.", DialogArguments),
    )


def _tool(
    name: str,
    title: str,
    description: str,
    arguments: type[ActArguments],
    effects: Effects = ACTS,
) -> Tool[ActArguments]:
    """A tool of this room."""
    return Tool(
        name=name,
        title=title,
        description=description,
        input_schema=schema_of(arguments),
        output_schema=OUTCOME,
        arguments=arguments,
        group="act",
        effects=effects,
    )

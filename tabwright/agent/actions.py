"""The actions of a navigator, each a value, with the requests shared with the acting tools.

An ``index`` is a ref of the outline, for example ``1.5``. A ref names its document, so a stale ref
is refused and never refers to another element.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, TypeAlias
from urllib.parse import urlencode

import attrs
from msgspec import Meta

from tabwright.protocol import actions as protocol
from tabwright.protocol.actions import (
    AnswerDialog,
    Click,
    Drag,
    Hover,
    Press,
    Scroll,
    SelectOption,
    SelectText,
    Touch,
    Type,
    Upload,
    UseMouse,
    WaitFor,
)
from tabwright.protocol.declarations import Declaration, DeclaredField, declared_fields
from tabwright.protocol.inspection import OutlineText
from tabwright.protocol.sessions import TabsAction

PAGE_PX = 700
"""The distance of a page up: most of the visible part of most pages."""

WAIT_MAX_S = 60.0

GOOGLE = "https://www.google.com/search?"

Index: TypeAlias = Annotated[str, Meta(description="Ref of the element in the outline, e.g. 1.5.")]
TabNumber: TypeAlias = Annotated[int, Meta(description="Number of the tab.")]
Pixels: TypeAlias = Annotated[int, Meta(description="Pixels to scroll; default: one screen.")]


@attrs.frozen(kw_only=True)
class Action:
    """An action of the navigator.

    Attributes:
        intent: the purpose of the action, in the model's words.
    """

    intent: str = ""


@attrs.frozen(kw_only=True)
class PageAction(Action, ABC):
    """An action on the page of the current tab."""

    @abstractmethod
    def request(self, page: OutlineText, /) -> protocol.Action:
        """Return the request to the tab whose page was last seen as `page`."""


@attrs.frozen(kw_only=True)
class NavigationAction(Action, ABC):
    """An action that leads to another page.

    Attributes:
        in_new_tab: whether the page opens in a new tab.
    """

    in_new_tab: ClassVar[bool] = False

    @property
    @abstractmethod
    def target(self) -> str:
        """Return the URL, or the step in the history."""


@attrs.frozen(kw_only=True)
class TabAction(Action):
    """An action on the tabs.

    Attributes:
        change: what is done with the tab.
    """

    change: ClassVar[TabsAction]
    tab_id: TabNumber


@attrs.frozen(kw_only=True)
class Done(Action):
    """End the task with its result, or with the reason why it cannot be done."""

    text: Annotated[str, Meta(description="The complete answer to the task, for the user.")]
    success: Annotated[bool, Meta(description="Whether the whole task is done.")]


@attrs.frozen(kw_only=True)
class CacheContent(Action):
    """Remember findings that the task needs later."""

    content: str


@attrs.frozen(kw_only=True)
class ExtractContent(Action):
    """Read the whole text of the current page and remember what answers a question."""

    question: Annotated[str, Meta(description="What to find on the page, complete in itself.")]


@attrs.frozen(kw_only=True)
class SearchGoogle(NavigationAction):
    """Search Google in the current tab."""

    query: Annotated[str, Meta(description="Search terms, short and concrete.")]

    @property
    def target(self) -> str:
        """Return the result page."""
        return GOOGLE + urlencode({"q": self.query})


@attrs.frozen(kw_only=True)
class GoToUrl(NavigationAction):
    """Go to a URL in the current tab."""

    url: str

    @property
    def target(self) -> str:
        """Return the URL."""
        return self.url


@attrs.frozen(kw_only=True)
class GoBack(NavigationAction):
    """Go back to the previous page."""

    @property
    def target(self) -> str:
        """Return the step in the history."""
        return "back"


@attrs.frozen(kw_only=True)
class OpenTab(NavigationAction):
    """Open a URL in a new tab."""

    in_new_tab: ClassVar[bool] = True
    url: str

    @property
    def target(self) -> str:
        """Return the URL."""
        return self.url


@attrs.frozen(kw_only=True)
class SwitchTab(TabAction):
    """Make another tab the current one."""

    change: ClassVar[TabsAction] = "switch"


@attrs.frozen(kw_only=True)
class CloseTab(TabAction):
    """Close a tab."""

    change: ClassVar[TabsAction] = "close"


@attrs.frozen(kw_only=True)
class Wait(Action):
    """Wait for a page that needs time; the tab can be read meanwhile."""

    seconds: Annotated[float, Meta(description="Seconds to wait, at most 60.")] = 3.0

    @property
    def duration_s(self) -> float:
        """Return the time to wait."""
        return min(max(0.0, self.seconds), WAIT_MAX_S)


@attrs.frozen(kw_only=True)
class GetDropdownOptions(Action):
    """List all options of a select element."""

    index: Index


@attrs.frozen(kw_only=True)
class ScrollUp(PageAction):
    """Scroll up."""

    amount: Pixels | None = None

    def request(self, _page: OutlineText, /) -> Scroll:
        """Return the request."""
        return Scroll(y=-(PAGE_PX if self.amount is None else self.amount))


@attrs.frozen(kw_only=True)
class ScrollToPercent(PageAction):
    """Scroll to a percentage of the page's height."""

    percent: Annotated[int, Meta(description="Position in percent: 0 is the top, 100 the bottom.")]

    def request(self, page: OutlineText, /) -> Scroll:
        """Return the request."""
        top = (page.above + page.below) * min(max(self.percent, 0), 100) // 100
        return Scroll(y=top - page.above)


# Actions of pages, which follow from their declarations.


@attrs.frozen
class FormArgument:
    """An argument of the navigator, for a field of an action.

    Attributes:
        name: that the model uses.
        field: of the action.
        description: for the model; empty if the name says everything.
        optional: whether it can be left out; then the default is that of the field.
        single: whether it is the only value of a field that has several.
    """

    name: str
    field: str
    description: str = ""
    optional: bool = False
    single: bool = False


@attrs.frozen
class ActionForm:
    """The navigator's form of an action.

    Attributes:
        kind: of the action.
        description: for the model.
        arguments: those that the model gives.
        given: the fields that are always the same.
    """

    kind: type[protocol.SimpleAction]
    description: str
    arguments: tuple[FormArgument, ...] = ()
    given: Mapping[str, object] = attrs.field(factory=dict[str, object])


INDEX = FormArgument("index", "ref", "Ref of the element in the outline, e.g. 1.5.")
PIXELS = FormArgument("amount", "y", "Pixels to scroll; default: one screen.", optional=True)


@attrs.frozen(kw_only=True)
class FormedAction(PageAction):
    """An action that follows from its form.

    Attributes:
        form: the form.
    """

    form: ClassVar[ActionForm]

    def request(self, _page: OutlineText, /) -> protocol.SimpleAction:
        """Return the action.

        Raises:
            BadInput: the arguments do not fit each other.
        """
        kind: Callable[..., protocol.SimpleAction] = self.form.kind
        values: dict[str, object] = {}
        for argument in self.form.arguments:
            value: object = getattr(self, argument.name)
            values[argument.field] = (value,) if argument.single else value
        return kind(**values, **self.form.given)


def action_class(name: str, form: ActionForm) -> type[FormedAction]:
    """Return the class of the navigator's action with a name."""
    known = declared_fields(form.kind)
    fields = {argument.name: _field(argument, known[argument.field]) for argument in form.arguments}
    body = {"form": form, "__doc__": form.description}
    return attrs.make_class(name, fields, (FormedAction,), body, frozen=True, kw_only=True)


def _field(argument: FormArgument, field: DeclaredField) -> object:
    if argument.single:
        field = attrs.evolve(field, accepted=str)
    if not argument.optional:
        field = attrs.evolve(field, nullable=False, default=attrs.NOTHING)
    meta = Meta(description=argument.description) if argument.description else Meta()
    return attrs.field(type=field.annotated(meta), default=field.default)


def declared_form(kind: type[protocol.SimpleAction], declared: Declaration) -> ActionForm:
    """Return the form of an action without names of the navigator's own."""
    arguments = tuple(
        attrs.evolve(INDEX, optional=not field.required)
        if name == INDEX.field
        else FormArgument(name, name, field.parameter.description, optional=not field.required)
        for name, field in declared_fields(kind).items()
        if not field.parameter.rare
    )
    return ActionForm(kind, declared.description, arguments)


BrowserAction: TypeAlias = PageAction | NavigationAction | TabAction | GetDropdownOptions | Wait
"""The actions that the browser performs."""

AnyAction: TypeAlias = BrowserAction | Done | CacheContent | ExtractContent
"""All actions of a navigator."""

NAMED: Mapping[str, ActionForm | type[AnyAction]] = {
    "done": Done,
    "search_google": SearchGoogle,
    "go_to_url": GoToUrl,
    "go_back": GoBack,
    "wait": Wait,
    "click_element": ActionForm(Click, "Click an element.", (INDEX,)),
    "double_click": ActionForm(Click, "Double-click an element.", (INDEX,), {"count": 2}),
    "right_click": ActionForm(
        Click,
        "Click an element with the right mouse button, for its context menu.",
        (INDEX,),
        {"button": "right"},
    ),
    "hover": ActionForm(
        Hover, "Move the mouse over an element, for example to open its menu.", (INDEX,)
    ),
    "drag": ActionForm(
        Drag,
        "Drag an element and drop it on another.",
        (INDEX, FormArgument("to", "to", "Ref of the element to drop it on.")),
    ),
    "select_text": ActionForm(
        SelectText,
        "Select text of an element, to copy, format or replace it.",
        (
            INDEX,
            FormArgument("text", "text", "Passage to select; empty for all.", optional=True),
        ),
    ),
    "upload_file": ActionForm(
        Upload,
        "Choose a file for a file field or an upload button.",
        (
            INDEX,
            FormArgument(
                "path", "paths", "Absolute path of a file that the task names.", single=True
            ),
        ),
    ),
    "input_text": ActionForm(
        Type,
        "Replace the content of a field with a text.",
        (
            INDEX,
            FormArgument(
                "text",
                "text",
                "{{NAME}} is replaced by the secret of that name, if the task names it.",
            ),
        ),
        {"literal": True},
    ),
    "switch_tab": SwitchTab,
    "open_tab": OpenTab,
    "close_tab": CloseTab,
    "cache_content": CacheContent,
    "extract_content": ExtractContent,
    "scroll_down": ActionForm(Scroll, "Scroll down.", (PIXELS,)),
    "scroll_up": ScrollUp,
    "scroll_to_text": ActionForm(
        Scroll, "Scroll to a text.", (FormArgument("text", "text"),), {"to": "text"}
    ),
    "scroll_to_percent": ScrollToPercent,
    "scroll_to_top": ActionForm(
        Scroll, "Scroll to the beginning of the page.", given={"to": "top"}
    ),
    "scroll_to_bottom": ActionForm(
        Scroll, "Scroll to the end of the page.", given={"to": "bottom"}
    ),
    "previous_page": ActionForm(Scroll, "Scroll one page up.", given={"y": -PAGE_PX}),
    "next_page": ActionForm(Scroll, "Scroll one page down."),
    "send_keys": ActionForm(
        Press,
        "Press keys in the focused element.",
        (FormArgument("keys", "keys", "Keys separated by spaces, e.g. Enter or Control+A."),),
    ),
    "get_dropdown_options": GetDropdownOptions,
    "select_dropdown_option": ActionForm(
        SelectOption,
        "Select options of a select element.",
        (INDEX, FormArgument("text", "values", "Text of the option.", single=True)),
    ),
    "answer_dialog": ActionForm(
        AnswerDialog,
        "Answer the dialog that blocks the page.",
        (
            FormArgument("accept", "accept"),
            FormArgument(
                "text", "text", "Answer to a prompt; default: the suggested text.", optional=True
            ),
        ),
    ),
}
"""The actions that have names of the navigator's own, by these names."""

LEFT_OUT = frozenset({Touch, UseMouse, WaitFor})
"""Actions that the navigator does not have.

It has a mouse, for elements instead of points, and waits outside of the tab.
"""


def declared_forms() -> Mapping[str, ActionForm]:
    """Return the forms of the actions without names of the navigator's own."""
    named = {one.kind for one in NAMED.values() if isinstance(one, ActionForm)}
    return {
        kind.declared.name: declared_form(kind, kind.declared)
        for kind in protocol.ACTIONS
        if kind.declared and kind not in named | LEFT_OUT
    }


ACTIONS: Mapping[str, type[AnyAction]] = {
    name: action_class(name, one) if isinstance(one, ActionForm) else one
    for name, one in {**NAMED, **declared_forms()}.items()
}
"""The action classes by the names that a model uses."""

_NAMES: Mapping[type[Action], str] = {kind: name for name, kind in ACTIONS.items()}


def name_of(action: Action) -> str:
    """Return the name that a model uses for the action."""
    return _NAMES[type(action)]


def ref_in(index: str) -> str:
    """Return a ref without the marks that outlines put around it."""
    return index.strip().strip("[]*")


def action_line(action: Action) -> str:
    """Return a line that describes the next action."""
    given = attrs.asdict(action)
    intent = given.pop("intent")
    values = ", ".join(f"{key}: {value}" for key, value in given.items() if value is not None)
    return f"{name_of(action)}({values})" + (f" {intent}" if intent else "")

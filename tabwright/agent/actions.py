"""The actions of a navigator, each a value, with the requests shared with the acting tools.

An ``index`` is a ref of the outline, for example ``1.5``. A ref names its document, so a stale ref
is refused and never refers to another element.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Annotated, ClassVar, TypeAlias
from urllib.parse import urlencode

import attrs
from msgspec import Meta

from tabwright.config.secrets import NAME
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
    Type,
    Upload,
)
from tabwright.protocol.errors import BadInput
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
class ClickElement(PageAction):
    """Click an element."""

    index: Index

    def request(self, page: OutlineText, /) -> Click:
        """Return the request.

        Raises:
            BadInput: the element asks for files.
        """
        for control in page.controls:
            if control.ref == ref_in(self.index) and control.role == "file":
                raise BadInput(
                    f"Element {self.index} is a file field.",
                    advice="Use upload_file, or end the task and say what is missing.",
                )
        return Click(self.index)


@attrs.frozen(kw_only=True)
class DoubleClick(PageAction):
    """Double-click an element."""

    index: Index

    def request(self, _page: OutlineText, /) -> Click:
        """Return the request."""
        return Click(self.index, count=2)


@attrs.frozen(kw_only=True)
class RightClick(PageAction):
    """Click an element with the right mouse button, for its context menu."""

    index: Index

    def request(self, _page: OutlineText, /) -> Click:
        """Return the request."""
        return Click(self.index, "right")


@attrs.frozen(kw_only=True)
class HoverElement(PageAction):
    """Move the mouse over an element, for example to open its menu."""

    index: Index

    def request(self, _page: OutlineText, /) -> Hover:
        """Return the request."""
        return Hover(self.index)


@attrs.frozen(kw_only=True)
class DragElement(PageAction):
    """Drag an element and drop it on another."""

    index: Index
    to: Annotated[str, Meta(description="Ref of the element to drop it on.")]

    def request(self, _page: OutlineText, /) -> Drag:
        """Return the request."""
        return Drag(self.index, self.to)


@attrs.frozen(kw_only=True)
class SelectPassage(PageAction):
    """Select text of an element, to copy, format or replace it."""

    index: Index
    text: Annotated[str, Meta(description="Passage to select; empty for all.")] = ""

    def request(self, _page: OutlineText, /) -> SelectText:
        """Return the request."""
        return SelectText(self.index, self.text)


@attrs.frozen(kw_only=True)
class UploadFile(PageAction):
    """Choose a file for a file field or an upload button."""

    index: Index
    path: Annotated[str, Meta(description="Absolute path of a file that the task names.")]

    def request(self, _page: OutlineText, /) -> Upload:
        """Return the request; whether the file may be uploaded is checked before it is sent."""
        return Upload(self.index, (self.path,))


@attrs.frozen(kw_only=True)
class InputText(PageAction):
    """Replace the content of a field with a text."""

    index: Index
    text: Annotated[
        str,
        Meta(description="{{NAME}} is replaced by the secret of that name, if the task names it."),
    ]

    def request(self, _page: OutlineText, /) -> Type:
        """Return the request."""
        return Type(self.index, self.text, literal=True)

    @property
    def secrets(self) -> frozenset[str]:
        """Return the secrets that the text names."""
        return frozenset(NAME.findall(self.text))


@attrs.frozen(kw_only=True)
class SendKeys(PageAction):
    """Press keys in the focused element."""

    keys: Annotated[str, Meta(description="Keys separated by spaces, e.g. Enter or Control+A.")]

    def request(self, _page: OutlineText, /) -> Press:
        """Return the request."""
        return Press(self.keys)


@attrs.frozen(kw_only=True)
class GetDropdownOptions(Action):
    """List all options of a select element."""

    index: Index


@attrs.frozen(kw_only=True)
class SelectDropdownOption(PageAction):
    """Select options of a select element."""

    index: Index
    text: Annotated[str, Meta(description="Text of the option.")]

    def request(self, _page: OutlineText, /) -> SelectOption:
        """Return the request."""
        return SelectOption(self.index, (self.text,))


@attrs.frozen(kw_only=True)
class AnswerOpenDialog(PageAction):
    """Answer the dialog that blocks the page."""

    accept: bool
    text: (
        Annotated[str, Meta(description="Answer to a prompt; default: the suggested text.")] | None
    ) = None

    def request(self, _page: OutlineText, /) -> AnswerDialog:
        """Return the request."""
        return AnswerDialog(self.accept, self.text)


@attrs.frozen(kw_only=True)
class ScrollDown(PageAction):
    """Scroll down."""

    amount: Pixels | None = None

    def request(self, _page: OutlineText, /) -> Scroll:
        """Return the request."""
        return Scroll(y=self.amount)


@attrs.frozen(kw_only=True)
class ScrollUp(PageAction):
    """Scroll up."""

    amount: Pixels | None = None

    def request(self, _page: OutlineText, /) -> Scroll:
        """Return the request."""
        return Scroll(y=-(PAGE_PX if self.amount is None else self.amount))


@attrs.frozen(kw_only=True)
class NextPage(PageAction):
    """Scroll one page down."""

    def request(self, _page: OutlineText, /) -> Scroll:
        """Return the request."""
        return Scroll()


@attrs.frozen(kw_only=True)
class PreviousPage(PageAction):
    """Scroll one page up."""

    def request(self, _page: OutlineText, /) -> Scroll:
        """Return the request."""
        return Scroll(y=-PAGE_PX)


@attrs.frozen(kw_only=True)
class ScrollToTop(PageAction):
    """Scroll to the beginning of the page."""

    def request(self, _page: OutlineText, /) -> Scroll:
        """Return the request."""
        return Scroll("top")


@attrs.frozen(kw_only=True)
class ScrollToBottom(PageAction):
    """Scroll to the end of the page."""

    def request(self, _page: OutlineText, /) -> Scroll:
        """Return the request."""
        return Scroll("bottom")


@attrs.frozen(kw_only=True)
class ScrollToPercent(PageAction):
    """Scroll to a percentage of the page's height."""

    percent: Annotated[int, Meta(description="Position in percent: 0 is the top, 100 the bottom.")]

    def request(self, page: OutlineText, /) -> Scroll:
        """Return the request."""
        top = (page.above + page.below) * min(max(self.percent, 0), 100) // 100
        return Scroll(y=top - page.above)


@attrs.frozen(kw_only=True)
class ScrollToText(PageAction):
    """Scroll to a text."""

    text: str

    def request(self, _page: OutlineText, /) -> Scroll:
        """Return the request."""
        return Scroll("text", text=self.text)


BrowserAction: TypeAlias = PageAction | NavigationAction | TabAction | GetDropdownOptions | Wait
"""The actions that the browser performs."""

AnyAction: TypeAlias = BrowserAction | Done | CacheContent | ExtractContent
"""All actions of a navigator."""

ACTIONS: Mapping[str, type[AnyAction]] = {
    "done": Done,
    "search_google": SearchGoogle,
    "go_to_url": GoToUrl,
    "go_back": GoBack,
    "wait": Wait,
    "click_element": ClickElement,
    "double_click": DoubleClick,
    "right_click": RightClick,
    "hover": HoverElement,
    "drag": DragElement,
    "select_text": SelectPassage,
    "upload_file": UploadFile,
    "input_text": InputText,
    "switch_tab": SwitchTab,
    "open_tab": OpenTab,
    "close_tab": CloseTab,
    "cache_content": CacheContent,
    "extract_content": ExtractContent,
    "scroll_down": ScrollDown,
    "scroll_up": ScrollUp,
    "scroll_to_text": ScrollToText,
    "scroll_to_percent": ScrollToPercent,
    "scroll_to_top": ScrollToTop,
    "scroll_to_bottom": ScrollToBottom,
    "previous_page": PreviousPage,
    "next_page": NextPage,
    "send_keys": SendKeys,
    "get_dropdown_options": GetDropdownOptions,
    "select_dropdown_option": SelectDropdownOption,
    "answer_dialog": AnswerOpenDialog,
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

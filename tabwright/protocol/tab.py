"""The tab: one page, and the requests that it accepts."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import attrs

from tabwright.protocol.fetch import Cookie
from tabwright.protocol.snapshot import (
    AccessibleNode,
    BlockKind,
    LoadedPage,
    PageSource,
    Thumbnail,
)

if TYPE_CHECKING:
    from tabwright.protocol.actions import (
        AnswerDialog,
        Choice,
        Click,
        ConsoleEntry,
        Download,
        Drag,
        Emulate,
        Evaluate,
        Evaluation,
        Fill,
        Hover,
        LeavePage,
        ListOptions,
        Outcome,
        Press,
        Scroll,
        SelectOption,
        Type,
        Upload,
        WaitFor,
    )
    from tabwright.protocol.inspection import (
        Capture,
        ListDownloads,
        ListRequests,
        Locate,
        LocateOnPage,
        NetworkEntry,
        OutlineText,
        PageLocation,
        Print,
        ReadBody,
        ReadConsole,
        ReadRequest,
        RequestDetails,
        TakeOutline,
    )


# The acting side of a tab: actions that a person could do.


class Acting(Protocol):
    """The acting side of a tab. An action is begun only when the one before has ended."""

    async def look(self, request: "LocateOnPage", /) -> "PageLocation":
        """See `LocateOnPage`."""
        ...

    async def downloads(self, request: "ListDownloads", /) -> tuple["Download", ...]:
        """See `ListDownloads`."""
        ...

    async def outline(self, request: "TakeOutline", /) -> "OutlineText":
        """See `TakeOutline`."""
        ...

    async def locate(self, request: "Locate", /) -> str:
        """See `Locate`."""
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

    async def choose(self, request: "SelectOption", /) -> "Outcome":
        """See `SelectOption`."""
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

    async def capture(self, request: "Capture", /) -> Thumbnail:
        """See `Capture`."""
        ...

    async def print(self, request: "Print", /) -> bytes:
        """See `Print`."""
        ...

    async def console(self, request: "ReadConsole", /) -> tuple["ConsoleEntry", ...]:
        """See `ReadConsole`."""
        ...

    async def requests(self, request: "ListRequests", /) -> tuple["NetworkEntry", ...]:
        """See `ListRequests`."""
        ...

    async def request(self, request: "ReadRequest", /) -> "RequestDetails":
        """See `ReadRequest`."""
        ...

    async def body(self, request: "ReadBody", /) -> bytes:
        """See `ReadBody`."""
        ...

    async def emulate(self, request: "Emulate", /) -> "Outcome":
        """See `Emulate`."""
        ...

    async def turn_away(self, request: "LeavePage", /) -> None:
        """See `LeavePage`."""
        ...


class ActingTab(Protocol):
    """A tab that can be acted in."""

    @property
    def acting(self) -> Acting:
        """Its acting side."""
        ...


class Tab(Protocol):
    """One page in the browser, used by one piece of work at a time."""

    @property
    def acting(self) -> Acting:
        """Its acting side; what is asked of that is in `tabwright.protocol.tab`."""
        ...

    async def navigate(self, request: "Navigate", /) -> LoadedPage:
        """See `Navigate`."""
        ...

    async def submit(self, request: "Submit", /) -> LoadedPage | None:
        """See `Submit`."""
        ...

    async def document(self) -> None:
        """Wait until a document is parsed to which the page comes of itself or by a person.

        Answers again when what the document shows has been loaded too.
        """
        ...

    async def show(self) -> None:
        """Bring the tab before all others, where there is a window."""
        ...

    async def run_script(self, request: "RunScript", /) -> str:
        """See `RunScript`."""
        ...

    async def type_text(self, request: "TypeText", /) -> None:
        """See `TypeText`."""
        ...

    async def find_redirects(self, request: "FindRedirects", /) -> Mapping[str, str]:
        """See `FindRedirects`."""
        ...

    async def traffic(self) -> "Traffic":
        """The page's requests since the tab was last sent somewhere or typed into."""
        ...

    async def read_source(self, request: "ReadSource", /) -> PageSource:
        """See `ReadSource`."""
        ...

    async def read_tree(self) -> tuple[AccessibleNode, ...]:
        """The accessibility tree of the document, as the browser gives it to screen readers."""
        ...

    async def do_without(self, request: "DoWithout", /) -> None:
        """See `DoWithout`."""
        ...

    async def cookies(self) -> tuple[Cookie, ...]:
        """All cookies of the tab's own context."""
        ...

    async def set_cookies(self, request: "SetTabCookies", /) -> None:
        """See `SetTabCookies`."""
        ...

    async def storage(self) -> "OriginStorage | None":
        """What the origin of the tab's page keeps; None where it may not, or keeps too much."""
        ...

    async def set_storage(self, request: "SetTabStorage", /) -> None:
        """See `SetTabStorage`."""
        ...


@attrs.frozen
class Navigate:
    """Go to a URL, and wait until its document is parsed.

    Cancellation stops the loading. Refused with `NavigationFailed` where the page cannot be
    reached, and with `PageFailed` where it is larger than the settings allow.

    Attributes:
        url: http or https; other schemes are refused with `BadInput`.
        languages: the ``Accept-Language`` to send; empty for the browser's own.
        whole: whether to wait for all that the document shows too, until the network is idle; a
            page that never is has its time.
    """

    url: str
    languages: str = ""
    whole: bool = False

    async def visit(self, tab: Tab, /) -> LoadedPage:
        """Has `tab` answer."""
        return await tab.navigate(self)


SUBMITTED = "submitted"
"""What a function says that leads the page on."""


@attrs.frozen
class Submit:
    """Run a function of ours that leads the page on, and wait until the next document is parsed.

    Answers None where the function does not say `SUBMITTED`, and the page that is there where it
    stays all the same. Otherwise as `Navigate`.

    Attributes:
        function: as that of `RunScript`; it must answer before the page goes.
        values: its arguments.
        stays_s: after how long a page that has not begun to go is taken to stay.
    """

    function: str
    values: tuple[str, ...] = ()
    stays_s: float = math.inf

    async def visit(self, tab: Tab, /) -> LoadedPage | None:
        """Has `tab` answer."""
        return await tab.submit(self)


@attrs.frozen
class RunScript:
    """Run a function declaration of ours in an isolated world; answers the string it returns.

    Attributes:
        function: the source of the function, which must return a string.
        pierce: whether to pass it every closed shadow root of the page, as its first arguments.
        values: its further arguments.
    """

    function: str
    pierce: bool = False
    values: tuple[str, ...] = ()

    async def visit(self, tab: Tab, /) -> str:
        """Has `tab` answer."""
        return await tab.run_script(self)


@attrs.frozen
class TypeText:
    """Insert text where the focus is, and press Enter after it."""

    text: str

    async def visit(self, tab: Tab, /) -> None:
        """Has `tab` answer."""
        await tab.type_text(self)


@attrs.frozen
class FindRedirects:
    """Where links of the page's own site lead, without going there.

    Answers the targets by link; one that does not redirect, or not in time, is left out.
    """

    links: tuple[str, ...]

    async def visit(self, tab: Tab, /) -> Mapping[str, str]:
        """Has `tab` answer."""
        return await tab.find_redirects(self)


REFUSALS = frozenset({403, 429, 503})
"""What a server says that has had enough (RFC 6585, RFC 9110)."""


@attrs.frozen
class Traffic:
    """The latest requests by a page's scripts, by their URLs.

    Attributes:
        under_way: that have no end yet.
        failed: that broke off or came to nothing.
        refused: that were answered by 403, 429 or 503, also behind a redirect.
    """

    under_way: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


@attrs.frozen
class ReadSource:
    """The document as it stands once its DOM has been quiet for a moment.

    Refused with `BadInput` where the page has led the tab to where we do not go.

    Attributes:
        at_rest: whether it is known to be, and is not waited for.
    """

    at_rest: bool = False

    async def visit(self, tab: Tab, /) -> PageSource:
        """Has `tab` answer."""
        return await tab.read_source(self)


@attrs.frozen
class DoWithout:
    """Make no requests of these kinds from now on, but all others."""

    kinds: tuple[BlockKind, ...] = ()

    async def visit(self, tab: Tab, /) -> None:
        """Has `tab` answer."""
        await tab.do_without(self)


@attrs.frozen
class SetTabCookies:
    """Put cookies into the tab's own context, beside those that are there."""

    cookies: tuple[Cookie, ...]

    async def visit(self, tab: Tab, /) -> None:
        """Has `tab` answer."""
        await tab.set_cookies(self)


@attrs.frozen
class OriginStorage:
    """What the pages of an origin keep in ``localStorage`` (HTML, section 12.2).

    Attributes:
        origin: as ``https://example.com``.
        items: names and values; as good as cookies, so never shown.
    """

    origin: str
    items: tuple[tuple[str, str], ...] = attrs.field(repr=False)


@attrs.frozen
class SetTabStorage:
    """Give origins this when the tab comes to them, and they keep nothing yet.

    It takes the place of what was set before.
    """

    storage: tuple[OriginStorage, ...]

    async def visit(self, tab: Tab, /) -> None:
        """Has `tab` answer."""
        await tab.set_storage(self)

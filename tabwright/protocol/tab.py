"""The tab: one page, and the requests that it accepts."""

import math
from collections.abc import Mapping
from typing import Generic, Protocol

import attrs

from tabwright.protocol.actions import Action, Outcome
from tabwright.protocol.actor import AnswerT, AnswerT_co
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.inspection import Inspection
from tabwright.protocol.snapshot import (
    AccessibleNode,
    BlockKind,
    LoadedPage,
    PageSource,
)


class Tab(Protocol):
    """One page in the browser, used by one piece of work at a time."""

    async def act(self, request: "Act", /) -> Outcome:
        """See `Act`."""
        ...

    async def inspect(self, request: "Inspect[AnswerT]", /) -> AnswerT:
        """See `Inspect`."""
        ...

    async def turn_away(self, request: "LeavePage", /) -> None:
        """See `LeavePage`."""
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
class Act:
    """Do something on the page, as its action says; it begins when the one before has ended."""

    action: Action

    async def visit(self, tab: Tab, /) -> Outcome:
        """Pass this request to `tab`."""
        return await tab.act(self)

    @property
    def trace_name(self) -> str:
        """The name of the action; see `request_name`."""
        return type(self.action).__name__


@attrs.frozen
class Inspect(Generic[AnswerT_co]):
    """Inspect the page, as the inspection says; otherwise as `Act`."""

    inspection: Inspection[AnswerT_co]

    async def visit(self, tab: Tab, /) -> AnswerT_co:
        """Pass this request to `tab`."""
        return await tab.inspect(self)

    @property
    def trace_name(self) -> str:
        """The name of the inspection; see `request_name`."""
        return type(self.inspection).__name__


@attrs.frozen
class LeavePage:
    """Close pages that this one has opened, and that nobody has taken over.

    Attributes:
        targets: them, as `Outcome.opened` has them.
    """

    targets: tuple[str, ...]

    async def visit(self, tab: Tab, /) -> None:
        """Pass this request to `tab`."""
        await tab.turn_away(self)


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
        """Pass this request to `tab`."""
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
        """Pass this request to `tab`."""
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
        """Pass this request to `tab`."""
        return await tab.run_script(self)


@attrs.frozen
class TypeText:
    """Insert text where the focus is, and press Enter after it."""

    text: str

    async def visit(self, tab: Tab, /) -> None:
        """Pass this request to `tab`."""
        await tab.type_text(self)


@attrs.frozen
class FindRedirects:
    """Where links of the page's own site lead, without going there.

    Answers the targets by link; one that does not redirect, or not in time, is left out.
    """

    links: tuple[str, ...]

    async def visit(self, tab: Tab, /) -> Mapping[str, str]:
        """Pass this request to `tab`."""
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
        """Pass this request to `tab`."""
        return await tab.read_source(self)


@attrs.frozen
class DoWithout:
    """Make no requests of these kinds from now on, but all others."""

    kinds: tuple[BlockKind, ...] = ()

    async def visit(self, tab: Tab, /) -> None:
        """Pass this request to `tab`."""
        await tab.do_without(self)


@attrs.frozen
class SetTabCookies:
    """Put cookies into the tab's own context, beside those that are there."""

    cookies: tuple[Cookie, ...]

    async def visit(self, tab: Tab, /) -> None:
        """Pass this request to `tab`."""
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
        """Pass this request to `tab`."""
        await tab.set_storage(self)

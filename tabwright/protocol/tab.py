"""The tab: one page, and the requests that it accepts."""

import math
from collections.abc import Mapping
from typing import Generic, Protocol

import attrs

from tabwright.protocol.actions import Action, Outcome
from tabwright.protocol.actor import AnswerT, AnswerT_co
from tabwright.protocol.context_options import ContextTab
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.inspection import Inspection
from tabwright.protocol.snapshot import (
    AccessibleNode,
    BlockKind,
    LoadedPage,
    PageSource,
    ScrollEnd,
)


class Tab(ContextTab, Protocol):
    """One page in the browser, used by one task at a time."""

    async def act(self, request: "Act", /) -> Outcome:
        """See `Act`."""
        ...

    async def inspect(self, request: "Inspect[AnswerT]", /) -> AnswerT:
        """See `Inspect`."""
        ...

    async def close_popups(self, request: "ClosePopups", /) -> None:
        """See `ClosePopups`."""
        ...

    async def navigate(self, request: "Navigate", /) -> LoadedPage:
        """See `Navigate`."""
        ...

    async def submit(self, request: "Submit", /) -> LoadedPage | None:
        """See `Submit`."""
        ...

    async def document(self) -> None:
        """Wait until a document is parsed that the page, or a person, navigated to.

        Returns again when the document's resources have been loaded too.
        """
        ...

    async def show(self) -> None:
        """Bring the tab to the front, if there is a window."""
        ...

    async def run_script(self, request: "RunScript", /) -> str:
        """See `RunScript`."""
        ...

    async def type_text(self, text: str, /) -> None:
        """Insert text at the focus, and press Enter after it."""
        ...

    async def find_redirects(self, links: tuple[str, ...], /) -> Mapping[str, str]:
        """Resolve redirecting links of the page's own site, without navigating.

        Returns the targets by link, without links that do not redirect or not in time.
        """
        ...

    async def traffic(self) -> "Traffic":
        """Return the page's requests since the last navigation or typed text."""
        ...

    async def read_source(self, request: "ReadSource", /) -> PageSource:
        """See `ReadSource`."""
        ...

    async def list_end(self) -> ScrollEnd:
        """Return whether the longest list of the page loads more when it is scrolled.

        Scrolls to its end, or a chat to its start, and back, which may load more
        into the page; if cancelled, it stays there.
        """
        ...

    async def read_tree(self) -> tuple[AccessibleNode, ...]:
        """Return the accessibility tree of the document, as exposed to screen readers."""
        ...

    async def do_without(self, kinds: tuple[BlockKind, ...], /) -> None:
        """Block requests of these kinds from now on, and allow all others."""
        ...

    async def cookies(self) -> tuple[Cookie, ...]:
        """Return all cookies of the tab's own context."""
        ...

    async def set_cookies(self, request: "SetTabCookies", /) -> None:
        """See `SetTabCookies`."""
        ...

    async def storage(self) -> "OriginStorage | None":
        """Return the storage of the page's origin; None if access is denied or it is too large."""
        ...

    async def set_storage(self, request: "SetTabStorage", /) -> None:
        """See `SetTabStorage`."""
        ...


@attrs.frozen
class Act:
    """Run an action on the page, after the previous one has ended."""

    action: Action

    async def visit(self, tab: Tab, /) -> Outcome:
        """Pass this request to `tab`."""
        return await tab.act(self)

    @property
    def trace_name(self) -> str:
        """Return the name of the action; see `request_name`."""
        return type(self.action).__name__


@attrs.frozen
class Inspect(Generic[AnswerT_co]):
    """Run an inspection of the page, after the previous action has ended."""

    inspection: Inspection[AnswerT_co]

    async def visit(self, tab: Tab, /) -> AnswerT_co:
        """Pass this request to `tab`."""
        return await tab.inspect(self)

    @property
    def trace_name(self) -> str:
        """Return the name of the inspection; see `request_name`."""
        return type(self.inspection).__name__


@attrs.frozen
class ClosePopups:
    """Close pages that this page opened and that no lease took over.

    Attributes:
        targets: from `Outcome.opened`.
    """

    targets: tuple[str, ...]

    async def visit(self, tab: Tab, /) -> None:
        """Pass this request to `tab`."""
        await tab.close_popups(self)


@attrs.frozen
class Navigate:
    """Navigate to a URL, and wait until its document is parsed.

    Cancellation stops the loading. Refused with `NavigationFailed` if the page cannot be reached,
    or the previous page stays, and with `PageFailed` if it is larger than the settings allow.

    Attributes:
        url: http or https; other schemes are refused with `BadInput`.
        languages: the ``Accept-Language`` to send; empty for the browser's default.
        whole: whether to wait for the document's resources too, until the network is idle or the
            time limit is reached.
        leaves: whether the previous page is left even if it asks whether to (``beforeunload``).
    """

    url: str
    languages: str = ""
    whole: bool = False
    leaves: bool = True

    async def visit(self, tab: Tab, /) -> LoadedPage:
        """Pass this request to `tab`."""
        return await tab.navigate(self)


SUBMITTED = "submitted"
"""The return value of a function that navigates the page."""

INVALID = "invalid: "
"""The prefix of the return value if a field keeps the form from being submitted."""


@attrs.frozen
class Submit:
    """Run our function that navigates the page, and wait until the next document is parsed.

    Returns None if the function does not return `SUBMITTED`, and the current page if it stays
    despite that. Otherwise like `Navigate`.

    Raises:
        PageFailed: the function returns `INVALID` and the field; see `unsent_form`.

    Attributes:
        function: as in `RunScript`; it must return before the page is left.
        values: its arguments.
        stays_s: the seconds after which a page that has not begun to navigate is considered to
            stay.
    """

    function: str
    values: tuple[str, ...] = ()
    stays_s: float = math.inf

    async def visit(self, tab: Tab, /) -> LoadedPage | None:
        """Pass this request to `tab`."""
        return await tab.submit(self)


@attrs.frozen
class RunScript:
    """Run our function declaration in an isolated world, and return its string.

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


CHALLENGES = frozenset({403, 503})
"""The statuses of pages that check the browser first, and then load the page itself."""

REFUSALS = frozenset({403, 429, 503})
"""HTTP statuses of a server that refuses further requests (RFC 6585, RFC 9110)."""


@attrs.frozen
class Traffic:
    """The latest requests by a page's scripts, as URLs.

    Attributes:
        under_way: not finished yet.
        failed: aborted or failed.
        refused: answered with 403, 429 or 503, also after a redirect.
        errors: answered with another status from 400 on.
    """

    under_way: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


@attrs.frozen
class ReadSource:
    """Return the document once it shows its content, with its frames.

    Refused with `BadInput` if the page navigated the tab to a URL that is not allowed.

    Attributes:
        as_is: whether to read the page as it is, without a wait.
        loading_s: seconds for a page that shows nothing yet, and loads.
        idle_s: seconds for a page that shows nothing yet, without any request: a timer may be set.
        calm_s: seconds without a request or growth, for a page that grew: its content may come in
            steps.
        challenge_s: seconds for a page that checks the browser to load the page itself.
        wait_for: a text that the page must show, or ``css=`` and a selector; empty for none.
        scroll: whether to scroll through the page once its content is there, so that all of it
            loads.
    """

    as_is: bool = False
    loading_s: float = 1.5
    idle_s: float = 1.5
    calm_s: float = 0
    challenge_s: float = 0
    wait_for: str = ""
    scroll: bool = False

    async def visit(self, tab: Tab, /) -> PageSource:
        """Pass this request to `tab`."""
        return await tab.read_source(self)


@attrs.frozen
class SetTabCookies:
    """Add cookies to the tab's own context, after removing others.

    Refused with `BadInput` if the browser does not accept one of them.
    """

    cookies: tuple[Cookie, ...]
    removed: tuple[Cookie, ...] = ()

    async def visit(self, tab: Tab, /) -> None:
        """Pass this request to `tab`."""
        await tab.set_cookies(self)


@attrs.frozen
class OriginStorage:
    """The ``localStorage`` of an origin (HTML, section 12.2).

    Attributes:
        origin: for example ``https://example.com``.
        items: names and values; as sensitive as cookies, so never shown.
    """

    origin: str
    items: tuple[tuple[str, str], ...] = attrs.field(repr=False)


@attrs.frozen
class SetTabStorage:
    """Set the storage of origins when the tab visits them, if it is empty by then.

    It replaces the values set before.

    Attributes:
        storage: the values by origin.
        cleared: origins whose current storage is deleted first; if the page is of one of the
            origins, its new values are set at once.
        session: the ``sessionStorage`` of an origin, set in the same way.
    """

    storage: tuple[OriginStorage, ...]
    cleared: tuple[str, ...] = ()
    session: OriginStorage | None = None

    async def visit(self, tab: Tab, /) -> None:
        """Pass this request to `tab`."""
        await tab.set_storage(self)

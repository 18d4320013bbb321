"""The tab: one page, and the requests that it accepts."""

import math
from collections.abc import Mapping
from typing import Protocol

import attrs

from tabwright.protocol.actions import Action, Outcome
from tabwright.protocol.actor import AnswerT
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

    async def act(self, action: Action) -> Outcome:
        """Run an action on the page, after the previous one has ended."""
        ...

    async def inspect(self, inspection: Inspection[AnswerT]) -> AnswerT:
        """Run an inspection of the page, after the previous action has ended."""
        ...

    async def close_popups(self, targets: tuple[str, ...]) -> None:
        """Close pages that this page opened and that no lease took over.

        Args:
            targets: from `Outcome.opened`.
        """
        ...

    async def navigate(
        self, url: str, languages: str = "", *, whole: bool = False, leaves: bool = True
    ) -> LoadedPage:
        """Navigate to a URL, and wait until its document is parsed.

        Cancellation stops the loading. Refused with `NavigationFailed` if the page cannot be
        reached, or the previous page stays, and with `PageFailed` if it is larger than the settings
        allow.

        Args:
            url: http or https; other schemes are refused with `BadInput`.
            languages: the ``Accept-Language`` to send; empty for the browser's default.
            whole: whether to wait for the document's resources too, until the network is idle or
                the time limit is reached.
            leaves: whether the previous page is left even if it asks whether to (``beforeunload``).
        """
        ...

    async def submit(
        self, function: str, values: tuple[str, ...] = (), stays_s: float = math.inf
    ) -> LoadedPage | None:
        """Run our function that navigates the page, and wait until the next document is parsed.

        Returns None if the function does not return `SUBMITTED`, and the current page if it stays
        despite that. Otherwise like `navigate`.

        Raises:
            PageFailed: the function returns `INVALID` and the field; see `unsent_form`.

        Args:
            function: as in `run_script`; it must return before the page is left.
            values: its arguments.
            stays_s: the seconds after which a page that has not begun to navigate is considered to
                stay.
        """
        ...

    async def document(self) -> None:
        """Wait until a document is parsed that the page, or a person, navigated to.

        Returns again when the document's resources have been loaded too.
        """
        ...

    async def show(self) -> None:
        """Bring the tab to the front, if there is a window."""
        ...

    async def run_script(
        self, function: str, *, pierce: bool = False, values: tuple[str, ...] = ()
    ) -> str:
        """Run our function declaration in an isolated world, and return its string.

        Args:
            function: the source of the function, which must return a string.
            pierce: whether to pass it every closed shadow root of the page, as its first arguments.
            values: its further arguments.
        """
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
        """Return the document once it shows its content, with its frames.

        Refused with `BadInput` if the page navigated the tab to a URL that is not allowed.
        """
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

    async def set_cookies(
        self, cookies: tuple[Cookie, ...], removed: tuple[Cookie, ...] = ()
    ) -> None:
        """Add cookies to the tab's own context, after removing others.

        Refused with `BadInput` if the browser does not accept one of them.
        """
        ...

    async def storage(self) -> "OriginStorage | None":
        """Return the storage of the page's origin; None if access is denied or it is too large."""
        ...

    async def set_storage(
        self,
        origins: tuple["OriginStorage", ...],
        cleared: tuple[str, ...] = (),
        session: "OriginStorage | None" = None,
    ) -> None:
        """Set the storage of origins when the tab visits them, if it is empty by then.

        It replaces the values set before.

        Args:
            origins: the values by origin.
            cleared: origins whose current storage is deleted first; if the page is of one of the
                origins, its new values are set at once.
            session: the ``sessionStorage`` of an origin, set in the same way.
        """
        ...


SUBMITTED = "submitted"
"""The return value of a function that navigates the page."""

INVALID = "invalid: "
"""The prefix of the return value if a field keeps the form from being submitted."""


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
    """What `Tab.read_source` waits for, and whether it scrolls.

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


@attrs.frozen
class OriginStorage:
    """The ``localStorage`` of an origin (HTML, section 12.2).

    Attributes:
        origin: for example ``https://example.com``.
        items: names and values; as sensitive as cookies, so never shown.
    """

    origin: str
    items: tuple[tuple[str, str], ...] = attrs.field(repr=False)

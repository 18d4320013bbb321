"""Sessions: named cookies, storage, history and page of a client."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, Protocol, TypeAlias, TypeVar

import attrs

from tabwright.protocol.actions import Action, Outcome, TabInfo
from tabwright.protocol.context_options import SessionContexts
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.fetch import Fetch, Fetched
from tabwright.protocol.inspection import Inspection, PageTool
from tabwright.protocol.page_text import PageText, RenderOptions
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.session_data import SessionData
from tabwright.protocol.snapshot import PageSnapshot, Tier
from tabwright.protocol.traces import TraceAction, TraceStatus

AnswerT = TypeVar("AnswerT")

TabsAction: TypeAlias = Literal["list", "switch", "close"]

FieldValues: TypeAlias = Mapping[str, str | bool | tuple[str, ...]]
"""Values by field name, ref or label: text, true or false for a checkbox, several options."""

NO_SETTINGS: Mapping[str, object] = MappingProxyType({})


@attrs.frozen
class FormChoice:
    """A form of a page: its ``id`` attribute, or its number on the page, from 0."""

    id: str = ""
    index: int = 0


@attrs.frozen
class LinkChoice:
    """A link of a page.

    Attributes:
        number: as the page's text numbers it; None to find it by its text or URL.
        text: the text of the link or a part of it; case does not matter.
        url: the URL of the link.
    """

    number: int | None = None
    text: str = ""
    url: str = ""


class Sessions(SessionData, SessionContexts, Protocol):
    """Manages sessions; requests to one session are executed in order."""

    async def navigate(
        self,
        session: str,
        url: str,
        reading: ReadOptions,
        progress: OnProgress = ignore_progress,
        settings: Mapping[str, object] = NO_SETTINGS,
    ) -> PageText:
        """Open a page in a session and read it.

        A session that is not open is opened, as it was saved.

        Cancellation leaves the session where it was. Errors: those of `PageReader.read`, and
        `BadInput` for `settings` if the session is already open or they are not valid for a
        session.

        Args:
            session: its name.
            url: of the page, or ``back``, ``forward`` or ``reload`` in the session's history.
            reading: how the page is read.
            progress: is called with each step.
            settings: of the session, by dotted keys, if this opens it.
        """
        ...

    async def enter(  # noqa: PLR0913
        self,
        session: str,
        url: str,
        *,
        tab: int | None = None,
        new_tab: bool = False,
        progress: OnProgress = ignore_progress,
        settings: Mapping[str, object] = NO_SETTINGS,
        leaves: bool = True,
    ) -> Outcome:
        """Open a page in a tab of the session, to act on it; its text is read there, too, then.

        Errors: those of `navigate`; for a `tab`, `SessionMissing` if the session is not open, and
        `BadInput` if there is no such tab.

        Args:
            session: its name.
            url: of the page, or ``back``, ``forward`` or ``reload`` in the history of the tab;
                empty or ``about:blank`` for a tab without a page.
            tab: the number of the tab; None for the current one.
            new_tab: whether to open one more tab, which becomes the current one, unless the
                current one has no page yet.
            progress: is called with each step.
            settings: as in `navigate`.
            leaves: as in `Tab.navigate`.
        """
        ...

    async def act(
        self,
        session: str,
        action: Action,
        *,
        tab: int | None = None,
        progress: OnProgress = ignore_progress,
    ) -> Outcome:
        """Perform an action in a tab of the session, after the previous one has ended.

        If the session's page was read without a browser, it is loaded in a tab first. Errors:
        `SessionMissing`, `BadInput` if there is no such tab, and those of the action.

        Args:
            session: its name.
            action: what is done.
            tab: the number of the tab; None for the current one.
            progress: is called with each step.
        """
        ...

    async def inspect(
        self,
        session: str,
        inspection: Inspection[AnswerT],
        *,
        tab: int | None = None,
        progress: OnProgress = ignore_progress,
        blank: bool = False,
    ) -> AnswerT:
        """Return a part of the state of a tab of the session; otherwise like `act`.

        Args:
            session: its name.
            inspection: what is returned.
            tab: the number of the tab; None for the current one.
            progress: is called with each step.
            blank: whether a blank page is opened if the tab has no page; otherwise that is an
                error. Without a `tab`, a session that is not open is opened, too.
        """
        ...

    async def settings(self, session: str, /) -> Mapping[str, object]:
        """Return the settings that a session was opened with; none if it is not open."""
        ...

    async def change_tabs(
        self, session: str, action: TabsAction = "list", tab: int | None = None
    ) -> tuple[TabInfo, ...]:
        """Switch to or close a tab of a session, and return its tabs.

        Errors: `SessionMissing`, and `BadInput` if there is no such tab.

        Args:
            session: its name.
            action: ``list`` changes nothing.
            tab: the number of the tab; None for the current one.
        """
        ...

    async def view(self, session: str, view: RenderOptions, *, tab: int | None = None) -> PageText:
        """Return the page of a tab as text: the current one, or that with the number `tab`.

        Errors: `SessionMissing` if there is no page, and `BadInput` if there is no such tab.
        """
        ...

    async def snapshot(self, session: str, *, tab: int | None = None) -> PageSnapshot:
        """Return the page of a tab as data; otherwise like `view`."""
        ...

    async def fill(
        self, session: str, form: FormChoice, fields: FieldValues
    ) -> "FilledForm | Outcome":
        """Fill in fields of a form of the session's page, without submitting it.

        If the page is open in a tab, or a field is named by a ref, they are filled in there, as a
        person would do it. Errors: `SessionMissing`, and `BadInput` if there is no such form or
        field, or a value is not one of its options.

        Args:
            session: its name.
            form: the form.
            fields: what is filled in.
        """
        ...

    async def submit(
        self,
        session: str,
        form: FormChoice,
        view: RenderOptions,
        progress: OnProgress = ignore_progress,
    ) -> PageText:
        """Submit a form as it is filled in, and read the resulting page.

        Errors: `BadInput` if a required field has no value, and those of `navigate`.

        Args:
            session: its name.
            form: the form.
            view: how the new page is written.
            progress: is called with each step.
        """
        ...

    async def follow(
        self,
        session: str,
        link: LinkChoice,
        view: RenderOptions,
        progress: OnProgress = ignore_progress,
    ) -> PageText:
        """Follow a link of the session's page, and read the new page.

        Errors: `BadInput` if there is no such link, and those of `navigate`.

        Args:
            session: its name.
            link: the link.
            view: how the new page is written.
            progress: is called with each step.
        """
        ...

    async def fetch(self, request: Fetch, /) -> Fetched:
        """Fetch by HTTP; see `Fetcher.fetch`.

        A session that is open here and sleeps wakes for its cookies. Opens no session.
        """
        ...

    async def page_tools(self, session: str, /) -> tuple[PageTool, ...]:
        """Return the tools that the current page of a session offers, if it is open in a tab.

        Opens nothing; empty if the session is not open.
        """
        ...

    async def change_trace(self, session: str, action: TraceAction = "status") -> TraceStatus:
        """Start or stop the trace of a session, or return its status.

        Starting one opens the session if necessary. While it is recorded, the pages of the session
        are loaded in tabs. Errors: `BadInput` if the file cannot be written, or no trace is
        recorded.
        """
        ...

    async def list(self) -> tuple["SessionState", ...]:
        """Return the open sessions, the most recently used first."""
        ...

    async def save(self, session: str, /) -> str:
        """Save cookies, ``localStorage`` and history of a session; return the path of the file.

        Errors: `SessionMissing`, and `BadInput` if the file cannot be written.
        """
        ...

    async def close(self, session: str, *, forget: bool = False) -> None:
        """Close a session with its tabs, cookies and storage; `SessionMissing` if it is not open.

        Args:
            session: its name.
            forget: whether to delete its saved data, too.
        """
        ...


@attrs.frozen
class FilledForm:
    """A form with the values that are filled in so far.

    Attributes:
        fields: the values that will be sent, by field name; a name can have several.
        missing: the names of required fields without a value.
        method, url: the request that submits it.
    """

    fields: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]
    method: str
    url: str


@attrs.frozen
class SessionState:
    """An open session.

    Attributes:
        name: its name.
        title, url: of its current page; empty before the first.
        tier: the tier that the page was read with; None before the first.
        pages: the number of pages in its history.
        idle_s: seconds since its last request.
        saved: whether it is saved on disk.
        settings: the settings that it was opened with, by dotted keys.
        owner: the process of the fleet that has it; empty without a fleet.
    """

    name: str
    url: str
    title: str
    tier: Tier | None
    pages: int
    idle_s: float
    saved: bool
    settings: Mapping[str, object] = attrs.field(factory=dict[str, object])
    owner: str = ""

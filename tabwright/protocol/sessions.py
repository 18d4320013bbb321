"""Sessions: named cookies, storage, history and page of a client."""

from collections.abc import Mapping
from typing import Generic, Literal, Protocol, TypeVar

import attrs

from tabwright.protocol.actions import FieldValue, Fill, Outcome, TabInfo
from tabwright.protocol.actor import Request
from tabwright.protocol.context_options import SessionContexts
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.fetch import Fetch, Fetched
from tabwright.protocol.inspection import REF, PageTool
from tabwright.protocol.page_text import PageText, RenderOptions
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.session_data import SessionData
from tabwright.protocol.snapshot import PageSnapshot, Tier
from tabwright.protocol.tab import Tab
from tabwright.protocol.traces import ChangeTrace, TraceStatus

AnswerT = TypeVar("AnswerT")


class Sessions(SessionData, SessionContexts, Protocol):
    """Manages sessions; requests to one session are executed in order."""

    async def navigate(self, request: "NavigateSession", /) -> PageText:
        """See `NavigateSession`."""
        ...

    async def enter(self, request: "OpenSession", /) -> Outcome:
        """See `OpenSession`."""
        ...

    async def in_tab(self, request: "InTab[AnswerT]", /) -> AnswerT:
        """See `InTab`."""
        ...

    async def settings(self, session: str, /) -> Mapping[str, object]:
        """Return the settings that a session was opened with; none if it is not open."""
        ...

    async def change_tabs(self, request: "ChangeTabs", /) -> tuple[TabInfo, ...]:
        """See `ChangeTabs`."""
        ...

    async def view(self, request: "ViewPage", /) -> PageText:
        """See `ViewPage`."""
        ...

    async def snapshot(self, request: "GetSnapshot", /) -> PageSnapshot:
        """See `GetSnapshot`."""
        ...

    async def fill(self, request: "FillForm", /) -> "FilledForm | Outcome":
        """See `FillForm`."""
        ...

    async def submit(self, request: "SubmitForm", /) -> PageText:
        """See `SubmitForm`."""
        ...

    async def follow(self, request: "FollowLink", /) -> PageText:
        """See `FollowLink`."""
        ...

    async def fetch(self, request: Fetch, /) -> Fetched:
        """Fetch by HTTP as `Fetch`; a session that is open here and sleeps wakes for its cookies.

        Opens no session.
        """
        ...

    async def page_tools(self, session: str, /) -> tuple[PageTool, ...]:
        """Return the tools that the current page of a session offers, if it is open in a tab.

        Opens nothing; empty if the session is not open.
        """
        ...

    async def change_trace(self, request: ChangeTrace, /) -> TraceStatus:
        """See `ChangeTrace`."""
        ...

    async def list(self) -> tuple["SessionState", ...]:
        """Return the open sessions, the most recently used first."""
        ...

    async def save(self, session: str, /) -> str:
        """Save cookies, ``localStorage`` and history of a session; return the path of the file.

        Errors: `SessionMissing`, and `BadInput` if the file cannot be written.
        """
        ...

    async def close(self, request: "CloseSession", /) -> None:
        """See `CloseSession`."""
        ...


@attrs.frozen
class NavigateSession:
    """Open a page in a session and read it; a session that is not open is opened, as it was saved.

    Cancellation leaves the session where it was. Errors: those of `PageReader.read`, and `BadInput`
    for `settings` if the session is already open or they are not valid for a session.

    Attributes:
        session: its name.
        url: of the page, or ``back``, ``forward`` or ``reload`` in the session's history.
        reading: how the page is read.
        progress: is called with each step.
        settings: of the session, by dotted keys, if this opens it.
    """

    session: str
    url: str
    reading: ReadOptions
    progress: OnProgress = ignore_progress
    settings: Mapping[str, object] = attrs.field(factory=dict[str, object])

    async def visit(self, sessions: Sessions, /) -> PageText:
        """Pass this request to `sessions`."""
        return await sessions.navigate(self)


@attrs.frozen
class OpenSession:
    """Open a page in the session's tab, to act on it; its text is read there, too, from now on.

    Errors: those of `NavigateSession`.

    Attributes:
        session: its name.
        url: of the page, or ``back``, ``forward`` or ``reload`` in the history of the tab; empty or
            ``about:blank`` for a tab without a page.
        new_tab: whether to open one more tab, which becomes the current one.
        progress: is called with each step.
        settings: as in `NavigateSession`.
        leaves: as in `tabwright.protocol.tab.Navigate`.
    """

    session: str
    url: str
    new_tab: bool = False
    progress: OnProgress = ignore_progress
    settings: Mapping[str, object] = attrs.field(factory=dict[str, object])
    leaves: bool = True

    async def visit(self, sessions: Sessions, /) -> Outcome:
        """Pass this request to `sessions`."""
        return await sessions.enter(self)


@attrs.frozen
class InTab(Generic[AnswerT]):
    """Send a request of `tabwright.protocol.tab` to a tab of the session.

    If the session's page was read without a browser, it is loaded in a tab first. Errors:
    `SessionMissing`, `BadInput` if there is no such tab, and those of the request.

    Attributes:
        session: its name.
        request: the request.
        tab: the number of the tab; None for the current one.
        progress: is called with each step.
        blank: whether a blank page is opened if the session has no page; otherwise that is an
            error.
    """

    session: str
    request: Request[Tab, AnswerT]
    tab: int | None = None
    progress: OnProgress = ignore_progress
    blank: bool = False

    async def visit(self, sessions: Sessions, /) -> AnswerT:
        """Pass this request to `sessions`."""
        return await sessions.in_tab(self)


@attrs.frozen
class ChangeTabs:
    """Switch to or close a tab of a session, and return its tabs.

    Errors: `SessionMissing`, and `BadInput` if there is no such tab.

    Attributes:
        session: its name.
        action: ``list`` changes nothing.
        tab: the number of the tab; None for the current one.
    """

    session: str
    action: Literal["list", "switch", "close"] = "list"
    tab: int | None = None

    async def visit(self, sessions: Sessions, /) -> tuple[TabInfo, ...]:
        """Pass this request to `sessions`."""
        return await sessions.change_tabs(self)


@attrs.frozen
class ViewPage:
    """Return the session's current page as text; `SessionMissing` if there is none."""

    session: str
    view: RenderOptions

    async def visit(self, sessions: Sessions, /) -> PageText:
        """Pass this request to `sessions`."""
        return await sessions.view(self)


@attrs.frozen
class GetSnapshot:
    """Return the session's current page as data; `SessionMissing` if there is none."""

    session: str

    async def visit(self, sessions: Sessions, /) -> PageSnapshot:
        """Pass this request to `sessions`."""
        return await sessions.snapshot(self)


@attrs.frozen
class FormChoice:
    """A form of a page: its ``id`` attribute, or its number on the page, from 0."""

    id: str = ""
    index: int = 0


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
class FillForm:
    """Fill in fields of a form of the session's page, without submitting it.

    If the page is open in a tab, or a field is named by a ref, they are filled in there, as a
    person would do it. Errors: `SessionMissing`, and `BadInput` if there is no such form or field,
    or a value is not one of its options.

    Attributes:
        session: its name.
        form: the form.
        fields: values by field name, ref or label: text, true or false for a checkbox, several
            options as a tuple.
    """

    session: str
    form: FormChoice
    fields: Mapping[str, str | bool | tuple[str, ...]]

    async def visit(self, sessions: Sessions, /) -> FilledForm | Outcome:
        """Pass this request to `sessions`."""
        return await sessions.fill(self)

    @property
    def names_refs(self) -> bool:
        """Return whether any field is named by a ref."""
        return any(map(REF.fullmatch, self.fields))

    @property
    def in_page(self) -> Fill:
        """Return the same request for a tab."""
        return Fill(tuple(FieldValue(name, value) for name, value in self.fields.items()))


@attrs.frozen
class SubmitForm:
    """Submit a form as it is filled in, and read the resulting page.

    Errors: `BadInput` if a required field has no value, and those of `NavigateSession`.
    """

    session: str
    form: FormChoice
    view: RenderOptions
    progress: OnProgress = ignore_progress

    async def visit(self, sessions: Sessions, /) -> PageText:
        """Pass this request to `sessions`."""
        return await sessions.submit(self)


@attrs.frozen
class FollowLink:
    """Follow a link of the session's page, and read the new page.

    Errors: `BadInput` if there is no such link, and those of `NavigateSession`.

    Attributes:
        session: its name.
        view: how the new page is written.
        number: of the link; None to find it by its text or URL.
        text: the text of the link or a part of it; case does not matter.
        url: the URL of the link.
        progress: is called with each step.
    """

    session: str
    view: RenderOptions
    number: int | None = None
    text: str = ""
    url: str = ""
    progress: OnProgress = ignore_progress

    async def visit(self, sessions: Sessions, /) -> PageText:
        """Pass this request to `sessions`."""
        return await sessions.follow(self)


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


@attrs.frozen
class CloseSession:
    """Close a session with its tabs, cookies and storage; `SessionMissing` if it is not open.

    Attributes:
        session: its name.
        forget: whether to delete its saved data, too.
    """

    session: str
    forget: bool = False

    async def visit(self, sessions: Sessions, /) -> None:
        """Pass this request to `sessions`."""
        await sessions.close(self)

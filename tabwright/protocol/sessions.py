"""Sessions: a reader's own cookies, storage, history and page, under a name."""

from collections.abc import Mapping
from typing import Generic, Literal, Protocol, TypeVar

import attrs

from tabwright.protocol.actions import FieldValue, Fill, Outcome, TabInfo
from tabwright.protocol.actor import Request
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import REF
from tabwright.protocol.page_text import PageText, RenderOptions
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.snapshot import PageSnapshot, Tier
from tabwright.protocol.tab import Tab

AnswerT = TypeVar("AnswerT")


class Sessions(Protocol):
    """Keeps sessions; what is asked of one is done in the order of asking."""

    async def navigate(self, request: "NavigateSession", /) -> PageText:
        """See `NavigateSession`."""
        ...

    async def enter(self, request: "OpenSession", /) -> Outcome:
        """See `OpenSession`."""
        ...

    async def in_tab(self, request: "InTab[AnswerT]", /) -> AnswerT:
        """See `InTab`."""
        ...

    async def settings(self, request: "GetSettings", /) -> Mapping[str, object]:
        """See `GetSettings`."""
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

    async def list(self) -> tuple["SessionState", ...]:
        """The open sessions, the latest used first."""
        ...

    async def save(self, request: "SaveSession", /) -> str:
        """See `SaveSession`."""
        ...

    async def close(self, request: "CloseSession", /) -> None:
        """See `CloseSession`."""
        ...


@attrs.frozen
class NavigateSession:
    """Go to a page; a session that is not there is begun, with what was saved of it.

    Refused as `PageReader.read` says. Cancellation leaves the session where it was.

    Attributes:
        url: or ``back``, ``forward`` and ``reload``, in the session's history.
        settings: of the session, by dotted keys, if this opens it. Refused with `BadInput` if the
            session is open, or cannot have them.
    """

    session: str
    url: str
    reading: ReadOptions
    progress: OnProgress = ignore_progress
    settings: Mapping[str, object] = attrs.field(factory=dict[str, object])

    async def visit(self, sessions: Sessions, /) -> PageText:
        """Has `sessions` answer."""
        return await sessions.navigate(self)


ABOUT_BLANK = "about:blank"
"""The URL of a tab without a page."""


@attrs.frozen
class OpenSession:
    """Go to a page in the session's tab, to act there; text is read there too from now on.

    Refused with `NavigationFailed` where there is no page; otherwise as `NavigateSession`.

    Attributes:
        url: or ``back``, ``forward`` and ``reload``, in the history of the tab; empty or
            ``about:blank`` for a tab without a page.
        new_tab: whether in one more tab, which is the current one then.
        settings: as in `NavigateSession`.
    """

    session: str
    url: str
    new_tab: bool = False
    progress: OnProgress = ignore_progress
    settings: Mapping[str, object] = attrs.field(factory=dict[str, object])

    async def visit(self, sessions: Sessions, /) -> Outcome:
        """Has `sessions` answer."""
        return await sessions.enter(self)


@attrs.frozen
class InTab(Generic[AnswerT]):
    """Have a tab of the session answer a request of `tabwright.protocol.tab`.

    Where the session's page was read without a browser, it is loaded in one first. Refused with
    `SessionMissing`, with `BadInput` where there is no such tab, and as the request.

    Attributes:
        tab: its number; None for the current one.
    """

    session: str
    request: Request[Tab, AnswerT]
    tab: int | None = None
    progress: OnProgress = ignore_progress

    async def visit(self, sessions: Sessions, /) -> AnswerT:
        """Has `sessions` answer."""
        return await sessions.in_tab(self)


@attrs.frozen
class GetSettings:
    """The settings that a session was opened with; none if it is not open."""

    session: str

    async def visit(self, sessions: Sessions, /) -> Mapping[str, object]:
        """Has `sessions` answer."""
        return await sessions.settings(self)


@attrs.frozen
class ChangeTabs:
    """Switch to a tab of a session, or close one; answers those that there are then.

    Refused with `SessionMissing`, and with `BadInput` where there is no such tab.

    Attributes:
        tab: its number; None for the current one.
    """

    session: str
    action: Literal["list", "switch", "close"] = "list"
    tab: int | None = None

    async def visit(self, sessions: Sessions, /) -> tuple[TabInfo, ...]:
        """Has `sessions` answer."""
        return await sessions.change_tabs(self)


@attrs.frozen
class ViewPage:
    """The session's page as text again; refused with `SessionMissing`."""

    session: str
    view: RenderOptions

    async def visit(self, sessions: Sessions, /) -> PageText:
        """Has `sessions` answer."""
        return await sessions.view(self)


@attrs.frozen
class GetSnapshot:
    """The session's page; refused with `SessionMissing`."""

    session: str

    async def visit(self, sessions: Sessions, /) -> PageSnapshot:
        """Has `sessions` answer."""
        return await sessions.snapshot(self)


@attrs.frozen
class FormChoice:
    """Which form of a page: by its id, or by its place, counted from 0."""

    id: str = ""
    index: int = 0


@attrs.frozen
class FilledForm:
    """A form with what is filled in so far.

    Attributes:
        fields: what will be sent, by name; of a name that is sent more than once, all values.
        missing: required fields without a value.
        method, url: what submitting it will do.
    """

    fields: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]
    method: str
    url: str


@attrs.frozen
class FillForm:
    """Fill fields of a form of the session's page in; nothing is sent.

    Where the page is acted on, or a field is named by a ref, they are filled in there, as a person
    would. Refused with `BadInput` where there is no such form or field, or a choice is none of its
    own.

    Attributes:
        fields: by name. Of a checkbox ``true`` or ``false``; of several choices a list.
    """

    session: str
    form: FormChoice
    fields: Mapping[str, str | bool | tuple[str, ...]]

    async def visit(self, sessions: Sessions, /) -> FilledForm | Outcome:
        """Has `sessions` answer."""
        return await sessions.fill(self)

    @property
    def names_refs(self) -> bool:
        """Whether a field is named by a ref."""
        return any(map(REF.fullmatch, self.fields))

    @property
    def in_page(self) -> Fill:
        """The same for a tab."""
        return Fill(tuple(FieldValue(name, value) for name, value in self.fields.items()))


@attrs.frozen
class SubmitForm:
    """Send a form as it is filled in, and read the page that it leads to.

    Refused with `BadInput` where a required field is missing; otherwise as `NavigateSession`.
    """

    session: str
    form: FormChoice
    view: RenderOptions
    progress: OnProgress = ignore_progress

    async def visit(self, sessions: Sessions, /) -> PageText:
        """Has `sessions` answer."""
        return await sessions.submit(self)


@attrs.frozen
class FollowLink:
    """Go where a link of the session's page leads; refused with `BadInput` where it has no such.

    Attributes:
        number: of the link; None for one that is found by its text or its URL.
        text: what it shows, or a part of that, whatever the case.
    """

    session: str
    view: RenderOptions
    number: int | None = None
    text: str = ""
    url: str = ""
    progress: OnProgress = ignore_progress

    async def visit(self, sessions: Sessions, /) -> PageText:
        """Has `sessions` answer."""
        return await sessions.follow(self)


@attrs.frozen
class SessionState:
    """An open session.

    Attributes:
        title, url: of its page; empty before the first.
        tier: how that was read; None before the first.
        pages: how many there are in its history.
        idle_s: for how long nothing was asked of it.
        saved: whether something of it is kept on disk.
    """

    name: str
    url: str
    title: str
    tier: Tier | None
    pages: int
    idle_s: float
    saved: bool


@attrs.frozen
class SaveSession:
    """Keep cookies, ``localStorage`` and history of a session on disk; answers the file's path.

    Refused with `SessionMissing`, and with `BadInput` where it cannot be written.
    """

    session: str

    async def visit(self, sessions: Sessions, /) -> str:
        """Has `sessions` answer."""
        return await sessions.save(self)


@attrs.frozen
class CloseSession:
    """End a session: its tab, its cookies, its storage; refused with `SessionMissing`.

    Attributes:
        forget: whether what was saved of it goes too.
    """

    session: str
    forget: bool = False

    async def visit(self, sessions: Sessions, /) -> None:
        """Has `sessions` answer."""
        await sessions.close(self)

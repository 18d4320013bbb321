"""The recorder of what sessions are asked for; a plugin brings one that records it."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias, TypeVar

import attrs
import trio

from tabwright.config.secrets import Secrets
from tabwright.config.settings import Settings
from tabwright.protocol.actions import Action
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import Inspection
from tabwright.protocol.sessions import FormChoice, LinkChoice, TabsAction
from tabwright.protocol.traces import TraceStatus
from tabwright.sessions.session import NamedSession
from tabwright.sessions.tab_work import inspected

AnswerT = TypeVar("AnswerT")


@attrs.frozen
class Navigation:
    """A request to open a page."""

    url: str
    new_tab: bool = False


@attrs.frozen
class TabsChange:
    """A request to list the tabs, or to switch to one or close it."""

    action: TabsAction
    tab: int | None


SessionRequest: TypeAlias = (
    Navigation | TabsChange | LinkChoice | FormChoice | Action | Inspection[object]
)
"""What a session is asked for; a link is followed, and a form submitted."""


@attrs.frozen(eq=False)
class RecordedSession:
    """A session as its recorder sees it."""

    _session: NamedSession

    @property
    def name(self) -> str:
        """The name of the session."""
        return self._session.name

    @property
    def current_tab(self) -> int:
        """The number of its current tab."""
        return self._session.tabs.current

    @property
    def open_tabs(self) -> tuple[int, ...]:
        """The numbers of the tabs whose page is open in the browser."""
        return tuple(number for number, tab in self._session.tabs if tab.open)

    async def inspect(
        self, inspection: Inspection[AnswerT], tab: int | None, *, blank: bool = False
    ) -> AnswerT:
        """Inspect a tab of the session, which is not recorded; see `Sessions.inspect`.

        Raises:
            TabwrightError: the tab does not answer.
        """
        return await inspected(self._session, inspection, tab, blank=blank)


class SessionRecorder(Protocol):
    """Records the requests to sessions."""

    @property
    def records_all(self) -> bool:
        """Whether every session is recorded from its beginning."""
        ...

    def status(self, session: str) -> TraceStatus:
        """Return the status of a session's trace."""
        ...

    async def start(self, session: RecordedSession) -> TraceStatus:
        """Begin the trace of a session, or continue the one that is being recorded.

        Raises:
            BadInput: nothing can be recorded.
        """
        ...

    async def stop(self, session: RecordedSession) -> TraceStatus:
        """End the trace of a session, and return its last status.

        Raises:
            BadInput: no trace is being recorded.
        """
        ...

    def end(self, session: str) -> None:
        """End the trace of a session that is closed, if there is one."""
        ...

    def end_all(self) -> None:
        """End all traces."""
        ...

    async def around(
        self,
        session: RecordedSession,
        request: SessionRequest,
        tab: int | None,
        work: Callable[[], Awaitable[AnswerT]],
    ) -> AnswerT:
        """Do what a request asks for, and record it if its session is being recorded.

        Args:
            session: the session.
            request: what it is asked for.
            tab: the number of the tab; None for the current one.
            work: does it.

        Raises:
            TabwrightError: that of `work`.
        """
        ...


RecorderOf: TypeAlias = Callable[[Settings, Secrets, Callable[[], float]], SessionRecorder]
"""Makes a recorder: with the settings, the secrets that it hides, and the time since 1970."""


@attrs.frozen
class NoRecorder:
    """The recorder of a tabwright without a plugin for it; see `SessionRecorder`."""

    records_all = False

    def status(self, session: str) -> TraceStatus:
        del session
        return TraceStatus()

    async def start(self, session: RecordedSession) -> TraceStatus:
        await trio.lowlevel.checkpoint()
        raise BadInput(f"Session {session.name!r} cannot be recorded.", advice="No plugin does it.")

    stop = start

    def end(self, session: str) -> None: ...

    def end_all(self) -> None: ...

    async def around(
        self,
        session: RecordedSession,
        request: SessionRequest,
        tab: int | None,
        work: Callable[[], Awaitable[AnswerT]],
    ) -> AnswerT:
        del session, request, tab
        return await work()

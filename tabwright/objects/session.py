"""A session, as a program holds it: cookies, storage and tabs of its own, under a name."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Concatenate, ParamSpec

import attrs
from attrs.validators import instance_of

from tabwright.concurrency.nursery import isolate_callback
from tabwright.config.session_settings import session_settings
from tabwright.config.settings import Settings
from tabwright.objects.door import Door
from tabwright.objects.page import Page, check_url
from tabwright.objects.parts import TabwrightParts
from tabwright.protocol.actions import Action, Outcome, TabInfo
from tabwright.protocol.argument_types import checks_arguments
from tabwright.protocol.context_options import ContextOptions
from tabwright.protocol.errors import NavigationFailed, SessionMissing, TabClosed
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.inspection import Inspection, PageTool
from tabwright.protocol.llm import Model
from tabwright.protocol.page_text import PageText, RenderOptions
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.session_data import StorageState
from tabwright.protocol.sessions import (
    AnswerT,
    FieldValues,
    FilledForm,
    FormChoice,
    LinkChoice,
    Sessions,
    TabsAction,
)
from tabwright.protocol.snapshot import PageSnapshot
from tabwright.protocol.tasks import Limits, Report, RunTask, TaskResult, Tasks
from tabwright.protocol.traces import TraceAction, TraceStatus

ParametersT = ParamSpec("ParametersT")


@checks_arguments
@attrs.frozen
class Session:
    """A session: cookies, storage and tabs of its own, which other sessions do not see.

    `Tabwright.session` returns it. It is opened by the first request that needs it, and stays open
    until it is closed, or until it was idle for ``session.close_after_s``. Requests to one session
    run one after the other. Two of these objects with the same name are the same session.

    Its methods raise `TypeError` for an argument of a wrong type, before anything is done.

    Attributes:
        name: its name.
    """

    name: str = attrs.field(validator=instance_of(str))
    _settings: Settings = attrs.field(repr=False, eq=False)
    _parts: TabwrightParts = attrs.field(repr=False)
    _door: Door = attrs.field(repr=False, eq=False)

    # Pages in tabs, to act on.

    async def open(
        self,
        url: str,
        *,
        settings: Mapping[str, object] | None = None,
        progress: OnProgress = ignore_progress,
    ) -> Page:
        """Open a page in a tab of its own, to act on it.

        Cancellation leaves the tabs of the session as they were.

        Args:
            url: of the page, http or https; ``about:blank`` for an empty tab.
            settings: of the session, by dotted keys, if this opens it; for example
                ``{"network.block": ["ads"]}``.
            progress: is called with each step.

        Raises:
            BadInput: the URL is not allowed, the session has too many tabs, or it is already open
                and settings are given.
            TabwrightError: the page could not be opened.
        """
        check_url(url)
        opened = await self.enter(url, new_tab=True, settings=settings, progress=progress)
        if opened.tab is None:
            raise TabClosed
        if opened.downloads:
            raise NavigationFailed(opened.description, advice="Page.downloads lists it.")
        return Page(self, opened.tab, opened.url, opened.title)

    async def pages(self) -> tuple[Page, ...]:
        """Return the pages in the tabs of the session; none if it is not open."""
        try:
            tabs = await self.change_tabs()
        except SessionMissing:
            return ()
        return tuple(Page(self, tab.number, tab.url, tab.title) for tab in tabs)

    async def enter(  # noqa: PLR0913
        self,
        url: str,
        *,
        tab: int | None = None,
        new_tab: bool = False,
        settings: Mapping[str, object] | None = None,
        progress: OnProgress = ignore_progress,
        leaves: bool = True,
    ) -> Outcome:
        """Open a page in a tab, to act on it, and return what became of it; see `Page.goto`.

        Args:
            url: of the page, or ``back``, ``forward`` or ``reload`` in the history of the tab;
                empty or ``about:blank`` for a tab without a page.
            tab: the number of the tab; None for the current one.
            new_tab: whether to open one more tab, unless the current one has no page yet.
            settings: as in `open`.
            progress: is called with each step.
            leaves: whether the page in the tab is left even if it asks whether to.

        Raises:
            BadInput: there is no such tab, the session is already open, or the settings are not
                valid for a session.
            TabwrightError: the page could not be opened.
        """
        return await self._door(
            lambda on_progress: self._parts.sessions.ask(
                Sessions.enter,
                self.name,
                url,
                tab=tab,
                new_tab=new_tab,
                progress=on_progress,
                settings=settings or {},
                leaves=leaves,
            ),
            progress,
        )

    async def act(
        self, action: Action, *, tab: int | None = None, progress: OnProgress = ignore_progress
    ) -> Outcome:
        """Perform an action that is a value; the methods of `Page` do so, too.

        Cancellation stops the action if it has not happened yet; it does not undo a click.

        Args:
            action: the action; `tabwright.advanced` has all.
            tab: the number of one of its tabs; None for the current one.
            progress: is called with each step.

        Raises:
            TabwrightError: the action failed; `TabwrightError.effect` says whether it may have
                happened.
        """
        return await self._door(
            lambda on_progress: self._parts.sessions.ask(
                Sessions.act, self.name, action, tab=tab, progress=on_progress
            ),
            progress,
        )

    async def inspect(
        self,
        inspection: Inspection[AnswerT],
        *,
        tab: int | None = None,
        progress: OnProgress = ignore_progress,
        blank: bool = False,
    ) -> AnswerT:
        """Return a part of the state of a tab; the methods of `Page` do so, too.

        Args:
            inspection: what is returned; `tabwright.advanced` has all.
            tab: the number of one of its tabs; None for the current one.
            progress: is called with each step.
            blank: whether a blank page is opened if the session has no page; otherwise that is an
                error.

        Raises:
            SessionMissing: the session is not open.
            TabwrightError: the tab did not answer.
        """
        return await self._door(
            lambda on_progress: self._parts.sessions.ask(
                Sessions.inspect, self.name, inspection, tab=tab, progress=on_progress, blank=blank
            ),
            progress,
        )

    async def change_tabs(
        self, action: TabsAction = "list", tab: int | None = None
    ) -> tuple[TabInfo, ...]:
        """Switch to or close a tab, and return the tabs.

        Args:
            action: ``list`` changes nothing.
            tab: the number of the tab; None for the current one.

        Raises:
            SessionMissing: the session is not open.
            BadInput: there is no such tab.
        """
        return await self._ask(Sessions.change_tabs, action, tab)

    async def page_tools(self) -> tuple[PageTool, ...]:
        """Return the tools that the current page offers, if it is open in a tab (WebMCP).

        Opens nothing; empty if the session is not open.
        """
        return await self._ask(Sessions.page_tools)

    # Pages as text, which need no tab, with their links and forms.

    async def navigate(
        self,
        url: str,
        reading: ReadOptions | None = None,
        *,
        settings: Mapping[str, object] | None = None,
        progress: OnProgress = ignore_progress,
    ) -> PageText:
        """Open a page and read it, even an error page: without a browser if that is enough.

        Cancellation leaves the session where it was.

        Args:
            url: of the page, or ``back``, ``forward`` or ``reload``.
            reading: how it is read; as the settings of the session say if left out.
            settings: as in `open`.
            progress: is called with each step.

        Raises:
            BadInput: the session is already open, or the settings are not valid for a session.
            TabwrightError: the page could not be opened.
        """
        given = settings or {}
        if reading is None:
            own = session_settings(self._settings, given) if given else await self.settings()
            reading = own.reading.options
        options = reading
        return await self._door(
            lambda on_progress: self._parts.sessions.ask(
                Sessions.navigate, self.name, url, options, on_progress, given
            ),
            progress,
        )

    async def view(self, view: RenderOptions, *, tab: int | None = None) -> PageText:
        """Return the page of a tab as text, without reloading it.

        Args:
            view: how it is written.
            tab: the number of the tab; None for the current one.

        Raises:
            SessionMissing: the session is not open, or has no page.
            BadInput: there is no such tab.
        """
        return await self._ask(Sessions.view, view, tab=tab)

    async def snapshot(self, *, tab: int | None = None) -> PageSnapshot:
        """Return the page of a tab as data, with its links and forms; otherwise like `view`."""
        return await self._ask(Sessions.snapshot, tab=tab)

    async def follow(
        self, link: LinkChoice, view: RenderOptions, *, progress: OnProgress = ignore_progress
    ) -> PageText:
        """Follow a link of the current page, and read the new page.

        Args:
            link: the link.
            view: how the new page is written.
            progress: is called with each step.

        Raises:
            BadInput: there is no such link.
            TabwrightError: the page could not be opened.
        """
        return await self._door(
            lambda on_progress: self._parts.sessions.ask(
                Sessions.follow, self.name, link, view, on_progress
            ),
            progress,
        )

    async def fill(self, form: FormChoice, fields: FieldValues) -> FilledForm | Outcome:
        """Fill in fields of a form of the current page, without submitting it.

        If the page is open in a tab, or a field is named by a ref, they are filled in there, as a
        person would do it.

        Args:
            form: the form.
            fields: values by field name, ref or label: text, true or false for a checkbox, several
                options as a tuple.

        Raises:
            BadInput: there is no such form or field, or a value is not valid.
            SessionMissing: the session is not open.
        """
        return await self._ask(Sessions.fill, form, fields)

    async def submit(
        self, form: FormChoice, view: RenderOptions, *, progress: OnProgress = ignore_progress
    ) -> PageText:
        """Submit a form of the current page as it is filled in, and read the resulting page.

        Args:
            form: the form.
            view: how the new page is written.
            progress: is called with each step.

        Raises:
            BadInput: a required field has no value.
            TabwrightError: the form was not submitted, or the page could not be read.
        """
        return await self._door(
            lambda on_progress: self._parts.sessions.ask(
                Sessions.submit, self.name, form, view, on_progress
            ),
            progress,
        )

    # Cookies, storage and options.

    async def change_cookies(
        self, put: Iterable[Cookie] = (), removed: Iterable[Cookie] = ()
    ) -> tuple[Cookie, ...]:
        """Remove and then set cookies, and return all that the session has afterwards.

        A session that is not open is opened. If the browser refuses a cookie, the cookies stay as
        they were.

        Args:
            put: the cookies to set; each replaces the one with its name, domain and path.
            removed: the cookies to remove.

        Raises:
            BadInput: the browser does not accept a cookie.
        """
        changes = tuple(put), tuple(removed)
        return await self._ask(Sessions.change_cookies, *changes)

    async def storage_state(self, *, indexed_db: bool = False) -> StorageState:
        """Return the cookies and the storage of the session.

        Args:
            indexed_db: whether to include the IndexedDB of the origins that are open in its tabs.

        Raises:
            SessionMissing: the session is not open.
            TabwrightError: the databases of a page cannot be read.
        """
        return await self._ask(Sessions.storage_state, indexed_db=indexed_db)

    async def set_storage_state(self, state: StorageState) -> tuple[str, ...]:
        """Replace the cookies and the storage of the session, which is opened if necessary.

        Pages that are open keep what they show, and find the new values at once. Databases are only
        restored for origins that are open; the origins of all others are returned.

        Raises:
            BadInput: the browser does not accept a cookie.
        """
        return await self._ask(Sessions.set_storage_state, state)

    async def change_context(
        self, change: Callable[[ContextOptions], ContextOptions]
    ) -> ContextOptions:
        """Change the options of the session's pages, such as headers, and return them.

        Args:
            change: takes the present options and returns the new ones.

        Raises:
            BadInput: a value is not valid.
        """
        return await self._ask(Sessions.change_context, change)

    async def settings(self) -> Settings:
        """Return the settings of the session: its own over those of the user."""
        own = await self._ask(Sessions.settings)
        return session_settings(self._settings, own)

    # Its life, its trace, and tasks in it.

    async def save(self) -> str:
        """Save cookies, ``localStorage`` and history on disk, and return the path of the file.

        Raises:
            SessionMissing: the session is not open.
            BadInput: the file cannot be written.
        """
        return await self._ask(Sessions.save)

    async def close(self, *, forget: bool = False) -> None:
        """Close the session with its tabs, cookies and storage.

        Args:
            forget: whether to delete its saved data, too.

        Raises:
            SessionMissing: the session is not open.
        """
        await self._ask(Sessions.close, forget=forget)

    async def change_trace(self, action: TraceAction = "status") -> TraceStatus:
        """Start or stop the trace of the session, or return its status.

        Starting one opens the session if necessary. While it is recorded, the pages of the session
        are loaded in tabs.

        Raises:
            BadInput: the file cannot be written, or no trace is recorded.
        """
        return await self._ask(Sessions.change_trace, action)

    async def run_task(
        self,
        task: str,
        *,
        model: Model | None = None,
        limits: Limits | None = None,
        follow_up: bool = False,
        report: Report = ignore_progress,
    ) -> TaskResult:
        """Have an agent do a task in the tabs of the session, which is opened if necessary.

        Cancellation ends the task before its next action.

        Args:
            task: in words. ``{{NAME}}`` in it, or in a task that it continues, is a secret that can
                be typed for it; no other can.
            model: the language model; None for that of the settings.
            limits: its limits; None for those of the settings.
            follow_up: whether to continue from the last task of the session, with its history.
            report: is called with every event, in tabwright's thread; must not block.

        Raises:
            BadInput: the task cannot be started. A later failure is in the result instead.
            ModelFailed: no model is set up.
        """
        request = RunTask(
            task=task,
            session=self.name,
            model=model or self._parts.models.choose(),
            limits=limits or self._settings.agent.limits,
            follow_up=follow_up,
        )

        async def run(_: OnProgress) -> TaskResult:
            """Run the task; an error of `report` ends it."""
            with isolate_callback(report) as on_event:
                return await self._parts.tasks.ask(
                    Tasks.run, attrs.evolve(request, report=on_event)
                )

        return await self._door(run)

    async def _ask(
        self,
        method: Callable[Concatenate[Sessions, str, ParametersT], Awaitable[AnswerT]],
        *args: ParametersT.args,
        **kwargs: ParametersT.kwargs,
    ) -> AnswerT:
        """Ask the actor of sessions about this one, by a method that reports no progress."""
        return await self._door(
            lambda _: self._parts.sessions.ask(method, self.name, *args, **kwargs)
        )

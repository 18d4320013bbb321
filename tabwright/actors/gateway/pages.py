"""What the reading tools do for their calls: pages, links, forms and sessions as MCP results."""

import attrs
import mcp_types as mcp

from tabwright.acting.budgets import within
from tabwright.actors.gateway.acting import ActingAnswers, told
from tabwright.actors.gateway.offered_tools import PageArguments
from tabwright.actors.gateway.results import answered, listed
from tabwright.actors.house import Tabwright
from tabwright.actors.tools.browse import BrowseArguments
from tabwright.actors.tools.session_forms import (
    FillFormArguments,
    GetFormsArguments,
    SubmitFormArguments,
)
from tabwright.actors.tools.session_keeping import (
    SessionCloseArguments,
    SessionListArguments,
    SessionSaveArguments,
)
from tabwright.actors.tools.session_links import ClickLinkArguments, GetLinksArguments
from tabwright.actors.tools.session_pages import NavigateArguments, SnapshotArguments, page_view
from tabwright.protocol.outcomes import Outcome
from tabwright.protocol.searching import Progress
from tabwright.protocol.sessions import (
    CloseSession,
    FillForm,
    FollowLink,
    GetSnapshot,
    ListSessions,
    SaveSession,
    SubmitForm,
    ViewPage,
    Visit,
)
from tabwright.protocol.views import PageFormat, PageText, View
from tabwright.reading.page_record import page_record, without_empty

NO_TEXT = "(The page shows no such text.)"
NO_LINKS = "(The page has no such links.)"


@attrs.frozen(eq=False)
class PageAnswers:
    """The reading tools of a house at work."""

    house: Tabwright

    async def answer(self, asked: PageArguments, progress: Progress) -> mcp.CallToolResult:  # noqa: C901, PLR0911  (a case a tool)
        """Does what a call asks for.

        Raises:
            TabwrightError: it could not be done.
        """
        match asked:
            case BrowseArguments():
                return await self._browse(asked, progress)
            case NavigateArguments():
                return await self._navigate(asked, progress)
            case SnapshotArguments():
                return await self._snapshot(asked)
            case ClickLinkArguments():
                return await self._click_link(asked, progress)
            case SubmitFormArguments():
                return await self._submit_form(asked, progress)
            case GetLinksArguments():
                return await self._links(asked)
            case GetFormsArguments():
                return await self._forms(asked)
            case FillFormArguments():
                return await self._fill_form(asked)
            case SessionListArguments():
                return await self._list()
            case SessionSaveArguments():
                return await self._save(asked)
            case SessionCloseArguments():
                return await self._close(asked)

    async def _browse(self, asked: BrowseArguments, progress: Progress) -> mcp.CallToolResult:
        reading = asked.reading(self.house.default_reading)
        page = await self.house.browse(asked.url, reading, session=asked.session, progress=progress)
        return await self._with_media(page) if asked.include_media else _page(page)

    async def _with_media(self, page: PageText) -> mcp.CallToolResult:
        pictures, frames = await self.house.pictures(page), await self.house.frames(page)
        page = attrs.evolve(page, notice=" ".join(filter(None, (page.notice, frames.notice))))
        shown = (*pictures, *frames.pictures)
        return answered(page.text.strip() or NO_TEXT, page_record(page, media=True), shown)

    async def _navigate(self, asked: NavigateArguments, progress: Progress) -> mcp.CallToolResult:
        if asked.format == "outline":
            budget = asked.max_tokens or self.house.settings.acting.max_tokens
            acting = ActingAnswers(self.house)
            return await acting.enter(asked.session, asked.url, budget, progress)
        reading = asked.reading(self.house.default_reading)
        visit = Visit(asked.session, asked.url, reading, progress)
        return _page(await self.house.sessions.ask(visit))

    async def _snapshot(self, asked: SnapshotArguments) -> mcp.CallToolResult:
        if asked.format == "outline":
            request = asked.outline(self.house.settings.acting.max_tokens)
            return await ActingAnswers(self.house).outline(asked.session, request, asked.tab)
        view = asked.view(self.house.default_reading.view)
        page = await self.house.sessions.ask(ViewPage(asked.session, view))
        return await self._with_media(page) if asked.include_media else _page(page)

    async def _click_link(
        self, asked: ClickLinkArguments, progress: Progress
    ) -> mcp.CallToolResult:
        view = self._view(asked.format, asked.max_tokens)
        follow = FollowLink(asked.session, view, asked.number, asked.text, asked.url, progress)
        return _page(await self.house.sessions.ask(follow))

    async def _submit_form(
        self, asked: SubmitFormArguments, progress: Progress
    ) -> mcp.CallToolResult:
        view = self._view(asked.format, asked.max_tokens)
        submit = SubmitForm(asked.session, asked.form, view, progress)
        return _page(await self.house.sessions.ask(submit))

    async def _links(self, asked: GetLinksArguments) -> mcp.CallToolResult:
        snapshot = await self.house.sessions.ask(GetSnapshot(asked.session))
        links = asked.chosen(snapshot.links)
        lines = [f"[{link.number}] {link.text} ({link.kind}): {link.url}" for link in links]
        record = {"links": [attrs.asdict(link) for link in links]}
        more = "({} more links: filter names them by text, URL or kind)"
        budget = self.house.settings.acting.max_tokens
        text = within(lines, budget, lambda count: more.format(len(lines) - count))
        return answered(text or NO_LINKS, record)

    async def _forms(self, asked: GetFormsArguments) -> mcp.CallToolResult:
        snapshot = await self.house.sessions.ask(GetSnapshot(asked.session))
        return listed({"forms": [without_empty(attrs.asdict(form)) for form in snapshot.forms]})

    async def _fill_form(self, asked: FillFormArguments) -> mcp.CallToolResult:
        fill = FillForm(asked.session, asked.form, asked.fields)
        filled = await self.house.sessions.ask(fill)
        return told(filled) if isinstance(filled, Outcome) else listed(attrs.asdict(filled))

    async def _list(self) -> mcp.CallToolResult:
        states = await self.house.sessions.ask(ListSessions())
        return listed({"sessions": [without_empty(attrs.asdict(state)) for state in states]})

    async def _save(self, asked: SessionSaveArguments) -> mcp.CallToolResult:
        return listed({"path": await self.house.sessions.ask(SaveSession(asked.session))})

    async def _close(self, asked: SessionCloseArguments) -> mcp.CallToolResult:
        await self.house.sessions.ask(CloseSession(asked.session, forget=asked.forget))
        return listed({"closed": asked.session})

    def _view(self, page_format: PageFormat, max_tokens: int | None) -> View:
        return page_view(self.house.default_reading.view, page_format, max_tokens)


def _page(page: PageText) -> mcp.CallToolResult:
    return answered(page.text.strip() or NO_TEXT, page_record(page))

"""What the reading tools do for their calls: pages, links, forms and sessions as MCP results."""

from collections.abc import Iterator

import attrs
import msgspec

from tabwright.actors.tools.session_links import ClickLinkArguments, GetLinksArguments
from tabwright.client import Tabwright
from tabwright.content.documents import as_it_stands
from tabwright.content.render.json_record import page_record, without_empty
from tabwright.mcp.page_answers import ActingAnswers, told
from tabwright.mcp.registry import PageArguments
from tabwright.mcp.results import Answer, answered, listed
from tabwright.mcp.tools.browse import BrowseArguments
from tabwright.mcp.tools.forms import FillFormArguments, GetFormsArguments, SubmitFormArguments
from tabwright.mcp.tools.navigation import NavigateArguments, SnapshotArguments, page_view
from tabwright.mcp.tools.sessions import (
    SessionCloseArguments,
    SessionListArguments,
    SessionSaveArguments,
)
from tabwright.protocol.actions import Outcome
from tabwright.protocol.ai_search import Progress
from tabwright.protocol.extraction import Reading
from tabwright.protocol.page_text import PageFormat, PageText, View, quoted
from tabwright.protocol.sessions import (
    ABOUT_BLANK,
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
from tabwright.text.token_budget import listed as lines_within
from tabwright.text.token_budget import stretch

NO_TEXT = "(The page shows no such text.)"
GOES_ON = "(The page is longer; only its beginning was read.)"
BROWSE = "ask again with offset={}."
SNAPSHOT = "take a snapshot of that format with offset={}."
NO_LINKS = "(The page has no such links.)"


@attrs.frozen(eq=False)
class PageAnswers:
    """The reading tools of a house at work."""

    house: Tabwright

    @property
    def reading(self) -> Reading:
        """How pages are read for a client where its call does not say."""
        reading = self.house.default_reading
        budget = reading.view.max_tokens or self.house.settings.mcp.max_tokens
        view = attrs.evolve(reading.view, max_tokens=budget, tells_rest=False)
        return attrs.evolve(reading, view=view)

    async def answer(self, asked: PageArguments, progress: Progress) -> Answer:  # noqa: C901, PLR0911  (a case a tool)
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

    async def _browse(self, asked: BrowseArguments, progress: Progress) -> Answer:
        reading = asked.reading(self.reading)
        page = await self.house.browse(asked.url, reading, session=asked.session, progress=progress)
        return await self._with_media(page, BROWSE) if asked.include_media else _page(page, BROWSE)

    async def _with_media(self, page: PageText, goes_on: str) -> Answer:
        pictures, frames = await self.house.pictures(page), await self.house.frames(page)
        page = attrs.evolve(page, notice=" ".join(filter(None, (page.notice, frames.notice))))
        shown = (*pictures, *frames.pictures)
        return attrs.evolve(_page(page, goes_on, media=True), pictures=shown)

    async def _navigate(self, asked: NavigateArguments, progress: Progress) -> Answer:
        if asked.format == "outline" or asked.url == ABOUT_BLANK:
            budget = asked.max_tokens or self.house.settings.acting.max_tokens
            acting = ActingAnswers(self.house)
            return await acting.enter(asked.session, asked.url, budget, progress)
        reading = asked.reading(self.reading)
        visit = Visit(asked.session, asked.url, reading, progress)
        return _page(await self.house.sessions.ask(visit), SNAPSHOT)

    async def _snapshot(self, asked: SnapshotArguments) -> Answer:
        if asked.format == "outline":
            request = asked.outline(self.house.settings.acting.max_tokens)
            return await ActingAnswers(self.house).outline(asked.session, request, asked.tab)
        view = asked.view(self.reading.view)
        page = await self.house.sessions.ask(ViewPage(asked.session, view))
        return await self._with_media(page, BROWSE) if asked.include_media else _page(page, BROWSE)

    async def _click_link(self, asked: ClickLinkArguments, progress: Progress) -> Answer:
        view = self._view(asked.format, asked.max_tokens)
        follow = FollowLink(asked.session, view, asked.number, asked.text, asked.url, progress)
        return _page(await self.house.sessions.ask(follow), SNAPSHOT)

    async def _submit_form(self, asked: SubmitFormArguments, progress: Progress) -> Answer:
        view = self._view(asked.format, asked.max_tokens)
        submit = SubmitForm(asked.session, asked.form, view, progress)
        return _page(await self.house.sessions.ask(submit), SNAPSHOT)

    async def _links(self, asked: GetLinksArguments) -> Answer:
        snapshot = await self.house.sessions.ask(GetSnapshot(asked.session))
        links = asked.chosen(snapshot.links)[asked.offset :]
        lines = [f"[{link.number}] {link.text} ({link.kind}): {link.url}" for link in links]
        record = {"links": [attrs.asdict(link) for link in links]}

        def more(count: int) -> str:
            """What is told of the links beyond those that are shown."""
            left, next_one = len(lines) - count, asked.offset + count
            return f"({left} more links: offset={next_one}, or filter them by text, URL or kind)"

        budget = self.house.settings.acting.max_tokens
        return answered(lines_within(lines, budget, more, NO_LINKS), record)

    async def _forms(self, asked: GetFormsArguments) -> Answer:
        snapshot = await self.house.sessions.ask(GetSnapshot(asked.session))
        record = {"forms": [without_empty(attrs.asdict(form)) for form in snapshot.forms]}
        budget = self.house.settings.mcp.max_tokens
        text = msgspec.json.format(msgspec.json.encode(record), indent=1).decode()
        clean = self.house.secrets.masked(as_it_stands(text))  # before it is cut
        return answered(stretch(clean, asked.offset, budget), record)

    async def _fill_form(self, asked: FillFormArguments) -> Answer:
        fill = FillForm(asked.session, asked.form, asked.fields)
        filled = await self.house.sessions.ask(fill)
        return told(filled) if isinstance(filled, Outcome) else listed(attrs.asdict(filled))

    async def _list(self) -> Answer:
        states = await self.house.sessions.ask(ListSessions())
        return listed({"sessions": [without_empty(attrs.asdict(state)) for state in states]})

    async def _save(self, asked: SessionSaveArguments) -> Answer:
        path = await self.house.sessions.ask(SaveSession(asked.session))
        return answered(f"Saved in {path}.", {"path": path})

    async def _close(self, asked: SessionCloseArguments) -> Answer:
        await self.house.sessions.ask(CloseSession(asked.session, forget=asked.forget))
        return answered(f"Closed {asked.session}.", {"closed": asked.session})

    def _view(self, page_format: PageFormat, max_tokens: int | None) -> View:
        return page_view(self.reading.view, page_format, max_tokens)


def _page(page: PageText, goes_on: str, *, media: bool = False) -> Answer:
    """A page as an answer; what we say of it stands below.

    Args:
        page: that was read.
        goes_on: how the rest of it is had, by an offset.
        media: whether its media are wanted in the record.
    """
    text = page.text.strip()
    parts = (*quoted(text), *(() if text else (NO_TEXT,)), *_rest(page, goes_on))
    return answered((*parts, *quoted(page.notice)), page_record(page, media=media))


def _rest(page: PageText, goes_on: str) -> Iterator[str]:
    """What is left out of the text, and how to go on."""
    cut = page.truncation
    if cut is None:
        return
    if cut.next_offset is None:
        yield GOES_ON
        return
    left = (cut.original_tokens or 0) - (cut.returned_tokens or 0)
    size = f", about {left} tokens," if left > 0 else ""
    items = cut.items_omitted or "More"
    yield f"({items} items{size} are left out: {goes_on.format(cut.next_offset)})"

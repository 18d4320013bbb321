"""Results of the tools that act on pages and read them."""

from collections.abc import Iterator

import attrs
import msgspec

from tabwright.client import Tabwright
from tabwright.content.documents import verbatim
from tabwright.content.render.json_record import page_record, without_empty
from tabwright.mcp.registry import ActingArguments, PageArguments
from tabwright.mcp.request_details import RequestDetailsReader, save, text_of
from tabwright.mcp.results import Answer, listed, tool_result
from tabwright.mcp.tools.actions import SelectArguments
from tabwright.mcp.tools.browse import BrowseArguments
from tabwright.mcp.tools.forms import FillFormArguments, GetFormsArguments, SubmitFormArguments
from tabwright.mcp.tools.inspection import (
    ConsoleArguments,
    EvaluateArguments,
    NetworkArguments,
    PdfArguments,
    ScreenshotArguments,
)
from tabwright.mcp.tools.navigation import (
    ClickLinkArguments,
    GetLinksArguments,
    NavigateArguments,
    SnapshotArguments,
    page_view,
)
from tabwright.mcp.tools.sessions import (
    SessionCloseArguments,
    SessionListArguments,
    SessionSaveArguments,
)
from tabwright.mcp.tools.tabs import DownloadArguments, TabsArguments, UploadArguments
from tabwright.mcp.upload_paths import uploadable
from tabwright.page.events.downloads import downloads_folder
from tabwright.page.render import (
    NEWS_TOKENS_MAX,
    console_hints,
    console_parts,
    details_record,
    downloads_parts,
    news_parts,
    options_parts,
    outcome_parts,
    outcome_record,
    render_events,
    requests_parts,
    status_text,
    tabs_text,
)
from tabwright.protocol.actions import ConsoleCounts, ListOptions, Outcome, Upload
from tabwright.protocol.actor import Invoke
from tabwright.protocol.errors import BadInput
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import ListDownloads, OutlineText, OutlineView, TakeOutline
from tabwright.protocol.page_text import PageFormat, PageText, RenderOptions, plain, quoted
from tabwright.protocol.progress import OnProgress
from tabwright.protocol.sessions import (
    ABOUT_BLANK,
    ChangeTabs,
    CloseSession,
    FillForm,
    FollowLink,
    GetSnapshot,
    InTab,
    NavigateSession,
    OpenSession,
    SaveSession,
    Sessions,
    SubmitForm,
    ViewPage,
)
from tabwright.protocol.snapshot import Thumbnail
from tabwright.reader.tiers import FULL_LOAD_TIER
from tabwright.text import token_budget
from tabwright.text.hints import ToolNames
from tabwright.text.own_tools import OWN
from tabwright.text.token_budget import beginning, stretch


@attrs.frozen(eq=False)
class ActingAnswers:
    """The acting tools of a house at work."""

    tabwright: Tabwright
    names: ToolNames = OWN

    async def answer(self, asked: ActingArguments, progress: OnProgress) -> Answer:  # noqa: PLR0911  (a case a tool)
        """Does what a call asks for.

        Raises:
            TabwrightError: it could not be done.
        """
        match asked:
            case TabsArguments():
                return await self._tabs(asked, progress)
            case ScreenshotArguments():
                return await self._screenshot(asked)
            case EvaluateArguments():
                return await self._evaluate(asked)
            case ConsoleArguments():
                return await self._console(asked)
            case NetworkArguments():
                return await self._network(asked)
            case PdfArguments():
                return await self._pdf(asked)
            case UploadArguments():
                return await self._upload(asked, progress)
            case DownloadArguments():
                return await self._downloads(asked)
            case SelectArguments(values=None):
                return await self._options(asked)
            case _:
                wish = InTab(asked.session, asked.request(), asked.tab, progress)
                return outcome_result(await self.tabwright.sessions.ask(wish), self.names)

    async def outline(self, session: str, request: TakeOutline, tab: int | None = None) -> Answer:
        """A page as an outline, with what it did of itself."""
        taken = await self.tabwright.sessions.ask(InTab(session, _with_news(request), tab))
        return outlined(taken, session, names=self.names)

    async def enter(self, session: str, url: str, max_tokens: int, progress: OnProgress) -> Answer:
        """Goes to a page to act there, and gives its outline."""
        outcome = await self.tabwright.sessions.ask(OpenSession(session, url, progress=progress))
        if outcome.downloads or outcome.url == ABOUT_BLANK:
            return outcome_result(outcome, self.names)
        request = TakeOutline(OutlineView(max_tokens))
        taken = await self.tabwright.sessions.ask(InTab(session, _with_news(request)))
        status = outcome.navigated.status if outcome.navigated else 0
        return outlined(taken, session, status, outcome.console, self.names)

    async def _tabs(self, asked: TabsArguments, progress: OnProgress) -> Answer:
        if asked.action == "open":
            await self.tabwright.sessions.ask(
                OpenSession(asked.session, asked.url, new_tab=True, progress=progress)
            )
            change = ChangeTabs(asked.session)
        else:
            change = ChangeTabs(asked.session, asked.action, asked.tab)
        tabs = await self.tabwright.sessions.ask(change)
        return tool_result(quoted(tabs_text(tabs)), {"tabs": [attrs.asdict(tab) for tab in tabs]})

    async def _screenshot(self, asked: ScreenshotArguments) -> Answer:
        wish = InTab(asked.session, asked.request(), asked.tab)
        return pictured(await self.tabwright.sessions.ask(wish))

    async def _evaluate(self, asked: EvaluateArguments) -> Answer:
        if not self.tabwright.settings.acting.scripts:
            raise BadInput(
                "Scripts are not allowed here.",
                advice="The user may set acting.scripts: true.",
            )
        evaluation = await self.tabwright.sessions.ask(
            InTab(asked.session, asked.request(), asked.tab)
        )
        changes = outcome_parts(attrs.evolve(evaluation.outcome, said=""), self.names)
        given = self.tabwright.secrets.masked(verbatim(evaluation.json))  # before it is cut
        value, cut = beginning(given, self._tokens)
        more = (f"({cut} more characters: let the script return less.)",) if cut else ()
        record = {"json": evaluation.json, "outcome": _record(evaluation.outcome)}
        return tool_result((*quoted(value), *changes, *more), record)

    async def _console(self, asked: ConsoleArguments) -> Answer:
        wish = InTab(asked.session, asked.request(), asked.tab)
        entries = await self.tabwright.sessions.ask(wish)
        record = {"entries": [attrs.asdict(one) for one in entries]}
        return tool_result(console_parts(entries, self._tokens, self.names), record)

    async def _network(self, asked: NetworkArguments) -> Answer:
        if asked.body is not None:
            return await self._body(asked, asked.body)
        if asked.request is not None:
            return await self._request(asked, asked.request)
        requests = await self.tabwright.sessions.ask(
            InTab(asked.session, asked.listing(), asked.tab)
        )
        record = {"requests": [without_empty(attrs.asdict(one)) for one in requests]}
        return tool_result(requests_parts(requests, asked.tokens, asked.offset, self.names), record)

    async def _body(self, asked: NetworkArguments, number: int) -> Answer:
        one = RequestDetailsReader(self.tabwright, asked.session, number, asked.tab)
        data = await one.body()
        if asked.filename:
            return await one.saved(asked.filename, data)
        text = text_of(data)
        if text is None:
            return await one.binary(data)
        parts = stretch(one.shown(text), asked.offset, asked.tokens)
        return tool_result(parts, {"body": plain(parts)})

    async def _request(self, asked: NetworkArguments, number: int) -> Answer:
        one = RequestDetailsReader(self.tabwright, asked.session, number, asked.tab)
        details = await one.details()
        parts = stretch(await one.whole(details), asked.offset, asked.tokens)
        return tool_result(parts, {"request": details_record(details)})

    async def _pdf(self, asked: PdfArguments) -> Answer:
        data = await self.tabwright.sessions.ask(InTab(asked.session, asked.request(), asked.tab))
        path = await save(self.tabwright, "page.pdf", data)
        return tool_result(f"Written to {path} ({len(data)} bytes).", {"path": str(path)})

    async def _upload(self, asked: UploadArguments, progress: OnProgress) -> Answer:
        paths = tuple(map(self.readable, asked.paths))
        wish = InTab(asked.session, Upload(asked.ref, paths), asked.tab, progress)
        return outcome_result(await self.tabwright.sessions.ask(wish), self.names)

    async def _downloads(self, asked: DownloadArguments) -> Answer:
        listed = await self.tabwright.sessions.ask(InTab(asked.session, ListDownloads(), asked.tab))
        record = {"downloads": [attrs.asdict(one) for one in listed]}
        return tool_result(downloads_parts(listed, self._tokens), record)

    async def _options(self, asked: SelectArguments) -> Answer:
        wish = InTab(asked.session, ListOptions(asked.ref), asked.tab)
        listed = await self.tabwright.sessions.ask(wish)
        parts = options_parts(listed, self._tokens)
        return tool_result(parts, {"said": plain(parts), "url": "", "title": ""})

    @property
    def _tokens(self) -> int:
        """What an answer may have whose call does not say."""
        return self.tabwright.settings.acting.max_tokens

    def readable(self, path: str) -> str:
        """A path that may be given to a page, as its own.

        Raises:
            BadInput: it is not in one of the directories that the settings allow, or not there.
        """
        return uploadable(path, self._roots())

    def _roots(self) -> tuple[str, ...]:
        downloads = downloads_folder(self.tabwright.settings.acting.downloads)
        own = (str(downloads),) if downloads else ()
        return (*self.tabwright.settings.acting.upload_roots, *own)


def _with_news(request: TakeOutline) -> TakeOutline:
    """A request that asks for news too, for which some of its budget is kept."""
    budget = request.view.max_tokens
    view = attrs.evolve(request.view, max_tokens=budget and max(budget - NEWS_TOKENS_MAX, 1))
    return attrs.evolve(request, view=view, news=True)


def pictured(picture: Thumbnail) -> Answer:
    """A picture as a result, with how much smaller it is than was asked for."""
    text = f"{picture.width}x{picture.height}, {len(picture.data)} bytes"
    if picture.reduced < 1:
        text += f", scaled down to {picture.reduced:.0%} to fit"
    return tool_result(text, {"width": picture.width, "height": picture.height}, [picture])


def outlined(
    taken: OutlineText,
    session: str,
    status: int = 0,
    console: ConsoleCounts | None = None,
    names: ToolNames = OWN,
) -> Answer:
    """An outline as a result, after a navigation with what came of that."""
    text = "\n".join(filter(None, (taken.text, render_events(taken.meanwhile))))
    notes = (*taken.notes, *filter(None, [status_text(status)]), *console_hints(console))
    parts = (*quoted(taken.text), *news_parts(taken.meanwhile, names), *names.lines(notes))
    record: dict[str, object] = {
        "url": taken.url,
        "title": taken.title,
        "status": status,
        "format": "outline",
        "text": text,
        "tier": FULL_LOAD_TIER,
        "tier_reason": "it is acted on",
        "session": session,
    }
    if console:
        record["console"] = attrs.asdict(console)
    if taken.next_offset is not None:
        record["truncation"] = {"reason": "token_budget", "next_offset": taken.next_offset}
    return tool_result(parts, record)


def outcome_result(outcome: Outcome, names: ToolNames = OWN) -> Answer:
    """What comes of an action, as a result."""
    return tool_result(outcome_parts(outcome, names), _record(outcome))


def _record(outcome: Outcome) -> dict[str, object]:
    return {"url": "", "title": "", **without_empty(outcome_record(outcome))}


# Results of the reading tools: pages, links, forms and sessions.

NO_TEXT = "(The page shows no such text.)"
GOES_ON = "(The page is longer; only its beginning was read.)"
BROWSE = "ask again with offset={}."
SNAPSHOT = "take a snapshot of that format with offset={}."
NO_LINKS = "(The page has no such links.)"


@attrs.frozen(eq=False)
class PageAnswers:
    """The reading tools of a house at work."""

    tabwright: Tabwright

    @property
    def reading(self) -> ReadOptions:
        """How pages are read for a client where its call does not say."""
        reading = self.tabwright.default_reading
        budget = reading.view.max_tokens or self.tabwright.settings.mcp.max_tokens
        view = attrs.evolve(reading.view, max_tokens=budget, tells_rest=False)
        return attrs.evolve(reading, view=view)

    async def answer(self, asked: PageArguments, progress: OnProgress) -> Answer:  # noqa: C901, PLR0911  (a case a tool)
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

    async def _browse(self, asked: BrowseArguments, progress: OnProgress) -> Answer:
        reading = asked.reading(self.reading)
        page = await self.tabwright.browse(
            asked.url, reading, session=asked.session, progress=progress
        )
        return await self._with_media(page, BROWSE) if asked.include_media else _page(page, BROWSE)

    async def _with_media(self, page: PageText, goes_on: str) -> Answer:
        pictures, frames = await self.tabwright.pictures(page), await self.tabwright.frames(page)
        page = attrs.evolve(page, notice=" ".join(filter(None, (page.notice, frames.notice))))
        shown = (*pictures, *frames.pictures)
        return attrs.evolve(_page(page, goes_on, media=True), pictures=shown)

    async def _navigate(self, asked: NavigateArguments, progress: OnProgress) -> Answer:
        if asked.format == "outline" or asked.url == ABOUT_BLANK:
            budget = asked.max_tokens or self.tabwright.settings.acting.max_tokens
            acting = ActingAnswers(self.tabwright)
            return await acting.enter(asked.session, asked.url, budget, progress)
        reading = asked.reading(self.reading)
        visit = NavigateSession(asked.session, asked.url, reading, progress)
        return _page(await self.tabwright.sessions.ask(visit), SNAPSHOT)

    async def _snapshot(self, asked: SnapshotArguments) -> Answer:
        if asked.format == "outline":
            request = asked.outline(self.tabwright.settings.acting.max_tokens)
            return await ActingAnswers(self.tabwright).outline(asked.session, request, asked.tab)
        view = asked.view(self.reading.view)
        page = await self.tabwright.sessions.ask(ViewPage(asked.session, view))
        return await self._with_media(page, BROWSE) if asked.include_media else _page(page, BROWSE)

    async def _click_link(self, asked: ClickLinkArguments, progress: OnProgress) -> Answer:
        view = self._view(asked.format, asked.max_tokens)
        follow = FollowLink(asked.session, view, asked.number, asked.text, asked.url, progress)
        return _page(await self.tabwright.sessions.ask(follow), SNAPSHOT)

    async def _submit_form(self, asked: SubmitFormArguments, progress: OnProgress) -> Answer:
        view = self._view(asked.format, asked.max_tokens)
        submit = SubmitForm(asked.session, asked.form, view, progress)
        return _page(await self.tabwright.sessions.ask(submit), SNAPSHOT)

    async def _links(self, asked: GetLinksArguments) -> Answer:
        snapshot = await self.tabwright.sessions.ask(GetSnapshot(asked.session))
        links = asked.chosen(snapshot.links)[asked.offset :]
        lines = [f"[{link.number}] {link.text} ({link.kind}): {link.url}" for link in links]
        record = {"links": [attrs.asdict(link) for link in links]}

        def more(count: int) -> str:
            """What is told of the links beyond those that are shown."""
            left, next_one = len(lines) - count, asked.offset + count
            return f"({left} more links: offset={next_one}, or filter them by text, URL or kind)"

        budget = self.tabwright.settings.acting.max_tokens
        return tool_result(token_budget.listed(lines, budget, more, NO_LINKS), record)

    async def _forms(self, asked: GetFormsArguments) -> Answer:
        snapshot = await self.tabwright.sessions.ask(GetSnapshot(asked.session))
        record = {"forms": [without_empty(attrs.asdict(form)) for form in snapshot.forms]}
        budget = self.tabwright.settings.mcp.max_tokens
        text = msgspec.json.format(msgspec.json.encode(record), indent=1).decode()
        clean = self.tabwright.secrets.masked(verbatim(text))  # before it is cut
        return tool_result(stretch(clean, asked.offset, budget), record)

    async def _fill_form(self, asked: FillFormArguments) -> Answer:
        fill = FillForm(asked.session, asked.form, asked.fields)
        filled = await self.tabwright.sessions.ask(fill)
        return (
            outcome_result(filled) if isinstance(filled, Outcome) else listed(attrs.asdict(filled))
        )

    async def _list(self) -> Answer:
        states = await self.tabwright.sessions.ask(Invoke(Sessions.list))
        return listed({"sessions": [without_empty(attrs.asdict(state)) for state in states]})

    async def _save(self, asked: SessionSaveArguments) -> Answer:
        path = await self.tabwright.sessions.ask(SaveSession(asked.session))
        return tool_result(f"Saved in {path}.", {"path": path})

    async def _close(self, asked: SessionCloseArguments) -> Answer:
        await self.tabwright.sessions.ask(CloseSession(asked.session, forget=asked.forget))
        return tool_result(f"Closed {asked.session}.", {"closed": asked.session})

    def _view(self, page_format: PageFormat, max_tokens: int | None) -> RenderOptions:
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
    return tool_result((*parts, *quoted(page.notice)), page_record(page, media=media))


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

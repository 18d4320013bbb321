"""What the acting tools do for their calls."""

import attrs

from tabwright.client import Tabwright
from tabwright.content.documents import as_it_stands
from tabwright.content.render.json_record import without_empty
from tabwright.mcp.registry import ActingArguments
from tabwright.mcp.request_details import Traffic, save, text_of
from tabwright.mcp.results import Answer, answered
from tabwright.mcp.tools.actions import SelectArguments
from tabwright.mcp.tools.inspection import (
    ConsoleArguments,
    EvaluateArguments,
    NetworkArguments,
    PdfArguments,
    ScreenshotArguments,
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
    news_text,
    options_parts,
    outcome_parts,
    outcome_record,
    requests_parts,
    status_text,
    tabs_text,
)
from tabwright.protocol.actions import ConsoleCounts, ListOptions, Outcome, Upload
from tabwright.protocol.ai_search import Progress
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import ListDownloads, OutlineText, OutlineView, TakeOutline
from tabwright.protocol.page_text import plain, quoted
from tabwright.protocol.sessions import ABOUT_BLANK, ChangeTabs, Enter, InTab
from tabwright.protocol.snapshot import SmallPicture
from tabwright.reader.tiers import WHOLE
from tabwright.text.hints import ToolNames
from tabwright.text.own_tools import OWN
from tabwright.text.token_budget import beginning, stretch


@attrs.frozen(eq=False)
class ActingAnswers:
    """The acting tools of a house at work."""

    house: Tabwright
    names: ToolNames = OWN

    async def answer(self, asked: ActingArguments, progress: Progress) -> Answer:  # noqa: PLR0911  (a case a tool)
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
                return told(await self.house.sessions.ask(wish), self.names)

    async def outline(self, session: str, request: TakeOutline, tab: int | None = None) -> Answer:
        """A page as an outline, with what it did of itself."""
        taken = await self.house.sessions.ask(InTab(session, _with_news(request), tab))
        return outlined(taken, session, names=self.names)

    async def enter(self, session: str, url: str, max_tokens: int, progress: Progress) -> Answer:
        """Goes to a page to act there, and gives its outline."""
        outcome = await self.house.sessions.ask(Enter(session, url, progress=progress))
        if outcome.downloads or outcome.url == ABOUT_BLANK:
            return told(outcome, self.names)
        request = TakeOutline(OutlineView(max_tokens))
        taken = await self.house.sessions.ask(InTab(session, _with_news(request)))
        status = outcome.navigated.status if outcome.navigated else 0
        return outlined(taken, session, status, outcome.console, self.names)

    async def _tabs(self, asked: TabsArguments, progress: Progress) -> Answer:
        if asked.action == "open":
            await self.house.sessions.ask(
                Enter(asked.session, asked.url, new_tab=True, progress=progress)
            )
            change = ChangeTabs(asked.session)
        else:
            change = ChangeTabs(asked.session, asked.action, asked.tab)
        tabs = await self.house.sessions.ask(change)
        return answered(quoted(tabs_text(tabs)), {"tabs": [attrs.asdict(tab) for tab in tabs]})

    async def _screenshot(self, asked: ScreenshotArguments) -> Answer:
        wish = InTab(asked.session, asked.request(), asked.tab)
        return pictured(await self.house.sessions.ask(wish))

    async def _evaluate(self, asked: EvaluateArguments) -> Answer:
        if not self.house.settings.acting.scripts:
            raise BadInput(
                "Scripts are not allowed here.",
                advice="The user may set acting.scripts: true.",
            )
        evaluation = await self.house.sessions.ask(InTab(asked.session, asked.request(), asked.tab))
        changes = outcome_parts(attrs.evolve(evaluation.outcome, said=""), self.names)
        given = self.house.secrets.masked(as_it_stands(evaluation.json))  # before it is cut
        value, cut = beginning(given, self._tokens)
        more = (f"({cut} more characters: let the script return less.)",) if cut else ()
        record = {"json": evaluation.json, "outcome": _record(evaluation.outcome)}
        return answered((*quoted(value), *changes, *more), record)

    async def _console(self, asked: ConsoleArguments) -> Answer:
        wish = InTab(asked.session, asked.request(), asked.tab)
        entries = await self.house.sessions.ask(wish)
        record = {"entries": [attrs.asdict(one) for one in entries]}
        return answered(console_parts(entries, self._tokens, self.names), record)

    async def _network(self, asked: NetworkArguments) -> Answer:
        if asked.body is not None:
            return await self._body(asked, asked.body)
        if asked.request is not None:
            return await self._request(asked, asked.request)
        requests = await self.house.sessions.ask(InTab(asked.session, asked.listing(), asked.tab))
        record = {"requests": [without_empty(attrs.asdict(one)) for one in requests]}
        return answered(requests_parts(requests, asked.tokens, asked.offset, self.names), record)

    async def _body(self, asked: NetworkArguments, number: int) -> Answer:
        one = Traffic(self.house, asked.session, number, asked.tab)
        data = await one.body()
        if asked.filename:
            return await one.saved(asked.filename, data)
        text = text_of(data)
        if text is None:
            return await one.binary(data)
        parts = stretch(one.shown(text), asked.offset, asked.tokens)
        return answered(parts, {"body": plain(parts)})

    async def _request(self, asked: NetworkArguments, number: int) -> Answer:
        one = Traffic(self.house, asked.session, number, asked.tab)
        details = await one.details()
        parts = stretch(await one.whole(details), asked.offset, asked.tokens)
        return answered(parts, {"request": details_record(details)})

    async def _pdf(self, asked: PdfArguments) -> Answer:
        data = await self.house.sessions.ask(InTab(asked.session, asked.request(), asked.tab))
        path = await save(self.house, "page.pdf", data)
        return answered(f"Written to {path} ({len(data)} bytes).", {"path": str(path)})

    async def _upload(self, asked: UploadArguments, progress: Progress) -> Answer:
        paths = tuple(map(self.readable, asked.paths))
        wish = InTab(asked.session, Upload(asked.ref, paths), asked.tab, progress)
        return told(await self.house.sessions.ask(wish), self.names)

    async def _downloads(self, asked: DownloadArguments) -> Answer:
        listed = await self.house.sessions.ask(InTab(asked.session, ListDownloads(), asked.tab))
        record = {"downloads": [attrs.asdict(one) for one in listed]}
        return answered(downloads_parts(listed, self._tokens), record)

    async def _options(self, asked: SelectArguments) -> Answer:
        wish = InTab(asked.session, ListOptions(asked.ref), asked.tab)
        listed = await self.house.sessions.ask(wish)
        parts = options_parts(listed, self._tokens)
        return answered(parts, {"said": plain(parts), "url": "", "title": ""})

    @property
    def _tokens(self) -> int:
        """What an answer may have whose call does not say."""
        return self.house.settings.acting.max_tokens

    def readable(self, path: str) -> str:
        """A path that may be given to a page, as its own.

        Raises:
            BadInput: it is not in one of the directories that the settings allow, or not there.
        """
        return uploadable(path, self._roots())

    def _roots(self) -> tuple[str, ...]:
        downloads = downloads_folder(self.house.settings.acting.downloads)
        own = (str(downloads),) if downloads else ()
        return (*self.house.settings.acting.upload_roots, *own)


def _with_news(request: TakeOutline) -> TakeOutline:
    """A request that asks for news too, for which some of its budget is kept."""
    budget = request.view.max_tokens
    view = attrs.evolve(request.view, max_tokens=budget and max(budget - NEWS_TOKENS_MAX, 1))
    return attrs.evolve(request, view=view, news=True)


def pictured(picture: SmallPicture) -> Answer:
    """A picture as a result, with how much smaller it is than was asked for."""
    text = f"{picture.width}x{picture.height}, {len(picture.data)} bytes"
    if picture.reduced < 1:
        text += f", scaled down to {picture.reduced:.0%} to fit"
    return answered(text, {"width": picture.width, "height": picture.height}, [picture])


def outlined(
    taken: OutlineText,
    session: str,
    status: int = 0,
    console: ConsoleCounts | None = None,
    names: ToolNames = OWN,
) -> Answer:
    """An outline as a result, after a navigation with what came of that."""
    text = "\n".join(filter(None, (taken.text, news_text(taken.meanwhile))))
    notes = (*taken.notes, *filter(None, [status_text(status)]), *console_hints(console))
    parts = (*quoted(taken.text), *news_parts(taken.meanwhile, names), *names.lines(notes))
    record: dict[str, object] = {
        "url": taken.url,
        "title": taken.title,
        "status": status,
        "format": "outline",
        "text": text,
        "tier": WHOLE,
        "tier_reason": "it is acted on",
        "session": session,
    }
    if console:
        record["console"] = attrs.asdict(console)
    if taken.next_offset is not None:
        record["truncation"] = {"reason": "token_budget", "next_offset": taken.next_offset}
    return answered(parts, record)


def told(outcome: Outcome, names: ToolNames = OWN) -> Answer:
    """What comes of an action, as a result."""
    return answered(outcome_parts(outcome, names), _record(outcome))


def _record(outcome: Outcome) -> dict[str, object]:
    return {"url": "", "title": "", **without_empty(outcome_record(outcome))}

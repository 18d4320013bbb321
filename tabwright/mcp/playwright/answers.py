"""Results of the tools of playwright-mcp."""

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal

import attrs
import trio

from tabwright.client import Tabwright
from tabwright.content.render.json_record import without_empty
from tabwright.mcp.page_answers import ActingAnswers, outcome_result, pictured
from tabwright.mcp.playwright import inspection
from tabwright.mcp.playwright.actions import BrowserClick, drop_script, read_files
from tabwright.mcp.playwright.targets import (
    Act,
    PlaywrightArguments,
    PlaywrightInspection,
    excerpts,
    holding,
    matching,
    ref_of,
)
from tabwright.mcp.playwright.tool_names import PLAYWRIGHT
from tabwright.mcp.registry import ActingArguments
from tabwright.mcp.request_details import RequestDetailsReader, save, text_of, text_or_size
from tabwright.mcp.results import Answer, tool_result
from tabwright.mcp.tools.inspection import EvaluateArguments
from tabwright.mcp.tools.page_arguments import DEFAULT_SESSION
from tabwright.mcp.tools.tabs import UploadArguments
from tabwright.page.outline_text import escape_refs, truncate
from tabwright.page.render import console_parts, header_lines, requests_parts
from tabwright.protocol.actions import Evaluate, TabInfo
from tabwright.protocol.errors import BadInput, SessionMissing, TabwrightError
from tabwright.protocol.inspection import (
    ListRequests,
    NetworkEntry,
    OutlineView,
    ReadConsole,
    TakeOutline,
)
from tabwright.protocol.page_text import plain, quoted
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.sessions import ChangeTabs, CloseSession, InTab, OpenSession
from tabwright.protocol.snapshot import ERROR_STATUS_MIN
from tabwright.text.token_budget import beginning

BODIES = frozenset({"request-body", "response-body"})
"""Parts of a request that are written into a file byte by byte."""

TALKS = frozenset({"Fetch", "WebSocket", "XHR"})
"""Kinds of requests that are listed always; others, documents too, only if they went wrong.

As in playwright-mcp, which knows no WebSockets.
"""


@attrs.frozen(eq=False)
class PlaywrightLooks:
    """The tools of playwright-mcp that only look, at work in a house."""

    tabwright: Tabwright

    async def answer(self, asked: PlaywrightInspection) -> Answer:
        """Does what a call asks for.

        Raises:
            TabwrightError: it could not be done.
        """
        if isinstance(asked, inspection.BrowserNetworkRequest) and asked.part in BODIES:
            return await self._body(asked)
        result = await self._seen(asked)
        if not asked.filename:
            return result
        name = asked.file if isinstance(asked, inspection.BrowserTakeScreenshot) else asked.filename
        return await self._saved(result, name)

    async def _seen(self, asked: PlaywrightInspection) -> Answer:  # noqa: PLR0911  (a case a tool)
        match asked:
            case inspection.BrowserSnapshot():
                return await self._snapshot(asked)
            case inspection.BrowserFind():
                return await self._find(asked)
            case inspection.BrowserNetworkRequests():
                return await self._requests(asked)
            case inspection.BrowserNetworkRequest():
                return await self._request(asked)
            case inspection.BrowserTakeScreenshot():
                return await self._screenshot(asked)
            case inspection.BrowserEvaluate():
                ref = await ref_of(self.tabwright.sessions, asked.target)
                return await self._ours(EvaluateArguments(script=asked.script, ref=ref))
            case inspection.BrowserConsoleMessages():
                return await self._console(asked)
            case _:
                raise BadInput(
                    "Code of Playwright is not run here.",
                    advice="Use browser_evaluate for a script in the page, else the other tools.",
                )

    async def _ours(self, asked: ActingArguments) -> Answer:
        return await ActingAnswers(self.tabwright, PLAYWRIGHT).answer(asked, ignore_progress)

    async def _screenshot(self, asked: inspection.BrowserTakeScreenshot) -> Answer:
        asked.request("")  # before anything is looked for
        request = asked.request(await ref_of(self.tabwright.sessions, asked.target))
        return pictured(await self.tabwright.sessions.ask(InTab(DEFAULT_SESSION, request)))

    async def _snapshot(self, asked: inspection.BrowserSnapshot) -> Answer:
        if asked.boxes:
            raise BadInput(
                "boxes are not told here.", advice="Leave boxes out, or take a screenshot."
            )
        ref = await ref_of(self.tabwright.sessions, asked.target)
        depth = math.ceil(asked.depth) if asked.depth else None
        view = OutlineView(self._tokens(asked), asked.offset, depth=depth)
        request = TakeOutline(view, ref)
        return await ActingAnswers(self.tabwright, PLAYWRIGHT).outline(DEFAULT_SESSION, request)

    async def _find(self, asked: inspection.BrowserFind) -> Answer:
        if bool(asked.text) == bool(asked.regex):
            raise BadInput("Nothing is looked for.", advice="Give either text or regex.")
        whole = TakeOutline(OutlineView(max_tokens=0, whole=True))
        taken = await self.tabwright.sessions.ask(InTab(DEFAULT_SESSION, whole))
        lines = taken.text.split("\n")
        found = await matching(asked.regex, lines) if asked.regex else holding(asked.text, lines)
        if not found:
            return tool_result("(Nothing is found.)", {"found": 0})
        text, cut = beginning(excerpts(lines, found), self._tokens(asked))
        more = (f"({cut} more characters: narrow the search.)",) if cut else ()
        count = "1 line" if len(found) == 1 else f"{len(found)} lines"
        return tool_result((f"Found in {count}:\n", *quoted(text), *more), {"found": len(found)})

    async def _console(self, asked: inspection.BrowserConsoleMessages) -> Answer:
        request = ReadConsole(asked.level, this_page=not asked.all)
        entries = await self.tabwright.sessions.ask(InTab(DEFAULT_SESSION, request))
        record = {"entries": [attrs.asdict(one) for one in entries]}
        return tool_result(console_parts(entries, self._tokens(asked), PLAYWRIGHT), record)

    async def _requests(self, asked: inspection.BrowserNetworkRequests) -> Answer:
        known = await self.tabwright.sessions.ask(InTab(DEFAULT_SESSION, ListRequests()))
        listed = [one for one in known if asked.static or not _is_static(one)]
        hidden = len(known) - len(listed)
        if asked.filter:
            urls = [one.url for one in listed]
            listed = [listed[place] for place in await matching(asked.filter, urls)]
        record = {"requests": [without_empty(attrs.asdict(one)) for one in listed]}
        parts = requests_parts(listed, self._tokens(asked), names=PLAYWRIGHT)
        if hidden and not listed:
            parts = (*parts, f"({hidden} static requests are left out: static=true lists them.)")
        return tool_result(parts, record)

    async def _request(self, asked: inspection.BrowserNetworkRequest) -> Answer:
        one = self._traffic(asked)
        details = await one.details()
        match asked.part:
            case "request-headers":
                text = one.shown("\n".join(header_lines(details.sent)))
            case "response-headers":
                text = one.shown("\n".join(header_lines(details.received)))
            case _:
                text = "\n\n".join((await one.whole(details), await self._answer_body(one)))
        return self._cut(text or "(There are no headers.)", asked)

    async def _answer_body(self, one: RequestDetailsReader) -> str:
        """The body of an answer as a part of all that is known of a request."""
        try:
            data = await one.body()
        except BadInput as refusal:
            return refusal.message
        return one.shown(text_or_size(data))

    async def _body(self, asked: inspection.BrowserNetworkRequest) -> Answer:
        one, sent = self._traffic(asked), asked.part == "request-body"
        data = await one.body(sent=sent)
        if asked.filename:
            return await one.saved(asked.filename, data)
        text = text_of(data)
        if text is None:
            return await one.binary(data, sent=sent)
        return self._cut(one.shown(text), asked)

    def _cut(self, text: str, asked: inspection.BrowserNetworkRequest) -> Answer:
        shown, cut = beginning(text, self._tokens(asked))
        more = (f"({cut} more characters: give a filename for all of it.)",) if cut else ()
        return tool_result((*quoted(shown), *more), {"body": shown})

    def _traffic(self, asked: inspection.BrowserNetworkRequest) -> RequestDetailsReader:
        return RequestDetailsReader(self.tabwright, DEFAULT_SESSION, asked.index)

    def _tokens(self, asked: PlaywrightInspection) -> int:
        """What the answer may have; a file may have all."""
        return 0 if asked.filename else self.tabwright.settings.acting.max_tokens

    async def _saved(self, result: Answer, name: str) -> Answer:
        """The same as a file: the picture where there is one, else the text."""
        data: str | bytes = self.tabwright.secrets.masked(plain(result.parts))
        for picture in result.pictures:
            data = picture.data
        path = await save(self.tabwright, name, data)
        return tool_result(f"Written to {path}.", {"path": str(path)})


def _is_static(one: NetworkEntry) -> bool:
    return one.kind not in TALKS and not one.failure and 0 < one.status < ERROR_STATUS_MIN


# Calls of these tools: the same actors under other names.
#
# Nothing of it names a session: there is one, as there.

CHANGES: Mapping[str, Literal["switch", "close"]] = {"select": "switch", "close": "close"}
"""What we call what can be done with tabs."""

ADDRESS_MAX = 400
"""Characters of a URL that is listed."""


@attrs.define(eq=False)
class PlaywrightAnswers:
    """The tools of playwright-mcp at work in a house."""

    tabwright: Tabwright
    _clicked: str = attrs.field(default="", init=False)

    async def answer(self, asked: PlaywrightArguments, progress: OnProgress) -> Answer:
        """Does what a call asks for, and says what came of it in the client's words.

        Raises:
            TabwrightError: it could not be done.
        """
        try:
            return await self._done(asked, progress)
        except TabwrightError as error:
            error.advice = PLAYWRIGHT.advice(error)
            raise

    async def _done(self, asked: PlaywrightArguments, progress: OnProgress) -> Answer:  # noqa: PLR0911  (a case a tool)
        match asked:
            case Act():
                return await self._act(asked, progress)
            case PlaywrightInspection():
                return await PlaywrightLooks(self.tabwright).answer(asked)
            case inspection.BrowserNavigate():
                return await self._enter(asked.url, progress)
            case inspection.BrowserNavigateBack():
                return await self._enter("back", progress)
            case inspection.BrowserTabs():
                return await self._tabs(asked, progress)
            case inspection.BrowserFileUpload():
                return await self._upload(asked, progress)
            case inspection.BrowserDrop():
                return await self._drop(asked, progress)
            case _:
                with suppress(SessionMissing):  # as it was asked for
                    await self.tabwright.sessions.ask(CloseSession(DEFAULT_SESSION))
                return tool_result("Closed.", {"closed": DEFAULT_SESSION})

    async def _act(self, asked: Act, progress: OnProgress) -> Answer:
        refs = [await ref_of(self.tabwright.sessions, target) for target in asked.targets]
        wish = InTab(DEFAULT_SESSION, asked.request(refs), progress=progress)
        if isinstance(asked, BrowserClick):
            self._clicked = refs[0]
        return outcome_result(await self.tabwright.sessions.ask(wish), PLAYWRIGHT)

    async def _enter(self, url: str, progress: OnProgress) -> Answer:
        self._clicked = ""
        budget = self.tabwright.settings.acting.max_tokens
        return await ActingAnswers(self.tabwright, PLAYWRIGHT).enter(
            DEFAULT_SESSION, url, budget, progress
        )

    async def _tabs(self, asked: inspection.BrowserTabs, progress: OnProgress) -> Answer:
        if asked.action == "new":
            entered = OpenSession(DEFAULT_SESSION, asked.url, new_tab=True, progress=progress)
            await self.tabwright.sessions.ask(entered)
        tabs = await self._listed()
        if asked.action in CHANGES:
            number = _number(tabs, asked)
            tabs = await self.tabwright.sessions.ask(
                ChangeTabs(DEFAULT_SESSION, CHANGES[asked.action], number)
            )
        lines = [_line(place, tab) for place, tab in enumerate(tabs)]
        return tool_result(quoted("\n".join(lines)), {"tabs": [attrs.asdict(tab) for tab in tabs]})

    async def _listed(self) -> tuple[TabInfo, ...]:
        try:
            return await self.tabwright.sessions.ask(ChangeTabs(DEFAULT_SESSION))
        except SessionMissing:  # those clients know a browser that begins with an empty tab
            await self.tabwright.sessions.ask(OpenSession(DEFAULT_SESSION, ""))
            return await self.tabwright.sessions.ask(ChangeTabs(DEFAULT_SESSION))

    async def _upload(self, asked: inspection.BrowserFileUpload, progress: OnProgress) -> Answer:
        if not self._clicked:
            raise BadInput("Nothing asks for files.", advice="Click what asks for them first.")
        if not asked.paths:
            return tool_result("No files are given.", {})
        ours = UploadArguments(ref=self._clicked, paths=asked.paths)
        return await ActingAnswers(self.tabwright, PLAYWRIGHT).answer(ours, progress)

    async def _drop(self, asked: inspection.BrowserDrop, progress: OnProgress) -> Answer:
        if not asked.paths and not asked.data:
            raise BadInput("Nothing is dropped.", advice="Give paths or data.")
        ref = await ref_of(self.tabwright.sessions, asked.target)
        paths = [ActingAnswers(self.tabwright, PLAYWRIGHT).readable(path) for path in asked.paths]
        files = await trio.to_thread.run_sync(read_files, paths)
        script = Evaluate(drop_script(asked.data, files), ref)
        done = await self.tabwright.sessions.ask(InTab(DEFAULT_SESSION, script, progress=progress))
        return outcome_result(
            attrs.evolve(done.outcome, said=f"Dropped onto {asked.element or ref}."), PLAYWRIGHT
        )


def _number(tabs: tuple[TabInfo, ...], asked: inspection.BrowserTabs) -> int | None:
    """The tab that is meant; here they are numbered from 1, and keep their numbers."""
    if asked.index is None:
        if asked.action == "select":
            raise BadInput("No tab is named.", advice="Give its index.")
        return None
    if asked.index >= len(tabs):
        raise BadInput(f"There is no tab {asked.index}.", advice="List the tabs.")
    return tabs[asked.index].number


def _line(place: int, tab: TabInfo) -> str:
    current = "(current) " if tab.current else ""
    title, url = truncate(tab.title), truncate(tab.url or "about:blank", ADDRESS_MAX)
    return escape_refs(f"- {place}: {current}[{title}]({url})")

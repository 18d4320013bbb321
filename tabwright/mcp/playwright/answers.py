"""What playwright-mcp's tools see of a page, for their calls."""

import math

import attrs

from tabwright.actors.compat.targets import ref_of
from tabwright.actors.compat.wishes import Look
from tabwright.client import Tabwright
from tabwright.content.render.json_record import without_empty
from tabwright.mcp.page_answers import ActingAnswers, pictured
from tabwright.mcp.playwright import inspection
from tabwright.mcp.playwright.targets import excerpts, holding, matching
from tabwright.mcp.playwright.tool_names import PLAYWRIGHT
from tabwright.mcp.registry import ActingArguments
from tabwright.mcp.request_details import Traffic, save, text_of, text_or_size
from tabwright.mcp.results import Answer, answered
from tabwright.mcp.tools.inspection import EvaluateArguments
from tabwright.mcp.tools.page_arguments import DEFAULT_SESSION
from tabwright.page.render import console_parts, header_lines, requests_parts
from tabwright.protocol.ai_search import unheard
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import (
    ListRequests,
    OutlineView,
    PageRequest,
    ReadConsole,
    TakeOutline,
)
from tabwright.protocol.page_text import plain, quoted
from tabwright.protocol.sessions import InTab
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

    house: Tabwright

    async def answer(self, asked: Look) -> Answer:
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

    async def _seen(self, asked: Look) -> Answer:  # noqa: PLR0911  (a case a tool)
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
                ref = await ref_of(self.house.sessions, asked.target)
                return await self._ours(EvaluateArguments(script=asked.script, ref=ref))
            case inspection.BrowserConsoleMessages():
                return await self._console(asked)
            case _:
                raise BadInput(
                    "Code of Playwright is not run here.",
                    advice="Use browser_evaluate for a script in the page, else the other tools.",
                )

    async def _ours(self, asked: ActingArguments) -> Answer:
        return await ActingAnswers(self.house, PLAYWRIGHT).answer(asked, unheard)

    async def _screenshot(self, asked: inspection.BrowserTakeScreenshot) -> Answer:
        asked.request("")  # before anything is looked for
        request = asked.request(await ref_of(self.house.sessions, asked.target))
        return pictured(await self.house.sessions.ask(InTab(DEFAULT_SESSION, request)))

    async def _snapshot(self, asked: inspection.BrowserSnapshot) -> Answer:
        if asked.boxes:
            raise BadInput(
                "boxes are not told here.", advice="Leave boxes out, or take a screenshot."
            )
        ref = await ref_of(self.house.sessions, asked.target)
        depth = math.ceil(asked.depth) if asked.depth else None
        view = OutlineView(self._tokens(asked), asked.offset, depth=depth)
        request = TakeOutline(view, ref)
        return await ActingAnswers(self.house, PLAYWRIGHT).outline(DEFAULT_SESSION, request)

    async def _find(self, asked: inspection.BrowserFind) -> Answer:
        if bool(asked.text) == bool(asked.regex):
            raise BadInput("Nothing is looked for.", advice="Give either text or regex.")
        whole = TakeOutline(OutlineView(max_tokens=0, whole=True))
        taken = await self.house.sessions.ask(InTab(DEFAULT_SESSION, whole))
        lines = taken.text.split("\n")
        found = await matching(asked.regex, lines) if asked.regex else holding(asked.text, lines)
        if not found:
            return answered("(Nothing is found.)", {"found": 0})
        text, cut = beginning(excerpts(lines, found), self._tokens(asked))
        more = (f"({cut} more characters: narrow the search.)",) if cut else ()
        count = "1 line" if len(found) == 1 else f"{len(found)} lines"
        return answered((f"Found in {count}:\n", *quoted(text), *more), {"found": len(found)})

    async def _console(self, asked: inspection.BrowserConsoleMessages) -> Answer:
        request = ReadConsole(asked.level, this_page=not asked.all)
        entries = await self.house.sessions.ask(InTab(DEFAULT_SESSION, request))
        record = {"entries": [attrs.asdict(one) for one in entries]}
        return answered(console_parts(entries, self._tokens(asked), PLAYWRIGHT), record)

    async def _requests(self, asked: inspection.BrowserNetworkRequests) -> Answer:
        known = await self.house.sessions.ask(InTab(DEFAULT_SESSION, ListRequests()))
        listed = [one for one in known if asked.static or not _is_static(one)]
        hidden = len(known) - len(listed)
        if asked.filter:
            urls = [one.url for one in listed]
            listed = [listed[place] for place in await matching(asked.filter, urls)]
        record = {"requests": [without_empty(attrs.asdict(one)) for one in listed]}
        parts = requests_parts(listed, self._tokens(asked), names=PLAYWRIGHT)
        if hidden and not listed:
            parts = (*parts, f"({hidden} static requests are left out: static=true lists them.)")
        return answered(parts, record)

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

    async def _answer_body(self, one: Traffic) -> str:
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
        return answered((*quoted(shown), *more), {"body": shown})

    def _traffic(self, asked: inspection.BrowserNetworkRequest) -> Traffic:
        return Traffic(self.house, DEFAULT_SESSION, asked.index)

    def _tokens(self, asked: Look) -> int:
        """What the answer may have; a file may have all."""
        return 0 if asked.filename else self.house.settings.acting.max_tokens

    async def _saved(self, result: Answer, name: str) -> Answer:
        """The same as a file: the picture where there is one, else the text."""
        data: str | bytes = self.house.secrets.masked(plain(result.parts))
        for picture in result.pictures:
            data = picture.data
        path = await save(self.house, name, data)
        return answered(f"Written to {path}.", {"path": str(path)})


def _is_static(one: PageRequest) -> bool:
    return one.kind not in TALKS and not one.failure and 0 < one.status < ERROR_STATUS_MIN

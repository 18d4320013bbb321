"""Going to an engine's pages in a tab, and reading what they list or why they list nothing."""

from typing import Literal, TypeAlias

import attrs
import msgspec
import trio

from tabwright.actors.engines.failed_pages import FailedPages
from tabwright.actors.kit.address import Address
from tabwright.page.navigation import arriving
from tabwright.protocol.actor import Asked
from tabwright.protocol.errors import (
    Barrier,
    MarkupChanged,
    NavigationFailed,
    Refusal,
    SearchBlocked,
)
from tabwright.protocol.extraction import Extractor, ReadResults
from tabwright.protocol.snapshot import SERVER_ERROR_STATUS_MIN, PageSource
from tabwright.protocol.tab import AwaitDocument, Navigate, ReadSource, RunScript, Submit, Tab
from tabwright.protocol.web_search import FormEntry, Found, ResultPage, ResultParser, Verdict
from tabwright.search.ai_mode.conversation import answer_loss_told
from tabwright.search.ai_mode.page_kind import is_consent_page
from tabwright.searching.page_script import consent_function, submit_function

UNSETTLED = frozenset({Verdict.CAPTCHA, Verdict.CHANGED})
"""What a page may be taken for that needs no person, only a moment."""

LEADS_ON_S = 5.0
"""For such a page to lead on; their work is made to take a second or two."""

Move: TypeAlias = str | FormEntry
"""A request to an engine: a URL to open, or a form of the page to submit."""


@attrs.frozen(eq=False)
class EngineReader:
    """Whoever reads one engine's pages.

    Attributes:
        engine: its name in the configuration.
        parser: of its result pages.
        page_timeout_s: for one page to be there.
        consent: what a privacy question is answered.
    """

    engine: str
    parser: ResultParser
    extractor: Address[Extractor]
    failed_pages: FailedPages
    page_timeout_s: float
    consent: Literal["reject", "accept"]

    async def make(self, move: Move, tab: Asked[Tab]) -> bool:
        """Makes a move in a tab; says whether it led anywhere.

        Raises:
            TabwrightError: the page could not be reached, or not in time.
        """
        with answer_loss_told(), arriving(self.parser.name, self.page_timeout_s):
            if isinstance(move, str):
                await tab.ask(Navigate(move))
                return True
            fields = msgspec.json.encode(dict(move.fields)).decode()
            page = await tab.ask(Submit(submit_function(), (move.selector, fields)))
            return page is not None

    async def listed(self, tab: Asked[Tab], number: int) -> tuple[Found, ...]:
        """What the result page lists that a tab shows; `number` says which one it should be.

        Raises:
            SearchBlocked: it is another page, which the engine shows in its place.
            MarkupChanged: it cannot be read.
            TabwrightError: it is gone.
        """
        with answer_loss_told(), arriving(self.parser.name, self.page_timeout_s):
            source = await tab.ask(ReadSource())
            page = await self._read(source, number)
            if page.verdict in UNSETTLED:
                source = await self._led_on_to(tab, source)
                page = await self._read(source, number)
        return self._judged(page, source)

    async def is_solved(self, tab: Asked[Tab], number: int) -> bool:
        """Whether a tab shows results, or that there are none; see `Check`.

        Raises:
            TabwrightError: the tab cannot be read.
        """
        page = await self._read(await tab.ask(ReadSource()), number)
        return page.verdict in {Verdict.RESULTS, Verdict.NO_RESULTS}

    async def _led_on_to(self, tab: Asked[Tab], source: PageSource) -> PageSource:
        """The page to which the one that is shown leads.

        It does so by itself, as checks of browsers do, or once a privacy question is answered.
        """
        if is_consent_page(source.page.url):
            await tab.ask(RunScript(consent_function(), values=(self.consent,)))
        with trio.move_on_after(LEADS_ON_S):
            await tab.ask(AwaitDocument())
        return await tab.ask(ReadSource())

    async def _read(self, source: PageSource, number: int) -> ResultPage:
        return await self.extractor.ask(ReadResults(self.parser, source, number))

    def _judged(self, page: ResultPage, source: PageSource) -> tuple[Found, ...]:
        match page.verdict:
            case Verdict.RESULTS | Verdict.NO_RESULTS:
                return page.found
            case Verdict.CAPTCHA:
                raise _blocked(page, source, Barrier.CAPTCHA)
            case Verdict.REFUSED:
                raise _blocked(page, source, Barrier.REFUSED, "Leave it alone for a while.")
            case Verdict.CHANGED:
                raise self._unread(page, source)

    def _unread(self, page: ResultPage, source: PageSource) -> Refusal:
        if source.page.status >= SERVER_ERROR_STATUS_MIN:
            return NavigationFailed(
                f"{self.parser.name} answered with HTTP status {source.page.status}.",
                advice="Try again later.",
            )
        kept = self.failed_pages.keep(self.engine, source.html)
        where = f"The page is kept at {kept}. " if kept else ""
        mend = "A selector can be mended in a file that engines.parsers names."
        return MarkupChanged(page.message, advice=where + mend)


def _blocked(
    page: ResultPage, source: PageSource, barrier: Barrier, advice: str = ""
) -> SearchBlocked:
    blocked = SearchBlocked(page.message, barrier=barrier, url=source.page.url, advice=advice)
    blocked.retry_after_s = source.page.retry_after_s
    return blocked

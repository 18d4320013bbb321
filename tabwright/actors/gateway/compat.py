"""What playwright-mcp's tools do for their calls: the same actors under other names.

Nothing of it names a session: there is one, as there.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Literal

import attrs
import trio

from tabwright.actors.compat.dropping import drop_script, read_files
from tabwright.actors.compat.targets import ref_of
from tabwright.actors.compat.wishes import Act, Look, Wish
from tabwright.client import Tabwright
from tabwright.mcp.page_answers import ActingAnswers, told
from tabwright.mcp.playwright import inspection
from tabwright.mcp.playwright.actions import BrowserClick
from tabwright.mcp.playwright.answers import PlaywrightLooks
from tabwright.mcp.playwright.tool_names import PLAYWRIGHT
from tabwright.mcp.results import Answer, answered
from tabwright.mcp.tools.page_arguments import DEFAULT_SESSION
from tabwright.mcp.tools.tabs import UploadArguments
from tabwright.page.outline_text import harmless, shortened
from tabwright.protocol.actions import Evaluate, TabInfo
from tabwright.protocol.ai_search import Progress
from tabwright.protocol.errors import BadInput, SessionMissing, TabwrightError
from tabwright.protocol.page_text import quoted
from tabwright.protocol.sessions import ChangeTabs, CloseSession, Enter, InTab

CHANGES: Mapping[str, Literal["switch", "close"]] = {"select": "switch", "close": "close"}
"""What we call what can be done with tabs."""

ADDRESS_MAX = 400
"""Characters of a URL that is listed."""


@attrs.define(eq=False)
class PlaywrightAnswers:
    """The tools of playwright-mcp at work in a house."""

    house: Tabwright
    _clicked: str = attrs.field(default="", init=False)

    async def answer(self, asked: Wish, progress: Progress) -> Answer:
        """Does what a call asks for, and says what came of it in the client's words.

        Raises:
            TabwrightError: it could not be done.
        """
        try:
            return await self._done(asked, progress)
        except TabwrightError as error:
            error.advice = PLAYWRIGHT.advice(error)
            raise

    async def _done(self, asked: Wish, progress: Progress) -> Answer:  # noqa: PLR0911  (a case a tool)
        match asked:
            case Act():
                return await self._act(asked, progress)
            case Look():
                return await PlaywrightLooks(self.house).answer(asked)
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
                    await self.house.sessions.ask(CloseSession(DEFAULT_SESSION))
                return answered("Closed.", {"closed": DEFAULT_SESSION})

    async def _act(self, asked: Act, progress: Progress) -> Answer:
        refs = [await ref_of(self.house.sessions, target) for target in asked.targets]
        wish = InTab(DEFAULT_SESSION, asked.request(refs), progress=progress)
        if isinstance(asked, BrowserClick):
            self._clicked = refs[0]
        return told(await self.house.sessions.ask(wish), PLAYWRIGHT)

    async def _enter(self, url: str, progress: Progress) -> Answer:
        self._clicked = ""
        budget = self.house.settings.acting.max_tokens
        return await ActingAnswers(self.house, PLAYWRIGHT).enter(
            DEFAULT_SESSION, url, budget, progress
        )

    async def _tabs(self, asked: inspection.BrowserTabs, progress: Progress) -> Answer:
        if asked.action == "new":
            entered = Enter(DEFAULT_SESSION, asked.url, new_tab=True, progress=progress)
            await self.house.sessions.ask(entered)
        tabs = await self._listed()
        if asked.action in CHANGES:
            number = _number(tabs, asked)
            tabs = await self.house.sessions.ask(
                ChangeTabs(DEFAULT_SESSION, CHANGES[asked.action], number)
            )
        lines = [_line(place, tab) for place, tab in enumerate(tabs)]
        return answered(quoted("\n".join(lines)), {"tabs": [attrs.asdict(tab) for tab in tabs]})

    async def _listed(self) -> tuple[TabInfo, ...]:
        try:
            return await self.house.sessions.ask(ChangeTabs(DEFAULT_SESSION))
        except SessionMissing:  # those clients know a browser that begins with an empty tab
            await self.house.sessions.ask(Enter(DEFAULT_SESSION, ""))
            return await self.house.sessions.ask(ChangeTabs(DEFAULT_SESSION))

    async def _upload(self, asked: inspection.BrowserFileUpload, progress: Progress) -> Answer:
        if not self._clicked:
            raise BadInput("Nothing asks for files.", advice="Click what asks for them first.")
        if not asked.paths:
            return answered("No files are given.", {})
        ours = UploadArguments(ref=self._clicked, paths=asked.paths)
        return await ActingAnswers(self.house, PLAYWRIGHT).answer(ours, progress)

    async def _drop(self, asked: inspection.BrowserDrop, progress: Progress) -> Answer:
        if not asked.paths and not asked.data:
            raise BadInput("Nothing is dropped.", advice="Give paths or data.")
        ref = await ref_of(self.house.sessions, asked.target)
        paths = [ActingAnswers(self.house, PLAYWRIGHT).readable(path) for path in asked.paths]
        files = await trio.to_thread.run_sync(read_files, paths)
        script = Evaluate(drop_script(asked.data, files), ref)
        done = await self.house.sessions.ask(InTab(DEFAULT_SESSION, script, progress=progress))
        return told(
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
    title, url = shortened(tab.title), shortened(tab.url or "about:blank", ADDRESS_MAX)
    return harmless(f"- {place}: {current}[{title}]({url})")

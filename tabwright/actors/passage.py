"""Past what the engine puts before an answer: a choice that is ours, a check that is a person's."""

from typing import Literal

import attrs
import trio

from tabwright.actors.answer_stream import LOOK_EVERY_S, take_look
from tabwright.protocol.asking import Asked
from tabwright.protocol.errors import Barrier, SearchBlocked, Unanswered, Undelivered
from tabwright.protocol.tabs import RunScript, Tab
from tabwright.searching.interstitials import PageKind, page_kind
from tabwright.searching.look import Look
from tabwright.searching.page_script import consent_function
from tabwright.searching.texts import minutes, texts_of

CONSENT_S = 15.0
"""For the page behind a consent form to come."""


@attrs.frozen(eq=False)
class Passage:
    """The way of one tab to its answers.

    Attributes:
        language: of the search.
        consent: what a privacy question is answered.
        patience_s: how long a CAPTCHA may stay, for a person to solve it; we never do. 0: there
            is no person.
    """

    tab: Asked[Tab]
    language: str
    consent: Literal["reject", "accept"]
    patience_s: float

    async def clear(self, look: Look) -> bool:
        """Whether what `look` shows is gone by now.

        Raises:
            SearchBlocked: the person did not come, or closed the window.
            TabwrightError: the page cannot be looked at any more.
        """
        match page_kind(look):
            case PageKind.CONSENT:
                return await self._choose()
            case PageKind.CAPTCHA if self.patience_s:
                return await self._is_solved(look)
            case _:
                return False

    async def _choose(self) -> bool:
        said = await self.tab.ask(RunScript(consent_function(), values=(self.consent,)))
        return said == "answered" and await self._leaves(PageKind.CONSENT, CONSENT_S)

    async def _is_solved(self, look: Look) -> bool:
        texts = texts_of(self.language)
        try:
            if await self._leaves(PageKind.CAPTCHA, self.patience_s):
                return True
            reason = texts.person_absent.format(minutes=minutes(self.patience_s))
        except (Undelivered, Unanswered):  # the window was closed
            reason = texts.person_declined
        raise SearchBlocked(reason, barrier=Barrier.CAPTCHA, url=look.url)

    async def _leaves(self, kind: PageKind, within_s: float) -> bool:
        with trio.move_on_after(within_s):
            while page_kind(await take_look(self.tab)) is kind:
                await trio.sleep(LOOK_EVERY_S)
            return True
        return False

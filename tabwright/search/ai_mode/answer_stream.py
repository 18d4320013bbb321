"""An answer while it is being written: looks at the page, until it is known to be complete."""

from typing import Literal

import attrs
import trio

from tabwright.content.render.markdown import markdown_of
from tabwright.protocol.actor import Address, Invoke
from tabwright.protocol.progress import AnswerProgress, OnProgress
from tabwright.protocol.tab import RunScript, Tab
from tabwright.search.ai_mode.answer import read_answer
from tabwright.search.ai_mode.completion import CompletionDetector, Phase
from tabwright.search.ai_mode.page_kind import PageKind, is_past_captcha, page_kind
from tabwright.search.ai_mode.page_state import (
    PageState,
    consent_function,
    look_function,
    read_look,
    shown_text,
)

LOOK_EVERY_S = 0.2
"""Between two looks at an answer that is being written; a look costs the page a few ms."""

PIERCE_AFTER_S = 1.0
"""An answer that does not show by then may be in a closed shadow root, which is dear to open."""


async def read_page_state(tab: Address[Tab], *, pierce: bool = False) -> PageState:
    """How the page looks now, closed shadow roots included if `pierce`.

    Raises:
        TabwrightError: the page cannot be looked at.
    """
    return read_look(await tab.ask(RunScript(look_function(), pierce=pierce)))


@attrs.define(eq=False)
class AnswerStream:
    """Follows one answer.

    Attributes:
        pierced: whether it looks into closed shadow roots.
        phase: how far the answer is.
        look: the last look; None before the first.
    """

    tab: Address[Tab]
    completion: CompletionDetector
    progress: OnProgress
    pierced: bool = False
    phase: Phase = Phase.WAITING
    look: PageState | None = None
    _shown: str = ""

    async def follow(self) -> None:
        """Looks until the phase is final. Cancelled, it keeps what it has seen.

        Raises:
            TabwrightError: the page cannot be looked at any more.
        """
        pierce_at_s = trio.current_time() + PIERCE_AFTER_S
        while not await self._has_ended():
            self.pierced |= not self._shown and trio.current_time() >= pierce_at_s
            await trio.sleep(LOOK_EVERY_S)

    async def _has_ended(self) -> bool:
        self.look = await read_page_state(self.tab, pierce=self.pierced)
        traffic = await self.tab.ask(Invoke(Tab.traffic))
        self.phase = self.completion.feed(self.look, trio.current_time(), traffic)
        shown = shown_text(self.look)
        if shown != self._shown and self.phase is not Phase.WAITING:
            self._shown = shown
            self.progress(AnswerProgress(markdown_of(read_answer(self.look).blocks)))
        return self.phase.is_final


# Getting past a consent page, and checking whether a person has solved a CAPTCHA.

CONSENT_S = 15.0
"""For the page behind a consent form to come."""


@attrs.frozen(eq=False)
class ConsentHandler:
    """The way of one tab to its answers.

    Attributes:
        consent: what a privacy question is answered.
    """

    tab: Address[Tab]
    consent: Literal["reject", "accept"]

    async def clear(self, look: PageState) -> bool:
        """Whether what `look` shows is gone by now.

        Raises:
            TabwrightError: the page cannot be looked at any more.
        """
        return page_kind(look) is PageKind.CONSENT and await self._choose()

    async def _choose(self) -> bool:
        said = await self.tab.ask(RunScript(consent_function(), values=(self.consent,)))
        return said == "answered" and await self._leaves_consent()

    async def _leaves_consent(self) -> bool:
        with trio.move_on_after(CONSENT_S):
            while page_kind(await read_page_state(self.tab)) is PageKind.CONSENT:
                await trio.sleep(LOOK_EVERY_S)
            return True
        return False


async def is_solved(tab: Address[Tab]) -> bool:
    """Whether a person has led the tab past the engine's CAPTCHA; see `Check`."""
    return is_past_captcha(await read_page_state(tab))

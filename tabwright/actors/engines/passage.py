"""Past what an engine puts before its answers: a choice that is ours, a check that is not."""

from typing import Literal

import attrs
import trio

from tabwright.protocol.actor import Asked
from tabwright.protocol.tab import RunScript, Tab
from tabwright.search.ai_mode.answer_stream import LOOK_EVERY_S, take_look
from tabwright.search.ai_mode.page_kind import PageKind, is_past_captcha, page_kind
from tabwright.search.ai_mode.page_state import Look
from tabwright.searching.page_script import consent_function

CONSENT_S = 15.0
"""For the page behind a consent form to come."""


@attrs.frozen(eq=False)
class Passage:
    """The way of one tab to its answers.

    Attributes:
        consent: what a privacy question is answered.
    """

    tab: Asked[Tab]
    consent: Literal["reject", "accept"]

    async def clear(self, look: Look) -> bool:
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
            while page_kind(await take_look(self.tab)) is PageKind.CONSENT:
                await trio.sleep(LOOK_EVERY_S)
            return True
        return False


async def is_solved(tab: Asked[Tab]) -> bool:
    """Whether a person has led the tab past the engine's CAPTCHA; see `Check`."""
    return is_past_captcha(await take_look(tab))

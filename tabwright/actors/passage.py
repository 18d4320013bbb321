"""Past what the engine puts before an answer: a choice that is ours, a check that is a person's."""

from typing import Literal

import attrs
import trio

from tabwright.actors.answer_stream import LOOK_EVERY_S, take_look
from tabwright.protocol.asking import Asked
from tabwright.protocol.tabs import RunScript, Tab
from tabwright.searching.interstitials import PageKind, page_kind
from tabwright.searching.look import Look
from tabwright.searching.page_script import consent_function

CONSENT_S = 15.0
"""For the page behind a consent form to come."""


@attrs.frozen(eq=False)
class Passage:
    """The way of one tab to its answers.

    Attributes:
        consent: what a privacy question is answered.
        patience_s: how long a CAPTCHA may stay, for a person to solve it; we never do.
    """

    tab: Asked[Tab]
    consent: Literal["reject", "accept"]
    patience_s: float

    async def clear(self, look: Look) -> bool:
        """Whether what `look` shows is gone by now.

        Raises:
            TabwrightError: the page cannot be looked at any more.
        """
        match page_kind(look):
            case PageKind.CONSENT:
                return await self._choose()
            case PageKind.CAPTCHA:
                return await self._leaves(PageKind.CAPTCHA, self.patience_s)
            case _:
                return False

    async def _choose(self) -> bool:
        said = await self.tab.ask(RunScript(consent_function(), values=(self.consent,)))
        return said == "answered" and await self._leaves(PageKind.CONSENT, CONSENT_S)

    async def _leaves(self, kind: PageKind, within_s: float) -> bool:
        with trio.move_on_after(within_s):
            while page_kind(await take_look(self.tab)) is kind:
                await trio.sleep(LOOK_EVERY_S)
            return True
        return False

"""An answer while it is being written: looks at the page, until it is known to be complete."""

import attrs
import trio

from tabwright.protocol.asking import Asked
from tabwright.protocol.searching import Progress
from tabwright.protocol.tabs import RunScript, Tab
from tabwright.searching.answer import read_answer
from tabwright.searching.completion import Completion, Phase
from tabwright.searching.look import Look, read_look, shown_text
from tabwright.searching.markdown import markdown_of
from tabwright.searching.page_script import look_function

LOOK_EVERY_S = 0.2
"""Between two looks at an answer that is being written; a look costs the page a few ms."""

PIERCE_AFTER_S = 1.0
"""An answer that does not show by then may be in a closed shadow root, which is dear to open."""


@attrs.define(eq=False)
class AnswerStream:
    """Follows one answer.

    Attributes:
        phase: how far the answer is.
        look: the last look; None before the first.
    """

    tab: Asked[Tab]
    completion: Completion
    progress: Progress
    phase: Phase = Phase.WAITING
    look: Look | None = None
    _shown: str = ""
    _pierced: bool = False

    async def follow(self) -> None:
        """Looks until the phase is final. Cancelled, it keeps what it has seen.

        Raises:
            TabwrightError: the page cannot be looked at any more.
        """
        pierce_at_s = trio.current_time() + PIERCE_AFTER_S
        while True:
            await self._take_look()
            if self.phase.is_final:
                return
            self._pierced |= not self._shown and trio.current_time() >= pierce_at_s
            await trio.sleep(LOOK_EVERY_S)

    async def _take_look(self) -> None:
        answer = await self.tab.ask(RunScript(look_function(), pierce=self._pierced))
        self.look = read_look(answer)
        self.phase = self.completion.feed(self.look, trio.current_time())
        shown = shown_text(self.look)
        if shown != self._shown and self.phase is not Phase.WAITING:
            self._shown = shown
            self.progress(markdown_of(read_answer(self.look).blocks))

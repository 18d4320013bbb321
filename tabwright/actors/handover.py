"""Handing a CAPTCHA over to a person, who solves it in a window of the browser. We never do."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import attrs
import trio

from tabwright.protocol.answers import SearchResult
from tabwright.protocol.errors import Barrier, BrowserUnavailable, SearchBlocked
from tabwright.protocol.searching import PersonNeeded, Progress
from tabwright.searching.texts import texts_of

MINUTE_S = 60

Attempt: TypeAlias = Callable[[], Awaitable[SearchResult]]


def is_captcha(error: SearchBlocked) -> bool:
    """Whether a person could help."""
    return error.barrier is Barrier.CAPTCHA


@attrs.frozen(eq=False)
class HandOver:
    """One window at a time, however many searches meet a CAPTCHA.

    Attributes:
        within_s: how long a person has.
    """

    within_s: float
    _window: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    async def search(
        self,
        captcha: SearchBlocked,
        language: str,
        progress: Progress,
        *,
        again: Attempt,
        in_window: Attempt,
    ) -> SearchResult:
        """Searches in a window, with a person's help.

        Args:
            captcha: how the search was blocked.
            language: of the search.
            progress: is told at once that a person is needed.
            again: searches once more as before: somebody may just have solved it.
            in_window: searches in a window, and waits `within_s` for the CAPTCHA to be solved.

        Raises:
            SearchBlocked: nobody could, would or did.
            TabwrightError: as the attempts.
        """
        was_open = self._window.locked()
        async with self._window:
            if was_open:
                try:
                    return await again()
                except SearchBlocked as error:
                    if not is_captcha(error):
                        raise
            return await self._ask_person(captcha, language, progress, in_window)

    async def _ask_person(
        self, captcha: SearchBlocked, language: str, progress: Progress, in_window: Attempt
    ) -> SearchResult:
        texts, minutes = texts_of(language), f"{self.within_s / MINUTE_S:g}"
        waiting = trio.CancelScope()
        text = texts.person.format(minutes=minutes)
        progress(PersonNeeded(text, captcha.url, self.within_s, waiting.cancel))
        reason = texts.person_declined
        with waiting:
            try:
                return await in_window()
            except BrowserUnavailable as error:
                captcha.advice = str(error)
                raise captcha from error
            except SearchBlocked as error:
                if not is_captcha(error):
                    raise
                reason = texts.person_absent.format(minutes=minutes)
        raise SearchBlocked(reason, barrier=Barrier.CAPTCHA, url=captcha.url)

"""Handing a CAPTCHA over to a person, who solves it in a window of the browser. We never do."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import attrs
import trio

from tabwright.protocol.answers import SearchResult
from tabwright.protocol.errors import Barrier, SearchBlocked
from tabwright.protocol.searching import PersonNeeded, Progress
from tabwright.searching.texts import minutes, texts_of

Attempt: TypeAlias = Callable[[], Awaitable[SearchResult]]


def is_captcha(error: SearchBlocked) -> bool:
    """Whether a person could help."""
    return error.barrier is Barrier.CAPTCHA


@attrs.define(eq=False)
class HandOver:
    """One window at a time, however many searches meet a CAPTCHA.

    Attributes:
        within_s: how long a person has.
    """

    within_s: float
    _window: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _unsolved: SearchBlocked | None = attrs.field(default=None, init=False)

    @property
    def is_under_way(self) -> bool:
        """Whether a window is wanted or open."""
        return self._window.locked()

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

        Who comes while a window is open waits for it, and shares its end: if the CAPTCHA was
        solved there, there is none any more.

        Args:
            captcha: how the search was blocked.
            language: of the search.
            progress: is told at once that a person is needed.
            again: searches once more as before.
            in_window: searches in a window, and waits `within_s` for the CAPTCHA to be solved.

        Raises:
            SearchBlocked: nobody would, or did.
            TabwrightError: as the attempts.
        """
        if self.is_under_way:
            async with self._window:
                if self._unsolved is not None:
                    raise self._unsolved
            return await again()
        async with self._window:
            self._unsolved = None
            try:
                return await self._ask_person(captcha, language, progress, in_window)
            except SearchBlocked as error:
                self._unsolved = error if is_captcha(error) else None
                raise

    async def _ask_person(
        self, captcha: SearchBlocked, language: str, progress: Progress, in_window: Attempt
    ) -> SearchResult:
        texts, waiting = texts_of(language), trio.CancelScope()
        text = texts.person.format(minutes=minutes(self.within_s))
        progress(PersonNeeded(text, captcha.url, self.within_s, waiting.cancel))
        with waiting:
            return await in_window()
        raise SearchBlocked(texts.person_declined, barrier=Barrier.CAPTCHA, url=captcha.url)

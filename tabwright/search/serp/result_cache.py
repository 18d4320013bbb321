"""The results of engines for a short time, so that a repeated search costs no request."""

from collections.abc import Hashable

import attrs
import trio

from tabwright.protocol.web_search import SearchNotice, SerpEntry

ENTRIES_MAX = 200
"""The maximum number of kept answers; the oldest is removed first."""


@attrs.frozen
class KeptResults:
    """The results that an engine listed.

    Attributes:
        listed: its results.
        notices: their limits.
        at_s: when it was asked, on the clock of trio.
    """

    listed: tuple[SerpEntry, ...]
    notices: tuple[SearchNotice, ...]
    at_s: float


class ResultCache:
    """The latest complete answers, by engine, query and pages.

    Args:
        max_age_s: how long an answer is used; 0 to keep none.
    """

    def __init__(self, max_age_s: float) -> None:
        self._max_age_s = max_age_s
        self._kept: dict[Hashable, KeptResults] = {}

    def find(self, key: Hashable) -> KeptResults | None:
        """Return the answer for a key, if there is one that is recent enough."""
        kept = self._kept.get(key)
        if kept is None or trio.current_time() - kept.at_s >= self._max_age_s:
            return None
        return kept

    def keep(
        self, key: Hashable, listed: tuple[SerpEntry, ...], notices: tuple[SearchNotice, ...]
    ) -> None:
        """Keep the answer of an engine that did not fail."""
        if not self._max_age_s:
            return
        self._kept.pop(key, None)
        self._kept[key] = KeptResults(listed, notices, trio.current_time())
        if len(self._kept) > ENTRIES_MAX:
            del self._kept[next(iter(self._kept))]

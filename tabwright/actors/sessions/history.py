"""The pages of a session, and at which of them it is."""

from collections.abc import Mapping

import attrs

from tabwright.protocol.errors import BadInput

PAGES_MAX = 100
"""Older pages are forgotten."""

STEPS: Mapping[str, int] = {"back": -1, "forward": 1, "reload": 0}
"""What may stand in place of a URL."""


@attrs.frozen
class History:
    """URLs, the oldest first.

    Attributes:
        place: which of them the session is at; -1 before the first.
    """

    urls: tuple[str, ...] = ()
    place: int = -1

    @property
    def url(self) -> str:
        """Where the session is; empty before the first."""
        return self.urls[self.place] if self.urls else ""

    def moved(self, word: str) -> "History":
        """One step along the pages.

        Raises:
            BadInput: there is no page that way.
        """
        place = self.place + STEPS[word]
        if not 0 <= place < len(self.urls):
            raise BadInput(f"There is no page to go {word} to.", advice="Give a URL.")
        return attrs.evolve(self, place=place)

    def gone_to(self, url: str) -> "History":
        """At a new page; those that lay ahead are forgotten."""
        urls = (*self.urls[: self.place + 1], url)[-PAGES_MAX:]
        return History(urls, len(urls) - 1)

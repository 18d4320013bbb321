"""Searching with Google AI Mode."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

import attrs

from tabwright.protocol.answers import SearchResult

Progress: TypeAlias = Callable[[str], None]
"""Is called with the answer as Markdown each time it has grown; must not block."""


def unheard(_markdown: str) -> None:
    """The progress of those who wait for the end."""


class Desk(Protocol):
    """Holds conversations with Google AI Mode."""

    async def search(self, request: "Search", /) -> SearchResult:
        """See `Search`."""
        ...


@attrs.frozen
class Search:
    """Ask a question.

    Refused with `BadInput` (empty, too long, no such language), `SearchBlocked` (CAPTCHA and
    the like), `NavigationFailed`, `PageFailed`, `BrowserUnavailable`. The caller's cancellation
    stops the page.

    Attributes:
        language: an ``hl`` code such as ``zh-CN``; None for that of the settings.
        follow_up: whether to ask in the conversation that is open, if one is.
    """

    query: str
    language: str | None = None
    follow_up: bool = False
    progress: Progress = unheard

    async def visit(self, desk: Desk, /) -> SearchResult:
        """Has `desk` answer."""
        return await desk.search(self)

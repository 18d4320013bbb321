"""Searching with Google AI Mode, and the steps that every search tells on its way."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

import attrs

from tabwright.protocol.answers import SearchResult


@attrs.frozen
class Growth:
    """The answer has grown.

    Attributes:
        text: all of it so far, as Markdown.
    """

    text: str

    def __str__(self) -> str:
        return self.text


@attrs.frozen
class PersonNeeded:
    """The engine asks for a person; a window of the browser opens where the person can answer.

    The search waits, and goes on by itself.

    Attributes:
        text: what the person is asked to do, in the language of the search.
        url: the page that asks.
        within_s: how long the search waits.
        decline: to be called if there will be no person; the search then ends.
    """

    text: str
    url: str
    within_s: float
    decline: Callable[[], None]

    def __str__(self) -> str:
        return self.text


@attrs.frozen
class Waiting:
    """The search has to wait.

    Attributes:
        text: for what, and how long where that is known.
        who: what it is that waits; empty where there is only one.
    """

    text: str
    who: str = ""

    def __str__(self) -> str:
        return self.text


@attrs.frozen
class PartEnded:
    """One of several that are asked at the same time has given what it has to give.

    Attributes:
        who: an engine.
        text: what it gave, or why it gave nothing.
    """

    who: str
    text: str

    def __str__(self) -> str:
        return f"{self.who}: {self.text}"


Step: TypeAlias = Growth | PersonNeeded | Waiting | PartEnded
"""What may happen on the way to an answer; as a `str` it is a text to show."""

Progress: TypeAlias = Callable[[Step], None]
"""Is called with every step; must not block."""


def unheard(_step: Step) -> None:
    """The progress of those who wait for the end."""


@attrs.frozen
class Thread:
    """The conversation in which a follow-up would be asked.

    Attributes:
        language: the ``hl`` code of its last question.
        questions: how many were answered in it.
        last_activity_s: when the last one was, on the clock of trio.
    """

    language: str
    questions: int
    last_activity_s: float


class Desk(Protocol):
    """Holds conversations with Google AI Mode."""

    async def search(self, request: "Search", /) -> SearchResult:
        """See `Search`."""
        ...

    async def thread(self, request: "GetThread", /) -> Thread | None:
        """See `GetThread`."""
        ...

    async def close_thread(self, request: "CloseThread", /) -> None:
        """See `CloseThread`."""
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


@attrs.frozen
class GetThread:
    """The open conversation; None where a follow-up would begin a new one."""

    async def visit(self, desk: Desk, /) -> Thread | None:
        """Has `desk` answer."""
        return await desk.thread(self)


@attrs.frozen
class CloseThread:
    """End the open conversation, if one is, and close its tab."""

    async def visit(self, desk: Desk, /) -> None:
        """Has `desk` answer."""
        await desk.close_thread(self)

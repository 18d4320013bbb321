"""Searching with Google AI Mode: requests, results, and the progress of a search."""

from typing import Protocol

import attrs

from tabwright.protocol.blocks import Blocks
from tabwright.protocol.progress import OnProgress, ignore_progress

# The result: an answer with its sources.


@attrs.frozen
class SearchSource:
    """A page that the answer rests on.

    Attributes:
        title: its title as the engine shows it.
        url: absolute, http or https, with the engine's wrapping undone.
        snippet: the engine's excerpt; may be empty.
        site: the name of the site as the engine shows it; may be empty.
    """

    title: str
    url: str
    snippet: str = ""
    site: str = ""


@attrs.frozen
class SearchResult:
    """How a search ended.

    Attributes:
        success: whether an answer was read; False comes with an `error`.
        query: the question as it was asked.
        ai_answer: the answer as Markdown; empty where the engine gave none.
        sources: in the order in which the page lists them, without duplicates.
        error: why there is no answer, in the language of the search.
        language: the ``hl`` code of the search, such as ``zh-CN``.
        warning: what the reader should know: that the answer is partial, that a follow-up began a
            new conversation; empty where all is as it was asked.
        blocks: the answer by structure; `ai_answer` is made from it.
        continued: whether it was asked in a conversation that was open already.
        conversation: the id of the conversation that it was answered in, for follow-ups; empty
            where there is none.
    """

    success: bool
    query: str
    ai_answer: str = ""
    sources: tuple[SearchSource, ...] = ()
    error: str = ""
    language: str = ""
    warning: str = ""
    blocks: Blocks = ()
    continued: bool = False
    conversation: str = ""


CONVERSATION = "c[0-9a-f]{8}"
"""What ids of conversations look like, as a regular expression."""


@attrs.frozen
class ThreadState:
    """An open conversation with Google AI Mode.

    Attributes:
        id: names it in a follow-up.
        topic: its first question.
        language: the ``hl`` code of its last question.
        questions: how many were answered in it.
        last_activity_s: when the last one was, on the clock of trio.
    """

    id: str
    topic: str
    language: str
    questions: int
    last_activity_s: float


class AISearch(Protocol):
    """Holds conversations with Google AI Mode."""

    async def search(self, request: "Search", /) -> SearchResult:
        """See `Search`."""
        ...

    async def threads(self) -> tuple[ThreadState, ...]:
        """The open conversations, the one whose answer came last at the end.

        One in which a question is being answered is not among them.
        """
        ...

    async def close_threads(self) -> None:
        """End the open conversations, and close their tabs."""
        ...


@attrs.frozen
class Search:
    """Ask a question.

    Refused with `BadInput` (empty, too long, no such language or conversation), `SearchBlocked`
    (CAPTCHA and the like), `NavigationFailed`, `PageFailed`, `BrowserUnavailable`. The caller's
    cancellation stops the page.

    Attributes:
        language: an ``hl`` code such as ``zh-CN``; None for that of the settings.
        follow_up: the id of the conversation to ask in; True for the one whose answer came last, if
            one is open. False begins a new conversation.
    """

    query: str
    language: str | None = None
    follow_up: bool | str = False
    progress: OnProgress = ignore_progress

    async def visit(self, ai_search: AISearch, /) -> SearchResult:
        """Has `ai_search` answer."""
        return await ai_search.search(self)

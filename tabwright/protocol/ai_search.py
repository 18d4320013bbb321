"""Searches with Google AI Mode: requests, results and open conversations."""

from typing import Protocol

import attrs

from tabwright.protocol.blocks import Blocks
from tabwright.protocol.progress import OnProgress, ignore_progress

# The result: an answer with its sources.


@attrs.frozen
class SearchSource:
    """A source of an answer.

    Attributes:
        title: its title as the engine shows it.
        url: absolute, http or https, with the engine's wrapping undone; empty if the engine shows
            the source only in a viewer of its own.
        snippet: the engine's excerpt; may be empty.
        site: the name of the site as the engine shows it; may be empty.
    """

    title: str
    url: str
    snippet: str = ""
    site: str = ""


@attrs.frozen
class SearchResult:
    """The result of a search.

    Attributes:
        success: whether an answer was read; if False, there is an `error`.
        query: the question.
        ai_answer: the answer as Markdown; empty if the engine gave none.
        sources: in the order of the page, without duplicates.
        error: why there is no answer, in the language of the search.
        language: the ``hl`` code of the search, such as ``zh-CN``.
        warning: a note for the reader, for example that the answer is partial or that a follow-up
            started a new conversation; empty for none.
        blocks: the answer as structured blocks; `ai_answer` is made from them.
        continued: whether an open conversation was continued.
        conversation: the id of the conversation, for follow-ups; empty for none.
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
"""A regular expression that matches the ids of conversations."""


@attrs.frozen
class ThreadState:
    """An open conversation with Google AI Mode.

    Attributes:
        id: for follow-ups.
        topic: its first question.
        language: the ``hl`` code of its last question.
        questions: the number of answered questions.
        last_activity_s: the time of the last answer, on the clock of trio.
        tab: the number of its tab, for `Tabwright.pool` and for links to the live view.
    """

    id: str
    topic: str
    language: str
    questions: int
    last_activity_s: float
    tab: int


class AISearch(Protocol):
    """Has conversations with Google AI Mode."""

    async def search(
        self,
        query: str,
        language: str | None = None,
        *,
        follow_up: bool | str = False,
        progress: OnProgress = ignore_progress,
    ) -> SearchResult:
        """Ask a question.

        Cancellation stops the page. Errors: `BadInput` (the question is empty or too long, or there
        is no such language or conversation), `SearchBlocked` (a CAPTCHA or a notice),
        `NavigationFailed`, `PageFailed`, `BrowserUnavailable`.

        Args:
            query: the question.
            language: of the answer, an ``hl`` code such as ``zh-CN``; None for that of the
                settings.
            follow_up: the id of the conversation to continue; True for the latest one, if one is
                open; False for a new conversation.
            progress: called with each step.
        """
        ...

    async def threads(self) -> tuple[ThreadState, ...]:
        """Return the open conversations, the latest one last.

        A conversation in which a question is being answered is not included.
        """
        ...

    async def close_threads(self) -> None:
        """End the open conversations, and close their tabs."""
        ...

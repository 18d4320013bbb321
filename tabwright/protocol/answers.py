"""What a search gives: an answer with its sources."""

import attrs

from tabwright.protocol.blocks import Blocks


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

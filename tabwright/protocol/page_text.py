"""A snapshot as text: how it is requested, what was written, and which parts a page wrote."""

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Literal, TypeAlias

import attrs

from tabwright.protocol.errors import BadInput
from tabwright.protocol.snapshot import MediaItem, Metadata, Tier

PageFormat: TypeAlias = Literal["markdown", "text", "json", "a11y"]
LinkStyle: TypeAlias = Literal["numbered", "inline"]
KeywordMode: TypeAlias = Literal["any", "all"]
CutReason: TypeAlias = Literal["token_budget", "size_limit", "time_out", "broken_off"]
"""Why a text is not all that there is: the budget; a page that is larger, or slower, than we wait
for; one whose server closed the connection."""


@attrs.frozen
class RenderOptions:
    """What of a snapshot is wanted, and how it is written.

    Attributes:
        format: ``a11y`` is the accessibility tree.
        links: ``numbered`` ones stand in a list at the end.
        keywords: only passages that hold them, whole and whatever their case.
        keyword_mode: whether a passage must hold any of them, or all.
        query: only the passages nearest to it in meaning, in the page's order.
        max_tokens: what the text may have, all notices included; None for any length.
        offset: where to go on: the `Truncation.next_offset` of a text of the same view.
        tells_rest: whether the text says itself what it leaves out; its `Truncation` does anyway.
    """

    format: PageFormat = "markdown"
    links: LinkStyle = "numbered"
    keywords: tuple[str, ...] = ()
    keyword_mode: KeywordMode = "any"
    query: str = ""
    max_tokens: int | None = None
    offset: int = 0
    tells_rest: bool = True

    def __attrs_post_init__(self) -> None:
        if self.max_tokens is not None and self.max_tokens < 1:
            raise BadInput(f"max_tokens is {self.max_tokens}; it must be at least 1.")
        if self.offset < 0:
            raise BadInput(
                f"offset is {self.offset}.", advice="Use the next_offset of an earlier answer."
            )


@attrs.frozen
class Truncation:
    """What a text leaves out.

    Attributes:
        reason: what for.
        original_tokens: of the whole text, by our estimate; None where nobody knows.
        returned_tokens: of this one; None for all that was read.
        items_omitted: how many blocks of the page come after it; None where nobody knows.
        next_offset: the `RenderOptions.offset` at which they do; None if there are no more.
    """

    reason: CutReason
    original_tokens: int | None = None
    returned_tokens: int | None = None
    items_omitted: int | None = None
    next_offset: int | None = None


@attrs.frozen
class Writing:
    """A snapshot as text."""

    text: str
    truncation: Truncation | None = None


@attrs.frozen
class Timing:
    """How long it took, in milliseconds.

    Attributes:
        fetch_ms: until the page was there; waiting for leave and for a tab included.
        extract_ms: from there to the text.
    """

    fetch_ms: float
    extract_ms: float
    total_ms: float


@attrs.frozen(kw_only=True)
class PageText:
    """A page as text.

    Attributes:
        url: after all redirects.
        title: the document's own title; may be empty.
        status: that of HTTP; 0 where it is not known.
        media_type: of what was there.
        format: what `text` is written in.
        text: what was asked for.
        tier: how it was read, and `tier_reason` why so.
        redirects: the URLs that led there, the first one first.
        notice: what the reading had to do without; empty as a rule.
        session: whose page it is now; empty for nobody's.
        media: what the page shows and plays.
    """

    url: str
    title: str
    status: int
    media_type: str
    format: PageFormat
    text: str
    tier: Tier
    tier_reason: str
    metadata: Metadata
    timing: Timing
    redirects: tuple[str, ...] = ()
    truncation: Truncation | None = None
    notice: str = ""
    session: str = ""
    media: tuple[MediaItem, ...] = ()


# Text for a client in parts: our words, and words that a page may have written.
#
# What a page may have written stands between marks, and nothing else does: so that a model can take
# what is inside as material, and what is outside as said by the server.

STRUCTURED = "tabwright/structured"
"""In the metadata of a call: whether its client wants a record, whose texts stand in fences too."""

_MARKED = re.compile(r"<untrusted (\w+)>\n(.*?)\n</untrusted \1>", re.DOTALL)


@attrs.frozen
class Quoted:
    """Lines in which there are words that a page may have written."""

    text: str


Part: TypeAlias = str | Quoted
Parts: TypeAlias = tuple[Part, ...]
"""Lines of an answer, in order; a text without a mark is our own."""


def quoted(text: str) -> Parts:
    """A part with words of a page; none for an empty text."""
    return (Quoted(text),) if text else ()


def text_of(part: Part) -> str:
    """What a part says."""
    return part.text if isinstance(part, Quoted) else part


def plain(parts: Iterable[Part]) -> str:
    """All parts as lines, for readers that need no marks."""
    return "\n".join(filter(None, map(text_of, parts)))


def fence_untrusted(parts: Iterable[Part], nonce: str) -> str:
    """All parts as lines; what pages may have written stands between marks.

    Args:
        parts: those that follow each other and are alike stand in one fence.
        nonce: letters and digits that no page can have written.
    """
    said = [part for part in parts if text_of(part)]
    return "\n".join(
        marked(plain(alike), nonce) if is_quoted else plain(alike)
        for is_quoted, alike in groupby(said, key=_is_quoted)
    )


def _is_quoted(part: Part) -> bool:
    return isinstance(part, Quoted)


def marked(text: str, nonce: str) -> str:
    """The text between marks.

    Args:
        text: with what pages say in it.
        nonce: letters and digits that no page can have written.
    """
    return f"<untrusted {nonce}>\n{text}\n</untrusted {nonce}>"


def unmarked(text: str) -> str:
    """A text without the marks round what is between them."""
    return _MARKED.sub(lambda found: found[2], text)

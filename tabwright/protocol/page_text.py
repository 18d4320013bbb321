"""How a snapshot is written down, and what came of it."""

from typing import Literal, TypeAlias

import attrs

from tabwright.protocol.errors import BadInput
from tabwright.protocol.snapshot import Medium, Metadata, Tier

PageFormat: TypeAlias = Literal["markdown", "text", "json", "a11y"]
LinkStyle: TypeAlias = Literal["numbered", "inline"]
KeywordMode: TypeAlias = Literal["any", "all"]
CutReason: TypeAlias = Literal["token_budget", "size_limit", "time_out", "broken_off"]
"""Why a text is not all that there is: the budget; a page that is larger, or slower, than we wait
for; one whose server hung up."""


@attrs.frozen
class View:
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
            raise BadInput(f"max_tokens is {self.max_tokens}; at least 1 is needed.")
        if self.offset < 0:
            raise BadInput(
                f"offset is {self.offset}.", advice="Give the next_offset of an earlier answer."
            )


@attrs.frozen
class Truncation:
    """What a text leaves out.

    Attributes:
        reason: what for.
        original_tokens: of the whole text, by our estimate; None where nobody knows.
        returned_tokens: of this one; None for all that was read.
        items_omitted: how many blocks of the page come after it; None where nobody knows.
        next_offset: the `View.offset` at which they do; None where there is no more to be had.
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
    media: tuple[Medium, ...] = ()

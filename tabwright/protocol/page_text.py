"""A page as text: options and the result."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import attrs

from tabwright.protocol.errors import BadInput
from tabwright.protocol.snapshot import CutReason, MediaItem, Metadata, Thumbnail, Tier

PageFormat: TypeAlias = Literal["markdown", "text", "html", "json", "a11y"]
LinkStyle: TypeAlias = Literal["numbered", "inline"]
KeywordMode: TypeAlias = Literal["any", "all"]

CUTS: Mapping[CutReason, str] = {
    "token_budget": "The text is longer than max_tokens. Raise it to read the rest.",
    "size_limit": "The page is too large: only its first part was read. Raise"
    " network.page_bytes_max, and read it with max_tier 1.",
    "element_limit": "The page has more elements than can be read: only its first part was read."
    " Other pages of the site may show a part each.",
    "unread_parts": "Parts of the file were not read.",
    "time_out": "The time was over before the page had loaded: only a part of it was read. Raise"
    " network.page_timeout_s.",
    "broken_off": "The connection broke off: only the first part of the page was read. Read it"
    " again.",
}
"""Why a text is incomplete, and how to get the rest."""


@attrs.frozen
class RenderOptions:
    """Which parts of a page are returned, and how they are written.

    Attributes:
        format: of the text; ``html`` is the content in plain HTML, without scripts, styles and
            attributes; ``a11y`` is the accessibility tree.
        links: ``numbered`` links are listed at the end; ``inline`` links are in the text.
        keywords: return only passages that contain them as whole words; case-insensitive.
        keyword_mode: whether a passage must contain any of them, or all.
        query: return only the passages most relevant to this question, in the page's order.
        max_tokens: the maximum length, notices included; None for no limit.
        offset: where to continue: the `Truncation.next_offset` of a text with the same options.
        tells_rest: whether the text has a notice of what it omits; its `Truncation` always has.
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
                f"offset is {self.offset}; it must be at least 0.",
                advice="Use the next_offset of an earlier answer.",
            )


@attrs.frozen
class Truncation:
    """The omitted part of a text.

    Attributes:
        reason: why.
        original_tokens: an estimate for the whole text; None if unknown.
        returned_tokens: the tokens of this text; None if it has everything that was read.
        items_omitted: the number of blocks after it, and in JSON of entries of other fields; None
            if unknown.
        next_offset: the `RenderOptions.offset` to continue at; None if there is no more.
    """

    reason: CutReason
    original_tokens: int | None = None
    returned_tokens: int | None = None
    items_omitted: int | None = None
    next_offset: int | None = None


@attrs.frozen
class TextMark:
    """A mark of the text before an offset, to check whether the rest still follows it.

    Attributes:
        offset: as in `RenderOptions`.
        checksum: of the text just before it.
    """

    offset: int
    checksum: int


@attrs.frozen
class Writing:
    """A snapshot as text.

    Attributes:
        mark: where the text stopped; None if it did not.
        changed: whether the text before an earlier mark is different now.
    """

    text: str
    truncation: Truncation | None = None
    mark: TextMark | None = None
    changed: bool = False


@attrs.frozen
class Timing:
    """How long a page took, in milliseconds.

    Attributes:
        fetch_ms: until it was loaded, including the wait for the rate limit and for a tab.
        extract_ms: from there to the text.
        total_ms: both.
    """

    fetch_ms: float
    extract_ms: float
    total_ms: float


@attrs.frozen(kw_only=True)
class PageText:
    """A page as text.

    Attributes:
        url: after all redirects.
        title: of the document; may be empty.
        status: of HTTP; 0 if unknown.
        media_type: of the document, such as ``text/html``.
        format: of `text`.
        text: the text.
        tier: the tier that it was read with; `tier_reason` says why.
        redirects: the URLs that redirected to it, in order.
        truncation: what the text omits; None for nothing.
        notice: what is missing from the text for another reason; usually empty.
        session: the session that has the page open; empty for none.
        media: the images, videos and audio of the page.
        screenshot: of the page, if one was requested and could be taken.
        controls: the number of visible links, buttons and fields.
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
    screenshot: Thumbnail | None = None
    controls: int = 0

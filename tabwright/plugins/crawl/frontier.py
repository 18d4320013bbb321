"""The URLs of a crawl and their results: the values that its store keeps."""

from collections.abc import Mapping, Sequence
from enum import IntEnum

import attrs

from tabwright.reader.pages import Record


class UrlState(IntEnum):
    """How far the crawl is with a URL."""

    PENDING = 0
    DONE = 1
    FAILED = 2
    SKIPPED = 3


@attrs.frozen
class QueuedUrl:
    """A URL of the crawl.

    Attributes:
        key: its normal form.
        depth: the number of links that lead to it from a start.
        parent: the URL of the page that it was found on; empty for a start or a sitemap.
    """

    id: int
    key: str
    url: str
    depth: int
    parent: str = ""


@attrs.frozen
class FoundUrl:
    """A URL that a page leads to, or a sitemap lists."""

    key: str
    url: str
    depth: int


@attrs.frozen(kw_only=True)
class PageResult:
    """The result for a URL, to be written in one transaction.

    Attributes:
        state: how far the crawl is with it.
        reason: why it was skipped; empty if it was not.
        shape, hash: of the page, if there is one.
        record: for the output; None for nothing.
        found: the URLs that it leads to.
        aliases: normal forms of other URLs that are now known to be this page.
        leads_on: whether it leads somewhere new.
        size: the bytes that were read.
        left_out: the number of links within a trap that are not followed.
    """

    state: UrlState
    reason: str = ""
    shape: str = ""
    hash: str = ""
    record: Record | None = None
    found: Sequence[FoundUrl] = ()
    aliases: Sequence[tuple[str, str]] = ()
    leads_on: bool = False
    size: int = 0
    left_out: int = 0


@attrs.frozen
class CrawlCounts:
    """The numbers of a crawl.

    Attributes:
        skipped: the number of skipped URLs by reason.
        bytes: read by all runs of the crawl.
    """

    pending: int = 0
    done: int = 0
    failed: int = 0
    skipped: Mapping[str, int] = attrs.field(factory=dict[str, int])
    bytes: int = 0


@attrs.frozen
class StoredPage:
    """The data about a finished page that a later run needs."""

    url: str
    shape: str
    hash: str
    text: str
    leads_on: bool


@attrs.frozen
class KnownUrl:
    """A URL of a site.

    Attributes:
        title: of its page; empty if it was not read.
        record: its page; None if it was not read.
    """

    url: str
    title: str = ""
    record: Record | None = None

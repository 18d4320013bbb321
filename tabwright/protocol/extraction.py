"""Turning pages into snapshots, snapshots into text, and result pages into results."""

from typing import Protocol, TypeAlias

import attrs

from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.page_text import RenderOptions, Writing
from tabwright.protocol.snapshot import (
    MediaItem,
    PageSnapshot,
    PageSource,
    Selection,
    Thumbnail,
    Tier,
)
from tabwright.protocol.web_search import ResultPage, ResultParser

Source: TypeAlias = Fetched | PageSource
"""A page as a server sent it, or as a browser holds it."""


class Extractor(Protocol):
    """Does the CPU work on pages, off the event loop."""

    async def take(self, request: "TakeSnapshot", /) -> "Taken":
        """See `TakeSnapshot`."""
        ...

    async def write(self, request: "RenderSnapshot", /) -> Writing:
        """See `RenderSnapshot`."""
        ...

    async def shrink(self, request: "MakeThumbnail", /) -> Thumbnail | None:
        """See `MakeThumbnail`."""
        ...

    async def results(self, request: "ReadResults", /) -> ResultPage:
        """See `ReadResults`."""
        ...


@attrs.frozen
class Taken:
    """A snapshot.

    Attributes:
        lacking: why the next tier would show more; empty where it would not.
    """

    snapshot: PageSnapshot
    lacking: str = ""


@attrs.frozen
class TakeSnapshot:
    """What a page holds. Refused with `PageFailed` where nobody can read it.

    Attributes:
        tier: how the source was got.
    """

    source: Source
    selection: Selection
    tier: Tier

    async def visit(self, extractor: Extractor, /) -> Taken:
        """Has `extractor` answer."""
        return await extractor.take(self)


@attrs.frozen
class RenderSnapshot:
    """A snapshot as text; refused with `BadInput` where the view does not fit it."""

    snapshot: PageSnapshot
    view: RenderOptions

    async def visit(self, extractor: Extractor, /) -> Writing:
        """Has `extractor` answer."""
        return await extractor.write(self)


@attrs.frozen
class MakeThumbnail:
    """A picture, made small; None for what is none, or is too small or too large to be looked at.

    Attributes:
        data: as its server sent it.
        width, height: in pixels, what it may have at most.
        quality: of JPEG, 1 to 100.
    """

    medium: MediaItem
    data: bytes
    width: int
    height: int
    quality: int

    async def visit(self, extractor: Extractor, /) -> Thumbnail | None:
        """Has `extractor` answer."""
        return await extractor.shrink(self)


@attrs.frozen
class ReadResults:
    """What an engine's result page lists, or why it lists nothing.

    Attributes:
        page: which page of results was asked for, counted from 1.
    """

    parser: ResultParser
    source: PageSource
    page: int

    async def visit(self, extractor: Extractor, /) -> ResultPage:
        """Has `extractor` answer."""
        return await extractor.results(self)


@attrs.frozen(kw_only=True)
class ReadOptions:
    """How a page is to be read.

    Attributes:
        min_tier: from which tier on it is tried.
        max_tier: up to which one, where the lower ones do not show enough.
        headers: further ones of HTTP, for the first tier.
        user_agent: for the first tier; empty for our own.
        transcripts: whether what is said in videos and sounds, as far as it is captioned, stands
            at the end of the page.
    """

    selection: Selection = attrs.field(factory=Selection)
    view: RenderOptions = attrs.field(factory=RenderOptions)
    min_tier: Tier = 1
    max_tier: Tier = 3
    headers: tuple[tuple[str, str], ...] = ()
    user_agent: str = ""
    transcripts: bool = False

    def __attrs_post_init__(self) -> None:
        if self.min_tier > self.max_tier:
            raise BadInput(f"min_tier is {self.min_tier}, above max_tier, {self.max_tier}.")

"""Requests that turn pages into snapshots, snapshots into text, and result pages into results."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, Protocol, TypeAlias, get_args

import attrs

from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.page_text import RenderOptions, TextMark, Writing
from tabwright.protocol.search_apis import SearchApi
from tabwright.protocol.snapshot import (
    MediaItem,
    PageSnapshot,
    PageSource,
    Selection,
    Thumbnail,
    Tier,
)
from tabwright.protocol.web_search import ResultPage, ResultParser

PictureFormat: TypeAlias = Literal["jpeg", "webp", "png"]
"""The format of pictures that were scaled down."""


@attrs.frozen
class PictureShape:
    """How a picture is scaled down.

    Attributes:
        size: the maximum width and height in pixels.
        quality: 1 to 100; PNG has none.
        format: of the result.
    """

    size: tuple[int, int]
    quality: int
    format: PictureFormat


Source: TypeAlias = Fetched | PageSource
"""A page as received from a server, or as serialized by a browser."""

NO_TARGETS: Mapping[str, str] = MappingProxyType({})


class Extractor(Protocol):
    """Does the CPU-bound work on pages outside the event loop."""

    async def take(self, source: Source, selection: Selection, tier: Tier) -> "Taken":
        """Make a snapshot of a page; refused with `PageFailed` if the page cannot be parsed.

        Args:
            source: the page.
            selection: which parts of it are kept.
            tier: the tier that the source was read with.
        """
        ...

    async def write(
        self, snapshot: PageSnapshot, view: RenderOptions, read: TextMark | None = None
    ) -> Writing:
        """Render a snapshot as text; refused with `BadInput` if the view does not fit it.

        Args:
            snapshot: the page.
            view: how it is written.
            read: where an earlier text of the same page stopped; None if there was none.
        """
        ...

    async def shrink(self, medium: MediaItem, data: bytes, shape: PictureShape) -> Thumbnail | None:
        """Scale a picture down; None if it is not a picture, or is too small or too large.

        Args:
            medium: which picture it is.
            data: the picture as received from its server.
            shape: of the result.
        """
        ...

    async def results(
        self,
        parser: ResultParser,
        source: PageSource,
        page: int,
        targets: Mapping[str, str] = NO_TARGETS,
    ) -> ResultPage:
        """Parse an engine's result page into results, or into the reason why it has none.

        Args:
            parser: of the engine.
            source: the result page.
            page: the number of the requested page of results, counted from 1.
            targets: targets of redirects that cannot be read, by URL.
        """
        ...

    async def answer(self, api: SearchApi, body: bytes, language: str, page: int) -> ResultPage:
        """Parse the answer of an engine's API into results, or into the reason why it has none.

        Args:
            api: of the engine.
            body: the answer.
            language: that the engine was asked in.
            page: the number of the requested page of results, counted from 1.
        """
        ...


@attrs.frozen
class Taken:
    """A snapshot.

    Attributes:
        lacking: why the next tier would show more; empty if it would not.
        captcha: whether the page is one that asks for a person, instead of the requested page.
        may_be_filled: whether its scripts may fill an empty part of it a moment later.
    """

    snapshot: PageSnapshot
    lacking: str = ""
    captcha: bool = False
    may_be_filled: bool = False


@attrs.frozen(kw_only=True)
class ReadOptions:
    """Options for reading a page.

    Attributes:
        min_tier: the first tier to try.
        max_tier: the last tier to try, if the lower ones do not show enough.
        headers: additional HTTP headers for the first tier.
        user_agent: for the first tier; empty for our default.
        transcripts: whether to append the captions of videos and audio to the page.
        wait_for: a text that the page must show, or ``css=`` and a selector; empty for none. It
            needs a tab, as does `scroll`.
        scroll: whether to scroll through the page first, so that all of it loads.
        max_age_s: maximum age of a response in the cache; None for as long as its site says.
        screenshot: whether to take a screenshot too. The page is then read with tier 3.
        leaves: as in `Tab.navigate`.
        asks_person: whether a person can be asked to solve a CAPTCHA that the page shows. The
            reading then reports `HumanNeededProgress` and waits; see `search.person_timeout_s`.
    """

    selection: Selection = attrs.field(factory=Selection)
    view: RenderOptions = attrs.field(factory=RenderOptions)
    min_tier: Tier = 1
    max_tier: Tier = 3
    headers: tuple[tuple[str, str], ...] = ()
    user_agent: str = ""
    transcripts: bool = False
    wait_for: str = ""
    scroll: bool = False
    max_age_s: float | None = None
    screenshot: bool = False
    leaves: bool = True
    asks_person: bool = False

    @property
    def needs_tab(self) -> bool:
        """Return whether only a tab can do what is requested."""
        return self.min_tier > 1 or bool(self.wait_for) or self.scroll or self.screenshot

    def __attrs_post_init__(self) -> None:
        if self.screenshot and self.max_tier < max(get_args(Tier)):
            raise BadInput(
                f"A screenshot needs tier 3, and max_tier is {self.max_tier}.",
                advice="Raise max_tier.",
            )
        if self.max_tier == 1 and self.needs_tab and self.min_tier == 1:
            raise BadInput(
                "wait_for and scroll need a browser, and max_tier is 1.",
                advice="Raise max_tier.",
            )
        if self.min_tier > self.max_tier:
            raise BadInput(f"min_tier ({self.min_tier}) is above max_tier ({self.max_tier}).")

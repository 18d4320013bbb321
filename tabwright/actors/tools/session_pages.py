"""``navigate`` and ``snapshot``: the page of a session."""

from typing import Literal, TypeAlias

import attrs

from tabwright.actors.tools.page_schema import DEFAULT_SESSION, PAGE, session_schema
from tabwright.actors.tools.tool import Tool
from tabwright.protocol.acting import OutlineView, TakeOutline
from tabwright.protocol.reading import Reading
from tabwright.protocol.snapshots import Selection, Tier
from tabwright.protocol.views import KeywordMode, LinkStyle, PageFormat, View

SessionFormat: TypeAlias = PageFormat | Literal["outline"]
"""How the page of a session can be had: as a text, or as an outline to act on."""


@attrs.frozen(kw_only=True)
class NavigateArguments:
    """What `navigate` takes; None for what the settings say."""

    url: str
    session: str = DEFAULT_SESSION
    format: SessionFormat = "markdown"
    max_tokens: int | None = None
    max_tier: Tier | None = None
    min_tier: Tier = 1
    readability: bool = False

    def reading(self, default: Reading) -> Reading:
        """How the page is to be read."""
        tree = self.format == "a11y"
        return Reading(
            selection=Selection(readability=self.readability, tree=tree),
            view=page_view(default.view, text_format(self.format), self.max_tokens),
            min_tier=self.min_tier,
            max_tier=self.max_tier or default.max_tier,
        )


@attrs.frozen(kw_only=True)
class SnapshotArguments:
    """What `snapshot` takes; None for what the settings say."""

    session: str = DEFAULT_SESSION
    format: SessionFormat = "markdown"
    links: LinkStyle | None = None
    keywords: tuple[str, ...] = ()
    keyword_mode: KeywordMode = "any"
    query: str = ""
    max_tokens: int | None = None
    offset: int = 0
    ref: str = ""
    selector: str = ""
    viewport: bool = False
    hidden: bool = False
    diff: bool = False
    tab: int | None = None

    def outline(self, default_tokens: int) -> TakeOutline:
        """What is wanted of an outline."""
        budget = default_tokens if self.max_tokens is None else self.max_tokens
        view = OutlineView(budget, self.offset, self.query, self.viewport)
        return TakeOutline(view, self.ref, self.selector, self.hidden, self.diff)

    def view(self, default: View) -> View:
        """How the page is to be written."""
        return View(
            format=text_format(self.format),
            links=self.links or default.links,
            keywords=self.keywords,
            keyword_mode=self.keyword_mode,
            query=self.query,
            max_tokens=default.max_tokens if self.max_tokens is None else self.max_tokens,
            offset=self.offset,
        )


def text_format(wanted: SessionFormat) -> PageFormat:
    """The format of a text; an outline is none."""
    return "markdown" if wanted == "outline" else wanted


def page_view(default: View, page_format: PageFormat, max_tokens: int | None) -> View:
    """How a page is to be written that has just been come to."""
    budget = default.max_tokens if max_tokens is None else max_tokens
    return attrs.evolve(default, format=page_format, max_tokens=budget)


def navigate_tool() -> Tool[NavigateArguments]:
    """The tool that goes to a page."""
    return Tool(
        name="navigate",
        title="Go to a page",
        description=(
            "Go to a page in a session, and read it. A session has cookies, storage and a history "
            "of its own; it begins with its first page."
        ),
        input_schema=session_schema(
            {
                "url": {
                    "type": "string",
                    "description": "An absolute URL; or back, forward, reload.",
                }
            },
            "format",
            "max_tokens",
            "max_tier",
            "min_tier",
            "readability",
            required=["url"],
        ),
        output_schema=PAGE,
        arguments=NavigateArguments,
    )


def snapshot_tool() -> Tool[SnapshotArguments]:
    """The tool that reads the page again."""
    return Tool(
        name="snapshot",
        title="Read the page of a session again",
        description=(
            "Read the page that a session is at once more, in another format, or another part of "
            "it. Nothing is loaded."
        ),
        input_schema=session_schema(
            {}, "format", "links", "keywords", "keyword_mode", "query", "max_tokens", "offset"
        ),
        output_schema=PAGE,
        arguments=SnapshotArguments,
    )

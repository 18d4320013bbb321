"""The tools ``navigate``, ``snapshot``, ``get_links`` and ``click_link``."""

from collections.abc import Iterable
from typing import Annotated, Literal, TypeAlias, get_args

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import READS, Tool, ToolAnnotations
from tabwright.mcp.tools.page_arguments import (
    DEFAULT_SESSION,
    PAGE,
    Address,
    EitherOrAll,
    Keywords,
    Links,
    MaxTokens,
    Media,
    Offset,
    Plain,
    Query,
    Rare,
    Readability,
    Ref,
    Session,
    Tab,
    TierMax,
    TierMin,
)
from tabwright.protocol.errors import BadInput
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import OutlineView, TakeOutline
from tabwright.protocol.page_text import PageFormat, RenderOptions
from tabwright.protocol.snapshot import LinkKind, PageLink, Selection

SessionFormat: TypeAlias = Literal[PageFormat, "outline"]
"""How the page of a session can be had: as a text, or as an outline to act on."""


@attrs.frozen(kw_only=True)
class NavigateArguments:
    """What `navigate` takes; None for what the settings say."""

    url: Annotated[Address, Meta(description="or back, forward, reload")]
    session: Session = DEFAULT_SESSION
    format: SessionFormat = "markdown"
    max_tokens: MaxTokens | None = None
    max_tier: TierMax | None = None
    min_tier: TierMin = 1
    readability: Readability = False

    def reading(self, default: ReadOptions) -> ReadOptions:
        """How the page is to be read."""
        tree = self.format == "a11y"
        return ReadOptions(
            selection=Selection(readability=self.readability, tree=tree),
            view=page_view(default.view, text_format(self.format), self.max_tokens),
            min_tier=self.min_tier,
            max_tier=self.max_tier or default.max_tier,
        )


@attrs.frozen(kw_only=True)
class SnapshotArguments:
    """What `snapshot` takes; None for what the settings say."""

    session: Session = DEFAULT_SESSION
    tab: Rare[Tab] | None = None
    format: SessionFormat = "markdown"
    max_tokens: MaxTokens | None = None
    offset: Offset = 0
    query: Query = ""
    keywords: Keywords = ()
    keyword_mode: EitherOrAll = "any"
    links: Links | None = None
    ref: Ref = ""
    selector: Plain[Annotated[str, Meta(description="CSS; as ref, where an outline begins")]] = ""
    viewport: Plain[Annotated[bool, Meta(description="outline of what is seen")]] = False
    hidden: Rare[Annotated[bool, Meta(description="outline with hidden controls")]] = False
    diff: Plain[Annotated[bool, Meta(description="outline of what has changed")]] = False
    include_media: Rare[Media] = False

    def outline(self, default_tokens: int) -> TakeOutline:
        """What is wanted of an outline."""
        budget = self.max_tokens or default_tokens
        view = OutlineView(budget, self.offset, self.query, self.viewport)
        return TakeOutline(view, self.ref, self.selector, self.hidden, self.diff)

    def view(self, default: RenderOptions) -> RenderOptions:
        """How the page is to be written."""
        return attrs.evolve(
            default,
            format=text_format(self.format),
            links=self.links or default.links,
            keywords=self.keywords,
            keyword_mode=self.keyword_mode,
            query=self.query,
            max_tokens=self.max_tokens or default.max_tokens,
            offset=self.offset,
        )


def text_format(wanted: SessionFormat) -> PageFormat:
    """The format of a text; an outline is none."""
    return "markdown" if wanted == "outline" else wanted


def page_view(
    default: RenderOptions, page_format: PageFormat, max_tokens: int | None
) -> RenderOptions:
    """How a page is to be written that has just been come to."""
    budget = max_tokens or default.max_tokens
    return attrs.evolve(default, format=page_format, max_tokens=budget)


def navigate_tool() -> Tool[NavigateArguments]:
    """The tool that goes to a page."""
    return Tool(
        name="navigate",
        description="Go to a page and read it; format outline to act there.",
        group="read",
        effects=ToolAnnotations(),
        arguments=NavigateArguments,
        output_schema=PAGE,
    )


def snapshot_tool() -> Tool[SnapshotArguments]:
    """The tool that reads the page again."""
    return Tool(
        name="snapshot",
        description=(
            "Read the session's page again; format outline gives refs to act on: of all, ref, "
            "selector or viewport, or as diff."
        ),
        group="read",
        effects=READS,
        arguments=SnapshotArguments,
        output_schema=PAGE,
    )


# Links: ``get_links`` and ``click_link``.

LINKS = object_schema(
    {
        "links": {
            "type": "array",
            "items": object_schema(
                {
                    "number": {"type": "integer"},
                    "text": {"type": "string"},
                    "url": {"type": "string"},
                    "kind": {"type": "string", "enum": list(get_args(LinkKind))},
                },
                required=["number", "text", "url", "kind"],
            ),
        }
    },
    required=["links"],
)
"""What the page leads to."""


@attrs.frozen(kw_only=True)
class GetLinksArguments:
    """What `get_links` takes."""

    session: Session = DEFAULT_SESSION
    filter: Annotated[str, Meta(description="in text or URL")] = ""
    kind: LinkKind | None = None
    offset: Rare[Offset] = 0

    def chosen(self, links: Iterable[PageLink]) -> tuple[PageLink, ...]:
        """The links that are asked for."""
        wanted = self.filter.casefold()
        return tuple(
            link
            for link in links
            if (self.kind is None or link.kind == self.kind)
            and (wanted in link.text.casefold() or wanted in link.url.casefold())
        )


@attrs.frozen(kw_only=True)
class ClickLinkArguments:
    """What `click_link` takes: one of three ways to name a link."""

    session: Session = DEFAULT_SESSION
    number: Annotated[int, Meta(ge=1)] | None = None
    text: Annotated[str, Meta(description="of it, or a part")] = ""
    url: str = ""
    format: PageFormat = "markdown"
    max_tokens: MaxTokens | None = None

    def __attrs_post_init__(self) -> None:
        if self.number is None and not self.text and not self.url:
            raise BadInput("No link is named.", advice="Give its number, its text or its url.")


def get_links_tool() -> Tool[GetLinksArguments]:
    """The tool that lists links."""
    return Tool(
        name="get_links",
        description="List the page's links, numbered as in its text.",
        group="forms",
        effects=READS,
        arguments=GetLinksArguments,
        output_schema=LINKS,
    )


def click_link_tool() -> Tool[ClickLinkArguments]:
    """The tool that follows one."""
    return Tool(
        name="click_link",
        description="Follow a link of the page, and read where it leads.",
        group="forms",
        effects=ToolAnnotations(),
        arguments=ClickLinkArguments,
        output_schema=PAGE,
    )

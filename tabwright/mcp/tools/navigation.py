"""The tools ``navigate``, ``snapshot``, ``get_links`` and ``click_link``."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, TypeAlias, get_args

import attrs
from msgspec import Meta

from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.arguments import ELEMENT, object_schema
from tabwright.mcp.page_results import (
    ASK_AGAIN,
    TAKE_SNAPSHOT,
    outcome_result,
    outline_result,
    page_result,
    page_result_with_media,
)
from tabwright.mcp.tool import READS, Tool, ToolAnnotations, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import (
    PAGE,
    Address,
    EitherOrAll,
    Keywords,
    Links,
    MaxTokens,
    Media,
    Offset,
    Query,
    Rare,
    Readability,
    ScrollThrough,
    Session,
    SessionValues,
    SettingValue,
    Tab,
    TierMax,
    TierMin,
    WaitForContent,
    chosen_readability,
    default_reading,
)
from tabwright.protocol.errors import BadInput, having_sent
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import OutlineView, TakeOutline
from tabwright.protocol.page_text import PageFormat, RenderOptions
from tabwright.protocol.sessions import LinkChoice
from tabwright.protocol.snapshot import LinkKind, PageLink
from tabwright.protocol.urls import ABOUT_BLANK
from tabwright.text import token_budget

SessionFormat: TypeAlias = Literal[PageFormat, "outline"]
"""Formats of a session's page: text to read, or an outline to act on."""


@attrs.frozen(kw_only=True)
class NavigateArguments:
    """Arguments of `navigate`. None means the value of the settings."""

    url: Annotated[Address, Meta(description="URL to open, or back, forward or reload.")]
    session: Session = DEFAULT_SESSION
    format: SessionFormat | None = None
    max_tokens: MaxTokens | None = None
    max_tier: TierMax | None = None
    min_tier: TierMin = 1
    wait_for: WaitForContent = ""
    scroll: ScrollThrough = False
    readability: Rare[Readability] | None = None
    leave: Rare[
        Annotated[
            bool,
            Meta(description="false: stay on a page that asks before it is left, e.g. with edits."),
        ]
    ] = True
    settings: SessionValues = attrs.field(factory=dict[str, SettingValue])

    def reading(self, default: ReadOptions, *, asks_person: bool = False) -> ReadOptions:
        """Return the read options of this call, whose client can show a CAPTCHA to a person."""
        tree = self.format == "a11y"
        return ReadOptions(
            selection=attrs.evolve(
                default.selection,
                readability=chosen_readability(self.readability, default),
                tree=tree,
            ),
            view=attrs.evolve(default.view, format=text_format(self.format, default.view)),
            min_tier=self.min_tier,
            wait_for=self.wait_for,
            scroll=self.scroll,
            max_tier=default.max_tier,
            leaves=self.leave,
            asks_person=asks_person,
        )


@attrs.frozen(kw_only=True)
class SnapshotArguments:
    """Arguments of `snapshot`. None means the value of the settings."""

    session: Session = DEFAULT_SESSION
    tab: Rare[Tab] | None = None
    format: SessionFormat | None = None
    max_tokens: MaxTokens | None = None
    offset: Offset = 0
    query: Query = ""
    keywords: Keywords = ()
    keyword_mode: EitherOrAll = "any"
    links: Links | None = None
    ref: Annotated[
        str,
        Meta(description="Outline only this element.", extra_json_schema=ELEMENT),
    ] = ""
    selector: Rare[Annotated[str, Meta(description="The same as ref, for CSS selectors.")]] = ""
    viewport: Annotated[bool, Meta(description="Outline only the visible part.")] = False
    hidden: Rare[Annotated[bool, Meta(description="Include hidden controls in the outline.")]] = (
        False
    )
    boxes: Rare[
        Annotated[
            bool,
            Meta(
                description="Outline with the place of each control: box=left,top,width,height, in "
                "CSS pixels of the visible page."
            ),
        ]
    ] = False
    diff: Annotated[bool, Meta(description="Outline only what changed.")] = False
    include_media: Rare[Media] = False

    def outline(self, max_tokens: int) -> TakeOutline:
        """Return the request for an outline."""
        view = OutlineView(max_tokens, self.offset, self.query, self.viewport)
        return TakeOutline(view, self.ref, self.selector, self.hidden, self.diff, boxes=self.boxes)

    def view(self, default: RenderOptions) -> RenderOptions:
        """Return the render options of this call."""
        return attrs.evolve(
            default,
            format=text_format(self.format, default),
            keywords=self.keywords,
            keyword_mode=self.keyword_mode,
            query=self.query,
            offset=self.offset,
        )


def text_format(wanted: SessionFormat | None, default: RenderOptions) -> PageFormat:
    """Return the text format; an outline is read as Markdown."""
    return "markdown" if wanted == "outline" else wanted or default.format


async def navigate(arguments: NavigateArguments, context: ToolContext) -> ToolResult:
    """Go to a page, and read it or show its outline."""
    settings = await context.settings(arguments)
    if arguments.format == "outline" or arguments.url == ABOUT_BLANK:
        budget, own = settings.reading.outline_tokens_max, arguments.settings
        return await open_page(
            context, arguments.session, arguments.url, budget, own, leaves=arguments.leave
        )
    page = await context.tabwright.session(arguments.session).navigate(
        arguments.url,
        arguments.reading(default_reading(settings), asks_person=context.client.shows_urls),
        settings=arguments.settings,
        progress=context.on_progress,
    )
    return page_result(page, TAKE_SNAPSHOT)


async def snapshot(arguments: SnapshotArguments, context: ToolContext) -> ToolResult:
    """Read the page of the session again, or show its outline."""
    settings = await context.settings(arguments)
    if arguments.format == "outline":
        request = arguments.outline(settings.reading.outline_tokens_max)
        return await show_outline(context, arguments.session, request, arguments.tab)
    view = arguments.view(default_reading(settings).view)
    page = await context.tabwright.session(arguments.session).view(view)
    if arguments.include_media:
        return await page_result_with_media(page, context)
    return page_result(page, ASK_AGAIN)


async def open_page(  # noqa: PLR0913
    context: ToolContext,
    session: str,
    url: str,
    max_tokens: int,
    settings: Mapping[str, object] | None = None,
    *,
    leaves: bool = True,
) -> ToolResult:
    """Go to a page to act there, and show its outline."""
    tabwright = context.tabwright
    outcome = await tabwright.session(session).enter(
        url, settings=settings, progress=context.on_progress, leaves=leaves
    )
    if outcome.downloads or outcome.url == ABOUT_BLANK:
        return outcome_result(outcome, context.names)
    request = _with_events(TakeOutline(OutlineView(max_tokens)))
    with having_sent():  # the page was requested
        taken = await tabwright.session(session).inspect(request)
    status = outcome.navigated.status if outcome.navigated else 0
    return outline_result(taken, session, context.names, status, outcome.console)


async def show_outline(
    context: ToolContext, session: str, request: TakeOutline, tab: int | None = None
) -> ToolResult:
    """Show a page as an outline, with its unreported events."""
    taken = await context.tabwright.session(session).inspect(_with_events(request), tab=tab)
    return outline_result(taken, session, context.names)


def _with_events(request: TakeOutline) -> TakeOutline:
    """Return the request with events included, and part of its budget reserved for them."""
    from tabwright.page.render import EVENTS_TOKENS_MAX  # noqa: PLC0415  (heavy)

    budget = request.view.max_tokens
    view = attrs.evolve(request.view, max_tokens=budget and max(budget - EVENTS_TOKENS_MAX, 1))
    return attrs.evolve(request, view=view, events=True)


NAVIGATE = Tool(
    name="navigate",
    description=(
        "Open a URL in a session, or go back, forward or reload, and return the page as text. To "
        "act on it, set format to outline: only outlines have refs."
    ),
    group="read",
    annotations=ToolAnnotations(),
    arguments=NavigateArguments,
    handler=navigate,
    output_schema=PAGE,
)


SNAPSHOT = Tool(
    name="snapshot",
    description=(
        "Return the session's current page without reloading it. Format outline has refs for "
        "click and type."
    ),
    group="read",
    annotations=READS,
    arguments=SnapshotArguments,
    handler=snapshot,
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
"""The record of `get_links`."""

NO_LINKS = "(No matching links.)"


@attrs.frozen(kw_only=True)
class GetLinksArguments:
    """Arguments of `get_links`."""

    session: Session = DEFAULT_SESSION
    filter: Annotated[str, Meta(description="Only links whose text or URL contains this.")] = ""
    kind: LinkKind | None = None
    offset: Rare[Offset] = 0

    def chosen(self, links: Iterable[PageLink]) -> tuple[PageLink, ...]:
        """Return the links that match the arguments."""
        wanted = self.filter.casefold()
        return tuple(
            link
            for link in links
            if (self.kind is None or link.kind == self.kind)
            and (wanted in link.text.casefold() or wanted in link.url.casefold())
        )


@attrs.frozen(kw_only=True)
class ClickLinkArguments:
    """Arguments of `click_link`: a link by its number, text or URL."""

    session: Session = DEFAULT_SESSION
    number: Annotated[int, Meta(ge=1, description="Number from get_links or the text.")] | None = (
        None
    )
    text: Annotated[str, Meta(description="Link text, or part of it.")] = ""
    url: Annotated[str, Meta(description="URL of the link.")] = ""
    format: PageFormat | None = None
    max_tokens: MaxTokens | None = None

    def __attrs_post_init__(self) -> None:
        if self.number is None and not self.text and not self.url:
            raise BadInput("No link was given.", advice="Set number, text or url.")


async def get_links(arguments: GetLinksArguments, context: ToolContext) -> ToolResult:
    """List the links of the session's page."""
    page = await context.tabwright.session(arguments.session).snapshot()
    links = arguments.chosen(page.links)[arguments.offset :]
    lines = [f"[{link.number}] {link.text} ({link.kind}): {link.url}" for link in links]
    record = {"links": [attrs.asdict(link) for link in links]}

    def more(count: int) -> str:
        """Return a note about the links beyond those that are shown."""
        left, next_one = len(lines) - count, arguments.offset + count
        return f"({left} more links: offset={next_one}, or filter by text, URL or kind)"

    budget = (await context.settings(arguments)).reading.outline_tokens_max
    return ToolResult(token_budget.listed(lines, budget, more, NO_LINKS), record)


async def click_link(arguments: ClickLinkArguments, context: ToolContext) -> ToolResult:
    """Follow a link, and read the page that it leads to."""
    view = default_reading(await context.settings(arguments)).view
    page = await context.tabwright.session(arguments.session).follow(
        LinkChoice(arguments.number, arguments.text, arguments.url),
        attrs.evolve(view, format=arguments.format or view.format),
        progress=context.on_progress,
    )
    return page_result(page, TAKE_SNAPSHOT)


GET_LINKS = Tool(
    name="get_links",
    description=(
        "List the links of the session's page with their URLs, numbered as in its Markdown text."
    ),
    group="forms",
    annotations=READS,
    arguments=GetLinksArguments,
    handler=get_links,
    output_schema=LINKS,
)


CLICK_LINK = Tool(
    name="click_link",
    description=(
        "Follow a link by its number, text or URL and return the new page as text. If you have a "
        "ref, use click."
    ),
    group="forms",
    annotations=ToolAnnotations(),
    arguments=ClickLinkArguments,
    handler=click_link,
    output_schema=PAGE,
)

TOOLS = (NAVIGATE, SNAPSHOT, GET_LINKS, CLICK_LINK)

"""The tools ``navigate`` and ``snapshot``."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, get_args

import attrs
from msgspec import Meta

from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.arguments import ELEMENT, object_schema
from tabwright.mcp.page_results import (
    ASK_AGAIN,
    opened_page_result,
    outcome_result,
    outline_result,
    page_result,
    page_result_with_media,
)
from tabwright.mcp.tool import READS, Tool, ToolAnnotations, ToolContext, ToolResult
from tabwright.mcp.tools.listings import LISTINGS, forms_result, found_result, links_result
from tabwright.mcp.tools.page_arguments import (
    PAGE,
    PAGE_FIELDS,
    Address,
    EitherOrAll,
    Keywords,
    Links,
    MaxTokens,
    Media,
    Offset,
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
from tabwright.protocol.urls import ABOUT_BLANK

SessionFormat: TypeAlias = Literal[PageFormat, "outline"]
"""Formats of a session's page: text to read, or an outline to act on."""


@attrs.frozen(kw_only=True)
class NavigateArguments:
    """Arguments of `navigate`. None means the value of the settings."""

    url: Annotated[Address, Meta(description="URL to open, or back, forward or reload.")] = ""
    link: Annotated[str, Meta(description="Or a link of the page: its number, text or URL.")] = ""
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

    def __attrs_post_init__(self) -> None:
        if bool(self.url) == bool(self.link):
            raise BadInput("navigate needs either url or link.", advice="Set one of them.")

    @property
    def chosen_link(self) -> LinkChoice:
        """Return the link to follow."""
        if self.link.isdecimal():
            return LinkChoice(number=int(self.link))
        return LinkChoice(text=self.link, url=self.link)

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
    """Arguments of `snapshot`. None means the value of the settings; see `default_format`."""

    session: Session = DEFAULT_SESSION
    tab: Rare[Tab] | None = None
    format: Literal[SessionFormat, "links", "forms"] | None = None
    max_tokens: MaxTokens | None = None
    offset: Offset = 0
    query: Annotated[
        str,
        Meta(description="Only lines with these words, or passages about this question."),
    ] = ""
    find: Annotated[
        str,
        Meta(
            description="Locator: return the refs of all matches instead; for links, text in them."
        ),
    ] = ""
    keywords: Keywords = ()
    keyword_mode: EitherOrAll = "any"
    links: Links | None = None
    ref: Annotated[
        str,
        Meta(description="Outline only this element.", extra_json_schema=ELEMENT),
    ] = ""
    selector: Rare[Annotated[str, Meta(description="The same as ref, for CSS selectors.")]] = ""
    viewport: Rare[Annotated[bool, Meta(description="Outline only the visible part.")]] = False
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
    diff: Rare[Annotated[bool, Meta(description="Outline only what changed.")]] = False
    include_media: Rare[Media] = False

    @property
    def default_format(self) -> SessionFormat | None:
        """Return the outline, or None for the text of the settings if only a text has the rest."""
        is_text = self.keywords or self.links or self.include_media
        return None if is_text else "outline"

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


def text_format(wanted: str | None, default: RenderOptions) -> PageFormat:
    """Return the text format; whatever is not a text is read as Markdown."""
    formats: dict[str, PageFormat] = {name: name for name in get_args(PageFormat)}
    return formats.get(wanted, "markdown") if wanted else default.format


async def navigate(arguments: NavigateArguments, context: ToolContext) -> ToolResult:
    """Go to a page, and read it or show its outline."""
    settings = await context.settings(arguments)
    if arguments.link:
        view = arguments.reading(default_reading(settings)).view
        return await follow_link(arguments, view, settings.reading.outline_tokens_max, context)
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
    return opened_page_result(page)


async def follow_link(
    arguments: NavigateArguments, view: RenderOptions, outline_tokens: int, context: ToolContext
) -> ToolResult:
    """Follow a link, and read the page that it leads to or show its outline."""
    page = await context.tabwright.session(arguments.session).follow(
        arguments.chosen_link, view, progress=context.on_progress
    )
    if arguments.format != "outline":
        return opened_page_result(page)
    with having_sent():  # the page was requested
        request = TakeOutline(OutlineView(outline_tokens))
        return await show_outline(context, arguments.session, request)


async def snapshot(arguments: SnapshotArguments, context: ToolContext) -> ToolResult:
    """Read the page of the session again, show its outline, or list parts of it."""
    settings = await context.settings(arguments)
    offset, tab = arguments.offset, arguments.tab
    session = context.tabwright.session(arguments.session)
    tokens_max = settings.reading.outline_tokens_max
    if arguments.format == "links":
        listed = await session.snapshot(tab=tab)
        return links_result(listed, arguments.find, offset, tokens_max)
    if arguments.format == "forms":
        return forms_result(await session.snapshot(tab=tab), context, offset)
    if arguments.find:
        return await found_result(context, arguments.find, session.name, tab, tokens_max)
    if (arguments.format or arguments.default_format) == "outline":
        return await show_outline(context, session.name, arguments.outline(tokens_max), tab)
    page = await session.view(arguments.view(default_reading(settings).view), tab=tab)
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
        "Open a URL or a link in a session, and return the page as text. To act on it, set format "
        "to outline."
    ),
    group="read",
    annotations=ToolAnnotations(),
    arguments=NavigateArguments,
    handler=navigate,
    output_schema=PAGE,
)


SNAPSHOT_RESULT = object_schema({**PAGE_FIELDS, **LISTINGS}, required=[])
"""The record of `snapshot`: a page, or what it lists."""

SNAPSHOT = Tool(
    name="snapshot",
    description=(
        "Return the session's current page without reloading it: an outline with refs to act on, "
        "or another format."
    ),
    group="read",
    annotations=READS,
    arguments=SnapshotArguments,
    handler=snapshot,
    output_schema=SNAPSHOT_RESULT,
)

TOOLS = (NAVIGATE, SNAPSHOT)

"""``browse``: reads one URL as text, over HTTP or in a browser."""

from typing import Annotated

import attrs
from msgspec import Meta

from tabwright.mcp.page_results import (
    ASK_AGAIN,
    INCLUDE_MEDIA,
    page_result,
    page_result_with_media,
)
from tabwright.mcp.tool import READS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import (
    PAGE,
    Address,
    EitherOrAll,
    Exclusions,
    Keywords,
    Links,
    MaxAge,
    MaxTokens,
    Media,
    Offset,
    Query,
    Rare,
    Readability,
    ScreenshotToo,
    ScrollThrough,
    Selectors,
    TierMax,
    TierMin,
    WaitForContent,
    chosen_readability,
    default_reading,
)
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.page_text import PageFormat
from tabwright.protocol.snapshot import Selection

NO_SCREENSHOT = "No screenshot was taken: the page is a file, or no browser could open it."


@attrs.frozen(kw_only=True)
class BrowseArguments:
    """Arguments of `browse`. None means the value of the settings."""

    url: Annotated[Address, Meta(description="http or https URL.")]
    session: Rare[Annotated[str, Meta(description="Session to read in.")]] = ""
    format: PageFormat | None = None
    links: Links | None = None
    selectors: Selectors = ()
    exclude_selectors: Exclusions = ()
    keywords: Keywords = ()
    keyword_mode: EitherOrAll = "any"
    query: Query = ""
    max_tokens: MaxTokens | None = None
    offset: Offset = 0
    max_tier: TierMax | None = None
    min_tier: TierMin = 1
    wait_for: WaitForContent = ""
    scroll: ScrollThrough = False
    max_age: MaxAge | None = None
    screenshot: ScreenshotToo = False
    readability: Readability | None = None
    include_media: Media = False

    def reading(self, default: ReadOptions, *, asks_person: bool = False) -> ReadOptions:
        """Return the read options of this call, whose client can show a CAPTCHA to a person."""
        selection = Selection(
            self.selectors,
            (*default.selection.exclude_selectors, *self.exclude_selectors),
            readability=chosen_readability(self.readability, default),
            tree=self.format == "a11y",
        )
        view = attrs.evolve(
            default.view,
            format=self.format or default.view.format,
            keywords=self.keywords,
            keyword_mode=self.keyword_mode,
            query=self.query,
            offset=self.offset,
        )
        return ReadOptions(
            selection=selection,
            view=view,
            min_tier=self.min_tier,
            wait_for=self.wait_for,
            scroll=self.scroll,
            max_age_s=self.max_age,
            screenshot=self.screenshot,
            max_tier=default.max_tier,
            transcripts=self.include_media,
            asks_person=asks_person,
        )


async def browse(arguments: BrowseArguments, context: ToolContext) -> ToolResult:
    """Read a URL."""
    from tabwright.reader.media import (  # noqa: PLC0415  (not for listing tools)
        canvas_notice,
        with_notices,
    )

    default = default_reading(await context.settings(arguments))
    page = await context.tabwright.read(
        arguments.url,
        arguments.reading(default, asks_person=context.client.shows_urls),
        session=arguments.session,
        progress=context.on_progress,
    )
    if arguments.screenshot and page.screenshot is None:
        page = with_notices(page, NO_SCREENSHOT)
    if arguments.include_media or page.media_type.startswith("image/"):
        return await page_result_with_media(page, context)
    can_have = context.tabwright.settings.reading.pictures_max > 0
    page = with_notices(page, canvas_notice(page, None if can_have else (), INCLUDE_MEDIA))
    return page_result(page, ASK_AGAIN)


BROWSE = Tool(
    name="browse",
    description=(
        "Read one URL as text: web page, PDF, feed, JSON, CSV or image. To act on the page, use "
        "navigate. Nothing is kept."
    ),
    group="read",
    annotations=READS,
    arguments=BrowseArguments,
    handler=browse,
    output_schema=PAGE,
)

TOOLS = (BROWSE,)

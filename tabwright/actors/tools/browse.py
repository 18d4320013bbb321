"""``browse``: one page as text, whatever it takes to get it."""

import attrs

from tabwright.actors.tools.page_schema import PAGE, WISHES
from tabwright.actors.tools.tool import Tool, object_schema
from tabwright.protocol.reading import Reading
from tabwright.protocol.snapshots import Selection, Tier
from tabwright.protocol.views import KeywordMode, LinkStyle, PageFormat, View


@attrs.frozen(kw_only=True)
class BrowseArguments:
    """What `browse` takes; None for what the settings say."""

    url: str
    session: str = ""
    format: PageFormat = "markdown"
    links: LinkStyle | None = None
    selectors: tuple[str, ...] = ()
    exclude_selectors: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    keyword_mode: KeywordMode = "any"
    query: str = ""
    max_tokens: int | None = None
    offset: int = 0
    max_tier: Tier | None = None
    min_tier: Tier = 1
    readability: bool = False
    include_media: bool = False

    def reading(self, default: Reading) -> Reading:
        """How the page is to be read."""
        selection = Selection(
            self.selectors,
            self.exclude_selectors,
            readability=self.readability,
            tree=self.format == "a11y",
        )
        view = View(
            format=self.format,
            links=self.links or default.view.links,
            keywords=self.keywords,
            keyword_mode=self.keyword_mode,
            query=self.query,
            max_tokens=default.view.max_tokens if self.max_tokens is None else self.max_tokens,
            offset=self.offset,
        )
        return Reading(
            selection=selection,
            view=view,
            min_tier=self.min_tier,
            max_tier=self.max_tier or default.max_tier,
            transcripts=self.include_media,
        )


def browse_tool() -> Tool[BrowseArguments]:
    """The tool."""
    return Tool(
        name="browse",
        title="Read a web page",
        description=(
            "Read any URL as compact, faithful text: web pages, PDF, feeds, JSON, CSV, images. "
            "Fetched by HTTP where that shows enough, else in a browser that runs its scripts. "
            "Narrow it with readability, selectors, keywords or a query; with max_tokens it says "
            "what is left out and from which offset to go on. Without a session nothing is kept."
        ),
        input_schema=object_schema(
            {**WISHES, "session": {"type": "string", "description": "Read it in this session."}},
            required=["url"],
        ),
        output_schema=PAGE,
        arguments=BrowseArguments,
    )

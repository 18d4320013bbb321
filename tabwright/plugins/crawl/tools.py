"""``crawl``, ``map_site`` and ``browse_many``: many pages in one call.

A client that declares tasks gets a task for a long crawl; any other can end the call by `seconds`
and go on with the same call, because the state of a crawl is kept for a while.
"""

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, TypeAlias

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import JSONObject, object_schema
from tabwright.mcp.page_results import notice_parts
from tabwright.mcp.tool import READS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import (
    Address,
    MaxTokens,
    Query,
    Readability,
    TierMax,
    chosen_readability,
    default_reading,
)
from tabwright.protocol.errors import BadInput, TabwrightError
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.page_text import PageText
from tabwright.protocol.progress import WaitProgress
from tabwright.protocol.untrusted_text import Part, Quoted, Sentence
from tabwright.text.lines import counted
from tabwright.text.token_budget import beginning

if TYPE_CHECKING:
    from tabwright.plugins.crawl.crawler import CrawlReport, CrawlStep
    from tabwright.plugins.crawl.store import CrawlStore

PAGES_MAX = 1_000
URLS_MAX = 50
"""The maximum number of URLs of `browse_many`."""

AT_ONCE = 8
KEPT_S = 3_600.0
"""How long the state of a crawl is used for the same call, in seconds."""

SHARE_MIN = 200
"""The least number of tokens of a page; if there are more pages, fewer are shown."""

HEAD_TOKENS = 40
"""Tokens for the title and the URL of a page."""

Include: TypeAlias = Annotated[
    tuple[str, ...], Meta(description='Only URLs that match, e.g. "/docs/*".')
]
Exclude: TypeAlias = Annotated[tuple[str, ...], Meta(description="No URLs that match.")]
PageCount: TypeAlias = Annotated[
    int, Meta(ge=1, le=PAGES_MAX, description="Maximum number of pages to read.")
]


@attrs.frozen(kw_only=True)
class SiteArguments:
    """Arguments of the tools that follow the links of a site."""

    url: Annotated[Address, Meta(description="URL to start at.")]
    include: Include = ()
    exclude: Exclude = ()
    max_depth: Annotated[int, Meta(ge=1, description="Maximum links from the start.")] = 1_000
    seconds: Annotated[float, Meta(gt=0, description="Time limit in seconds.")] = 300.0
    offset: Annotated[int, Meta(ge=0, description="Page to continue from.")] = 0
    max_tokens: MaxTokens | None = None
    max_tier: TierMax | None = None


@attrs.frozen(kw_only=True)
class CrawlArguments(SiteArguments):
    """Arguments of `crawl`."""

    max_pages: PageCount = 20
    query: Query = ""
    readability: Readability | None = None


@attrs.frozen(kw_only=True)
class MapArguments(SiteArguments):
    """Arguments of `map_site`."""

    max_pages: PageCount = 10


@attrs.frozen(kw_only=True)
class BrowseManyArguments:
    """Arguments of `browse_many`."""

    urls: Annotated[
        tuple[Address, ...],
        Meta(min_length=1, max_length=URLS_MAX, description="http or https URLs, up to 50."),
    ]
    query: Query = ""
    readability: Readability | None = None
    max_tokens: MaxTokens | None = None
    max_tier: TierMax | None = None


async def crawl(arguments: CrawlArguments, context: ToolContext) -> ToolResult:
    """Crawl a site and return the text of its pages."""
    settings = await context.settings(arguments)
    default = default_reading(settings)
    reading = _reading(default, arguments.query, readability=arguments.readability)
    tokens_max = settings.reading.result_tokens_max
    async with _crawled(arguments, reading, context) as (store, report):
        pages = [record for record in store.records() if record.get("success")]
    ahead = pages[arguments.offset :]
    if not ahead and arguments.offset:
        raise BadInput(f"offset is {arguments.offset}, but there are {len(pages)} pages.")
    count = min(len(ahead), max(1, tokens_max // SHARE_MIN))
    shown = ahead[:count]
    shares = _shares([_text(one) for one in shown], tokens_max)
    parts: list[Part] = []
    for record, share in zip(shown, shares, strict=True):
        title, notice = str(record.get("title", "")), str(record.get("notice", ""))
        parts += _page_parts(str(record["url"]), title, _text(record), notice, share)
    following = arguments.offset + count
    notes = [_numbers(report)]
    if following < len(pages):
        notes.append(f"More pages: the same call with offset={following}.")
    return ToolResult(
        (*parts, " ".join(notes)),
        {
            "pages": [
                {
                    "url": one["url"],
                    "title": one.get("title", ""),
                    "text": _text(one),
                    **({"notice": one["notice"]} if one.get("notice") else {}),
                }
                for one in shown
            ],
            "stopped": report.stopped,
            **({"next_offset": following} if following < len(pages) else {}),
        },
    )


async def map_site(arguments: MapArguments, context: ToolContext) -> ToolResult:
    """Return the URLs of a site."""
    from tabwright.plugins.crawl.store import known_urls  # noqa: PLC0415  (heavy)

    settings = await context.settings(arguments)
    default = default_reading(settings)
    tokens_max = settings.reading.result_tokens_max
    reading = _reading(default, "", readability=False)
    async with _crawled(arguments, reading, context) as (store, report):
        urls = list(known_urls(store))
    lines = [" ".join(filter(None, (one.url, one.title))) for one in urls[arguments.offset :]]
    text, left = beginning("\n".join(lines), tokens_max)
    shown = text.rpartition("\n")[0] if left and "\n" in text else text
    count = shown.count("\n") + 1 if shown else 0
    following = arguments.offset + count
    notes = [f"{len(urls)} URLs known. {_numbers(report)}"]
    if following < len(urls):
        notes.append(f"More URLs: the same call with offset={following}.")
    return ToolResult(
        (Quoted(shown), " ".join(notes)),
        {
            "urls": [one.url for one in urls[arguments.offset : following]],
            "stopped": report.stopped,
            **({"next_offset": following} if following < len(urls) else {}),
        },
    )


async def browse_many(arguments: BrowseManyArguments, context: ToolContext) -> ToolResult:
    """Read several URLs side by side."""
    import trio  # noqa: PLC0415  (heavy)

    settings = await context.settings(arguments)
    default = default_reading(settings)
    reading = _reading(default, arguments.query, readability=arguments.readability)
    tokens_max = settings.reading.result_tokens_max
    urls = tuple(dict.fromkeys(arguments.urls))
    read: dict[str, PageText | TabwrightError] = {}
    ahead = iter(urls)

    async def work() -> None:
        """Read one URL after another that no other worker has begun."""
        for url in ahead:
            try:
                read[url] = await context.tabwright.read(url, reading)
            except TabwrightError as error:
                read[url] = error
            context.on_progress(WaitProgress(f"{len(read)} of {len(urls)} pages read"))

    async with trio.open_nursery() as workers:
        for _ in range(min(AT_ONCE, len(urls))):
            workers.start_soon(work)
    results = [read[url] for url in urls]
    texts = [one.text.strip() if isinstance(one, PageText) else "" for one in results]
    parts: list[Part] = []
    pages: list[JSONObject] = []
    for url, one, text, share in zip(urls, results, texts, _shares(texts, tokens_max), strict=True):
        if isinstance(one, PageText):
            parts += _page_parts(one.url, one.title, text, one.notice, share)
            notice = {"notice": one.notice} if one.notice else {}
            pages.append({"url": one.url, "title": one.title, "text": one.text, **notice})
        else:
            parts += (Quoted(f"\n{url}"), Sentence(one.chunks))
            pages.append({"url": url, "error": one.message})
    failed = sum(isinstance(one, TabwrightError) for one in results)
    return ToolResult(
        (*parts, f"{len(urls) - failed} of {len(urls)} pages read."),
        {"pages": pages},
        is_error=failed == len(urls),
    )


def _reading(default: ReadOptions, query: str, *, readability: bool | None) -> ReadOptions:
    """Return how each page is read: whole, because the shares of pages are known at the end.

    Pages whose format by the settings is JSON are Markdown here: JSON cannot be cut.
    """
    format_ = "markdown" if default.view.format == "json" else default.view.format
    view = attrs.evolve(default.view, query=query, max_tokens=None, format=format_)
    chosen = chosen_readability(readability, default)
    selection = attrs.evolve(default.selection, readability=chosen)
    return attrs.evolve(default, view=view, selection=selection)


@asynccontextmanager
async def _crawled(
    arguments: "CrawlArguments | MapArguments", reading: ReadOptions, context: ToolContext
) -> AsyncGenerator[tuple["CrawlStore", "CrawlReport"]]:
    """Crawl a site, unless the same call has done so a short while ago; yield its pages."""
    import trio  # noqa: PLC0415  (heavy)

    from tabwright.plugins.crawl.crawler import CrawlRequest, crawl  # noqa: PLC0415  (heavy)
    from tabwright.plugins.crawl.store import open_recent  # noqa: PLC0415  (heavy)
    from tabwright.sessions.store import sessions_folder  # noqa: PLC0415  (heavy)

    tabwright = context.tabwright
    request: CrawlRequest = CrawlRequest(
        start=(arguments.url,),
        include=arguments.include,
        exclude=arguments.exclude,
        depth_max=arguments.max_depth,
        pages_max=arguments.max_pages,
        seconds_max=arguments.seconds,
        text=isinstance(arguments, CrawlArguments),
        reading=reading,
    )
    folder = sessions_folder(tabwright.settings.session.dir) / "crawls"
    store = await trio.to_thread.run_sync(open_recent, folder, request.digest(), KEPT_S)
    try:

        def show(step: "CrawlStep") -> None:
            """Report a page as progress."""
            note = f"{counted(step.pages, 'page')} read, {counted(step.pending, 'URL')} left"
            context.on_progress(WaitProgress(note))

        yield store, await crawl(tabwright, request, store, on_step=show)
    finally:
        store.close()


def _text(record: Mapping[str, object]) -> str:
    return str(record.get("text", "")).strip()


def _shares(texts: Sequence[str], tokens_max: int) -> list[int]:
    """Divide the tokens among texts: what a short text does not need goes to the longer ones."""
    from tabwright.text.token_budget import count_tokens  # noqa: PLC0415

    needs = [count_tokens(text[: 8 * tokens_max]) for text in texts]
    left = max(tokens_max - HEAD_TOKENS * len(texts), len(texts))
    shares = [0] * len(texts)
    by_need = sorted(range(len(texts)), key=needs.__getitem__)
    for place, number in enumerate(by_need):
        shares[number] = max(1, min(needs[number], left // (len(texts) - place)))
        left -= shares[number]
    return shares


def _page_parts(url: str, title: str, text: str, notice: str, share: int) -> Iterator[Part]:
    """Yield a page with its URL, cut to its share of the tokens, and what its notice says."""
    shown, left = beginning(text, share)
    if left and not any(map(str.isalnum, shown)):  # the mark of a heading without its text
        shown, left = "", len(text)
    yield Quoted("\n".join(filter(None, (f"# {title}" if title else "", url, "", shown))))
    if left:
        yield f"({left} characters omitted: browse reads the whole page.)"
    yield from notice_parts(notice)


def _numbers(report: "CrawlReport") -> str:
    counts = report.counts
    read, left = counted(counts.done, "page"), counted(counts.pending, "URL")
    text = f"{read} read, {counts.failed} failed, {left} left."
    if report.stopped == "seconds":
        text += " The time is over: the same call continues."
    elif report.stopped == "paused":
        text += " The site asked for a pause: the same call continues later."
    elif report.stopped == "pages":
        text += " max_pages was reached: the same call with a higher one continues."
    return text


_TEXT: JSONObject = {"type": "string"}
_STOPPED: JSONObject = {
    "type": "string",
    "enum": ["complete", "pages", "bytes", "seconds", "paused"],
    "description": "Why it ended: everything was read, a limit was reached, or the site asked for "
    "a pause.",
}
_NEXT: JSONObject = {"type": "integer", "description": "Offset to continue from."}
_PAGES: JSONObject = {
    "type": "array",
    "items": object_schema(
        {"url": _TEXT, "title": _TEXT, "text": _TEXT, "notice": _TEXT, "error": _TEXT},
        required=["url"],
    ),
}

TOOLS = (
    Tool(
        name="crawl",
        description=(
            "Read many pages of a site by its links and sitemaps, and return their text, shortened "
            "to fit. Obeys robots.txt. To find the right page first, use map_site; to read known "
            "URLs, use browse_many."
        ),
        group="crawl",
        annotations=READS,
        arguments=CrawlArguments,
        handler=crawl,
        output_schema=object_schema(
            {"pages": _PAGES, "stopped": _STOPPED, "next_offset": _NEXT},
            required=["pages", "stopped"],
        ),
    ),
    Tool(
        name="map_site",
        description=(
            "List the URLs of a site with titles where known, from its sitemaps and the links of "
            "its first pages."
        ),
        group="crawl",
        annotations=READS,
        arguments=MapArguments,
        handler=map_site,
        output_schema=object_schema(
            {
                "urls": {"type": "array", "items": _TEXT},
                "stopped": _STOPPED,
                "next_offset": _NEXT,
            },
            required=["urls", "stopped"],
        ),
    ),
    Tool(
        name="browse_many",
        description=(
            "Read several URLs at once as text, each shortened to its share of max_tokens. A page "
            "that fails does not affect the others."
        ),
        group="crawl",
        annotations=READS,
        arguments=BrowseManyArguments,
        handler=browse_many,
        output_schema=object_schema({"pages": _PAGES}, required=["pages"]),
    ),
)

"""``crawl``: many pages in one call.

A client that declares tasks gets a task for a long crawl; any other can end the call by `seconds`
and go on with the same call, because the state of a crawl is kept for a while.
"""

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

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
"""The maximum number of URLs in one call."""

AT_ONCE = 8
KEPT_S = 3_600.0
"""How long the state of a crawl is used for the same call, in seconds."""

SHARE_MIN = 200
"""The least number of tokens of a page; if there are more pages, fewer are shown."""

HEAD_TOKENS = 40
"""Tokens for the title and the URL of a page."""


@attrs.frozen(kw_only=True)
class CrawlArguments:
    """Arguments of `crawl`: a site to follow from `url`, or the pages of `urls`."""

    url: Annotated[Address, Meta(description="URL to start at.")] = ""
    urls: Annotated[
        tuple[Address, ...],
        Meta(max_length=URLS_MAX, description="Or URLs to read at once, up to 50."),
    ] = ()
    urls_only: Annotated[
        bool, Meta(description="Return the URLs of the site, with titles where known.")
    ] = False
    query: Query = ""
    include: Annotated[
        tuple[str, ...], Meta(description='Only URLs that match, e.g. "/docs/*".')
    ] = ()
    exclude: Annotated[tuple[str, ...], Meta(description="No URLs that match.")] = ()
    max_pages: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=PAGES_MAX,
                description="Maximum number of pages to read, default 20; 10 with urls_only.",
            ),
        ]
        | None
    ) = None
    max_depth: Annotated[int, Meta(ge=1, description="Maximum links from the start.")] = 1_000
    seconds: Annotated[float, Meta(gt=0, description="Time limit in seconds.")] = 300.0
    offset: Annotated[int, Meta(ge=0, description="Page to continue from.")] = 0
    readability: Readability | None = None
    max_tokens: MaxTokens | None = None
    max_tier: TierMax | None = None

    def __attrs_post_init__(self) -> None:
        if bool(self.url) == bool(self.urls):
            raise BadInput("crawl needs either url or urls.", advice="Set one of them.")

    @property
    def pages_max(self) -> int:
        """Return the number of pages to read."""
        return self.max_pages or (10 if self.urls_only else 20)


async def crawl(arguments: CrawlArguments, context: ToolContext) -> ToolResult:
    """Crawl a site, or read the given pages; and return their text, or their URLs."""
    settings = await context.settings(arguments)
    default = default_reading(settings)
    reading = _reading(default, arguments.query, readability=arguments.readability)
    tokens_max = settings.reading.result_tokens_max
    if arguments.urls:
        return await _read_urls(arguments.urls, reading, tokens_max, context)
    async with _crawled(arguments, reading, context) as (store, report):
        if arguments.urls_only:
            return _urls(store, report, arguments.offset, tokens_max)
        return _pages(store, report, arguments.offset, tokens_max)


def _pages(store: "CrawlStore", report: "CrawlReport", offset: int, tokens_max: int) -> ToolResult:
    """Return the text of the pages that were read."""
    pages = [record for record in store.records() if record.get("success")]
    ahead = pages[offset:]
    if not ahead and offset:
        raise BadInput(f"offset is {offset}, but there are {len(pages)} pages.")
    count = min(len(ahead), max(1, tokens_max // SHARE_MIN))
    shown = ahead[:count]
    shares = _shares([_text(one) for one in shown], tokens_max)
    parts: list[Part] = []
    for record, share in zip(shown, shares, strict=True):
        title, notice = str(record.get("title", "")), str(record.get("notice", ""))
        parts += _page_parts(str(record["url"]), title, _text(record), notice, share)
    following = offset + count
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


def _urls(store: "CrawlStore", report: "CrawlReport", offset: int, tokens_max: int) -> ToolResult:
    """Return the known URLs of the site."""
    from tabwright.plugins.crawl.store import known_urls  # noqa: PLC0415  (heavy)

    urls = list(known_urls(store))
    lines = [" ".join(filter(None, (one.url, one.title))) for one in urls[offset:]]
    text, left = beginning("\n".join(lines), tokens_max)
    shown = text.rpartition("\n")[0] if left and "\n" in text else text
    count = shown.count("\n") + 1 if shown else 0
    following = offset + count
    notes = [f"{len(urls)} URLs known. {_numbers(report)}"]
    if following < len(urls):
        notes.append(f"More URLs: the same call with offset={following}.")
    return ToolResult(
        (Quoted(shown), " ".join(notes)),
        {
            "urls": [one.url for one in urls[offset:following]],
            "stopped": report.stopped,
            **({"next_offset": following} if following < len(urls) else {}),
        },
    )


async def _read_urls(
    given: Sequence[str], reading: ReadOptions, tokens_max: int, context: ToolContext
) -> ToolResult:
    """Read several URLs side by side."""
    import trio  # noqa: PLC0415  (heavy)

    urls = tuple(dict.fromkeys(given))
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
    arguments: CrawlArguments, reading: ReadOptions, context: ToolContext
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
        pages_max=arguments.pages_max,
        seconds_max=arguments.seconds,
        text=not arguments.urls_only,
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
            "Read many pages of a site by its links and sitemaps, or those of urls, and return "
            "their text, shortened to fit. Obeys robots.txt. To find the right page first, use "
            "urls_only."
        ),
        group="crawl",
        annotations=READS,
        arguments=CrawlArguments,
        handler=crawl,
        output_schema=object_schema(
            {
                "pages": _PAGES,
                "urls": {"type": "array", "items": _TEXT},
                "stopped": _STOPPED,
                "next_offset": _NEXT,
            },
            required=[],
        ),
    ),
)

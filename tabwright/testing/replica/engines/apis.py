"""Replicas of the APIs of engines, with responses as in their documentation.

The structure of a response is that of the real service; its results are made up, and `api_truth`
returns them.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias
from urllib.parse import quote

import attrs
import msgspec

from tabwright.protocol.web_search import SerpEntry
from tabwright.testing.replica.engines.results import topic_of
from tabwright.testing.replica.server import Exchange, ServerResponse

Parameters: TypeAlias = Mapping[str, str]

ON_PAGE: Final = 10
TOTAL: Final = 14
"""Number of results of each for any query: a full page and the start of another."""

NOTHING: Final = "nothing"
"""A query for which no engine lists anything."""

DATE: Final = "2024-03-05"


@attrs.frozen(kw_only=True)
class APIReplica:
    """The replica of one API: its host, the results that it lists, and the form of its response.

    In `link`, `title` and `snippet`, ``{n}`` is the number of the result, from 101, and ``{topic}``
    that of the query; in `link`, ``{title_}`` is the title as in a URL of a wiki.

    Attributes:
        response: returns JSON values, or the text of an Atom feed.
    """

    host: str
    link: str
    response: Callable[[Sequence[SerpEntry], Parameters], object]
    title: str = "{topic} & more ({n})"
    snippet: str = "What {topic} is: 3 < 5, number {n}."
    date: str = f"{DATE}T12:00:00Z"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _mediawiki(entries: Sequence[SerpEntry], _asked: Parameters) -> object:
    """``action=query&list=search`` with ``formatversion=2``: snippets are HTML."""
    rows = [
        {
            "ns": 0,
            "title": one.title,
            "pageid": 7,
            "snippet": _escaped(one.snippet).replace(
                "What", '<span class="searchmatch">What</span>'
            ),
            "timestamp": one.date,
        }
        for one in entries
    ]
    return {"batchcomplete": True, "query": {"searchinfo": {"totalhits": TOTAL}, "search": rows}}


def _wikidata(entries: Sequence[SerpEntry], _asked: Parameters) -> object:
    rows = [
        {"id": one.url.rpartition("/")[2], "label": one.title, "description": one.snippet}
        for one in entries
    ]
    return {"searchinfo": {"search": "x"}, "search": rows, "success": 1}


def _pubmed(entries: Sequence[SerpEntry], asked: Parameters) -> object:
    """``esearch`` answers with ids, ``esummary`` with a record for each."""
    ids = [one.url.rstrip("/").rpartition("/")[2] for one in entries]
    if "id" not in asked:
        return {"header": {"type": "esearch"}, "esearchresult": {"count": "14", "idlist": ids}}
    table: dict[str, object] = {"uids": ids}
    for number, one in zip(ids, entries, strict=True):
        record = {"uid": number, "title": one.title, "pubdate": one.date}
        table[number] = {**record, "fulljournalname": one.snippet, "source": "J"}
    return {"header": {"type": "esummary"}, "result": table}


def _crossref(entries: Sequence[SerpEntry], _asked: Parameters) -> object:
    items = [
        {
            "DOI": one.url.partition("org/")[2],
            "URL": one.url,
            "title": [one.title],
            "container-title": ["A journal"],
            "abstract": f"<jats:p>{_escaped(one.snippet)}</jats:p>",
            "issued": {"date-parts": [[2024, 3, 5]]},
        }
        for one in entries
    ]
    return {"status": "ok", "message-type": "work-list", "message": {"items": items}}


def _hackernews(entries: Sequence[SerpEntry], _asked: Parameters) -> object:
    hits = [
        {
            "objectID": "1",
            "title": one.title,
            "url": one.url,
            "story_text": f"<p>{_escaped(one.snippet)}",
            "created_at": one.date,
        }
        for one in entries
    ]
    return {"hits": hits, "nbHits": TOTAL, "page": 0}


def _marginalia(entries: Sequence[SerpEntry], _asked: Parameters) -> object:
    rows = [{"url": one.url, "title": one.title, "description": one.snippet} for one in entries]
    return {"license": "CC-BY-NC-SA 4.0", "query": "x", "results": rows}


def _openverse(entries: Sequence[SerpEntry], _asked: Parameters) -> object:
    rows = [
        {"title": one.title, "foreign_landing_url": one.url, "attribution": one.snippet}
        for one in entries
    ]
    return {"result_count": TOTAL, "results": rows}


def _gdelt(entries: Sequence[SerpEntry], _asked: Parameters) -> object:
    rows = [
        {"url": one.url, "title": one.title, "seendate": one.date, "domain": one.snippet}
        for one in entries
    ]
    return {"articles": rows}


def _baidu(entries: Sequence[SerpEntry], _asked: Parameters) -> object:
    rows = [{"title": one.title, "url": one.url, "abs": one.snippet} for one in entries]
    return {"feed": {"all": TOTAL, "entry": [*rows, {}]}}


def _searxng(entries: Sequence[SerpEntry], _asked: Parameters) -> object:
    rows = [
        {
            "url": one.url,
            "title": one.title,
            "content": one.snippet,
            "publishedDate": one.date,
            "engine": "x",
        }
        for one in entries
    ]
    return {"query": "x", "number_of_results": 0, "results": rows, "unresponsive_engines": []}


def _arxiv(entries: Sequence[SerpEntry], _asked: Parameters) -> str:
    """The Atom feed of arXiv, with texts that are broken into lines."""
    feed = '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom">'
    rows = (
        f"<entry><id>{one.url}</id><published>{one.date}</published>"
        f"<title>{_escaped(one.title)}</title><summary>\n  {_escaped(one.snippet)}\n</summary>"
        f'<author><name>A</name></author><link href="{one.url}" rel="alternate"/></entry>'
        for one in entries
    )
    return f"{feed}<title>ArXiv Query</title>{''.join(rows)}</feed>"


APIS: Final[Mapping[str, APIReplica]] = MappingProxyType(
    {
        "wikipedia": APIReplica(
            host="en.wikipedia.org",
            link="https://en.wikipedia.org/wiki/{title_}",
            response=_mediawiki,
        ),
        "wikidata": APIReplica(
            host="www.wikidata.org",
            link="https://www.wikidata.org/wiki/Q{n}",
            response=_wikidata,
            date="",
        ),
        "commons": APIReplica(
            host="commons.wikimedia.org",
            link="https://commons.wikimedia.org/wiki/{title_}",
            response=_mediawiki,
            title="File:{topic} & more ({n}).jpg",
        ),
        "openverse": APIReplica(
            host="api.openverse.org",
            link="https://site{n}.example/photo/{n}",
            response=_openverse,
            date="",
        ),
        "baidu": APIReplica(
            host="www.baidu.com",
            link="https://site{n}.example/zh/{n}",
            response=_baidu,
            date="",
        ),
        "arxiv": APIReplica(
            host="export.arxiv.org", link="http://arxiv.org/abs/2403.0{n}v1", response=_arxiv
        ),
        # The request for its summaries has no query.
        "pubmed": APIReplica(
            host="eutils.ncbi.nlm.nih.gov",
            link="https://pubmed.ncbi.nlm.nih.gov/{n}/",
            response=_pubmed,
            title="medicine & more ({n})",
            snippet="Journal of medicine",
            date="2024 Mar 5",
        ),
        "crossref": APIReplica(
            host="api.crossref.org",
            link="https://doi.org/10.5555/{n}",
            response=_crossref,
            date=DATE,
        ),
        "marginalia": APIReplica(
            host="api2.marginalia-search.com",
            link="https://site{n}.example/old-web/{n}",
            response=_marginalia,
            date="",
        ),
        "hackernews": APIReplica(
            host="hn.algolia.com", link="https://site{n}.example/story/{n}", response=_hackernews
        ),
        "gdelt": APIReplica(
            host="api.gdeltproject.org",
            link="https://news{n}.example/{n}.html",
            response=_gdelt,
            snippet="news{n}.example",
            date="20240305T120000Z",
        ),
        "searxng": APIReplica(
            host="searxng.example",
            link="https://site{n}.example/found/{n}",
            response=_searxng,
            date=DATE,
        ),
    }
)
"""The replica of each API, by the name of its engine."""


def api_truth(engine: str, query: str, page: int) -> tuple[SerpEntry, ...]:
    """List the results of an engine on a page, counted from 1, as they should be read."""
    first = 101 + (page - 1) * ON_PAGE
    return tuple(_entry(engine, query, number) for number in range(first, 101 + TOTAL)[:ON_PAGE])


def _entry(engine: str, query: str, number: int) -> SerpEntry:
    api = APIS[engine]
    values = {"n": number, "topic": topic_of(query)}
    title = api.title.format_map(values)
    title_ = quote(title.replace(" ", "_"), safe="/:(),")
    link = api.link.format_map({**values, "title_": title_})
    return SerpEntry(title, link, api.snippet.format_map(values), api.date)


_QUERIES: Final = ("wd", "srsearch", "search", "search_query", "term", "query", "q")
_OFFSETS: Final = ("pn", "sroffset", "continue", "start", "retstart", "offset")


def page_of(asked: Parameters, engine: str) -> int:
    """Return the number of the requested page, from 1."""
    offset = next((int(asked[name]) for name in _OFFSETS if name in asked), None)
    if offset is not None:
        return offset // ON_PAGE + 1
    if engine == "hackernews":
        return int(asked.get("page", "0")) + 1
    return int(asked.get("page") or asked.get("pageno") or "1")


def api_answer(exchange: Exchange) -> ServerResponse | None:
    """Answer a request to an API; None if it is for another host."""
    engine = next((name for name, api in APIS.items() if api.host == exchange.seen.host), None)
    if engine is None:
        return None
    asked = exchange.query
    query = next((asked[name] for name in _QUERIES if name in asked), "")
    query = query.removeprefix("all:")
    entries = () if query == NOTHING else api_truth(engine, query, page_of(asked, engine))
    if "id" in asked:
        entries = tuple(_entry(engine, "", int(number)) for number in asked["id"].split(","))
    response = APIS[engine].response(entries, asked)
    if isinstance(response, str):
        return ServerResponse(response.encode(), content_type="application/atom+xml")
    return ServerResponse(msgspec.json.encode(response), content_type="application/json")

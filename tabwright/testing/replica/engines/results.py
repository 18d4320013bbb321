"""The truth: the results of each engine for a query, always the same for the same query.

Each query has one set of documents. The engines find most of the best ones, each in a different
order and under different URLs: some with tracking parameters, ``www.`` or ``http://``.
`Result.document` identifies the documents.
"""

from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

import attrs
from attrs.validators import ge, in_, optional

# The scenario of an engine: one value, replaced between requests.

Engine: TypeAlias = Literal[
    "duckduckgo", "bing", "brave", "mojeek", "startpage", "ecosia", "google"
]
Status: TypeAlias = Literal[403, 429, 503]
Check: TypeAlias = Literal["captcha", "anubis", "interstitial", "denied"]

ENGINES: Final[tuple[Engine, ...]] = get_args(Engine)


@attrs.frozen
class EngineScenario:
    """The behavior of one engine; an invalid value raises ValueError.

    Attributes:
        captcha: answer searches with the engine's own check, until it is passed, if a person can.
        captcha_after: the same, after this number of result pages.
        startpage_check: the check that Startpage uses then; other engines have only one.
        status: answer every page with a bare error.
        retry_after_s: the ``Retry-After`` header of a 429.
        no_results: find nothing, and show the engine's own page for that.
        drift: use unknown names of classes, ids and attributes.
        hang: never answer.
        slow_s: wait before every answer.
        garbage: send half of the result page as if it were complete.
        sealed: wrap every result in a redirect whose target only the server knows; only Google.
    """

    captcha: bool = False
    captcha_after: int | None = attrs.field(default=None, validator=optional(ge(1)))
    startpage_check: Check = attrs.field(default="captcha", validator=in_(get_args(Check)))
    status: Status | None = attrs.field(default=None, validator=optional(in_(get_args(Status))))
    retry_after_s: int = attrs.field(default=30, validator=ge(0))
    no_results: bool = False
    drift: bool = False
    hang: bool = False
    slow_s: float = attrs.field(default=0.0, validator=ge(0.0))
    garbage: bool = False
    sealed: bool = False


PAGES: Final = 4

_TEN_A_PAGE: Final = (10, 10, 10, 6)
_SIZES: Mapping[Engine, tuple[int, ...]] = MappingProxyType(
    {"duckduckgo": (10, 15, 15, 7), "brave": (20, 20, 20, 11)}
)
_DOCUMENTS: Final = 120
_DISAGREEMENT: Final = 40  # places by which two engines may rank a document apart
_TOPIC_CHARACTERS_MAX: Final = 60

_TITLES: Final = (
    "A guide to {}",
    "{} – explained & compared",  # noqa: RUF001  titles have such dashes
    "What “{}” means",
    "{}: questions <and> answers",
    "日本語で読む {}",
    "The limits of {}, and what's beyond",
)
_SNIPPETS: Final = (
    "All of {} rests on a few simple rules; this page names them, with examples & exercises.",
    "“Is {} worth it?” 3 < 5, says the author, and 100 % of the readers agree (more or less).",
    "A long look at {}: where it began, how it is used today … and what may come of it.",
    "初心者のための {} 入門。例と図で説明します。",
    "Does {} work? It's “tested” here, step by step; see also the tables on costs/benefits.",
)


@attrs.frozen
class Result:
    """One result as an engine lists it.

    Attributes:
        engine: the one that lists it.
        page: the page that lists it, counted from 1.
        rank: its place among all results of the engine, counted from 1 on page 1.
        title: as it is shown.
        url: of the page that it leads to, without the engine's redirect.
        snippet: as it is shown, without a date; empty where there is none.
        date: as Google shows it in front of some snippets; empty elsewhere.
        document: a number; under one query, results of the same number are the same page.
    """

    engine: Engine
    page: int
    rank: int
    title: str
    url: str
    snippet: str
    date: str
    document: int

    @property
    def host(self) -> str:
        """The host of the URL."""
        return urlsplit(self.url).netloc


def truth(engine: Engine, query: str, page: int) -> tuple[Result, ...]:
    """List the results on a page, counted from 1; there are none after the last of `PAGES`."""
    if not 1 <= page <= PAGES:
        return ()
    sizes = _sizes(engine)
    first, end = sum(sizes[: page - 1]), sum(sizes[:page])
    ranked = sorted(
        range(1, _DOCUMENTS + 1),
        key=lambda place: place + _DISAGREEMENT * _chance(engine, query, place) / 256,
    )
    found = ranked[first:end]
    results: list[Result] = []
    for rank, document in enumerate(found, start=first + 1):
        topic = topic_of(query)
        silent = document % 11 == 0
        results.append(
            Result(
                engine=engine,
                page=page,
                rank=rank,
                title=f"{_TITLES[document % len(_TITLES)].format(topic)} ({document})",
                url=_varied(
                    _url(query, document), engine, _chance(engine, query, document, "url") % 8
                ),
                snippet="" if silent else _SNIPPETS[document % len(_SNIPPETS)].format(topic),
                date=f"{document % 28 + 1} Mar 2024"
                if engine == "google" and document % 4 == 0
                else "",
                document=document,
            )
        )
    return tuple(results)


def total(engine: Engine) -> int:
    """Number of results of an engine for any query, on all pages."""
    return sum(_sizes(engine))


def topic_of(query: str) -> str:
    """Return the query's beginning on one line, for titles and snippets."""
    return " ".join(query.split())[:_TOPIC_CHARACTERS_MAX].strip()


def _sizes(engine: Engine) -> tuple[int, ...]:
    return _SIZES.get(engine, _TEN_A_PAGE)


def _url(query: str, document: int) -> str:
    """The canonical URL of a document; two documents share each host."""
    place = f"https://site{(document + 1) // 2}.example/{_digest(query).hex()[:8]}"
    match document % 7:
        case 3:  # a careless list would take it for an advertisement
            return f"https://ads-research.example/doubleclick.net/{place[-8:]}/{document}"
        case 4:
            return f"{place}/read?id={document}&part=a%20b"
        case 5:
            return f"{place}/{document}?url=https%3A%2F%2Fother.example%2F%3Fu%3Da1%26uddg%3Db"
        case _:
            return f"{place}/{document}"


def _varied(url: str, engine: Engine, way: int) -> str:
    joint = "&" if "?" in url else "?"
    match way:
        case 0:
            return f"{url}{joint}utm_source={engine}&utm_medium=organic"
        case 1:
            return url.replace("https://", "http://", 1)
        case 2:
            return url.replace("https://", "https://www.", 1)
        case 3:
            return f"{url}{joint}fbclid=IwAR0x"
        case _:
            return url


def _chance(*what: object) -> int:
    """A number from 0 to 255 that is always the same for the same values."""
    return _digest(*what)[0]


def _digest(*what: object) -> bytes:
    return sha256("\n".join(map(str, what)).encode()).digest()

"""Requests for result pages and their pagination: a URL, or the forms that lead there."""

from collections.abc import Mapping
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from urllib.parse import urlencode

from tabwright.protocol.errors import BadInput
from tabwright.protocol.web_search import (
    TIME_RANGES,
    FormEntry,
    Offset,
    Operator,
    ResultParser,
    SafeSearch,
    SerpRequest,
    Template,
    TimeRange,
    WebQuery,
)
from tabwright.search.urls import checked_query
from tabwright.text.languages import checked_language, primary

PAGES_MAX = 10
"""Above this number, engines suspect a program or repeat themselves."""

DAYS: Mapping[TimeRange, int] = dict(zip(TIME_RANGES, (1, 7, 30, 365), strict=True))
"""The days of each time range."""

_EPOCH = date(1970, 1, 1)


def page_request(parser: ResultParser, query: WebQuery, today: date) -> SerpRequest:
    """Return the request for the engine's result page for a query.

    A language that the engine does not support is left out: it is a preference.

    Raises:
        BadInput: the query is blank or too long for the engine, there are no such pages, the
            language code is invalid, or the engine cannot limit results as requested.
    """
    if not 1 <= query.page <= PAGES_MAX:
        raise BadInput(
            f"There is no page {query.page} of results.",
            advice=f"Use a page from 1 to {PAGES_MAX}.",
        )
    values = {
        "query": _checked_query(parser, with_operators(parser.name, parser.operators, query)),
        **_place(parser.offset, query.page),
        **_language(parser, query),
        **_time(parser, query.time_range, today),
        **(safe_value(parser.name, parser.safe, query.safe) if query.safe else {}),
    }
    if query.category != "web":
        raise BadInput(
            f"{parser.name} has no category {query.category}.",
            advice="Omit the category, or this engine.",
        )
    fields = {
        name: text
        for name, template in parser.fields.items()
        if (text := template.filled(values)) is not None
    }
    if parser.form is None:
        return SerpRequest(f"{parser.url}?{urlencode(fields)}")
    next_forms = (
        parser.form.next.filled(_place(parser.offset, page)) for page in range(2, query.page + 1)
    )
    return SerpRequest(
        str(parser.url),
        FormEntry(str(parser.form.selector), fields),
        tuple(filter(None, next_forms)),
    )


def with_operators(name: str, known: Mapping[Operator, Template], query: WebQuery) -> str:
    """Return the query with its operators in the engine's notation.

    Raises:
        BadInput: the engine does not support one of them.
    """
    words = [query.query]
    for operator, value in query.limits:
        text = known[operator].filled({"value": value}) if operator in known else None
        if text is None:
            raise BadInput(
                f"{name} cannot limit results by {operator}.",
                advice=f"Omit {operator}, or this engine.",
            )
        words.append(text)
    return " ".join(words)


def safe_value(name: str, known: Mapping[SafeSearch, str], safe: SafeSearch) -> dict[str, str]:
    """Return ``{safe}`` for a level of filtering; nothing if nothing is to be filtered.

    Raises:
        BadInput: the engine cannot filter.
    """
    if safe in known:
        return {"safe": known[safe]}
    if safe == "off":
        return {}
    raise BadInput(
        f"{name} cannot filter explicit content.", advice="Omit safe_search, or this engine."
    )


@cache
def submit_function() -> str:
    """Return the function ``submit(selector, fields)``: fill in a form (JSON object) and submit it.

    Its value is ``submitted``, or ``missing`` if there is no such form.
    """
    return files(__package__ or "").joinpath("js", "submit.js").read_text(encoding="utf-8")


def tag_of(query: WebQuery) -> str:
    """Return the language with the region; empty if none is requested."""
    if query.language is None:
        return ""
    language = primary(query.language)
    return checked_language(f"{language}-{query.region}" if query.region else query.language)


def _checked_query(parser: ResultParser, query: str) -> str:
    limit = parser.query_chars_max
    if limit is not None and len(query) > limit:
        raise BadInput(
            f"The query has {len(query):,} characters; the limit of {parser.name} is {limit:,}.",
            advice="Shorten it, or omit this engine.",
        )
    return checked_query(query)


def _place(offset: Offset, page: int) -> dict[str, str]:
    if page == 1:
        return {"page": "1"}
    further = page - 2
    return {
        "page": str(page),
        "further": str(further) if further else "",
        "offset": str(offset.on_page(page)),
    }


def _language(parser: ResultParser, query: WebQuery) -> dict[str, str]:
    values = {"region": query.region.lower()} if query.region else {}
    tag = tag_of(query)
    if tag:
        values["tag"] = tag
        known = parser.languages.get(tag) or parser.languages.get(primary(tag))
    else:
        end = f"-{query.region.upper()}" if query.region else ""
        tags = [one for one in parser.languages if end and one.endswith(end)]
        known = parser.languages[tags[0]] if tags else None
    return values if known is None else {**values, "language": known}


def _time(parser: ResultParser, time_range: TimeRange | None, today: date) -> dict[str, str]:
    if time_range is None:
        return {}
    template = parser.times.get(time_range)
    if template is None:
        raise BadInput(
            f"{parser.name} cannot limit results to the last {time_range}.",
            advice="Omit the time range, or this engine.",
        )
    first = today - timedelta(days=DAYS[time_range])
    text = template.filled(
        {
            "since": first.strftime("%Y%m%d"),
            "first_day": str((first - _EPOCH).days),
            "last_day": str((today - _EPOCH).days),
        }
    )
    return {} if text is None else {"time": text}

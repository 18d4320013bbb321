"""Requests for result pages and their pagination: a URL, or the forms that lead there."""

from collections.abc import Mapping
from datetime import date, timedelta
from urllib.parse import urlencode

from tabwright.protocol.errors import BadInput
from tabwright.protocol.web_search import (
    TIME_RANGES,
    FormEntry,
    Offset,
    ResultParser,
    SerpRequest,
    TimeRange,
    WebQuery,
)
from tabwright.search.ai_mode.google_urls import checked_query
from tabwright.text.languages import checked_language, primary

PAGES_MAX = 10
"""Past this, engines take us for a machine or repeat themselves."""

_DAYS: Mapping[TimeRange, int] = dict(zip(TIME_RANGES, (1, 7, 30, 365), strict=True))
_EPOCH = date(1970, 1, 1)


def page_request(parser: ResultParser, query: WebQuery, today: date) -> SerpRequest:
    """How the engine's result page for a query is reached.

    A language that the engine does not know is left out: it is a wish.

    Raises:
        BadInput: the query is blank or too long for the engine, there are no such pages, the code
            is none of a language, or the engine does not search by time.
    """
    if not 1 <= query.page <= PAGES_MAX:
        raise BadInput(
            f"There is no page {query.page} of results.", advice=f"Ask for one of 1 to {PAGES_MAX}."
        )
    values = {
        "query": _checked_query(parser, query.query),
        **_place(parser.offset, query.page),
        **_language(parser, query.language),
        **_time(parser, query.time_range, today),
    }
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


def _checked_query(parser: ResultParser, query: str) -> str:
    limit = parser.query_chars_max
    if limit is not None and len(query) > limit:
        raise BadInput(
            f"The query has {len(query):,} characters; {parser.name} takes {limit:,}.",
            advice="Shorten it, or leave this engine out.",
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


def _language(parser: ResultParser, language: str | None) -> dict[str, str]:
    if language is None:
        return {}
    tag = checked_language(language)
    known = parser.languages.get(tag) or parser.languages.get(primary(tag))
    return {"tag": tag} if known is None else {"tag": tag, "language": known}


def _time(parser: ResultParser, time_range: TimeRange | None, today: date) -> dict[str, str]:
    if time_range is None:
        return {}
    template = parser.times.get(time_range)
    if template is None:
        raise BadInput(
            f"{parser.name} does not search the last {time_range} alone.",
            advice="Leave out the time range, or this engine.",
        )
    first = today - timedelta(days=_DAYS[time_range])
    text = template.filled(
        {
            "since": first.strftime("%Y%m%d"),
            "first_day": str((first - _EPOCH).days),
            "last_day": str((today - _EPOCH).days),
        }
    )
    return {} if text is None else {"time": text}

"""Requests to the APIs of engines, and their answers as results."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeAlias, cast
from urllib.parse import quote, urlencode
from xml.etree import ElementTree as ET

import msgspec
from selectolax.lexbor import LexborHTMLParser

from tabwright.content.xml_tree import ExpandingXML, check_xml
from tabwright.protocol.errors import BadInput
from tabwright.protocol.search_apis import SearchApi
from tabwright.protocol.web_search import (
    ResultPage,
    ResultPageStatus,
    SearchNotice,
    SearchNoticeKind,
    SerpEntry,
    Template,
    TimeRange,
    WebQuery,
)
from tabwright.search.serp.page_requests import DAYS, safe_value, tag_of, with_operators
from tabwright.search.serp.parser import RESULTS_MAX, TEXT_CHARS_MAX, no_such_page, unread_rows
from tabwright.search.serp.results import result_url
from tabwright.text.languages import checked_language, primary
from tabwright.text.lines import one_line, shortened

ApiValue: TypeAlias = "bool | int | float | str | list[ApiValue] | dict[str, ApiValue] | None"
"""An answer, or a part of it."""

TEXT = "#text"
"""The key of the text of an XML element."""

_ROW_PLACEHOLDER = re.compile(r"\{([\w.-]+)\}")
_MARKUP = re.compile(r"[<&]")


def api_url(api: SearchApi, query: WebQuery, now: datetime, server: str) -> str:
    """Return the URL of the request for a page of results.

    Args:
        api: the engine.
        query: the query; its operators are appended to it.
        now: the current time.
        server: of SearXNG; empty for other engines.

    Raises:
        BadInput: the engine cannot limit results as requested.
    """
    values = {
        "query": with_operators(api.name, api.operators, query),
        "page": str(query.page),
        "index": str(query.page - 1),
        "offset": str((query.page - 1) * api.step),
        "server": server.rstrip("/"),
        "language": api_language(api, query),
    }
    if tag := tag_of(query):
        values["tag"] = tag
    if query.time_range is not None:
        values["time"] = _time(api, query.time_range, now)
    if query.category != "web" and query.category not in api.categories:
        raise BadInput(
            f"{api.name} has no category {query.category}.",
            advice="Omit the category, or this engine.",
        )
    if category := api.categories.get(query.category):
        values["category"] = category
    if query.safe is not None:
        values |= safe_value(api.name, api.safe, query.safe)
    return _filled(api.url, api.fields, values)


def details_url(api: SearchApi, ids: Iterable[str]) -> str:
    """Return the URL of the second request, for these ids."""
    if api.details is None:
        return ""
    return _filled(api.details.url, api.details.fields, {"ids": ",".join(ids)})


def api_language(api: SearchApi, query: WebQuery) -> str:
    """Return the language that the engine is asked in, without its region."""
    return primary(checked_language(query.language or api.default_language))


def _time(api: SearchApi, time_range: TimeRange, now: datetime) -> str:
    days = DAYS[time_range]
    first = now - timedelta(days=days)
    template = api.times.get(time_range)
    since = {
        "since_day": first.astimezone(UTC).date().isoformat(),
        "since_s": str(int(first.timestamp())),
        "days": str(days),
    }
    text = template.filled(since) if template is not None else None
    if text is None:
        raise BadInput(
            f"{api.name} cannot limit results to the last {time_range}.",
            advice="Omit the time range, or this engine.",
        )
    return text


def _filled(url: Template, fields: Mapping[str, Template], values: Mapping[str, str]) -> str:
    texts = {name: template.filled(values) for name, template in fields.items()}
    query = urlencode({name: text for name, text in texts.items() if text is not None})
    return f"{url.filled(values)}?{query}"


def read_ids(api: SearchApi, body: bytes) -> tuple[str, ...] | None:
    """Return the ids in the first answer; None if it has another form than expected."""
    found = _at(_parsed(api, body), api.details.ids if api.details else "")
    if not isinstance(found, list):
        return None
    return tuple(text for one in found[:RESULTS_MAX] if (text := _text(one)))


def read_answer(api: SearchApi, body: bytes, language: str, page: int) -> ResultPage:
    """Return the results in an answer, or why there are none.

    Args:
        api: the engine.
        body: the answer.
        language: that the engine was asked in.
        page: the number of the requested page.
    """
    answer = _parsed(api, body)
    rows = _rows(api, answer)
    if rows is None:
        message = f"The answer of {api.name} has no {api.results}: its form has changed."
        return ResultPage(ResultPageStatus.CHANGED, message=message)
    if not rows:
        return nothing(api, page)
    request: dict[str, ApiValue] = {"request": {"language": language}}
    found = [_entry(api, {**row, **request}) for row in rows]
    entries = tuple(entry for entry in found if entry is not None)
    if not entries:
        message = f"The results of {api.name} have no title or no link: their form has changed."
        return ResultPage(ResultPageStatus.CHANGED, message=message)
    unread = len(rows) - len(entries)
    notices = (unread_rows(api.name, unread, len(rows)),) if unread else ()
    return ResultPage(ResultPageStatus.RESULTS, entries, notices=notices)


def nothing(api: SearchApi, page: int) -> ResultPage:
    """Return the page of an engine that lists nothing."""
    message = f"{api.name} lists nothing for this query."
    why = SearchNotice(SearchNoticeKind.NO_RESULTS, message)
    why = no_such_page(api.name, page) if page > 1 else why
    return ResultPage(ResultPageStatus.NO_RESULTS, message=why.message, notices=(why,))


def _rows(api: SearchApi, answer: ApiValue) -> Sequence[dict[str, ApiValue]] | None:
    found = _at(answer, api.results)
    if api.keys:
        keys = _at(answer, api.keys)
        if not isinstance(found, dict) or not isinstance(keys, list):
            return None
        found = [found.get(str(key)) for key in keys]
    elif api.is_xml and found is None and answer is not None:
        found = []  # an element that is not there is an empty list
    elif api.is_xml and isinstance(found, dict):
        found = [found]
    if not isinstance(found, list):
        return None
    return [row for row in found[:RESULTS_MAX] if isinstance(row, dict) and row]


def _entry(api: SearchApi, row: dict[str, ApiValue]) -> SerpEntry | None:
    title, url = _first(row, api.title), next(_links(api, row), "")
    if not title or not url:
        return None
    return SerpEntry(title, url, _first(row, api.snippet), _first(row, api.date))


def _links(api: SearchApi, row: dict[str, ApiValue]) -> Iterator[str]:
    for template in api.link:
        names: list[str] = _ROW_PLACEHOLDER.findall(template)
        values = {name: _text(_at(row, name)) for name in names}
        if all(values.values()):
            url = template
            for name, value in values.items():
                is_whole = template == f"{{{name}}}"
                part = value if is_whole else quote(value.replace(" ", "_"), safe="/:(),")
                url = url.replace(f"{{{name}}}", part)
            if shown := result_url(url):
                yield shown


def _first(row: dict[str, ApiValue], paths: Iterable[str]) -> str:
    texts = (_shown(_text(_at(row, path))) for path in paths)
    return next(filter(None, texts), "")


def _shown(text: str) -> str:
    """Return a text without markup, on one line."""
    if _MARKUP.search(text):
        text = str(LexborHTMLParser(text[: 5 * TEXT_CHARS_MAX]).text(separator=""))
    return shortened(one_line(text), TEXT_CHARS_MAX)


def _text(value: ApiValue) -> str:
    """Return a value as text: of lists, the first text, or numbers of a date with hyphens."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict):
        return _text(value.get(TEXT))
    if isinstance(value, list):
        numbers = [f"{one:02}" for one in value if isinstance(one, int)]
        return "-".join(numbers) if numbers else _text(next(iter(value), None))
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _at(value: ApiValue, path: str) -> ApiValue:
    """Return the part of an answer at a path of keys; None if there is none."""
    *above, last = path.split(".")
    for key in above:
        value = value.get(key) if isinstance(value, dict) else None
    return value.get(last) if isinstance(value, dict) else None


def _parsed(api: SearchApi, body: bytes) -> ApiValue:
    """Return an answer as dictionaries, lists and texts; None if it cannot be parsed."""
    try:
        return _xml(body) if api.is_xml else cast("ApiValue", msgspec.json.decode(body))
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None


def _xml(body: bytes) -> ApiValue:
    try:
        check_xml(body)
        return _plain(ET.fromstring(body))  # noqa: S314  (it is checked)
    except (ExpandingXML, ET.ParseError, LookupError, ValueError):  # or its encoding
        return None


def _plain(element: ET.Element) -> dict[str, ApiValue]:
    """Return an element: its text, and its children by name, repeated ones as a list."""
    record: dict[str, ApiValue] = {TEXT: element.text or ""}
    for child in element:
        name = child.tag.rpartition("}")[2]
        before = record.get(name)
        if isinstance(before, list):
            before.append(_plain(child))
        else:
            record[name] = _plain(child) if before is None else [before, _plain(child)]
    return record

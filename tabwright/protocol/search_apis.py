"""Search engines with an API: how they are requested without a browser, and their answers read."""

from collections.abc import Mapping

import attrs

from tabwright.protocol.web_search import (
    Category,
    Operator,
    SafeSearch,
    Template,
    TimeRange,
)


@attrs.frozen(kw_only=True)
class ApiDetails:
    """A second request for engines whose first answer has only ids.

    Attributes:
        ids: the path of the ids in the first answer.
        url: of the second request.
        fields: of its query; ``{ids}`` are the ids, separated by commas.
    """

    ids: str
    url: Template
    fields: Mapping[str, Template]


@attrs.frozen(kw_only=True)
class SearchApi:
    """How an engine is queried by its API; see ``search_apis.yaml``.

    Attributes:
        name: of the engine, for messages.
        url: of the API.
        fields: of the query; a field whose placeholder has no value is omitted.
        headers: of the request.
        default_language: ``{language}`` of a search without a language.
        step: the number of results on a page; `pages_max` is the number of pages.
        times: ``{time}`` for each time range that the engine supports.
        safe: ``{safe}`` for each level of filtering that it supports.
        categories: ``{category}`` for each category that it has.
        operators: what is appended to the query to limit it.
        details: the second request, if one is needed.
        is_xml: whether the answer is XML; otherwise it is JSON.
        results: the path of the results in the answer.
        keys: the path of the keys of the results, if they are not a list; empty for a list.
        title, snippet, date: paths within a result; the first that has a value is used.
        link: templates of the URL, from the values of a result; the first that has all is used.
    """

    name: str
    url: Template
    fields: Mapping[str, Template]
    headers: Mapping[str, str] = attrs.Factory(dict[str, str])
    default_language: str = "en"
    step: int = 10
    pages_max: int = 10
    times: Mapping[TimeRange, Template] = attrs.Factory(dict[TimeRange, Template])
    safe: Mapping[SafeSearch, str] = attrs.Factory(dict[SafeSearch, str])
    categories: Mapping[Category, str] = attrs.Factory(dict[Category, str])
    operators: Mapping[Operator, Template] = attrs.Factory(dict[Operator, Template])
    details: ApiDetails | None = None
    is_xml: bool = False
    results: str
    keys: str = ""
    title: tuple[str, ...]
    link: tuple[str, ...]
    snippet: tuple[str, ...] = ()
    date: tuple[str, ...] = ()

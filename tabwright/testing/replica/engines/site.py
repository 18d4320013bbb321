"""What the engines have in common: which parts there are to each."""

from collections.abc import Callable, Mapping
from html import escape
from types import MappingProxyType
from typing import TypeAlias

import attrs

from tabwright.testing.replica.engines.results import Result
from tabwright.testing.replica.engines.visit import EngineVisit, has_pass
from tabwright.testing.replica.server import Response, html
from tabwright.testing.replica.templates import fill

Page: TypeAlias = Callable[[EngineVisit], Response]


def _start(visit: EngineVisit) -> Response:
    return html(fill("engines/start.html", engine=visit.engine.title()))


@attrs.frozen
class EngineSite:
    """An engine as the replica plays it.

    Attributes:
        hosts: its names.
        paths: of its start page and of its results.
        asked: reads from the parameters what is searched for, and which page of it.
        results: answers a search.
        check: answers one that has to be checked first.
        start: answers a request without a query.
        doors: answers requests for other things by their path, whatever the scenario.
        is_human: whether a browser has passed the check.
    """

    hosts: frozenset[str]
    paths: frozenset[str]
    asked: Callable[[Mapping[str, str]], tuple[str, int]]
    results: Page
    check: Page
    start: Page = _start
    doors: Mapping[str, Page] = MappingProxyType({})
    is_human: Callable[[EngineVisit], bool] = has_pass


def item(template: str, visit: EngineVisit, result: Result, href: str, *, tag: str = "b") -> str:
    """Writes a result; `tag` is what the engine marks the words of the query with."""
    return fill(
        f"engines/{template}",
        href=href,
        url=result.url,
        host=result.host,
        trail=_trail(result),
        title=result.title,
        title_html=_marked(result.title, visit.topic, tag),
        snippet_html=_marked(result.snippet, visit.topic, tag),
        date_html=fill("engines/google/date.html", date=result.date) if result.date else "",
        rank=str(result.rank),
    )


def _trail(result: Result) -> str:
    scheme, _, place = result.url.partition("?")[0].partition("://")
    host, *steps = place.split("/")
    return " › ".join((f"{scheme}://{host}", *steps))  # noqa: RUF001  the pages have this sign


def _marked(text: str, topic: str, tag: str) -> str:
    plain, found = escape(text), escape(topic)
    return plain.replace(found, f"<{tag}>{found}</{tag}>") if found else plain

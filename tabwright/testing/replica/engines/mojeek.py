"""Mojeek: a plain list without redirects, and a limiter that nobody can talk to."""

from collections.abc import Mapping
from typing import Final

from tabwright.testing.replica.engines.site import EngineSite, EngineVisit, item
from tabwright.testing.replica.languages import fill, text_of
from tabwright.testing.replica.server import ServerResponse, html

_PAGE_SIZE: Final = 10
_PAGE_MAX: Final = 10


def _asked(parameters: Mapping[str, str]) -> tuple[str, int]:
    return parameters.get("q", "").strip(), int(parameters.get("s") or 0) // _PAGE_SIZE + 1


def _results(visit: EngineVisit) -> ServerResponse:
    """Writes the page; whoever says where page 1 begins, or goes too far, is no reader."""
    if visit.page > _PAGE_MAX or (visit.page == 1 and "s" in visit.parameters):
        return _check(visit)
    rows = [item("mojeek/result.html", visit, result, result.url) for result in visit.results]
    page = fill(
        "engines/mojeek/results.html",
        query=visit.query,
        results_html=_list(rows, visit),
        pages_html=_pages(visit),
    )
    return html(page)


def _list(rows: list[str], visit: EngineVisit) -> str:
    if not rows:
        return fill("engines/mojeek/none.html", query=visit.query)
    return '<ul class="results-standard">\n' + "\n".join(rows) + "\n</ul>"


def _pages(visit: EngineVisit) -> str:
    if visit.is_last:
        return ""
    href = visit.path_with(s=str(visit.page * _PAGE_SIZE))
    return fill("engines/mojeek/next.html", href=href)


def _check(_: EngineVisit) -> ServerResponse:
    return html(text_of("engines/mojeek/blocked.html"), status=403)


SITE: Final = EngineSite(
    hosts=frozenset({"www.mojeek.com"}),
    paths=frozenset({"/", "/search"}),
    asked=_asked,
    results=_results,
    check=_check,
)

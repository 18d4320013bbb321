"""Ecosia: results known by their ``data-test-id``, and a block that says so in two words."""

from collections.abc import Mapping
from typing import Final

from tabwright.testing.replica.engines.site import EngineSite, EngineVisit, item
from tabwright.testing.replica.languages import fill, text_of
from tabwright.testing.replica.server import ServerResponse, html


def _asked(parameters: Mapping[str, str]) -> tuple[str, int]:
    return parameters.get("q", "").strip(), int(parameters.get("p") or 0) + 1


def _results(visit: EngineVisit) -> ServerResponse:
    rows = [item("ecosia/result.html", visit, result, result.url) for result in visit.results]
    page = fill(
        "engines/ecosia/results.html",
        query=visit.query,
        results_html="\n".join(rows) or fill("engines/ecosia/none.html", query=visit.query),
        pages_html=_pages(visit),
    )
    return html(page)


def _pages(visit: EngineVisit) -> str:
    if visit.is_last:
        return ""
    return fill("engines/ecosia/next.html", href=visit.path_with(p=str(visit.page)))


def _check(_: EngineVisit) -> ServerResponse:
    return html(text_of("engines/ecosia/blocked.html"), status=403)


SITE: Final = EngineSite(
    hosts=frozenset({"www.ecosia.org"}),
    paths=frozenset({"/", "/search"}),
    asked=_asked,
    results=_results,
    check=_check,
)

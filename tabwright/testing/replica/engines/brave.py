"""Brave Search: blocks of many types, pages counted by number, and proof of work."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tabwright.testing.replica.engines.results import Result
from tabwright.testing.replica.engines.site import (
    EngineSite,
    EngineVisit,
    is_done,
    item,
    passed,
    task_for,
)
from tabwright.testing.replica.languages import fill, text_of
from tabwright.testing.replica.server import ServerResponse, html, redirect

_PAGE_MAX: Final = 10


def _asked(parameters: Mapping[str, str]) -> tuple[str, int]:
    return parameters.get("q", "").strip(), int(parameters.get("offset") or 0) + 1


def _results(visit: EngineVisit) -> ServerResponse:
    if visit.page > _PAGE_MAX:  # no reader goes so far
        return _check(visit)
    page = fill(
        "engines/brave/results.html",
        query=visit.query,
        results_html="\n".join(_item(visit, result) for result in visit.results)
        or fill("engines/brave/none.html", query=visit.query),
        pages_html=_next(visit),
    )
    return html(page)


def _item(visit: EngineVisit, result: Result) -> str:
    template = "brave/plain.html" if result.rank % 5 == 0 else "brave/result.html"
    return item(template, visit, result, result.url, tag="strong")


def _next(visit: EngineVisit) -> str:
    if visit.is_last:
        return ""
    return fill("engines/brave/next.html", href=visit.path_with(offset=str(visit.page)))


def _check(visit: EngineVisit) -> ServerResponse:
    page = fill(
        "engines/brave/challenge.html",
        address=visit.address,
        task=task_for(visit.address),
        script_html=text_of("engines/work.js"),
    )
    return html(page)


def _solved(visit: EngineVisit) -> ServerResponse:
    form = visit.exchange.form
    if is_done(form.get("task", ""), form.get("nonce", "")):
        return passed(visit, form["continue"])
    return redirect(form["continue"], status=303)


SITE: Final = EngineSite(
    hosts=frozenset({"search.brave.com"}),
    paths=frozenset({"/", "/search"}),
    asked=_asked,
    results=_results,
    check=_check,
    doors=MappingProxyType(
        {
            "/api/captcha/pow": _solved,
            "/a/redirect": lambda _: redirect("https://shop.example/offer"),
        }
    ),
)

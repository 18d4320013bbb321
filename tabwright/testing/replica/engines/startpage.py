"""Startpage: a search begins at its form, whose hidden ``sc`` must come back while it is fresh.

The results stand on the page twice, as elements and as the data that a script makes them of.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final
from urllib.parse import urlencode

import msgspec
import trio

from tabwright.testing.replica.engines.results import Check, Result
from tabwright.testing.replica.engines.site import (
    EngineSite,
    EngineVisit,
    Page,
    has_pass,
    is_done,
    item,
    passed,
    task_for,
)
from tabwright.testing.replica.languages import fill, text_of
from tabwright.testing.replica.markup import sealed, unsealed
from tabwright.testing.replica.server import ServerResponse, html, redirect

_ORIGIN: Final = "https://www.startpage.com"
_FRESH_S: Final = 30.0
_OPENING: Final = "open-sesame"


def _asked(parameters: Mapping[str, str]) -> tuple[str, int]:
    return parameters.get("query", "").strip(), int(parameters.get("page") or 1)


def fresh_code(age_s: float = 0.0) -> str:
    """Makes the code that a form carries, as if it were `age_s` seconds old."""
    return sealed(str(trio.current_time() - age_s))


def _is_fresh(code: str) -> bool:
    try:
        return trio.current_time() - float(unsealed(code)) <= _FRESH_S
    except ValueError:
        return False


def _start(_: EngineVisit) -> ServerResponse:
    return html(fill("engines/startpage/start.html", code=fresh_code()))


def _results(visit: EngineVisit) -> ServerResponse:
    if not _is_fresh(visit.parameters.get("sc", "")) and not has_pass(visit):
        return _captcha(visit)
    rows = [item("startpage/result.html", visit, result, result.url) for result in visit.results]
    regions = [
        {"display_type": "ads-top", "results": [{"title": "Buy it", "clickUrl": "/do/search?ad"}]},
        {"display_type": "web-google", "results": list(map(_entry, visit.results))},
        {"display_type": "images-qi-top", "results": [{"title": "Pictures"}]},
    ]
    data = {"render": {"presenter": {"query": visit.query, "regions": {"mainline": regions}}}}
    page = fill(
        "engines/startpage/results.html",
        query=visit.query,
        code=fresh_code(),
        results_html="\n".join(rows) or fill("engines/startpage/none.html", query=visit.query),
        pages_html=_next(visit),
        data_html=msgspec.json.encode(data).decode().replace("</", "<\\/"),
    )
    return html(page)


def _next(visit: EngineVisit) -> str:
    if visit.is_last:
        return ""
    return fill(
        "engines/startpage/next.html",
        query=visit.query,
        page=str(visit.page + 1),
        code=fresh_code(),
        language=visit.parameters.get("language", "english"),
        since=visit.parameters.get("with_date", ""),
    )


def _entry(result: Result) -> Mapping[str, str]:
    return {
        "title": result.title,
        "clickUrl": result.url,
        "description": result.snippet,
        "displayUrl": result.host,
    }


def _check(visit: EngineVisit) -> ServerResponse:
    return _CHECKS[visit.play.scenario.startpage_check](visit)


def _captcha(visit: EngineVisit) -> ServerResponse:
    return redirect(f"{_ORIGIN}/sp/captcha?{urlencode({'continue': visit.address})}")


def _captcha_page(visit: EngineVisit) -> ServerResponse:
    if visit.exchange.form.get("solved") == _OPENING:
        return passed(visit, visit.parameters["continue"])
    address = visit.parameters["continue"]
    return html(fill("engines/startpage/captcha.html", address=address, opening=_OPENING))


def _anubis(visit: EngineVisit) -> ServerResponse:
    page = fill(
        "engines/startpage/anubis.html",
        task=task_for(visit.address),
        address=visit.address,
        script_html=text_of("engines/work.js"),
    )
    return html(page)


def _anubis_passed(visit: EngineVisit) -> ServerResponse:
    query = visit.exchange.query
    if is_done(query["challenge"], query["nonce"]):
        return passed(visit, query["redir"])
    return redirect(query["redir"])


def _interstitial(visit: EngineVisit) -> ServerResponse:
    page = fill("engines/startpage/interstitial.html", sgt=_OPENING, address=visit.address)
    return html(page)


def _interstitial_passed(visit: EngineVisit) -> ServerResponse:
    form = visit.exchange.form
    if form["sgt"] == _OPENING:
        return passed(visit, form["continue"])
    return redirect(form["continue"], status=303)


def _denied(_: EngineVisit) -> ServerResponse:
    return html(text_of("engines/startpage/denied.html"))


_CHECKS: Mapping[Check, Page] = MappingProxyType(
    {
        "captcha": _captcha,
        "anubis": _anubis,
        "interstitial": _interstitial,
        "denied": _denied,
    }
)

SITE: Final = EngineSite(
    hosts=frozenset({"www.startpage.com"}),
    paths=frozenset({"/", "/sp/search"}),
    asked=_asked,
    start=_start,
    results=_results,
    check=_check,
    doors=MappingProxyType(
        {
            "/sp/captcha": _captcha_page,
            "/.within.website/x/cmd/anubis/api/pass-challenge": _anubis_passed,
            "/do/search": _interstitial_passed,
        }
    ),
)

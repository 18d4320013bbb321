"""Google's classic result page: three shapes of results behind ``/url``, and the way to /sorry."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from tabwright.testing.replica.engines.results import Result
from tabwright.testing.replica.engines.site import EngineSite, EngineVisit, item
from tabwright.testing.replica.google import ORIGIN
from tabwright.testing.replica.languages import fill
from tabwright.testing.replica.markup import sealed, wrapped
from tabwright.testing.replica.server import Exchange, ServerResponse, html, redirect

_PAGE_SIZE: Final = 10
_WORDS_MAX: Final = 32
_SHAPES: Final = ("google/result.html", "google/bare.html", "google/old.html")
_AI_MODE: Final = "50"
_EXEMPTED: Final = "GOOGLE_ABUSE_EXEMPTION"


def is_classic(exchange: Exchange) -> bool:
    """Whether a request to Google is one for a classic result page."""
    return exchange.path == "/search" and exchange.query.get("udm") != _AI_MODE


def _asked(parameters: Mapping[str, str]) -> tuple[str, int]:
    return parameters.get("q", "").strip(), int(parameters.get("start") or 0) // _PAGE_SIZE + 1


def _results(visit: EngineVisit) -> ServerResponse:
    page = fill(
        "engines/google/results.html",
        query=visit.query,
        language=visit.parameters.get("hl") or "en",
        notice_html=_notice(visit),
        results_html="\n".join(_item(visit, result) for result in visit.results)
        or fill("engines/google/none.html", query=visit.query),
        pages_html=_next(visit),
    )
    return html(page)


def _notice(visit: EngineVisit) -> str:
    words = visit.query.split()
    if len(words) <= _WORDS_MAX:
        return ""
    return fill("engines/google/notice.html", word=words[_WORDS_MAX])


def _item(visit: EngineVisit, result: Result) -> str:
    """Writes a result; every other link of a shape goes by way of Google."""
    shape = _SHAPES[result.rank % len(_SHAPES)]
    href = wrapped(result.url, "url" if result.rank % 2 else "direct")
    return item(shape, visit, result, href, tag="em")


def _next(visit: EngineVisit) -> str:
    if visit.is_last:
        return ""
    return fill(
        "engines/google/next.html", href=visit.path_with(start=str(visit.page * _PAGE_SIZE))
    )


def _check(visit: EngineVisit) -> ServerResponse:
    """Sends a browser to the CAPTCHA that stands before AI Mode, too."""
    asked = {"continue": visit.address, "q": sealed(visit.address)[:40]}
    return redirect(f"{ORIGIN}/sorry/index?{urlencode(asked)}")


SITE: Final = EngineSite(
    hosts=frozenset({"www.google.com"}),
    paths=frozenset({"/search"}),
    asked=_asked,
    results=_results,
    check=_check,
    is_human=lambda visit: _EXEMPTED in visit.exchange.cookies,
)

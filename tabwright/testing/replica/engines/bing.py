"""Bing: results in two shapes behind ``/ck/a``, and a last page that is the first again."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Final
from urllib.parse import urlencode

from tabwright.testing.replica.engines.results import Result, total
from tabwright.testing.replica.engines.site import EngineSite, EngineVisit, item, passed
from tabwright.testing.replica.languages import fill, text_of
from tabwright.testing.replica.server import ServerResponse, html, redirect

_PAGE_SIZE: Final = 10
_SCHEME: Final = "a1"


def _asked(parameters: Mapping[str, str]) -> tuple[str, int]:
    first = int(parameters.get("first") or 1)
    return parameters.get("q", "").strip(), (first - 1) // _PAGE_SIZE + 1


def _results(visit: EngineVisit) -> ServerResponse:
    """Writes the page; one that does not exist is page 1, and the count of results tells."""
    if "first" in visit.parameters and visit.page < 2:  # noqa: PLR2004  a browser never says so
        return _check(visit)
    page = visit.page if visit.results else 1
    results = visit.results_of(page)
    shown = fill(
        "engines/bing/results.html",
        query=visit.query,
        results_html="\n".join(_item(visit, result) for result in results)
        or fill("engines/bing/none.html", query=visit.query),
        count=_count(visit, page, len(results)),
        pages_html="".join(_link(visit, number, page) for number in range(1, 6)) if results else "",
    )
    return html(shown)


def _count(visit: EngineVisit, page: int, shown: int) -> str:
    everything = total(visit.engine)
    if not shown:
        return ""
    if page == 1:
        return f"About {everything} results"
    first = (page - 1) * _PAGE_SIZE + 1
    return f"{first}-{first + shown - 1} of {everything} results"


def _item(visit: EngineVisit, result: Result) -> str:
    template = "bing/tile.html" if result.rank % 4 == 0 else "bing/result.html"
    sealed = urlsafe_b64encode(result.url.encode()).decode().rstrip("=")
    mark = sha256(result.url.encode()).hexdigest()
    return item(
        template,
        visit,
        result,
        f"https://www.bing.com/ck/a?!&&p={mark}&ptn=3&ver=2&hsh=4&fclid={mark[:8]}"
        f"&u={_SCHEME}{sealed}&ntb=1",
        tag="strong",
    )


def _wrapper(visit: EngineVisit) -> ServerResponse:
    sealed = visit.parameters["u"].removeprefix(_SCHEME)
    return redirect(urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4)).decode())


def _link(visit: EngineVisit, number: int, page: int) -> str:
    if number == page:
        return f'<li><a class="sb_pagS sb_pagS_bp b_widePag sb_bp">{number}</a></li>'
    form = "PERE" + (str(number - 2) if number > 2 else "")  # noqa: PLR2004  PERE leads to page 2
    changes = {"first": str((number - 1) * _PAGE_SIZE + 1), "FORM": form}
    return fill(
        "engines/bing/page.html",
        number=str(number),
        href=visit.path_with(**changes)
        if number > 1
        else f"/search?{urlencode({'q': visit.query})}",
        kind="sb_pagN sb_pagN_bp b_widePag sb_bp" if number == page + 1 else "b_widePag sb_bp",
    )


def _check(visit: EngineVisit) -> ServerResponse:
    return html(fill("engines/bing/challenge.html", address=visit.address))


def _widget(_: EngineVisit) -> ServerResponse:
    return html(text_of("engines/bing/turnstile.html"))


def _solved(visit: EngineVisit) -> ServerResponse:
    form = visit.exchange.form
    if form.get("cf-turnstile-response"):
        return passed(visit, form["continue"])
    return redirect(form["continue"], status=303)


SITE: Final = EngineSite(
    hosts=frozenset({"www.bing.com", "challenges.cloudflare.com"}),
    paths=frozenset({"/", "/search"}),
    asked=_asked,
    results=_results,
    check=_check,
    doors=MappingProxyType(
        {
            "/ck/a": _wrapper,
            "/aclick": lambda _: redirect("https://shop.example/offer"),
            "/turnstile/widget": _widget,
            "/challenge/verify": _solved,
        }
    ),
)

"""The result pages of Bing, Brave, Google, Mojeek and Ecosia, and their defenses against robots."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from types import MappingProxyType
from typing import Final
from urllib.parse import urlencode

from tabwright.testing.replica.answers import fill, text_of
from tabwright.testing.replica.engines.results import total
from tabwright.testing.replica.engines.site import (
    EngineSite,
    EngineVisit,
    is_done,
    item,
    passed,
    task_for,
)
from tabwright.testing.replica.google import ORIGIN
from tabwright.testing.replica.markup import sealed, wrapped
from tabwright.testing.replica.scenario import LinkForm
from tabwright.testing.replica.server import Exchange, ServerResponse, html, redirect


def asked_by(
    name: str, parameters: Mapping[str, str], size: int = 1, start: int = 0
) -> tuple[str, int]:
    """Return the query, and the number of the requested page, from 1.

    Args:
        name: the parameter that says where the page begins.
        parameters: of the request.
        size: how much that number grows from page to page.
        start: its value on the first page.
    """
    first = int(parameters.get(name) or start)
    return parameters.get("q", "").strip(), (first - start) // size + 1


_PAGE_SIZE: Final = 10
_PAGE_MAX: Final = 10


# Bing: results in two shapes behind ``/ck/a``, and a last page that is the first again.

_BING_SCHEME: Final = "a1"


def _bing_results(visit: EngineVisit) -> ServerResponse:
    """Write the page; for a page that does not exist, page 1, as its counter of results shows."""
    if "first" in visit.parameters and visit.page < 2:  # noqa: PLR2004  a browser never says so
        return _bing_check(visit)
    page = visit.page if visit.results else 1
    results = visit.results_of(page)
    rows: list[str] = []
    for result in results:
        template = "bing/tile.html" if result.rank % 4 == 0 else "bing/result.html"
        sealed = urlsafe_b64encode(result.url.encode()).decode().rstrip("=")
        mark = sha256(result.url.encode()).hexdigest()
        rows.append(
            item(
                template,
                visit,
                result,
                f"https://www.bing.com/ck/a?!&&p={mark}&ptn=3&ver=2&hsh=4&fclid={mark[:8]}"
                f"&u={_BING_SCHEME}{sealed}&ntb=1",
                tag="strong",
            )
        )
    shown = fill(
        "engines/bing/results.html",
        query=visit.query,
        results_html="\n".join(rows) or fill("engines/bing/none.html", query=visit.query),
        count=_bing_count(visit, page, len(results)),
        pages_html="".join(_bing_link(visit, number, page) for number in range(1, 6))
        if results
        else "",
    )
    return html(shown)


def _bing_count(visit: EngineVisit, page: int, shown: int) -> str:
    everything = total(visit.engine)
    if not shown:
        return ""
    if page == 1:
        return f"About {everything} results"
    first = (page - 1) * _PAGE_SIZE + 1
    return f"{first}-{first + shown - 1} of {everything} results"


def _bing_wrapper(visit: EngineVisit) -> ServerResponse:
    sealed = visit.parameters["u"].removeprefix(_BING_SCHEME)
    return redirect(urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4)).decode())


def _bing_link(visit: EngineVisit, number: int, page: int) -> str:
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


def _bing_check(visit: EngineVisit) -> ServerResponse:
    return html(fill("engines/bing/challenge.html", address=visit.address))


def _bing_solved(visit: EngineVisit) -> ServerResponse:
    form = visit.exchange.form
    if form.get("cf-turnstile-response"):
        return passed(visit, form["continue"])
    return redirect(form["continue"], status=303)


BING_SITE: Final = EngineSite(
    hosts=frozenset({"www.bing.com", "challenges.cloudflare.com"}),
    paths=frozenset({"/", "/search"}),
    asked=partial(asked_by, "first", size=_PAGE_SIZE, start=1),
    results=_bing_results,
    check=_bing_check,
    doors=MappingProxyType(
        {
            "/ck/a": _bing_wrapper,
            "/aclick": lambda _: redirect("https://shop.example/offer"),
            "/turnstile/widget": lambda _: html(text_of("engines/bing/turnstile.html")),
            "/challenge/verify": _bing_solved,
        }
    ),
)


# Brave Search: blocks of many types, pages counted by number, and proof of work.


def _brave_results(visit: EngineVisit) -> ServerResponse:
    if visit.page > _PAGE_MAX:  # no reader goes so far
        return _brave_check(visit)
    rows: list[str] = []
    for result in visit.results:
        template = "brave/plain.html" if result.rank % 5 == 0 else "brave/result.html"
        rows.append(item(template, visit, result, result.url, tag="strong"))
    page = fill(
        "engines/brave/results.html",
        query=visit.query,
        results_html="\n".join(rows) or fill("engines/brave/none.html", query=visit.query),
        pages_html=""
        if visit.is_last
        else fill("engines/brave/next.html", href=visit.path_with(offset=str(visit.page))),
    )
    return html(page)


def _brave_check(visit: EngineVisit) -> ServerResponse:
    page = fill(
        "engines/brave/challenge.html",
        address=visit.address,
        task=task_for(visit.address),
        script_html=text_of("engines/work.js"),
    )
    return html(page)


def _brave_solved(visit: EngineVisit) -> ServerResponse:
    form = visit.exchange.form
    if is_done(form.get("task", ""), form.get("nonce", "")):
        return passed(visit, form["continue"])
    return redirect(form["continue"], status=303)


BRAVE_SITE: Final = EngineSite(
    hosts=frozenset({"search.brave.com"}),
    paths=frozenset({"/", "/search"}),
    asked=partial(asked_by, "offset"),
    results=_brave_results,
    check=_brave_check,
    doors=MappingProxyType(
        {
            "/api/captcha/pow": _brave_solved,
            "/a/redirect": lambda _: redirect("https://shop.example/offer"),
        }
    ),
)


# Google's classic result page: three shapes behind ``/url``, and the way to /sorry.

_GOOGLE_WORDS_MAX: Final = 32
_GOOGLE_SHAPES: Final = ("google/result.html", "google/bare.html", "google/old.html")
_GOOGLE_AI_MODE: Final = "50"
_GOOGLE_EXEMPTED: Final = "GOOGLE_ABUSE_EXEMPTION"


def is_classic(exchange: Exchange) -> bool:
    """Return whether a request to Google is for a classic result page."""
    return exchange.path == "/search" and exchange.query.get("udm") != _GOOGLE_AI_MODE


def _google_results(visit: EngineVisit) -> ServerResponse:
    words, notice = visit.query.split(), ""
    if len(words) > _GOOGLE_WORDS_MAX:
        notice = fill("engines/google/notice.html", word=words[_GOOGLE_WORDS_MAX])
    rows: list[str] = []
    for result in visit.results:
        shape = _GOOGLE_SHAPES[result.rank % len(_GOOGLE_SHAPES)]
        plain: LinkForm = "url" if result.rank % 2 else "direct"
        href = wrapped(result.url, "goto" if visit.play.scenario.sealed else plain)
        rows.append(item(shape, visit, result, href, tag="em"))
    page = fill(
        "engines/google/results.html",
        query=visit.query,
        language=visit.parameters.get("hl") or "en",
        notice_html=notice,
        results_html="\n".join(rows) or fill("engines/google/none.html", query=visit.query),
        pages_html=(
            ""
            if visit.is_last
            else fill(
                "engines/google/next.html",
                href=visit.path_with(start=str(visit.page * _PAGE_SIZE)),
            )
        ),
    )
    return html(page)


def _google_check(visit: EngineVisit) -> ServerResponse:
    """Send a browser to the CAPTCHA that AI Mode has, too."""
    asked = {"continue": visit.address, "q": sealed(visit.address)[:40]}
    return redirect(f"{ORIGIN}/sorry/index?{urlencode(asked)}")


GOOGLE_SITE: Final = EngineSite(
    hosts=frozenset({"www.google.com"}),
    paths=frozenset({"/search"}),
    asked=partial(asked_by, "start", size=_PAGE_SIZE),
    results=_google_results,
    check=_google_check,
    is_human=lambda visit: _GOOGLE_EXEMPTED in visit.exchange.cookies,
)


# Mojeek: a plain list without redirects, and a limiter without a challenge to solve.


def _mojeek_results(visit: EngineVisit) -> ServerResponse:
    """Write the page; block a client that sends an offset for page 1, or too large a page."""
    if visit.page > _PAGE_MAX or (visit.page == 1 and "s" in visit.parameters):
        return _mojeek_check(visit)
    rows = [item("mojeek/result.html", visit, result, result.url) for result in visit.results]
    page = fill(
        "engines/mojeek/results.html",
        query=visit.query,
        results_html='<ul class="results-standard">\n' + "\n".join(rows) + "\n</ul>"
        if rows
        else fill("engines/mojeek/none.html", query=visit.query),
        pages_html=""
        if visit.is_last
        else fill(
            "engines/mojeek/next.html",
            href=visit.path_with(s=str(visit.page * _PAGE_SIZE)),
        ),
    )
    return html(page)


def _mojeek_check(_: EngineVisit) -> ServerResponse:
    return html(text_of("engines/mojeek/blocked.html"), status=403)


MOJEEK_SITE: Final = EngineSite(
    hosts=frozenset({"www.mojeek.com"}),
    paths=frozenset({"/", "/search"}),
    asked=partial(asked_by, "s", size=_PAGE_SIZE),
    results=_mojeek_results,
    check=_mojeek_check,
)


# Ecosia: results known by their ``data-test-id``, and a block that says so in two words.


def _ecosia_results(visit: EngineVisit) -> ServerResponse:
    rows = [item("ecosia/result.html", visit, result, result.url) for result in visit.results]
    page = fill(
        "engines/ecosia/results.html",
        query=visit.query,
        results_html="\n".join(rows) or fill("engines/ecosia/none.html", query=visit.query),
        pages_html=""
        if visit.is_last
        else fill("engines/ecosia/next.html", href=visit.path_with(p=str(visit.page))),
    )
    return html(page)


ECOSIA_SITE: Final = EngineSite(
    hosts=frozenset({"www.ecosia.org"}),
    paths=frozenset({"/", "/search"}),
    asked=partial(asked_by, "p"),
    results=_ecosia_results,
    check=lambda _: html(text_of("engines/ecosia/blocked.html"), status=403),
)

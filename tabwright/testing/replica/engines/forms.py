"""The result pages of DuckDuckGo and Startpage, which page with forms and tokens."""

from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Final
from urllib.parse import quote, urlencode

import msgspec
import trio

from tabwright.testing.replica.answers import fill, text_of
from tabwright.testing.replica.engines.results import Check
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
from tabwright.testing.replica.markup import sealed, unsealed
from tabwright.testing.replica.server import ServerResponse, html, redirect

# DuckDuckGo's pages without scripts: everything is a form, and page 2 is known by its token. Links
# lead through ``duckduckgo.com/l/``; advertisements through ``y.js``, or Bing's ``aclick``.

_DUCK_START: Final = "https://html.duckduckgo.com/html/"
_DUCK_QUERY_CHARACTERS_MAX: Final = 499
_DUCK_FIRST_STEP: Final = 10
_DUCK_STEP: Final = 15
_DUCK_TILES: Final = 9
_DUCK_PICTURE: Final = "/assets/anomaly/images/challenge.svg"
_DUCK_CHECKING: Final = 202


def _duck_asked(parameters: Mapping[str, str]) -> tuple[str, int]:
    skipped = int(parameters.get("s") or 0)
    page = 1 if skipped < _DUCK_FIRST_STEP else 2 + (skipped - _DUCK_FIRST_STEP) // _DUCK_STEP
    return parameters.get("q", "").strip(), page


def _duck_results(visit: EngineVisit) -> ServerResponse:
    if len(visit.query) > _DUCK_QUERY_CHARACTERS_MAX:
        return redirect(_DUCK_START, status=303)
    if visit.page > 1 and _duck_is_chinese(visit):
        return html(fill("engines/status.html", status="403", reading="Forbidden"), status=403)
    if visit.page > 1 and visit.parameters.get("vqd") != _duck_vqd(visit.query):
        return _duck_check(visit)
    ends = visit.is_last or _duck_is_chinese(visit)
    rows: list[str] = []
    for result in visit.results:
        mark = sha256(result.url.encode()).hexdigest()
        href = f"//duckduckgo.com/l/?uddg={quote(result.url, safe='')}&rut={mark}"
        rows.append(item("duckduckgo/result.html", visit, result, href))
    page = fill(
        "engines/duckduckgo/results.html",
        query=visit.query,
        results_html="\n".join(rows) or fill("engines/duckduckgo/none.html", query=visit.query),
        forms_html=(_duck_form(visit, visit.page - 1, "Previous") if visit.page > 1 else "")
        + ("" if ends else _duck_form(visit, visit.page + 1, "Next")),
    )
    return html(page)


def _duck_is_chinese(visit: EngineVisit) -> bool:
    return "zh" in visit.parameters.get("kl", "")


def _duck_form(visit: EngineVisit, page: int, label: str) -> str:
    skipped = _DUCK_FIRST_STEP + _DUCK_STEP * (page - 2) if page > 1 else 0
    return fill(
        "engines/duckduckgo/turn.html",
        query=visit.query,
        skipped=str(skipped),
        counted=str(skipped + 1),
        label=label,
        vqd=_duck_vqd(visit.query),
        region=visit.parameters.get("kl", ""),
        since=visit.parameters.get("df", ""),
    )


def _duck_vqd(query: str) -> str:
    return f"4-{int(sha256(query.encode()).hexdigest()[:32], 16)}"


def _duck_check(visit: EngineVisit) -> ServerResponse:
    """Show the pictures, and ask for those with a duck."""
    task = sha256(visit.address.encode()).hexdigest()[:16]
    tiles = (
        fill("engines/duckduckgo/tile.html", tile=tile, source=f"{_DUCK_PICTURE}?tile={tile}")
        for tile in _duck_tiles(task)
    )
    page = fill(
        "engines/duckduckgo/challenge.html",
        query=visit.query,
        task=task,
        address=visit.address,
        tiles_html="\n".join(tiles),
    )
    return html(page, status=_DUCK_CHECKING)


def _duck_tiles(task: str) -> list[str]:
    return [sha256(f"{task} {place}".encode()).hexdigest()[:16] for place in range(_DUCK_TILES)]


def has_duck(tile: str) -> bool:
    """Return whether there is a duck in the picture of a tile, as a person can see."""
    return int(tile, 16) % 3 == 0


def _duck_picture(visit: EngineVisit) -> ServerResponse:
    name = "duck" if has_duck(visit.parameters["tile"]) else "tree"
    picture = text_of(f"engines/duckduckgo/{name}.svg")
    return ServerResponse(picture.encode(), content_type="image/svg+xml")


def _duck_solved(visit: EngineVisit) -> ServerResponse:
    """Accept a client that selected exactly the pictures with ducks."""
    form = visit.exchange.form
    found = {name for name in form if name not in {"task", "continue"}}
    if found == set(filter(has_duck, _duck_tiles(form["task"]))):
        return passed(visit, form["continue"], domain="duckduckgo.com")
    return redirect(form["continue"], status=303)


DUCKDUCKGO_SITE: Final = EngineSite(
    hosts=frozenset({"html.duckduckgo.com", "duckduckgo.com"}),
    paths=frozenset({"/html/"}),
    asked=_duck_asked,
    start=lambda _: html(text_of("engines/duckduckgo/start.html")),
    results=_duck_results,
    check=_duck_check,
    doors=MappingProxyType(
        {
            "/": lambda _: redirect(_DUCK_START),
            "/html": lambda _: redirect(_DUCK_START),
            "/l/": lambda visit: redirect(visit.parameters["uddg"]),
            "/y.js": lambda _: redirect("https://shop.example/offer"),
            "/anomaly.js": _duck_solved,
            _DUCK_PICTURE: _duck_picture,
        }
    ),
)


# Startpage: a search begins at its form, whose hidden ``sc`` must come back while it is fresh. The
# results are on the page twice, as elements and as the data that a script makes them of.

_START_ORIGIN: Final = "https://www.startpage.com"
_START_FRESH_S: Final = 30.0
_START_OPENING: Final = "open-sesame"


def _start_asked(parameters: Mapping[str, str]) -> tuple[str, int]:
    return parameters.get("query", "").strip(), int(parameters.get("page") or 1)


def fresh_code(age_s: float = 0.0) -> str:
    """Create the code of a form, as if it were `age_s` seconds old."""
    return sealed(str(trio.current_time() - age_s))


def _start_is_fresh(code: str) -> bool:
    try:
        return trio.current_time() - float(unsealed(code)) <= _START_FRESH_S
    except ValueError:
        return False


def _start_results(visit: EngineVisit) -> ServerResponse:
    if not _start_is_fresh(visit.parameters.get("sc", "")) and not has_pass(visit):
        return _start_captcha(visit)
    rows = [item("startpage/result.html", visit, result, result.url) for result in visit.results]
    regions = [
        {"display_type": "ads-top", "results": [{"title": "Buy it", "clickUrl": "/do/search?ad"}]},
        {
            "display_type": "web-google",
            "results": [
                {
                    "title": result.title,
                    "clickUrl": result.url,
                    "description": result.snippet,
                    "displayUrl": result.host,
                }
                for result in visit.results
            ],
        },
        {"display_type": "images-qi-top", "results": [{"title": "Pictures"}]},
    ]
    data = {"render": {"presenter": {"query": visit.query, "regions": {"mainline": regions}}}}
    page = fill(
        "engines/startpage/results.html",
        query=visit.query,
        code=fresh_code(),
        results_html="\n".join(rows) or fill("engines/startpage/none.html", query=visit.query),
        pages_html=(
            ""
            if visit.is_last
            else fill(
                "engines/startpage/next.html",
                query=visit.query,
                page=str(visit.page + 1),
                code=fresh_code(),
                language=visit.parameters.get("language", "english"),
                since=visit.parameters.get("with_date", ""),
            )
        ),
        data_html=msgspec.json.encode(data).decode().replace("</", "<\\/"),
    )
    return html(page)


def _start_captcha(visit: EngineVisit) -> ServerResponse:
    return redirect(f"{_START_ORIGIN}/sp/captcha?{urlencode({'continue': visit.address})}")


def _start_captcha_page(visit: EngineVisit) -> ServerResponse:
    if visit.exchange.form.get("solved") == _START_OPENING:
        return passed(visit, visit.parameters["continue"])
    address = visit.parameters["continue"]
    return html(fill("engines/startpage/captcha.html", address=address, opening=_START_OPENING))


def _start_anubis(visit: EngineVisit) -> ServerResponse:
    page = fill(
        "engines/startpage/anubis.html",
        task=task_for(visit.address),
        address=visit.address,
        script_html=text_of("engines/work.js"),
    )
    return html(page)


def _start_anubis_passed(visit: EngineVisit) -> ServerResponse:
    query = visit.exchange.query
    if is_done(query["challenge"], query["nonce"]):
        return passed(visit, query["redir"])
    return redirect(query["redir"])


def _start_interstitial_passed(visit: EngineVisit) -> ServerResponse:
    form = visit.exchange.form
    if form["sgt"] == _START_OPENING:
        return passed(visit, form["continue"])
    return redirect(form["continue"], status=303)


_START_CHECKS: Mapping[Check, Page] = MappingProxyType(
    {
        "captcha": _start_captcha,
        "anubis": _start_anubis,
        "interstitial": lambda visit: html(
            fill("engines/startpage/interstitial.html", sgt=_START_OPENING, address=visit.address)
        ),
        "denied": lambda _: html(text_of("engines/startpage/denied.html")),
    }
)

STARTPAGE_SITE: Final = EngineSite(
    hosts=frozenset({"www.startpage.com"}),
    paths=frozenset({"/", "/sp/search"}),
    asked=_start_asked,
    start=lambda _: html(fill("engines/startpage/start.html", code=fresh_code())),
    results=_start_results,
    check=lambda visit: _START_CHECKS[visit.play.scenario.startpage_check](visit),
    doors=MappingProxyType(
        {
            "/sp/captcha": _start_captcha_page,
            "/.within.website/x/cmd/anubis/api/pass-challenge": _start_anubis_passed,
            "/do/search": _start_interstitial_passed,
        }
    ),
)

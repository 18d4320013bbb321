"""DuckDuckGo's pages without scripts: everything is a form, and page 2 is known by its token.

Links lead through ``duckduckgo.com/l/``; advertisements through ``y.js``, or Bing's ``aclick``.
"""

from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

from tabwright.testing.replica.engines.results import Result
from tabwright.testing.replica.engines.site import EngineSite, EngineVisit, item, passed
from tabwright.testing.replica.languages import fill, text_of
from tabwright.testing.replica.server import ServerResponse, html, redirect

_START: Final = "https://html.duckduckgo.com/html/"
_QUERY_CHARACTERS_MAX: Final = 499
_FIRST_STEP: Final = 10
_STEP: Final = 15
_TILES: Final = 9
_PICTURE: Final = "/assets/anomaly/images/challenge.svg"
_CHECKING: Final = 202


def _asked(parameters: Mapping[str, str]) -> tuple[str, int]:
    skipped = int(parameters.get("s") or 0)
    page = 1 if skipped < _FIRST_STEP else 2 + (skipped - _FIRST_STEP) // _STEP
    return parameters.get("q", "").strip(), page


def _start(_: EngineVisit) -> ServerResponse:
    return html(text_of("engines/duckduckgo/start.html"))


def _results(visit: EngineVisit) -> ServerResponse:
    if len(visit.query) > _QUERY_CHARACTERS_MAX:
        return redirect(_START, status=303)
    if visit.page > 1 and _is_chinese(visit):
        return html(fill("engines/status.html", status="403", reading="Forbidden"), status=403)
    if visit.page > 1 and visit.parameters.get("vqd") != _vqd(visit.query):
        return _check(visit)
    page = fill(
        "engines/duckduckgo/results.html",
        query=visit.query,
        results_html="\n".join(_item(visit, result) for result in visit.results)
        or fill("engines/duckduckgo/none.html", query=visit.query),
        forms_html=(_form(visit, visit.page - 1, "Previous") if visit.page > 1 else "")
        + _on(visit),
    )
    return html(page)


def _is_chinese(visit: EngineVisit) -> bool:
    return "zh" in visit.parameters.get("kl", "")


def _item(visit: EngineVisit, result: Result) -> str:
    mark = sha256(result.url.encode()).hexdigest()
    href = f"//duckduckgo.com/l/?uddg={quote(result.url, safe='')}&rut={mark}"
    return item("duckduckgo/result.html", visit, result, href)


def _on(visit: EngineVisit) -> str:
    ends = visit.is_last or _is_chinese(visit)
    return "" if ends else _form(visit, visit.page + 1, "Next")


def _form(visit: EngineVisit, page: int, label: str) -> str:
    skipped = _FIRST_STEP + _STEP * (page - 2) if page > 1 else 0
    return fill(
        "engines/duckduckgo/turn.html",
        query=visit.query,
        skipped=str(skipped),
        counted=str(skipped + 1),
        label=label,
        vqd=_vqd(visit.query),
        region=visit.parameters.get("kl", ""),
        since=visit.parameters.get("df", ""),
    )


def _vqd(query: str) -> str:
    return f"4-{int(sha256(query.encode()).hexdigest()[:32], 16)}"


def _check(visit: EngineVisit) -> ServerResponse:
    """Asks for the squares with a duck in them."""
    task = sha256(visit.address.encode()).hexdigest()[:16]
    tiles = (
        fill("engines/duckduckgo/tile.html", tile=tile, source=f"{_PICTURE}?tile={tile}")
        for tile in _tiles(task)
    )
    page = fill(
        "engines/duckduckgo/challenge.html",
        query=visit.query,
        task=task,
        address=visit.address,
        tiles_html="\n".join(tiles),
    )
    return html(page, status=_CHECKING)


def _tiles(task: str) -> list[str]:
    return [sha256(f"{task} {place}".encode()).hexdigest()[:16] for place in range(_TILES)]


def has_duck(tile: str) -> bool:
    """Whether there is a duck in the picture of a tile; the person who looks can tell."""
    return int(tile, 16) % 3 == 0


def _picture(visit: EngineVisit) -> ServerResponse:
    name = "duck" if has_duck(visit.parameters["tile"]) else "tree"
    picture = text_of(f"engines/duckduckgo/{name}.svg")
    return ServerResponse(picture.encode(), content_type="image/svg+xml")


def _solved(visit: EngineVisit) -> ServerResponse:
    """Lets in whoever found all the ducks, and nothing else."""
    form = visit.exchange.form
    found = {name for name in form if name not in {"task", "continue"}}
    if found == set(filter(has_duck, _tiles(form["task"]))):
        return passed(visit, form["continue"], domain="duckduckgo.com")
    return redirect(form["continue"], status=303)


def _wrapper(visit: EngineVisit) -> ServerResponse:
    return redirect(visit.parameters["uddg"])


def _advertised(_: EngineVisit) -> ServerResponse:
    return redirect("https://shop.example/offer")


SITE: Final = EngineSite(
    hosts=frozenset({"html.duckduckgo.com", "duckduckgo.com"}),
    paths=frozenset({"/html/"}),
    asked=_asked,
    start=_start,
    results=_results,
    check=_check,
    doors=MappingProxyType(
        {
            "/": lambda _: redirect(_START),
            "/html": lambda _: redirect(_START),
            "/l/": _wrapper,
            "/y.js": _advertised,
            "/anomaly.js": _solved,
            _PICTURE: _picture,
        }
    ),
)

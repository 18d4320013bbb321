"""All engines: the routing of requests, the state of each engine, and the effects of scenarios."""

from collections.abc import Mapping
from itertools import count
from types import MappingProxyType
from typing import Final

import attrs
import trio

from tabwright.testing.replica.answers import fill
from tabwright.testing.replica.engines.forms import DUCKDUCKGO_SITE, STARTPAGE_SITE
from tabwright.testing.replica.engines.pages import (
    BING_SITE,
    BRAVE_SITE,
    ECOSIA_SITE,
    GOOGLE_SITE,
    MOJEEK_SITE,
    is_classic,
)
from tabwright.testing.replica.engines.results import ENGINES, Engine, EngineScenario
from tabwright.testing.replica.engines.site import (
    EnginePlay,
    EngineRequest,
    EngineSite,
    EngineVisit,
    drifted,
    parameters_of,
)
from tabwright.testing.replica.server import Exchange, ServerResponse, html

_SITES: Mapping[Engine, EngineSite] = MappingProxyType(
    {
        "duckduckgo": DUCKDUCKGO_SITE,
        "bing": BING_SITE,
        "brave": BRAVE_SITE,
        "mojeek": MOJEEK_SITE,
        "startpage": STARTPAGE_SITE,
        "ecosia": ECOSIA_SITE,
        "google": GOOGLE_SITE,
    }
)
_READINGS: Final = {403: "Forbidden", 429: "Too Many Requests", 503: "Service Unavailable"}


class ReplicaEngines:
    """The replicas of the engines, each with its own scenario.

    Google shows AI Mode and a short list of results until a scenario for its classic pages is
    set.

    Attributes:
        asked: every page that was requested since the start, oldest first.
    """

    def __init__(self) -> None:
        self.asked: list[EngineRequest] = []
        self._numbers = count(1)
        self._plays: dict[Engine, EnginePlay] = {}
        for engine in ENGINES:
            if engine != "google":
                self.play(engine, EngineScenario())

    def play(self, engine: Engine, scenario: EngineScenario) -> None:
        """Set an engine's scenario from its next request on; reset its counts and passes."""
        self._plays[engine] = EnginePlay(scenario, next(self._numbers))

    def asked_by(self, exchange: Exchange) -> Engine | None:
        """Return the engine that a request goes to; None for other hosts."""
        for engine in self._plays:
            here = exchange.seen.host in _SITES[engine].hosts
            if here and (engine != "google" or is_classic(exchange)):
                return engine
        return None

    async def answer(self, engine: Engine, exchange: Exchange) -> None:
        """Answer a request that goes to `engine`; 404 for an unknown path."""
        site = _SITES[engine]
        try:
            query, page = site.asked(parameters_of(exchange))
        except ValueError:  # a number that none of our pages sends
            await exchange.answer(_bare(400, "Bad Request"))
            return
        visit = EngineVisit(engine, exchange, self._plays[engine], query, page)
        if exchange.path in site.paths:
            self.asked.append(visit.asked)
            scenario = visit.play.scenario
            if scenario.hang:
                await trio.sleep_forever()
            await trio.sleep(scenario.slow_s)
            await visit.exchange.answer(_page(site, visit))
        else:
            await exchange.answer(_behind(site, visit))


def _page(site: EngineSite, visit: EngineVisit) -> ServerResponse:
    scenario = visit.play.scenario
    if scenario.status is not None:
        headers = (("Retry-After", str(scenario.retry_after_s)),) if scenario.status == 429 else ()  # noqa: PLR2004
        return attrs.evolve(_bare(scenario.status, _READINGS[scenario.status]), headers=headers)
    if not visit.query:
        return site.start(visit)
    if visit.is_suspect and not site.is_human(visit):
        return site.check(visit)
    visit.play.served += 1
    response = site.results(visit)
    body = drifted(response.body) if scenario.drift else response.body
    return attrs.evolve(response, body=body[: len(body) // 2] if scenario.garbage else body)


def _behind(site: EngineSite, visit: EngineVisit) -> ServerResponse:
    door = site.doors.get(visit.exchange.path)
    if door is None:
        return _bare(404, "Not Found")
    try:
        return door(visit)
    except (LookupError, ValueError):  # a parameter that none of our pages sends
        return _bare(400, "Bad Request")


def _bare(status: int, reading: str) -> ServerResponse:
    return html(fill("engines/status.html", status=str(status), reading=reading), status=status)

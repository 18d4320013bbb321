"""A request to an engine, what bears on its answer, and what the log keeps of it."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

import attrs

from tabwright.testing.replica.engines.results import Result, topic_of, truth
from tabwright.testing.replica.engines.scenario import Engine, EngineScenario
from tabwright.testing.replica.server import Exchange, Response, redirect

_PASS: Final = "human"  # noqa: S105  the name of a cookie
_PASS_AGE_S: Final = 3 * 60 * 60


@attrs.frozen
class Asked:
    """A page that an engine was asked for, whatever it then gave.

    Attributes:
        engine: the one that was asked.
        query: empty for the start page.
        page: counted from 1.
        parameters: everything that was sent, in the URL and in the form.
        at_s: when the request came, on the replica's clock.
    """

    engine: Engine
    query: str
    page: int
    parameters: Mapping[str, str]
    at_s: float


@attrs.define
class EnginePlay:
    """A scenario of one engine while it is played.

    Attributes:
        scenario: what is played.
        number: its own; a pass that was won in another play is worth nothing in this one.
        served: how many pages of results were given since it was set.
    """

    scenario: EngineScenario
    number: int
    served: int = 0


@attrs.frozen
class EngineVisit:
    """A request to an engine under a scenario.

    Attributes:
        engine: the one that is asked.
        exchange: the request.
        play: what is played.
        query: what is searched for; empty on the start page.
        page: of the results, counted from 1.
    """

    engine: Engine
    exchange: Exchange
    play: EnginePlay
    query: str
    page: int

    @property
    def asked(self) -> Asked:
        """What the log keeps of it."""
        at_s = self.exchange.seen.at_s
        return Asked(self.engine, self.query, self.page, self.parameters, at_s)

    @property
    def parameters(self) -> Mapping[str, str]:
        """What was sent, in the URL and in the form."""
        return parameters_of(self.exchange)

    @property
    def address(self) -> str:
        """The page that is asked for, as one URL: there a browser goes on behind a check."""
        return f"https://{self.exchange.seen.host}{self.path_with()}"

    def path_with(self, **changes: str) -> str:
        """Gives the path that is asked for, with all parameters and these in particular."""
        return f"{self.exchange.path}?{urlencode({**self.parameters, **changes})}"

    @property
    def topic(self) -> str:
        """What the results are about."""
        return topic_of(self.query)

    @property
    def results(self) -> tuple[Result, ...]:
        """What the page lists."""
        return self.results_of(self.page)

    def results_of(self, page: int) -> tuple[Result, ...]:
        """What another page lists."""
        return () if self.play.scenario.no_results else truth(self.engine, self.query, page)

    @property
    def is_last(self) -> bool:
        """Whether no page of results follows."""
        return not self.results_of(self.page + 1)

    @property
    def is_suspect(self) -> bool:
        """Whether the scenario wants a check."""
        after = self.play.scenario.captcha_after
        return self.play.scenario.captcha or (after is not None and self.play.served >= after)


def parameters_of(exchange: Exchange) -> Mapping[str, str]:
    """Gives what was sent, in the URL and in the form."""
    return {**exchange.query, **exchange.form}


def has_pass(visit: EngineVisit) -> bool:
    """Whether this browser has passed the engine's check."""
    return visit.exchange.cookies.get(_PASS) == str(visit.play.number)


def passed(visit: EngineVisit, url: str, *, domain: str = "") -> Response:
    """Lets a browser in that has passed the check: on to `url`, with a pass."""
    scope = f"; Domain={domain}" if domain else ""
    cookie = f"{_PASS}={visit.play.number}; Path=/{scope}; Secure; Max-Age={_PASS_AGE_S}"
    return redirect(url, status=303, cookie=cookie)

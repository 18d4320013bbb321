"""The base of all engines: scenario, requests, redesigned pages, proof of work."""

import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from html import escape
from types import MappingProxyType
from typing import Final, TypeAlias
from urllib.parse import urlencode

import attrs

from tabwright.testing.replica.answers import fill
from tabwright.testing.replica.engines.results import (
    Engine,
    EngineScenario,
    Result,
    topic_of,
    truth,
)
from tabwright.testing.replica.markup import sealed
from tabwright.testing.replica.server import Exchange, ServerResponse, html, redirect

# A redesigned page: it looks the same, and nothing keeps its name.

_NAME: Final = re.compile(rb'(?<= )(class|id|data-[\w-]+|jsname|jscontroller)="([^"]*)"')
_KEY: Final = re.compile(rb"AppSerpWeb|display_type|clickUrl")


def drifted(page: bytes) -> bytes:
    """Rename classes, ids and the attributes of scripts, and the keys of Startpage's data."""
    return _KEY.sub(lambda key: _new(key[0]), _NAME.sub(_renamed, page))


def _renamed(found: re.Match[bytes]) -> bytes:
    attribute = found[1] if found[1] in {b"class", b"id"} else b"data-" + _new(found[1])
    return attribute + b'="' + b" ".join(map(_new, found[2].split())) + b'"'


def _new(name: bytes) -> bytes:
    return b"x" + sha256(name).hexdigest()[:6].encode()


# A request to an engine, and its entry in the log.

_PASS: Final = "human"  # noqa: S105  the name of a cookie
_PASS_AGE_S: Final = 3 * 60 * 60


@attrs.frozen
class EngineRequest:
    """A request to an engine, whatever the response.

    Attributes:
        engine: the engine.
        query: empty for the start page.
        page: counted from 1.
        parameters: all parameters of the URL and the form.
        at_s: when the request came, on the replica's clock.
    """

    engine: Engine
    query: str
    page: int
    parameters: Mapping[str, str]
    at_s: float


@attrs.define
class EnginePlay:
    """The running scenario of one engine.

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
    def asked(self) -> EngineRequest:
        """Its entry in the log."""
        at_s = self.exchange.seen.at_s
        return EngineRequest(self.engine, self.query, self.page, self.parameters, at_s)

    @property
    def parameters(self) -> Mapping[str, str]:
        """The parameters of the URL and the form."""
        return parameters_of(self.exchange)

    @property
    def address(self) -> str:
        """The requested page as one URL, to which a browser returns after a check."""
        return f"https://{self.exchange.seen.host}{self.path_with()}"

    def path_with(self, **changes: str) -> str:
        """Return the requested path with all parameters, including these changes."""
        return f"{self.exchange.path}?{urlencode({**self.parameters, **changes})}"

    @property
    def topic(self) -> str:
        """The topic of the results."""
        return topic_of(self.query)

    @property
    def results(self) -> tuple[Result, ...]:
        """The results on the page."""
        return self.results_of(self.page)

    def results_of(self, page: int) -> tuple[Result, ...]:
        """Return the results on another page."""
        return () if self.play.scenario.no_results else truth(self.engine, self.query, page)

    @property
    def is_last(self) -> bool:
        """Whether no page of results follows."""
        return not self.results_of(self.page + 1)

    @property
    def is_suspect(self) -> bool:
        """Whether the scenario requires a check."""
        after = self.play.scenario.captcha_after
        return self.play.scenario.captcha or (after is not None and self.play.served >= after)


def parameters_of(exchange: Exchange) -> Mapping[str, str]:
    """Return the parameters of the URL and the form."""
    return {**exchange.query, **exchange.form}


def has_pass(visit: EngineVisit) -> bool:
    """Return whether this browser has passed the engine's check."""
    return visit.exchange.cookies.get(_PASS) == str(visit.play.number)


def passed(visit: EngineVisit, url: str, *, domain: str = "") -> ServerResponse:
    """Redirect a browser that has passed the check to `url`, with a pass."""
    scope = f"; Domain={domain}" if domain else ""
    cookie = f"{_PASS}={visit.play.number}; Path=/{scope}; Secure; Max-Age={_PASS_AGE_S}"
    return redirect(url, status=303, cookie=cookie)


Page: TypeAlias = Callable[[EngineVisit], ServerResponse]


def _start(visit: EngineVisit) -> ServerResponse:
    return html(fill("engines/start.html", engine=visit.engine.title()))


@attrs.frozen
class EngineSite:
    """The replica of an engine.

    Attributes:
        hosts: its names.
        paths: of its start page and of its results.
        asked: reads from the parameters what is searched for, and which page of it.
        results: answers a search.
        check: answers one that has to be checked first.
        start: answers a request without a query.
        doors: answers requests for other things by their path, whatever the scenario.
        is_human: whether a browser has passed the check.
    """

    hosts: frozenset[str]
    paths: frozenset[str]
    asked: Callable[[Mapping[str, str]], tuple[str, int]]
    results: Page
    check: Page
    start: Page = _start
    doors: Mapping[str, Page] = MappingProxyType({})
    is_human: Callable[[EngineVisit], bool] = has_pass


def item(template: str, visit: EngineVisit, result: Result, href: str, *, tag: str = "b") -> str:
    """Write a result; `tag` is the element that marks the words of the query."""
    scheme, _, place = result.url.partition("?")[0].partition("://")
    host, *steps = place.split("/")
    trail = " › ".join((f"{scheme}://{host}", *steps))  # noqa: RUF001  the pages have this sign
    return fill(
        f"engines/{template}",
        href=href,
        url=result.url,
        host=result.host,
        trail=trail,
        title=result.title,
        title_html=_marked(result.title, visit.topic, tag),
        snippet_html=_marked(result.snippet, visit.topic, tag),
        date_html=fill("engines/google/date.html", date=result.date) if result.date else "",
        rank=str(result.rank),
    )


def _marked(text: str, topic: str, tag: str) -> str:
    plain, found = escape(text), escape(topic)
    return plain.replace(found, f"<{tag}>{found}</{tag}>") if found else plain


# Proof of work: a browser must spend some time before it is let in.


def task_for(address: str) -> str:
    """Return the proof-of-work task for a page."""
    return sealed(address)[-40:]


def is_done(task: str, nonce: str) -> bool:
    """Return whether the hash of task and nonce begins with a byte of zeros."""
    return bool(task) and sha256(f"{task}{nonce}".encode()).digest()[0] == 0

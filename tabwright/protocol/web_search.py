"""Searching the result pages of several engines, and what is found there together."""

import attrs

from tabwright.protocol.result_pages import TimeRange


@attrs.frozen
class Ranking:
    """Where an engine lists a page: the first result of what was read of it has rank 1."""

    engine: str
    rank: int


@attrs.frozen
class WebResult:
    """A page that one or more engines list.

    Attributes:
        title: as the engine shows it that ranks it best; so are the next two.
        url: absolute, http or https, without the engine's wrapping and without tracking.
        snippet: an excerpt; may be empty.
        rankings: the engines that list it, best rank first.
        score: the sum of 1 / (60 + rank) over them.
        date: as the engine writes it; empty as a rule.
    """

    title: str
    url: str
    snippet: str
    rankings: tuple[Ranking, ...]
    score: float
    date: str = ""


@attrs.frozen
class EngineFailure:
    """Why an engine gave nothing.

    Attributes:
        kind: that of the error, such as ``search_blocked`` or ``markup_changed``.
        message: what happened, and what to do next.
        retryable: whether asking again unchanged can succeed.
        intervention: the id of the intervention that waits for a person; empty for none.
    """

    engine: str
    kind: str
    message: str
    retryable: bool
    intervention: str = ""


@attrs.frozen
class WebResults:
    """What was found.

    Attributes:
        engines: those that were asked, in order of priority.
        page: from which of the engines' pages, counted from 1.
        results: best first.
        failures: of engines that gave nothing.
    """

    query: str
    engines: tuple[str, ...]
    page: int
    results: tuple[WebResult, ...]
    failures: tuple[EngineFailure, ...] = ()


@attrs.frozen
class WebSearch:
    """What is asked of several engines.

    Attributes:
        engines: whom to ask; None for those that the configuration names.
        page: from which of the engines' pages the list is made, counted from 1.
        limit: how many results it has at most; more than ten take several pages of each engine.
        time_range: how old results may be; None for any age.
        language: a BCP 47 tag such as ``de-AT``; None leaves it to the engines.
    """

    query: str
    engines: tuple[str, ...] | None = None
    page: int = 1
    limit: int = 10
    time_range: TimeRange | None = None
    language: str | None = None

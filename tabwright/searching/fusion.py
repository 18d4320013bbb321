"""Several engines' rankings as one, by reciprocal rank fusion (Cormack and others, SIGIR 2009)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from tabwright.protocol.web_search import Found, Ranking, WebResult
from tabwright.search.serp.results import result_key, without_tracking

K = 60
"""Keeps one engine's first rank from outweighing what several agree on."""


@attrs.frozen
class _Listing:
    """An engine's best place for a page; of two, the lesser one ranks it better."""

    rank: int
    priority: int
    engine: str
    found: Found

    @property
    def place(self) -> tuple[int, int]:
        """The key of sorting: the rank, and of equal ones the engine's priority."""
        return self.rank, self.priority


def merged(found: Mapping[str, Sequence[Found]], limit: int) -> tuple[WebResult, ...]:
    """The pages that engines list, best first, each page once.

    Args:
        found: by engine, in the order of priority; each in the order of its page.
        limit: how many results at most.
    """
    pages = sorted(_pages(found).values(), key=_order)
    return tuple(map(_result, pages[:limit]))


def _pages(found: Mapping[str, Sequence[Found]]) -> dict[str, list[_Listing]]:
    """The listings of each page, best first."""
    pages: dict[str, list[_Listing]] = {}
    for listing in sorted(_listings(found), key=lambda listing: listing.place):
        listings = pages.setdefault(result_key(listing.found.url), [])
        if all(listing.engine != other.engine for other in listings):
            listings.append(listing)
    return pages


def _listings(found: Mapping[str, Sequence[Found]]) -> Iterator[_Listing]:
    for priority, (engine, results) in enumerate(found.items()):
        for rank, result in enumerate(results, 1):
            yield _Listing(rank, priority, engine, result)


def _order(listings: Sequence[_Listing]) -> tuple[float, tuple[int, int]]:
    return -_score(listings), listings[0].place


def _score(listings: Iterable[_Listing]) -> float:
    return sum(1 / (K + listing.rank) for listing in listings)


def _result(listings: Sequence[_Listing]) -> WebResult:
    best = listings[0].found
    return WebResult(
        title=best.title,
        url=without_tracking(best.url),
        snippet=best.snippet,
        rankings=tuple(Ranking(listing.engine, listing.rank) for listing in listings),
        score=_score(listings),
        date=best.date,
    )

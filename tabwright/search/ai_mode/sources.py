"""The sources of an answer: from cards and chips to a clean, numbered list."""

import re
from collections.abc import Iterable, Iterator, Mapping

import attrs

from tabwright.protocol.ai_search import SearchSource
from tabwright.protocol.blocks import Citation
from tabwright.search.ai_mode.google_urls import (
    is_google,
    is_opaque,
    is_viewer,
    same_page_key,
    unwrap,
)
from tabwright.search.ai_mode.page_state import Card, ContentNode, PageState, sites_counted
from tabwright.search.urls import host_of

SOURCES_MAX = 10
"""Default maximum number of sources of a result."""

NOTHING_RESOLVED: Mapping[str, str] = {}

_SITE_CHARS_MAX = 40
_LAST_SENTENCE = re.compile(r"(?<=\S)[.\u3002]\s*[^.\u3002]+[.\u3002]?$")
_SENTENCE_ENDS = (".", "!", "?", "\u2026", "\u3002", "\uff01", "\uff1f")
_MORE = re.compile(r"\s*\+\s*\d+$")
_CHIP_LABEL = re.compile(r"^(?P<site>.+?)(?: \(\+\d+\))? [-\u2013\u2014] (?P<title>.+)$")


def unresolved(state: PageState) -> tuple[str, ...]:
    """Return the links whose targets only the engine knows, without duplicates; sources come first.

    Ask the engine for each (the target is in the ``Location`` header) and pass the targets to
    `read_answer` as `resolved`; a source without a resolved link is left out of the result.
    """
    hrefs = (*(card.href for card in _cards(state)), *_hrefs_of_links(_column(state)))
    return tuple(dict.fromkeys(href for href in hrefs if is_opaque(href)))


def sources_seen(state: PageState) -> int:
    """Return the number of different sources on the page so far, including those without a link."""
    hrefs = (card.href for card in _cards(state) if card.href)
    kept = (
        href for href in hrefs if is_opaque(href) or is_viewer(href) or _leads_out(unwrap(href))
    )
    return len({same_page_key(unwrap(href)) for href in kept})


def numbered_sources(
    state: PageState,
    *,
    resolved: Mapping[str, str] = NOTHING_RESOLVED,
    limit: int | None = SOURCES_MAX,
) -> tuple[SearchSource, ...]:
    """Return the sources of the last turn, counted from 1: its cards, in page order.

    They are followed by the pages to which only citation chips link.
    """
    found = tuple(map(source_of, _cards(state)))
    known = CitationIndex(clean_sources(found, resolved=resolved, limit=None), resolved)
    cited = map(source_of, _chip_cards(state, known))
    return clean_sources((*found, *cited), resolved=resolved, limit=limit)


def clean_sources(
    found: Iterable[SearchSource],
    *,
    resolved: Mapping[str, str] = NOTHING_RESOLVED,
    limit: int | None = SOURCES_MAX,
) -> tuple[SearchSource, ...]:
    """Return at most `limit` sources with targets outside google.com, each page once.

    A source that the engine shows in a viewer keeps its title, without a URL. Of two with the same
    page the first keeps its place, and its gaps are filled from the second.
    """
    kept: dict[str, SearchSource] = {}
    for source in found:
        url = outward(source.url, resolved)
        if not url and not (is_viewer(source.url) and source.title):
            continue
        key = same_page_key(url or source.url)
        first = kept.get(key)
        second = attrs.evolve(source, url=url)
        if first is None:
            kept[key] = second
        else:
            kept[key] = attrs.evolve(
                first,
                title=first.title or second.title,
                snippet=first.snippet or second.snippet,
                site=first.site or second.site,
            )
    return tuple(kept.values())[:limit]


def sources_shortfall(
    state: PageState, resolved: Mapping[str, str] | None = None
) -> tuple[int, int]:
    """Return how many sources were read and how many there are; equal if none is missing.

    Args:
        state: the state of the page, which may count its sources.
        resolved: see `unresolved`; links that it lacks lead to sources that are missing. None
            before the engine was asked.
    """
    counts = () if state.turn is None else state.turn.counts
    hrefs = {card.href for card in _cards(state)}
    found = max(len(hrefs), len(numbered_sources(state, limit=None)))
    lost = () if resolved is None else [h for h in hrefs if is_opaque(h) and h not in resolved]
    return found - len(lost), max(found, *map(sites_counted, counts), 0)


def are_sources_missing(state: PageState, resolved: Mapping[str, str]) -> bool:
    """Return whether sources are cited, or still load in their place, but none could be read."""
    turn = state.turn
    if turn is None or numbered_sources(state, resolved=resolved, limit=None):
        return False
    return turn.sources_pending or any(chips_in(turn.column))


def outward(url: str, resolved: Mapping[str, str] = NOTHING_RESOLVED) -> str:
    """Return the unwrapped target of a link outside the engine; empty if it is inside."""
    target = unwrap(resolved.get(url, url))
    return target if _leads_out(target) else ""


def source_of(card: Card) -> SearchSource:
    """Return the card's title, excerpt and site, distinguished by its label and their lengths."""
    named = [unit for unit in card.units if card.label.startswith(unit)]
    if named:
        title = max(named, key=len)
    elif card.label:
        title = _LAST_SENTENCE.sub("", card.label)
    else:
        title = card.units[0] if card.units else ""
    rest = [unit for unit in card.units if unit != title]
    site = _site(rest, host_of(unwrap(card.href)))
    excerpts = [unit for unit in rest if unit != site]
    snippet = max(excerpts, key=len, default="")
    return SearchSource(title=title, url=card.href, snippet=snippet, site=site)


def chip_title(chip: ContentNode) -> tuple[str, str]:
    """Return the site and the title that a citation chip names; either may be empty."""
    match = _CHIP_LABEL.match(chip.label)
    if match is None:
        return _MORE.sub("", chip.site), _LAST_SENTENCE.sub("", chip.label)
    return match["site"], _LAST_SENTENCE.sub("", match["title"])


def _cards(state: PageState) -> tuple[Card, ...]:
    return () if state.turn is None else state.turn.cards


def _column(state: PageState) -> tuple[ContentNode, ...]:
    return () if state.turn is None else state.turn.column


def _hrefs_of_links(nodes: Iterable[ContentNode]) -> Iterator[str]:
    for node in nodes:
        if node.kind == "link":
            yield node.href
        yield from _hrefs_of_links(node.kids)


def _chip_cards(state: PageState, known: "CitationIndex") -> Iterator[Card]:
    """Return cards for the chips that cite no known source."""
    for chip in chips_in(_column(state)):
        if any(known.citation(chip)):
            continue
        site, title = chip_title(chip)
        for href in chip.hrefs[:1]:
            place = site or host_of(href)
            yield Card(href=href, label="", units=(title or place, place))


def chips_in(nodes: Iterable[ContentNode]) -> Iterator[ContentNode]:
    """Return the chips that certainly cite below the nodes, in reading order."""
    for node in nodes:
        if node.kind == "chip" and not node.kids:
            yield node
        yield from chips_in(node.kids)


def is_cited(nodes: Iterable[ContentNode]) -> bool:
    """Return whether a link to another site is below the nodes, in the text or in a chip."""
    for node in nodes:
        if any(outward(href) or is_opaque(href) for href in (node.href, *node.hrefs)):
            return True
        if is_cited(node.kids):
            return True
    return False


def _leads_out(url: str) -> bool:
    return bool(host_of(url)) and not is_google(url)


def _site(units: list[str], host: str) -> str:
    """Return the line that matches the host, or else a short line beside a longer excerpt."""
    short = [unit for unit in units if len(unit) <= _SITE_CHARS_MAX]
    named = [unit for unit in short if unit.lower().replace(" ", "") in host]
    if named:
        return named[-1]
    excerpt = max(units, key=len, default="")
    beside = [unit for unit in short if unit != excerpt]
    if beside or excerpt.endswith(_SENTENCE_ENDS):
        return beside[-1] if beside else ""
    return excerpt if excerpt in short else ""


# The sources behind a citation chip.


class CitationIndex:
    """The numbers of a list of sources, counted from 1.

    Attributes:
        resolved: the targets of links that only the engine knows.
    """

    def __init__(self, sources: tuple[SearchSource, ...], resolved: Mapping[str, str]) -> None:
        self.resolved = resolved
        self._sources = sources
        self._by_page = {
            same_page_key(source.url): number
            for number, source in enumerate(sources, start=1)
            if source.url
        }

    def citation(self, chip: ContentNode) -> Iterator[Citation]:
        """Return one citation, or none if the list has no matching source."""
        numbers = tuple(self._by_links(chip)) or tuple(self._by_name(chip))
        if numbers:
            yield Citation(numbers)

    def is_named(self, site: str) -> bool:
        """Return whether a source is at the site; several may be."""
        return bool(site) and any(source.site == site for source in self._sources)

    def _by_links(self, chip: ContentNode) -> Iterator[int]:
        for href in chip.hrefs:
            number = self._by_page.get(same_page_key(outward(href, self.resolved)))
            if number is not None:
                yield number

    def _by_name(self, chip: ContentNode) -> Iterator[int]:
        """Match by title, else by site if only one source has it: the chip may be only a button."""
        site, title = chip_title(chip)
        titled = [n for n, source in self._numbered() if title and source.title == title]
        at_site = [n for n, source in self._numbered() if site and source.site == site]
        if titled:
            yield titled[0]
        elif len(at_site) == 1:
            yield at_site[0]

    def _numbered(self) -> Iterator[tuple[int, SearchSource]]:
        return enumerate(self._sources, start=1)

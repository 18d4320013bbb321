"""Which sources a citation chip stands for."""

from collections.abc import Iterator, Mapping

from tabwright.protocol.ai_search import SearchSource
from tabwright.protocol.blocks import Citation
from tabwright.search.ai_mode.page_state import Node
from tabwright.search.ai_mode.sources import chip_title, outward
from tabwright.searching.links import same_page_key


class Numbering:
    """The numbers of a list of sources, counted from 1.

    Attributes:
        resolved: the targets of links that only the engine knows.
    """

    def __init__(self, sources: tuple[SearchSource, ...], resolved: Mapping[str, str]) -> None:
        self.resolved = resolved
        self._sources = sources
        self._by_page = {
            same_page_key(source.url): number for number, source in enumerate(sources, start=1)
        }

    def citation(self, chip: Node) -> Iterator[Citation]:
        """One citation, or none if nothing in the list is meant."""
        numbers = tuple(self._by_links(chip)) or tuple(self._by_name(chip))
        if numbers:
            yield Citation(numbers)

    def _by_links(self, chip: Node) -> Iterator[int]:
        for href in chip.hrefs:
            number = self._by_page.get(same_page_key(outward(href, self.resolved)))
            if number is not None:
                yield number

    def _by_name(self, chip: Node) -> Iterator[int]:
        """By title, else by site if only one source has it: the chip may be a button alone."""
        site, title = chip_title(chip)
        titled = [n for n, source in self._numbered() if title and source.title == title]
        at_site = [n for n, source in self._numbered() if site and source.site == site]
        if titled:
            yield titled[0]
        elif len(at_site) == 1:
            yield at_site[0]

    def _numbered(self) -> Iterator[tuple[int, SearchSource]]:
        return enumerate(self._sources, start=1)

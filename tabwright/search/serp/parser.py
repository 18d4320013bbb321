"""What stands on an engine's result page, read by what the configuration knows of it.

URL, structure and status tell a block; then results count, then marks that there are none, and
words at last, on short pages only: a result may speak of captchas.
"""

import re
from collections.abc import Mapping
from itertools import islice

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.protocol.snapshot import ERROR_STATUS_MIN
from tabwright.protocol.tab import REFUSALS
from tabwright.protocol.web_search import Found, Marks, ResultPage, ResultParser, Verdict
from tabwright.search.serp.results import bare, target_of
from tabwright.searching.links import host_of
from tabwright.searching.result_nodes import (
    TEXT_CHARS_MAX,
    cut,
    link_of,
    matches,
    nodes,
    parsed,
    text_of,
    value_of,
)
from tabwright.text.lines import shortened

BARE_CHARS_MAX = 1_500
"""The longest page whose words count; a longer one may say them for its own reasons."""

LINKED_HOSTS_MAX = 2
"""A page that links to more hosts than these lists something, and its words are no refusal."""

LINKS_MAX = 500
"""As many links of a page are asked where they lead; a refusal has few."""

RESULTS_MAX = 100
"""As many matches are looked at: engines list ten or twenty results, some of them in groups."""

CHARS_MAX: Mapping[str, int] = {"title": 300, "snippet": 1_000, "date": 100}
"""How long the parts of a result may be; what is longer is cut."""

UNSEEN = (
    "script, style, noscript, template, [hidden]",
    '[style*="display:none"], [style*="display: none"]',
)

_NUMBER = re.compile(r"\d[\d.,\s]{0,18}")
_DASHES = " -\u2013\u2014\u00b7"
_COUNTERS_MAX = 3


def read_result_page(
    parser: ResultParser, html: str, url: str, status: int, page: int
) -> ResultPage:
    """What stands on the page.

    Args:
        parser: of the engine.
        html: the document; any text will do.
        url: where it was found in the end.
        status: of HTTP; 0 where it is not known.
        page: which one was asked for.
    """
    reading = _Reading(parser, parsed(html), url, status, page)
    block = reading.block()
    if block is not None:
        return block
    cut(reading.document, (*UNSEEN, *parser.drop.selectors))
    return reading.results() or reading.absence() or reading.change()


@attrs.frozen
class _Reading:
    parser: ResultParser
    document: LexborHTMLParser
    url: str
    status: int
    page: int

    def block(self) -> ResultPage | None:
        """By URL, structure and status."""
        if self._shows(self.parser.captcha):
            return self._captcha()
        if self._shows(self.parser.refused) or self.status in REFUSALS:
            return self._refused()
        return None

    def results(self) -> ResultPage | None:
        """What is listed, unless it is that of an earlier page."""
        found = tuple(filter(None, map(self._found, self._result_nodes())))
        if not found:
            return None
        if self.page > 1 and self._is_past_the_end():
            return self._nothing(f"has no page {self.page} for this query")
        return ResultPage(Verdict.RESULTS, found, self._gap(found))

    def absence(self) -> ResultPage | None:
        """By the marks of a page without results, and by words."""
        words = self._words()
        if self._shows(self.parser.no_results) or _says(self.parser.no_results, words):
            return self._nothing("lists nothing for this query")
        if self._links_to_many():
            return None
        if _says(self.parser.captcha, words):
            return self._captcha()
        return self._refused() if _says(self.parser.refused, words) else None

    def change(self) -> ResultPage:
        """Names the first selector that found nothing."""
        message = self._lack(self._missing())
        if self.status >= ERROR_STATUS_MIN:
            message += f" The page came with HTTP {self.status}."
        return ResultPage(Verdict.CHANGED, message=message)

    def _captcha(self) -> ResultPage:
        return ResultPage(Verdict.CAPTCHA, message=f"{self.parser.name} asks for a person.")

    def _refused(self) -> ResultPage:
        how = f" (HTTP {self.status})" if self.status in REFUSALS else ""
        return ResultPage(Verdict.REFUSED, message=f"{self.parser.name} refuses to search{how}.")

    def _nothing(self, what: str) -> ResultPage:
        return ResultPage(Verdict.NO_RESULTS, message=f"{self.parser.name} {what}.")

    def _result_nodes(self) -> list[LexborNode]:
        """The results by their links: of two that begin with the same one, that with fewer links.

        Selectors may match both a group and the results in it.
        """
        best: dict[int, tuple[int, LexborNode]] = {}
        for node in nodes(self.document, self.parser.selectors.result)[:RESULTS_MAX]:
            links = nodes(node, self.parser.selectors.url)
            if links and len(links) < best.get(links[0].mem_id, (len(links) + 1,))[0]:
                best[links[0].mem_id] = len(links), node
        return [node for _, node in best.values()]

    def _found(self, node: LexborNode) -> Found | None:
        """The result, if it is one: what lacks a required part is none."""
        parts = self.parser.selectors.within()
        values = {key: value_of(node, part) for key, part in parts.items()}
        values["url"] = self._target(node)
        lacks = any(part.required and not values[key] for key, part in parts.items())
        if lacks or not values["url"]:
            return None
        values["snippet"] = _undated(values["snippet"], values.get("date", ""))
        short = {
            key: shortened(values[key], most) for key, most in CHARS_MAX.items() if key in values
        }
        return Found(**{**values, **short})

    def _target(self, node: LexborNode) -> str:
        """Where the result leads; empty for nowhere, and for an advertisement."""
        link = nodes(node, self.parser.selectors.url)[0]
        href = link_of(link, self.parser.selectors.url.attribute or "href")
        plain = target_of(href, self.url, None)
        target = target_of(href, self.url, self.parser.wrapping)
        places = {bare(plain), bare(target)}
        is_ad = any(ad.search(place) for ad in self.parser.drop.urls for place in places)
        return "" if is_ad else target

    def _is_past_the_end(self) -> bool:
        """Whether the counter names no result as late as the first of the page would be."""
        counter = self.parser.counter
        if counter is None:
            return False
        text = " ".join(map(text_of, matches(self.document, counter.selector)[:_COUNTERS_MAX]))
        first = counter.first.search(text)
        numbers = _NUMBER.findall(first[0])[:1] if first else _NUMBER.findall(text)
        wanted = self.parser.offset.on_page(self.page)
        return bool(numbers) and max(map(_integer, numbers)) < wanted

    def _missing(self) -> str:
        """Which part is lacking, where no result is whole."""
        results = nodes(self.document, self.parser.selectors.result)[:RESULTS_MAX]
        if not results:
            return "result"
        for key, part in self.parser.selectors.within().items():
            if part.required and not any(nodes(result, part) for result in results):
                return key
        return "url"  # the links are there, and lead nowhere

    def _gap(self, found: tuple[Found, ...]) -> str:
        """Which part not one result has, though results should have it."""
        parts = self.parser.selectors.within()
        told = (key for key, part in parts.items() if part.diagnostic)
        gaps = (key for key in told if not any(getattr(result, key) for result in found))
        return " ".join(map(self._lack, gaps))

    def _lack(self, key: str) -> str:
        part = self.parser.selectors.named()[key]
        where = " or ".join(map(repr, map(str, part.selector)))
        return f"{self.parser.name}: selectors.{key} found nothing at {where}. {part.diagnostic}"

    def _shows(self, marks: Marks) -> bool:
        place = bare(self.url)[:TEXT_CHARS_MAX]
        return any(url.search(place) for url in marks.urls) or any(
            matches(self.document, selector) for selector in marks.selectors
        )

    def _words(self) -> str:
        """The title and the visible text; empty where there is too much of it."""
        shown = map(text_of, filter(None, (self.document.css_first("title"), self.document.body)))
        text = " ".join(shown)
        return text if len(text) <= BARE_CHARS_MAX else ""

    def _links_to_many(self) -> bool:
        links = islice(matches(self.document, "a[href]"), LINKS_MAX)
        hrefs = (link_of(link, "href") for link in links)
        hosts = {host_of(target_of(href, self.url, self.parser.wrapping)) for href in hrefs}
        return len(hosts - {"", host_of(self.url)}) > LINKED_HOSTS_MAX


def _says(marks: Marks, text: str) -> bool:
    return any(words.search(text) for words in marks.words)


def _undated(snippet: str, date: str) -> str:
    """The excerpt without the date that the page puts before it."""
    begins = date and snippet.startswith(date)
    return snippet.removeprefix(date).lstrip(_DASHES) if begins else snippet


def _integer(number: str) -> int:
    return int(re.sub(r"\D", "", number))

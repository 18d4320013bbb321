"""Parsing the result page of an engine by its configuration.

URL and status identify a block. Then results are read, then the elements of a check, which may also
stand beside results. Then marks of an empty result page are checked, and finally words, on short
pages only: a result may mention captchas.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import TypeAlias

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.protocol.extraction import NO_TARGETS
from tabwright.protocol.snapshot import ERROR_STATUS_MIN
from tabwright.protocol.tab import REFUSALS
from tabwright.protocol.web_search import (
    Marks,
    Part,
    ResultPage,
    ResultPageStatus,
    ResultParser,
    SearchNotice,
    SearchNoticeKind,
    SerpEntry,
)
from tabwright.protocol.web_urls import URL_CHARACTERS_MAX
from tabwright.search.serp.advertisements import advertisements, is_ad_url
from tabwright.search.serp.results import absolute, bare, hides_target, target_of
from tabwright.search.serp.title_links import (
    HEADINGS,
    LEVELS_MAX,
    LINKS_MAX,
    TitleLink,
    above,
    links_outside,
    title_links,
)
from tabwright.search.urls import host_of
from tabwright.text.lines import one_line, shortened

# Nodes of a result page: selecting, removing, reading as text.

Scope: TypeAlias = LexborHTMLParser | LexborNode

TEXT_CHARS_MAX = 2_000
"""Maximum characters of any text or attribute, so that patterns stay fast on every page."""

ELEMENTS_MAX = 20_000
"""Maximum number of elements, several times that of a result page; nesting slows parsing."""

_PIECES_MAX = 2_000
"""Maximum number of edges and texts of elements visited for one text: they may be empty."""

_PIECE_CHARS_MAX = 5 * TEXT_CHARS_MAX
"""Maximum characters of one piece before its spaces are collapsed."""

_TAG = re.compile(r"<[a-zA-Z]")
_SPACES = re.compile(r"\s+")

_FRAME = frozenset({"html", "body"})
"""Elements of every document, which are never removed, even if they match."""

_BREAKS = frozenset(
    {"br", "div", "p", "li", "ul", "ol", "dl", "dt", "dd", "table", "tr", "td", "th"}
    | {"h1", "h2", "h3", "h4", "section", "article"}
)
"""Elements that begin a line in the layout of browsers."""

_NONE: list[LexborNode] = []


def parsed(html: str) -> LexborHTMLParser:
    """Parse any text as a document, up to `ELEMENTS_MAX` elements."""
    end = next(islice(_TAG.finditer(html), ELEMENTS_MAX, None), None)
    begun = html[: end.start()] if end else html
    return LexborHTMLParser(begun.encode("utf-8", "replace").decode())


def matches(scope: Scope, selector: str) -> list[LexborNode]:
    """Return the matching nodes without duplicates, in page order."""
    plain = str(selector)  # the parser accepts no subclass of it
    return list({node.mem_id: node for node in scope.css(plain)}.values())


def nodes(scope: Scope, part: Part) -> list[LexborNode]:
    """Return the nodes of the first selector that matches anything."""
    found = (matches(scope, selector) for selector in part.selector)
    return next(filter(None, found), _NONE)


def cut(document: LexborHTMLParser, selectors: Iterable[str]) -> None:
    """Remove the matching nodes from the document, inner nodes first."""
    for selector in selectors:
        for node in reversed(matches(document, selector)):
            if node.tag not in _FRAME:
                node.decompose()


def value_of(scope: Scope, part: Part) -> str:
    """Return the text or the attribute of a part, with single spaces; empty if it has none."""
    found = nodes(scope, part)
    if not found:
        return ""
    attribute = found[0].attributes.get(part.attribute) if part.attribute else None
    return _line(attribute) if attribute else text_of(found[0])


def link_of(node: LexborNode, attribute: str) -> str:
    """Return the link in an attribute; empty if it is too long to be opened."""
    href = node.attributes.get(attribute) or ""
    return href if len(href) <= URL_CHARACTERS_MAX else ""


def text_of(node: LexborNode) -> str:
    """Return the text of a node with single spaces; only blocks are separated."""
    return _line("".join(_beginning(islice(_pieces(node), _PIECES_MAX))))


def _line(text: str) -> str:
    return one_line(_single_spaced(text)[: 2 * TEXT_CHARS_MAX])[:TEXT_CHARS_MAX].rstrip()


def _beginning(pieces: Iterable[str]) -> Iterator[str]:
    """Return enough of the pieces; the spaces between them do not count."""
    chars = 0
    for piece in map(_single_spaced, pieces):
        yield piece
        chars += len(piece.strip())
        if chars > TEXT_CHARS_MAX:
            return


def _single_spaced(text: str) -> str:
    return _SPACES.sub(" ", text[:_PIECE_CHARS_MAX])


def _pieces(top: LexborNode) -> Iterator[str]:
    """Walk the tree without recursion: a hostile page can be nested to any depth."""
    open_elements = [_opened(top)]
    while open_elements:
        edge, inside = open_elements[-1]
        node = next(inside, None)
        if node is None:
            open_elements.pop()
            yield edge
        elif node.is_text_node:
            yield node.text_content or ""
        else:
            open_elements.append(_opened(node))
            yield open_elements[-1][0]


def _opened(node: LexborNode) -> tuple[str, Iterator[LexborNode]]:
    """Return the edges of an element, and its children."""
    return " " if node.tag in _BREAKS else "", node.iter(include_text=True)


BARE_CHARS_MAX = 1_500
"""The longest page whose words count; a longer page may contain them for other reasons."""

LINKED_HOSTS_MAX = 2
"""A page that links to more hosts is a list of results, so its words are not a refusal."""

RESULTS_MAX = 100
"""Maximum number of results of a page; engines list ten or twenty."""

ROWS_MAX = 300
"""Maximum number of matches of rows: a result can match several times, with its groups."""

CHARS_MAX: Mapping[str, int] = {"title": 300, "snippet": 1_000, "date": 100}
"""Maximum lengths of the parts of a result; longer parts are cut."""

ROW_CHARS_MIN = 80
"""Minimum text of a row without a title that counts as a result; links to elsewhere are shorter."""

HIDDEN_MAX = 20
"""Maximum number of redirects of a page whose targets the engine is asked for."""

UNSEEN = (
    "script, style, noscript, template, [hidden]",
    '[style*="display:none" i], [style*="display: none" i]',
    '[style*="visibility:hidden" i], [style*="visibility: hidden" i]',
)

_NUMBER = re.compile(r"\d[\d.,\s]{0,18}")
_ROUNDED = re.compile(r"\d\s?([KMB]\b|mi[lo]|mln|mrd|тыс|млн|[万萬億亿만억])", re.IGNORECASE)
"""A number in thousands or millions, which does not tell how many results there are."""
_DASHES = " -\u2013\u2014\u00b7"


def read_result_page(  # noqa: PLR0913
    parser: ResultParser,
    html: str,
    url: str,
    status: int,
    page: int,
    *,
    targets: Mapping[str, str] = NO_TARGETS,
) -> ResultPage:
    """Parse a result page.

    Args:
        parser: the parser of the engine.
        html: the document; any text is accepted.
        url: its final URL.
        status: the HTTP status; 0 if it is not known.
        page: the number of the requested page.
        targets: targets of redirects that cannot be read, by URL.
    """
    reading = _Reading(parser, parsed(html), url, status, page, targets)
    barrier = reading.barrier()  # its marks may be scripts, which are removed for the rest
    if barrier is not None and reading.is_blocked():
        return barrier
    cut(reading.document, (*UNSEEN, *parser.drop.selectors))
    return reading.results() or barrier or reading.absence() or reading.change()


@attrs.frozen
class _Row:
    """A row of a result page.

    Attributes:
        own: its links that are in no inner row.
        links: all its links, in the order of the page.
    """

    node: LexborNode
    own: Sequence[LexborNode]
    links: Sequence[LexborNode]

    @property
    def is_group(self) -> bool:
        """Return whether inner rows have links of it."""
        return len(self.own) < len(self.links)


@attrs.frozen
class _RowReading:
    """The content of a row: results by the identity of their link, and how many are unread."""

    row: _Row
    found: Mapping[int, SerpEntry]
    unread: int = 0


@attrs.frozen
class _Reading:
    parser: ResultParser
    document: LexborHTMLParser
    url: str
    status: int
    page: int
    targets: Mapping[str, str]

    def barrier(self) -> ResultPage | None:
        """Return the block that URL, structure and status suggest; see `is_blocked`."""
        if self._is_at(self.parser.captcha) or self._has(self.parser.captcha):
            return self._captcha()
        refused = self.parser.refused
        if self._is_at(refused) or self._has(refused) or self.status in REFUSALS:
            return self._refused()
        return None

    def is_blocked(self) -> bool:
        """Return whether the page is a block even if it has results: its URL or status says so."""
        places = self.parser.captcha, self.parser.refused
        return self.status in REFUSALS or any(map(self._is_at, places))

    def results(self) -> ResultPage | None:
        """Return the results, unless they are those of an earlier page."""
        if not any(self._rows()):
            return None
        for advertisement in advertisements(self.document, self._title_links(), self.url):
            advertisement.decompose()
        readings = [self._read(row) for row in self._rows()]
        by_link = {link: entry for one in readings for link, entry in one.found.items()}
        # A group comes before the rows in it, with the links of all of them in their order.
        links = dict.fromkeys(link.mem_id for one in readings for link in one.row.links)
        found = tuple(islice(filter(None, map(by_link.get, links)), RESULTS_MAX))
        if not found:
            return None
        if self.page > 1 and self._is_past_the_end():
            return self._nothing(no_such_page(self.parser.name, self.page))
        gaps = (*self._gaps(found), *self._unread(readings, found))
        hidden = self._hidden(one.row for one in readings)
        return ResultPage(ResultPageStatus.RESULTS, found, notices=gaps, hidden=hidden)

    def absence(self) -> ResultPage | None:
        """Return the absence that the marks of an empty result page, or words, identify."""
        # The title and the visible text; empty if the text is too long.
        shown = map(text_of, filter(None, (self.document.css_first("title"), self.document.body)))
        text = " ".join(shown)
        words = text if len(text) <= BARE_CHARS_MAX else ""
        marks = self.parser.no_results
        if self._is_at(marks) or self._has(marks) or _matches_text(marks, words):
            message = f"{self.parser.name} lists nothing for this query."
            return self._nothing(SearchNotice(SearchNoticeKind.NO_RESULTS, message))
        links = islice(matches(self.document, "a[href]"), LINKS_MAX)
        hrefs = (link_of(link, "href") for link in links)
        hosts = {host_of(target_of(href, self.url, self.parser.wrapping)) for href in hrefs}
        if len(hosts - {"", host_of(self.url)}) > LINKED_HOSTS_MAX:
            return None
        if _matches_text(self.parser.captcha, words):
            return self._captcha()
        return self._refused() if _matches_text(self.parser.refused, words) else None

    def change(self) -> ResultPage:
        """Return the name of the first selector that found nothing."""
        message = self._lack(self._missing())
        if self.status >= ERROR_STATUS_MIN:
            message += f" The page had HTTP status {self.status}."
        hidden = self._hidden(self._rows())
        return ResultPage(ResultPageStatus.CHANGED, message=message, hidden=hidden)

    def _captcha(self) -> ResultPage:
        return ResultPage(ResultPageStatus.CAPTCHA, message=f"{self.parser.name} needs a person.")

    def _refused(self) -> ResultPage:
        how = f" (HTTP {self.status})" if self.status in REFUSALS else ""
        return ResultPage(
            ResultPageStatus.REFUSED, message=f"{self.parser.name} refuses to search{how}."
        )

    def _nothing(self, why: SearchNotice) -> ResultPage:
        return ResultPage(ResultPageStatus.NO_RESULTS, message=why.message, notices=(why,))

    def _rows(self) -> Iterator[_Row]:
        """Return the rows with links.

        Selectors may match both a group and the results in it: of two with the same link, the one
        with fewer links has it, or else the outer one.
        """
        every = nodes(self.document, self.parser.selectors.result)[:ROWS_MAX]
        links = {node.mem_id: nodes(node, self.parser.selectors.url) for node in every}
        owners: dict[int, int] = {}
        for row, inside in links.items():
            for link in inside:
                owner = owners.setdefault(link.mem_id, row)
                if len(inside) < len(links[owner]):
                    owners[link.mem_id] = row
        for node in every:
            inside = links[node.mem_id]
            own = [link for link in inside if owners[link.mem_id] == node.mem_id]
            if own:
                yield _Row(node, own, inside)

    def _read(self, row: _Row) -> _RowReading:
        """Read the result of a row, or several if titles in it lead to several pages."""
        known = {link.mem_id for link in row.own}
        inner = {self._page(link) for link in row.links if link.mem_id not in known}
        pages = {page: link for link in reversed(row.own) if (page := self._page(link))}
        pages = {page: link for page, link in pages.items() if page not in inner}
        results = len(pages)
        if not row.is_group:
            titles = nodes(row.node, self.parser.selectors.title)
            results = min(results, len([title for title in titles if text_of(title)]))
            if results <= 1:
                entry = self._found(row.node, row.own[0])
                return _RowReading(row, {row.own[0].mem_id: entry} if entry else {})
        pieces = self._pieces(row)
        if not pieces and not row.is_group:
            pieces = {row.own[0].mem_id: row.node}
        found: dict[int, SerpEntry] = {}
        for link in pages.values():
            piece = pieces.get(link.mem_id)
            entry = self._found(piece, link) if piece else None
            if entry:
                found[link.mem_id] = entry
        return _RowReading(row, found, max(0, results - len(found)))

    def _pieces(self, row: _Row) -> Mapping[int, LexborNode]:
        """Return the largest element of each link that has no link to another page.

        Empty if an excerpt is in none of them, so that it is not clear to which link it belongs.
        """
        if len(row.links) > RESULTS_MAX:
            return {}
        around = {link.mem_id: list(_around(link, row.node)) for link in row.links}
        pages: dict[int, set[str]] = defaultdict(set)
        for link in row.links:
            page = self._page(link) or str(link.mem_id)
            for element in around[link.mem_id]:
                pages[element.mem_id].add(page)
        pieces = dict[int, LexborNode]()
        for link in row.links:
            alone = takewhile(lambda one: len(pages[one.mem_id]) == 1, around[link.mem_id])
            pieces[link.mem_id] = [link, *alone][-1]
        places = {piece.mem_id for piece in pieces.values()}
        for snippet in nodes(row.node, self.parser.selectors.snippet):
            elements = {snippet.mem_id, *(one.mem_id for one in _around(snippet, row.node))}
            if text_of(snippet) and not places & elements:
                return {}
        return pieces

    def _page(self, link: LexborNode) -> str:
        """Return what tells the page of a link: its target, or a redirect that hides it."""
        href = self._href(link)
        is_hidden = hides_target(href, self.url, self.parser.wrapping)
        return href if is_hidden else self._target(href)

    def _title_links(self) -> tuple[TitleLink, ...]:
        """Return the links of results, and other links in headings."""
        return title_links(self.document, nodes(self.document, self.parser.selectors.url))

    def _outer_page(self, link: TitleLink) -> str:
        """Return what tells the page of a link, as `_page`; empty for a page of the engine."""
        page = self._page(link.node)
        return "" if host_of(page) == host_of(self.url) and page == self._target(page) else page

    def _href(self, link: LexborNode) -> str:
        attribute = self.parser.selectors.url.attribute or "href"
        return self._known(link_of(link, attribute) or link_of(link, "href"))

    def _known(self, href: str) -> str:
        """Return the target of a redirect if it is known and another site; else the link itself."""
        target = self.targets.get(absolute(href, self.url), "")
        is_check = any(url.search(bare(target)) for url in self.parser.captcha.urls)
        leads_out = host_of(target) not in {"", host_of(self.url)} and not is_check
        return target if leads_out else href

    def _hidden(self, rows: Iterable[_Row]) -> tuple[str, ...]:
        wrapping = self.parser.wrapping
        if wrapping is None or not wrapping.asks:
            return ()
        hrefs = (self._href(link) for row in rows for link in row.own)
        hidden = (absolute(one, self.url) for one in hrefs if hides_target(one, self.url, wrapping))
        return tuple(islice(dict.fromkeys(hidden), HIDDEN_MAX))

    def _found(self, node: LexborNode, link: LexborNode) -> SerpEntry | None:
        """Return the result with a link, or None if a required part is missing."""
        parts = self.parser.selectors.within()
        values = {key: value_of(node, part) for key, part in parts.items()}
        values["url"] = self._target(self._href(link))
        lacks = any(part.required and not values[key] for key, part in parts.items())
        if lacks or not values["url"]:
            return None
        snippet = values["snippet"]
        date = values.get("date", "")
        # The excerpt without the date that the page puts before it.
        begins = date and snippet.startswith(date)
        values["snippet"] = snippet.removeprefix(date).lstrip(_DASHES) if begins else snippet
        short = {
            key: shortened(values[key], most) for key, most in CHARS_MAX.items() if key in values
        }
        return SerpEntry(**{**values, **short})

    def _target(self, href: str) -> str:
        """Return the target of a link; empty for none and for an advertisement."""
        plain = target_of(href, self.url, None)
        target = target_of(href, self.url, self.parser.wrapping)
        places = {bare(plain), bare(target)}
        is_ad = any(ad.search(place) for ad in self.parser.drop.urls for place in places)
        return "" if is_ad or any(map(is_ad_url, places)) else target

    def _is_past_the_end(self) -> bool:
        """Return whether the counter ends before the first result that the page should have."""
        counter = self.parser.counter
        if counter is None:
            return False
        text = " ".join(map(text_of, matches(self.document, counter.selector)))
        first = counter.first.search(text)
        numbers = _NUMBER.findall(first[0])[:1] if first else _NUMBER.findall(text)
        if first is None and _ROUNDED.search(text):
            return False
        wanted = self.parser.offset.on_page(self.page)
        return bool(numbers) and max(int(re.sub(r"\D", "", number)) for number in numbers) < wanted

    def _missing(self) -> str:
        """Return the part that is missing in every result, if no result is complete."""
        results = nodes(self.document, self.parser.selectors.result)[:ROWS_MAX]
        if not results:
            return "result"
        for key, part in self.parser.selectors.within().items():
            if part.required and not any(nodes(result, part) for result in results):
                return key
        return "url"  # the links exist, but have no target

    def _gaps(self, found: tuple[SerpEntry, ...]) -> Iterator[SearchNotice]:
        """Return the parts that no result has, though results should have them."""
        for key, part in self.parser.selectors.within().items():
            if part.diagnostic and not any(getattr(result, key) for result in found):
                yield SearchNotice(SearchNoticeKind.PART_MISSING, self._lack(key))

    def _unread(
        self, readings: Sequence[_RowReading], found: tuple[SerpEntry, ...]
    ) -> Iterator[SearchNotice]:
        """Return the number of rows that lead to pages which are not among the results.

        A row with several results counts as many rows, and so does a link outside of the rows that
        looks like that of a result.

        A redirect that hides its target leads to such a page. Groups of rows, rows within a
        result, rows that link only to the engine itself or to advertisements, and short rows
        without a title do not count.
        """
        rows = nodes(self.document, self.parser.selectors.result)[:ROWS_MAX]
        around = {row.mem_id: frozenset(one.mem_id for one in above(row)) for row in rows}
        groups = frozenset[int]().union(*around.values())
        inside = {"", host_of(self.url)}
        known = {result.url for result in found}
        singles = [one for one in readings if not one.row.is_group]
        read = {one.row.node.mem_id for one in singles if one.found or one.unread}
        unread = sum(one.unread for one in readings)
        for row in rows:
            if row.mem_id in groups or read & {row.mem_id, *around[row.mem_id]}:
                continue
            links = islice(matches(row, "a[href]"), LINKS_MAX)
            hrefs = {self._known(link_of(link, "href")) for link in links}
            leads_on = any(
                hides_target(href, self.url, self.parser.wrapping)
                or (host_of(target := self._target(href)) not in inside and target not in known)
                for href in hrefs
            )
            unread += leads_on and self._is_like_a_result(row)
        apart = (around.keys() - groups) | {one.row.node.mem_id for one in readings}
        unread += len(links_outside(self._title_links(), apart, self._outer_page))
        if unread:
            yield unread_rows(self.parser.name, unread, unread + len(found))

    def _is_like_a_result(self, row: LexborNode) -> bool:
        titled = nodes(row, self.parser.selectors.title) or matches(row, HEADINGS)
        return bool(titled) or len(text_of(row)) >= ROW_CHARS_MIN

    def _lack(self, key: str) -> str:
        part = self.parser.selectors.named()[key]
        where = " or ".join(map(repr, map(str, part.selector)))
        return f"{self.parser.name}: selectors.{key} found nothing at {where}. {part.diagnostic}"

    def _is_at(self, marks: Marks) -> bool:
        place = bare(self.url)[:TEXT_CHARS_MAX]
        return any(url.search(place) for url in marks.urls)

    def _has(self, marks: Marks) -> bool:
        return any(matches(self.document, selector) for selector in marks.selectors)


def _around(node: LexborNode, row: LexborNode) -> Iterator[LexborNode]:
    """Return the next elements that contain the node, within the row."""
    inside = takewhile(lambda one: one.mem_id != row.mem_id, above(node))
    return islice(inside, LEVELS_MAX)


def unread_rows(engine: str, unread: int, rows: int) -> SearchNotice:
    """Return the notice that some rows of an engine's result pages could not be read."""
    message = (
        f"{unread} of {rows} rows of {engine} could not be read. "
        "A selector can be fixed in a file named by engines.parsers."
    )
    return SearchNotice(SearchNoticeKind.ROWS_UNREAD, message, unread=unread, rows=rows)


def no_such_page(engine: str, page: int) -> SearchNotice:
    """Return the notice that the results of an engine end before a page."""
    message = f"{engine} has no page {page} for this query."
    return SearchNotice(SearchNoticeKind.NO_SUCH_PAGE, message)


def _matches_text(marks: Marks, text: str) -> bool:
    return any(words.search(text) for words in marks.words)

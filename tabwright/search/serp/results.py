"""Results of engines: their URLs without duplicates, rank fusion, and the list as Markdown."""

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import (
    SplitResult,
    parse_qs,
    quote,
    unquote,
    urljoin,
    urlsplit,
    urlunsplit,
)

import attrs

from tabwright.content.render.markdown import escaped, link
from tabwright.protocol.web_search import (
    Ranking,
    ReadResult,
    SearchNotice,
    SearchNoticeKind,
    SerpEntry,
    WebResult,
    WebResults,
    Wrapping,
)
from tabwright.search.progress_texts import failure_text
from tabwright.search.urls import host_of
from tabwright.text.languages import ENGLISH, Texts, texts_of
from tabwright.text.lines import one_line

_TRACKING = re.compile(r"utm_.*|fbclid|gclid|gbraid|wbraid|mc_cid|mc_eid|igshid", re.IGNORECASE)
"""Names of parameters that are used only for tracking."""

_REFERRER = re.compile(r"ref|ref_src|spm", re.IGNORECASE)
"""Names that are usually for tracking; but on some sites ``ref`` is a branch or a version."""
_WWW = "www."


def target_of(href: str, page_url: str, wrapping: Wrapping | None) -> str:
    """Return the absolute URL that a link leads to, unwrapped as far as possible.

    Empty for a link without a target, without a host, to another page of the engine, or in a
    redirect whose target cannot be read.
    """
    url = absolute(href, page_url)
    outside = url if re.match(r"\s*(https?:)?//", href, re.IGNORECASE) else ""
    wrapped = _wrapped(url, wrapping)
    target = outside if wrapped is None else next(filter(_is_shown, wrapped), "")
    return "".join(map(_written, target))


def hides_target(href: str, page_url: str, wrapping: Wrapping | None) -> bool:
    """Return whether a link is a redirect that contains neither a URL nor a path of the engine."""
    wrapped = _wrapped(absolute(href, page_url), wrapping)
    return wrapped is not None and not any(
        value.startswith("/") or _is_shown(value) for value in wrapped
    )


def result_url(url: str) -> str:
    """Return an absolute http or https URL from an answer as it is shown; else an empty text."""
    is_web = re.match(r"https?://", url, re.IGNORECASE) is not None
    return "".join(map(_written, url)) if is_web and _is_shown(url) else ""


def bare(url: str) -> str:
    """Return the URL without query and fragment; empty if it cannot be parsed."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))


def without_tracking(url: str) -> str:
    """Return the URL without the parameters that are used only for tracking."""
    parts = urlsplit(url)
    query = _without(parts, _TRACKING)
    return url if query == parts.query else urlunsplit(parts._replace(query=query))


def result_key(url: str) -> str:
    """Return a key that is equal for the http and https URLs of one page.

    Scheme, ``www.``, default port, closing slash, fragment and possible tracking parameters are
    ignored.
    """
    parts = urlsplit(url)
    host = host_of(url).removeprefix(_WWW)
    port = f":{parts.port}" if parts.port not in {None, 80, 443} else ""
    query = _without(parts, _TRACKING, _REFERRER)
    return f"{host}{port}{parts.path.rstrip('/')}{'?' if query else ''}{query}"


def of_site(
    engine: str, entries: Sequence[SerpEntry], site: str
) -> tuple[tuple[SerpEntry, ...], tuple[SearchNotice, ...]]:
    """Return the entries of a site, and a notice if an engine has ignored that only they count.

    Args:
        engine: the engine of the entries.
        entries: as the engine lists them.
        site: a host, which includes its subdomains, and perhaps the beginning of a path.
    """
    host, _, path = site.lower().removeprefix(_WWW).partition("/")

    def is_of_site(url: str) -> bool:
        """Return whether the URL is below the site."""
        own = host_of(url).removeprefix(_WWW)
        is_host = own == host or own.endswith(f".{host}")
        return is_host and urlsplit(url).path.lower().startswith(f"/{path}" if path else "")

    kept = tuple(entry for entry in entries if is_of_site(entry.url))
    count = len(entries) - len(kept)
    if not count:
        return kept, ()
    message = f"It lists {count} of {len(entries)} results of other sites, which are left out."
    return kept, (SearchNotice(SearchNoticeKind.OTHER_SITES, message, engine),)


def absolute(href: str, page_url: str) -> str:
    """Return the absolute URL of a link, also within the engine; empty if it has no host."""
    try:
        url = urljoin(page_url, href.strip())
    except ValueError:
        return ""
    return url if _is_shown(url) else ""


def _is_shown(url: str) -> bool:
    """Return whether the URL has a host that is readable: without invisible letters."""
    host = host_of(url)
    return bool(host) and host.isprintable()


def _written(character: str) -> str:
    """Return the character, percent-encoded if it is not readable in a displayed URL."""
    is_plain = character.isprintable() and not character.isspace()
    return character if is_plain else quote(character, errors="replace")


def _wrapped(url: str, wrapping: Wrapping | None) -> list[str] | None:
    """Return the values of a redirect that can be its target; None if it is another link."""
    if wrapping is None or not wrapping.url.search(bare(url)):
        return None
    query = parse_qs(urlsplit(url).query)
    values = (query.get(name, [""])[0] for name in wrapping.parameters)
    return [_decoded(value, wrapping.base64_after) for value in values]


def _decoded(value: str, base64_after: str | None) -> str:
    if base64_after is None:
        return value
    text = value.removeprefix(base64_after)
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    except ValueError:
        return ""


def _without(parts: SplitResult, *kinds: re.Pattern[str]) -> str:
    """Return the query without the parameters of these kinds."""
    pieces = parts.query.split("&")
    return "&".join(
        piece
        for piece in pieces
        if not any(kind.fullmatch(unquote(piece.partition("=")[0])) for kind in kinds)
    )


# Merging rankings by reciprocal rank fusion (Cormack and others, SIGIR 2009).

K = 60
"""The constant that keeps one engine's first rank from outweighing agreement of several engines."""


@attrs.frozen
class _Listing:
    """The best rank of a page at one engine; the lesser of two listings ranks it better."""

    rank: int
    priority: int
    engine: str
    found: SerpEntry

    @property
    def place(self) -> tuple[int, int]:
        """Return the sort key: the rank, then the engine's priority."""
        return self.rank, self.priority


def merged(found: Mapping[str, Sequence[SerpEntry]], limit: int) -> tuple[WebResult, ...]:
    """Merge the results of the engines, best first, each page once.

    Args:
        found: results by engine, in the order of priority; each in page order.
        limit: maximum number of results.
    """
    by_page: dict[str, list[_Listing]] = {}
    every = [
        _Listing(rank, priority, engine, result)
        for priority, (engine, results) in enumerate(found.items())
        for rank, result in enumerate(results, 1)
    ]
    for listing in sorted(every, key=lambda listing: listing.place):
        listings = by_page.setdefault(result_key(listing.found.url), [])
        if all(listing.engine != other.engine for other in listings):
            listings.append(listing)
    pages = sorted(by_page.values(), key=_order)
    return tuple(map(_result, pages[:limit]))


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


# The list of results as Markdown.


def result_list(results: WebResults, language: str = ENGLISH) -> str:
    """Return the results, numbered, each with the engines that rank it, then failures and notices.

    The passages of the results that were read follow, each under a heading with its number.

    Args:
        results: the results.
        language: the language of the headings, failures and notices.
    """
    texts = texts_of(language)
    entries = "\n".join(
        line for number, one in enumerate(results.results, 1) for line in _entry(number, one)
    )
    failures = [f"- {one.engine}: {failure_text(one, language)}" for one in results.failures]
    gaps = ["\n".join((texts.engines_failed, *failures))] if failures else []
    notices = [f"- {_notice(one, texts)}" for one in results.notices]
    notes = ["\n".join((texts.notices, *notices))] if notices else []
    read = [_read(one, texts) for one in results.read]
    return "\n\n".join([entries or texts.no_results, *gaps, *notes, *read])


def _read(page: ReadResult, texts: Texts) -> str:
    """Return the passages of a result under a heading with its number, or why there are none.

    They are quoted, so that a page cannot imitate the heading of another one.
    """
    heading = f"## {page.number}. {link(escaped(one_line(page.title)), one_line(page.url))}"
    if page.kind:
        is_english = texts is texts_of(ENGLISH)
        message = one_line(page.message) if is_english else texts.page_unread
        return f"{heading}\n\n{message}"
    notes = [texts.page_shortened] if page.shortened else []
    notes += [page.notice] if page.notice and texts is texts_of(ENGLISH) else []
    lines = [f"> {line}".rstrip() for line in page.text.splitlines()]
    if not (lines or notes):
        notes = [texts.page_irrelevant]
    return "\n\n".join(filter(None, (heading, "\n".join(lines), *notes)))


def _notice(notice: SearchNotice, texts: Texts) -> str:
    """Return a notice: details in English, else a sentence in the language."""
    if texts is texts_of(ENGLISH):
        sentence = one_line(notice.message)
    else:
        sentences = {
            SearchNoticeKind.PART_MISSING: texts.notice_part_missing,
            SearchNoticeKind.ROWS_UNREAD: texts.notice_rows_unread.format(
                unread=notice.unread, rows=notice.rows
            ),
            SearchNoticeKind.NO_RESULTS: texts.notice_no_results,
            SearchNoticeKind.NO_SUCH_PAGE: texts.notice_no_such_page,
            SearchNoticeKind.OTHER_SITES: texts.notice_other_sites,
            SearchNoticeKind.PARSERS_FILE: texts.notice_parsers_file,
        }
        sentence = sentences[notice.kind]
    return f"{notice.engine}: {sentence}" if notice.engine else sentence


def _entry(number: int, result: WebResult) -> Iterator[str]:
    indent = " " * (len(str(number)) + 2)
    places = ", ".join(f"{place.engine} {place.rank}" for place in result.rankings)
    date = f"{one_line(result.date)}; " if result.date else ""
    target = link(escaped(one_line(result.title)), one_line(result.url))
    yield f"{number}. {target} ({escaped(date)}{places})"
    if result.snippet:
        yield f"{indent}{escaped(one_line(result.snippet))}"

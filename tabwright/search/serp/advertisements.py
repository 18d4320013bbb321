"""Finding advertisements on result pages by signs that engines have in common.

A parser knows the advertisements of its engine by class names, which change. The law demands a
label such as "Ad", and attributes often say so too.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.search.serp.title_links import TitleLink, above
from tabwright.search.urls import host_of

_LABEL_LINES = """
Ad|Ads|Advert|Adverts|Advertisement|Advertisements|Paid ad|Promoted|Sponsored|Sponsored result
Sponsored results|Anzeige|Anzeigen|Gesponsert|Gesponserte Ergebnisse|Werbung|Annonce|Annonces
Publicité|Sponsorisé|Sponsorisée|Sponsorisés|Commandité|Anuncio|Anuncios|Patrocinado|Patrocinados
Publicidad|Annuncio|Annunci|Sponsorizzato|Sponsorizzati|Anúncio|Anúncios|Publicidade|Advertentie
Advertenties|Gesponsord|Annons|Annonser|Sponsrad|Sponsrat|Sponset|Sponsoreret|Mainos|Mainokset
Sponsoroitu|Reklama|Reklamy|Reklam|Reklame|Sponzorováno|Sponsorowane|Sponsorlu|Реклама|Спонсировано
広告|スポンサー|광고|스폰서|广告|廣告|赞助|贊助|赞助商链接|إعلان|إعلانات|ممول|מודעה|ממומן|विज्ञापन|โฆษณา|ได้รับการสนับสนุน
Quảng cáo|Được tài trợ|Iklan|Bersponsor
"""
LABELS = frozenset(label for line in _LABEL_LINES.strip().splitlines() for label in line.split("|"))
"""The labels of advertisements, in the case in which pages show them: "AD" is a newspaper."""

_LABEL_CHARS_MAX = 30
_AROUND_A_LABEL = " \t\n\r\xa0\u200b\u00b7\u2022\u2013\u2014:-|[]()"

_NAMES = frozenset({"ad", "ads", "advert", "advertisement", "advertising", "sponsored", "promoted"})
"""Words of class names, ids and attribute names that mark advertisements."""

_NAMED_IN = ("class", "id", "data-type", "data-testid", "data-test-id", "data-test")
_WORD_ENDS = re.compile(r"[^a-z]+")

_AD_URL = re.compile(
    r"^https?://([^/]{1,255}\.)?(googleadservices|googlesyndication|doubleclick)\.[a-z]{2,3}/"
    r"|/(aclk|aclick|adclick)$"
)

_EMPHASIZED = frozenset({"em", "b", "strong", "mark", "cite", "code"})
"""Elements in which an engine shows the words of the query."""

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

_LABELS_MAX = 500


def is_ad_url(url: str) -> bool:
    """Return whether a URL, without its query, is the redirect of an advertisement."""
    return _AD_URL.search(url) is not None


def advertisements(
    document: LexborHTMLParser, links: Iterable[TitleLink], page_url: str
) -> list[LexborNode]:
    """Return the elements of a result page that contain only advertisements.

    An element with more than half of the titles does not count: it may be the page itself.

    Args:
        document: the page.
        links: the links to results and advertisements.
        page_url: the URL of the page.
    """
    pages: dict[int, set[str]] = defaultdict(set)
    titles = {link.node.mem_id: link.node.attributes.get("href") or "" for link in links}
    for link in links:
        for element in (link.node, *link.around):
            pages[element.mem_id].add(titles[link.node.mem_id])
    every = len(set(titles.values()))
    marked = {
        one.mem_id: one
        for one in (*_named(document, pages), *_labelled(document, titles, pages, page_url))
        if 2 * len(pages[one.mem_id]) <= every
    }
    return [one for one in marked.values() if not any(a.mem_id in marked for a in above(one))]


def _named(document: LexborHTMLParser, pages: Collection[int]) -> Iterator[LexborNode]:
    """Return the elements around titles that an attribute names advertisements."""
    for element in document.css("body *"):
        if element.mem_id in pages and _is_named(element.attributes):
            yield element


def _labelled(
    document: LexborHTMLParser,
    titles: Collection[int],
    pages: Mapping[int, Collection[str]],
    page_url: str,
) -> Iterator[LexborNode]:
    """Return the elements that a label marks, beside one title or as the heading of several."""
    every = (one for one in document.css("body *") if _is_label(one, titles, page_url))
    for label in islice(every, _LABELS_MAX):
        marked = next((one for one in (label, *above(label)) if one.mem_id in pages), None)
        if marked and (len(pages[marked.mem_id]) == 1 or label.tag in _HEADINGS):
            yield marked


def _is_named(attributes: Mapping[str, str | None]) -> bool:
    values = (attributes.get(name) or "" for name in _NAMED_IN)
    names = (*values, *(name.removeprefix("data-") for name in attributes if "data-" in name))
    is_word = any(not _NAMES.isdisjoint(_WORD_ENDS.split(name)) for name in names)
    return is_word or attributes.get("aria-label") in LABELS


def _is_label(element: LexborNode, titles: Collection[int], page_url: str) -> bool:
    """Return whether an element consists of a label, or is a link that was paid for."""
    if element.tag == "a" and "sponsored" in (element.attributes.get("rel") or "").split():
        return True
    text = element.child
    if text is None or text.next is not None or not text.is_text_node:
        return False
    shown = text.text_content or ""
    is_label = len(shown) <= _LABEL_CHARS_MAX and shown.strip(_AROUND_A_LABEL) in LABELS
    return is_label and not _is_part_of_a_result(element, titles, page_url)


def _is_part_of_a_result(element: LexborNode, titles: Collection[int], page_url: str) -> bool:
    """Return whether the text is of a result: a title, a link to a page, a word of the query."""
    for around in (element, *above(element)):
        if around.tag in _EMPHASIZED or around.mem_id in titles:
            return True
        if around.tag == "a" and host_of(around.attributes.get("href") or "") not in {
            "",
            host_of(page_url),
        }:
            return True
    return False

"""Build a snapshot from a page's source: content, links, forms, media and metadata.

The whole page is read before anything is removed. Then invisible elements, unselected elements and
boilerplate are removed. CSS selectors choose parts of the page.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from tabwright.content.html.accessibility_tree import accessible_tree
from tabwright.content.html.blocks import blocks_of
from tabwright.content.html.forms import forms_of
from tabwright.content.html.formulas import place_formulas
from tabwright.content.html.hidden_elements import UNSEEN, remove_unseen
from tabwright.content.html.links import anchors_in, found_links, name_icon_links, numbered_links
from tabwright.content.html.media import media_of
from tabwright.content.html.metadata import PageMetadata, metadata_of, title_of
from tabwright.content.html.page_facts import facts_of
from tabwright.content.html.redundant_names import remove_decoration, remove_redundant_names
from tabwright.content.html.sanitize import limit_source, sanitize_html
from tabwright.content.html.structured_data import page_data
from tabwright.content.html.style_sheets import break_lines, set_blocks_apart, set_links_apart
from tabwright.content.html.tree import Addresses, parsed, remove
from tabwright.content.readability.boilerplate import main_part, remove_boilerplate
from tabwright.content.readability.main_content import main_content
from tabwright.content.readability.signals import TITLE_CHARS_MIN, PageHead
from tabwright.protocol.errors import BadInput
from tabwright.protocol.snapshot import CutReason, PageSnapshot, PageSource, Selection
from tabwright.text.lines import collapse_whitespace

CONTROLS = (
    ":is(a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button],"
    " [role=link], [role=checkbox], [role=radio], [role=switch], [role=tab], [role=menuitem],"
    " [role=option], [role=combobox], [role=textbox])"
    ":not([hidden]:not([hidden=until-found]), [hidden]:not([hidden=until-found]) *)"
)
"""Links, buttons and fields that are not marked as hidden."""


@attrs.frozen
class Chosen:
    """The selected elements.

    Attributes:
        roots: in document order, none inside another.
        kept: the ids of all selected elements and their ancestors.
    """

    roots: tuple[LexborNode, ...]
    kept: AbstractSet[int]


def exclude(document: LexborHTMLParser, selectors: Iterable[str]) -> None:
    """Remove matching elements from the document.

    Raises:
        BadInput: a selector is not valid CSS.
    """
    for selector in selectors:
        remove(_matches(document, selector))


def choose(document: LexborHTMLParser, selectors: Iterable[str]) -> Chosen:
    """Return the elements that match a selector, possibly none.

    Raises:
        BadInput: a selector is not valid CSS.
    """
    asked = {node.mem_id: node for one in selectors for node in _matches(document, one)}
    roots: list[LexborNode] = []
    node = document.root
    while node is not None:
        if node.mem_id in asked:
            roots.append(node)
            node = _after(node)
        else:
            node = node.first_child or _after(node)
    kept: set[int] = set()
    for here in asked.values():
        node = here
        while node is not None and node.mem_id not in kept:
            kept.add(node.mem_id)
            node = node.parent
    return Chosen(tuple(roots), kept)


def _matches(document: LexborHTMLParser, selector: str) -> list[LexborNode]:
    try:
        return document.css(str(selector))
    except (SelectolaxError, UnicodeEncodeError) as error:
        raise BadInput(
            f"{selector!r} is not a valid CSS selector.",
            advice="Use a selector such as 'main', '.price' or '#content > p'.",
        ) from error


def _after(node: LexborNode) -> LexborNode | None:
    """Return the next node that is not inside this one."""
    here: LexborNode | None = node
    while here is not None and here.next is None:
        here = here.parent
    return None if here is None else here.next


# The page as a whole.


def take_snapshot(source: PageSource, selection: Selection) -> PageSnapshot:
    """Return the selected content of the page, with all its links, forms and media.

    Any source is accepted: hostile content can only become text.

    Raises:
        BadInput: a selector is not valid CSS, also one of a schema.
    """
    url = source.page.url
    document = parsed(source)
    addresses = Addresses.of(document, url)
    account = PageMetadata.of(document)
    title, metadata = title_of(account, document), metadata_of(account, document, addresses)
    metadata = attrs.evolve(metadata, facts=facts_of(document, account.linked_data, addresses))
    forms = forms_of(document, addresses, source.charset)
    media = media_of(document, addresses)
    tree = (source.tree or accessible_tree(document)) if selection.tree else ()
    wanted = selection.data
    data = page_data(document, addresses, account, wanted) if wanted else None
    place_formulas(document)
    if not source.is_laid_out:
        set_blocks_apart(document)
    set_links_apart(document)
    break_lines(document)
    name_icon_links(document, addresses)
    found = found_links(document, addresses)
    controls = len(document.css(CONTROLS))
    exclude(document, selection.exclude_selectors)
    is_laid_out = source.is_laid_out
    content = blocks_of(_roots(document, selection), addresses, is_laid_out=is_laid_out)
    if not content and not selection.selectors:
        whole = parsed(source)
        place_formulas(whole)
        exclude(whole, selection.exclude_selectors)
        roots = (whole.body,) if whole.body else ()
        content = blocks_of(roots, addresses, is_laid_out=is_laid_out)
    return PageSnapshot(
        url=url,
        title=title,
        status=source.page.status,
        media_type=source.page.mime_type,
        content=content,
        links=numbered_links(found, anchors_in(document), content, url),
        forms=forms,
        media=media,
        metadata=metadata,
        tree=tree,
        cut=_cut(source),
        data=data,
        controls=controls,
    )


def plain_snapshot(source: PageSource, selection: Selection) -> PageSnapshot:
    """Return only the text and the links of a page on which `take_snapshot` fails.

    Raises:
        BadInput: a selector is not valid CSS.
    """
    url = source.page.url
    document = LexborHTMLParser(sanitize_html(limit_source(source).html))
    addresses = Addresses.of(document, url)
    remove(document.css(UNSEEN))
    exclude(document, selection.exclude_selectors)
    body = (document.body,) if document.body else ()
    roots = choose(document, selection.selectors).roots if selection.selectors else body
    content = blocks_of(roots, addresses, is_laid_out=source.is_laid_out)
    found = found_links(document, addresses)
    title = document.css_first("title")
    return PageSnapshot(
        url=url,
        title=collapse_whitespace(title.text()) if title else "",
        status=source.page.status,
        media_type=source.page.mime_type,
        content=content,
        links=numbered_links(found, anchors_in(document), content, url),
        cut=_cut(source),
    )


def _cut(source: PageSource) -> CutReason | None:
    """Return why only the first part of a page is read; None if it is read whole."""
    if source.cut:
        return "size_limit"
    return "element_limit" if limit_source(source).cut else None


def _roots(document: LexborHTMLParser, selection: Selection) -> tuple[LexborNode, ...]:
    """Return the selected elements, without the parts that were not selected."""
    if selection.selectors:
        chosen = choose(document, selection.selectors)
        remove_unseen(document, chosen.kept)
        remove_boilerplate(document, chosen.kept)
        return chosen.roots
    remove_unseen(document)
    if selection.readability:
        headline = _headline(document)
        roots = main_content(document)
        remove_redundant_names(roots)
        remove_decoration(roots)
        if headline is None or _has_heading(roots, headline):
            return roots
        return (headline, *roots)
    remove_boilerplate(document)
    return main_part(document)


def _headline(document: LexborHTMLParser) -> LexborNode | None:
    """Return a copy of the page's headline, which can be outside the main content.

    It is the only first-level heading. If the title of the page has few of its words, as of the
    name of a site, it is rather a second-level heading that the title has as a whole.
    """
    headings = [node for node in document.css("h1") if node.text().strip()]
    if len(headings) != 1:
        return None
    title = PageHead.of(document).title
    found = headings[0]
    words = collapse_whitespace(found.text()).split()
    if 2 * sum(word in title for word in words) < len(words):
        found = next((node for node in document.css("h2") if _is_in(title, node)), found)
    headline = document.create_node(found.tag or "h1")
    headline.inner_html = found.inner_html or ""
    return headline


def _is_in(title: str, heading: LexborNode) -> bool:
    text = collapse_whitespace(heading.text())
    return len(text) >= TITLE_CHARS_MIN and text in title


def _has_heading(roots: Iterable[LexborNode], headline: LexborNode) -> bool:
    """Return whether the roots have the headline, maybe without parts that are not content."""
    if headline.tag == "h1":
        return any(root.css_matches("h1") for root in roots)
    text = collapse_whitespace(headline.text())
    headings = (node for root in roots for node in root.css("h2"))
    return any(collapse_whitespace(node.text()) == text for node in headings)

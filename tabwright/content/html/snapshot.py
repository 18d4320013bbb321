"""From a page's source to what it holds: content, links, forms, media, and what it says of itself.

All of the page is looked at before anything is taken out of it; then what nobody sees, what was
not asked for, and what stands round the content.
"""

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.css_selection import choose, exclude
from tabwright.content.html.accessibility_tree import accessible_tree
from tabwright.content.html.blocks import blocks_of
from tabwright.content.html.forms import forms_of
from tabwright.content.html.links import anchors_in, found_links, numbered_links
from tabwright.content.html.media import media_of
from tabwright.content.html.metadata import PageMetadata, metadata_of, title_of
from tabwright.content.html.sanitize import limit_source
from tabwright.content.html.tree import Addresses, parsed
from tabwright.content.readability.boilerplate import main_part, remove_boilerplate, remove_unseen
from tabwright.content.readability.main_content import main_content
from tabwright.protocol.snapshot import PageSnapshot, PageSource, Selection


def take_snapshot(source: PageSource, selection: Selection) -> PageSnapshot:
    """What the page holds, as far as it was selected; its links, forms and media are all there.

    Works on any source: what a hostile page holds can only end up as text.

    Raises:
        BadInput: a selector is none.
    """
    url = source.page.url
    document = parsed(source)
    addresses = Addresses.of(document, url)
    account = PageMetadata.of(document)
    title, metadata = title_of(account, document), metadata_of(account, document, addresses)
    forms = forms_of(document, addresses, source.charset)
    media = media_of(document, addresses)
    tree = (source.tree or accessible_tree(document)) if selection.tree else ()
    found = found_links(document, addresses)
    exclude(document, selection.exclude_selectors)
    content = blocks_of(_roots(document, selection), addresses)
    if not content and not selection.selectors:
        whole = parsed(source)
        exclude(whole, selection.exclude_selectors)
        content = blocks_of((whole.body,) if whole.body else (), addresses)
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
        cut=limit_source(source).cut,
    )


def _roots(document: LexborHTMLParser, selection: Selection) -> tuple[LexborNode, ...]:
    """What was asked for, cleared of all that was not."""
    if selection.selectors:
        chosen = choose(document, selection.selectors)
        remove_unseen(document, chosen.kept)
        remove_boilerplate(document, chosen.kept)
        return chosen.roots
    remove_unseen(document)
    if selection.readability:
        return main_content(document)
    remove_boilerplate(document)
    return main_part(document)

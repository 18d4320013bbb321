"""The parts of a page: what is empty, hidden or next to the content, and what is before it."""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.element_path import Surroundings, is_hidden
from tabwright.content.html.hidden_elements import MAIN
from tabwright.content.html.tree import number_in
from tabwright.text.placeholders import OTHER_TEXTS, is_loading

DIALOGS = "dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]"
"""Elements that float above the page (HTML, section 4.11.4, and WAI-ARIA)."""

INLINE_SCRIPTS = "script:not([src]):not([type*=json i])"

BESIDE = frozenset({"nav", "header", "footer", "aside", "dialog", "form"})
"""Elements with little content; what is missing there is not reported."""

COMMENTS = re.compile(
    "comment|disqus|giscus|utteranc|remark42|isso-thread|hyvor|cusdis", re.IGNORECASE
)
"""Ids and classes of elements that hold comments, and those of services for them."""

MEDIA = "img, svg, input, iframe, video, audio, canvas, picture, object, embed, button, select"
"""Elements that are content without text."""

INDICATORS = (
    "[class*=indicator i], [class*=spinner i], [class*=loader i], [class*=loading i]"
    ", [class*=skeleton i], img[alt*=loading i]"
)
"""Parts of an element that show that it is being filled."""

LABELS = frozenset({"dt", "label", "td", "th"})
"""Elements that are labels; other texts before a value are if they end with a colon."""

LABEL_CHARACTERS_MAX = 80
"""A longer text is a sentence about what follows it."""

BINDINGS = frozenset(
    {"x-text", "x-html", "v-text", "v-html", "ng-bind", "ng-bind-html", "data-bind"}
)
"""Attributes with what libraries show in an element (Alpine, Vue, AngularJS, Knockout)."""

HOOK = re.compile(r"js-(?!.*anchor)")
"""How classes begin that only scripts use, which fill few anchors."""

FRAME_PIXELS = 50
"""Smaller frames have no content."""

SILENT = "script, style, noscript, template, head"
"""Elements without visible text."""

DRAWINGS = "svg:not(svg svg)"
"""Pictures, whose text is not counted."""

GAPS = re.compile(
    r"toast|modal|popup|tooltip|overlay|notif|alert|error|messages?\b|captcha|search|suggest"
    r"|autocomplete|portal|sentinel|advert|banner|sponsor|(?<![a-z])(?:ads?|gpt)(?![a-z])",
    re.IGNORECASE,
)
"""Ids and classes of elements that are empty until something happens, or stay empty."""

_LINE = re.compile(r"[^\s][^\n]*")
"""A line of text, without the white space before it."""

_NAME = re.compile(r"[\w-]+")
"""A word of a script, which can be the id of an element."""

_SELECTED = re.compile(
    r"""["'`]\.([a-z_][\w-]*)|ClassName\(\s*["'`]([\w-]+)|\[(data-[\w-]+)""", re.IGNORECASE
)
"""A class or a data attribute in a selector of a script."""


class PageParts:
    """The elements of a page that its scripts can fill.

    Attributes:
        scripts: the text of the scripts in the page.
        hidden: the elements that are hidden.
        beside: the elements that are next to the content.
    """

    def __init__(self, document: LexborHTMLParser) -> None:
        self._document = document
        self.scripts = " ".join(node.text() for node in document.css(INLINE_SCRIPTS))
        self.hidden = Surroundings(is_hidden)
        self.beside = Surroundings(_is_beside)
        self._others = Surroundings(lambda node: node.tag in OTHER_TEXTS)

    def loading(self) -> Iterator[LexborNode]:
        """Yield the visible elements that say that something is being loaded."""
        body = self._document.body
        lines = _LINE.finditer(body.text(separator="\n")) if body else ()
        if not any(is_loading(line[0]) for line in lines):  # nearly always
            return
        for node in self._document.css("body *"):
            is_one = is_loading(own_text(node), node.tag) and not self._others.include(node)
            if is_one and not self.hidden.include(node):
                yield node

    def filled(self, selector: str) -> Iterator[LexborNode]:
        """Yield the empty elements of the content that scripts name."""
        for node in self._document.css(selector):
            if self.is_named(node) and not any(node.iter()) and self.is_empty_content(node):
                yield node

    def is_named(self, node: LexborNode) -> bool:
        """Return whether scripts name an element: by its id, a class or a data attribute.

        An attribute that binds it to data, or a class that only scripts use, is enough: the script
        can be in another file.
        """
        if self.is_named_by_id(node):
            return True
        attributes = node.attributes
        classes = (attributes.get("class") or "").split()
        if any(map(HOOK.match, classes)) or not BINDINGS.isdisjoint(attributes):
            return True
        return not self._selected.isdisjoint((*classes, *attributes))

    def is_named_by_id(self, node: LexborNode) -> bool:
        """Return whether the page's own scripts name an element by its id."""
        return node.id in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        """The words of the page's own scripts."""
        return frozenset(_NAME.findall(self.scripts))

    @cached_property
    def _selected(self) -> frozenset[str]:
        """The classes and data attributes in the selectors of the page's own scripts."""
        return frozenset(match[match.lastindex or 0] for match in _SELECTED.finditer(self.scripts))

    def is_empty(self, node: LexborNode) -> bool:
        """Return whether an element shows nothing, and is not hidden."""
        return shows_nothing(node) and not self.hidden.include(node)

    def is_awaited(self, node: LexborNode) -> bool:
        """Return whether an element shows nothing, or only that it is being filled."""
        return self.is_empty(node) or (
            _shows_only_indicator(node) and not self.hidden.include(node)
        )

    def is_blank_frame(self, frame: LexborNode) -> bool:
        """Return whether a frame without a document is one of the content that scripts fill."""
        has_size = all(number_in(size) is not None for size in _sizes(frame))  # few others have
        is_content = is_content_frame(frame) and not self.beside.include(frame)
        return has_size and is_content and self.is_named(frame)

    def is_empty_content(self, node: LexborNode) -> bool:
        """Return whether an element of the content shows nothing, and is not hidden."""
        return shows_nothing(node) and not self.is_apart(node)

    def is_apart(self, node: LexborNode) -> bool:
        """Return whether an element is hidden, or next to the content."""
        return self.hidden.include(node) or self.beside.include(node)


def _shows_only_indicator(node: LexborNode) -> bool:
    """Return whether an element shows only that it is being filled."""
    text = " ".join(node.text().split())
    return (not text or is_loading(text)) and node.css_first(INDICATORS) is not None


def is_custom(node: LexborNode) -> bool:
    """Return whether an element is a custom one (HTML, section 4.13)."""
    return "-" in (node.tag or "")[1:]


def own_text(node: LexborNode) -> str:
    """Return the text of an element without elements in it; empty for others."""
    if any(node.iter()):
        return ""
    return " ".join(node.text().split())


def short_text(node: LexborNode) -> str:
    """Return the text of an element with at most one other in it; empty for others."""
    inner = list(islice(node.iter(), 2))
    return own_text(inner[0]) if len(inner) == 1 else own_text(node)


def before_element(node: LexborNode) -> LexborNode | None:
    """Return the element or text before an element."""
    before = node.prev
    while before is not None and not before.is_element_node:
        if before.is_text_node and before.text().strip():
            break
        before = before.prev
    return before


def is_label(node: LexborNode) -> bool:
    """Return whether an element or a text is the label of what follows it."""
    text = short_text(node) if node.is_element_node else node.text().strip()
    is_short = 0 < len(text) <= LABEL_CHARACTERS_MAX
    return is_short and (text.endswith((":", "\uff1a")) or node.tag in LABELS)


def is_of_search(node: LexborNode) -> bool:
    """Return whether an element is empty until the reader does something, usually a search."""
    before = before_element(node)
    follows_field = before is not None and before.tag in {"input", "form", "search"}
    return follows_field or GAPS.search(names_of(node)) is not None


def shows_nothing(node: LexborNode) -> bool:
    """Return whether an element has neither text nor media."""
    return (
        node.tag not in {"html", "body"}
        and not node.text().strip()
        and node.css_first(MEDIA) is None
    )


def has_empty_main(document: LexborHTMLParser) -> bool:
    """Return whether the only main element shows nothing, in a document without `SILENT` ones."""
    mains = document.css(MAIN)
    if len(mains) != 1 or not shows_nothing(mains[0]):
        return False
    return not Surroundings(is_hidden).include(mains[0])


def _is_beside(node: LexborNode) -> bool:
    """Return whether an element is next to the content, or holds comments on it."""
    return node.tag in BESIDE or COMMENTS.search(names_of(node)) is not None


def names_of(node: LexborNode) -> str:
    """Return the id and the classes of an element."""
    return f"{node.id or ''} {node.attributes.get('class') or ''}"


def is_content_frame(node: LexborNode) -> bool:
    """Return whether a frame can hold content, and not only count visits."""
    sizes = map(number_in, _sizes(node))
    tiny = any(size is not None and size < FRAME_PIXELS for size in sizes)
    return not tiny and not is_hidden(node)


def _sizes(frame: LexborNode) -> tuple[str | None, str | None]:
    return frame.attributes.get("width"), frame.attributes.get("height")


def open_dialogs(document: LexborHTMLParser) -> list[LexborNode]:
    """Return the dialogs with text that the page shows above its content, none inside another.

    The document is one without `SILENT` elements.
    """
    found = {node.mem_id: node for node in document.css(DIALOGS)}
    is_inner = Surroundings(lambda node: node.mem_id in found)
    unseen = Surroundings(
        lambda node: is_hidden(node) or node.attributes.get("aria-hidden") == "true"
    )
    outermost = (one for one in found.values() if not (one.parent and is_inner.include(one.parent)))
    return [one for one in outermost if not unseen.include(one) and characters_in(one)]


def remove_silent(document: LexborHTMLParser) -> None:
    """Remove the elements without visible text from a document."""
    for node in document.css(SILENT):
        node.decompose()


def shown_characters(document: LexborHTMLParser) -> int:
    """Count the characters of visible text; other elements are removed from the document."""
    remove_silent(document)
    body = document.body
    return characters_in(body) - sum(map(characters_in, document.css(DRAWINGS))) if body else 0


def characters_in(node: LexborNode) -> int:
    """Count the characters of the text of an element."""
    return len(" ".join(node.text().split()))

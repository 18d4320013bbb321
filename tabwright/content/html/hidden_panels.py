"""Hidden elements that a reader can make visible: panels, folded sections, slides, further rows."""

import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import chain, islice

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.element_path import Surroundings
from tabwright.content.html.inline_styles import hides, is_positioned
from tabwright.content.html.tree import ancestors

POPUP_ROLES = frozenset({"dialog", "alertdialog", "menu", "navigation"})
"""Hidden panels are shown on a click and are content; hidden pop-ups are not."""

_NEVER_PANELS = frozenset({"script", "style", "dialog"})

OUT_OF_SIGHT = "out-of-sight"
"""The value of ``hidden`` by which ``source.js`` marks elements that no control shows."""

_NAMING = "[data-target], [data-bs-target], a[href^='#'], [onclick], [aria-controls]"
"""Controls that can name what they show by its id."""

_TARGETS = ("data-target", "data-bs-target")
_MODAL_SIGNS = ("data-toggle", "data-bs-toggle")

_OPENED = re.compile(r"(?<![\w-])([\w-]+)[\"'`]?\)?(?:\[0\])?\s*\.\s*show(?:Modal)?\(")
"""The id of a dialog in a handler of clicks that opens it."""

_OPENERS = "[command=show-modal i][commandfor]"
"""Controls that open a dialog without a script (HTML, section 4.10.6)."""

_FORM_PARTS = "form, input, textarea"

_ENTRIES = "input, textarea, select"
"""The fields of forms; a dialog without any can have a form for its button."""

_IDENTIFIER = re.compile(r"[\w-]+")

CONTROLS = (
    ":is(button, [role=button], [aria-expanded=false], [onclick]:not(a), label[for], a[href='#'],"
    " a[href^='javascript:' i], a:not([href])):not([aria-haspopup])"
)
"""Elements that a script or a style sheet can make show something, except pop-ups."""

EXAMINED_CHARACTERS_MAX = 2_000_000
"""Maximum length of the hidden texts of a page together that are examined."""

ELEMENT_CHARACTERS = 100
"""How many characters an element counts for, beside its text."""

NEARBY = 3
"""How many levels above hidden rows, items or slides, and how far beside these, controls can be."""

FOLDED_CHARACTERS_MIN = 25
"""Minimum length of a folded text; messages such as "Copied" are shorter."""

_SERIES_TAGS = frozenset({"article", "div", "figure", "section"})
_ROW_TAGS = frozenset({"li", "tbody", "tr"})

_POPUP = re.compile(
    r"modal|pop-?up|popover|dialog|tooltip|dropdown|drop-down|overlay|lightbox|toast|cookie|consent"
    r"|fancybox|menu|share|sticky|loading|spinner|success|error|template",
    re.IGNORECASE,
)
_FOLDING = re.compile(r"accordion|collapse|collapsible|expand|faq|toggle|question", re.IGNORECASE)

HEADING_CHARACTERS_MAX = 200
"""Maximum length of the heading of a folded text, or of controls that stand together."""

_SECTIONS = frozenset({"article", "body", "main"})
_UNSHOWN = frozenset({"script", "style", "template", "noscript"})

_SLIDESHOW = ".reveal .slides > section"
"""Slides of reveal.js, which have no control outside of its script."""


@attrs.frozen
class _Siblings:
    """The visible children of an element.

    Attributes:
        kinds: their tags, each with each of their classes, and with none.
        texts: their texts.
    """

    kinds: AbstractSet[tuple[str | None, str]]
    texts: AbstractSet[str]


@attrs.define(eq=False)
class HiddenPanels:
    """Tells which hidden elements of a document a reader can make visible.

    Attributes:
        hidden: the ids of all hidden elements.
    """

    hidden: AbstractSet[int]
    _document: LexborHTMLParser
    _siblings: dict[int, _Siblings] = attrs.field(factory=dict[int, _Siblings], init=False)
    _bars: dict[int, bool] = attrs.field(factory=dict[int, bool], init=False)
    _room: int = attrs.field(default=EXAMINED_CHARACTERS_MAX, init=False)
    _forms: Surroundings = attrs.field(
        factory=lambda: Surroundings(lambda node: node.tag == "form"), init=False
    )

    @cached_property
    def _controls(self) -> AbstractSet[int]:
        """The ids of the controls of the document."""
        return frozenset(node.mem_id for node in self._document.css(CONTROLS))

    @cached_property
    def _controlled(self) -> Mapping[str, bool]:
        """The ids that controls of the page name, and whether they surely show panels."""
        return _controlled(self._document)

    @cached_property
    def _slideshow(self) -> AbstractSet[int]:
        """The ids of the slides of reveal.js."""
        return frozenset(node.mem_id for node in self._document.css(_SLIDESHOW))

    def include(self, node: LexborNode) -> bool:  # noqa: PLR0911
        """Return whether a control names a hidden element, or seems to show it.

        An element that consists of links is a menu, except the panel of a tab. One with a form may
        be a pop-up, unless a control surely shows a panel.
        """
        if node.tag in _NEVER_PANELS:
            return False
        attributes = node.attributes
        role = attributes.get("role") or ""
        if attributes.get("hidden") == OUT_OF_SIGHT or role in POPUP_ROLES:
            return False
        if role == "tabpanel" or (node.tag == "section" and node.mem_id in self._slideshow):
            return True
        text = node.text() if self._room > 0 else ""
        self._room -= len(text) + ELEMENT_CHARACTERS
        if not text:
            return False
        name = attributes.get("id")
        is_sure = role == "region" or (self._controlled.get(name) if name else None)
        if not is_sure and (node.tag == "button" or node.css_first(_FORM_PARTS)):
            return False
        if is_sure is None and not self._is_shown_by_neighbours(node):
            return False
        links = sum(len(link.text()) for link in node.css("a"))
        return 2 * links < len(text)

    def _is_shown_by_neighbours(self, node: LexborNode) -> bool:
        """Return whether the elements around a hidden one let expect that they show it.

        Widgets with a script and menus are left out, and so is what floats above the page.
        """
        attributes = node.attributes
        style = attributes.get("style") or ""
        if not ("hidden" in attributes or hides(style)) or is_positioned(style):
            return False
        if is_popup(node) or not (self._is_one_of_series(node) or self._is_folded(node)):
            return False
        return not _is_menu(node) and node.css_first("script") is None

    def _is_one_of_series(self, node: LexborNode) -> bool:
        """Return whether a row, an item or a slide has visible ones and a control near it."""
        parent = node.parent
        is_row = node.tag in _ROW_TAGS
        if parent is None or not (is_row or node.tag in _SERIES_TAGS):
            return False
        siblings = self._siblings.get(parent.mem_id)
        if siblings is None:
            siblings = self._siblings[parent.mem_id] = self._siblings_in(parent)
        own = {(node.tag, "")} if is_row else set(tag_classes(node))
        if not own or not own <= siblings.kinds or text_line(node) in siblings.texts:
            return False
        if parent.mem_id not in self._bars:
            self._bars[parent.mem_id] = any(map(self._is_bar, self._near(parent)))
        return self._bars[parent.mem_id]

    def _siblings_in(self, parent: LexborNode) -> _Siblings:
        shown = [child for child in self._elements(parent.iter()) if child.text().strip()]
        found = frozenset(chain.from_iterable(((one.tag, ""), *tag_classes(one)) for one in shown))
        texts = frozenset({"", *(text_line(child) for child in shown)})
        return _Siblings(found, texts)

    def _near(self, parent: LexborNode) -> Iterator[LexborNode]:
        """Yield the visible children of an element, and the elements around it."""
        yield from self._elements(parent.iter())
        for above in chain((parent,), islice(ancestors(parent), NEARBY - 1)):
            if above.tag in _SECTIONS:
                return
            yield from islice(self._elements(_before(above)), NEARBY)
            yield from islice(self._elements(_after(above)), NEARBY)

    def _elements(self, nodes: Iterable[LexborNode]) -> Iterator[LexborNode]:
        """Yield the visible elements among nodes."""
        return (
            node
            for node in nodes
            if node.is_element_node and node.tag not in _UNSHOWN and node.mem_id not in self.hidden
        )

    def _is_bar(self, node: LexborNode) -> bool:
        """Return whether an element is a control, or mainly consists of controls."""
        text = text_line(node)
        if len(text) > HEADING_CHARACTERS_MAX:
            return False
        if node.mem_id in self._controls:
            return True
        controls = node.css(CONTROLS)
        return bool(controls) and 2 * sum(len(one.text().strip()) for one in controls) >= len(text)

    def _is_folded(self, node: LexborNode) -> bool:
        """Return whether a hidden text follows its control or its heading, or "more" follows it."""
        before, after = _beside(_before(node)), _beside(_after(node))
        if before is None or before.mem_id in self.hidden:
            return False
        control = self._control_in(before)
        if control is not None and control.attributes.get("aria-expanded") == "false":
            return True
        text = text_line(node)
        if len(text) < FOLDED_CHARACTERS_MIN or self._is_in_form(node):
            return False
        if control is None and after is not None and any(map(str.isalpha, after.text())):
            control = self._control_in(after)
        return control is not None or _is_heading_of(before, node, after)

    def _is_in_form(self, node: LexborNode) -> bool:
        return node.parent is not None and self._forms.include(node.parent)

    def _control_in(self, node: LexborNode) -> LexborNode | None:
        """Return the control that an element is, or of whose text it consists."""
        if node.mem_id in self._controls:
            return node
        text = text_line(node)
        if not 0 < len(text) <= HEADING_CHARACTERS_MAX:
            return None
        control = node.css_first(CONTROLS)
        is_whole = control is not None and text_line(control) == text
        return control if is_whole else None


def dialogs_of_controls(document: LexborHTMLParser) -> list[LexborNode]:
    """Return the ``dialog`` elements that a control of the page opens, except menus and forms.

    None is inside another.
    """
    dialogs = document.css("dialog[id]:not([open])")
    if not dialogs:
        return []
    opened = {node.attributes["commandfor"] for node in document.css(_OPENERS)}
    handlers = (node.attributes["onclick"] or "" for node in document.css("[onclick]"))
    for handler in handlers:
        opened.update(_OPENED.findall(handler))
    is_inner = Surroundings(lambda node: node.tag == "dialog")
    outermost = (node for node in dialogs if node.parent and not is_inner.include(node.parent))
    found = (node for node in outermost if node.id in opened and not node.css_first(_ENTRIES))
    return [node for node in found if not _is_menu(node)]


def _is_menu(node: LexborNode) -> bool:
    """Return whether an element mainly consists of links."""
    links = sum(len(text_line(link)) for link in node.css("a"))
    return 2 * links >= len(text_line(node))


def _controlled(document: LexborHTMLParser) -> Mapping[str, bool]:
    """Return the ids that controls of the page name, and whether they surely show panels.

    Among the others are the words of handlers of clicks, and the targets of links, though these
    can be pop-ups as well as panels.
    """
    named, surely = set[str](), set[str]()
    for node in document.css(_NAMING):
        attributes = node.attributes
        surely.update((attributes.get("aria-controls") or "").split())
        named.update(_IDENTIFIER.findall(attributes.get("onclick") or ""))
        if "modal" not in map(attributes.get, _MODAL_SIGNS):
            named.update((attributes.get(name) or "").removeprefix("#") for name in _TARGETS)
            href = attributes.get("href") or ""
            named.update((href[1:],) if href.startswith("#") else ())
    return {**dict.fromkeys(named, False), **dict.fromkeys(surely, True)}


def is_popup(node: LexborNode) -> bool:
    """Return whether an element may be a pop-up or a message, by its name or role."""
    attributes = node.attributes
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    has_role = "role" in attributes or "aria-live" in attributes
    return has_role or _POPUP.search(names) is not None


def text_line(node: LexborNode) -> str:
    """Return the text of an element on one line, also its invisible characters."""
    return " ".join(node.text().split())


def tag_classes(node: LexborNode) -> Iterable[tuple[str | None, str]]:
    """Return the tag of an element with each of its classes."""
    return ((node.tag, name) for name in (node.attributes.get("class") or "").split())


def _is_heading_of(heading: LexborNode, node: LexborNode, after: LexborNode | None) -> bool:
    """Return whether the element before a hidden one is its heading, as in a list of questions."""
    if not 0 < len(text_line(heading)) <= HEADING_CHARACTERS_MAX:
        return False
    if any(_FOLDING.search(_class_of(one)[1]) for one in (heading, node)):
        return True
    is_whole = after is None or _class_of(after) == _class_of(heading)
    parent = node.parent
    return is_whole and parent is not None and _FOLDING.search(_class_of(parent)[1]) is not None


def _class_of(node: LexborNode) -> tuple[str | None, str]:
    return node.tag, node.attributes.get("class") or ""


def _before(node: LexborNode) -> Iterator[LexborNode]:
    """Yield the nodes before a node, the nearest first."""
    while (found := node.prev) is not None:
        yield found
        node = found


def _after(node: LexborNode) -> Iterator[LexborNode]:
    """Yield the nodes after a node."""
    while (found := node.next) is not None:
        yield found
        node = found


def _beside(nodes: Iterable[LexborNode]) -> LexborNode | None:
    """Return the first element among nodes, unless a text is before it."""
    for node in nodes:
        if node.is_text_node and node.text().strip():
            return None
        if node.is_element_node and node.tag not in _UNSHOWN:
            return node
    return None

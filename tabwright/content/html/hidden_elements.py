"""Removing what a page hides, except what a reader opens: panels, folded parts, slides."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import chain, islice

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.element_path import (
    Surroundings,
    descendants,
    is_hidden,
    visible_text,
)
from tabwright.content.html.hidden_panels import (
    HiddenPanels,
    dialogs_of_controls,
    is_popup,
    tag_classes,
    text_line,
)
from tabwright.content.html.inline_styles import (
    fades,
    hides,
    is_out_of_sight,
    is_positioned,
    removes,
    shows,
)
from tabwright.content.html.tree import FRAME, NONE, ancestors, remove
from tabwright.text.lines import collapse_whitespace

MAIN = "main, [role=main]"
"""The element of the content (HTML, section 4.4.14); empty on 1 of 739 ordinary pages."""

THIN_CHARACTERS = 1_000
"""A page that shows fewer can lack its content: it can be hidden, or need scripts."""

UNSEEN = (
    "script:not([type^='math/tex']), style, [hidden]:not([hidden=until-found]), [aria-hidden=true],"
    " .CodeMirror-measure"
)
"""Elements that are not shown, at least to some readers; in the last, CodeMirror 5 measures."""

FIELDS = "textarea, [role=textbox]"
"""Fields of text, beside which code editors draw."""

DRAWN_TEXT = "div[role=presentation][aria-hidden=true]:not([hidden])"
"""Elements in which code editors draw the text of a field, which is nowhere else in the source."""

DRAWN_LEVELS_MAX = 4
"""How many levels below the parent of the field such an element is at most."""

INVISIBLE = "invisible"
FADED = "faded"
"""Values of ``hidden`` by which ``source.js`` marks elements that take up space without being
visible, and those among them that are transparent, too."""

STYLED = "[style*=none i], [style*=hidden i], [style*=font-size i], [style*=':-'], [style*=': -']"
"""Elements that an inline style could hide."""

_APPEARING = re.compile(
    r"(?<![a-z])(?:(?:wow|aos|sal|gsap)(?![a-z])|anim|appear|elementor-invisible|fade|reveal)",
    re.IGNORECASE,
)
"""Words in the classes of elements that begin invisible and appear when they are scrolled to, and
in the names of their attributes."""

CLONES = "[class~=cloned], [class*=-clone]"
"""Elements that can be copies of slides, which make a carousel endless."""

ONLY_TEXTS = ":is(b, bdi, del, em, ins, p, s, span, strong)[aria-hidden=true]:not([hidden])"
"""Elements that are hidden from screen readers only, mostly because another text is for these."""

ONLY_TEXT_CHARACTERS_MAX = 100
NAMED_LEVELS_MAX = 3
NEIGHBOURS_MAX = 10
"""How long such a text is, how many elements around it can have a name, and how many beside it
can have another text that stands for it, at most."""

PHRASE_WORDS_MIN = 3
"""Number of words that is more than the name of an icon or the letter of an animation."""

_WORD = re.compile(r"[^\W\d]{2,}")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

_VERBATIM = frozenset({"code", "pre"})

SLIDES = ", ".join(f"{tag}[class][aria-hidden=true]" for tag in ("article", "div", "li", "section"))
"""Elements that can be slides of a carousel that are not in view."""


def remove_unseen(document: LexborHTMLParser, kept: AbstractSet[int] = NONE) -> None:
    """Remove invisible elements, except the nodes `kept`, given by their ids.

    Tabs, folded sections, slides and the dialogs of controls are kept too: a reader opens them. So
    is what is visible in an element whose visibility is hidden, and the main element that a
    question or a dialog hides.
    """
    for dialog in dialogs_of_controls(document):
        if dialog.mem_id not in kept:
            _make_part(document, dialog)
    around_main = _around_hidden_main(document)
    remove(_copies(document), kept)
    visible = _visible_again(document)
    shown: set[int] = set()
    if document.css_matches("[aria-hidden=true]"):
        shown |= _drawn_texts(document) | _slides(document) | _only_texts(document)
    appearing = f"[hidden={INVISIBLE}], [hidden={FADED}]"
    shown |= {node.mem_id for node in document.css(appearing) if _appears(node)}
    unseen = (
        *(node for node in document.css(UNSEEN) if node.mem_id not in shown),
        *filter(_is_hidden, document.css(STYLED)),
    )
    panels = HiddenPanels(frozenset(node.mem_id for node in unseen), document)
    found = [node for node in unseen if node.mem_id not in around_main and not panels.include(node)]
    remove(chain.from_iterable(_hidden_parts(node, visible) for node in found), kept)


def _make_part(document: LexborHTMLParser, dialog: LexborNode) -> None:
    """Make a part of the page of a dialog, which would be removed with the others."""
    part = document.create_node("div")
    for node in list(dialog.iter(include_text=True)):
        part.insert_child(node, move=True)
    dialog.replace_with(part, move=True)


def hidden_main(document: LexborHTMLParser) -> LexborNode | None:
    """Return the only main element if it is hidden, and the page shows little in its place.

    That is usually a question, for example for the age of the reader.
    """
    mains = document.css(MAIN)
    return mains[0] if len(mains) == 1 and _is_hidden_main(document, mains[0]) else None


def _is_hidden_main(document: LexborHTMLParser, main: LexborNode) -> bool:
    body = document.body
    hidden = Surroundings(lambda node: node.tag not in FRAME and is_hidden(node))
    if body is None or not hidden.include(main):
        return False
    return main.text().strip() != "" and len(visible_text(body)) < THIN_CHARACTERS


def _around_hidden_main(document: LexborHTMLParser) -> AbstractSet[int]:
    """Return the ids of a `hidden_main` and the elements around it.

    An open dialog makes what is behind it hidden from screen readers: such elements count, too.
    """
    mains = document.css(MAIN)
    if len(mains) != 1:
        return NONE
    around = [mains[0], *ancestors(mains[0])]
    if not _is_hidden_main(document, mains[0]):
        around = [node for node in around if node.is_element_node and not is_hidden(node)]
    return {node.mem_id for node in around}


def _slides(document: LexborHTMLParser) -> AbstractSet[int]:
    """Return the ids of slides that are hidden only because others of the carousel are in view.

    They have no class that none in view has, and are not copies, which make a carousel endless.
    """
    slides: set[int] = set()
    for parent in _outermost_parents(document.css(SLIDES)):
        hidden, kinds, texts = list[LexborNode](), set[tuple[str | None, str]](), {""}
        for child in (one for one in parent.iter() if one.is_element_node):
            if child.attributes.get("aria-hidden") == "true":
                hidden.append(child)
            elif text := text_line(child):
                kinds.update(tag_classes(child))
                texts.add(text)
        for node in hidden:
            own = set(tag_classes(node))
            text = text_line(node) if own and own <= kinds else ""
            if text not in texts and "hidden" not in node.attributes:
                texts.add(text)
                slides.add(node.mem_id)
    return slides


def _copies(document: LexborHTMLParser) -> Iterator[LexborNode]:
    """Yield the elements that are called clones and have the text of one beside them."""
    found = document.css(CLONES)
    ids = {node.mem_id for node in found}
    for parent in _outermost_parents(found):
        children = [child for child in parent.iter() if child.is_element_node]
        texts = {text_line(one) for one in children if one.mem_id not in ids}
        clones = (one for one in children if one.mem_id in ids)
        yield from (one for one in clones if text_line(one) in texts)


def _outermost_parents(nodes: Sequence[LexborNode]) -> Iterator[LexborNode]:
    """Yield the parents of nodes that are inside none of these nodes, each once."""
    ids = {node.mem_id for node in nodes}
    is_inside = Surroundings(lambda node: node.mem_id in ids)
    parents = {node.parent.mem_id: node.parent for node in nodes if node.parent is not None}
    yield from (parent for parent in parents.values() if not is_inside.include(parent))


def _only_texts(document: LexborHTMLParser) -> AbstractSet[int]:
    """Return the ids of elements with a number or a phrase that no other text stands for."""
    is_verbatim = Surroundings(lambda node: node.tag in _VERBATIM)
    return {
        node.mem_id
        for node in document.css(ONLY_TEXTS)
        if not is_verbatim.include(node) and _is_only_text(node)
    }


def _is_only_text(node: LexborNode) -> bool:
    text = _beginning(node)
    numbers = frozenset(_NUMBER.findall(text))
    words = frozenset(_WORD.findall(text.lower()))
    is_phrase = not numbers and len(words) >= PHRASE_WORDS_MIN
    if len(text) > ONLY_TEXT_CHARACTERS_MAX or not (numbers or is_phrase) or node.css_first("img"):
        return False
    around = (node, *islice(ancestors(node), NAMED_LEVELS_MAX))
    labels = " ".join(one.attributes.get("aria-label") or "" for one in around)
    if labels.strip() if is_phrase else _NUMBER.search(labels):
        return False
    ids = {one.mem_id for one in around}
    levels = 2 if _beginning(around[1]) == text else 1
    others = (one for above in around[1 : 1 + levels] for one in above.iter())
    others = (one for one in others if one.mem_id not in ids)
    stands_for = partial(_has_words, words) if is_phrase else partial(_has_number, numbers)
    return not any(map(stands_for, islice(others, NEIGHBOURS_MAX)))


def _beginning(node: LexborNode) -> str:
    """Return the text of an element, or only its beginning if it is longer than a price."""
    text = ""
    for part in descendants(node):
        if part.is_text_node:
            text = collapse_whitespace(f"{text}{part.text_content or ''}")
            if len(text) > ONLY_TEXT_CHARACTERS_MAX:
                break
    return text


def _has_words(words: AbstractSet[str], node: LexborNode) -> bool:
    """Return whether an element has half of the words for screen readers."""
    if not node.is_element_node or node.attributes.get("aria-hidden") == "true":
        return False
    named = f"{node.attributes.get('aria-label') or ''} {_beginning(node)}".lower()
    return 2 * len(words & frozenset(_WORD.findall(named))) >= len(words)


def _has_number(numbers: AbstractSet[str], node: LexborNode) -> bool:
    """Return whether an element, or one in it, has one of the numbers for screen readers."""
    if not node.is_element_node or node.attributes.get("aria-hidden") == "true":
        return False
    named = f"{node.attributes.get('aria-label') or ''} {_beginning(node)}"
    found = _NUMBER.findall(named)
    digits = "".join(filter(str.isdigit, "".join(found)))  # as in 9 Euro 99
    return not numbers.isdisjoint(found) or digits in {
        "".join(filter(str.isdigit, one)) for one in numbers
    }


def _drawn_texts(document: LexborHTMLParser) -> AbstractSet[int]:
    """Return the ids of the elements that show the text of a field, line by line.

    Line numbers are not text.
    """
    parents = {node.parent.mem_id for node in document.css(FIELDS) if node.parent is not None}
    return {
        node.mem_id
        for node in document.css(DRAWN_TEXT)
        if any(one.mem_id in parents for one in islice(ancestors(node), DRAWN_LEVELS_MAX))
        and node.css_first("div div") is not None
        and any(map(str.isalpha, node.text()))
    }


@attrs.frozen
class _Visible:
    """Elements that say that they are visible, and those around them, by their ids."""

    shown: AbstractSet[int]
    around: AbstractSet[int]


def _visible_again(document: LexborHTMLParser) -> _Visible:
    """Find the elements that are visible even where the visibility around them is hidden."""
    found = document.css("[style*=visible i]")
    shown = {node.mem_id: node for node in found if shows(node.attributes["style"])}
    around: set[int] = set()
    for node in shown.values():
        for above in ancestors(node):
            if above.mem_id in around:
                break
            around.add(above.mem_id)
    return _Visible(shown.keys(), around)


def _hidden_parts(node: LexborNode, visible: _Visible) -> Iterator[LexborNode]:
    """Yield a hidden element, or what is hidden in it if it has visible elements."""
    if node.mem_id not in visible.around or not _hides_visibility(node):
        yield node
        return
    ahead = [node]
    while ahead:
        for child in ahead.pop().iter(include_text=True):
            if child.mem_id in visible.shown or _hides_visibility(child):
                continue  # the latter has a turn of its own
            if child.mem_id in visible.around:
                ahead.append(child)
            else:
                yield child


def _hides_visibility(node: LexborNode) -> bool:
    """Return whether an element is rendered and invisible by its own inline style."""
    style = node.attributes.get("style") if node.is_element_node else None
    return hides(style) and not removes(style)


def _is_hidden(node: LexborNode) -> bool:
    """Return whether an element is hidden; formulas can be hidden visually and still be read.

    One that is invisible, but in the flow of the page, may appear.
    """
    child = node.first_child
    style = node.attributes["style"]
    if style is None or (child is not None and child.tag == "math"):
        return False
    if hides(style) and not removes(style) and not is_positioned(style):
        return not _appears(node)
    return hides(style) or is_out_of_sight(node, style)


def _appears(node: LexborNode) -> bool:
    """Return whether an invisible element says that it appears when it is scrolled to.

    An element that is also transparent is faded in, unless it may be a message or a pop-up.
    """
    attributes = node.attributes
    names = (name for name in attributes if name.startswith("data-"))
    if any(map(_APPEARING.search, (attributes.get("class") or "", *names))):
        return True
    is_faded = attributes.get("hidden") == FADED or fades(attributes.get("style") or "")
    return is_faded and not is_popup(node)

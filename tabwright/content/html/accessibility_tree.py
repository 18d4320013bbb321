"""The accessibility tree of a page without a browser, as Chromium would build it.

Only inline styles are known; elements count as unstyled otherwise. Parts that Chromium adds for
display, for example list markers and the parts of a date field, are left out.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.html.aria_roles import (
    GENERIC,
    HIDDEN,
    LEAVES,
    NAMED_BY_CONTENT,
    RoleContext,
)
from tabwright.content.html.element_path import NAME_CHARACTERS_MAX, VALUE_CHARACTERS_MAX
from tabwright.content.html.forms import Labels, disabled_fields
from tabwright.content.html.inline_styles import hides, removes, shows
from tabwright.content.html.tree import walk
from tabwright.protocol.quotation_marks import double_quoted
from tabwright.protocol.snapshot import AccessibleNode
from tabwright.text.lines import HEADING_LEVELS, collapse_whitespace

# Names, values and states of single elements.

HIDDEN_SIGN = "\u2022"
"""Replaces each character of a password."""

_BUTTON_NAMES = {"file": "Choose File", "reset": "Reset", "submit": "Submit"}
"""Browsers' default names of buttons, in English."""

_NAMING_PARTS = {"fieldset": "legend", "svg": "title", "table": "caption"}
"""The child that names an element."""

_MEASURES = frozenset({"meter", "progressbar"})
_TICKED = frozenset({"checkbox", "radio"})
_NAMED_BY_VALUE = frozenset({"button", "reset", "submit"})
_STATEFUL_TAGS = frozenset({"button", "input", "optgroup", "option", "select", "textarea"})
STATES = ("checked", "disabled", "expanded", "level", "pressed", "readonly", "required", "selected")
"""Properties of an element that are listed beside its name and value, in this order."""


def own_name(tag: str, node: LexborNode) -> str:
    """Return the name that an element gets from an attribute or a naming child."""
    attributes = node.attributes
    match tag:
        case "img":
            return collapse_whitespace(attributes.get("alt"))
        case "input":
            return _input_name(attributes)
        case "abbr" | "iframe":
            return collapse_whitespace(attributes.get("title"))
        case "optgroup":
            return collapse_whitespace(attributes.get("label"))
        case "fieldset" | "svg" | "table":
            part = node.css_first(_NAMING_PARTS[tag])
            return collapse_whitespace(part.text()) if part else ""
        case _:
            return ""


def _input_name(attributes: Mapping[str, str | None]) -> str:
    kind = (attributes.get("type") or "").lower()
    if kind == "image":
        return collapse_whitespace(attributes.get("alt") or attributes.get("value"))
    value = collapse_whitespace(attributes.get("value")) if kind in _NAMED_BY_VALUE else ""
    return value or _BUTTON_NAMES.get(kind, "")


def value_of(role: str, tag: str, node: LexborNode) -> str:
    """Return the value of a field."""
    attributes = node.attributes
    match role:
        case "combobox" if tag == "select":
            option = node.css_first("option[selected]") or node.css_first("option")
            value = collapse_whitespace(option.text()) if option else ""
        case "textbox" if tag == "textarea":
            value = node.text()
        case "combobox" | "searchbox" | "spinbutton" | "textbox":
            is_secret = (attributes.get("type") or "").lower() == "password"
            value = attributes.get("value") or ""
            value = HIDDEN_SIGN * len(value) if is_secret else value
        case "slider" if tag == "input":
            value = attributes.get("value") or "50"
        case "ColorWell":
            value = attributes.get("value") or "#000000"
        case "button" if attributes.get("type") == "file":
            value = "No file chosen"
        case _:
            measure = attributes.get("value") if role in _MEASURES else None
            text = measure or attributes.get("aria-valuetext") or attributes.get("aria-valuenow")
            try:
                value = f"{float(text or ''):g}"
            except ValueError:
                value = text or ""
    return collapse_whitespace(value)[:NAME_CHARACTERS_MAX]


def states_of(tag: str, node: LexborNode, *, level: int, disabled: bool) -> Iterator[str]:
    """Yield the states of an element.

    Args:
        tag: its tag.
        node: the element.
        level: nesting level of a list item; otherwise 0.
        disabled: whether an enclosing element disables it.
    """
    attributes = node.attributes
    own = dict(_own_states(tag, attributes, level))
    parent = node.parent
    if tag == "summary" and parent is not None and "open" in parent.attributes:
        own["expanded"] = "true"
    for name in STATES:
        value = own.get(name) or attributes.get(f"aria-{name}")
        if name == "disabled" and disabled:
            value = "true"
        if value == "true":
            yield name
        elif value and value != "false":
            yield f"{name}={value}"


def _own_states(
    tag: str, attributes: Mapping[str, str | None], level: int
) -> Iterator[tuple[str, str]]:
    for name in ("disabled", "readonly", "required", "selected"):
        if tag in _STATEFUL_TAGS and name in attributes:
            yield name, "true"
    if "checked" in attributes and (attributes.get("type") or "").lower() in _TICKED:
        yield "checked", "true"
    if tag in HEADING_LEVELS:
        yield "level", str(HEADING_LEVELS[tag])
    elif level:
        yield "level", str(level)


INDENT_MAX = 60
"""Maximum indentation."""

TEXT_ROLE = "StaticText"

_APART = frozenset(
    {"address", "article", "aside", "blockquote", "br", "dd", "details", "div", "dl", "dt"}
    | {"footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main"}
    | {"nav", "ol", "p", "pre", "section", "table", "td", "th", "tr", "ul"}
)
"""Elements whose text is separated from the text beside it."""

_FIELDS = frozenset({"input", "select", "textarea"})

_MENU = ("combobox", "select")
_GRID_ROW = ("row", "div")
"""Roles that have another meaning on another element."""


def accessible_tree(document: LexborHTMLParser) -> tuple[AccessibleNode, ...]:
    """Return the nodes with information, each under its nearest ancestor with information."""
    title = document.css_first("head > title")
    reader = _Reader(Labels.of(document), disabled_fields(document))
    reader.begin_page(collapse_whitespace(title.text()) if title else "")
    if document.body is not None:
        walk(document.body, reader)
    return tuple(reader.nodes())


def tree_lines(tree: Iterable[AccessibleNode]) -> list[str]:
    """Return one line for each node, indented below its parent."""
    return [f"{'  ' * min(node.depth, INDENT_MAX)}- {_written(node)}" for node in tree]


def _written(node: AccessibleNode) -> str:
    if node.role == TEXT_ROLE:
        return f"text: {node.name}"
    name = f" {double_quoted(node.name)}" if node.name else ""
    states = "".join(f" [{state}]" for state in node.states)
    value = f": {node.value}" if node.value else ""
    return f"{node.role}{name}{states}{value}"


@attrs.define(eq=False)
class _TreeNode:
    """A node of the output.

    Attributes:
        above: index of its parent.
    """

    role: str
    above: int
    depth: int
    name: str = ""
    value: str = ""
    states: tuple[str, ...] = ()


@attrs.define(eq=False)
class _Open:
    """An open element.

    Attributes:
        place: index of the innermost node of the output, this element's or an ancestor's.
        role: its role; a generic one has no node.
        name: its name, whatever its content.
        title: its name if it has no content.
        is_closed: whether its content is hidden until somebody opens it.
        is_visible: whether its own text is; elements in an invisible one can be visible.
        shown: its visible text so far.
    """

    place: int
    tag: str = ""
    role: str = GENERIC
    name: str = ""
    title: str = ""
    is_closed: bool = False
    is_visible: bool = True
    shown: list[str] = attrs.field(factory=list[str], init=False)


@attrs.define(eq=False)
class _Reader:
    """Builds the nodes during a walk over the page."""

    _labels: Labels
    _disabled: AbstractSet[int]
    _surroundings: RoleContext = attrs.field(factory=RoleContext, init=False)
    _nodes: list[_TreeNode] = attrs.field(factory=list[_TreeNode], init=False)
    _open: list[_Open] = attrs.field(factory=list[_Open], init=False)
    _muted: int = attrs.field(default=0, init=False)

    def begin_page(self, title: str) -> None:
        """Begin with the node of the page."""
        self._nodes.append(_TreeNode("RootWebArea", 0, 0, title))
        self._open.append(_Open(0))

    def nodes(self) -> Iterator[AccessibleNode]:
        """Yield the nodes, without texts that repeat the name of their parent."""
        for place, node in enumerate(self._nodes):
            if self._adds_information(place, node):
                yield AccessibleNode(node.depth, node.role, node.name, node.value, node.states)

    def _adds_information(self, place: int, node: _TreeNode) -> bool:
        """Return whether a node has more information than its parent."""
        match node.role:
            case "StaticText":
                return node.name not in self._nodes[node.above].name
            case "paragraph":
                following = self._nodes[place + 1 : place + 2]
                return bool(node.name) or any(one.depth > node.depth for one in following)
            case _:
                return True

    def text(self, text: str) -> None:
        """Add a text to the content of the open element; visible text becomes a node."""
        inside = self._open[-1]
        shown = collapse_whitespace(text)
        if inside.is_visible and not inside.is_closed:
            inside.shown.append(text)
            if shown and not self._muted:
                self._add_node(TEXT_ROLE, inside.place, shown)

    def opens(self, tag: str, node: LexborNode) -> bool:
        """Add a node for a visible element with a role; skip hidden and collapsed elements."""
        inside = self._open[-1]
        if _is_hidden(tag, node) or (inside.is_closed and tag != "summary"):
            return False
        attributes = node.attributes
        style = attributes.get("style")
        is_visible = shows(style) or (inside.is_visible and not hides(style))
        name = (
            self._labels.by_reference(node)
            or collapse_whitespace(attributes.get("aria-label"))
            or self._labels.by_label(node)
            or own_name(tag, node)
        )
        role = self._surroundings.enter(tag, node, is_named=bool(name))
        title = collapse_whitespace(attributes.get("title") or attributes.get("placeholder"))
        if not name and role not in NAMED_BY_CONTENT:
            name = title
        has_node = bool(role) and is_visible
        place = self._add_element(role, tag, node, name) if has_node else inside.place
        is_closed = tag == "details" and "open" not in attributes
        self._muted += _is_box_label(tag, role)
        named = name if has_node else ""
        self._open.append(_Open(place, tag, role, named, title, is_closed, is_visible))
        if tag in LEAVES:
            self.closes()
        return tag not in LEAVES

    def closes(self) -> None:
        """Name the node by its content, if nothing else has named it."""
        ended = self._open.pop()
        self._surroundings.leave(ended.tag, ended.role)
        self._muted -= _is_box_label(ended.tag, ended.role)
        shown = "".join(ended.shown)[:VALUE_CHARACTERS_MAX]
        is_named_by_it = ended.role in NAMED_BY_CONTENT or (ended.role, ended.tag) == _GRID_ROW
        if is_named_by_it and ended.is_visible and not ended.name:
            self._nodes[ended.place].name = collapse_whitespace(shown) or ended.title
        if ended.tag not in _FIELDS:
            name = ended.name or shown
            self._open[-1].shown.append(f" {name} " if ended.tag in _APART else name)

    def _add_element(self, role: str, tag: str, node: LexborNode, name: str) -> int:
        """Add a node for an element; return the index of the parent for its content."""
        place = self._add_node(role, self._open[-1].place, name)
        added = self._nodes[place]
        added.value = value_of(role, tag, node)
        added.states = tuple(
            states_of(
                tag,
                node,
                level=max(1, self._surroundings.lists) if role == "listitem" else 0,
                disabled=node.mem_id in self._disabled,
            )
        )
        return self._add_node("MenuListPopup", place) if (role, tag) == _MENU else place

    def _add_node(self, role: str, above: int, name: str = "") -> int:
        depth = self._nodes[above].depth + 1
        self._nodes.append(_TreeNode(role, above, depth, name))
        return len(self._nodes) - 1


def _is_box_label(tag: str, role: str) -> bool:
    """Return whether a label encloses a checkbox or radio button, which is named by its text."""
    return tag == "label" and role == GENERIC


def _is_hidden(tag: str, node: LexborNode) -> bool:
    attributes = node.attributes
    return (
        tag in HIDDEN
        or "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or removes(attributes.get("style"))
        or (tag == "dialog" and "open" not in attributes)
        or (tag == "input" and attributes.get("type") == "hidden")
    )

"""Roles of elements in the accessibility tree, with Chromium's names.

They follow HTML-AAM 1.0 and WAI-ARIA 1.2, and otherwise Chromium.
"""

from collections.abc import Iterable, Mapping
from itertools import islice

import attrs
from selectolax.lexbor import LexborNode

GENERIC = ""
"""The role of elements without meaning."""

HIDDEN = frozenset(
    {"-comment", "-doctype", "annotation", "annotation-xml", "area", "base", "col"}
    | {"colgroup", "datalist", "head", "link", "map", "meta", "noscript", "param", "rp", "rt"}
    | {"script", "source", "style", "template", "title", "track"}
)
"""Elements that are never in the tree."""

LEAVES = frozenset({"audio", "iframe", "meter", "progress", "svg", "textarea", "video"})
"""Elements whose content is not part of the tree."""

NAMED_BY_CONTENT = frozenset(
    {"button", "cell", "checkbox", "columnheader", "DisclosureTriangle", "gridcell", "heading"}
    | {"LayoutTableCell", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "option"}
    | {"radio", "rowheader", "switch", "tab", "term", "tooltip", "treeitem"}
)

_ROLES_OF_AUTHORS = frozenset(
    {"alert", "alertdialog", "application", "article", "banner", "blockquote", "button", "caption"}
    | {"cell", "checkbox", "code", "columnheader", "combobox", "complementary", "contentinfo"}
    | {"definition", "deletion", "dialog", "directory", "document", "emphasis", "feed", "figure"}
    | {"form", "generic", "grid", "gridcell", "group", "heading", "image", "img", "insertion"}
    | {"link", "list", "listbox", "listitem", "log", "main", "mark", "marquee", "math", "menu"}
    | {"menubar", "menuitem", "menuitemcheckbox", "menuitemradio", "meter", "navigation", "none"}
    | {"note", "option", "paragraph", "presentation", "progressbar", "radio", "radiogroup"}
    | {"region", "row", "rowgroup", "rowheader", "scrollbar", "search", "searchbox", "separator"}
    | {"slider", "spinbutton", "status", "strong", "subscript", "superscript", "switch", "tab"}
    | {"table", "tablist", "tabpanel", "term", "textbox", "time", "timer", "toolbar", "tooltip"}
    | {"tree", "treegrid", "treeitem"}
)
"""Roles that a page can set (WAI-ARIA 1.2)."""

_RENAMED = {"img": "image", "none": GENERIC, "presentation": GENERIC, "generic": GENERIC}

_ROLES: Mapping[str, str] = {
    "abbr": "Abbr",
    "address": "group",
    "article": "article",
    "aside": "complementary",
    "audio": "Audio",
    "blockquote": "blockquote",
    "button": "button",
    "canvas": "Canvas",
    "caption": "caption",
    "code": "code",
    "dd": "definition",
    "del": "deletion",
    "details": "group",
    "dfn": "term",
    "dialog": "dialog",
    "dl": "DescriptionList",
    "dt": "term",
    "em": "emphasis",
    "fieldset": "group",
    "figcaption": "Figcaption",
    "figure": "figure",
    "form": "form",
    "h1": "heading",
    "h2": "heading",
    "h3": "heading",
    "h4": "heading",
    "h5": "heading",
    "h6": "heading",
    "hgroup": "group",
    "hr": "separator",
    "iframe": "Iframe",
    "img": "image",
    "ins": "insertion",
    "label": "LabelText",
    "legend": "Legend",
    "li": "listitem",
    "main": "main",
    "mark": "mark",
    "math": "MathMLMath",
    "menu": "list",
    "meter": "meter",
    "nav": "navigation",
    "object": "PluginObject",
    "ol": "list",
    "optgroup": "group",
    "option": "option",
    "output": "status",
    "p": "paragraph",
    "progress": "progressbar",
    "ruby": "Ruby",
    "s": "deletion",
    "search": "search",
    "section": "region",
    "strong": "strong",
    "sub": "subscript",
    "summary": "DisclosureTriangle",
    "sup": "superscript",
    "svg": "image",
    "table": "table",
    "td": "cell",
    "textarea": "textbox",
    "tfoot": "rowgroup",
    "thead": "rowgroup",
    "time": "time",
    "tr": "row",
    "ul": "list",
    "video": "Video",
}

_INPUTS: Mapping[str, str] = {
    "button": "button",
    "checkbox": "checkbox",
    "color": "ColorWell",
    "date": "Date",
    "datetime-local": "DateTime",
    "file": "button",
    "image": "button",
    "month": "DateTime",
    "number": "spinbutton",
    "radio": "radio",
    "range": "slider",
    "reset": "button",
    "search": "searchbox",
    "submit": "button",
    "time": "InputTime",
    "week": "DateTime",
}
"""Roles of ``input`` elements by type; any other is a ``textbox``."""

ROWS_OF_DATA = 20
"""Minimum number of rows that makes a table a data table."""

CELLS_MAX = 50
"""Maximum number of cells of a row that are examined."""

_DATA_PARTS = frozenset({"caption", "col", "colgroup", "tfoot", "thead"})
_BOXES = "input[type=checkbox i], input[type=radio i]"

_PARTS = frozenset({"article", "complementary", "main", "navigation", "region"})
"""Sections in which a header or footer belongs to the section, not to the page."""

_LAYOUT = {"table": "LayoutTable", "row": "LayoutTableRow", "cell": "LayoutTableCell"}
"""Roles in a layout table."""

_COLUMN_SCOPES = frozenset({"col", "colgroup"})
_ROW_SCOPES = frozenset({"row", "rowgroup"})


@attrs.define(eq=False)
class RoleContext:
    """The ancestors of an element, as far as its role depends on them.

    Attributes:
        lists: number of open lists.
    """

    lists: int = attrs.field(default=0, init=False)
    _parts: int = attrs.field(default=0, init=False)
    _tables: list[str] = attrs.field(factory=list[str], init=False)

    def enter(self, tag: str, node: LexborNode, *, is_named: bool) -> str:
        """Enter an element and return its role.

        Args:
            tag: its tag.
            node: the element.
            is_named: whether it has a name: a region without a name has no role.
        """
        explicit = _explicit_role(node)
        role = self._own_role(tag, node) if explicit is None else explicit
        if role == "region" and not is_named:
            role = GENERIC
        if tag == "table":
            self._tables.append(role)
        self.lists += role == "list"
        self._parts += role in _PARTS or tag == "section"
        return role

    def leave(self, tag: str, role: str) -> None:
        """Leave an element."""
        if tag == "table":
            self._tables.pop()
        self.lists -= role == "list"
        self._parts -= role in _PARTS or tag == "section"

    def _own_role(self, tag: str, node: LexborNode) -> str:
        match tag:
            case "header":
                return "sectionheader" if self._parts else "banner"
            case "footer":
                return "sectionfooter" if self._parts else "contentinfo"
            case "table":
                return "table" if _is_data_table(node) else _LAYOUT["table"]
            case "caption" | "thead" | "tfoot" | "tr" | "td" | "th":
                return self._table_role(_role(tag, node))
            case "li":
                parent = node.parent
                is_plain = parent is not None and _explicit_role(parent) == GENERIC
                return GENERIC if is_plain else "listitem"
            case _:
                return _role(tag, node)

    def _table_role(self, role: str) -> str:
        match self._tables[-1:]:
            case [""] | []:
                return GENERIC
            case ["LayoutTable"]:
                return _LAYOUT.get(role, GENERIC)
            case _:
                return role


def _explicit_role(node: LexborNode) -> str | None:
    """Return the valid role that the page sets, or None."""
    roles = (node.attributes.get("role") or "").lower().split()
    known = next((role for role in roles if role in _ROLES_OF_AUTHORS), None)
    return known if known is None else _RENAMED.get(known, known)


def _role(tag: str, node: LexborNode) -> str:
    """Return the role of an element, regardless of its ancestors."""
    attributes = node.attributes
    match tag:
        case "a":
            role = "link" if "href" in attributes else GENERIC
        case "img":
            is_decoration = "alt" in attributes and not attributes["alt"]
            role = GENERIC if is_decoration and not attributes.get("title") else "image"
        case "input":
            role = _INPUTS.get((attributes.get("type") or "").lower(), "textbox")
        case "label":
            role = GENERIC if node.css_first(_BOXES) else "LabelText"
        case "select":
            is_box = "multiple" in attributes or (attributes.get("size") or "1") != "1"
            role = "listbox" if is_box else "combobox"
        case "th":
            scope = (node.attributes.get("scope") or "").lower()
            if scope in _COLUMN_SCOPES or scope in _ROW_SCOPES:
                role = "columnheader" if scope in _COLUMN_SCOPES else "rowheader"
            else:
                row = node.parent
                is_beside = row is not None and any(cell.tag == "td" for cell in _cells(row))
                role = "rowheader" if is_beside else "columnheader"
        case _:
            role = _ROLES.get(tag, GENERIC)
    return role


def _is_data_table(table: LexborNode) -> bool:
    """Return whether a table has data, by Chromium's first criteria."""
    attributes = table.attributes
    if "summary" in attributes or (attributes.get("border") or "0") != "0":
        return True
    rows = 0
    for part in table.iter():
        if part.tag in _DATA_PARTS:
            return True
        for row in islice(part.iter(), ROWS_OF_DATA):
            rows += 1
            if rows >= ROWS_OF_DATA or any(cell.tag == "th" for cell in _cells(row)):
                return True
    return False


def _cells(row: LexborNode) -> Iterable[LexborNode]:
    return islice(row.iter(), CELLS_MAX)

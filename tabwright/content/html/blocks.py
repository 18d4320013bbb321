"""Build blocks from the nodes of a page: the actions at the start and end of each element."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeAlias
from urllib.parse import unquote

import attrs
from selectolax.lexbor import LexborNode

from tabwright.content.html.block_builder import Builder, ListNumbering, OpenList, OpenTable, Style
from tabwright.content.html.code import (
    CODE_CELLS,
    NUMBER_CELLS,
    code_of,
)
from tabwright.content.html.element_path import icon_answer, icon_names, picture_label
from tabwright.content.html.forms import (
    CHOSEN,
    OPEN,
    field_name,
    gauge_text,
    input_text,
    label_title,
    options_text,
    state_mark,
    swatch_name,
)
from tabwright.content.html.formulas import formula_of, script_formula
from tabwright.content.html.media import alternative, drawing_text, is_dot, picture_url
from tabwright.content.html.tables import SPACE, Section, TableCell, flat
from tabwright.content.html.tree import Addresses, number_in, walk
from tabwright.protocol.blocks import (
    Blocks,
    Heading,
    Image,
    Paragraph,
    Quote,
    TextSpan,
    ThematicBreak,
)
from tabwright.text.lines import HEADING_LEVELS, collapse_whitespace

End: TypeAlias = Callable[[], None]
"""An action at the end of an element."""

Begin: TypeAlias = Callable[[Builder, LexborNode], End | None]
"""An action at the start of an element; returns None to skip the element's content."""

PERMALINKS = frozenset({"", "#", "\u00b6", "\u00a7", "\U0001f517"})
"""Texts of links to their own position, for copying."""

OWN_LINE = "data-own-line"
"""The attribute by which ``marked_copies.js`` marks a custom element on a line of its own."""

PLUGIN_TYPES = ("application/x-", "application/java")
"""The types of what browsers needed plug-ins for; none shows it today."""


def _pass_by(_builder: Builder, _node: LexborNode) -> None:
    """Skip the element's content."""


def _nothing() -> None:
    """Do nothing at the end."""


def _block(builder: Builder, _node: LexborNode) -> End:
    flow = builder.flow
    flow.part()
    return flow.part


def _unless_deep(begin: Begin) -> Begin:
    """Nest the element, or treat it as a plain block if it would be too deep."""
    return lambda builder, node: (_block if builder.is_deep() else begin)(builder, node)


def _in_list(begin: Callable[[Builder, OpenList, LexborNode], End]) -> Begin:
    """Handle an element that has a meaning only in a list."""

    def begin_there(builder: Builder, node: LexborNode) -> End:
        """Begin the element in its list, or as a block outside of a list."""
        listed = builder.list_here()
        return _block(builder, node) if listed is None else begin(builder, listed, node)

    return begin_there


def _in_table(begin: Callable[[Builder, OpenTable, LexborNode], End | None]) -> Begin:
    """Handle an element that has a meaning only in a table."""

    def begin_there(builder: Builder, node: LexborNode) -> End | None:
        """Begin the element in its table, or as a block outside of a table."""
        table = builder.table_here()
        return _block(builder, node) if table is None else begin(builder, table, node)

    return begin_there


def heading(level: int) -> Begin:
    """Return the action for a heading of a level from 1 to 6."""

    def begin(builder: Builder, _node: LexborNode) -> End:
        """Collect the heading's text."""
        builder.enter()
        return partial(_end_heading, builder, level)

    return _unless_deep(begin)


def _end_heading(builder: Builder, level: int) -> None:
    if content := flat(builder.leave(), SPACE):
        if all(isinstance(run, TextSpan) and run.bold for run in content):  # as headings are
            plain = (run for run in content if isinstance(run, TextSpan))
            content = tuple(attrs.evolve(run, bold=False) for run in plain)
        builder.flow.add(Heading(level, content))


def _dressed(style: Style) -> Begin:
    def begin(builder: Builder, _node: LexborNode) -> End:
        """Apply the style to the text until the element ends."""
        before = builder.style
        builder.dress(style)
        return partial(builder.wear, before)

    return begin


_CODE_TAGS = frozenset({"code", "kbd", "samp", "tt", "var"})


def _inline_code(builder: Builder, node: LexborNode) -> End | None:
    """Begin code in a line; it is not joined to code beside it, except to parts of one line."""
    if builder.style.code:
        return _nothing
    parent = node.parent
    is_part = parent is not None and "line" in (parent.attributes.get("class") or "").split()
    if not is_part and _is_beside_code(node):
        builder.flow.line.set_apart(builder.style)
    return _dressed("code")(builder, node)


def _is_beside_code(node: LexborNode) -> bool:
    """Return whether code is before code: with a space between them, or neither with a class."""
    before = node.prev
    is_spaced = before is not None and before.is_text_node and not before.text().strip()
    if before is not None and is_spaced:
        before = before.prev
    if before is None or before.tag not in _CODE_TAGS:
        return False
    return is_spaced or not any("class" in one.attributes for one in (before, node))


def _component(builder: Builder, node: LexborNode) -> End:
    """Keep a custom element apart from elements beside it, which a style sheet would do."""
    if builder.style.code:
        return _nothing
    before, after = node.prev, node.next
    while before is not None and before.is_comment_node:
        before = before.prev
    while after is not None and after.is_comment_node:
        after = after.next
    if before is not None and before.is_element_node:
        builder.say(" ")
    is_last = after is None or not after.is_element_node
    return _nothing if is_last else partial(builder.say, " ")


def _laid_out_component(builder: Builder, node: LexborNode) -> End | None:
    """Begin a block if a custom element is on a line of its own; in a list, it is an item."""
    if OWN_LINE not in node.attributes or builder.style.code:
        return _nothing
    is_item = builder.list_here() is not None and not node.css_first("li")
    return _item(builder, node) if is_item else _block(builder, node)


def _between(left: str, right: str) -> Begin:
    def begin(builder: Builder, _node: LexborNode) -> End:
        """Write `left` now, and `right` at the end."""
        builder.say(left)
        return partial(builder.say, right)

    return begin


def _break(builder: Builder, _node: LexborNode) -> None:
    """Break the line; two breaks end the paragraph."""
    if builder.flow.line.break_off():
        builder.part()


def _rule(builder: Builder, _node: LexborNode) -> None:
    builder.flow.add(ThematicBreak())


def _quote(builder: Builder, _node: LexborNode) -> End:
    builder.enter()
    return partial(_end_quote, builder)


def _end_quote(builder: Builder) -> None:
    if blocks := builder.leave():
        builder.flow.add(Quote(blocks))


def _code(builder: Builder, node: LexborNode) -> None:
    builder.part()
    if code := code_of(node):
        builder.flow.add(code)


def _summary(builder: Builder, _node: LexborNode) -> End:
    before = builder.style
    builder.part()
    builder.dress("bold")
    return partial(_end_summary, builder, before)


def _end_summary(builder: Builder, before: TextSpan) -> None:
    builder.part()
    builder.wear(before)


def _figure(builder: Builder, _node: LexborNode) -> End:
    builder.part()
    builder.figures += 1
    return partial(_end_figure, builder)


def _end_figure(builder: Builder) -> None:
    builder.part()
    builder.figures -= 1


def _abbreviation(builder: Builder, node: LexborNode) -> End:
    return partial(_explain, builder, collapse_whitespace(node.attributes.get("title")))


def _explain(builder: Builder, title: str) -> None:
    """Write the expansion of an abbreviation, once per page."""
    if title and title not in builder.explained:
        builder.explained.add(title)
        builder.say(f" ({title})")


def _picture(builder: Builder, node: LexborNode) -> None:
    url = "" if is_dot(node) else picture_url(node, builder.addresses)
    alt = alternative(node)
    is_decoration = not alt and "alt" in node.attributes and not builder.figures
    if url and not is_decoration:
        builder.show(Image(url, alt))


def _drawing(builder: Builder, node: LexborNode) -> None:
    if text := drawing_text(node) or icon_answer(node):
        builder.say(f" {text} ")


def _math(builder: Builder, node: LexborNode) -> None:
    if formula := formula_of(node):
        builder.state(formula)


def _script(builder: Builder, node: LexborNode) -> None:
    if formula := script_formula(node):
        builder.state(formula)


def _frame(builder: Builder, node: LexborNode) -> None:
    """Add an inaccessible frame, or what a viewer of the browser shows, as a link to its URL."""
    attributes = node.attributes
    url = builder.addresses.loaded(attributes.get("src") or attributes.get("data"))
    is_shown = not (is_dot(node) or (attributes.get("type") or "").startswith(PLUGIN_TYPES))
    if url and is_shown:
        builder.part()
        builder.begin_link(url, collapse_whitespace(attributes.get("title")) or url.split("/")[2])
        builder.end_link()
        builder.part()


def _object(builder: Builder, node: LexborNode) -> End:
    """Add an object as a frame, unless it has one in it; its content stands for it elsewhere."""
    if not node.css_first("embed, iframe, img, video"):
        _frame(builder, node)
    return _nothing


def _link(builder: Builder, node: LexborNode) -> End | None:
    attributes = node.attributes
    href = attributes.get("href")
    url = builder.addresses.linked(href)
    if not url:
        return _nothing
    if href and href.startswith("#"):
        if node.text().strip() in PERMALINKS:
            return None
        heading = node.parent
        if heading is not None and heading.tag in HEADING_LEVELS:
            ids = {node.attributes.get("id"), heading.attributes.get("id")}
            if unquote(href[1:]) in ids:  # the heading links to itself
                return _nothing
    builder.begin_link(
        url, collapse_whitespace(attributes.get("aria-label") or attributes.get("title"))
    )
    return builder.end_link


def _area(builder: Builder, node: LexborNode) -> None:
    """Add an area of a picture as a link with its alternative text."""
    url = builder.addresses.linked(node.attributes.get("href"))
    if url and (name := alternative(node)):
        builder.say(" ")
        builder.begin_link(url, name)
        builder.end_link()
        builder.say(" ")


def _input(builder: Builder, node: LexborNode) -> None:
    """Write the value, or whether it is chosen; a checkbox that begins an item is a task."""
    attributes = node.attributes
    if attributes.get("type") == "checkbox" and builder.is_at_item():
        builder.say(f"{CHOSEN if 'checked' in attributes else OPEN} ")
    elif text := input_text(node):
        builder.say(f" {text} ")


def _select(builder: Builder, node: LexborNode) -> None:
    if text := options_text(node):
        name = field_name(node)
        builder.say(f" {name}: {text} " if name else f" {text} ")


def _gauge(builder: Builder, node: LexborNode) -> None:
    if text := gauge_text(node):
        builder.say(f" {text} ")


def _label(builder: Builder, node: LexborNode) -> End:
    builder.say(f" {label_title(node)}")
    return _nothing


def _button(builder: Builder, node: LexborNode) -> End | None:
    if name := swatch_name(node):
        builder.say(f" {name} ")
        return None
    return _between(" ", " ")(builder, node)


def _textarea(builder: Builder, node: LexborNode) -> None:
    """Write the value; with several lines, as a block that keeps them."""
    text = node.text().strip()
    code = code_of(node) if "\n" in text else None
    if code:
        builder.flow.add(code)
    elif text:
        builder.say(f" {text} ")


def _bullets(builder: Builder, _node: LexborNode) -> End:
    builder.begin_list(ListNumbering())
    return builder.end_list


def _numbers(builder: Builder, node: LexborNode) -> End:
    attributes = node.attributes
    start = number_in(attributes.get("start"))
    builder.begin_list(ListNumbering(ordered=True, start=start, descends="reversed" in attributes))
    return builder.end_list


def _item(builder: Builder, node: LexborNode) -> End | None:
    listed = builder.list_here()
    if listed is None:
        return _unless_deep(_loose_item)(builder, node)
    number = number_in(node.attributes.get("value"))
    builder.enter()
    return lambda: listed.add(builder.leave(), number)


def _loose_item(builder: Builder, _node: LexborNode) -> End:
    """Begin an item outside a list."""
    builder.enter()
    return lambda: builder.add_item(builder.leave())


def _term(builder: Builder, listed: OpenList, _node: LexborNode) -> End:
    before = builder.style
    builder.enter()
    builder.dress("bold")

    def end() -> None:
        """Add the term without its bold style."""
        listed.add_term(flat(builder.leave(), SPACE))
        builder.wear(before)

    return end


def _meaning(builder: Builder, listed: OpenList, _node: LexborNode) -> End:
    builder.enter()
    return lambda: listed.define(builder.leave())


def _table(builder: Builder, node: LexborNode) -> End:
    builder.begin_table(is_layout=node.attributes.get("role") in {"presentation", "none"})
    return builder.end_table


def _caption(builder: Builder, table: OpenTable, _node: LexborNode) -> End:
    builder.enter()
    return lambda: table.head(builder.leave())


def _section(section: Section) -> Begin:
    def begin(_builder: Builder, table: OpenTable, _node: LexborNode) -> End:
        """Assign rows to this section until it ends."""
        table.section = section
        return table.end_section

    return _in_table(begin)


def _row(_builder: Builder, table: OpenTable, _node: LexborNode) -> End:
    table.begin_row()
    return _nothing


def _cell(builder: Builder, table: OpenTable, node: LexborNode) -> End | None:
    classes = (node.attributes.get("class") or "").split()
    if not NUMBER_CELLS.isdisjoint(classes):
        return None
    if not CODE_CELLS.isdisjoint(classes):
        code = code_of(node)
        table.add(TableCell.of((code,) if code else (), node))
        return None
    builder.enter()
    return lambda: table.add(TableCell.of(builder.leave() or _named_icons(node), node))


def _named_icons(node: LexborNode) -> Blocks:
    """Return the names of the icons in an element that has no other content."""
    names = icon_names(node)
    return (Paragraph((TextSpan(names),)),) if names else ()


_BLOCKS = frozenset(
    {"address", "article", "aside", "body", "center", "details", "dialog", "div"}
    | {"fieldset", "figcaption", "footer", "form", "header", "hgroup", "html", "legend"}
    | {"main", "marquee", "nav", "p", "search", "section"}
)

_UNSHOWN = frozenset(
    {"-comment", "-doctype", "audio", "base", "canvas", "col", "colgroup", "datalist"}
    | {"head", "link", "meta", "noembed", "noframes", "noscript"}
    | {"optgroup", "option", "param", "rp", "source", "style", "template"}
    | {"title", "track", "video"}
)

ELEMENTS: Mapping[str, Begin] = {
    **dict.fromkeys(_BLOCKS, _block),
    **dict.fromkeys(_UNSHOWN, _pass_by),
    **{tag: heading(level) for tag, level in HEADING_LEVELS.items()},
    **dict.fromkeys(("b", "strong"), _dressed("bold")),
    **dict.fromkeys(("cite", "dfn", "em", "i"), _dressed("italic")),
    **dict.fromkeys(_CODE_TAGS, _inline_code),
    **dict.fromkeys(("del", "s", "strike"), _dressed("struck")),
    **dict.fromkeys(("listing", "plaintext", "pre", "xmp"), _code),
    **dict.fromkeys(("dir", "dl", "menu", "ul"), _unless_deep(_bullets)),
    **dict.fromkeys(("embed", "frame", "iframe"), _frame),
    **dict.fromkeys(("td", "th"), _in_table(_cell)),
    "a": _link,
    "abbr": _abbreviation,
    "amp-img": _picture,
    "area": _area,
    "blockquote": _unless_deep(_quote),
    "br": _break,
    "button": _button,
    "caption": _in_table(_caption),
    "dd": _in_list(_meaning),
    "dt": _in_list(_term),
    "figure": _figure,
    "hr": _rule,
    "img": _picture,
    "input": _input,
    "label": _label,
    "li": _item,
    "math": _math,
    "meter": _gauge,
    "object": _object,
    "ol": _unless_deep(_numbers),
    "progress": _gauge,
    "q": _between("\u201c", "\u201d"),
    "rt": _between("(", ")"),
    "script": _script,
    "select": _select,
    "sub": _dressed("sub"),
    "summary": _summary,
    "sup": _dressed("sup"),
    "svg": _drawing,
    "table": _unless_deep(_table),
    "tbody": _section(Section.BODY),
    "textarea": _textarea,
    "tfoot": _section(Section.FOOT),
    "thead": _section(Section.HEAD),
    "tr": _in_table(_row),
}
"""Actions by tag; any other element shows its content inline."""

_TABLE_ELEMENTS = frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th"})

_REPLACED = frozenset({"dd", "dir", "dl", "dt", "li", "menu", "ol", "ul", *HEADING_LEVELS})
"""Elements whose role replaces their own meaning; others, such as links, keep both."""


def _by_role(begin_part: Callable[[Builder, OpenTable, LexborNode], End | None]) -> Begin:
    """Handle an element that is a part of a table by its role, and outside of tables is itself."""

    def begin(builder: Builder, node: LexborNode) -> End | None:
        """Begin the part, and the element's own action in it."""
        tag = node.tag or ""
        table = builder.table_here()
        if table is None:
            return ELEMENTS.get(tag, _block)(builder, node)
        end_part = begin_part(builder, table, node)
        if end_part is None or tag in _REPLACED or tag not in ELEMENTS:
            return end_part
        end_own = ELEMENTS[tag](builder, node)
        if end_own is None:
            end_part()
            return None

        def end() -> None:
            """End the element, and then the part that it is in."""
            end_own()
            end_part()

        return end

    return begin


_ROWS = _by_role(lambda _builder, _table, _node: _nothing)

TABLE_ROLES: Mapping[str, Begin] = {
    **dict.fromkeys(("table", "grid", "treegrid"), _unless_deep(_table)),
    **dict.fromkeys(("cell", "gridcell", "columnheader", "rowheader"), _by_role(_cell)),
    "row": _by_role(_row),
    "rowgroup": _ROWS,
}
"""Actions by role, except of the elements of tables (WAI-ARIA, section 5.3.3)."""

_ROLE_SELECTOR = ", ".join(f"[role={role}]" for role in TABLE_ROLES)
_GAUGES = ":is([role=slider], [role=progressbar], [role=meter])[aria-valuenow]:not(input)"
_CHOICES = ":is([role=radio], [role=checkbox], [role=switch])[aria-checked]:not(button:empty)"
_ITEM_ROWS = "ul > li[role=row], ol > li[role=row]"


# Walking over a page.


def blocks_of(
    roots: Iterable[LexborNode], addresses: Addresses, *, is_laid_out: bool = False
) -> Blocks:
    """Return the blocks of the roots in order, nested up to the builder's `FLOWS_MAX`.

    If the page `is_laid_out`, its tab has marked the custom elements on lines of their own; if not,
    custom elements beside each other are kept apart. Line numbers of code blocks are also removed
    from the tree.
    """
    builder = Builder(addresses)
    deepest = max(HEADING_LEVELS.values())
    for root in roots:
        headings = root.css("[role=heading]")
        levels = {
            node.mem_id: max(1, min(number_in(node.attributes.get("aria-level")) or 2, deepest))
            for node in headings
        }
        labels = {node.mem_id: icon_answer(node) for node in root.css("[title]")}
        gauges = (node for node in root.css(_GAUGES) if not node.text().strip())
        labels |= {node.mem_id: gauge_text(node) for node in gauges}
        named = root.css("[aria-label]")
        labels |= {node.mem_id: name for node in named if (name := picture_label(node))}
        roles = {
            node.mem_id: begin
            for node in root.css(_ROLE_SELECTOR)  # also finds ``xlink:role``
            if (begin := TABLE_ROLES.get(node.attributes.get("role") or ""))
            and node.tag not in _TABLE_ELEMENTS
        }
        marks = {node.mem_id: state_mark(node) for node in root.css(_CHOICES)}
        codes = (node for node in root.css("[role=code]") if node.css_first("div"))
        roles |= {node.mem_id: _code for node in codes}
        lists = (node.parent for node in root.css(_ITEM_ROWS))
        roles = {one.mem_id: _ROWS for one in lists if one is not None} | roles
        component = _laid_out_component if is_laid_out else _component
        walk(root, _Reader(builder, builder.say, levels, labels, marks, roles, component))
        builder.part()
    return builder.flow.taken()


@attrs.frozen
class _Reader:
    """Passes the nodes of a walk to a builder.

    Attributes:
        text: receives text.
        levels: levels of elements with a heading role, by their ids.
        labels: names of elements that are pictures, by their ids; empty for other elements.
        marks: marks of elements that are radio buttons or checkboxes by a role, by their ids.
        roles: actions of elements that are code, tables or their parts by a role, by their ids.
        component: the action of custom elements.
        ends: end actions of the open elements; None for elements without one.
    """

    builder: Builder
    text: Callable[[str], None]
    levels: Mapping[int, int]
    labels: Mapping[int, str]
    marks: Mapping[int, str]
    roles: Mapping[int, Begin]
    component: Begin
    ends: list[End | None] = attrs.field(factory=list["End | None"], init=False)

    def opens(self, tag: str, node: LexborNode) -> bool:
        """Run the start action of the element, and record its end action."""
        begin = ELEMENTS.get(tag)
        if self.roles and node.mem_id in self.roles:
            begin = self.roles[node.mem_id]
        if self.levels and node.mem_id in self.levels:
            begin = heading(self.levels[node.mem_id])
        if self.labels and (label := self.labels.get(node.mem_id)):
            is_block = tag in _BLOCKS or tag == "td"
            label_end = begin(self.builder, node) if begin and is_block else None
            self.builder.say(f" {label} ")
            if label_end is not None:
                label_end()
            return False
        if begin is None and "-" in tag:  # HTML, section 4.13.3
            begin = self.component
        mark = self.marks.get(node.mem_id) if self.marks else None
        if begin is None and mark is None:
            self.ends.append(None)
            return True
        end = begin(self.builder, node) if begin else _nothing
        if end is None:
            return False
        if mark:
            self.builder.say(f" {mark} ")
        self.ends.append(end)
        return True

    def closes(self) -> None:
        """Run the end action of the element."""
        end = self.ends.pop()
        if end is not None:
            end()

"""The forms of a page with their fields, as a browser sends and shows them (HTML, section 4.10)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

import attrs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabwright.content.charset import form_charset
from tabwright.content.html.element_path import NAME_CHARACTERS_MAX
from tabwright.content.html.tree import TEXT, Addresses
from tabwright.protocol.snapshot import Field, Option, PageForm
from tabwright.text.lines import collapse_whitespace

# Labels: the names of form elements.

NODES_MAX = 300
"""Maximum number of nodes of an element that are searched for its name."""

_FIELD = "input:not([type=hidden i]), select, textarea, button, meter, output, progress"

_SILENT = frozenset(
    {"-comment", "button", "datalist", "noscript", "script", "select", "style", "template"}
    | {"textarea"}
)
"""Elements in a label that are not part of its text."""

_APART = frozenset({"br", "dd", "div", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "li", "p", "td"})
"""Elements whose text is separated from the text before them."""


@attrs.frozen
class Labels:
    """The labels of one document, by which its elements are named."""

    _ids: Mapping[str, LexborNode]
    _labels: Mapping[int, str]

    @classmethod
    def of(cls, document: LexborHTMLParser) -> "Labels":
        """Collect the labels of a document."""
        ids = {node.id or "": node for node in reversed(document.css("[id]"))}
        labelled: list[tuple[int, str]] = []
        for label in reversed(document.css("label")):
            target = label.attributes.get("for")
            field = ids.get(target) if target else label.css_first(_FIELD)
            if field is not None:
                labelled.append((field.mem_id, _shown(label)))
        return cls(ids, dict(labelled))

    def name_of(self, node: LexborNode) -> str:
        """Return the name of a field; empty if it has none (accname, section 4.3)."""
        attributes = node.attributes
        name = (
            self.by_reference(node)
            or collapse_whitespace(attributes.get("aria-label"))
            or self.by_label(node)
            or collapse_whitespace(attributes.get("title"))
            or collapse_whitespace(attributes.get("placeholder"))
        )
        return name[:NAME_CHARACTERS_MAX]

    def by_reference(self, node: LexborNode) -> str:
        """Return the text of the elements that ``aria-labelledby`` refers to."""
        ids = (node.attributes.get("aria-labelledby") or "").split()
        named = (_shown(self._ids[one]) for one in ids if one in self._ids)
        return " ".join(filter(None, named))

    def by_label(self, node: LexborNode) -> str:
        """Return the text of a field's ``label``."""
        return self._labels.get(node.mem_id, "")


def _shown(node: LexborNode) -> str:
    """Return the visible text of an element, without fields in it."""
    pieces = islice(_pieces(node), NODES_MAX)
    return collapse_whitespace(node.attributes.get("aria-label") or "".join(pieces))[
        :NAME_CHARACTERS_MAX
    ]


def _pieces(top: LexborNode) -> Iterator[str]:
    """Yield one piece for each node, without recursion, since pages can be nested to any depth."""
    ahead = [top.iter(include_text=True)]
    while ahead:
        node = next(ahead[-1], None)
        if node is None:
            ahead.pop()
        elif node.tag == TEXT:
            yield node.text_content or ""
        elif node.tag == "img":
            yield f" {node.attributes.get('alt') or ''} "
        elif node.tag not in _SILENT:
            ahead.append(node.iter(include_text=True))
            yield " " if node.tag in _APART else ""
        else:
            yield ""


FIELDS = "input, select, textarea, button"

INPUT_TYPES = frozenset(
    {"button", "checkbox", "color", "date", "datetime-local", "email", "file", "hidden", "image"}
    | {"month", "number", "password", "radio", "range", "reset", "search", "submit", "tel"}
    | {"text", "time", "url", "week"}
)
"""Field types; any other is read as ``text``."""

BUTTON_TYPES = frozenset({"button", "reset", "submit"})

URLENCODED = "application/x-www-form-urlencoded"
ENCODINGS = frozenset({URLENCODED, "multipart/form-data", "text/plain"})

_TABLE_PARTS = frozenset({"table", "tbody", "thead", "tfoot", "tr"})


def forms_of(
    document: LexborHTMLParser, addresses: Addresses, charset: str
) -> tuple[PageForm, ...]:
    """Return the forms, in the order of ``document.forms``.

    Args:
        document: the page.
        addresses: resolves the URLs of the page.
        charset: the page's encoding; empty if it is unknown.
    """
    nodes = document.css("form")
    if not nodes:
        return ()
    reader = _Reader(addresses, Labels.of(document), disabled_fields(document), charset)
    # The fields of each form by the form's id, wherever they are in the document.
    round_it = {field.mem_id: form for form in nodes for field in form.css(FIELDS)}
    named = {form.id: form for form in reversed(nodes) if form.id}
    fields: dict[int, list[LexborNode]] = {form.mem_id: [] for form in nodes}
    torn: LexborNode | None = None
    for field in document.css(f"form, {FIELDS}"):
        if field.tag == "form":
            # A form that begins between the rows of a table does not contain its fields.
            parent = field.parent
            is_torn = parent is not None and parent.tag in _TABLE_PARTS and not field.first_child
            torn = field if is_torn else None
            continue
        owner = field.attributes.get("form")
        form = named.get(owner) if owner else round_it.get(field.mem_id, torn)
        if form is not None:
            fields[form.mem_id].append(field)
    return tuple(reader.form(index, node, fields[node.mem_id]) for index, node in enumerate(nodes))


def disabled_fields(document: LexborHTMLParser) -> AbstractSet[int]:
    """Return the ids of the fields in a disabled ``fieldset``, except in its legend."""
    ids: set[int] = set()
    for group in document.css("fieldset[disabled]"):
        ids |= {node.mem_id for node in group.css(FIELDS)}
        legend = group.css_first("legend")
        ids -= {node.mem_id for node in legend.css(FIELDS)} if legend else set()
    return ids


@attrs.frozen
class _Reader:
    """Reads forms.

    Attributes:
        disabled: ids of the fields that a ``fieldset`` disables.
        charset: the page's encoding.
    """

    addresses: Addresses
    labels: Labels
    disabled: AbstractSet[int]
    charset: str

    def form(self, index: int, node: LexborNode, fields: Iterable[LexborNode]) -> PageForm:
        """Read a form; attributes of its first submit button take precedence over its own."""
        owned = [(field, self.field(field)) for field in fields]
        sender = next((field for field, read in owned if read.type == "submit"), None)
        attributes = node.attributes
        overruling = sender.attributes if sender else {}
        page = self.addresses.page.partition("#")[0]
        action = overruling.get("formaction") or attributes.get("action")
        method = overruling.get("formmethod") or attributes.get("method")
        encoding = (overruling.get("formenctype") or attributes.get("enctype") or "").lower()
        return PageForm(
            index=index,
            action=self.addresses.loaded(action) or page,
            method="POST" if (method or "").lower() == "post" else "GET",
            encoding=encoding if encoding in ENCODINGS else URLENCODED,
            id=attributes.get("id") or "",
            name=attributes.get("name") or "",
            fields=tuple(read for _, read in owned),
            charset=form_charset(attributes.get("accept-charset") or "", self.charset),
        )

    def field(self, node: LexborNode) -> Field:
        """Read a field; each button of a radio group is a separate field."""
        attributes = node.attributes
        declared = (node.attributes.get("type") or "").lower()
        match node.tag:
            case "input":
                kind = declared if declared in INPUT_TYPES else "text"
            case "button":
                kind = declared if declared in BUTTON_TYPES else "submit"
            case tag:
                kind = tag or ""
        options = tuple(_options(node)) if kind == "select" else ()
        return Field(
            name=attributes.get("name") or "",
            type=kind,
            value=_value(node, kind, options),
            label=self._label(node, kind),
            id=attributes.get("id") or "",
            required="required" in attributes,
            hidden=kind == "hidden" or "hidden" in attributes,
            checked="checked" in attributes and kind in {"checkbox", "radio"},
            disabled="disabled" in attributes or node.mem_id in self.disabled,
            multiple="multiple" in attributes,
            options=options,
        )

    def _label(self, node: LexborNode, kind: str) -> str:
        attributes = node.attributes
        if node.tag == "button":
            return self.labels.name_of(node) or collapse_whitespace(node.text())
        if kind in BUTTON_TYPES:
            return self.labels.name_of(node) or collapse_whitespace(attributes.get("value"))
        return (
            ""
            if kind == "hidden"
            else self.labels.name_of(node) or collapse_whitespace(attributes.get("alt"))
        )


def _value(node: LexborNode, kind: str, options: Sequence[Option]) -> str:
    match kind:
        case "select":
            chosen = [option.value for option in options if option.selected]
            first = [option.value for option in options[:1]]
            return next(iter(chosen or ([] if "multiple" in node.attributes else first)), "")
        case "textarea":
            return node.text().removeprefix("\n")
        case "checkbox" | "radio":
            value = node.attributes.get("value", "on")
            return value or ""
        case _:
            return node.attributes.get("value") or ""


def _options(node: LexborNode) -> Iterator[Option]:
    for option in node.css("option"):
        attributes = option.attributes
        text = collapse_whitespace(option.text())
        value = attributes["value"] or "" if "value" in attributes else text
        yield Option(
            value, collapse_whitespace(attributes.get("label")) or text, "selected" in attributes
        )


# What fields show, as text: chosen and other options, values, names of buttons.

OPTIONS_SHOWN_MAX = 30
"""A list with more options shows as many of them, the chosen ones, and the number of the others."""


CHOSEN, OPEN = "\u2611", "\u2610"
"""The marks of an option, as of a checkbox: chosen, and not chosen."""

_UNSHOWN_TYPES = frozenset({"checkbox", "color", "file", "hidden", "password", "radio", "range"})
"""Types of fields whose value a reader does not see as text."""

_NAMED_TYPES = frozenset({"color", "range"})
"""Types of fields that show a value as a picture, which is read if a text names the field."""

_NUMBER = re.compile(r"\s*(-?\d{1,12}(?:\.\d{1,9})?)\s*")
_SWATCH = re.compile(r"swatch|(?<![\w:-])(?:colou?r|variant)s?(?![\w:-])", re.IGNORECASE)
_STATES = ("aria-checked", "aria-pressed")


def input_text(node: LexborNode) -> str:
    """Return what an ``input`` shows: its value, or the mark whether it is chosen.

    It is empty for passwords, hidden fields, and fields of other kinds that no text names.
    """
    attributes = node.attributes
    kind = (attributes.get("type") or "").lower()
    if kind in {"checkbox", "radio"}:
        return _choice(node)
    is_named = kind in _NAMED_TYPES and _is_named(node)
    if kind in _UNSHOWN_TYPES and not is_named:
        return ""
    return collapse_whitespace(attributes.get("alt" if kind == "image" else "value"))


def _choice(node: LexborNode) -> str:
    """Return the mark of a checkbox or radio button that has a text or a name.

    Others are mostly switches of menus; in a cell, one that selects the row is left out.
    """
    attributes, parent = node.attributes, node.parent
    mark = CHOSEN if "checked" in attributes else OPEN
    if _is_named(node):
        return mark
    if parent is not None and parent.tag in {"td", "th"}:
        return mark if "checked" in attributes or "disabled" in attributes else ""
    name = collapse_whitespace(attributes.get("aria-label"))
    return f"{mark} {name}" if name else ""


def _is_named(node: LexborNode) -> bool:
    """Return whether a text beside a field, or its label, names it."""
    parent, named = node.parent, {node.attributes.get("id")}
    named = named - {None} if "aria-label" in node.attributes else named | {None}
    if parent is not None and parent.tag == "label":
        return _has_text(parent)
    for following in (True, False):
        one = node
        while beside := one.next if following else one.prev:
            one = beside
            if one.tag == "label":
                if one.attributes.get("for") in named and _has_text(one):
                    return True
                break
            if one.is_element_node or (one.text_content or "").strip():
                is_text = one.tag == TEXT or (following and one.tag == "span")
                if is_text and _has_text(one):
                    return True
                break
    return False


def _has_text(node: LexborNode) -> bool:
    if node.tag == TEXT:
        return any(map(str.isalnum, node.text_content or ""))
    pieces = islice(_pieces(node), NODES_MAX)
    return label_title(node) != "" or any(any(map(str.isalnum, one)) for one in pieces)


def label_title(node: LexborNode) -> str:
    """Return the title of a ``label`` without content, such as one that shows only a colour."""
    title = node.attributes.get("title") if node.first_child is None else None
    return collapse_whitespace(title)


def state_mark(node: LexborNode) -> str:
    """Return the mark of an element that a state of ARIA says is chosen or not."""
    states = [value for name in _STATES if (value := node.attributes.get(name)) is not None]
    return (CHOSEN if "true" in states else OPEN) if states else ""


def swatch_name(node: LexborNode) -> str:
    """Return the name of a ``button`` that shows only a colour or a pattern; empty for others.

    The names of other buttons without a text, such as Close, are noise.
    """
    attributes = node.attributes
    name = collapse_whitespace(attributes.get("aria-label") or attributes.get("title"))
    if not name or node.text().strip() or node.css_first("img, svg, input") is not None:
        return ""
    mark = state_mark(node)
    parent = node.parent
    classes = [one.attributes.get("class") or "" for one in (node, parent) if one is not None]
    if mark or any(map(_SWATCH.search, classes)):
        return f"{mark} {name}".strip()
    return ""


def gauge_text(node: LexborNode) -> str:
    """Return the value of a ``progress``, a ``meter``, or an element with the role of one.

    A progress of nothing is left out, as while a page loads or is not scrolled.
    """
    attributes = node.attributes
    is_native = node.tag in {"meter", "progress"}
    if text := collapse_whitespace(attributes.get("aria-valuetext")):
        return text
    default = "1" if is_native else "100"
    value = _number(attributes.get("value" if is_native else "aria-valuenow"))
    greatest = _number(attributes.get("max" if is_native else "aria-valuemax")) or default
    if not value or (float(value) == 0 and node.tag != "meter"):
        return ""
    return f"{100 * float(value):.4g}%" if greatest == "1" else f"{value}/{greatest}"


def _number(text: str | None) -> str:
    match = _NUMBER.fullmatch(text or "")
    return match[1] if match else ""


def field_name(node: LexborNode) -> str:
    """Return the ``aria-label`` of a field, unless the text before it names it too."""
    name = collapse_whitespace(node.attributes.get("aria-label"))
    return "" if name and _is_named(node) else name


def options_text(node: LexborNode) -> str:
    """Return the options of a ``select``, each after the mark whether it is chosen.

    The first one that is shown of a group comes after the name of the group. As in browsers, the
    first one is chosen if the page chooses none and one must be.
    """
    options = [
        (name, option)
        for option in node.css("option")
        if (name := collapse_whitespace(option.attributes.get("label") or option.text()))
    ]
    has_choice = "multiple" in node.attributes or any(
        "selected" in option.attributes for _, option in options
    )
    shown: list[str] = []
    left, named = 0, None
    for place, (name, option) in enumerate(options):
        is_chosen = "selected" in option.attributes or not (place or has_choice)
        if place >= OPTIONS_SHOWN_MAX and not is_chosen:
            left += 1
            continue
        group = option.parent
        if group is not None and group.tag == "optgroup" and group.mem_id != named:
            named = group.mem_id
            label = collapse_whitespace(group.attributes.get("label"))
            shown += [f"{label}:"] if label else []
        shown.append(f"{CHOSEN if is_chosen else OPEN} {name}")
    return " ".join((*shown, *((f"({left} more options)",) if left else ())))

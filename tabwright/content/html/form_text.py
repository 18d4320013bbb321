"""What the fields of a form show, as text: chosen and other options, values, names of buttons."""

from itertools import islice

from selectolax.lexbor import LexborNode

from tabwright.text.lines import collapse_whitespace

OPTIONS_SHOWN_MAX = 30
"""A list with more options shows as many of them, the chosen ones, and the number of the others."""

OPTIONS_COUNTED_MAX = 10_000

CHOSEN, OPEN = "\u2611", "\u2610"
"""The marks of an option, as of a checkbox: chosen, and not chosen."""

_UNSHOWN_TYPES = frozenset({"checkbox", "color", "file", "hidden", "password", "radio", "range"})
"""Types of fields whose value a reader does not see as text."""


def input_text(node: LexborNode) -> str:
    """Return the value that an ``input`` shows; empty for passwords and hidden fields."""
    attributes = node.attributes
    kind = (attributes.get("type") or "").lower()
    if kind in _UNSHOWN_TYPES:
        return ""
    return collapse_whitespace(attributes.get("alt" if kind == "image" else "value"))


def options_text(node: LexborNode) -> str:
    """Return the options of a ``select``, each after the mark whether it is chosen.

    As in browsers, the first one is chosen if the page chooses none and one must be.
    """
    options = [
        (name, "selected" in option.attributes)
        for option in islice(node.css("option"), OPTIONS_COUNTED_MAX)
        if (name := collapse_whitespace(option.attributes.get("label") or option.text()))
    ]
    has_choice = "multiple" in node.attributes or any(is_chosen for _, is_chosen in options)
    shown = [
        f"{CHOSEN if is_chosen or not (place or has_choice) else OPEN} {name}"
        for place, (name, is_chosen) in enumerate(options)
        if place < OPTIONS_SHOWN_MAX or is_chosen
    ]
    left = len(options) - len(shown)
    return " ".join((*shown, *((f"({left} more options)",) if left else ())))

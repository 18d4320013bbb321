"""Whether an inline style hides its element, as far as its declarations tell."""

import re

from selectolax.lexbor import LexborNode

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

_NOT_RENDERED = re.compile(r"display\s*:\s*none", re.IGNORECASE)

_OFF_PAGE = re.compile(
    r"(?<![\w-])(?:left|top)\s*:\s*-(?:(?:999|[2-9]\d{3}|\d{5,})(?:\.\d*)?px|\d{3,}r?em)\b",
    re.IGNORECASE,
)
"""A position far outside of the page."""

_POSITIONED = re.compile(r"(?<![\w-])position\s*:\s*(?:absolute|fixed)\b", re.IGNORECASE)

_NO_SIZE = re.compile(
    r"(?<![\w-])font-size\s*:\s*0(?:\.0+)?(?:px|pt|r?em|%)?\s*(?:[;!]|$)", re.IGNORECASE
)

_CLEAR = re.compile(r"(?<![\w-])opacity\s*:\s*0(?:\.0+)?\s*(?:[;!]|$)", re.IGNORECASE)

_SHOWN = re.compile(r"visibility\s*:\s*visible", re.IGNORECASE)


def hides(style: str | None) -> bool:
    """Return whether an inline style hides its element."""
    return style is not None and _HIDDEN.search(style) is not None


def removes(style: str | None) -> bool:
    """Return whether an inline style hides its element with all that it contains."""
    return style is not None and _NOT_RENDERED.search(style) is not None


def shows(style: str | None) -> bool:
    """Return whether an inline style shows its element in an invisible one."""
    return style is not None and _SHOWN.search(style) is not None


def fades(style: str) -> bool:
    """Return whether an inline style makes its element transparent, as animations begin."""
    return _CLEAR.search(style) is not None


def is_positioned(style: str) -> bool:
    """Return whether an inline style takes its element out of the flow of the page."""
    return _POSITIONED.search(style) is not None


def is_out_of_sight(node: LexborNode, style: str) -> bool:
    """Return whether an inline style puts an element off the page, or shows its text in no size.

    Elements inside text of no size can have a size of their own.
    """
    if _OFF_PAGE.search(style) and is_positioned(style):
        return True
    return bool(_NO_SIZE.search(style)) and not any(one.is_element_node for one in node.iter())

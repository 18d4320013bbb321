"""Attributes of elements, as browsers read them."""

import re

_INTEGER = re.compile(r"\s*([+-]?\d{1,9})")


def number_in(text: str | None) -> int | None:
    """The integer that an attribute begins with (HTML, section 2.3.4.1); None for anything else."""
    match = _INTEGER.match(text or "")
    return int(match[1]) if match else None

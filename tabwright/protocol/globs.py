"""Texts with stars in them, each of which stands for anything."""

from collections.abc import Sequence


def fits(parts: Sequence[str], text: str) -> bool:
    """Whether `text` is what a glob stands for, in a time in proportion to both.

    Args:
        parts: of the glob, between its stars; at least one.
        text: what may fit.
    """
    first, *others = parts
    if not others:
        return text == first
    if not text.startswith(first):
        return False
    at = len(first)
    *inner, last = others
    for part in inner:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return text.endswith(last, at)

"""Tables and lengths of time as a person at a terminal reads them."""

from collections.abc import Sequence

GAP = "  "

MINUTE_S, HOUR_S = 60, 3600


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Sequence[str]:
    """Lines with columns as wide as need be; nothing without rows.

    Args:
        heads: one that begins with ``>`` stands over a column of numbers, to the right.
        rows: the cells.
    """
    if not rows:
        return []
    lines = [[head.removeprefix("> ") for head in heads], *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    signs = [">" if head.startswith(">") else "<" for head in heads]
    layout = GAP.join(f"{{:{sign}{width}}}" for sign, width in zip(signs, widths, strict=True))
    return [layout.format(*line).rstrip() for line in lines]


def span(time_s: float) -> str:
    """A length of time, as exact as anybody wants to know it."""
    if time_s < 1.5 * MINUTE_S:
        return f"{time_s:.1f} s"
    if time_s < 1.5 * HOUR_S:
        return f"{time_s / MINUTE_S:.0f} min"
    return f"{time_s / HOUR_S:.1f} h"


def cut(text: str, length: int) -> str:
    """The text, of at most so many characters."""
    return text if len(text) <= length else f"{text[: length - 1]}…"

"""Tables and lengths of time as a person at a terminal reads them."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

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
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    columns = [(width, head.startswith(">")) for width, head in zip(widths, heads, strict=True)]
    return [GAP.join(map(_filled, line, columns)).rstrip() for line in lines]


def _filled(cell: str, column: tuple[int, bool]) -> str:
    """A cell as wide as its column, which may stand to the right."""
    width, to_the_right = column
    space = " " * (width - cell_len(cell))
    return space + cell if to_the_right else cell + space


def span(time_s: float) -> str:
    """A length of time, as exact as anybody wants to know it."""
    if time_s < 1.5 * MINUTE_S:
        return f"{time_s:.1f} s"
    if time_s < 1.5 * HOUR_S:
        return f"{time_s / MINUTE_S:.0f} min"
    return f"{time_s / HOUR_S:.1f} h"


def cut(text: str, length: int) -> str:
    """The text, of at most so many cells."""
    return text if cell_len(text) <= length else f"{set_cell_size(text, length - 1)}…"

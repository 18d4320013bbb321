"""The samples of a soak, as numbers and as a picture (SVG 1.1)."""

from collections.abc import Iterator, Sequence
from typing import Final

import attrs

WIDTH: Final = 760
HEIGHT: Final = 110
MARGIN: Final = 44
GAP: Final = 34

LINES: Final = {
    "in_flight": "calls in work",
    "answered": "calls answered",
    "lost": "calls lost",
    "browser_mb": "browser, MB",
    "own_mb": "tabwright, MB",
    "descriptors": "descriptors",
    "tasks": "tasks",
    "processes": "processes of the browser",
}
"""The lines of the picture, from the top down."""


@attrs.frozen
class Sample:
    """The state at a moment."""

    at_s: float
    in_flight: int
    answered: int
    lost: int
    own_mb: float
    browser_mb: float
    descriptors: int
    tasks: int
    processes: int

    def __str__(self) -> str:
        return (
            f"{self.at_s:5.0f} s: {self.in_flight} in work, {self.answered} answered, "
            f"{self.lost} lost; browser {self.browser_mb:.0f} MB in {self.processes} processes, "
            f"own {self.own_mb:.0f} MB, {self.descriptors} descriptors, {self.tasks} tasks"
        )


def chart(samples: Sequence[Sample]) -> str:
    """Return a picture with one line over time for each of `LINES`."""
    height = len(LINES) * (HEIGHT + GAP) + GAP
    body = "\n".join(_panels(samples))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" '
        f'fill="white"/>\n{body}\n</svg>\n'
    )


def _panels(samples: Sequence[Sample]) -> Iterator[str]:
    for row, (name, title) in enumerate(LINES.items()):
        values = [float(getattr(sample, name)) for sample in samples]
        top = GAP + row * (HEIGHT + GAP)
        yield f'<text x="{MARGIN}" y="{top - 8}" fill="#333">{title}</text>'
        yield f'<text x="{MARGIN - 6}" y="{top + 12}" text-anchor="end">{max(values):,.0f}</text>'
        yield f'<text x="{MARGIN - 6}" y="{top + HEIGHT}" text-anchor="end">0</text>'
        yield (
            f'<rect x="{MARGIN}" y="{top}" width="{WIDTH - 2 * MARGIN}" height="{HEIGHT}" '
            'fill="#f6f8fa" stroke="#d0d7de"/>'
        )
        points = " ".join(_points([sample.at_s for sample in samples], values, top))
        yield f'<polyline points="{points}" fill="none" stroke="#0969da" stroke-width="1.5"/>'
    yield (
        f'<text x="{WIDTH - MARGIN}" y="{GAP - 8}" text-anchor="end" fill="#333">'
        f"{samples[-1].at_s:.0f} s</text>"
    )


def _points(times: Sequence[float], values: Sequence[float], top: int) -> Iterator[str]:
    wide, high = times[-1] or 1.0, max(values) or 1.0
    for at_s, value in zip(times, values, strict=True):
        x = MARGIN + at_s / wide * (WIDTH - 2 * MARGIN)
        y = top + HEIGHT - value / high * HEIGHT
        yield f"{x:.1f},{y:.1f}"

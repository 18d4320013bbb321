"""Tools for web developers: web vitals, traces, heaps, styles, audits, assertions and routes."""

from collections.abc import Iterator

from tabwright.plugin import Plugin


def _tools() -> Iterator[object]:
    from tabwright.plugins.devtools.tools import TOOLS

    yield from TOOLS


PLUGIN = Plugin(
    name="devtools",
    summary="Tools for web developers: performance, audits, styles, assertions, request routes.",
    groups=("network", "verify", "performance"),
    tools=_tools,
)

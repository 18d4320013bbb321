"""The tools under the names of playwright-mcp, for clients that were made for them."""

from collections.abc import Iterator

from tabwright.plugin import Plugin


def _toolset() -> Iterator[object]:
    from tabwright.mcp.tool import ToolsetOf
    from tabwright.plugins.playwright.tools import toolset

    yield ToolsetOf(toolset)


def _settings() -> Iterator[object]:
    from tabwright.plugins.playwright.settings import PLAYWRIGHT_SETTINGS

    yield PLAYWRIGHT_SETTINGS


def _options() -> Iterator[object]:
    from tabwright.plugins.playwright.options import CAPABILITIES

    yield CAPABILITIES


PLUGIN = Plugin(
    name="playwright",
    summary="The tools under the names of playwright-mcp.",
    toolset=_toolset,
    settings=_settings,
    options=_options,
)

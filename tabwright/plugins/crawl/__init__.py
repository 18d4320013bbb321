"""Many pages of a site: scope, frontier on SQLite, sitemaps, traps and output."""

from tabwright.plugin import Plugin


def _tools() -> tuple[object, ...]:
    from tabwright.plugins.crawl.tools import TOOLS

    return TOOLS


def _commands() -> tuple[object, ...]:
    from tabwright.plugins.crawl.commands import COMMANDS

    return COMMANDS


PLUGIN = Plugin(
    name="crawl",
    summary="Read many pages of a site, map it, or read many URLs in one call.",
    groups=("crawl",),
    tools=_tools,
    commands=_commands,
)

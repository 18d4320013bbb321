"""The terminal browser: an MCP client of ``tabwright serve``, with a Textual interface.

It has no browser of its own: it shows the results of the tools, like any client. It runs on
asyncio, as Textual does, and shares only the vocabulary of links and forms with tabwright.
"""

from collections.abc import Iterator

from tabwright.plugin import Plugin


def _commands() -> Iterator[object]:
    from tabwright.plugins.tui.main import TUI

    yield TUI


PLUGIN = Plugin(
    name="tui",
    summary="A browser for people, in the terminal.",
    packages=("rich_pixels", "textual"),
    commands=_commands,
)

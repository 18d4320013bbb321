"""Where the server is that is asked."""

import shlex
from collections.abc import Sequence

import attrs

from tabwright.config.loader import own_command

TOOLS = "search,read,forms,act,sessions"
"""The groups that are used here; a client that is not told of a tool cannot check its answers."""


@attrs.frozen
class Whereabouts:
    """Where the server is: at a URL, or started by a command."""

    url: str = ""
    command: Sequence[str] = ()

    @classmethod
    def named(cls, where: str, arguments: Sequence[str]) -> "Whereabouts":
        """What a person calls it.

        Args:
            where: a URL of streamable HTTP, or a command line; empty for a server of our own.
            arguments: for our own.
        """
        if where.startswith(("http://", "https://")):
            return cls(url=where)
        own = own_command("serve", "--tools", TOOLS, *arguments)
        return cls(command=shlex.split(where) or own)

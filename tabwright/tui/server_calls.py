"""The server as the terminal browser sees it: where it is, its answers, and its errors.

Nothing here imports the MCP SDK, which takes longer than the rest of the program: the first screen
is drawn before it is there.
"""

import shlex
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import attrs
import msgspec

from tabwright.config.loader import own_command

# Results of tools, as far as the terminal needs them.

RecordT = TypeVar("RecordT")

Told: TypeAlias = Callable[[str], None]
"""Is called with each step of a call."""


@attrs.frozen
class ReplyImage:
    """A small picture.

    Attributes:
        number: of the medium that it shows, as the page's record has it; None where nobody says.
        data: a JPEG or a PNG.
    """

    number: int | None
    data: bytes


@attrs.frozen
class ToolReply:
    """An answer of a tool.

    Attributes:
        text: without the marks that are there for models.
        record: for programs; plain values.
        failed: whether the text says why nothing came of it.
    """

    text: str
    pictures: tuple[ReplyImage, ...] = ()
    record: object = None
    failed: bool = False

    def read(self, wanted: type[RecordT]) -> RecordT:
        """The record as a value of a type.

        Raises:
            msgspec.ValidationError: it is none.
        """
        return msgspec.convert(self.record, wanted)


# Errors of the terminal browser; each says what to do next.


class TerminalError(Exception):
    """Something that is told in the status bar; the page stays where it is."""


class ServerMissing(TerminalError):
    """There is no server."""


class ServerLost(TerminalError):
    """The server ended in the middle of a call.

    Args:
        words: the last line that it wrote to standard error, as far as it is known.
    """

    def __init__(self, words: str = "") -> None:
        cause = f": {words}" if words else "."
        super().__init__(
            f"The server ended{cause} Your next action starts another; r reloads the page."
        )


class CallFailed(TerminalError):
    """A tool says that it could not be done, and why."""


class WrongCommand(TerminalError):
    """A command that is none, or lacks something."""


# Finding the server.

TOOLS = "search,read,forms,act,sessions"
"""The groups that are used here; a client that is not told of a tool cannot check its answers."""


@attrs.frozen
class ServerLocation:
    """Where the server is: at a URL, or started by a command."""

    url: str = ""
    command: Sequence[str] = ()

    @classmethod
    def named(cls, where: str, arguments: Sequence[str]) -> "ServerLocation":
        """What a person calls it.

        Args:
            where: a URL of streamable HTTP, or a command line; empty for a server of our own.
            arguments: for our own.
        """
        if where.startswith(("http://", "https://")):
            return cls(url=where)
        own = own_command("serve", "--tools", TOOLS, *arguments)
        return cls(command=shlex.split(where) or own)

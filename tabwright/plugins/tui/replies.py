"""What the terminal browser knows of a server: where it is, its replies, and its errors."""

import shlex
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import attrs
import msgspec

from tabwright.config.loader import own_command

# Results of tools, as far as the terminal needs them.

RecordT = TypeVar("RecordT")

OnStep: TypeAlias = Callable[[str], None]
"""Called with each step of a call."""


@attrs.frozen
class ReplyImage:
    """A small picture.

    Attributes:
        number: of its medium, as in the page's structured content; None if unknown.
        data: a JPEG or a PNG.
    """

    number: int | None
    data: bytes


@attrs.frozen
class ToolReply:
    """The result of a tool.

    Attributes:
        text: without the fence marks for models.
        record: the structured content; plain values.
        failed: whether the text describes a failure.
    """

    text: str
    pictures: tuple[ReplyImage, ...] = ()
    record: object = None
    failed: bool = False

    def read(self, wanted: type[RecordT]) -> RecordT:
        """Convert the structured content to a type.

        Raises:
            msgspec.ValidationError: it does not match.
        """
        return msgspec.convert(self.record, wanted)


# Errors of the terminal browser; each says what to do next.


class TerminalError(Exception):
    """An error to show in the status line; the page is not changed."""


class ServerMissing(TerminalError):
    """The server is not available."""


class ServerLost(TerminalError):
    """The server ended during a call.

    Args:
        words: the last line of its standard error, if known.
    """

    def __init__(self, words: str = "") -> None:
        cause = f": {words}" if words else "."
        super().__init__(
            f"The server ended{cause} Your next action starts another; r reloads the page."
        )


class CallFailed(TerminalError):
    """A tool reported a failure."""


class WrongCommand(TerminalError):
    """The command is unknown, or lacks an argument."""


# Finding the server.

TOOLS = "search,read,act,sessions"
"""The tool groups that are used; a client without a tool's schema cannot check its answers."""


@attrs.frozen
class ServerLocation:
    """The location of the server: a URL, or a command to start it."""

    url: str = ""
    command: Sequence[str] = ()

    @classmethod
    def named(cls, where: str, arguments: Sequence[str]) -> "ServerLocation":
        """Parse a location.

        Args:
            where: a URL of streamable HTTP, or a command line; empty for our own server.
            arguments: for our own server.
        """
        if where.startswith(("http://", "https://")):
            return cls(url=where)
        own = own_command("serve", "--tools", TOOLS, *arguments)
        return cls(command=shlex.split(where) or own)

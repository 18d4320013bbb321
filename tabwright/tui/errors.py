"""What can go wrong in the browser of the terminal; each says what to do next."""


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
            f"The server has ended{cause} "
            "The next thing you do starts another; r loads the page again."
        )


class CallFailed(TerminalError):
    """A tool says that it could not be done, and why."""


class WrongCommand(TerminalError):
    """A command that is none, or lacks something."""

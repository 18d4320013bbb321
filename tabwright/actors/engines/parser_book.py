"""The parsers of result pages, read again when the user mends their file."""

from collections.abc import Mapping
from pathlib import Path

from tabwright.config.engines import load_parsers
from tabwright.protocol.errors import SettingsError
from tabwright.protocol.web_search import ResultParser


class ParserBook:
    """What is known of every engine's pages.

    Args:
        user_file: what is laid over the shipped file; None for nothing.
    """

    def __init__(self, user_file: Path | None) -> None:
        self._user_file = user_file
        self._version: tuple[int, int] | None = None
        self._parsers: Mapping[str, ResultParser] = {}

    def parsers(self) -> Mapping[str, ResultParser]:
        """The parsers by engine, as the user's file is now.

        Raises:
            SettingsError: there are mistakes in it; every one of them is told.
        """
        version = self._stamp()
        if version != self._version or not self._parsers:
            self._parsers = load_parsers(self._user_file)
            self._version = version
        return self._parsers

    def _stamp(self) -> tuple[int, int] | None:
        """Changes with the file."""
        if self._user_file is None:
            return None
        try:
            status = self._user_file.stat()
        except OSError as error:
            raise SettingsError(f"engines.parsers: {error}") from error
        return status.st_mtime_ns, status.st_size

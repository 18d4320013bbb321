"""The log files: one per day, kept for a week, with redaction of private data."""

import logging
import re
import sys
import traceback
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from io import FileIO, TextIOWrapper
from pathlib import Path
from types import TracebackType
from typing import TypeAlias, cast

import msgspec
from platformdirs import user_log_path

from tabwright.config.loader import open_private, private_folder, resolve_path
from tabwright.text.file_errors import file_problem

KEPT_DAYS = 7
FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"

_NAME = re.compile(r"tabwright-(?P<day>\d{4}-\d{2}-\d{2})\.log")

ExceptionInfo: TypeAlias = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)


def log_folder(setting: str) -> Path:
    """Return the folder that a setting names."""
    return resolve_path(setting, user_log_path("tabwright", appauthor=False))


class DailyFile(logging.FileHandler):
    """Writes to ``tabwright-2026-11-22.log`` in a folder, and to a new file each day.

    Several processes can write to the same folder: files are never renamed.

    Args:
        folder: created if it is missing.
        private: whether to log error messages, which may contain a query or a URL.
        as_json: whether each record is a line of JSON.
        masked: masks the values of secrets in a text.
        today: returns the current date.

    Raises:
        OSError: the folder cannot be used.
    """

    def __init__(
        self,
        folder: Path,
        *,
        private: bool,
        as_json: bool = False,
        masked: Callable[[str], str] = str,
        today: Callable[[], date] = date.today,
    ) -> None:
        private_folder(folder)
        self._folder = folder
        self._failed = False
        self._today = today
        super().__init__(self._path(), encoding="utf-8")
        formatter = logging.Formatter(FORMAT) if private else RedactingFilter()
        self.setFormatter(Masked(JSONFormatter(formatter) if as_json else formatter, masked))
        self._forget_old()

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record if possible; a failure never stops the program."""
        try:
            # The first record of a day begins a file and removes those past keeping.
            path = str(self._path().absolute())
            if path != self.baseFilename:
                self.close()
                self.baseFilename = path
                self._forget_old()
            super().emit(record)
        except OSError:
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  (the library's name)
        """Report once that the file cannot be written, for example because the disk is full."""
        error = sys.exception()
        if not isinstance(error, OSError):
            super().handleError(record)
        elif not self._failed:
            self._failed = True
            sys.stderr.write(
                f"No log is written. {file_problem(error, self.baseFilename, writing=True)}\n"
            )

    def _open(self) -> TextIOWrapper:
        """Open the file, readable only by its user."""
        return TextIOWrapper(
            FileIO(self.baseFilename, self.mode, opener=open_private),
            encoding=self.encoding,
            write_through=True,
        )

    def _path(self) -> Path:
        return self._folder / f"tabwright-{self._today().isoformat()}.log"

    def _forget_old(self) -> None:
        first = (self._today() - timedelta(days=KEPT_DAYS - 1)).isoformat()
        for path in self._folder.iterdir():
            match = _NAME.fullmatch(path.name)
            if match and match["day"] < first:
                path.unlink(missing_ok=True)


class ShortFormatter(logging.Formatter):
    """Formats a record as one line for a terminal, without stack traces."""

    def __init__(self) -> None:
        super().__init__(FORMAT)

    def format(self, record: logging.LogRecord) -> str:
        line = logging.makeLogRecord({**record.__dict__, "exc_info": None, "exc_text": None})
        return super().format(line)


class JSONFormatter(logging.Formatter):
    """Formats a record as a line of JSON: time, level, logger, message, and the error if any.

    Args:
        errors: formats errors; None to leave them out.
    """

    def __init__(self, errors: logging.Formatter | None) -> None:
        super().__init__(FORMAT)
        self._errors = errors

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if self._errors is not None and record.exc_info:
            line["error"] = self._errors.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


class Masked(logging.Formatter):
    """Formats with another formatter and masks secrets, including stacks and causes.

    Args:
        formatter: the other formatter.
        masked: masks the values of secrets in a text.
    """

    def __init__(self, formatter: logging.Formatter, masked: Callable[[str], str]) -> None:
        super().__init__(FORMAT)
        self._formatter = formatter
        self._masked = masked

    def format(self, record: logging.LogRecord) -> str:
        return self._masked(self._formatter.format(record))


class RedactingFilter(logging.Formatter):
    """Formats an error with its stack, but without its message.

    The message may contain a query, a URL or page text.
    """

    def __init__(self) -> None:
        super().__init__(FORMAT)

    def format(self, record: logging.LogRecord) -> str:
        # Without the text that another handler has cached.
        return super().format(logging.makeLogRecord({**record.__dict__, "exc_text": None}))

    def formatException(self, ei: ExceptionInfo) -> str:  # noqa: N802  (the name of the library)
        """Return the stack of the error and of its causes, without their messages."""
        return "\ncaused by\n".join(
            f"{''.join(traceback.format_tb(error.__traceback__))}{type(error).__qualname__}"
            for error in _chain(ei[1])
        )


def _chain(error: BaseException | None) -> list[BaseException]:
    """Return the error, its group members, its causes and so on, each once."""
    chain: list[BaseException] = []
    waiting = [error]
    while waiting:
        error = waiting.pop()
        if error is None or error in chain:
            continue
        chain.append(error)
        waiting.append(
            error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        )
        if isinstance(error, BaseExceptionGroup):
            waiting += cast("BaseExceptionGroup[BaseException]", error).exceptions
    return chain

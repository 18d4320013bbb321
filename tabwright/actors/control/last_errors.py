"""The last errors of a process, for who looks at it while it runs."""

import logging
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager

import attrs

KEPT_MAX = 20


@attrs.frozen
class PastError:
    """A warning or an error of the log.

    Attributes:
        at: when, in seconds since 1970 UTC.
        source: who says it, as ``gateway``.
        text: what the log says of it; the words of an error, which may be private, stay out.
    """

    at: float
    source: str
    text: str


class LastErrors(logging.Handler):
    """Keeps the last of them, in the order in which they came."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._kept: deque[PastError] = deque(maxlen=KEPT_MAX)

    @property
    def kept(self) -> tuple[PastError, ...]:
        """Those that there are."""
        return tuple(self._kept)

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps one."""
        source = record.name.removeprefix("tabwright.")
        self._kept.append(PastError(record.created, source, record.getMessage()))


@contextmanager
def noted_errors() -> Generator[LastErrors]:
    """Notes the errors of this package while the block runs."""
    log, errors = logging.getLogger("tabwright"), LastErrors()
    log.addHandler(errors)
    try:
        yield errors
    finally:
        log.removeHandler(errors)

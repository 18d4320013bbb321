"""Bugs that end a request of an actor, which a caller that was cancelled would never see."""

import logging
from collections.abc import Generator
from contextlib import contextmanager


class _Failures(logging.Handler):
    """Keeps what the actors report as errors."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(record.getMessage())


@contextmanager
def no_request_fails() -> Generator[None]:
    """Fail if an unexpected exception ends a request during the block."""
    actors, failures = logging.getLogger("tabwright.actors"), _Failures()
    actors.addHandler(failures)
    try:
        yield
    finally:
        actors.removeHandler(failures)
    assert failures.found == []

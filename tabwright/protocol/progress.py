"""Progress: what a search, a page or a task reports on its way."""

from collections.abc import Callable
from typing import TypeAlias

import attrs


@attrs.frozen
class AnswerProgress:
    """The answer has grown.

    Attributes:
        text: all of it so far, as Markdown.
    """

    text: str

    def __str__(self) -> str:
        return self.text


@attrs.frozen
class HumanNeededProgress:
    """The engine needs a person; a window of the browser opens where the person can answer.

    The search waits, and goes on by itself.

    Attributes:
        text: what the person is asked to do, in the language of the search.
        url: the page that asks.
        within_s: how long the search waits.
        decline: to be called if there will be no person; the search then ends.
    """

    text: str
    url: str
    within_s: float
    decline: Callable[[], None]

    def __str__(self) -> str:
        return self.text


@attrs.frozen
class WaitProgress:
    """The search has to wait.

    Attributes:
        text: for what, and how long where that is known.
        who: what it is that waits; empty where there is only one.
    """

    text: str
    who: str = ""

    def __str__(self) -> str:
        return self.text


@attrs.frozen
class EngineDoneProgress:
    """One of several that are asked at the same time has given what it has to give.

    Attributes:
        who: an engine.
        text: what it gave, or why it gave nothing.
    """

    who: str
    text: str

    def __str__(self) -> str:
        return f"{self.who}: {self.text}"


ProgressEvent: TypeAlias = AnswerProgress | HumanNeededProgress | WaitProgress | EngineDoneProgress
"""What may happen on the way to an answer; as a `str` it is a text to show."""

OnProgress: TypeAlias = Callable[[ProgressEvent], None]
"""Is called with every step; must not block."""


def ignore_progress(_event: object) -> None:
    """For those who wait for the end alone."""


def report_wait(progress: OnProgress, wait: object, *, who: str = "") -> None:
    """Reports a wait, for a tab or for a site; `who` is one of several that wait."""
    progress(WaitProgress(str(wait), who))

"""Progress of a search, a page or a task."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

import attrs


@attrs.frozen
class AnswerProgress:
    """The answer has grown.

    Attributes:
        text: the whole answer so far, as Markdown.
    """

    text: str

    def __str__(self) -> str:
        return self.text


@attrs.frozen
class HumanNeededProgress:
    """An engine or a page needs a person, in a browser window or in the live view.

    The search or reading waits, and continues by itself.

    Attributes:
        text: instructions for the person, in the language of the search; English for pages.
        url: the page that shows the CAPTCHA.
        within_s: how long it waits.
        decline: called to end the wait if no person is available.
    """

    text: str
    url: str
    within_s: float
    decline: Callable[[], None]

    def __str__(self) -> str:
        return self.text


class WaitReason(Protocol):
    """The reason of a wait, whose `str` is English: a `SiteWait` or a `TabWait`."""

    def __str__(self) -> str: ...


@attrs.frozen
class WaitProgress:
    """The search has to wait.

    Attributes:
        text: the reason, and the duration if known; in the language of the results, for a search.
        who: the engine that waits; empty if there is only one.
        wait: the reason as a value, if it has one.
    """

    text: str
    who: str = ""
    wait: WaitReason | None = None

    def __str__(self) -> str:
        return self.text


@attrs.frozen
class EngineDoneProgress:
    """One of several engines that run at the same time has finished.

    Attributes:
        who: the engine.
        text: its result, or why it has none.
    """

    who: str
    text: str

    def __str__(self) -> str:
        return f"{self.who}: {self.text}"


ProgressEvent: TypeAlias = AnswerProgress | HumanNeededProgress | WaitProgress | EngineDoneProgress
"""An event before the final answer; its `str` is a text to show."""

OnProgress: TypeAlias = Callable[[ProgressEvent], None]
"""Called with each step; must not block."""


def ignore_progress(_event: object) -> None:
    """Ignore an event, for callers that need only the final answer."""


def report_wait(progress: OnProgress, wait: WaitReason, *, who: str = "") -> None:
    """Report a wait for a tab or a site; `who` names one of several engines."""
    progress(WaitProgress(str(wait), who, wait))

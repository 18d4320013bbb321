"""The actions on a page that is being recorded, each with descriptions of its elements."""

from collections import deque
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress

import attrs
import trio

from tabwright.cdp.errors import CDPError
from tabwright.page.frames import FrameDocument, FrameManager
from tabwright.page.targets import ActionTarget
from tabwright.plugins.trace.records import ElementDescription, PerformedAction, RecordedTarget
from tabwright.protocol.actions import STEPS_MAX, NetworkEntry, SimpleAction
from tabwright.protocol.errors import PageFailed
from tabwright.text.similarity import words_of

FINISHED_MAX = 2 * STEPS_MAX
"""Maximum number of actions that are kept; a request has at most half of them."""


@attrs.frozen
class _Described:
    """The library's description of an element, and of those with the same role and name."""

    element: ElementDescription | None
    place: int
    equals: tuple[ElementDescription, ...]
    count: int


class PerformedActions:
    """The actions of one page since they were last taken; an `ActionObserver`.

    Args:
        documents: of the page.
        password_fields: receives the refs of fields for passwords, so that pictures hide them.

    Attributes:
        is_on: whether actions are recorded; their elements are described then.
        console, requests: the last console entry, and the requests, that were recorded.
    """

    def __init__(self, documents: FrameManager, password_fields: set[str]) -> None:
        self.is_on = True
        self.console = 0
        self.requests: dict[int, NetworkEntry] = {}
        self._documents = documents
        self._password_fields = password_fields
        self._current: PerformedAction | None = None
        self._finished = deque[PerformedAction](maxlen=FINISHED_MAX)

    def take(self) -> tuple[PerformedAction, ...]:
        """Return the actions, and forget them."""
        taken = tuple(self._finished)
        self._finished.clear()
        return taken

    @contextmanager
    def performing(self, action: object) -> Generator[None]:
        """Record an action that the block performs; other requests are not recorded."""
        if not self.is_on or not isinstance(action, SimpleAction):
            yield
            return
        self._current = PerformedAction(action)
        done = False
        try:
            yield
            done = True
        finally:
            self._finished.append(attrs.evolve(self._current, done=done))
            self._current = None

    async def note(self, target: str, found: ActionTarget) -> None:
        """Describe an element that the current action has named."""
        current = self._current
        if current is None or target in {known.target for known in current.targets}:
            return
        with suppress(CDPError, PageFailed, trio.TooSlowError):  # the action reports what is wrong
            described = await self._documents.call_on(
                found.element, "describedElement", answer=_Described
            )
            if described.element is not None and self._current is current:
                if described.element.confidential:
                    self._password_fields.add(found.element.ref)
                recorded = recorded_target(target, found, described.element, described.equals)
                self._current = attrs.evolve(
                    current,
                    targets=(
                        *current.targets,
                        attrs.evolve(recorded, count=described.count, place=described.place),
                    ),
                )


def recorded_target(
    target: str,
    found: ActionTarget,
    element: ElementDescription,
    equals: Iterable[ElementDescription],
) -> RecordedTarget:
    """Return the record of an element, with the words that tell it from its equals."""
    near = {word for one in equals for word in near_words(one)}
    words = dict.fromkeys(near_words(element)) if near else {}
    distinct = tuple(word for word in words if word not in near)
    described = attrs.evolve(element, frame=is_in_frame(found.element.document))
    return RecordedTarget(target, described, distinct=distinct, at=found.at)


def near_words(element: ElementDescription) -> tuple[str, ...]:
    """Return the words near an element: those around it, and those of its heading and landmark."""
    around = element.around[-1] if element.around else ""
    return words_of(f"{around} {element.heading} {element.landmark}")


def is_in_frame(document: FrameDocument) -> bool:
    """Return whether a document is in a frame."""
    return document.parent is not None

"""Points of screenshots as targets of actions, refused if the page has changed there since."""

from collections.abc import Iterator
from hashlib import sha256

import attrs

from tabwright.cdp.errors import CommandFailed
from tabwright.page.frames import ElementHandle, FrameManager
from tabwright.page.outline_text import escape_refs
from tabwright.protocol.errors import BadInput
from tabwright.protocol.locators import PicturePoint
from tabwright.protocol.untrusted_text import Quoted

PICTURES_MAX = 8
"""The number of screenshots of a tab whose points can be used; the scripts keep as many."""

REASONS = {
    "navigated": "the page has navigated since",
    "scrolled": "the page has scrolled since",
    "resized": "the page has another size now",
    "moved": "the layout has changed there since",
    "out of view": "the point cannot be scrolled into view",
}
"""Why a point can no longer be used."""


@attrs.frozen
class PictureArea:
    """The part of the page that a screenshot shows.

    Attributes:
        x, y: its top left corner, in CSS pixels from that of the viewport.
        scale: pixels of the screenshot in a CSS pixel.
        is_whole: whether it shows the whole page, so that its points have to be scrolled to.
        document: the number of the page's document.
    """

    x: float
    y: float
    scale: float
    is_whole: bool
    document: int


@attrs.frozen
class PointAnswer:
    """The element at a point in one document, or the problem.

    Attributes:
        at: the point, from the top left corner of the element.
        frame: whether the element is a frame, which has elements of its own.
    """

    problem: str = ""
    detail: str = ""
    ref: int = 0
    x: float = 0.0
    y: float = 0.0
    at: tuple[float, float] = (0.0, 0.0)
    frame: bool = False


@attrs.frozen
class _Corner:
    """The top left corner of a frame's inside on the page around it, and its scale."""

    x: float
    y: float
    scale: float = 1.0


class PicturePoints:
    """The screenshots of one page, and the elements at their points.

    Args:
        documents: of the page.
        numbers: for the ids of the screenshots, unique among all tabs.
    """

    def __init__(self, documents: FrameManager, numbers: Iterator[int]) -> None:
        self._documents = documents
        self._numbers = numbers
        self._areas: dict[str, PictureArea] = {}
        self._last: tuple[object, bytes] | None = None

    async def remember(self) -> tuple[str, int]:
        """Remember where everything on the page is.

        Returns the id of the next screenshot, and the number of the page's document.

        Raises:
            CDPError, PageFailed: the page does not answer.
        """
        picture = f"shot{next(self._numbers)}"
        main = await self._documents.main()
        for document in (main, *await self._documents.frames()):
            await self._documents.call(document, "rememberPicture", picture, answer=bool)
        return picture, main.number

    def add(self, picture: str, area: PictureArea) -> None:
        """Accept the points of a screenshot from now on."""
        self._areas[picture] = area
        if len(self._areas) > PICTURES_MAX:
            del self._areas[next(iter(self._areas))]

    def is_new(self, request: object, data: bytes) -> bool:
        """Return whether a screenshot differs from the last one, or was requested differently."""
        last, self._last = self._last, (request, sha256(data).digest())
        return last != self._last

    async def find(self, point: PicturePoint) -> tuple[ElementHandle, tuple[float, float]]:
        """Return the element at a point, and the point from its top left corner.

        Raises:
            BadInput: there is no such screenshot, or the page has changed at the point since.
            CDPError, PageFailed: the page does not answer.
        """
        area = self._areas.get(point.picture)
        if area is None:
            raise BadInput(
                f"This tab has no screenshot {point.picture}.", advice="Take a new screenshot."
            )
        x, y = area.x + point.x / area.scale, area.y + point.y / area.scale
        document = await self._documents.main()
        if document.number != area.document:
            raise _unusable(point, PointAnswer("navigated"))
        while True:
            try:
                found = await self._documents.call(
                    document,
                    "pointOfPicture",
                    point.picture,
                    x,
                    y,
                    area.is_whole,
                    answer=PointAnswer,
                )
            except CommandFailed as error:
                raise _unusable(point, PointAnswer("navigated")) from error
            if found.problem:
                raise _unusable(point, found)
            inner = await self._documents.inside(document, found.ref) if found.frame else None
            if inner is None:
                return ElementHandle(document, found.ref), found.at
            corner = await self._documents.call(document, "frameBox", found.ref, answer=_Corner)
            x, y = (found.x - corner.x) / corner.scale, (found.y - corner.y) / corner.scale
            document, area = inner, attrs.evolve(area, is_whole=False)


def _unusable(point: PicturePoint, found: PointAnswer) -> BadInput:
    """Return the error for a point that shows something else now."""
    what = f" ({escape_refs(found.detail)})" if found.detail else ""
    return BadInput(
        (f"{point} cannot be used: {REASONS[found.problem]}", Quoted(what), "."),
        advice="Take a new screenshot.",
    )

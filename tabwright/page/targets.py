"""Elements that a request names: by ref, by a locator with one match, or by a point."""

from collections.abc import Awaitable, Callable, Iterable, Sequence

import attrs

from tabwright.cdp.wire import JSON
from tabwright.page.frames import ElementHandle, FrameDocument, FrameManager
from tabwright.page.outline_text import escape_refs
from tabwright.page.picture_points import PicturePoints
from tabwright.protocol.errors import BadInput
from tabwright.protocol.inspection import FoundElement, FoundElements
from tabwright.protocol.locators import (
    EXAMPLES,
    LocatorText,
    ParsedLocator,
    is_ref,
    parse_locator,
    parse_point,
)
from tabwright.protocol.untrusted_text import Quoted
from tabwright.text.lines import NAMED_MAX


@attrs.frozen
class _Match:
    """An element that a locator matches: its number in its document, and its description."""

    ref: int
    what: str


@attrs.frozen
class _Matches:
    """The elements of one document that a locator matches: how many, and the first."""

    count: int
    matches: tuple[_Match, ...]


@attrs.frozen
class ActionTarget:
    """An element to act on.

    Attributes:
        at: the point that was named, from the element's top left corner; None for any.
    """

    element: ElementHandle
    at: tuple[float, float] | None = None


class TargetFinder:
    """Finds the elements of one page.

    Args:
        documents: of the page.
        points: of its screenshots.
        on_found: is called with each target and its element.
    """

    def __init__(
        self,
        documents: FrameManager,
        points: PicturePoints,
        on_found: Callable[[str, ActionTarget], Awaitable[None]],
    ) -> None:
        self.documents = documents
        self.points = points
        self._on_found = on_found

    async def find(self, target: str) -> ElementHandle:
        """Return the element of `find_target`."""
        return (await self.find_target(target)).element

    async def find_target(self, target: str) -> ActionTarget:
        """Return the element of a ref, at a point, or the only one that a locator matches.

        The page itself is searched first, and its frames only if it has no match.

        Raises:
            BadInput: the ref was never assigned, the locator is not valid, no element or several
                elements match (the message lists several with their refs), or the page has changed
                at the point since the screenshot.
            StaleElement: the element is gone together with its document.
        """
        if point := parse_point(target):
            found = ActionTarget(*await self.points.find(point))
        else:
            found = ActionTarget(await self._find(target))
        await self._on_found(target, found)
        return found

    async def _find(self, target: str) -> ElementHandle:
        if is_ref(target):
            return await self.documents.find(target)
        locator = parse_locator(target)
        found = await self.find_all(locator)
        if found.count != 1:
            raise await self._not_one(locator, found)
        return await self.documents.find(found.elements[0].ref)

    async def find_all(self, locator: ParsedLocator) -> FoundElements:
        """Return the elements that a locator matches, in the page or else in its frames.

        Raises:
            BadInput: the locator has an invalid CSS selector.
        """
        found = await self._matches((await self.documents.main(),), locator)
        return found if found.count else await self._matches(await self.documents.frames(), locator)

    async def search(self, target: str) -> tuple[Sequence[FrameDocument], JSON]:
        """Return the documents that any matches of a ref or a locator are in, and its steps there.

        Raises:
            BadInput: the ref was never assigned, or the locator is not valid.
            StaleElement: the element is gone together with its document.
        """
        if is_ref(target):
            element = await self.documents.find(target)
            return (element.document,), ({"kind": "ref", "ref": element.number},)
        steps = steps_of(parse_locator(target))
        return (await self.documents.main(), *await self.documents.frames()), steps

    async def _matches(
        self, documents: Iterable[FrameDocument], locator: ParsedLocator
    ) -> FoundElements:
        count, elements = 0, list[FoundElement]()
        steps = steps_of(locator)
        for document in documents:
            matches = await self.documents.call(document, "located", steps, answer=_Matches)
            count += matches.count
            elements += [
                FoundElement(ElementHandle(document, one.ref).ref, self.documents.masked(one.what))
                for one in matches.matches
            ]
        return FoundElements(count, tuple(elements))

    async def _not_one(self, locator: ParsedLocator, found: FoundElements) -> BadInput:
        """Return the error for a locator that matches no element, or several."""
        if found.count:
            return BadInput(
                (f"{found.count} elements match {locator.text!r}: ", Quoted(_listed(found))),
                advice="Use the ref of one of them, or a locator that matches only one.",
            )
        last = locator.steps[-1]
        same_role = FoundElements(0)
        if last.kind == "role" and last.name is not None:
            nameless = attrs.evolve(last, name=None, states=())
            same_role = await self.find_all(
                ParsedLocator(locator.text, (*locator.steps[:-1], nameless))
            )
        others = f" It has {_listed(same_role)}." if same_role.count else ""
        return BadInput(
            (f"Nothing on the page matches {locator.text!r}.", Quoted(others)),
            advice=f"Use a ref from the outline, or a locator such as {EXAMPLES}.",
        )


def steps_of(locator: ParsedLocator) -> JSON:
    """Return the steps of a locator as the library of the page takes them."""
    return tuple(
        {
            "kind": step.kind,
            "value": _text(step.value),
            "name": _text(step.name) if step.name else None,
            "states": step.states,
        }
        for step in locator.steps
    )


def _text(text: LocatorText) -> JSON:
    return {"text": text.text, "exact": text.exact}


def _listed(found: FoundElements) -> str:
    """Return the first elements with their refs."""
    listed = [f"[{one.ref}] {escape_refs(one.what)}" for one in found.elements[:NAMED_MAX]]
    return ", ".join(listed) + (", …" if found.count > NAMED_MAX else "")

"""An outline: the text and the controls of a page, line by line."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TypeAlias

import attrs

from tabwright.config.secrets import Secrets


@attrs.frozen
class Options:
    """The options of a select element: their number, and the labels of the first."""

    count: int
    shown: tuple[str, ...]


@attrs.frozen
class OutlineControl:
    """An element that can be clicked, typed into or selected from.

    Attributes:
        ref: the number of its element in its document; the text form prefixes that of the document.
        guess: what a control without a name may be for, from its icon or its surroundings.
        url: the target of a link; without the host on the page's own site.
        covered: the element that covers it; empty for none.
        shows: its visible text that neither its name nor its value has, such as a placeholder.
    """

    ref: int
    role: str
    name: str = ""
    value: str = ""
    states: tuple[str, ...] = ()
    url: str = ""
    options: Options | None = None
    covered: str = ""
    guess: str = ""
    shows: str = ""


HIDDEN = "hidden"
"""The kind of a line of text that is not visible, which is listed only for a query."""

Part: TypeAlias = str | OutlineControl | None
"""The parts of a line: text, controls, and None between the cells of a row."""


@attrs.frozen
class OutlineLine:
    """A line of an outline.

    Attributes:
        kind: ``h1`` to ``h6``, ``row``, ``frame``, the role of a group, or empty for text and
            controls; or `HIDDEN`.
        document: the number of the document that it is in.
        seen: whether it is in the visible part of the page.
        frame: the index of a frame in its document.
        url: the source of a frame.
        rows: the number of rows of a table.
        modal: whether a dialog blocks everything else.
    """

    depth: int
    kind: str
    parts: tuple[Part, ...]
    seen: bool = True
    document: int = 0
    frame: int | None = None
    url: str = ""
    rows: int | None = None
    modal: bool = False

    @property
    def controls(self) -> Iterator[OutlineControl]:
        """Return the controls in the line."""
        return (part for part in self.parts if isinstance(part, OutlineControl))


@attrs.frozen
class DocumentRecord:
    """The script's record of one document.

    Attributes:
        top, height: the scroll position and the total height, in CSS pixels.
        viewport: width and height of the visible part.
        hidden: the number of invisible controls.
        folded: the number of characters of visible text that is marked as hidden (``aria-hidden``)
            and not listed.
        found: whether the start element of the outline exists.
        cut: whether there are more lines than are listed.
        owners: the numbers of its frames' elements.
        hosts: the number of elements that may have an unknown closed shadow root.
        shadows: the number of shadow roots whose listeners are unknown.
    """

    url: str
    title: str
    top: int
    height: int
    viewport: tuple[int, int]
    lines: tuple[OutlineLine, ...]
    hidden: int = 0
    folded: int = 0
    found: bool = True
    cut: bool = False
    owners: tuple[int, ...] = ()
    hosts: int = 0
    shadows: int = 0


@attrs.frozen
class Outline:
    """A page with all its frames.

    Attributes:
        generation: the number of its main document.
        unread_hosts: whether elements that may have closed shadow roots were not looked into.
    """

    generation: int
    url: str
    title: str
    top: int
    height: int
    viewport: tuple[int, int]
    lines: tuple[OutlineLine, ...]
    hidden: int = 0
    folded: int = 0
    cut: bool = False
    unread_hosts: bool = False

    @property
    def below(self) -> int:
        """Return the height of the page below the visible part, in CSS pixels."""
        return max(0, self.height - self.top - self.viewport[1])

    @cached_property
    def refs(self) -> frozenset[str]:
        """Return all controls of the outline."""
        return frozenset(
            ref_of(line.document, control) for line in self.lines for control in line.controls
        )


def ref_of(document: int, control: OutlineControl) -> str:
    """Return the ref of a control: it names its document too, so it never means another element."""
    return f"{document}.{control.ref}"


def outline_of(
    records: Mapping[int, DocumentRecord], inside: Mapping[tuple[int, int], int]
) -> Outline:
    """Return the outline of a page.

    Args:
        records: the record of each document by its number, the main one first.
        inside: the documents of frames, by their parent document and their index there.
    """
    main, record = next(iter(records.items()))
    return Outline(
        generation=main,
        url=record.url,
        title=record.title,
        top=record.top,
        height=record.height,
        viewport=record.viewport,
        lines=tuple(_lines(main, records, inside, 0)),
        hidden=sum(one.hidden for one in records.values()),
        folded=sum(one.folded for one in records.values()),
        cut=any(one.cut for one in records.values()),
    )


def _lines(
    document: int,
    records: Mapping[int, DocumentRecord],
    inside: Mapping[tuple[int, int], int],
    depth: int,
    *,
    seen: bool = True,
) -> Iterator[OutlineLine]:
    for line in records[document].lines:
        here = OutlineLine(  # not by `evolve`: a page has thousands of lines
            line.depth + depth,
            line.kind,
            line.parts,
            line.seen and seen,
            document,
            line.frame,
            line.url,
            line.rows,
            line.modal,
        )
        yield here
        inner = None if line.frame is None else inside.get((document, line.frame))
        if inner is not None:
            yield from _lines(inner, records, inside, here.depth + 1, seen=here.seen)


# Hiding secrets in an outline, before lines are wrapped or cut.


def mask_secrets(outline: Outline, secrets: Secrets) -> Outline:
    """Return the outline with the names of secrets in place of their values."""
    if not secrets:
        return outline
    return attrs.evolve(
        outline,
        url=secrets.masked(outline.url),
        title=secrets.masked(outline.title),
        lines=tuple(
            attrs.evolve(
                line,
                parts=tuple(_part(part, secrets) for part in line.parts),
                url=secrets.masked(line.url),
            )
            for line in outline.lines
        ),
    )


def _part(part: Part, secrets: Secrets) -> Part:
    match part:
        case None:
            return None
        case str():
            return secrets.masked(part)
        case OutlineControl():
            return attrs.evolve(
                part,
                name=secrets.masked(part.name),
                value=secrets.masked(part.value),
                url=secrets.masked(part.url),
                options=part.options
                and attrs.evolve(
                    part.options, shown=tuple(secrets.masked(label) for label in part.options.shown)
                ),
                covered=secrets.masked(part.covered),
                guess=secrets.masked(part.guess),
                shows=secrets.masked(part.shows),
            )

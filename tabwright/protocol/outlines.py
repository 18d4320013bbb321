"""A page as an outline, with a ref for each control."""

import re

import attrs

from tabwright.protocol.acting import ActingTab
from tabwright.protocol.errors import Note
from tabwright.protocol.outcomes import ConsoleCounts, Dialog, Meanwhile

REF = re.compile(r"\d{1,9}\.\d{1,9}", re.ASCII)
"""What a ref looks like: the number of a document, and that of an element in it."""


@attrs.frozen
class OutlineView:
    """How an outline is wanted.

    Attributes:
        max_tokens: what the text may have; 0 for no limit.
        offset: the line to begin with.
        query: only lines that hold all of these words, and what they stand under; texts, values
            and addresses to their end.
        viewport: only what a person would see without scrolling.
        whole: texts and addresses to their end, as with a query.
        depth: levels of groups that are shown; None for all.
    """

    max_tokens: int = 4000
    offset: int = 0
    query: str = ""
    viewport: bool = False
    whole: bool = False
    depth: int | None = None


@attrs.frozen
class ListedControl:
    """A control of an outline, for who wants no text.

    Attributes:
        depth: how many groups it stands in.
        new: whether it was not there in the outline before.
    """

    ref: str
    role: str
    name: str
    value: str = ""
    states: tuple[str, ...] = ()
    url: str = ""
    depth: int = 0
    new: bool = False


@attrs.frozen
class OutlineText:
    """An outline that was written.

    Attributes:
        url, title: of the page.
        next_offset: where to go on; None where nothing is left.
        lines: how many lines there are to choose from.
        controls: of all those lines.
        above, below: how much of the page is out of view, in CSS pixels.
        meanwhile: what the page did since somebody was told; empty unless it was asked for.
        notes: what is to be known of the text, such as how it goes on; no page has a word in it.
    """

    text: str
    url: str = ""
    title: str = ""
    next_offset: int | None = None
    lines: int = 0
    controls: tuple[ListedControl, ...] = ()
    above: int = 0
    below: int = 0
    meanwhile: Meanwhile = attrs.field(factory=Meanwhile)
    notes: tuple[Note, ...] = ()


@attrs.frozen
class TakeOutline:
    """The page as an outline, with a ref for each control.

    A ref is ``document.element``: it stays with its element for as long as that lives, and is
    never given to another. Refused with `BadInput` where there is no such element to begin at.

    Attributes:
        ref, selector: the element to begin at; empty for the whole page. Of a selector the same
            holds as of `Locate`.
        hidden: whether to list controls too that nobody sees.
        diff: only what has changed since the last one, if there was one.
        news: whether to tell too what the page did meanwhile, and nobody was told yet.
    """

    view: OutlineView = attrs.field(factory=OutlineView)
    ref: str = ""
    selector: str = ""
    hidden: bool = False
    diff: bool = False
    news: bool = False

    async def visit(self, tab: ActingTab, /) -> OutlineText:
        """Has `tab` answer."""
        return await tab.acting.outline(self)


@attrs.frozen
class Locate:
    """The ref of the one element that a CSS selector matches, whatever it is.

    Shadow roots are looked into, and frames where the page itself has no match. Refused with
    `BadInput` where nothing matches, or several elements do: the refusal names them with refs.
    """

    selector: str

    async def visit(self, tab: ActingTab, /) -> str:
        """Has `tab` answer."""
        return await tab.acting.locate(self)


@attrs.frozen
class Place:
    """Where a page is, and the dialog that stops it.

    Attributes:
        console: None where there was neither an error nor a warning.
    """

    url: str
    title: str
    dialog: Dialog | None = None
    console: ConsoleCounts | None = None


@attrs.frozen
class Look:
    """Where the page is; also makes it ready to be acted on.

    Attributes:
        settles: whether the page is waited for until it is at rest.
    """

    settles: bool = False

    async def visit(self, tab: ActingTab, /) -> Place:
        """Has `tab` answer."""
        return await tab.acting.look(self)

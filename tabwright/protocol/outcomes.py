"""What comes of an action."""

from typing import Literal, TypeAlias

import attrs

from tabwright.protocol.errors import Note
from tabwright.protocol.pages import LoadedPage

DialogKind: TypeAlias = Literal["alert", "confirm", "prompt", "beforeunload"]


ConsoleLevel: TypeAlias = Literal["debug", "info", "warning", "error"]


ValueCheck: TypeAlias = Literal["", "matches", "differs", "unknown"]
"""Whether a field holds what was written into it; empty where nothing was."""


@attrs.frozen
class Dialog:
    """A dialog that the page has opened, and that stops it until it is answered.

    Attributes:
        preset: what a prompt suggests.
    """

    kind: DialogKind
    message: str
    preset: str = ""


@attrs.frozen
class Download:
    """A file that a page has given.

    Attributes:
        path: where it is; empty while it is on its way, and where it did not come.
        state: ``under way``, ``complete``, ``failed`` or ``too large``.
    """

    url: str
    name: str
    path: str = ""
    size_bytes: int = 0
    state: Literal["under way", "complete", "failed", "too large"] = "under way"


@attrs.frozen
class ConsoleEntry:
    """Something that a page said, or the browser of it.

    Attributes:
        number: counts from 1 in each tab.
        level: ``debug``, ``info``, ``warning`` or ``error``.
        place: the script and its line; empty where nobody knows.
        stack: the calls that led there, the innermost first, each as ``name url:line:column``. Of
            errors, warnings and traces only.
    """

    number: int
    level: ConsoleLevel
    text: str
    place: str = ""
    stack: tuple[str, ...] = ()


@attrs.frozen
class ConsoleCounts:
    """Numbers of errors and warnings in the console since the tab came to its page."""

    errors: int = 0
    warnings: int = 0


@attrs.frozen
class TabInfo:
    """A tab of a session.

    Attributes:
        current: whether it is meant where none is named.
    """

    number: int
    url: str
    title: str
    current: bool = False


@attrs.frozen
class Meanwhile:
    """What a page did of itself between two outcomes; much of it an action before has begun.

    Attributes:
        dialogs, opened, tabs, downloads, errors: see `Outcome`.
    """

    dialogs: tuple[Dialog, ...] = ()
    opened: tuple[str, ...] = ()
    tabs: tuple[TabInfo, ...] = ()
    downloads: tuple[Download, ...] = ()
    errors: tuple[ConsoleEntry, ...] = ()


@attrs.frozen
class Outcome:
    """What an action did, and what has changed by it.

    Attributes:
        said: what was done, in a sentence.
        url, title: of the page now.
        navigated: the page that it has come to, if it has.
        dialogs: those that were answered at once: what the page said, and what it or a page that
            it opened asked before anybody could see it, which was dismissed.
        dialog: the one that waits for an answer; None for none.
        opened: pages that it opened, by their targets.
        tabs: those pages, as tabs of their session.
        downloads: files that it gave, or that came to their end.
        errors: what went wrong in the page's scripts.
        console: the counts of errors and warnings while the page loaded, if an agent sent the tab
            there and there were any.
        changes: lines of the outline that came or went; empty where none did.
        notes: what is to be known or done besides, a sentence each; no page has a word in it.
        is_plain: whether no page has a word in `said` either.
        busy: whether the page was still at work when it was last looked at.
        value_check: whether the fields that were written into hold what they were given: their
            whole values, as soon as the text was there, and before any key after it.
        meanwhile: what came before the action, and was not told yet.
    """

    said: str
    url: str = ""
    title: str = ""
    navigated: LoadedPage | None = None
    dialogs: tuple[Dialog, ...] = ()
    dialog: Dialog | None = None
    opened: tuple[str, ...] = ()
    tabs: tuple[TabInfo, ...] = ()
    downloads: tuple[Download, ...] = ()
    errors: tuple[ConsoleEntry, ...] = ()
    console: ConsoleCounts | None = None
    changes: str = ""
    busy: bool = False
    value_check: ValueCheck = ""
    meanwhile: Meanwhile = attrs.field(factory=Meanwhile)
    notes: tuple[Note, ...] = ()
    is_plain: bool = False

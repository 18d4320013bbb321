"""Hints as sentences: in the words of who is told, and in those of our own tools."""

from collections.abc import Iterable, Mapping
from typing import TypedDict

import attrs

from tabwright.protocol.errors import Hint, HintKind, Note, TabwrightError


@attrs.frozen
class ToolNames:
    """How one audience is told of tools.

    Attributes:
        sentences: by kind of hint, with the names of its values in braces.
    """

    sentences: Mapping[HintKind, str]

    def hint(self, hint: Hint) -> str:
        """A hint as a sentence; its values are put in as they are."""
        return self.sentences[hint.kind].format_map(hint.values)

    def lines(self, notes: Iterable[Note]) -> tuple[str, ...]:
        """Each note as a line."""
        return tuple(self.hint(note) if isinstance(note, Hint) else note for note in notes)

    def advice(self, error: TabwrightError) -> str:
        """The advice of an error, from its hints where it has any."""
        return " ".join(self.lines(error.hints)) if error.hints else error.advice

    def error(self, error: TabwrightError) -> str:
        """An error with its advice."""
        return error.text_with(self.advice(error))


# Our own tools, whose words every error has as its advice.

OWN = ToolNames(
    {
        HintKind.ANSWER_DIALOG: "Answer it with dialog.",
        HintKind.BRING_UP: "Bring it up first, or take a new snapshot.",
        HintKind.WAIT_UNTIL_ENABLED: "Do first what the page asks for, or wait_for it.",
        HintKind.TAKE_SNAPSHOT: "Take a new snapshot.",
        HintKind.ACT_ON_WHAT_SHOWS_IT: "Act on what shows it: take a new snapshot.",
        HintKind.SELECT_OPTION: "Use select.",
        HintKind.UPLOAD_FILES: "Use upload.",
        HintKind.CLICK_OPTION: "Click it, and then the option in the snapshot.",
        HintKind.SEE_ALL_CHANGES: "Take a new snapshot for more.",
        HintKind.TAKE_REF: "Take one of an outline, as 1.5.",
        HintKind.FIND_ELEMENT: "Take a snapshot with format outline, or switch to its tab.",
        HintKind.FIND_TEXT: "Scroll to the bottom, where pages load more,"
        " or take a snapshot by query.",
        HintKind.WAIT_LONGER: "Take a snapshot, or wait longer.",
        HintKind.LOAD_AGAIN: "Take a snapshot: its page is loaded again,"
        " with the cookies and the storage.",
        HintKind.LEAVE_PAGE: "Go on, or navigate elsewhere where it hangs again.",
        HintKind.OPEN_PAGE: "Begin one with navigate.",
        HintKind.LIST_REQUESTS: "List them with network.",
        HintKind.GIVE_FILES: "It asks for files: give them with upload.",
        HintKind.MORE_CHANGES: "({count} more changes: snapshot shows them)",
        HintKind.MORE_LINES: "({count} more lines: offset={offset}, or narrow it by query or ref)",
        HintKind.HIDDEN_CONTROLS: "({count} controls are hidden: hidden=true lists them)",
        HintKind.SHORTENED_ADDRESSES: "(An address with … is whole where a query finds it.)",
        HintKind.MORE_TABS: "({count} more tabs: tabs lists them)",
        HintKind.MORE_DOWNLOADS: "({count} more files: download lists them)",
        HintKind.CONSOLE_COUNTS: "Console: {counts} (console lists them).",
        HintKind.MORE_CONSOLE_ENTRIES: "({count} more entries: after={after})",
        HintKind.MORE_REQUESTS: "({count} more requests: offset={offset}, or filter them)",
    }
)


class Advised(TypedDict):
    """What an error is made with."""

    advice: str
    hints: tuple[Hint, ...]


def advised(told: HintKind | str) -> Advised:
    """A hint, or a sentence that names no tool, as the advice of an error."""
    if isinstance(told, str):
        return Advised(advice=told, hints=())
    hint = Hint(told)
    return Advised(advice=OWN.hint(hint), hints=(hint,))

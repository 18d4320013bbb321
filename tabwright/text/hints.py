"""Hints as sentences, in the words of each audience, and with the names of its tools."""

from collections.abc import Iterable, Mapping
from typing import TypedDict

import attrs

from tabwright.protocol.errors import Hint, HintKind, Note, TabwrightError


@attrs.frozen
class ToolNames:
    """The wording of hints for one audience.

    Attributes:
        sentences: by kind of hint, with placeholders for its values in braces.
    """

    sentences: Mapping[HintKind, str]

    def hint(self, hint: Hint) -> str:
        """Return a hint as a sentence; its values are inserted unchanged."""
        return self.sentences[hint.kind].format_map(hint.values)

    def lines(self, notes: Iterable[Note]) -> tuple[str, ...]:
        """Return each note as a line."""
        return tuple(self.hint(note) if isinstance(note, Hint) else note for note in notes)

    def advice(self, error: TabwrightError) -> str:
        """Return the advice of an error, built from its hints if it has any."""
        return " ".join(self.lines(error.hints)) if error.hints else error.advice

    def error(self, error: TabwrightError) -> str:
        """Return an error with its advice."""
        return error.text_with(self.advice(error))


# The names of our tools, which are the default advice of every error.

OWN = ToolNames(
    {
        HintKind.ANSWER_DIALOG: "Answer it with dialog.",
        HintKind.BRING_UP: "Scroll to it or open what contains it, or take a new snapshot.",
        HintKind.WAIT_UNTIL_ENABLED: "First do what the page requires, or use wait_for.",
        HintKind.TAKE_SNAPSHOT: "Take a new snapshot.",
        HintKind.ACT_ON_WHAT_SHOWS_IT: "Act on the element that displays it: take a new snapshot.",
        HintKind.SELECT_OPTION: "Use select.",
        HintKind.UPLOAD_FILES: "Use upload.",
        HintKind.CLICK_OPTION: "Click it, then click the option in the next snapshot.",
        HintKind.SEE_ALL_CHANGES: "Take a new snapshot to see all.",
        HintKind.TAKE_REF: "Use a ref from an outline, for example 1.5.",
        HintKind.FIND_ELEMENT: "Take a snapshot with format outline, or switch to its tab.",
        HintKind.FIND_TEXT: "Scroll to the bottom to load more, or take a snapshot with a query.",
        HintKind.WAIT_LONGER: "Take a snapshot, or wait longer.",
        HintKind.LOAD_AGAIN: (
            "Take a snapshot: the page is loaded again, with its cookies and storage."
        ),
        HintKind.LEAVE_PAGE: "Continue, or navigate elsewhere if it hangs again.",
        HintKind.OPEN_PAGE: "Open a page with navigate first.",
        HintKind.LIST_REQUESTS: "List them with network.",
        HintKind.GIVE_FILES: "It opened a file chooser: choose files with upload.",
        HintKind.MORE_CHANGES: "({count} more changes: snapshot shows them)",
        HintKind.MORE_LINES: (
            "({count} more lines: snapshot with format outline and offset={offset}, "
            "or narrow it by query or ref)"
        ),
        HintKind.HIDDEN_CONTROLS: "(Hidden controls: {count}; hidden=true lists them.)",
        HintKind.SHORTENED_ADDRESSES: "(URLs with … are shortened; a query shows them in full.)",
        HintKind.MORE_TABS: "({count} more tabs: tabs lists them)",
        HintKind.MORE_DOWNLOADS: "({count} more files: download lists them)",
        HintKind.CONSOLE_COUNTS: "Console: {counts} (console lists them).",
        HintKind.MORE_CONSOLE_ENTRIES: "({count} more entries: after={after})",
        HintKind.MORE_REQUESTS: "({count} more requests: offset={offset}, or filter them)",
        HintKind.ALLOW_PRIVATE: "The user can allow that: --set network.allow_private=true.",
    }
)


class Advised(TypedDict):
    """Keyword arguments of an error."""

    advice: str
    hints: tuple[Hint, ...]


def advised(advice: HintKind | str) -> Advised:
    """Return a hint, or a sentence that names no tool, as keyword arguments of an error."""
    if isinstance(advice, str):
        return Advised(advice=advice, hints=())
    hint = Hint(advice)
    return Advised(advice=OWN.hint(hint), hints=(hint,))

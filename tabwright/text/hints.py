"""Hints as sentences, in the words of who is told."""

from collections.abc import Iterable, Mapping

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

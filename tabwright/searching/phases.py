"""How far an answer is."""

from enum import StrEnum


class Phase(StrEnum):
    """How far the answer is.

    ``SETTLING``: the text is done, its sources may still come. ``PARTIAL``: it stopped, and
    nothing says that it is whole. ``EMPTY``: the page has finished without a word.
    ``NO_ANSWER``: a sentence of regret stands in the answer's place. ``IGNORED``: the page did not
    take the question.
    """

    WAITING = "waiting"
    STREAMING = "streaming"
    SETTLING = "settling"
    COMPLETE = "complete"
    PARTIAL = "partial"
    EMPTY = "empty"
    NO_ANSWER = "no_answer"
    UNAVAILABLE = "unavailable"
    BLOCKED = "blocked"
    IGNORED = "ignored"

    @property
    def is_final(self) -> bool:
        """Whether further looks are useless; a block may still be lifted by a person."""
        return self not in {Phase.WAITING, Phase.STREAMING, Phase.SETTLING}

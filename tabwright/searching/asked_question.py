"""A question that was put to a page: which turn of the thread is its own."""

import attrs

from tabwright.search.ai_mode.page_state import Look, Turn, shown_text

_BLANK = Look(url="about:blank")


@attrs.define
class AskedQuestion:
    """Tells the turn of a question from those before it.

    A thread grows as a rule; but it may be rebuilt while it is read, or let its older turns go.

    Args:
        text: the question.
        before: the last look before a follow-up was sent; None for a newly opened page.
        earlier: what was asked in the same thread.
    """

    text: str = ""
    before: Look | None = None
    earlier: tuple[str, ...] = ()
    _identity: str | None = attrs.field(default=None, init=False)

    def anew(self) -> "AskedQuestion":
        """The same question, none of whose turns was seen yet."""
        return AskedQuestion(self.text, self.before, self.earlier)

    def is_shown_by(self, look: Look, turn: Turn) -> bool:
        """Whether the last turn is that of the question; once it is, it stays so."""
        if turn.identity != self._identity and not self._is_new(look, turn):
            return False
        self._identity = turn.identity
        return True

    def counted_from(self, look: Look) -> Look:
        """From where what a document counts is counted: a new document begins anew."""
        if self.before is None or self.before.loaded_at != look.loaded_at:
            return _BLANK
        return self.before

    def _is_new(self, look: Look, turn: Turn) -> bool:
        if self.before is None or self.before.turn is None:
            return True
        if look.turns > self.before.turns:
            return True
        if turn.query != self.before.turn.query:
            return not self._is_earlier(turn.query)
        asked_again = not turn.query or turn.query.split() == self.text.split()
        return asked_again and shown_text(look) != shown_text(self.before)

    def _is_earlier(self, query: str) -> bool:
        """Whether an older turn has come to stand last, as in a thread that is being rebuilt."""
        if query.split() == self.text.split():
            return False
        return any(query.split() == text.split() for text in self.earlier)

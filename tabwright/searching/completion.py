"""When an answer is done: a state machine fed with looks and times.

The page has five strong signs of a finished answer. Three are its own word: the turn is marked
complete, the action bar is shown, the screen reader was told. Two are of the transport: the answer
stream has ended, the stop button is gone. Any two settle it if one is the page's own word; the two
of the transport alone also come when a stream breaks off, so they make a partial answer.
Where signs are missing, quiet time is the last resort, and it makes a partial answer too.
"""

from enum import StrEnum
from typing import Generic, TypeVar

import attrs

from tabwright.searching.furniture import says_no_answer
from tabwright.searching.interstitials import PageKind, page_kind
from tabwright.searching.look import Look, Turn, shown_text
from tabwright.searching.sources import chips_in, sources_seen

QUIET_S = 4.0
"""How long a text must stand still to count as finished where the page gives no sign."""

BROKEN_OFF_S = 1.5
"""How long to wait for the page's own word once the transport has ended."""

EMPTY_S = 3.0
"""How long a finished turn may be without a word before it counts as empty."""

NO_SOURCES_S = 1.5
"""How long to look for sources that nothing hints at."""

LATE_SOURCES_S = 6.0
"""How long to look for sources that something hints at; they were seen 5 s after the text."""

SOURCES_STABLE_S = 0.4
"""How long text and sources must stay the same once sources are there."""

NO_TURN_S = 5.0
"""How long a loaded page may stand without a turn before AI Mode counts as not offered."""

NOT_OFFERED_S = 1.5
"""The same, where the page says so."""

_SIGNS_ENOUGH = 2
_LOADING_WORD_CHARS_MAX = 60
_SENTENCE_CHARS_MAX = 300


class Phase(StrEnum):
    """How far the answer is.

    ``SETTLING``: the text is done, its sources may still come. ``PARTIAL``: it stopped, and the
    page did not say that it is whole. ``EMPTY``: the page has finished without a word.
    ``NO_ANSWER``: a sentence of regret stands in the answer's place.
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

    @property
    def is_final(self) -> bool:
        """Whether further looks are useless; a block may still be lifted by a person."""
        return self not in {Phase.WAITING, Phase.STREAMING, Phase.SETTLING}


class _Progress(StrEnum):
    NOT_OFFERED = "not offered"
    NO_TURN = "no turn"
    LOADING = "loading"
    RUNNING = "running"
    ENDED = "ended"
    DONE = "done"


_BLOCKING = frozenset({PageKind.CAPTCHA, PageKind.BLOCKED, PageKind.CONSENT})

_Value = TypeVar("_Value")


@attrs.define
class _Steady(Generic[_Value]):
    """A value, and since when it has not changed."""

    value: _Value
    since_s: float = 0.0
    changes: int = 0

    def see(self, value: _Value, now_s: float) -> None:
        if value != self.value:
            self.value, self.since_s, self.changes = value, now_s, self.changes + 1


@attrs.define
class Completion:
    """Watches one turn from its question to its end.

    Args:
        before: the last look before a follow-up was sent; None for a newly opened page.
    """

    before: Look | None = None
    _progress: _Steady[_Progress | None] = attrs.field(factory=lambda: _Steady(None), init=False)
    _text: _Steady[str] = attrs.field(factory=lambda: _Steady(""), init=False)
    _sources: _Steady[int] = attrs.field(factory=lambda: _Steady(0), init=False)
    _announcement: str = attrs.field(default="", init=False)
    _announced: bool = attrs.field(default=False, init=False)
    _stop_expected: bool = attrs.field(default=False, init=False)
    _looked: bool = attrs.field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self._announcement = "" if self.before is None else self.before.announcement

    def feed(self, look: Look, now_s: float) -> Phase:
        """What the look says together with those before it.

        Args:
            look: the page now.
            now_s: seconds on a clock that never goes back.
        """
        kind = page_kind(look)
        if kind in _BLOCKING:
            return Phase.BLOCKED
        if look.turn is None or not self._is_new(look, look.turn):
            return self._without_turn(look, kind, now_s)
        self._notice(look, look.turn, now_s)
        return self._judge(look, look.turn, now_s)

    def _is_new(self, look: Look, turn: Turn) -> bool:
        if self.before is None or self.before.turn is None:
            return True
        return look.turns > self.before.turns or turn.query != self.before.turn.query

    def _without_turn(self, look: Look, kind: PageKind, now_s: float) -> Phase:
        self._progress.see(_progress_without_turn(look, kind), now_s)
        for_s = now_s - self._progress.since_s
        match self._progress.value:
            case _Progress.NOT_OFFERED if for_s >= NOT_OFFERED_S:
                return Phase.UNAVAILABLE
            case _Progress.NO_TURN if for_s >= NO_TURN_S:
                return Phase.UNAVAILABLE
            case _:
                return Phase.WAITING

    def _notice(self, look: Look, turn: Turn, now_s: float) -> None:
        self._text.see(shown_text(look), now_s)
        self._sources.see(sources_seen(look), now_s)
        if look.announcement != self._announcement:
            self._announcement = look.announcement
            self._announced = bool(look.announcement)
        began_before = bool(turn.column) or self._stream_ended(look)
        faster_than_the_first_look = began_before and not self._looked
        self._stop_expected |= look.stop == "shown" or faster_than_the_first_look
        self._looked = True
        self._progress.see(self._progress_of(look, turn), now_s)

    def _progress_of(self, look: Look, turn: Turn) -> _Progress:
        own, transport = self._own_word(turn), self._transport(look)
        if own + transport < _SIGNS_ENOUGH:
            return _Progress.RUNNING
        return _Progress.DONE if own else _Progress.ENDED

    def _own_word(self, turn: Turn) -> int:
        return turn.complete + turn.actions + self._announced

    def _transport(self, look: Look) -> int:
        stopped = self._stop_expected and look.stop == "hidden"
        return self._stream_ended(look) + stopped

    def _stream_ended(self, look: Look) -> bool:
        return look.streams > (0 if self.before is None else self.before.streams)

    def _judge(self, look: Look, turn: Turn, now_s: float) -> Phase:
        for_s = now_s - self._progress.since_s
        if not self._text.value and not turn.error:
            return self._judge_empty(turn, for_s)
        if self._progress.value is _Progress.DONE:
            return self._judge_done(turn, for_s, now_s)
        if now_s - self._text.since_s < self._patience_s(look, turn):
            return Phase.STREAMING
        return Phase.NO_ANSWER if self._is_regret(turn) else Phase.PARTIAL

    def _judge_empty(self, turn: Turn, for_s: float) -> Phase:
        """Silence alone never settles an empty turn; signs of its end do."""
        if self._progress.value is _Progress.RUNNING:
            return Phase.WAITING
        patience_s = LATE_SOURCES_S if turn.loading else EMPTY_S
        return Phase.EMPTY if for_s >= patience_s else Phase.WAITING

    def _judge_done(self, turn: Turn, for_s: float, now_s: float) -> Phase:
        if self._sources.value:
            unchanged_s = now_s - max(self._sources.since_s, self._text.since_s)
            settled = unchanged_s >= SOURCES_STABLE_S
        else:
            hinted = turn.aside or any(chips_in(turn.column))
            settled = for_s >= (LATE_SOURCES_S if hinted else NO_SOURCES_S)
        if not settled:
            return Phase.SETTLING
        return Phase.NO_ANSWER if self._is_regret(turn) else Phase.COMPLETE

    def _patience_s(self, look: Look, turn: Turn) -> float:
        """How long the text must stand still before an answer without enough signs is over."""
        if turn.loading:
            return float("inf")
        if self._progress.value is _Progress.ENDED or says_no_answer(self._text.value):
            return BROKEN_OFF_S
        signs = self._own_word(turn) + self._transport(look)
        may_be_a_loading_word = not signs and len(self._text.value) <= _LOADING_WORD_CHARS_MAX
        still_running = (look.stop == "shown" or turn.incomplete) and not self._transport(look)
        unfinished = may_be_a_loading_word or still_running or _has_open_fence(self._text.value)
        return float("inf") if unfinished else QUIET_S

    def _is_regret(self, turn: Turn) -> bool:
        """Whether one short line stands there that came at once, and nothing else of an answer."""
        text = self._text.value
        if turn.actions or self._sources.value or len(text) > _SENTENCE_CHARS_MAX:
            return False
        if turn.error or says_no_answer(text):
            return True
        return "\n" not in text and self._text.changes == 1


def _progress_without_turn(look: Look, kind: PageKind) -> _Progress:
    if look.ready and kind is PageKind.UNAVAILABLE:
        return _Progress.NOT_OFFERED
    if look.ready and kind is PageKind.SHELL:
        return _Progress.NO_TURN
    return _Progress.LOADING


def _has_open_fence(text: str) -> bool:
    return sum(line.startswith("```") for line in text.splitlines()) % 2 == 1

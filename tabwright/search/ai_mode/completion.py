"""Detection of a complete answer: a state machine fed with page states and times.

The page has five strong signs of a finished answer. Three are set by the page: the turn is marked
complete, the action bar is shown, an announcement was made to screen readers after there was text.
Two are of the transport: the answer stream has ended, the stop button is gone. Any two are
sufficient, except that the two of the transport also occur when a stream breaks off: then the
network log has a failed request. Where something says that the answer is still being written, the
text must stand still as well. If signs are missing, quiet time is the last resort, and it yields a
partial answer.
"""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Generic, TypeVar
from urllib.parse import urlsplit

import attrs

from tabwright.protocol.tab import Traffic
from tabwright.search.ai_mode.page_state import (
    ContentNode,
    PageKind,
    PageState,
    ThreadTurn,
    begins_like_error,
    ends_in_error,
    is_no_answer_text,
    is_notice,
    is_regret,
    mentions_error,
    page_kind,
    shown_text,
    sites_counted,
)
from tabwright.search.ai_mode.sources import is_cited, sources_seen, sources_shortfall

# Finding the turn of the thread that belongs to the question.

_BLANK = PageState(url="about:blank")


@attrs.define
class OwnTurn:
    """A filter that finds the turn of a question among earlier turns.

    A thread usually grows; but it may be rebuilt while it is read, or drop its older turns.

    Args:
        text: the question.
        before: the last page state before a follow-up was sent; None for a newly opened page.
        earlier: the earlier questions in the same thread.
    """

    text: str = ""
    before: PageState | None = None
    earlier: tuple[str, ...] = ()
    _identity: str | None = attrs.field(default=None, init=False)

    def anew(self) -> "OwnTurn":
        """Return a new filter for the same question, without any turn seen."""
        return OwnTurn(self.text, self.before, self.earlier)

    def is_shown_by(self, state: PageState, turn: ThreadTurn) -> bool:
        """Return whether the turn is that of the question; once true, it stays true."""
        if turn.identity != self._identity and not self._is_new(state, turn):
            return False
        self._identity = turn.identity
        return True

    def counted_from(self, state: PageState) -> PageState:
        """Return the state from which counters are measured: blank for a new document."""
        if self.before is None or self.before.loaded_at != state.loaded_at:
            return _BLANK
        return self.before

    def _is_new(self, state: PageState, turn: ThreadTurn) -> bool:
        if self.before is None or self.before.turn is None:
            return True
        if state.turns > self.before.turns and turn.identity != self.before.turn.identity:
            return not self._is_earlier(turn.query)
        if turn.query != self.before.turn.query:
            return not self._is_earlier(turn.query)
        asked_again = not turn.query or turn.query.split() == self.text.split()
        return asked_again and shown_text(state) != shown_text(self.before)

    def _is_earlier(self, query: str) -> bool:
        """Return whether it is an older turn, for example while a thread is rebuilt."""
        if query.split() == self.text.split():
            return False
        return any(query.split() == text.split() for text in self.earlier)


# The phase of an answer.


class Phase(StrEnum):
    """The phase of an answer.

    ``SETTLING``: the text is complete, its sources may still appear. ``PARTIAL``: it stopped, and
    no sign says that it is complete. ``EMPTY``: the page has finished without text.
    ``NO_ANSWER``: a sentence about a failure replaces the answer. ``DECLINED``: a sentence says
    that there is no answer to this question. ``FAILED``: the stream of the answer failed before
    there was any text. ``IGNORED``: the page did not accept the question.
    """

    WAITING = "waiting"
    STREAMING = "streaming"
    SETTLING = "settling"
    COMPLETE = "complete"
    PARTIAL = "partial"
    EMPTY = "empty"
    NO_ANSWER = "no_answer"
    DECLINED = "declined"
    FAILED = "failed"
    UNAVAILABLE = "unavailable"
    BLOCKED = "blocked"
    IGNORED = "ignored"

    @property
    def is_final(self) -> bool:
        """Return whether further polls are useless; a person may still lift a block."""
        return self not in {Phase.WAITING, Phase.STREAMING, Phase.SETTLING}


QUIET_S = 4.0
"""Seconds that a text must stay unchanged to count as finished if the page has no sign."""

QUIET_BUSY_S = 20.0
"""The same while a request of the page is open that may be a stream under another name."""

SILENCE_S = 30.0
"""Seconds of silence after which an answer is partial, even if its stream is still open."""

STUCK_S = 15.0
"""Seconds that a loaded page may show an empty turn without a request to its server."""

OWN_WORD_S = 1.5
"""Seconds to wait for the page to take back or complete what it shows: that it offers no AI Mode,
sources that it does not count, and its signs once the transport has ended."""

EMPTY_S = 3.0
"""Seconds that a finished turn may be without text before it counts as empty."""

LATE_S = 6.0
"""Seconds to wait for what is late: sources that the page announces, which were seen 5 s after the
text, and a text after a failure of its stream, which the page may request again."""

SOURCES_STABLE_S = 0.4
"""Seconds that text and sources must stay unchanged once no more are announced."""

NO_TURN_S = 5.0
"""Seconds that a loaded page may be without a turn before AI Mode counts as not offered."""

TAKEN_S = 8.0
"""Seconds for a page to show that it has accepted the next question."""

CHECK_S = 10.0
"""Seconds for the script check, which continues by itself."""

STREAM_PATH = "/async/fol"
"""Prefixes of the paths from which answers are streamed."""

_SIGNS_ENOUGH = 2
_LOADING_WORD_CHARS_MAX = 60
_SENTENCE_CHARS_MAX = 300
_SENTENCE_END = re.compile(r"[.!?\u0964](?=\s|$)|[\u3002\uff01\uff1f]")


class _Progress(StrEnum):
    CHECKING = "checking"
    NOT_OFFERED = "not offered"
    NOT_TAKEN = "not taken"
    NO_TURN = "no turn"
    LOADING = "loading"
    RUNNING = "running"
    ENDED = "ended"
    DONE = "done"


_BLOCKING = frozenset({PageKind.CAPTCHA, PageKind.BLOCKED, PageKind.CONSENT})

_NO_TRAFFIC = Traffic()

_Value = TypeVar("_Value")


@attrs.define
class _Steady(Generic[_Value]):
    """A value, and the time since which it has not changed."""

    value: _Value
    since_s: float = 0.0
    changes: int = 0

    def see(self, value: _Value, now_s: float) -> None:
        """Record the value at `now_s`, in seconds; a changed value restarts its time."""
        if value != self.value:
            self.value, self.since_s, self.changes = value, now_s, self.changes + 1


@attrs.define
class CompletionDetector:
    """A detector that watches one turn from its question to its end.

    Args:
        question: the question and its place in the thread.
    """

    question: OwnTurn = attrs.field(factory=OwnTurn)
    _progress: _Steady[_Progress | None] = attrs.field(factory=lambda: _Steady(None), init=False)
    _text: _Steady[str] = attrs.field(factory=lambda: _Steady(""), init=False)
    _sources: _Steady[int] = attrs.field(factory=lambda: _Steady(0), init=False)
    _wordless: PageState = attrs.field(default=_BLANK, init=False)
    _stop_expected: bool = attrs.field(default=False, init=False)
    _has_state: bool = attrs.field(default=False, init=False)
    _traffic: Traffic = attrs.field(default=_NO_TRAFFIC, init=False)
    _idle: _Steady[bool] = attrs.field(factory=lambda: _Steady(value=False), init=False)

    def feed(self, state: PageState, now_s: float, traffic: Traffic = _NO_TRAFFIC) -> Phase:
        """Return the phase after this page state and those before it.

        Args:
            state: the current page state.
            now_s: seconds on a monotonic clock.
            traffic: the requests of the page since the question.
        """
        self._traffic = traffic
        kind = page_kind(state)
        if kind in _BLOCKING or any(map(_is_stream, traffic.refused)):
            return Phase.BLOCKED
        if state.turn is None:
            return self._without_turn(state, kind, now_s)
        if not self.question.is_shown_by(state, state.turn):
            self._progress.see(_Progress.NOT_TAKEN, now_s)
            return Phase.IGNORED if now_s - self._progress.since_s >= TAKEN_S else Phase.WAITING
        self._text.see(shown_text(state), now_s)
        if not self._text.changes:
            self._wordless = state
        self._sources.see(sources_seen(state), now_s)
        began_before = bool(state.turn.column) or self._stream_ended(state)
        faster_than_the_first_state = began_before and not self._has_state
        self._stop_expected |= state.stop == "shown" or faster_than_the_first_state
        self._has_state = True
        self._idle.see(state.ready and not self._traffic.under_way, now_s)
        own, transport = self._own_word(state, state.turn), self._transport(state)
        if own + transport < _SIGNS_ENOUGH:
            progress = _Progress.RUNNING
        else:
            progress = _Progress.DONE if own else _Progress.ENDED
        self._progress.see(progress, now_s)
        return self._judge(state, state.turn, now_s)

    def _without_turn(self, state: PageState, kind: PageKind, now_s: float) -> Phase:
        self._progress.see(_progress_without_turn(state, kind), now_s)
        for_s = now_s - self._progress.since_s
        match self._progress.value:
            case _Progress.NOT_OFFERED if for_s >= OWN_WORD_S:
                return Phase.UNAVAILABLE
            case _Progress.NO_TURN if for_s >= NO_TURN_S:
                return Phase.UNAVAILABLE
            case _Progress.CHECKING if for_s >= CHECK_S:
                return Phase.BLOCKED
            case _:
                return Phase.WAITING

    def _own_word(self, state: PageState, turn: ThreadTurn) -> int:
        return turn.complete + _has_action_bar(turn) + self._announced(state)

    def _announced(self, state: PageState) -> bool:
        """Return whether something was announced after there was text, not "Searching" before."""
        announced = self.question.counted_from(state).announcements
        if self._wordless.loaded_at == state.loaded_at:
            announced = max(announced, self._wordless.announcements)
        return state.announcements > announced

    def _is_sure(self, state: PageState, turn: ThreadTurn) -> bool:
        """Return whether page and transport agree, so that nothing has to stand still first."""
        has_ended = self._stream_ended(state) and not self._traffic.under_way
        return has_ended and self._own_word(state, turn) >= _SIGNS_ENOUGH

    def _transport(self, state: PageState) -> int:
        stopped = self._stop_expected and state.stop == "hidden"
        return self._stream_ended(state) + stopped

    def _stream_ended(self, state: PageState) -> bool:
        return state.streams > self.question.counted_from(state).streams

    def _judge(self, state: PageState, turn: ThreadTurn, now_s: float) -> Phase:
        for_s = now_s - self._progress.since_s
        if not self._text.value and not turn.error:
            if self._progress.value is _Progress.RUNNING:
                idle_s = now_s - self._idle.since_s if self._idle.value else 0.0
                is_over = idle_s >= (LATE_S if self._broke_off else STUCK_S)
            else:
                empty_s = LATE_S if turn.loading else EMPTY_S
                is_over = for_s >= max(empty_s, self._doubted_s(state, turn))
            if not is_over:
                return Phase.WAITING
            return Phase.FAILED if self._broke_off else Phase.EMPTY
        if self._progress.value is _Progress.ENDED:
            has_ended = for_s >= (LATE_S if turn.loading else OWN_WORD_S)
        else:
            has_ended = self._progress.value is _Progress.DONE
        if has_ended:
            if now_s - self._text.since_s < self._doubted_s(state, turn):
                return Phase.STREAMING
            return self._judge_ended(state, turn, for_s, now_s)
        if now_s - self._text.since_s < self._stability_s(state, turn):
            return Phase.STREAMING
        has_none = self._is_regret(state, turn) or self._is_apology(state, turn)
        return self._without_answer(turn) if has_none else Phase.PARTIAL

    def _judge_ended(self, state: PageState, turn: ThreadTurn, for_s: float, now_s: float) -> Phase:
        read, counted = sources_shortfall(state)
        is_counted = any(map(sites_counted, turn.counts))
        # The page counts more, has grey bars in their place, or waits for its server.
        is_pending = read < counted or turn.sources_pending
        is_pending |= bool(self._traffic.under_way) and not is_counted
        if self._sources.value:
            is_announced = is_pending
            unchanged_s = now_s - max(self._sources.since_s, self._text.since_s)
            is_stable = unchanged_s >= (SOURCES_STABLE_S if is_counted else OWN_WORD_S)
        else:
            # A citation chip announces nothing: it is a source itself, with or without a card.
            is_announced = is_pending or turn.loading or turn.aside
            is_stable = for_s >= SOURCES_STABLE_S
        is_settled = is_stable or self._is_sure(state, turn)
        if is_announced:
            is_settled = is_stable and for_s >= LATE_S
        if not is_settled:
            return Phase.SETTLING
        if self._is_regret(state, turn):
            return self._without_answer(turn)
        if self._is_apology(state, turn):  # unless its action bar is only late
            return self._without_answer(turn) if for_s >= EMPTY_S else Phase.SETTLING
        cut = mentions_error(turn.error) or ends_in_error(self._text.value, turn.error)
        cut |= self._doubts(state, turn) > 1
        if self._progress.value is _Progress.ENDED:
            cut |= turn.incomplete or self._broke_off or self._is_single_line
        return Phase.PARTIAL if cut else Phase.COMPLETE

    def _doubts(self, state: PageState, turn: ThreadTurn) -> int:
        """Return how many things say that the answer is still being written."""
        streaming = any(map(_is_stream, self._traffic.under_way))
        return (state.stop == "shown") + turn.incomplete + streaming

    def _doubted_s(self, state: PageState, turn: ThreadTurn) -> float:
        """Return how long the text must stay unchanged although there are enough signs."""
        match self._doubts(state, turn):
            case 0:
                return 0.0
            case 1:
                return QUIET_S
            case _:
                return SILENCE_S

    @property
    def _broke_off(self) -> bool:
        return any(map(_is_stream, (*self._traffic.failed, *self._traffic.errors)))

    def _without_answer(self, turn: ThreadTurn) -> Phase:
        """Return the phase of a turn with a sentence in place of an answer, by its reason."""
        if any(map(_is_stream, self._traffic.errors)):
            return Phase.FAILED
        is_failure = begins_like_error(self._text.value) or self._text.value in turn.error
        return Phase.NO_ANSWER if is_failure else Phase.DECLINED

    @property
    def _is_single_line(self) -> bool:
        """Return whether the text is one line that came at once."""
        return "\n" not in self._text.value and self._text.changes == 1

    def _stability_s(self, state: PageState, turn: ThreadTurn) -> float:
        """Return how long the text must stay unchanged to end an answer without enough signs."""
        if self._progress.value is _Progress.ENDED:
            return float("inf")
        if is_regret(self._text.value):
            return OWN_WORD_S
        signs = self._own_word(state, turn) + self._transport(state)
        is_short = not signs and len(self._text.value) <= _LOADING_WORD_CHARS_MAX
        if is_short and not is_cited(turn.column) and not _is_styled(turn.column):
            return float("inf")  # it may be a word such as "Searching"
        still_running = (state.stop == "shown" or turn.incomplete) and not self._transport(state)
        streaming = any(map(_is_stream, self._traffic.under_way))
        unfinished = turn.loading or still_running or _has_open_fence(self._text.value)
        if unfinished or streaming:
            return SILENCE_S
        return QUIET_BUSY_S if self._traffic.under_way else QUIET_S

    def _is_regret(self, state: PageState, turn: ThreadTurn) -> bool:
        """Return whether the page has only a known regret or an alert in place of an answer.

        A text that cites a source is part of an answer.
        """
        text = self._text.value
        if self._sources.value or len(text) > _SENTENCE_CHARS_MAX or is_cited(turn.column):
            return False
        if _has_action_bar(turn):
            return is_regret(text) and "\n" not in text and not _is_styled(turn.column)
        if is_regret(text):
            return True
        if is_no_answer_text(text) and any(map(_is_stream, self._traffic.errors)):
            return True
        if self._own_word(state, turn) or self._broke_off:
            return False
        is_known = begins_like_error(text) or is_no_answer_text(text)
        return (is_known and "\n" not in text) or text in turn.error

    def _is_apology(self, state: PageState, turn: ThreadTurn) -> bool:
        """Return whether a turn has, in any language, only a regret and a suggestion.

        They came at once, without a stream or on a page that calls the turn complete. Answers have
        an action bar, sources, a style or further lines.
        """
        text = self._text.value
        if len(text) > _SENTENCE_CHARS_MAX or len(_SENTENCE_END.findall(text)) not in {2, 3}:
            return False
        if _has_action_bar(turn) or self._sources.value or turn.aside or turn.counts:
            return False
        if is_cited(turn.column) or _is_styled(turn.column):
            return False
        streams = (*self._traffic.under_way, *self._traffic.failed, *self._traffic.errors)
        is_streamed = self._stream_ended(state) or any(map(_is_stream, streams))
        is_final = not is_streamed or bool(self._own_word(state, turn) and not self._broke_off)
        return is_final and self._is_single_line and not turn.error


def _progress_without_turn(state: PageState, kind: PageKind) -> _Progress:
    if state.ready and kind in {PageKind.UNAVAILABLE, PageKind.LOG_IN}:
        return _Progress.NOT_OFFERED
    if state.ready and kind in {PageKind.SHELL, PageKind.OTHER}:
        return _Progress.NO_TURN
    if kind is PageKind.SCRIPT_CHECK:
        return _Progress.CHECKING
    return _Progress.LOADING


def _has_action_bar(turn: ThreadTurn) -> bool:
    """Return whether the answer ends with its action bar, and not only a row of buttons in it."""
    return turn.actions and (not turn.footnote or is_notice(turn.footnote))


def _is_styled(nodes: Iterable[ContentNode]) -> bool:
    plain = {"text", "box", "break"}
    return any(node.kind not in plain or _is_styled(node.kids) for node in nodes)


def _is_stream(url: str) -> bool:
    return urlsplit(url).path.startswith(STREAM_PATH)


def _has_open_fence(text: str) -> bool:
    return sum(line.startswith("```") for line in text.splitlines()) % 2 == 1

"""The answer stream: ``)]}'`` and a line feed, then frames of ``<length>;<JSON>``.

The length counts the bytes of the JSON and is hexadecimal. Frames carry pieces of HTML and where
they go; which block is what, only the truth knows.
"""

from collections.abc import Iterator, Mapping

import attrs
import msgspec
import trio

from tabwright.testing.replica.answers import parts
from tabwright.testing.replica.markup_drift import dressed
from tabwright.testing.replica.scenario import Clock
from tabwright.testing.replica.turns import ReplicaTurn, empty_turn

GUARD = b")]}'\n"


@attrs.frozen
class StreamFrame:
    """A step of the stream.

    Attributes:
        content: ``kind`` names what the page does with the rest.
        delay_s: how long the stream waits before it.
    """

    content: Mapping[str, object]
    delay_s: float = 0.0

    def encode(self) -> bytes:
        """Gives the frame as it goes over the wire."""
        data = msgspec.json.encode(self.content)
        return b"%x;%s" % (len(data), data)


def frames(turn: ReplicaTurn) -> Iterator[StreamFrame]:
    """Plays a turn from its start to its end."""
    place = "" if turn.first else empty_turn(turn.truth.question, turn.strings, first=False)
    yield _piece(
        turn,
        "begin",
        place,
        shadow=turn.scenario.shadow,
        stoppable="stop_button" not in turn.scenario.drop_signals,
        hush=turn.scenario.live_region == "refilled",
    )
    if turn.scenario.error:
        yield _piece(turn, "error", turn.notice())
    elif turn.scenario.empty:
        yield _frame(turn, "done", complete=False, say="")
    else:
        for at, block in enumerate(turn.truth.blocks):
            growing = attrs.evolve(turn.markup, animated=True)
            wait_s = _stall_s(turn, at)
            for part in parts(block):
                yield _piece(turn, "partial", growing.block(part), wait_s=wait_s, at=at)
                wait_s = 0.0
            yield _piece(turn, "block", turn.block(at, block), wait_s=wait_s, at=at)
        if foot := turn.foot():
            yield _piece(turn, "foot", foot, wait_s=_stall_s(turn, len(turn.truth.blocks)))
        if aside := turn.aside():
            yield _piece(turn, "aside", aside, wait_s=turn.scenario.late_s)
        dropped = turn.scenario.drop_signals
        marked = turn.scenario.attributes == "full" and "complete" not in dropped
        say = "" if "live_region" in dropped else turn.strings.ready
        yield _frame(turn, "done", complete=marked, say=say)


def _stall_s(turn: ReplicaTurn, at: int) -> float:
    return turn.scenario.stall_s if turn.scenario.stall_at == at else 0.0


def _piece(
    turn: ReplicaTurn, kind: str, html: str, *, wait_s: float = 0.0, **rest: object
) -> StreamFrame:
    return _frame(turn, kind, wait_s=wait_s, html=dressed(html, turn.scenario), **rest)


def _frame(turn: ReplicaTurn, kind: str, *, wait_s: float = 0.0, **content: object) -> StreamFrame:
    return StreamFrame({"kind": kind, **content}, turn.scenario.step_s + wait_s)


# When each frame of the answer stream is due.


class StreamPace:
    """The clock of all streams of a scenario: its time runs, or goes on step by step."""

    def __init__(self, clock: Clock) -> None:
        self._stepped = clock == "stepped"
        self._steps = trio.Semaphore(0)

    def step(self, frames: int) -> None:
        """Releases the next frames, those that wait longest first; others need not wait then."""
        for _ in range(frames):
            self._steps.release()

    async def due(self, frame: StreamFrame) -> None:
        """Waits until it is the turn of a frame."""
        if self._stepped:
            await self._steps.acquire()
        else:
            await trio.sleep(frame.delay_s)

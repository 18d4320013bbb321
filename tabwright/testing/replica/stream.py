"""The answer stream: ``)]}'`` and a line feed, then frames of ``<length>;<JSON>``.

The length counts the bytes of the JSON and is hexadecimal. Frames carry pieces of HTML and where
they go; which block is what, only the truth knows.
"""

from collections.abc import Iterator, Mapping

import attrs
import msgspec

from tabwright.protocol.blocks import Block, Paragraph
from tabwright.testing.replica.disguise import echoes
from tabwright.testing.replica.growth import parts
from tabwright.testing.replica.turns import Turn, empty_turn

GUARD = b")]}'\n"


@attrs.frozen
class Frame:
    """A step of the stream.

    Attributes:
        delay_s: how long the stream waits before it.
        content: ``kind`` names what the page does with the rest.
    """

    delay_s: float
    content: Mapping[str, object]

    def encode(self) -> bytes:
        """Gives the frame as it goes over the wire."""
        data = msgspec.json.encode(self.content)
        return b"%x;%s" % (len(data), data)


def frames(turn: Turn) -> Iterator[Frame]:
    """Plays a turn from its start to its end."""
    yield _begin(turn)
    if turn.scenario.error:
        yield _frame(turn, "error", html=turn.notice())
    elif turn.scenario.empty:
        yield _frame(turn, "done", complete=False, say="")
    else:
        yield from _answer(turn)


def _answer(turn: Turn) -> Iterator[Frame]:
    dropped = turn.scenario.drop_signals
    for at, block in enumerate(turn.truth.blocks):
        yield from _growing(turn, at, block)
    if "action_bar" not in dropped:
        yield _frame(turn, "foot", wait_s=_stall_s(turn, len(turn.truth.blocks)), html=turn.foot())
    if turn.truth.sources:
        yield _frame(turn, "aside", wait_s=turn.scenario.late_s, html=turn.aside())
    say = "" if "live_region" in dropped else turn.strings.ready
    yield _frame(turn, "done", complete="complete" not in dropped, say=say)


def _begin(turn: Turn) -> Frame:
    place = "" if turn.first else empty_turn(turn.truth.question, turn.strings, first=False)
    stoppable = "stop_button" not in turn.scenario.drop_signals
    html = turn.dressed(place)
    return _frame(turn, "begin", html=html, shadow=turn.scenario.shadow, stoppable=stoppable)


def _growing(turn: Turn, at: int, block: Block) -> Iterator[Frame]:
    """Shows a block part by part, then whole."""
    growing = attrs.evolve(turn.markup, animated=True)
    wait_s = _stall_s(turn, at)
    for part in parts(block):
        html = turn.dressed(growing.block(part))
        yield _frame(turn, "partial", wait_s=wait_s, at=at, html=html)
        wait_s = 0.0
    yield _frame(turn, "block", wait_s=wait_s, at=at, html=_whole(turn, at, block))


def _whole(turn: Turn, at: int, block: Block) -> str:
    """Writes a block as it stays; the page nests some of its paragraphs, here every odd block."""
    if at == 0 and isinstance(block, Paragraph):
        html = turn.markup.opening(block)
    elif at % 2 and isinstance(block, Paragraph):
        html = turn.markup.nested(block)
    else:
        html = turn.markup.block(block)
    return turn.dressed(html + (echoes(html, at) if turn.scenario.noise else ""))


def _stall_s(turn: Turn, at: int) -> float:
    return turn.scenario.stall_s if turn.scenario.stall_at == at else 0.0


def _frame(turn: Turn, kind: str, *, wait_s: float = 0.0, **content: object) -> Frame:
    return Frame(turn.scenario.step_s + wait_s, {"kind": kind, **content})

"""A turn on its way to the page: frame by frame, with what goes wrong in between."""

from typing import Final

import trio

from tabwright.testing.replica.pace import Pace
from tabwright.testing.replica.scenario import Ending
from tabwright.testing.replica.server import Exchange
from tabwright.testing.replica.stream import GUARD, Frame, frames
from tabwright.testing.replica.threads import Thread
from tabwright.testing.replica.turns import Turn

_JSON: Final = ("Content-Type", "application/json; charset=utf-8")
_REBUILD: Final = Frame({"kind": "rebuild"}).encode()


async def broadcast(exchange: Exchange, thread: Thread, pace: Pace) -> None:
    """Sends the last turn of a thread; ends with the stream, or with the client."""
    turn = thread.turns[-1]
    played = tuple(frames(turn))
    rebuilds = _spread(turn.scenario.rebuild or 0, len(played))
    await exchange.begin(200, (_JSON,))
    await exchange.send(GUARD)
    for number, frame in enumerate(played):
        await pace.due(frame)
        if ending := turn.scenario.ending_at(number):
            await _break_off(exchange, thread, ending)
            return
        await exchange.send(_REBUILD * rebuilds.count(number) + frame.encode())
    await _end(exchange, turn)


async def _end(exchange: Exchange, turn: Turn) -> None:
    if "stream_end" in turn.scenario.drop_signals:
        await trio.sleep_forever()
    await exchange.end()


def _spread(times: int, length: int) -> list[int]:
    """Places as many times as asked, far apart, none before the first frame."""
    return [max(1, length * place // (times + 1)) for place in range(1, times + 1)]


async def _break_off(exchange: Exchange, thread: Thread, ending: Ending) -> None:
    if ending == "cut":
        await exchange.hang_up()
        return
    if ending != "hang":  # the page is told what to do with itself
        thread.reloading = ending == "reload"
        await exchange.send(Frame({"kind": ending}).encode())
    await trio.sleep_forever()

"""Pacing of live pictures: how many are in flight, and their size limit."""

import trio

from tabwright.view.pictures import FRAME_BYTES_MAX
from tabwright.view.viewer import BYTES_MIN, IN_FLIGHT_MAX, Pace


async def sent_within(pace: Pace, seconds: float) -> bool:
    with trio.move_on_after(seconds):
        await pace.room()
        pace.note_sent()
        return True
    return False


async def test_pictures_wait_for_acknowledgement_of_those_in_flight(autojump_clock) -> None:
    pace = Pace()
    for _ in range(IN_FLIGHT_MAX):
        assert await sent_within(pace, 1)
    assert not await sent_within(pace, 1)
    pace.ack()
    pace.ack()
    assert await sent_within(pace, 1)


async def test_slow_viewer_gets_smaller_pictures_one_at_a_time_and_recovers(autojump_clock) -> None:
    pace = Pace()
    for number in range(20):
        assert await sent_within(pace, 0)
        await trio.sleep(0.5)
        assert number == 0 or not await sent_within(pace, 0)
        pace.ack()
    assert pace.bytes_max == BYTES_MIN
    for _ in range(20):
        assert await sent_within(pace, 0)
        pace.ack()
    assert pace.bytes_max == FRAME_BYTES_MAX


async def test_unexpected_acknowledgement_is_ignored(autojump_clock) -> None:
    pace = Pace()
    pace.ack()
    assert pace.bytes_max == FRAME_BYTES_MAX

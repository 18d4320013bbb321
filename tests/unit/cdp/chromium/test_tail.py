import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from tabwright.cdp.chromium.process import StderrTail

LIMIT = 8192


async def drained(*chunks: bytes) -> StderrTail:
    ours = trio.testing.MemoryReceiveStream()
    for chunk in chunks:
        ours.put_data(chunk)
    ours.put_eof()
    tail = StderrTail()
    await tail.drain(ours)
    await tail.wait_end()
    return tail


async def test_short_output_is_kept_whole() -> None:
    tail = await drained(b"one\n", b"two \xff\n")

    assert tail.text() == "one\ntwo \N{REPLACEMENT CHARACTER}"


async def test_long_output_is_trimmed_to_its_last_whole_lines() -> None:
    tail = await drained(b"".join(b"line %d\n" % n for n in range(5000)))

    lines = tail.text().splitlines()
    assert lines == [f"line {n}" for n in range(5000 - len(lines), 5000)]
    assert len(tail.text()) <= LIMIT


@given(chunks=st.lists(st.binary(max_size=3 * LIMIT), max_size=4))
def test_output_of_any_size_stays_bounded(chunks: list[bytes]) -> None:
    tail = trio.run(drained, *chunks)

    assert len(tail.text()) <= LIMIT

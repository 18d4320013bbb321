"""Frames over a pair of pipes."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from itertools import pairwise

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from tabwright.cdp import pipe
from tabwright.cdp.errors import LinkLost
from tabwright.cdp.pipe import ATOMIC_BYTES, PipeLink, Splitter

FRAMES = st.lists(st.binary(max_size=40).map(lambda frame: frame.replace(b"\0", b"0")))


@given(FRAMES, st.lists(st.integers(0, 400)), st.binary(max_size=9))
def test_splitter_restores_frames_however_stream_is_chunked(
    frames: list[bytes], cuts: list[int], tail: bytes
) -> None:
    rest = tail.replace(b"\0", b"0")
    stream = b"".join(frame + b"\0" for frame in frames) + rest
    bounds = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    chunks = [stream[a:b] for a, b in pairwise(bounds)]
    splitter = Splitter()
    assert [frame for chunk in chunks for frame in splitter.feed(chunk)] == frames
    assert splitter.feed(b"\0") == [rest]


@pytest.mark.parametrize("chunk_bytes", [1, 3, 64])
def test_oversized_frame_is_reduced_to_its_head(
    monkeypatch: pytest.MonkeyPatch, chunk_bytes: int
) -> None:
    monkeypatch.setattr(pipe, "FRAME_BYTES_MAX", 10)
    monkeypatch.setattr(pipe, "HEAD_BYTES", 4)
    stream = b"0123456789\0" + b"abcde" * 1000 + b"\0" + b"0123456789\0"
    splitter = Splitter()
    chunks = [stream[at : at + chunk_bytes] for at in range(0, len(stream), chunk_bytes)]
    frames = [frame for chunk in chunks for frame in splitter.feed(chunk)]
    assert frames == [b"0123456789", b"abcd", b"0123456789"]


def test_unterminated_frame_uses_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe, "FRAME_BYTES_MAX", 1000)
    splitter = Splitter()
    for _ in range(1000):
        assert splitter.feed(b"x" * 100) == []
        assert sum(map(len, splitter._parts)) <= 1000


class Ends:
    """A link, and the browser's ends of its pipes."""

    def __init__(self) -> None:
        our_read, self.write_fd = os.pipe()
        self.read_fd, our_write = os.pipe()
        self.link = PipeLink(our_read, our_write)

    def hang_up(self) -> None:
        for fd in (self.read_fd, self.write_fd):
            if fd >= 0:
                os.close(fd)
        self.read_fd = self.write_fd = -1


@pytest.fixture
async def ends() -> AsyncGenerator[Ends]:
    ends = Ends()
    with trio.fail_after(10):
        yield ends
    ends.hang_up()
    await ends.link.aclose()


async def test_pipe_link_sends_and_receives_frames(ends: Ends) -> None:
    assert ends.link.send_nowait(b"{1}")
    await ends.link.send(b"{2}")
    assert os.read(ends.read_fd, 99) == b"{1}\0{2}\0"
    os.write(ends.write_fd, b"{3}\0{4}\0{5")
    assert await ends.link.receive() == [b"{3}", b"{4}"]
    os.write(ends.write_fd, b"}\0")
    assert await ends.link.receive() == [b"{5}"]


async def test_send_nowait_writes_whole_frame_or_nothing(ends: Ends) -> None:
    assert not ends.link.send_nowait(b"x" * ATOMIC_BYTES), "the kernel may take a part of it"
    frame = b"x" * (ATOMIC_BYTES - 1)
    sent = 0
    while ends.link.send_nowait(frame):
        sent += 1
    os.set_blocking(ends.read_fd, False)
    assert os.read(ends.read_fd, 1 << 20) == (frame + b"\0") * sent
    assert ends.link.send_nowait(frame)


async def test_frame_larger_than_pipe_buffer_is_sent_as_reader_drains_it(
    ends: Ends, nursery: trio.Nursery
) -> None:
    frame = b"x" * (1 << 20)
    nursery.start_soon(ends.link.send, frame)
    received = b""
    while len(received) <= len(frame):
        await trio.lowlevel.wait_readable(ends.read_fd)
        received += os.read(ends.read_fd, 1 << 16)
    assert received == frame + b"\0"


async def test_a_cancelled_receive_loses_nothing(
    ends: Ends, autojump_clock: trio.testing.MockClock
) -> None:
    for part in (b'{"half', b" of it", b' and the rest"'):
        os.write(ends.write_fd, part)
        with trio.move_on_after(0.01) as waiting:
            await ends.link.receive()
        assert waiting.cancelled_caught
    os.write(ends.write_fd, b"}\0")
    with trio.CancelScope() as cancelled:
        cancelled.cancel()
        await ends.link.receive()
    assert cancelled.cancelled_caught
    assert await ends.link.receive() == [b'{"half of it and the rest"}']


async def test_receive_is_checkpoint_even_when_data_is_available(ends: Ends) -> None:
    with trio.testing.assert_checkpoints():
        os.write(ends.write_fd, b"{}\0")
        await ends.link.receive()


async def test_send_and_receive_fail_after_browser_closes_pipe(ends: Ends) -> None:
    ends.hang_up()
    with pytest.raises(LinkLost, match="the browser closed the pipe"):
        await ends.link.receive()
    with pytest.raises(LinkLost, match="cannot be written"):
        ends.link.send_nowait(b"{}")
    with pytest.raises(LinkLost, match="cannot be written"):
        await ends.link.send(b"{}")


async def fill(link: PipeLink) -> None:
    await link.send(b"x" * (1 << 20))


@pytest.mark.parametrize("wait", [PipeLink.receive, fill])
async def test_closing_link_fails_pending_send_and_receive(
    ends: Ends, nursery: trio.Nursery, wait: Callable[[PipeLink], Awaitable[object]]
) -> None:
    async def lost() -> None:
        with pytest.raises(LinkLost, match="closed on our side"):
            await wait(ends.link)

    nursery.start_soon(lost)
    await trio.testing.wait_all_tasks_blocked()
    await ends.link.aclose()
    await ends.link.aclose()
    with pytest.raises(LinkLost):
        ends.link.send_nowait(b"{}")

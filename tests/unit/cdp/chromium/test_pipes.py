import os

import pytest

from tabwright.cdp.chromium.process import PipeEnds, crossed


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


@pytest.fixture
def sides() -> tuple[PipeEnds, PipeEnds]:
    return crossed()


def test_data_written_on_one_side_is_read_on_the_other(sides: tuple[PipeEnds, PipeEnds]) -> None:
    ours, theirs = sides
    with ours, theirs:
        os.write(ours.write_fd, b"question")
        assert os.read(theirs.read_fd, 100) == b"question"
        os.write(theirs.write_fd, b"answer")
        assert os.read(ours.read_fd, 100) == b"answer"


def test_closing_pipe_ends_twice_does_not_close_reused_descriptor(
    sides: tuple[PipeEnds, PipeEnds],
) -> None:
    ours, theirs = sides
    ours.close()
    stranger = os.open(os.devnull, os.O_RDONLY)
    with theirs:
        ours.close()
        assert is_open(stranger)
    os.close(stranger)


def test_taken_pipe_ends_are_not_closed_by_context_manager(
    sides: tuple[PipeEnds, PipeEnds],
) -> None:
    ours, theirs = sides
    with theirs, ours:
        taken = ours.take()
    assert taken == (ours.read_fd, ours.write_fd)
    for fd in taken:
        assert is_open(fd)
        os.close(fd)


def test_ends_are_not_inherited(sides: tuple[PipeEnds, PipeEnds]) -> None:
    with sides[0] as ours, sides[1]:
        assert not os.get_inheritable(ours.write_fd)
        assert not os.get_inheritable(ours.read_fd)

"""The buffer of the latest events of a page."""

from hypothesis import given
from hypothesis import strategies as st

from tabwright.page.events.dialogs import SequencedBuffer


@given(st.integers(1, 9), st.lists(st.integers(0, 9), max_size=30))
def test_buffer_reports_each_item_once_unless_it_overflows(kept_max, sizes):
    latest, reported, reported_last = SequencedBuffer[int](kept_max), [], 0
    for number, size in enumerate(sizes):
        for _ in range(size):
            latest.add(number)
        part = latest.between(reported_last, latest.last)
        assert part == (number,) * min(size, kept_max)
        reported += part
        reported_last = latest.last
    assert reported_last == sum(sizes)
    assert latest.between(reported_last, latest.last) == ()

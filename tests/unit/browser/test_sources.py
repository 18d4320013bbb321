"""How workers are spread over sources."""

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tabwright.browser.sources import FAILURES_MAX, REST, spread_workers

CAPACITIES = st.lists(st.integers(1, 20), min_size=1, max_size=6)


@given(CAPACITIES)
def test_each_source_has_as_many_workers_as_browsers(capacities):
    assert Counter(spread_workers(capacities)) == Counter(dict(enumerate(capacities)))


@given(CAPACITIES)
def test_first_worker_is_in_the_first_source(capacities):
    assert spread_workers(capacities)[0] == 0


@given(CAPACITIES)
def test_first_workers_are_spread_over_all_sources_by_their_shares(capacities):
    spread = spread_workers(capacities)
    for end in range(len(spread)):
        taken = Counter(spread[:end])
        shares = sorted(taken[at] / most for at, most in enumerate(capacities))
        steps = [1 / most for most in capacities]
        assert all(later - share <= max(steps) + 1e-9 for share, later in pairwise(shares))


def test_counted_failures_are_enough_for_the_longest_rest():
    assert REST.first_s * 2 ** (FAILURES_MAX - 1) >= REST.max_s

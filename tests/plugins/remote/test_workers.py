"""The distribution of workers over sources."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.plugins.remote.sources import REST, spread_workers

CAPACITIES = st.lists(st.integers(1, 20), min_size=1, max_size=6)


@given(CAPACITIES)
def test_each_source_has_as_many_workers_as_browsers(capacities):
    assert Counter(spread_workers(capacities)) == Counter(dict(enumerate(capacities)))


@given(CAPACITIES)
def test_first_worker_is_in_the_first_source(capacities):
    assert spread_workers(capacities)[0] == 0


@given(CAPACITIES)
def test_workers_are_spread_over_sources_in_proportion_to_capacity(capacities):
    spread = spread_workers(capacities)
    for end in range(len(spread)):
        taken = Counter(spread[:end])
        shares = sorted(taken[at] / most for at, most in enumerate(capacities))
        steps = [1 / most for most in capacities]
        assert all(later - share <= max(steps) + 1e-9 for share, later in pairwise(shares))


@pytest.mark.parametrize("failures", [16, 1_024, 1_025, 1_000_000])
def test_source_with_many_failures_rests_for_about_the_maximum(failures):
    rest_s = REST.pause_s(failures, Random(1))
    assert (1 - REST.jitter) * REST.max_s <= rest_s <= REST.max_s

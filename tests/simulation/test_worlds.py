"""Seeded worlds: whatever goes wrong, every call ends, and the same seed gives the same trace."""

import os
import subprocess
import sys
from collections import Counter

import pytest

from tabwright.actors.tracing import (
    Abandoned,
    Answered,
    Lost,
    Refused,
    RequestRecord,
    Sent,
    Stopped,
)
from tabwright.testing.world import run_world

SEEDS = range(60)
ENDINGS = (Answered, Refused, Abandoned, Lost)
HOUSE = ("desk", "supervisor", "extractor", "governor")


@pytest.mark.parametrize("seed", SEEDS)
def test_every_call_ends_and_every_request_is_settled_once(seed):
    history = run_world(seed)
    requests = [record for record in history.trace if isinstance(record, RequestRecord)]
    sent = Counter(record.number for record in requests if isinstance(record, Sent))
    ended = Counter(record.number for record in requests if isinstance(record, ENDINGS))
    assert "lost" not in {outcome.ending for outcome in history.outcomes}
    assert set(sent.values()) == {1}
    assert set(ended) <= set(sent)
    assert set(ended.values()) <= {1}


@pytest.mark.parametrize("seed", SEEDS[:10])
def test_the_house_stops_in_reverse_order_of_its_start(seed):
    stopped = [record.actor for record in run_world(seed).trace if isinstance(record, Stopped)]
    assert tuple(actor for actor in stopped if actor in HOUSE) == HOUSE
    assert stopped.index("desk") < stopped.index("supervisor")


@pytest.mark.parametrize("seed", [3, 17])
def test_same_seed_same_trace_in_two_processes_with_other_hash_seeds(seed):
    def trace(hash_seed: str) -> bytes:
        return subprocess.run(
            [sys.executable, "-m", "tabwright.testing.world", str(seed)],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        ).stdout

    first, second = trace("1"), trace("2")
    assert first == second
    assert first != b""


def test_other_seed_other_trace():
    assert run_world(1).trace != run_world(2).trace

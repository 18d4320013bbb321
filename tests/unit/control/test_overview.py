"""`tabwright top`: the overview of a running server."""

import logging

import pytest

from tabwright.cli.status_tables import overview_text
from tabwright.control.transport import KEPT_MAX, Overview, PastError, ServerStatus, noted_errors
from tabwright.protocol.browser_pool import PoolState, WorkerState
from tabwright.protocol.interventions import InterventionState
from tabwright.protocol.sessions import SessionState
from tabwright.protocol.tasks import TaskState

POOL = PoolState(2, 0, (WorkerState(0, "Chrome/156", False, 1, 612_400_000),), ())

TEXT = """\
up 3 min, 78 MB

Tabs that can search, per browser: 2
Tabs held for interventions: 0
Waiting for a tab: 0

Browser  Use  Product     Window  Tabs  Memory
0        all  Chrome/156  no         1  612 MB

7f3a  pending  mojeek needs a person (3 min ago; use open to show its page; 177…

Task   Step  Session          What
t1    3/100  task     paused  buy a lamp[2J

Session  Pages   Idle  Tier  Page
me           4  5.0 s  1     A title

Last errors
"""


@pytest.fixture
def seen(new_intervention) -> Overview:
    return Overview(
        status=ServerStatus(1000.0, POOL, ()),
        up_s=180,
        memory_bytes=78_000_000,
        queue=(new_intervention("7f3a"), new_intervention("9e1b", InterventionState.SKIPPED)),
        sessions=(SessionState("me", "https://a.example/", "A \x9btitle", 1, 4, 5.0, False),),
        tasks=(TaskState("t1", "buy a lamp\x1b[2J", "task", 3, 100, True),),
        errors=(PastError(0.0, "gateway", "A call\nfailed: tab_lost"),),
    )


def test_overview_tables_fit_the_terminal_width(seen):
    text = overview_text(seen, 80)
    assert text.startswith(TEXT)
    assert text.endswith("gateway  A call failed: tab_lost")
    narrow = overview_text(seen, 30).splitlines()
    assert max(map(len, narrow)) <= 30


def test_latest_package_warnings_are_kept_without_their_causes():
    log = logging.getLogger("tabwright.gateway")
    with noted_errors() as errors:
        log.info("not that")
        for number in range(KEPT_MAX + 5):
            log.warning("A call failed: %s", number, exc_info=ValueError("a query"))
    log.warning("later")
    assert [one.text for one in errors.kept] == [
        f"A call failed: {number}" for number in range(5, KEPT_MAX + 5)
    ]
    assert {one.source for one in errors.kept} == {"gateway"}

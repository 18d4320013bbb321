"""The tables of `tabwright top --pool`."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.cli.status_tables import pool_text
from tabwright.control.transport import ServerStatus
from tabwright.protocol.browser_pool import (
    LOCAL,
    BrowserUse,
    PoolState,
    SourceState,
    TabState,
    TabUse,
    WorkerState,
)
from tabwright.protocol.rate_limit import SiteRate

LONG = "a-host-of.with.a-long-name.in.many.parts.of.a.university.example.org"

BUSY = ServerStatus(
    1000,
    PoolState(
        2,
        3,
        (
            WorkerState(0, "Chrome/156.0.8078.79", True, 4, 612_400_000, BrowserUse.SEARCH),
            WorkerState(0, "", False, 0, use=BrowserUse.PAGES),
        ),
        (
            TabState(12, "mojeek", TabUse.SEARCHING, 0, 998.8),
            TabState(3, "duckduckgo waits for a person", TabUse.HELD, 0, 280),
            TabState(14, f"reading {LONG}", TabUse.READING, 0, -9000),
            TabState(15, "google_ai_mode", TabUse.RESTING, 0, 910),
        ),
        lowered_max_tabs={"duckduckgo": 1},
    ),
    (
        SiteRate("bing", 0, 0, 0, 10, 0, 0),
        SiteRate("brave", 0, 0, 50, 50, 12345.6, 0),
        SiteRate("duckduckgo", 0, 2, 3, None, 1500, 1500),
        SiteRate("mojeek", 1, 0, 12, None, 3.2, 0),
        SiteRate(LONG, 1, 0, 0, None, 0, 0),
    ),
)

TEXT = """\
Tabs that can search, per browser: 2
Tabs held for interventions: 1
Waiting for a tab: 3
Tabs that can search with duckduckgo, which blocked searches: 1
`tabwright top --reset` restores the limits.

Browser  Use     Product               Window  Tabs  Memory
0        search  Chrome/156.0.8078.79  yes        4  612 MB
0        pages   not running                      0

Tab  Browser  Use           For  Purpose
12   0        searching   1.2 s  mojeek
3    0        held       12 min  duckduckgo waits for a person
14   0        reading     2.8 h  reading a-host-of.with.a-long-name.in.many.par…
15   0        resting     2 min  google_ai_mode

Site                      Running  Waiting  Today  Next request      Paused
brave                           0        0  50/50      in 3.4 h          no
duckduckgo                      0        2      3     in 25 min  for 25 min
mojeek                          1        0     12      in 3.2 s          no
….university.example.org        1        0      0           now          no"""


def test_busy_server_status_is_rendered_in_full() -> None:
    assert pool_text(BUSY, 80) == TEXT


def test_sources_are_listed_unless_all_browsers_are_on_this_machine() -> None:
    local = SourceState(1, LOCAL, "", 2, 1)
    grid = SourceState(2, "grid", "hub.example:4444", 4, 0, 12.4, "It does not respond.")
    pool = PoolState(1, 0, (WorkerState(0, "", False, 0),), ())
    alone = attrs.evolve(pool, sources=(local,))
    assert "Source" not in pool_text(ServerStatus(5, alone, ()), 80)
    reported = pool_text(ServerStatus(5, attrs.evolve(pool, sources=(local, grid)), ()), 90)
    assert reported.splitlines()[4:7] == [
        "Source  Kind   Host              Browsers  Left alone",
        "1       local                         1/2",
        "2       grid   hub.example:4444       0/4  for 12.4 s: It does not respond.",
    ]


def test_idle_server_status_omits_empty_tables() -> None:
    idle = PoolState(1, 0, (WorkerState(0, "", False, 0),), ())
    reported = pool_text(ServerStatus(5, idle, (SiteRate("bing", 0, 0, 0, 10, 0, 0),)), 80)
    assert reported.splitlines()[-2:] == [
        "Browser  Use  Product      Window  Tabs  Memory",
        "0        all  not running             0",
    ]
    assert "--reset" not in reported
    assert "Site" not in reported


@pytest.mark.parametrize("attribute", ["in_work", "waiting", "today", "paused_for_s"])
def test_site_with_any_activity_is_listed(attribute: str) -> None:
    quiet = SiteRate("bing", 0, 0, 0, 10, 0, 0)
    reported = pool_text(attrs.evolve(BUSY, rates=(attrs.evolve(quiet, **{attribute: 1}),)), 80)
    assert reported.splitlines()[-1].startswith("bing ")


spans = st.floats(min_value=0, max_value=1e6)


@given(
    columns=st.integers(min_value=20, max_value=200),
    sites=st.lists(st.tuples(st.text("abc.", min_size=1, max_size=99), spans, spans), max_size=5),
)
def test_no_line_is_wider_than_the_terminal(
    columns: int, sites: list[tuple[str, float, float]]
) -> None:
    rates = tuple(SiteRate(site, 9, 99, 999, 9999, wait, pause) for site, wait, pause in sites)
    lines = pool_text(attrs.evolve(BUSY, rates=rates), columns).splitlines()
    assert max(map(len, lines)) <= columns
    in_80 = pool_text(attrs.evolve(BUSY, rates=rates), 80).splitlines()[16:]
    assert all("…" not in line[25:] for line in in_80)

"""One-time links to the live view, and the sessions that they open."""

import pytest

from tabwright.view.links import LINKS_MAX, SESSION_S, ViewLinks, ViewScope

TAB = ViewScope("ann", 3)


@pytest.fixture
def clock() -> list[float]:
    return [1000.0]


@pytest.fixture
def links(clock: list[float]) -> ViewLinks:
    return ViewLinks(lambda: clock[0])


def test_view_link_yields_a_session_of_its_scope_once(links: ViewLinks) -> None:
    token = links.create(TAB, 60)
    session = links.redeem(token)
    assert session is not None
    opened = links.session(session)
    assert opened is not None
    assert opened.scope == TAB
    assert links.redeem(token) is None


def test_link_expires(links: ViewLinks, clock: list[float]) -> None:
    token = links.create(TAB, 60)
    clock[0] += 60
    assert not links.is_unused(token)
    assert links.redeem(token) is None


def test_session_expires(links: ViewLinks, clock: list[float]) -> None:
    session = links.redeem(links.create(TAB)) or ""
    clock[0] += SESSION_S
    assert links.session(session) is None


@pytest.mark.parametrize("token", ["", "x", "\udcff".encode("utf-8", "replace").decode()])
def test_unknown_token_opens_no_session(links: ViewLinks, token: str) -> None:
    links.create(TAB)
    assert links.redeem(token) is None
    assert links.session(token) is None


def test_forgetting_a_scope_invalidates_only_its_links(links: ViewLinks) -> None:
    first, other = links.create(TAB), links.create(ViewScope("ann"))
    links.forget(TAB)
    assert not links.is_unused(first)
    assert links.is_unused(other)


def test_oldest_link_and_session_are_dropped_at_the_limit(links: ViewLinks) -> None:
    tokens = [links.create(TAB) for _ in range(LINKS_MAX + 1)]
    assert not links.is_unused(tokens[0])
    assert links.is_unused(tokens[1])
    sessions = [links.redeem(links.create(TAB)) or "" for _ in range(LINKS_MAX + 1)]
    assert links.session(sessions[0]) is None
    assert links.session(sessions[1]) is not None


def test_no_token_is_shown_by_the_store(links: ViewLinks) -> None:
    token = links.create(TAB)
    session = links.redeem(links.create(TAB)) or ""
    assert token not in repr(links)
    assert session not in repr(links)

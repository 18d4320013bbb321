"""A page in the live view: the time since which it is known to show no secrets."""

from types import SimpleNamespace

import pytest

from tabwright.page.live_page import LivePage
from tabwright.protocol.errors import PageFailed


@pytest.fixture
def checks(monkeypatch):
    """The results of the next checks of the page; an error among them is raised."""
    found: list[float | PageFailed | None] = []

    async def cover(_runner) -> float | None:
        answer = found.pop(0)
        if isinstance(answer, PageFailed):
            raise answer
        return answer

    monkeypatch.setattr("tabwright.page.live_page.cover_secrets", cover)
    return found


async def test_screencast_is_clean_from_the_first_check_after_a_secret(checks):
    opened = SimpleNamespace(session=None)
    page = LivePage(opened, None, None, None, None)  # type: ignore[arg-type]
    known: list[float | None] = []
    checks += [1.0, None, None, 4.0, 5.0, PageFailed("It hangs."), 7.0, 8.0]
    while checks:
        known.append(await page.screencast.check())
    assert known == [0.0, None, None, 4.0, 4.0, None, 7.0, 7.0]

"""Time limits that apply only until a resource is open."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import MockClock

from tabwright.browser.launch import _opened
from tabwright.concurrency.timers import lift
from tabwright.protocol.errors import BrowserUnavailable


@asynccontextmanager
async def opening(seconds: float) -> AsyncGenerator[str]:
    """Take `seconds` to open, shielded from cancellation."""
    with trio.CancelScope(shield=True):
        await trio.sleep(seconds)
    yield "browser"


async def test_timeout_lifted_in_time_does_not_cancel(autojump_clock: MockClock) -> None:
    with trio.fail_after(2) as limit:
        await trio.sleep(1)
        await lift(limit)
        await trio.sleep(10)


async def test_timeout_expired_in_shielded_step_cannot_be_lifted(
    autojump_clock: MockClock,
) -> None:
    with pytest.raises(trio.TooSlowError):
        with trio.fail_after(2) as limit:
            with trio.CancelScope(shield=True):
                await trio.sleep(3)
            await lift(limit)
            pytest.fail("the limit has passed")


async def test_browser_exceeding_start_timeout_in_last_step_is_unavailable(
    autojump_clock: MockClock,
) -> None:
    with pytest.raises(BrowserUnavailable) as caught:
        async with _opened(opening(3), 2):
            pytest.fail("a browser that is late is not handed out")
    assert caught.value.retryable


async def test_browser_that_started_in_time_is_not_limited(autojump_clock: MockClock) -> None:
    async with _opened(opening(1), 2) as browser:
        await trio.sleep(10)
    assert browser == "browser"

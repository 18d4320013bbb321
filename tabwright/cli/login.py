"""``tabwright login``: a person logs in to a site in a window, and the session is kept."""

import sys
from collections.abc import Callable
from contextlib import suppress

import attrs
import trio

from tabwright.app import open_tabwright
from tabwright.cli.output import StepLines, print_outcome
from tabwright.client import Tabwright
from tabwright.config.settings import Settings
from tabwright.environment import Environment
from tabwright.protocol.errors import BadInput, BrowserDied, SessionMissing, TabClosed, TabLost
from tabwright.protocol.inspection import LocateOnPage
from tabwright.protocol.web_urls import completed

LOOK_S = 1.0
"""Seconds between two reads of the cookies, which are lost with the window."""


async def login(
    settings: Settings, environment: Callable[[Settings], Environment], url: str, session: str
) -> int:
    """Open a page in a window, wait until the person has logged in, and save the session.

    Returns the exit code. Cancellation saves nothing.
    """
    shown = attrs.evolve(settings, browser=attrs.evolve(settings.browser, headless=False))

    async def work() -> str:
        """Return where the log-in is kept."""
        async with open_tabwright(shown, environment(shown)) as tabwright:
            await tabwright.enter(completed(url), session=session, progress=StepLines())
            sys.stderr.write("Log in, then press Enter here or close the tab.\n")
            await _done(tabwright, session)
            if session == settings.own_session:
                place = "in your browser or profile"
            else:
                place = f"in {await tabwright.save_session(session)}"
        return f"The log-in is kept {place}. Use it with the session {session!r}."

    return await print_outcome(work, as_json=False)


async def _done(tabwright: Tabwright, session: str) -> None:
    """Wait until the person presses Enter, or closes the tab or the window."""
    async with trio.open_nursery() as either:

        async def entered() -> None:
            """Wait for a line; at the end of the input, only the tab can be closed."""
            if await trio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True):
                either.cancel_scope.cancel()

        either.start_soon(entered)
        with suppress(TabClosed, TabLost, BrowserDied, SessionMissing):
            while True:
                with suppress(BadInput):  # the URL that the log-in has led to is not allowed
                    await tabwright.inspect(LocateOnPage(), session=session)
                await tabwright.storage_state(session)  # notes them
                await trio.sleep(LOOK_S)
        either.cancel_scope.cancel()

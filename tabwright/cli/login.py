"""``tabwright session login``: a person logs in to a site, in a window or in the live view."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import attrs
import trio

from tabwright.app import open_tabwright
from tabwright.browser.machine import display_problem
from tabwright.cli.output import StepLines, print_outcome
from tabwright.client import Tabwright
from tabwright.config.settings import Settings
from tabwright.control.client import ANSWER_S, answers_and_errors
from tabwright.control.transport import LogInRequest
from tabwright.environment import Environment
from tabwright.protocol.errors import BadInput, BrowserDied, SessionMissing, TabClosed, TabLost
from tabwright.protocol.inspection import LocateOnPage
from tabwright.protocol.web_urls import completed
from tabwright.sessions.store import SessionFiles, sessions_folder

POLL_S = 1.0
"""Seconds between two reads of the cookies, which are lost with the window."""


LINK_S = 3600.0
"""Seconds in which the link to the live view can be used."""

NO_LOG_IN = "The site has set no cookies and no storage, so you may not be logged in.\n"


async def login(
    settings: Settings, environment: Callable[[Settings], Environment], url: str, session: str
) -> int:
    """Open a page, wait until the person has logged in, and save the session.

    It is shown in a window, or in the live view if no window can open. Returns the exit code.
    Cancellation saves nothing.
    """
    problem = await trio.to_thread.run_sync(display_problem, os.environ)
    in_view = problem is not None and settings.view.address is not None
    browser = settings.browser if in_view else attrs.evolve(settings.browser, headless=False)
    shown = attrs.evolve(settings, browser=browser)

    async def work() -> str:
        """Return where the log-in is kept."""
        files = SessionFiles(sessions_folder(settings.session.dir))
        before = files.read(session)
        async with open_tabwright(shown, environment(shown)) as tabwright:
            await tabwright.session(session).enter(completed(url), progress=StepLines())
            place = f" at {await tabwright.view_link(valid_s=LINK_S)}" if in_view else ""
            sys.stderr.write(f"Log in{place}, then press Enter here or close the tab.\n")
            await _done(tabwright, session)
            if session == settings.own_session:
                return f"The log-in is kept in your browser or profile. {_usage(session)}"
            path = await tabwright.session(session).save()
        saved = files.read(session)
        if not (saved.cookies or saved.storage):
            sys.stderr.write(NO_LOG_IN)
        request = LogInRequest.of(session, Path(path), before, saved)
        used = await _use_in_servers(request, settings.network.page_timeout_s)
        return "\n".join([f"The log-in is kept in {path}. {_usage(session)}", *used])

    return await print_outcome(work, as_json=False)


def _usage(session: str) -> str:
    return f"Use it with the session {session!r}."


async def _use_in_servers(request: LogInRequest, page_timeout_s: float) -> Sequence[str]:
    """Use a saved log-in in the running servers that have its session open, and name them.

    A session may be loading a page. A server that fails is reported on standard error.
    """
    within_s = page_timeout_s + ANSWER_S
    answers, errors = await answers_and_errors("log_in", bool, within_s, request)
    sys.stderr.writelines(f"{error}\n" for error in errors)
    return [
        f"Server {server.pid} has this session open and uses the log-in from the next page on."
        for server, used in answers
        if used
    ]


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
                    await tabwright.session(session).inspect(LocateOnPage())
                await tabwright.session(session).storage_state()  # notes them
                await trio.sleep(POLL_S)
        either.cancel_scope.cancel()

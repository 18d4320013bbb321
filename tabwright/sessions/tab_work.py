"""Work in a tab of a session: an action or an inspection, and what it leads to."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TypeVar

import attrs
import trio

from tabwright.protocol.actions import Action, Outcome
from tabwright.protocol.actor import Address
from tabwright.protocol.inspection import Evaluation, Inspection, OutlineText
from tabwright.protocol.progress import OnProgress, ignore_progress
from tabwright.protocol.tab import Tab
from tabwright.sessions.session import NamedSession
from tabwright.sessions.session_tab import SessionTab

AnswerT = TypeVar("AnswerT")


@asynccontextmanager
async def _tab_at_work(
    session: NamedSession, number: int | None, progress: OnProgress, *, blank: bool = False
) -> AsyncGenerator[tuple[SessionTab, Address[Tab]]]:
    """Use a tab of the session, in which its page is loaded if necessary."""
    async with session.turn():
        tab = await session.tab_for_actions(number, progress, blank=blank)
    with session.tabs.losing(tab):
        async with tab.acting(progress) as asked:
            yield tab, asked


async def acted(
    found: NamedSession,
    action: Action,
    number: int | None,
    progress: OnProgress,
    nursery: trio.Nursery,
) -> Outcome:
    """Perform an action in a tab of the session, and follow its effects; see `Sessions.act`.

    The storage of the page is read in the nursery. Cancellation stops what can still be stopped.
    """
    async with found.shared() as session:  # in all, so that the tab cannot be closed in between
        async with _tab_at_work(session, number, progress) as (tab, asked):
            outcome = await asked.ask(Tab.act, action)
        if outcome.dialog is None:
            nursery.start_soon(tab.note)  # the tab may be lost at any time
        done = await session.follow_effects(tab, outcome, progress)
        return attrs.evolve(
            outcome,
            description=done.description,
            is_plain=done.is_plain,
            opened=(),
            tabs=done.tabs,
            meanwhile=done.meanwhile,
            notes=_with_notices(outcome, session, tab).notes,
        )


async def inspected(
    found: NamedSession,
    inspection: Inspection[AnswerT],
    number: int | None,
    progress: OnProgress = ignore_progress,
    *,
    blank: bool = False,
) -> AnswerT:
    """Inspect a tab of the session, and follow the effects of a script; see `Sessions.inspect`."""
    async with found.shared() as session:  # as for an action
        async with _tab_at_work(session, number, progress, blank=blank) as (tab, asked):
            answer = await asked.ask(Tab.inspect, inspection)
        if isinstance(answer, Evaluation):
            outcome = await session.follow_effects(tab, answer.outcome, progress)
            return attrs.evolve(answer, outcome=_with_notices(outcome, session, tab))
        if isinstance(answer, OutlineText):
            notices = *session.take_notices(), *tab.take_notices()
            return attrs.evolve(answer, notes=(*notices, *answer.notes))
        return answer


def _with_notices(outcome: Outcome, session: NamedSession, tab: SessionTab) -> Outcome:
    """Return the outcome with notes about the parts of the page that could not be restored."""
    notices = *session.take_notices(), *tab.take_notices()
    return attrs.evolve(outcome, notes=(*notices, *outcome.notes))

"""Requests to a tab of a session: its page is loaded if necessary, and effects are followed."""

from typing import TypeVar

import attrs
import trio

from tabwright.protocol.actions import Outcome
from tabwright.protocol.inspection import Evaluation, OutlineText
from tabwright.protocol.sessions import InTab
from tabwright.sessions.session import ReadingSession
from tabwright.sessions.session_tab import SessionTab

AnswerT = TypeVar("AnswerT")


async def ask_in_tab(
    found: ReadingSession, request: InTab[AnswerT], nursery: trio.Nursery
) -> AnswerT:
    """See `InTab`. The storage of the page is read in the nursery.

    Cancellation stops what can still be stopped of the request.
    """
    async with found.shared() as session:  # in all, so that the tab cannot be closed in between
        async with session.turn():
            tab = await session.be_live(request.tab, request.progress, blank=request.blank)
        with session.tabs.losing(tab):
            async with tab.acting(request.progress) as asked:
                answer = await asked.ask(request.request)
        if isinstance(answer, Evaluation):
            outcome = await session.come_along(tab, answer.outcome, request.progress)
            return attrs.evolve(answer, outcome=_with_notices(outcome, session, tab))
        if isinstance(answer, OutlineText):
            notices = *session.take_notices(), *tab.take_notices()
            return attrs.evolve(answer, notes=(*notices, *answer.notes))
        if isinstance(answer, Outcome):
            if answer.dialog is None:
                nursery.start_soon(tab.note)  # the tab may be lost at any time
            done = await session.come_along(tab, answer, request.progress)
            return attrs.evolve(
                answer,
                said=done.said,
                is_plain=done.is_plain,
                opened=(),
                tabs=done.tabs,
                meanwhile=done.meanwhile,
                notes=_with_notices(answer, session, tab).notes,
            )
        return answer


def _with_notices(outcome: Outcome, session: ReadingSession, tab: SessionTab) -> Outcome:
    """Return the outcome with notes about the parts of the page that could not be restored."""
    notices = *session.take_notices(), *tab.take_notices()
    return attrs.evolve(outcome, notes=(*notices, *outcome.notes))

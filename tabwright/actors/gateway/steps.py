"""The steps of a call's work on their way to an MCP client, which may be slow."""

from collections.abc import Callable
from itertools import count
from typing import TypeAlias

import attrs
import trio
from mcp.server.session import ServerSession

from tabwright.actors.gateway.questions import (
    ClientQuestion,
    ask_client,
    asks_by_result,
    can_be_asked,
)
from tabwright.mcp.client_requests import ModelWanted
from tabwright.protocol.ai_search import PersonNeeded, Step

ALIVE_EVERY_S = 15.0
"""Clients give a call up that shows no sign of life; the shortest time-out in use is 30 s."""


@attrs.frozen
class TaskLine:
    """Something that happened in a task, as a text to show."""

    text: str

    def __str__(self) -> str:
        return self.text


Told: TypeAlias = Step | ModelWanted | TaskLine
"""What may be told of a call while it is at work; as a `str` it is a text to show."""


class Steps:
    """Tells one client how its call goes: of a growing answer only the newest text.

    Args:
        session: that of the client.
        name: of the call.
        shown: what is shown of a text, such as one without secrets.
    """

    def __init__(
        self, session: ServerSession, name: str, shown: Callable[[str], str] = str
    ) -> None:
        self._session = session
        self._name = name
        self._shown = shown
        self._news = trio.Event()
        self._latest: Told | None = None
        self._questions: list[ClientQuestion] = []
        self._numbers = count(1)

    def put(self, step: Told) -> None:
        """Takes the next step; never waits."""
        self._latest = step
        if isinstance(step, PersonNeeded | ModelWanted) and self._asks(step):
            self._questions.append(step)
        self._news.set()

    def ends_with(self, question: ClientQuestion) -> bool:
        """Whether the call has to end for its client to be asked that."""
        return asks_by_result(self._session) and can_be_asked(self._session, question)

    async def forward(self) -> None:
        """Sends what comes, and the latest again as a sign of life, until cancelled."""
        async with trio.open_nursery() as asking:
            while True:
                with trio.move_on_after(ALIVE_EVERY_S):
                    await self._news.wait()
                self._news = trio.Event()
                while self._questions:
                    question = self._questions.pop()
                    asking.start_soon(ask_client, self._session, question, self._name)
                if self._latest is not None:
                    number = next(self._numbers)
                    await self._session.report_progress(
                        number, None, self._shown(str(self._latest))
                    )

    def _asks(self, question: ClientQuestion) -> bool:
        return not asks_by_result(self._session) and can_be_asked(self._session, question)

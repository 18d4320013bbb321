"""The steps of a search on their way to an MCP client, which may be slow."""

from itertools import count

import trio
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from tabwright.protocol.searching import PersonNeeded, Step

ALIVE_EVERY_S = 15.0
"""Clients give a call up that shows no sign of life; the shortest time-out in use is 30 s."""

OPENED = "accept"
"""What a client answers whose user will see to it."""


class Steps:
    """Tells one client how a search goes: of a growing answer only the newest text."""

    def __init__(self, session: ServerSession, name: str) -> None:
        self._session = session
        self._name = name
        self._news = trio.Event()
        self._latest: Step | None = None
        self._needs: list[PersonNeeded] = []
        self._numbers = count(1)

    def put(self, step: Step) -> None:
        """Takes the next step; never waits."""
        self._latest = step
        if isinstance(step, PersonNeeded):
            self._needs.append(step)
        self._news.set()

    async def forward(self) -> None:
        """Sends what comes, and the latest again as a sign of life, until cancelled."""
        async with trio.open_nursery() as asking:
            while True:
                with trio.move_on_after(ALIVE_EVERY_S):
                    await self._news.wait()
                self._news = trio.Event()
                while self._needs:
                    asking.start_soon(self._ask_person, self._needs.pop())
                if self._latest is not None:
                    number = next(self._numbers)
                    await self._session.report_progress(number, None, str(self._latest))

    async def _ask_person(self, need: PersonNeeded) -> None:
        """Has the client bring the page before its user, where it can be asked."""
        if not (self._session.can_send_request and _shows_urls(self._session)):
            return
        try:
            answer = await self._session.elicit_url(need.text, need.url, f"captcha-{self._name}")
        except (MCPError, ValidationError):  # it could not after all; the window is open
            return
        if answer.action != OPENED:
            need.decline()


def asks_by_result(session: ServerSession) -> bool:
    """Whether the client is asked by the result of its call, and answers by calling again."""
    return not session.can_send_request and _shows_urls(session)


def _shows_urls(session: ServerSession) -> bool:
    able = session.client_capabilities
    return able is not None and able.elicitation is not None and able.elicitation.url is not None

"""Pages that pages open: held until somebody knows of them, then handed to who takes them over."""

from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

import trio

from tabwright.cdp.attaching import keep_attached
from tabwright.cdp.background import open_background
from tabwright.cdp.command import Command
from tabwright.cdp.domains import network, page, target
from tabwright.cdp.errors import CDPError
from tabwright.cdp.session import Session
from tabwright.cdp.wire import Nothing

WAITING_MAX = 32
"""Pages that one page has opened, and that nobody has taken over."""


class PopUps:
    """The pages of one browser that other pages have opened.

    Attached to only from when somebody first wants to know: every new page is held for a moment
    then, also those that we open ourselves.
    """

    def __init__(self) -> None:
        self._wanted = trio.Event()
        self._ready = trio.Event()
        self._openers: dict[str, deque[str]] = {}
        self._sessions: dict[str, Session] = {}

    async def attend(self, root: Session) -> None:
        """Attaches to them as they come, until the browser ends."""
        await self._wanted.wait()
        async with open_background() as nursery:
            welcome = partial(self._welcome, nursery)
            with suppress(CDPError):  # the browser's end is told by others
                await keep_attached(root, target.auto_attach_pages(), welcome, self._ready.set)

    @contextmanager
    def of(self, opener: str) -> Generator[deque[str]]:
        """The targets that a page opens while the block runs, as they come."""
        self._wanted.set()
        opened = self._openers[opener] = deque[str](maxlen=WAITING_MAX)
        try:
            yield opened
        finally:
            del self._openers[opener]

    async def ready(self) -> None:
        """Waits until nothing that is opened is missed any more."""
        await self._ready.wait()

    def take(self, target_id: str) -> Session | None:
        """The session of one, for whoever takes it over; None where there is none."""
        return self._sessions.pop(target_id, None)

    def _welcome(
        self, nursery: trio.Nursery, arrival: target.AttachedToTarget, session: Session
    ) -> Sequence[Command[Nothing]]:
        info = arrival.target_info
        opened = self._openers.get(info.opener_id or "")
        if opened is None:
            return ()
        opened.append(info.target_id)
        self._sessions[info.target_id] = session
        nursery.start_soon(self._let_go_on, info.target_id, session)
        return (page.enable(), page.set_lifecycle_events_enabled(), network.enable())

    async def _let_go_on(self, target_id: str, session: Session) -> None:
        """Answers dialogs of one that nobody has taken over: they stop its opener too."""
        with suppress(CDPError), session.subscribe(page.DialogOpening) as dialogs:
            async for _ in dialogs:
                if target_id not in self._sessions:
                    break
                await session.execute(page.handle_dialog(accept=False))

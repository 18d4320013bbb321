"""Pages that pages open: held until somebody knows of them, then handed to who takes them over."""

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TypeAlias

import attrs
import trio

from tabwright.cdp.domains import page, runtime, target
from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.cdp.session import NEW_PAGE, CDPSession, Subscription, keep_attached
from tabwright.cdp.wire import CDPCommand, Nothing
from tabwright.concurrency.nursery import background_nursery

WAITING_MAX = 32
"""Pages that one page has opened, and that nobody has taken over; one more is closed at once."""

CLOSE_S = 1.0
"""For the browser to close some of them."""

RUN_S = 0.5
"""For one to run before it is closed."""

Opened: TypeAlias = Callable[[str], None]
"""Told of the target of a page that another has opened, at once."""

Answer: TypeAlias = Callable[[page.DialogOpening], CDPCommand[Nothing]]
"""Told of a dialog that nobody can see yet; gives the answer to it."""


@attrs.frozen(eq=False)
class _Opener:
    """A page that opens others."""

    opened: Opened
    answer: Answer


@attrs.frozen(eq=False)
class _PopUp:
    """A page that nobody has taken over yet."""

    session: CDPSession
    opener: str
    dialogs: Subscription[page.DialogOpening]


class PopupTracker:
    """The pages of one browser that other pages have opened.

    Attached to only from when somebody first wants to know: every new page is held for a moment
    then, also those that we open ourselves.
    """

    def __init__(self) -> None:
        self._wanted = trio.Event()
        self._ready = trio.Event()
        self._root: CDPSession | None = None
        self._openers: dict[str, _Opener] = {}
        self._waiting: dict[str, _PopUp] = {}

    async def attend(self, root: CDPSession) -> None:
        """Attaches to them as they come, until the browser ends."""
        self._root = root
        await self._wanted.wait()
        async with background_nursery() as nursery:
            welcome = partial(self._welcome, nursery)
            with suppress(CDPError):  # the browser's end is told by others
                await keep_attached(root, target.auto_attach_pages(), welcome, self._ready.set)

    @asynccontextmanager
    async def of(self, opener: str, opened: Opened, answer: Answer) -> AsyncGenerator[None]:
        """Tells of the pages that a page opens while the block runs, as they come.

        Those that nobody has taken over by its end are closed.

        Args:
            opener: the target of that page.
            opened: is told of each.
            answer: for their dialogs, which stop their opener too.
        """
        self._wanted.set()
        self._openers[opener] = _Opener(opened, answer)
        try:
            yield
        finally:
            del self._openers[opener]
            await self.close(self._waiting_of(opener))

    async def ready(self) -> None:
        """Waits until nothing that is opened is missed any more."""
        await self._ready.wait()

    def opener_of(self, target_id: str) -> str:
        """Who has opened a page that nobody has taken over; empty for nobody."""
        known = self._waiting.get(target_id)
        return known.opener if known else ""

    def take(self, target_id: str) -> CDPSession | None:
        """The session of one, for the caller that takes it over; None where there is none.

        From now on its dialogs are theirs to answer.
        """
        known = self._waiting.pop(target_id, None)
        if known is None:
            return None
        known.dialogs.close()
        return known.session

    async def close(self, targets: Iterable[str]) -> None:
        """Closes those that nobody has taken over; also when it is cancelled."""
        unwanted = {one: session for one in targets if (session := self.take(one)) is not None}
        with trio.move_on_after(CLOSE_S, shield=True):
            async with trio.open_nursery() as nursery:
                for target_id, session in unwanted.items():
                    nursery.start_soon(self._close, target_id, session)

    def _waiting_of(self, opener: str) -> list[str]:
        return [one for one, pop_up in self._waiting.items() if pop_up.opener == opener]

    def _welcome(
        self, nursery: trio.Nursery, arrival: target.AttachedToTarget, session: CDPSession
    ) -> Sequence[CDPCommand[Nothing]]:
        opener, target_id = arrival.target_info.opener_id or "", arrival.target_info.target_id
        own = self._openers.get(opener)
        if own is None:
            return ()
        if len(self._waiting_of(opener)) >= WAITING_MAX:
            nursery.start_soon(self._close, target_id, session)
            return ()
        own.opened(target_id)
        pop_up = _PopUp(session, opener, session.subscribe(page.DialogOpening))
        self._waiting[target_id] = pop_up
        nursery.start_soon(_let_go_on, pop_up, own.answer)
        return NEW_PAGE

    async def _close(self, target_id: str, session: CDPSession) -> None:
        """Closes one once it runs: its opener hangs for good where it is closed while held."""
        with suppress(CDPError), trio.move_on_after(RUN_S):
            await session.execute(runtime.run_if_waiting_for_debugger())
        with suppress(CDPError):  # it has closed itself
            if self._root is not None:
                await self._root.execute(target.close_target(target_id))


async def _let_go_on(pop_up: _PopUp, answer: Answer) -> None:
    """Answers dialogs of one until somebody takes it over: they stop its opener too."""
    with suppress(CDPError), pop_up.dialogs:
        async for dialog in pop_up.dialogs:
            with suppress(CommandFailed):  # it has gone with its document
                await pop_up.session.execute(answer(dialog))

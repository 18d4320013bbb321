"""Pages that pages open: paused until a watcher is notified, then passed to the adopting tab."""

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
"""Maximum number of unadopted pages that a page has opened; further ones are closed at once."""

CLOSE_S = 1.0
"""Seconds for the browser to close some of them."""

RUN_S = 0.5
"""Seconds for a page to start running before it is closed."""

Opened: TypeAlias = Callable[[str], None]
"""Called at once with the target of a page that another page has opened."""

Answer: TypeAlias = Callable[[page.DialogOpening], CDPCommand[Nothing]]
"""Called with a dialog that is not visible yet; returns the answer to it."""


@attrs.frozen(eq=False)
class _Opener:
    """A page that opens others.

    Attributes:
        keeps: whether the pages that are not adopted stay open.
        known: the targets that were reported: a page can be attached to again.
    """

    opened: Opened
    answer: Answer
    keeps: bool = False
    known: set[str] = attrs.field(factory=set[str])


@attrs.frozen(eq=False)
class _PopUp:
    """A page that is not adopted yet."""

    session: CDPSession
    opener: str
    dialogs: Subscription[page.DialogOpening]


class PopupTracker:
    """The pages of one browser that other pages have opened.

    The tracker attaches to pages only after the first watcher: from then on every new page is
    paused for a moment, including those that we open ourselves.
    """

    def __init__(self) -> None:
        self._wanted = trio.Event()
        self._ready = trio.Event()
        self._root: CDPSession | None = None
        self._openers: dict[str, _Opener] = {}
        self._waiting: dict[str, _PopUp] = {}

    async def attend(self, root: CDPSession) -> None:
        """Attach to new pages until the browser ends."""
        self._root = root
        await self._wanted.wait()
        async with background_nursery() as nursery:
            welcome = partial(self._welcome, nursery)
            with suppress(CDPError):  # the end of the browser is reported elsewhere
                await keep_attached(root, target.auto_attach_pages(), welcome, self._ready.set)

    @asynccontextmanager
    async def of(
        self, opener: str, opened: Opened, answer: Answer, *, keeps: bool = False
    ) -> AsyncGenerator[None]:
        """Report the pages that a page opens while the block runs.

        Pages that are not adopted by the end of the block are closed, unless they are the user's.

        Args:
            opener: the target of that page.
            opened: called with each opened page.
            answer: answers their dialogs, which block their opener too.
            keeps: whether the user may have opened them, so that they are never closed.
        """
        self._wanted.set()
        self._openers[opener] = _Opener(opened, answer, keeps)
        try:
            yield
        finally:
            del self._openers[opener]
            if keeps:
                for one in self._waiting_of(opener):
                    self.take(one)
            else:
                await self.close(self._waiting_of(opener))

    async def ready(self) -> None:
        """Wait until every new page is noticed."""
        await self._ready.wait()

    def opener_of(self, target_id: str) -> str:
        """Return the opener of a page that is not adopted; empty if there is none."""
        known = self._waiting.get(target_id)
        return known.opener if known else ""

    def take(self, target_id: str) -> CDPSession | None:
        """Return the session of a page for the tab that adopts it, or None if there is none.

        From then on that tab answers the dialogs of the page.
        """
        known = self._waiting.pop(target_id, None)
        if known is None:
            return None
        known.dialogs.close()
        return known.session

    async def close(self, targets: Iterable[str]) -> None:
        """Close the pages that are not adopted, even if cancelled."""
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
        if own is None or target_id in own.known:
            return ()
        own.known.add(target_id)
        if len(self._waiting_of(opener)) >= WAITING_MAX:
            if own.keeps:
                return ()
            nursery.start_soon(self._close, target_id, session)
            return ()
        own.opened(target_id)
        pop_up = _PopUp(session, opener, session.subscribe(page.DialogOpening))
        self._waiting[target_id] = pop_up
        nursery.start_soon(_let_go_on, pop_up, own.answer)
        return NEW_PAGE

    async def _close(self, target_id: str, session: CDPSession) -> None:
        """Close a page once it runs: closing a paused page makes its opener hang forever."""
        with suppress(CDPError), trio.move_on_after(RUN_S):
            await session.execute(runtime.run_if_waiting_for_debugger())
        with suppress(CDPError):  # it has closed itself
            if self._root is not None:
                await self._root.execute(target.close_target(target_id))


async def _let_go_on(pop_up: _PopUp, answer: Answer) -> None:
    """Answer the dialogs of a page until it is adopted: they block its opener too."""
    with suppress(CDPError), pop_up.dialogs:
        async for dialog in pop_up.dialogs:
            with suppress(CommandFailed):  # it disappeared with its document
                await pop_up.session.execute(answer(dialog))

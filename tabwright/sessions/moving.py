"""Sessions that move between the processes of a fleet, with their saved state."""

from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress

import attrs
import msgspec
import trio

from tabwright.protocol.errors import (
    BadInput,
    FleetUnavailable,
    SessionBusy,
    SessionMoved,
    Unanswered,
    Undelivered,
)
from tabwright.sessions.directory import Claim, ReleaseMode
from tabwright.sessions.leases import HANDOVER_S, POLL_S, SessionLease, SessionLeases
from tabwright.sessions.session import NamedSession
from tabwright.sessions.sleeping import SleepingSession

SAVE_S = 1.0
"""The minimum time between two writes of the state of a session; a failed one is tried again."""

DRAIN_S = 1.5
"""The time limit for saving all sessions when the process ends."""

PAGES_S = 0.5
"""The time limit for reading the open pages of a session that is handed over."""

LAST_READ_S = 0.3
"""The time limit for reading the state of a session whose lease has ended, before it is closed. It
is below `GONE_MARGIN_S`, after which another process can have the session; half of it is for pages.
"""

REMEMBERED_MAX = 256
"""The maximum number of sessions that are remembered after they have ended here."""


def decoded(state: str) -> SleepingSession | None:
    """Return a saved state; None if there is none.

    Raises:
        BadInput: it cannot be read, for example because a newer version has written it.
    """
    if not state:
        return None
    try:
        read = msgspec.json.decode(state, type=SleepingSession)
        if all(tab.number != read.current for tab in read.tabs):
            raise msgspec.ValidationError("no current tab")
    except msgspec.MsgspecError as error:
        raise BadInput(
            "The saved session in Redis cannot be read.",
            advice="Run the same version of tabwright in all processes, or use another session.",
        ) from error
    return read


@attrs.define(eq=False)
class MovingSessions:
    """The sessions of this process that it owns in the fleet.

    A state is saved after requests, at most each `SAVE_S` seconds, if it has changed; and when the
    session is handed over or the process ends, then with what is in its open pages. If a lease ends
    because Redis is away, the state is remembered here, and used if this process is also the next
    one that has the session.
    """

    _nursery: trio.Nursery
    _leases: SessionLeases
    _read: Callable[[NamedSession, float], Awaitable[SleepingSession]]
    """Returns the state of a session, with what its open pages tell within so many seconds."""

    _end: Callable[[NamedSession, ReleaseMode], Awaitable[None]]
    _open: Mapping[str, NamedSession]
    _names: defaultdict[str, trio.Lock] = attrs.field(
        factory=lambda: defaultdict[str, trio.Lock](trio.Lock), init=False
    )

    _unsaved: dict[str, tuple[int, str]] = attrs.field(
        factory=dict[str, tuple[int, str]], init=False
    )

    def __attrs_post_init__(self) -> None:
        self._leases.on_lost = self._lost
        self._leases.on_requested = self._requested
        self._nursery.start_soon(self._leases.run)

    @property
    def worker(self) -> str:
        """Return the name of this process in the fleet."""
        return self._leases.worker

    @asynccontextmanager
    async def acquired(self, name: str, *, only_open: bool) -> AsyncGenerator[SessionLease | None]:
        """Own a session for the block, in which it is opened; None if this process has it open.

        If the block fails, the session is released as it was.

        Raises:
            SessionBusy: another process uses it.
            SessionMissing: it is not open, and `only_open` is set.
            FleetUnavailable: Redis does not respond.
        """
        async with self._alone(name):
            if await self._is_here(name):
                yield None
                return
            lease = await self._leases.acquire(name, only_open=only_open)
            unsaved = self._take_unsaved(name, lease.claim) if lease else ""
            if lease is not None and unsaved:
                lease.claim = attrs.evolve(lease.claim, live=unsaved)
            try:
                yield lease
            except BaseException:
                if lease is not None:
                    if unsaved:
                        self._unsaved[name] = (lease.claim.epoch, unsaved)
                    with trio.CancelScope(shield=True):
                        await self._leases.release(lease, "moves")
                raise

    def _take_unsaved(self, name: str, claim: Claim) -> str:
        """Return the state that was remembered, if no other process had the session meanwhile.

        The epoch alone does not prove that: it starts over if Redis has lost its data.
        """
        epoch, state = self._unsaved.pop(name, (0, ""))
        is_next = claim.epoch == epoch + 1 and claim.owner == self._leases.process
        return state if is_next else ""

    @asynccontextmanager
    async def _alone(self, name: str) -> AsyncGenerator[None]:
        """Exclude other calls that ask for the same session; its lock is kept while it is used."""
        lock = self._names[name]
        try:
            async with lock:
                yield
        finally:
            if not lock.locked():  # no task waits for it
                self._names.pop(name, None)

    async def _is_here(self, name: str) -> bool:
        """Return whether a session can be used here, once it is no longer being handed over."""
        give_up_s = trio.current_time() + HANDOVER_S
        while (session := self._open.get(name)) is not None and (lease := session.lease):
            if lease.holds and not lease.is_requested:
                return True
            if trio.current_time() > give_up_s:
                raise SessionBusy(name, self.worker)
            await trio.sleep(POLL_S)
        return False

    def begin(self, session: NamedSession, lease: SessionLease) -> None:
        """Keep the state of a session saved until its lease ends, which it may have by now."""
        session.lease = lease
        self._nursery.start_soon(self._keep_saved, session, lease)
        if not lease.holds:
            self._nursery.start_soon(self._end, session, "moves")
        elif lease.is_requested:
            self._requested(lease)

    async def keep(self, session: NamedSession) -> None:
        """Save a session also for the time after it is closed.

        Raises:
            FleetUnavailable: Redis does not respond.
            SessionMoved: this process does not have it any more.
        """
        if (lease := session.lease) is None:
            return
        async with lease.saving:
            if not await self._save(session, lease, keep=True):
                raise SessionMoved(session.name, begun=True)

    async def release(self, session: NamedSession, mode: ReleaseMode) -> None:
        """Release a session that was closed, if this process still has it.

        Raises:
            FleetUnavailable, SessionMoved: it should be forgotten, and may not be.
        """
        try:
            if (lease := session.lease) is None:
                return
            if not lease.is_over:
                await self._leases.release(lease, mode)
            elif mode == "forgets":
                raise SessionMoved(session.name, begun=True)
        finally:
            session.used.set()  # ends its `_keep_saved`

    async def drain(self) -> None:
        """Save all sessions and release them, within `DRAIN_S` seconds, even if cancelled."""
        with trio.move_on_after(DRAIN_S, shield=True):
            async with trio.open_nursery() as nursery:
                for session in self._open.values():
                    nursery.start_soon(self._hand_over, session)

    async def _hand_over(self, session: NamedSession) -> None:
        if (lease := session.lease) is not None:
            async with lease.saving:
                if lease.holds:
                    await self._is_saved(session, lease, pages_s=PAGES_S)
                    await self._leases.release(lease, "moves")

    async def _keep_saved(self, session: NamedSession, lease: SessionLease) -> None:
        while not lease.is_over:
            await session.used.wait()
            session.used = trio.Event()
            async with lease.saving:
                is_here = lease.holds and self._open.get(session.name) is session
                if is_here and not await self._is_saved(session, lease):
                    session.used.set()  # it is tried again
            if is_here:
                await trio.sleep(SAVE_S)

    async def _is_saved(
        self, session: NamedSession, lease: SessionLease, *, pages_s: float = 0.0
    ) -> bool:
        """Save the state of a session; False if Redis does not respond."""
        try:
            with suppress(Undelivered, Unanswered):  # a lost fetcher has lost the cookies too
                await self._save(session, lease, pages_s=pages_s)
        except FleetUnavailable:
            return False
        return True

    async def _save(
        self,
        session: NamedSession,
        lease: SessionLease,
        *,
        keep: bool = False,
        pages_s: float = 0.0,
    ) -> bool:
        """Save the state of a session if it has changed; False if it is at another process.

        Raises:
            FleetUnavailable: Redis does not respond.
            Undelivered, Unanswered: the fetcher was lost.
        """
        text = await self._state_of(session, pages_s)
        if lease.is_over:
            return False
        is_new = keep or text != lease.saved
        return not is_new or await self._leases.save(lease, text, keep=keep)

    async def _state_of(self, session: NamedSession, pages_s: float) -> str:
        return msgspec.json.encode(await self._read(session, pages_s)).decode()

    def _requested(self, lease: SessionLease) -> None:
        self._nursery.start_soon(self._give_away, lease)

    async def _give_away(self, lease: SessionLease) -> None:
        """Hand a session over once no call uses it, as long as it is requested."""
        session = self._open.get(lease.session)
        if session is None or session.lease is not lease:
            return
        while session.waiting:
            if not (lease.is_requested and lease.holds):
                return
            await trio.sleep(POLL_S / 4)
        await self._hand_over(session)
        await self._end(session, "moves")

    def _lost(self, lease: SessionLease) -> None:
        session = self._open.get(lease.session)
        if session is not None and session.lease is lease:
            self._nursery.start_soon(self._end_lost, session, lease)

    async def _end_lost(self, session: NamedSession, lease: SessionLease) -> None:
        """Close a session whose lease has ended, and remember its state if it was not saved."""
        if not lease.is_refused:
            with trio.move_on_after(LAST_READ_S), suppress(Undelivered, Unanswered):
                state = await self._state_of(session, LAST_READ_S / 2)
                if state != lease.saved:
                    self._unsaved[session.name] = (lease.claim.epoch, state)
            for name in list(self._unsaved)[:-REMEMBERED_MAX]:
                del self._unsaved[name]
        await self._end(session, "moves")

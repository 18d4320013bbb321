"""The sessions of a fleet that this process owns: leases, their renewal, and their loss.

An owner renews its leases each `HEARTBEAT_S` seconds. It stops using a session `MARGIN_S` seconds
before the lease ends in the directory, by its own monotonic clock, counted from before the renewal
was sent. So two processes use a session at the same time only if their clocks differ in speed by
more than `MARGIN_S` in a lease.

The directory ends the leases of a process sooner, `GONE_S` seconds after another one asks, once the
connection has ended by which it knows that the process lives. A process that lives renews them at
once then, or stops `GONE_MARGIN_S` seconds before.
"""

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager
from uuid import uuid4

import attrs
import trio

from tabwright.protocol.errors import Effect, FleetUnavailable, SessionBusy, SessionMoved
from tabwright.sessions.directory import Claim, ReleaseMode, SessionDirectory

HEARTBEAT_S = 0.5
"""How often leases are renewed, and how soon an owner notices that a session is requested."""

MARGIN_S = 1.5
"""How long before the end of its lease an owner stops."""

GONE_MARGIN_S = 0.35
"""The same for a lease that is cut short because the connection of its owner has ended."""

HANDOVER_S = 10.0
"""How long a call waits for a session that another process uses."""

POLL_S = 0.2
"""How often it asks for it."""


@attrs.define(eq=False)
class SessionLease:
    """The ownership of a session.

    Attributes:
        session: its name.
        claim: how it was acquired.
        until_s: when it ends, by trio's clock, unless it is renewed.
        is_requested: whether another process waits for the session: no new call begins then.
        is_over: whether it was released or lost.
        is_refused: whether the directory has reported another owner of the session since.
        saved: the state that was saved last by this owner; empty for none.
        saving: held while its state is read and saved, and while it is handed over.
    """

    session: str
    claim: Claim
    until_s: float
    is_requested: bool = attrs.field(default=False, init=False)
    is_over: bool = attrs.field(default=False, init=False)
    is_refused: bool = attrs.field(default=False, init=False)
    saved: str = attrs.field(default="", init=False)
    saving: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _asked_s: float = attrs.field(default=-math.inf, init=False)
    _calls: set[trio.CancelScope] = attrs.field(factory=set[trio.CancelScope], init=False)

    @property
    def holds(self) -> bool:
        """Return whether the session can be used now."""
        return not self.is_over and trio.current_time() < self.until_s

    @contextmanager
    def guard(self, call: trio.CancelScope) -> Generator[None]:
        """End a call when the lease does, however it does; `call` must be a scope in the block.

        Raises:
            SessionMoved: it is over already.
        """
        if not self.holds:
            raise SessionMoved(self.session, begun=False)
        self._calls.add(call)
        call.deadline = min(call.deadline, self.until_s)
        try:
            yield
        finally:
            self._calls.discard(call)

    def renew(self, asked_s: float, until_s: float, *, is_requested: bool) -> bool:
        """Note the answer to a renewal; False if it was asked for before the latest one."""
        if asked_s < self._asked_s:
            return False
        self._asked_s = asked_s
        self.is_requested = is_requested
        self.hold_until(until_s)
        return True

    def hold_until(self, until_s: float) -> None:
        """Note a new end, after a renewal or the end of a connection."""
        self.until_s = until_s
        for call in self._calls:
            call.deadline = until_s

    def end(self) -> None:
        """Note the end, and end the calls."""
        self.is_over = True
        for call in self._calls:
            call.cancel()


@attrs.define(eq=False)
class SessionLeases:
    """The leases of this process for the sessions of one user.

    Attributes:
        worker: the name of this process in the fleet.
        lease_s: how long a lease lasts in the directory.
        gone_s: how long it lasts there once the connection of this process has ended.
        process: its name in the directory, which no other process has or had.
        on_lost: is called with a lease that was lost; must not block.
        on_requested: is called with a lease when another process begins to wait for its session;
            must not block.
    """

    _directory: SessionDirectory
    worker: str
    lease_s: float
    gone_s: float
    on_lost: Callable[[SessionLease], None] = attrs.field(default=lambda _lease: None)
    on_requested: Callable[[SessionLease], None] = attrs.field(default=lambda _lease: None)
    process: str = attrs.field(init=False)
    _held: dict[str, SessionLease] = attrs.field(factory=dict[str, SessionLease], init=False)
    _disconnected_s: float = attrs.field(default=-math.inf, init=False)

    def __attrs_post_init__(self) -> None:
        self.process = f"{self.worker}/{uuid4().hex[:8]}"  # one of the same name may still own it

    async def acquire(self, session: str, *, only_open: bool) -> SessionLease | None:
        """Own a session, once its owner hands it over or is dead; None if it is not open.

        Cancelled, it may be owned until its lease ends.

        Raises:
            SessionBusy: its owner did not hand it over in time.
            FleetUnavailable: the directory does not respond.
        """
        give_up_s = trio.current_time() + HANDOVER_S
        while True:
            asked_s = trio.current_time()
            try:
                claim = await self._directory.acquire(session, self.process, only_open=only_open)
            except FleetUnavailable as error:
                error.effect = Effect.NONE  # for the caller, whose call has not begun
                raise
            if claim is None:
                return None
            if claim.is_granted:
                lease = self._held[session] = SessionLease(session, claim, self._until_s(asked_s))
                return lease
            if trio.current_time() > give_up_s:
                raise SessionBusy(session, claim.owner.rpartition("/")[0])
            await trio.sleep(POLL_S)

    async def save(self, lease: SessionLease, state: str, *, keep: bool = False) -> bool:
        """Save the state of a session; False if this process has lost it, and so the lease.

        Raises:
            FleetUnavailable: the directory does not respond; it may have saved the state.
        """
        saved = await self._directory.save(
            lease.session, self.process, lease.claim.epoch, state, keep=keep
        )
        if saved:
            lease.saved = state
        else:
            lease.is_refused = True
            self._lose(lease)
        return saved

    async def release(self, lease: SessionLease, mode: ReleaseMode) -> None:
        """Release a session; if the directory does not respond, the lease ends by itself.

        Raises:
            FleetUnavailable: the directory does not respond, so it may not forget the session.
            SessionMoved: the session should be forgotten, but another process has it.
        """
        lease.end()
        if self._held.get(lease.session) is lease:
            del self._held[lease.session]
        forgets = mode == "forgets"
        try:
            released = await self._directory.release(
                lease.session, self.process, lease.claim.epoch, mode
            )
        except FleetUnavailable:
            if forgets:
                raise
            return
        if forgets and not released:
            raise SessionMoved(lease.session, begun=True)

    async def run(self) -> None:
        """Renew the leases until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch_connection, nursery)
            while True:
                await trio.sleep(HEARTBEAT_S)
                await self._renew()

    async def _watch_connection(self, nursery: trio.Nursery) -> None:
        while True:
            await self._directory.disconnected()
            self._disconnected_s = trio.current_time()
            for lease in self._held.values():
                lease.hold_until(min(lease.until_s, self._gone_s()))
            nursery.start_soon(self._renew)
            nursery.start_soon(self._lose_ended, self._gone_s())

    async def _lose_ended(self, at_s: float) -> None:
        """Lose the leases that are not renewed by a time."""
        await trio.sleep_until(at_s)
        for lease in tuple(self._held.values()):
            if not lease.holds:
                self._lose(lease)

    async def _renew(self) -> None:
        if not (leases := tuple(self._held.values())):
            return
        asked_s = trio.current_time()
        epochs = {lease.session: lease.claim.epoch for lease in leases}
        try:
            renewals = await self._directory.renew(self.process, epochs)
        except FleetUnavailable:
            await self._lose_ended(trio.current_time())
            return
        for lease, renewal in zip(leases, renewals, strict=True):
            if lease.is_over:
                continue
            if not renewal.is_owner or not lease.holds:  # what is over stays so
                lease.is_refused = not renewal.is_owner
                self._lose(lease)
                continue
            was_requested, asks = lease.is_requested, renewal.is_requested
            is_new = lease.renew(asked_s, self._until_s(asked_s), is_requested=asks)
            if is_new and asks and not was_requested:
                self.on_requested(lease)

    def _lose(self, lease: SessionLease) -> None:
        if self._held.get(lease.session) is lease:
            del self._held[lease.session]
        if not lease.is_over:
            lease.end()
            self.on_lost(lease)

    def _until_s(self, asked_s: float) -> float:
        """Return until when a lease holds that was granted or renewed as asked for at a time."""
        until_s = asked_s + self.lease_s - MARGIN_S
        return until_s if asked_s >= self._disconnected_s else min(until_s, self._gone_s())

    def _gone_s(self) -> float:
        return self._disconnected_s + self.gone_s - GONE_MARGIN_S

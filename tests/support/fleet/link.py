"""The connection of a process to what its fleet shares, with faults."""

from collections.abc import Awaitable, Callable, Mapping
from random import Random
from typing import ParamSpec, TypeVar

import attrs
import trio

from tabwright.config.engines import RatePolicy
from tabwright.protocol.errors import FleetUnavailable
from tabwright.ratelimit.shared_rates import Bid, LocalStarts, Meeting, SharedRates, SharedState
from tabwright.sessions.directory import Claim, ReleaseMode, Renewal, SessionDirectory

DELAY_S = 0.05
"""The usual maximum of a delay in either direction."""

P = ParamSpec("P")
AnswerT = TypeVar("AnswerT")


@attrs.define(eq=False)
class FleetLink:
    """A connection whose faults a simulation chooses.

    Attributes:
        within_s: the time limit of a call.
        is_lost: whether nothing arrives.
        is_dead: whether the process is dead: its calls end at once, and do nothing.
        paused_until_s: until when the process is paused: nothing arrives before.
    """

    _chance: Random
    within_s: float
    is_lost: bool = False
    is_dead: bool = False
    paused_until_s: float = 0.0
    _ended: trio.Event = attrs.field(factory=trio.Event, init=False)

    def reset(self) -> None:
        """Let the process notice that its connection has ended."""
        self._ended.set()
        self._ended = trio.Event()

    async def ended(self) -> None:
        """Return when the process notices it."""
        await self._ended.wait()
        await self.awake()

    def to(self, rates: SharedRates) -> SharedRates:
        """Return the store of shared rates at the other end."""
        return _LinkedRates(self, rates)

    def to_directory(self, directory: SessionDirectory) -> SessionDirectory:
        """Return the directory of sessions at the other end."""
        return _LinkedDirectory(self, directory)

    async def awake(self) -> None:
        """Wait while the process is paused."""
        while trio.current_time() < self.paused_until_s:
            await trio.sleep_until(self.paused_until_s)

    async def call(
        self,
        method: Callable[P, Awaitable[AnswerT]],
        /,
        *arguments: P.args,
        **named: P.kwargs,
    ) -> AnswerT:
        """Return what `method` does.

        Raises:
            FleetUnavailable: the connection was lost; it may have been done.
        """
        if self.is_dead:
            raise FleetUnavailable("The process is dead.")
        await self.awake()
        began_s = trio.current_time()
        await trio.sleep(self._chance.uniform(0, DELAY_S))
        if not self.is_lost:
            answer = await method(*arguments, **named)
            await trio.sleep(self._chance.uniform(0, DELAY_S))
            await self.awake()
            if not self.is_lost:
                return answer
        if not self.is_dead:
            await trio.sleep_until(began_s + self.within_s)
        raise FleetUnavailable("The connection is lost.")


@attrs.frozen
class _LinkedRates:
    """See `SharedRates`."""

    _link: FleetLink
    _rates: SharedRates

    async def meet(self, process: str, /) -> Meeting:
        return await self._link.call(self._rates.meet, process)

    async def reserve(self, site: str, bid: Bid, /) -> SharedState:
        return await self._link.call(self._rates.reserve, site, bid)

    async def begin(self, site: str, permit: str, /) -> SharedState:
        return await self._link.call(self._rates.begin, site, permit)

    async def renew(self, site: str, permit: str, /) -> SharedState:
        return await self._link.call(self._rates.renew, site, permit)

    async def release(self, site: str, permit: str, /) -> SharedState:
        return await self._link.call(self._rates.release, site, permit)

    async def refuse(
        self, site: str, pace: RatePolicy, retry_after_s: float | None, /
    ) -> SharedState:
        return await self._link.call(self._rates.refuse, site, pace, retry_after_s)

    async def answer(self, site: str, /) -> SharedState:
        return await self._link.call(self._rates.answer, site)

    async def merge(self, site: str, starts: LocalStarts, /) -> SharedState:
        return await self._link.call(self._rates.merge, site, starts)


@attrs.frozen
class _LinkedDirectory:
    """See `SessionDirectory`."""

    _link: FleetLink
    _directory: SessionDirectory

    async def acquire(self, session: str, process: str, /, *, only_open: bool) -> Claim | None:
        return await self._link.call(self._directory.acquire, session, process, only_open=only_open)

    async def renew(self, process: str, epochs: Mapping[str, int], /) -> tuple[Renewal, ...]:
        return await self._link.call(self._directory.renew, process, epochs)

    async def save(
        self, session: str, process: str, epoch: int, state: str, /, *, keep: bool
    ) -> bool:
        return await self._link.call(
            self._directory.save, session, process, epoch, state, keep=keep
        )

    async def disconnected(self) -> None:
        await self._link.ended()

    async def release(self, session: str, process: str, epoch: int, mode: ReleaseMode, /) -> bool:
        return await self._link.call(self._directory.release, session, process, epoch, mode)

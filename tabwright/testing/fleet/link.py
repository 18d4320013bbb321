"""The connection of a process to what its fleet shares, with faults."""

from collections.abc import Awaitable, Callable
from random import Random
from typing import ParamSpec, TypeVar

import attrs
import trio

from tabwright.config.engines import RatePolicy
from tabwright.protocol.errors import FleetUnavailable
from tabwright.ratelimit.shared_rates import Bid, LocalStarts, Meeting, SharedRates, SharedState

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
    """

    _chance: Random
    within_s: float
    is_lost: bool = False
    is_dead: bool = False

    def to(self, rates: SharedRates) -> SharedRates:
        """Return the keeper of shared rates at the other end."""
        return _LinkedRates(self, rates)

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
        began_s = trio.current_time()
        await trio.sleep(self._chance.uniform(0, DELAY_S))
        if not self.is_lost:
            answer = await method(*arguments, **named)
            await trio.sleep(self._chance.uniform(0, DELAY_S))
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

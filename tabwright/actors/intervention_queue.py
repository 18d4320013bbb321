"""The queue of interventions, and of the tabs that are reserved for them."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from random import Random

import attrs
import trio

from tabwright.concurrency.nursery import background_nursery
from tabwright.config.settings import PoolSettings
from tabwright.interventions.captcha_hold import CaptchaIntervention
from tabwright.protocol.actor import Address, Expiry
from tabwright.protocol.browser_pool import BrowserPool
from tabwright.protocol.errors import BadInput
from tabwright.protocol.interventions import (
    CallPerson,
    Intervention,
    PersonCalled,
    PersonsAnswer,
    Solution,
)
from tabwright.protocol.rate_limit import Governor
from tabwright.view.service import PrincipalView

ENDED_MAX = 32
"""The number of ended interventions that are still listed."""


@attrs.define(eq=False)
class InterventionQueue:
    """Answers what `tabwright.protocol.interventions.Interventions` asks. Each hold is a task."""

    _nursery: trio.Nursery
    _supervisor: Address[BrowserPool]
    _governor: Address[Governor]
    _view: PrincipalView
    _settings: PoolSettings
    _random: Random
    _holds: dict[str, CaptchaIntervention] = attrs.field(
        factory=dict[str, CaptchaIntervention], init=False
    )

    async def call_person(self, request: CallPerson, /) -> Intervention:
        hold = self._open_one(request) or self._begun(request)
        if request.held is None:
            await trio.lowlevel.checkpoint()
        else:
            await hold.offer(request.held)
        return hold.public_state()

    async def solution(
        self,
        over: Expiry,
        intervention: str,
        asker: object,
        calls: Callable[[PersonCalled], object],
    ) -> Solution:
        return await self._find(intervention).solution(over, asker, calls)

    async def answer(self, intervention: str, answer: PersonsAnswer) -> Intervention:
        hold = self._find(intervention)
        if not hold.state.is_open:
            raise BadInput(f"Intervention {hold.id} has ended: {hold.state}.")
        match answer:
            case "open":
                await hold.shown()
            case "solved" if not hold.public_state().held:
                raise BadInput(f"Nothing shows {hold.id} yet.", advice="Open it first.")
            case "solved":
                hold.poll_now()
            case "skip":
                await hold.declined()
        await trio.lowlevel.checkpoint()
        return hold.public_state()

    async def list_all(self) -> tuple[Intervention, ...]:
        await trio.lowlevel.checkpoint()
        return tuple(hold.public_state() for hold in self._holds.values())

    def _open_one(self, request: CallPerson) -> CaptchaIntervention | None:
        """Return the open intervention for the same site and profile, if any.

        A tab with a time of its own has its own cookies, so that another's answer does not help it.
        """
        for hold in self._holds.values():
            same = hold.call.site == request.site and hold.call.worker == request.worker
            is_shared = hold.call.within_s is None and request.within_s is None
            if same and is_shared and hold.state.is_open:
                return hold
        return None

    def _begun(self, request: CallPerson) -> CaptchaIntervention:
        ended = [name for name, hold in self._holds.items() if not hold.state.is_open]
        for name in ended[: max(0, len(ended) - ENDED_MAX)]:
            del self._holds[name]
        expiry_s = self._settings.hold_expiry_s
        hold = CaptchaIntervention(
            self._new_id(),
            request,
            self._supervisor,
            self._governor,
            self._view,
            expiry_s if request.within_s is None else request.within_s,
        )
        self._holds[hold.id] = hold
        self._nursery.start_soon(hold.run)
        return hold

    def _new_id(self) -> str:
        """Return an id that is short to type and most likely differs between servers."""
        while (name := f"{self._random.getrandbits(16):04x}") in self._holds:
            pass
        return name

    def _find(self, name: str) -> CaptchaIntervention:
        try:
            return self._holds[name]
        except KeyError:
            known = ", ".join(hold.id for hold in self._holds.values() if hold.state.is_open)
            raise BadInput(
                f"There is no intervention {name!r}.",
                advice=f"There are: {known}." if known else "No intervention is open.",
            ) from None


@asynccontextmanager
async def intervention_queue(
    supervisor: Address[BrowserPool],
    governor: Address[Governor],
    view: PrincipalView,
    settings: PoolSettings,
    random: Random,
) -> AsyncGenerator[InterventionQueue]:
    """Run a queue; stopping it releases every held tab."""
    async with background_nursery() as nursery:
        yield InterventionQueue(nursery, supervisor, governor, view, settings, random)

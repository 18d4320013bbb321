"""Type inference for the life of an actor: checked by mypy and pyright, never run."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Protocol, assert_type

import attrs
import trio

from tabwright.actors.kit.address import MailboxAddress
from tabwright.actors.kit.supervision import RestartPolicy, supervise
from tabwright.actors.kit.tracing import ActorStopped, ActorSystem, TraceRecord
from tabwright.concurrency.grants import hold_grant
from tabwright.protocol.actor import Address, Expiry


class Desk(Protocol):
    async def lend(self, request: "Lend", /) -> str: ...


@attrs.frozen
class Lend:
    over: Expiry


class Librarian:
    async def lend(self, _request: Lend, /) -> str:
        return ""


class Passer:
    """Plays no role."""


@asynccontextmanager
async def librarian() -> AsyncGenerator[Librarian]:
    yield Librarian()


@asynccontextmanager
async def passer() -> AsyncGenerator[Passer]:
    yield Passer()


async def an_address_is_that_of_the_child(system: ActorSystem) -> None:
    async with supervise(system, "desk", librarian, RestartPolicy()) as ai_search:
        assert_type(ai_search, MailboxAddress[Librarian])
        role: Address[Desk] = ai_search
        assert role


async def a_child_that_does_not_play_the_role_is_an_error(system: ActorSystem) -> None:
    async with supervise(system, "desk", passer, RestartPolicy()) as ai_search:
        role: Address[Desk] = ai_search  # type: ignore[assignment]
        assert role


async def a_life_is_made_anew_for_each_incarnation(system: ActorSystem) -> None:
    async with supervise(system, "desk", librarian(), RestartPolicy()):  # type: ignore[arg-type]
        ...


async def what_is_granted_is_inferred(ai_search: Address[Desk]) -> None:
    async with hold_grant(ai_search, Desk.lend, Lend) as book:
        assert_type(book, str)


async def only_what_takes_an_ending_can_be_granted(ai_search: Address[Desk]) -> None:
    def without_an_ending() -> Lend:
        return Lend(trio.Event())

    async with hold_grant(ai_search, Desk.lend, without_an_ending):  # type: ignore[arg-type]
        ...


def a_tracer_takes_every_record() -> None:
    def takes_some(record: ActorStopped) -> None: ...

    def takes_all(record: TraceRecord) -> None: ...

    ActorSystem(takes_all)
    ActorSystem(takes_some)  # type: ignore[arg-type]

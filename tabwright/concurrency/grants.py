"""Grants, such as leases and permits, that one actor gives to another.

The caller creates the event that ends the grant before the request, so that it can end the grant at
any moment, even if it is cancelled before the answer arrives.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar

import trio

from tabwright.protocol.actor import Address, Expiry

RoleT = TypeVar("RoleT")
RequestT = TypeVar("RequestT")
GrantedT = TypeVar("GrantedT")


@asynccontextmanager
async def hold_grant(
    giver: Address[RoleT],
    method: Callable[[RoleT, RequestT], Awaitable[GrantedT]],
    request: Callable[[Expiry], RequestT],
) -> AsyncGenerator[GrantedT]:
    """Request a grant from `giver` by a method of its role, and end it with the block.

    Raises:
        TabwrightError: as `Address.ask`.
    """
    over = trio.Event()
    try:
        yield await giver.ask(method, request(over))
    finally:
        over.set()


@contextmanager
def end_on_failure(over: trio.Event) -> Generator[None]:
    """End a grant if the block that requests it fails or is cancelled; else it outlives the block.

    So a grant whose answer was still on its way is ended, too.
    """
    try:
        yield
    except BaseException:
        over.set()
        raise

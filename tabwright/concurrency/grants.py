"""What one actor grants and another holds: a lease, a permit.

The asker makes the event that ends the grant before it asks, so that there is no moment in which
a grant exists and nobody can end it: not when the asker is cancelled while the answer travels.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import trio

from tabwright.protocol.actor import Address, Expiry, Request

RoleT = TypeVar("RoleT")
GrantedT = TypeVar("GrantedT")


@asynccontextmanager
async def hold_grant(
    giver: Address[RoleT], request: Callable[[Expiry], Request[RoleT, GrantedT]]
) -> AsyncGenerator[GrantedT]:
    """Holds what `giver` grants for as long as the block runs.

    Raises:
        TabwrightError: as `Address.ask`.
    """
    over = trio.Event()
    try:
        yield await giver.ask(request(over))
    finally:
        over.set()

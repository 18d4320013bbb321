"""Several addresses of one host, of which the first that answers is taken (RFC 8305)."""

from collections.abc import Sequence

import attrs
import trio

from tabwright.http.net import Connect

HEAD_START_S = 0.25
"""By which each address is ahead of the next, unless it has failed (section 5)."""


async def first_connected(connect: Connect, addresses: Sequence[str], port: int) -> trio.abc.Stream:
    """A stream to one of the addresses. Cancelled, it leaves none open.

    Raises:
        OSError: what the last of them failed with.
    """
    race = _Race(connect, port)
    try:
        await race.run(addresses)
    except BaseException:
        if race.winner is not None:
            await trio.aclose_forcefully(race.winner)
        raise
    if race.winner is None:
        raise race.failure
    return race.winner


@attrs.define(eq=False)
class _Race:
    connect: Connect
    port: int
    winner: trio.abc.Stream | None = None
    failure: OSError = attrs.field(factory=lambda: OSError("no address"))

    async def run(self, addresses: Sequence[str]) -> None:
        """Tries them all, each a head start after the one before, until one is connected."""
        async with trio.open_nursery() as nursery:
            for address in addresses:
                failed = trio.Event()
                nursery.start_soon(self._try, address, failed, nursery.cancel_scope)
                with trio.move_on_after(HEAD_START_S):
                    await failed.wait()

    async def _try(self, address: str, failed: trio.Event, race: trio.CancelScope) -> None:
        try:
            stream = await self.connect(address, self.port)
        except OSError as error:
            self.failure = error
            failed.set()
            return
        if self.winner is None:
            self.winner = stream
            race.cancel()
        else:
            await trio.aclose_forcefully(stream)

"""The reins of a task: whoever holds them has it wait before its next act."""

import attrs
import trio


def _let_go() -> trio.Event:
    event = trio.Event()
    event.set()
    return event


@attrs.define(eq=False)
class Reins:
    """Held or not; begin not held."""

    _free: trio.Event = attrs.field(factory=_let_go)

    @property
    def held(self) -> bool:
        """Whether the task waits, or will before its next act."""
        return not self._free.is_set()

    def hold(self) -> bool:
        """Has the task wait; says whether it did not already."""
        if self.held:
            return False
        self._free = trio.Event()
        return True

    def let_go(self) -> bool:
        """Lets the task go on; says whether it had to wait."""
        was_held = self.held
        self._free.set()
        return was_held

    async def go(self) -> bool:
        """Waits for as long as they are held; says whether they were. A checkpoint in any case."""
        await trio.lowlevel.checkpoint()
        was_held = self.held
        while self.held:
            await self._free.wait()
        return was_held

"""The open conversations with Google AI Mode: which are open, and which are in use."""

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from random import Random

import attrs
import trio

from tabwright.protocol.actor import Invoke
from tabwright.protocol.ai_search import ThreadState
from tabwright.protocol.errors import BadInput, Unanswered, Undelivered
from tabwright.protocol.tab import Tab
from tabwright.search.ai_mode.conversation import AIModeThread

OPEN_MAX = 8
"""Conversations that stay open: each keeps a tab, until it has been idle for too long."""

KNOWN_MAX = 1000
"""Ids that are remembered, so that one that is closed can be told from one that never was."""


@attrs.define(eq=False)
class OpenThreads:
    """The open conversations, the one whose answer came last at the end."""

    _random: Random
    _open: dict[str, AIModeThread] = attrs.field(factory=dict[str, AIModeThread], init=False)
    _busy: dict[str, trio.Event] = attrs.field(factory=dict[str, trio.Event], init=False)
    _known: deque[str] = attrs.field(factory=lambda: deque[str](maxlen=KNOWN_MAX), init=False)

    def __len__(self) -> int:
        return len(self._open)

    async def states(self) -> tuple[ThreadState, ...]:
        """Return the state of each open conversation whose tab is there, the latest used last."""
        found: list[ThreadState] = []
        for conversation in tuple(self._open.values()):
            with suppress(Undelivered, Unanswered):  # its tab is gone
                # This is answered at once, if the tab is there at all.
                await conversation.tab.ask(Invoke(Tab.traffic))
                found.append(conversation.thread)
        return tuple(found)

    def close(self) -> None:
        """Give the tabs of the open conversations back."""
        for conversation in self._open.values():
            conversation.over.set()
        self._open.clear()

    async def take(self, follow_up: bool | str) -> AIModeThread | None:  # noqa: FBT001
        """The conversation to go on in, which is open for nobody else until it is put back.

        None for a new one, also where the one that was meant is closed.

        Raises:
            BadInput: there never was such a conversation.
        """
        if not follow_up:
            return None
        if follow_up is True:
            name = next(reversed(self._open), "")
        else:
            name = follow_up
            if name not in self._known:
                raise BadInput(
                    f"There is no conversation {name!r}.",
                    advice=f"Open are {', '.join(self._open) or 'none'}. Without follow_up, a "
                    "question begins a new one.",
                )
            while (busy := self._busy.get(name)) is not None:
                await busy.wait()
        conversation = self._open.pop(name, None)
        if conversation is not None:
            self._busy[name] = trio.Event()
        return conversation

    def new_id(self) -> str:
        """One that no other conversation has had: not even one before a restart, most likely."""
        name = f"c{self._random.getrandbits(32):08x}"
        self._known.append(name)
        return name

    @asynccontextmanager
    async def kept_open(self, conversation: AIModeThread) -> AsyncGenerator[None]:
        """Leave the conversation open if the block ends well.

        It is in use, and open for nobody else, until the block has ended.
        """
        name = conversation.id
        free = self._busy.setdefault(name, trio.Event())
        try:
            yield
            self._open[conversation.id] = conversation
            while len(self._open) > OPEN_MAX:
                self._open.pop(next(iter(self._open))).over.set()
        finally:
            del self._busy[name]
            free.set()

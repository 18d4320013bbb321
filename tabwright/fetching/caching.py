"""Answers that are given again as long as they are fresh, and confirmed when they no longer are."""

from collections.abc import Callable
from functools import partial

import attrs

from tabwright.fetching.freshness import OK, age_s, life_s, may_be_kept, validators, varying
from tabwright.http.cache import Kept, Record, Shelf
from tabwright.http.messages import Message, laid_over
from tabwright.http.response import Head
from tabwright.protocol.actor import Offload

CONFIRMED = 304


@attrs.frozen(eq=False)
class Cache:
    """A shelf, and the rules of what may stand there.

    Attributes:
        shelf: where answers are kept; None for nowhere.
        offload: where the disk is waited for.
        now: the time in seconds since 1970 UTC.
    """

    shelf: Shelf | None
    offload: Offload
    now: Callable[[], float]

    async def find(self, message: Message) -> Kept | None:
        """What was kept of an answer to such a request."""
        if self.shelf is None or message.method != "GET":
            return None
        kept = await self.offload(partial(self.shelf.find, message.target.url))
        if kept is None or kept.record.varied != varying(kept.record.head, message):
            return None
        return kept

    def is_fresh(self, kept: Kept) -> bool:
        """Whether it holds without being confirmed."""
        record = kept.record
        return age_s(record.head, record.taken_s, self.now()) < life_s(record.head)

    async def confirmed(self, kept: Kept, head: Head) -> Kept:
        """It, with what the confirmation says of it (RFC 9111, section 4.3.4)."""
        renewed = Head(OK, laid_over(head.headers, kept.record.head.headers))
        record = attrs.evolve(kept.record, head=renewed, taken_s=self.now())
        return await self._put(Kept(record, kept.body))

    async def keep(self, message: Message, head: Head, body: bytes) -> None:
        """Keeps a whole answer, if it may be kept."""
        if message.method == "GET" and may_be_kept(head):
            record = Record(message.target.url, self.now(), head, varying(head, message))
            await self._put(Kept(record, body))

    async def _put(self, kept: Kept) -> Kept:
        if self.shelf is not None:
            await self.offload(partial(self.shelf.put, kept))
        return kept


def confirming(message: Message, kept: Kept | None) -> Message:
    """The request that asks whether what was kept still holds; without any, the request itself."""
    asking = validators(kept.record.head) if kept else ()
    return attrs.evolve(message, headers=laid_over(asking, message.headers)) if asking else message

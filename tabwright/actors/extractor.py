"""The ExtractorActor: CPU work on pages, where it holds up nobody."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Protocol, TypeVar

import attrs
import trio

from tabwright.actors.keeping import Care
from tabwright.protocol.pages import PageText
from tabwright.protocol.reading import Extract, ReadResults
from tabwright.protocol.result_pages import ResultPage
from tabwright.reading.page_text import read_page
from tabwright.searching.result_pages import read_result_page

CARE = Care(at_once=2)
"""As many as there are cores on a small machine; the work holds the interpreter lock in part."""

ResultT = TypeVar("ResultT")


class Offload(Protocol):
    """Runs a function somewhere and waits for its result.

    A seam, because a real thread under a simulated clock makes the clock jump.
    """

    async def __call__(self, work: Callable[[], ResultT], /) -> ResultT:
        """Runs `work`."""
        ...


THREADS_MAX = 4
"""Of our own, abandoned ones included: the host's threads are not ours to use up."""


@attrs.frozen
class InThread:
    """Offloads to a thread; cancelled, it leaves the thread to end by itself."""

    limiter: trio.CapacityLimiter = attrs.field(factory=lambda: trio.CapacityLimiter(THREADS_MAX))

    async def __call__(self, work: Callable[[], ResultT], /) -> ResultT:
        """Runs `work`."""
        return await trio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self.limiter)


async def inline(work: Callable[[], ResultT], /) -> ResultT:
    """Runs the work here and now, for simulations."""
    await trio.lowlevel.checkpoint()
    return work()


@attrs.frozen
class ExtractorActor:
    """Answers what `tabwright.protocol.reading.Extractor` asks."""

    _offload: Offload

    async def extract(self, request: Extract, /) -> PageText:
        """See `Extract`."""
        return await self._offload(partial(read_page, request.source, request.format))

    async def results(self, request: ReadResults, /) -> ResultPage:
        """See `ReadResults`."""
        source = request.source
        read = partial(
            read_result_page,
            request.parser,
            source.html,
            source.page.url,
            source.page.status,
            request.page,
        )
        return await self._offload(read)


@asynccontextmanager
async def extractor(offload: Offload) -> AsyncGenerator[ExtractorActor]:
    """The life of an extractor, which keeps nothing."""
    yield ExtractorActor(offload)

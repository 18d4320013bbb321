"""What tests replace: browsers, clocks, threads, randomness."""

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, TypeVar

import attrs
import trio

from tabwright.actors.kit.tracing import ActorSystem
from tabwright.config.engines import EngineConfig
from tabwright.protocol.actor import Offload
from tabwright.protocol.fetch import Fetcher
from tabwright.ratelimit.store import LimiterStore
from tabwright.reader.video import FrameExtractor

if TYPE_CHECKING:
    from tabwright.browser.running import Launcher
    from tabwright.cdp.connection import WireLog

ResultT = TypeVar("ResultT")

THREADS_MAX = 4
"""Of our own, abandoned ones included: the host's threads are not ours to use up."""


@attrs.frozen
class ThreadOffload:
    """Offloads to a thread; cancelled, it leaves the thread to end by itself."""

    limiter: trio.CapacityLimiter = attrs.field(factory=lambda: trio.CapacityLimiter(THREADS_MAX))

    async def __call__(self, work: Callable[[], ResultT], /) -> ResultT:
        """Runs `work`."""
        return await trio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self.limiter)


@attrs.frozen(eq=False, kw_only=True)
class Environment:
    """The dependencies that come from outside; each has a real and a simulated form.

    Attributes:
        launcher: where browsers come from; None for what the settings say.
        fetching: the life of what fetches pages by HTTP; None for what the settings say.
        system: tracer and randomness.
        engines: whom a search asks, and how often sites may be turned to.
        ledger: where requests are counted; None for what the settings say.
        now: the time in seconds since 1970 UTC.
        offload: where CPU work runs.
        take_frames: takes pictures out of videos; None for what the settings say.
        wire_log: is called with a line for each CDP frame.
    """

    launcher: "Launcher | None" = None
    fetching: Callable[[], AbstractAsyncContextManager[Fetcher]] | None = None
    system: ActorSystem = attrs.field(factory=ActorSystem)
    engines: EngineConfig | None = None
    ledger: LimiterStore | None = None
    now: Callable[[], float] = time.time
    offload: Offload = attrs.field(factory=ThreadOffload)
    take_frames: FrameExtractor | None = None
    wire_log: "WireLog | None" = None

"""The sources of browsers: each worker has its browsers from one of them, and failed ones rest."""

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random

import attrs
import trio

from tabwright.browser.running import BrowserLink, Launcher, LaunchOptions
from tabwright.concurrency.timers import Backoff
from tabwright.config.browser_sources import SourceSettings
from tabwright.config.settings import Settings
from tabwright.protocol.browser_pool import SourceKind, SourceState
from tabwright.protocol.errors import BrowserUnavailable
from tabwright.protocol.proxy import ProxyChoice, ProxyReport
from tabwright.protocol.untrusted_text import Quoted, Sentence, text_of

REST = Backoff(first_s=1.0, max_s=300.0)
"""How long a source is not used after failures in a row."""

FORGET_S = 600.0
"""Seconds after which an earlier failure no longer counts."""

LauncherOf = Callable[[SourceSettings], Launcher]
"""Makes the launcher of a source."""


class SourceBusy(BrowserUnavailable):
    """All browsers of the source are in use; one may be free in a moment."""

    retryable = True


def spread_workers(capacities: Sequence[int]) -> tuple[int, ...]:
    """Return the source of each worker, by the positions of the sources.

    There are as many workers as the sources can run browsers. Each next worker is in the source
    with the largest share of free places, so that the first workers are spread over all sources.
    """
    free = list(capacities)
    workers: list[int] = []
    for _ in range(sum(capacities)):
        source = max(range(len(free)), key=lambda one: free[one] / capacities[one])
        free[source] -= 1
        workers.append(source)
    return tuple(workers)


@attrs.define(eq=False)
class Source:
    """A source of browsers for some of the workers; a `Launcher` for them.

    After a failure it rests: while others do not rest, it is not used. A single source never rests.

    Attributes:
        settings: its URL, capacity and headers.
        number: its place in the settings, from 1.
        workers: the numbers of its workers.
    """

    settings: SourceSettings
    number: int
    workers: tuple[int, ...]
    _launcher: Launcher
    _peers: Sequence["Source"]
    _random: Random
    _patience_s: float
    _failures: int = attrs.field(default=0, init=False)
    _failed_s: float = attrs.field(default=0.0, init=False)
    _rests_until_s: float = attrs.field(default=0.0, init=False)
    _why: tuple[str | Quoted, ...] = attrs.field(default=(), init=False)

    @property
    def resting_s(self) -> float:
        """Return the seconds until the source is used again; 0 if it is not resting."""
        if len(self._peers) == 1:
            return 0.0
        return max(0.0, self._rests_until_s - trio.current_time())

    @asynccontextmanager
    async def open(self, options: LaunchOptions, /) -> AsyncGenerator[BrowserLink]:
        """See `Launcher.open`; the workers of a source are counted from 0.

        While it is busy and all others rest, wait up to ``browser.start_timeout_s`` seconds.

        Raises:
            BrowserUnavailable: the source gave no browser, or rests.
        """
        until_s = trio.current_time() + self._patience_s
        own = attrs.evolve(options, worker=self.workers.index(options.worker))
        async with AsyncExitStack() as stack:
            while True:
                self._require_awake()
                opening = self._launcher.open(own)
                try:
                    link = await stack.enter_async_context(opening)
                    break
                except BrowserUnavailable as error:
                    self._fail(error)
                    if not self._is_worth_waiting(error, until_s):
                        raise
                await trio.sleep_until(self._rests_until_s)
            self._why = ()
            try:
                yield link
            except BrowserUnavailable as error:  # it is not a browser, or does not respond as one
                self._fail(error)
                raise
        self._failures = 0

    async def check_proxy(self, used: ProxyChoice) -> ProxyReport:
        """See `Launcher.check_proxy`."""
        return await self._launcher.check_proxy(used)

    def require_screen(self) -> None:
        """See `Launcher.require_screen`."""
        self._launcher.require_screen()

    def state(self, in_use: int) -> SourceState:
        """Return the state of the source.

        Args:
            in_use: how many of its browsers run.
        """
        return SourceState(
            self.number,
            self.settings.kind,
            self.settings.host,
            self.settings.browsers,
            in_use,
            self.resting_s,
            text_of(Sentence(self._why)),
        )

    def _fail(self, error: BrowserUnavailable) -> None:
        """Note a failure; one more during a rest began before it and does not prolong it."""
        now_s = trio.current_time()
        self._why = error.chunks
        if now_s < self._rests_until_s:
            return
        before = 0 if now_s - self._failed_s > FORGET_S else self._failures
        self._failures = before + 1
        self._failed_s = now_s
        self._rests_until_s = now_s + REST.pause_s(self._failures, self._random)

    def _is_worth_waiting(self, error: BrowserUnavailable, until_s: float) -> bool:
        return (
            isinstance(error, SourceBusy)
            and self._rests_until_s <= until_s
            and all(one.resting_s for one in self._peers if one is not self)
        )

    def _require_awake(self) -> None:
        if not self.resting_s:
            return
        resting = [one for one in self._peers if one.resting_s]
        chunks: list[str | Quoted] = ["These browser sources are paused after failures:"]
        for one in resting:
            chunks += [f" {one.settings.name}, for {one.resting_s:.0f} s: ", *one._why]  # noqa: SLF001
        raise BrowserUnavailable(
            tuple(chunks),
            advice=f"Try again in {min(one.resting_s for one in resting):.0f} s, or check "
            "browser.sources.",
            retryable=True,
        )


@attrs.frozen(eq=False)
class Sources:
    """All sources of browsers, in the order of the settings, and the source of each worker."""

    each: Sequence[Source]
    by_worker: tuple[Source, ...]

    @property
    def are_all_resting(self) -> bool:
        """Return whether no source would be used now."""
        return all(one.resting_s for one in self.each)

    def is_local(self, worker: int) -> bool:
        """Return whether the browsers of a worker are on this machine."""
        return self.by_worker[worker].settings.kind is SourceKind.LOCAL

    def is_resting(self, worker: int) -> bool:
        """Return whether the source of a worker is resting."""
        return self.by_worker[worker].resting_s > 0

    def states(self, running: Iterable[int]) -> tuple[SourceState, ...]:
        """Return the state of every source.

        Args:
            running: the workers with a running browser.
        """
        workers = set(running)
        return tuple(one.state(len(workers.intersection(one.workers))) for one in self.each)


def sources_of(settings: Settings, launcher_of: LauncherOf, random: Random) -> Sources:
    """Return the sources of the settings, with their workers.

    Args:
        settings: the sources, and how long a worker waits for a busy one.
        launcher_of: makes the launcher of each source.
        random: spreads the times at which sources are tried again.
    """
    spread = spread_workers([one.browsers for one in settings.sources])
    each: list[Source] = []
    for position, one in enumerate(settings.sources):
        workers = tuple(worker for worker, at in enumerate(spread) if at == position)
        patience_s = settings.browser.start_timeout_s
        each.append(Source(one, position + 1, workers, launcher_of(one), each, random, patience_s))
    return Sources(each, tuple(each[at] for at in spread))

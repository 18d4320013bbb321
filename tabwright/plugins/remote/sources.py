"""Several sources of browsers: work is spread over them, and those that fail rest for a while."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random

import attrs
import trio

from tabwright.browser.endpoint import EndpointLauncher, SourceBusy
from tabwright.browser.running import BrowserLink, Launcher, LaunchOptions
from tabwright.browser.sources import Sources
from tabwright.concurrency.timers import Backoff
from tabwright.config.settings import Settings
from tabwright.plugins.remote.services import host_at
from tabwright.plugins.remote.settings import REMOTE_SETTINGS, SourceKind, SourceSettings
from tabwright.protocol.browser_pool import SourceState
from tabwright.protocol.errors import BrowserUnavailable
from tabwright.protocol.proxy import ProxyChoice, ProxyReport
from tabwright.protocol.untrusted_text import Quoted, Sentence, text_of

REST = Backoff(first_s=1.0, max_s=300.0)
"""How long a source is not used after failures in a row."""

FORGET_S = 600.0
"""Seconds after which an earlier failure no longer counts."""

LauncherOf = Callable[[SourceSettings], Launcher]
"""Makes the launcher of a source."""


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
class RestingSource:
    """One of several sources of browsers; see `tabwright.browser.sources.Source`.

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
    _peers: Sequence["RestingSource"]
    _random: Random
    _patience_s: float
    _failures: int = attrs.field(default=0, init=False)
    _failed_s: float = attrs.field(default=0.0, init=False)
    _rests_until_s: float = attrs.field(default=0.0, init=False)
    _why: tuple[str | Quoted, ...] = attrs.field(default=(), init=False)

    @property
    def is_local(self) -> bool:
        """Whether its browsers are on this machine."""
        return self.settings.kind is SourceKind.LOCAL

    @property
    def resting_s(self) -> float:
        """Return the seconds until the source is used again; 0 if it is not resting."""
        if len(self._peers) == 1:
            return 0.0
        return max(0.0, self._rests_until_s - trio.current_time())

    @asynccontextmanager
    async def open(self, options: LaunchOptions, /) -> AsyncGenerator[BrowserLink]:
        """Open a browser of the source; its workers are counted from 0.

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
        return await self._launcher.check_proxy(used)

    def require_screen(self) -> None:
        self._launcher.require_screen()

    def state(self, in_use: int, /) -> SourceState:
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
            "remote.sources.",
            retryable=True,
        )


def sources_of(
    listed: Sequence[SourceSettings], launcher_of: LauncherOf, random: Random, patience_s: float
) -> Sources:
    """Return the sources with their workers.

    Args:
        listed: the settings of each.
        launcher_of: makes the launcher of each source.
        random: spreads the times at which sources are tried again.
        patience_s: the seconds that a worker waits for a busy one.
    """
    spread = spread_workers([one.browsers for one in listed])
    each: list[RestingSource] = []
    for position, one in enumerate(listed):
        workers = tuple(worker for worker, at in enumerate(spread) if at == position)
        source = RestingSource(
            one, position + 1, workers, launcher_of(one), each, random, patience_s
        )
        each.append(source)
    return Sources(each, tuple(each[at] for at in spread))


def sources_of_settings(settings: Settings, random: Random, local: Launcher) -> Sources:
    """Return the sources of the settings.

    Args:
        settings: where browsers run, and how long they take to start.
        random: see `sources_of`; it makes the ids of remote sessions, too.
        local: the launcher of this machine.
    """

    def launcher_of(source: SourceSettings) -> Launcher:
        """Return the launcher of a source."""
        host = host_at(source, settings.browser, random)
        return local if host is None else EndpointLauncher(host, settings)

    listed = REMOTE_SETTINGS.of(settings).sources
    return sources_of(listed, launcher_of, random, settings.browser.start_timeout_s)

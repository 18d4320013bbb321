"""The sources of browsers: each worker has its browsers from one of them."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import attrs

from tabwright.browser.running import BrowserLink, Launcher, LaunchOptions
from tabwright.config.endpoints import host_of
from tabwright.config.settings import Settings
from tabwright.protocol.browser_pool import CDP, LOCAL, SourceState
from tabwright.protocol.proxy import ProxyChoice, ProxyReport


class Source(Launcher, Protocol):
    """A place where browsers run; a launcher for the workers that have theirs from it."""

    @property
    def is_local(self) -> bool:
        """Whether its browsers are on this machine."""
        ...

    @property
    def resting_s(self) -> float:
        """The seconds for which it is left alone after failures; 0 if it is not."""
        ...

    def state(self, in_use: int, /) -> SourceState:
        """Return the state of the source.

        Args:
            in_use: how many of its browsers run.
        """
        ...


@attrs.frozen(eq=False)
class Sources:
    """All sources of browsers, in the order of the settings, and the source of each worker."""

    each: Sequence[Source]
    by_worker: Sequence[Source]

    @property
    def are_all_resting(self) -> bool:
        """Return whether no source would be used now."""
        return all(one.resting_s for one in self.each)

    def is_local(self, worker: int) -> bool:
        """Return whether the browsers of a worker are on this machine."""
        return self.by_worker[worker].is_local

    def is_resting(self, worker: int) -> bool:
        """Return whether the source of a worker is resting."""
        return self.by_worker[worker].resting_s > 0

    def states(self, running: Iterable[int]) -> tuple[SourceState, ...]:
        """Return the state of every source.

        Args:
            running: the workers with a running browser.
        """
        used = [self.by_worker[worker] for worker in {*running}]
        return tuple(one.state(sum(each is one for each in used)) for one in self.each)


@attrs.frozen
class ManySources:
    """Several places where browsers run; a plugin brings them.

    Attributes:
        browsers: how many can run at once, in all of them.
        opened: returns the sources, with the launcher of this machine for those of it.
    """

    browsers: int
    opened: Callable[[Launcher], Sources]


@attrs.frozen(eq=False)
class OnlySource:
    """The source of all browsers: this machine, or a browser that runs already; see `Source`."""

    _launcher: Launcher
    _settings: Settings
    resting_s: float = 0.0

    @property
    def is_local(self) -> bool:
        """Whether its browsers are on this machine."""
        return self._settings.browser.cdp_endpoint is None

    def open(self, options: LaunchOptions, /) -> AbstractAsyncContextManager[BrowserLink]:
        return self._launcher.open(options)

    async def check_proxy(self, used: ProxyChoice) -> ProxyReport:
        return await self._launcher.check_proxy(used)

    def require_screen(self) -> None:
        self._launcher.require_screen()

    def state(self, in_use: int, /) -> SourceState:
        endpoint, capacity = self._settings.browser.cdp_endpoint, self._settings.pool.workers
        if endpoint is None:
            return SourceState(1, LOCAL, "", capacity, in_use)
        return SourceState(1, CDP, host_of(endpoint), capacity, in_use)


def only_source(launcher: Launcher, settings: Settings) -> Sources:
    """Return the sources of settings that name no others.

    Args:
        launcher: of its browsers.
        settings: the endpoint of the browser, and the number of workers.
    """
    source = OnlySource(launcher, settings)
    return Sources((source,), (source,) * settings.pool.workers)

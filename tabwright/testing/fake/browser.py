"""The fake browser: commands in, replies and events out, in Chromium's order; and its launcher."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from random import Random
from typing import TypeVar

import attrs
import trio

from tabwright.browser.running import BrowserLink, LaunchOptions
from tabwright.control.json_rpc import METHOD_NOT_FOUND
from tabwright.protocol.errors import BrowserUnavailable, ErrorCode, NavigationFailed
from tabwright.protocol.fetch import Cookie, Fetch, Fetched
from tabwright.protocol.proxy import ProxyAnswer, ProxyChoice, ProxyReport
from tabwright.protocol.snapshot import LoadedPage
from tabwright.testing.fake.link import (
    SERVER_ERROR,
    Blocked,
    CommandRefused,
    FakeCommand,
    FakeLink,
    FakeWire,
    Fault,
    FaultKind,
    Faults,
    Later,
    Result,
    Silence,
)
from tabwright.testing.fake.pages import FakePages
from tabwright.testing.fake.site import FakeSite
from tabwright.testing.fake.targets import FakeTarget, FakeTargets

MethodT = TypeVar("MethodT")

BEHIND_DIALOGS = (
    "Input.",
    "Page.createIsolatedWorld",
    "Runtime.callFunctionOn",
    "Runtime.evaluate",
)
"""Commands that wait until the page's open dialog is answered."""

LATENCY_MAX_S = 0.01
"""A command takes up to this long, by chance."""


class FakeBrowser:
    """A running fake browser, with tasks in `nursery`. Start `run` there, and use its `link`.

    Args:
        nursery: cancelling it ends the browser.
        site: its web.
        random: generates the latencies.
        faults: the faults to inject.
        visible: whether it has windows.
        worker: the worker that it was started for.
    """

    def __init__(  # noqa: PLR0913  (what makes one run)
        self,
        nursery: trio.Nursery,
        site: FakeSite,
        random: Random,
        faults: Faults | None = None,
        *,
        visible: bool = False,
        worker: int = 0,
    ) -> None:
        self.link = FakeLink()
        self._random = random
        self._faults = faults or Faults()
        self._wire = FakeWire(self.link, nursery)
        self.visible = visible
        self.worker = worker
        self._targets = FakeTargets(self._wire, site, visible=visible)
        self._pages = FakePages(self._wire, site, self._targets)

    @property
    def targets(self) -> Mapping[str, FakeTarget]:
        """All open targets by id."""
        return self._targets.by_id

    @property
    def is_alive(self) -> bool:
        """Whether its connection is still open."""
        return not self.link.is_cut

    async def run(self) -> None:
        """Serve the link until it is cut or cancelled."""
        try:
            async for frame in self.link.commands:
                await trio.sleep(self._random.uniform(0, LATENCY_MAX_S))
                message = json.loads(frame)
                session_id = message.get("sessionId", "")
                command = FakeCommand(
                    message["id"], message["method"], message["params"], session_id
                )
                self._answer(command, partial(self._harmed, command))
        except trio.ClosedResourceError:
            pass
        self.link.cut()

    def die(self) -> None:
        """End at once, as after SIGKILL."""
        self.link.cut()

    def crash(self, target: FakeTarget) -> None:
        """Crash the renderer of a page."""
        self._pages.crash(target)

    def _answer(self, command: FakeCommand, result: Callable[[], Result]) -> None:
        """Reply with the result, once it is there."""
        try:
            self._wire.reply(command, result=result())
        except Silence:
            return
        except CommandRefused as refused:
            self._wire.reply(command, error={"code": refused.code, "message": str(refused)})
        except Later as later:
            self._wire.later(later.delay_s, partial(self._answer, command, later.answer))
        except Blocked as blocked:
            target = self._targets.of_session(command.session_id)
            target.blocked.append(partial(self._answer, command, blocked.answer))

    def _harmed(self, command: FakeCommand) -> Result:
        """Return the result of a command, unless its fault prevents that."""
        fault = self._faults.fault_for(command.method)
        if fault is None:
            return self._result(command)
        match fault.harm:
            case FaultKind.DELAY:
                raise Later(fault.delay_s, lambda: self._result(command))
            case FaultKind.ERROR:
                raise CommandRefused(SERVER_ERROR, "a planned fault")
            case FaultKind.CRASH if not command.session_id:
                self.crash(self._targets.named_by(command.params))
                return self._result(command)
            case FaultKind.CRASH:
                self.crash(self._targets.of_session(command.session_id))
            case FaultKind.DETACH:
                self._targets.detach(self._targets.of_session(command.session_id))
            case FaultKind.CUT:
                self._wire.cut()
            case FaultKind.GARBLE:
                self._wire.garble()
            case FaultKind.MUTE:
                pass
        raise Silence

    def _result(self, command: FakeCommand) -> Result:
        if not command.session_id:
            return _method(self._targets.methods, command.method)(command.params)
        target = self._targets.of_session(command.session_id)
        method = _method(self._pages.methods, command.method)
        if target.hangs or (target.crashed and command.method != "Inspector.enable"):
            raise Silence
        if target.dialog and command.method.startswith(BEHIND_DIALOGS):
            raise Blocked(lambda: self._result(command))
        return method(target, command.params)


def _method(methods: Mapping[str, MethodT], name: str) -> MethodT:
    if name not in methods:
        raise CommandRefused(METHOD_NOT_FOUND, f"'{name}' wasn't found")
    return methods[name]


# Launching fake browsers, and fetching from their web.


@attrs.frozen
class FakeLauncher:
    """A `Launcher` for `Environment`: each start creates a new fake browser on the same site.

    Attributes:
        site: the web of its browsers.
        random: generates the latencies; pass the generator of the run.
        faults: the faults to inject, counted over all starts.
        on_start: called with each browser as it starts.
        has_screen: whether a browser can have a window.
        headed: whether every browser has one.
        proxy: the proxy of browsers that are started now.
    """

    site: FakeSite
    random: Random
    faults: Faults
    on_start: Callable[[FakeBrowser], None]
    has_screen: bool
    headed: bool
    proxy: Callable[[], ProxyChoice]

    @asynccontextmanager
    async def open(self, options: LaunchOptions, /) -> AsyncGenerator[BrowserLink]:
        """Start a fake browser, which has no profile."""
        visible = options.visible or self.headed
        async with trio.open_nursery() as nursery:
            browser = FakeBrowser(
                nursery,
                self.site,
                self.random,
                self.faults,
                visible=visible,
                worker=options.worker,
            )
            self.on_start(browser)
            nursery.start_soon(browser.run)
            try:
                yield BrowserLink(
                    browser.link,
                    ours=True,
                    last_words=_last_words,
                    visible=visible,
                    proxy=self.proxy(),
                )
            finally:
                browser.die()
                nursery.cancel_scope.cancel()

    async def check_proxy(self, used: ProxyChoice) -> ProxyReport:
        await trio.lowlevel.checkpoint()
        now = self.proxy()
        answer = ProxyAnswer.SERVES if now == used else ProxyAnswer.ABSENT
        return ProxyReport(used, answer, now)

    def require_screen(self) -> None:
        if not self.has_screen:
            raise BrowserUnavailable("There is no screen in this simulation.")


def fake_launcher(  # noqa: PLR0913  (the attributes)
    site: FakeSite,
    random: Random,
    *faults: Fault,
    on_start: Callable[[FakeBrowser], None] = lambda _browser: None,
    has_screen: bool = True,
    headed: bool = False,
    proxy: Callable[[], ProxyChoice] = ProxyChoice,
) -> FakeLauncher:
    """Create a launcher of fake browsers; the arguments are the attributes of `FakeLauncher`."""
    return FakeLauncher(site, random, Faults(faults), on_start, has_screen, headed, proxy)


async def _last_words() -> str:
    await trio.lowlevel.checkpoint()
    return "The fake browser has ended."


# HTTP on the web of a fake browser.


@attrs.define(eq=False)
class FakeCookies:
    """The cookies of a `tabwright.protocol.fetch.Fetcher` whose web sets none."""

    _jars: dict[str, tuple[Cookie, ...]] = attrs.field(
        factory=dict[str, tuple[Cookie, ...]], init=False
    )

    async def cookies(self, session: str) -> tuple[Cookie, ...]:
        await trio.lowlevel.checkpoint()
        return self._jars.get(session, ())

    async def set_cookies(self, session: str, cookies: tuple[Cookie, ...] = ()) -> None:
        await trio.lowlevel.checkpoint()
        self._jars[session] = cookies


@attrs.define(eq=False)
class FakeFetcher(FakeCookies):
    """A `tabwright.protocol.fetch.Fetcher` on the web of a fake browser.

    Attributes:
        asked: every fetch, in order.
    """

    site: FakeSite
    asked: list[Fetch] = attrs.field(factory=list[Fetch])

    async def fetch(self, request: Fetch, /) -> Fetched:
        self.asked.append(request)
        self.site.visits.append((trio.current_time(), request.url))
        page = self.site.page(request.url)
        await trio.sleep(page.load_s)
        if page.error:
            raise NavigationFailed(
                f"{request.url} did not answer ({page.error}).", code=ErrorCode.NETWORK
            )
        retry_after = page.headers.get("Retry-After", "")
        seconds = float(retry_after) if retry_after.isdecimal() else None
        loaded = LoadedPage(request.url, page.status, page.mime_type, seconds)
        html = page.static_html if page.static_html is not None else page.html
        return Fetched(loaded, html.encode(), charset="utf-8")


def fake_fetching(site: FakeSite) -> Callable[[], AbstractAsyncContextManager[FakeFetcher]]:
    """Return a factory of fetchers on a site."""

    @asynccontextmanager
    async def life() -> AsyncGenerator[FakeFetcher]:
        """Nothing to start, and nothing to stop."""
        yield FakeFetcher(site)

    return life

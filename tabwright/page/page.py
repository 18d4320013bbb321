"""A page in the browser, and the requests that it handles: loading, infinite scroll, actions."""

import math
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from functools import partial

import attrs
import trio

from tabwright.cdp.domains import dom, fetch, network, page, target
from tabwright.cdp.domains import input as keyboard
from tabwright.cdp.errors import CDPError, CommandFailed
from tabwright.cdp.wire import Event
from tabwright.concurrency.nursery import background_nursery, until
from tabwright.concurrency.timers import IdleTimer
from tabwright.config.shipped_lists import BlockRules, block_rules
from tabwright.page import interception
from tabwright.page.action_runner import ActionRunner
from tabwright.page.ax_tree import read_tree
from tabwright.page.content_wait import ContentState, before_scrolling, content_comes
from tabwright.page.context_options import ContextOverrides
from tabwright.page.dispatch import answer, perform
from tabwright.page.errors import translate_cdp_errors, unsent_form
from tabwright.page.events import network_log
from tabwright.page.events.dialogs import Dialogs
from tabwright.page.frame_sources import FrameLimits, read_frames
from tabwright.page.frames import ANSWER_S, POLL_S, TRIES_MAX
from tabwright.page.isolated_worlds import UNDO_S, IsolatedWorld, enter_world
from tabwright.page.live_page import LivePage
from tabwright.page.navigation import NavigationWatcher, loaded_page_from, watch_navigation
from tabwright.page.open_page import (
    AttachedPage,
    TabDependencies,
    ask_hints,
)
from tabwright.page.scripts import (
    CONTENT_STATE,
    LIST_END,
    SCROLL_THROUGH,
    parse_frames,
    parse_source,
    read_answer,
)
from tabwright.page.shadow_roots import read_document
from tabwright.page.tab_storage import TabStorage
from tabwright.protocol.actions import Action, Outcome
from tabwright.protocol.actor import AnswerT
from tabwright.protocol.browser_pool import NO_LEASE, TabState
from tabwright.protocol.context_options import ContextOptions
from tabwright.protocol.errors import (
    BadInput,
    ErrorCode,
    HintKind,
    NavigationFailed,
    PageFailed,
    PageStays,
    TabwrightError,
    having_sent,
)
from tabwright.protocol.inspection import Inspection
from tabwright.protocol.snapshot import (
    AccessibleNode,
    BlockKind,
    LoadedPage,
    LoadState,
    PageSource,
    ScrollEnd,
)
from tabwright.protocol.tab import (
    CHALLENGES,
    INVALID,
    SUBMITTED,
    ReadSource,
    Traffic,
)
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.urls import ABOUT_BLANK, checked_url
from tabwright.text.hints import advised

IN_USERS_FOLDER = "The file may be in the download folder of the user's browser."

WATCHED = (
    page.DialogOpening,
    page.DialogClosed,
    page.LifecycleEvent,
    fetch.RequestPaused,
    *network_log.TRAFFIC_EVENTS,
)
"""Events that may occur at any time."""

ARRIVALS = frozenset({"DOMContentLoaded", "load"})
"""Lifecycle states of a document: it is parsed, and its resources have loaded."""

SCROLL_END_S = 3.0
"""Seconds for the script that scrolls through a page to end after its limit."""

SENT_MAX = 8
"""Attempts to leave a page that starts another navigation when it is left."""

IDLE_S = 8.0
"""Seconds for a parsed page to load its resources; some never finish."""

ASKED_S = 1.0
"""Seconds for the dialog of a page that is left; the navigation may seem aborted before it."""

LIST_S = 2.0
"""Seconds for a list that is scrolled to its end to show more, while it requests it."""

LIST_CHARACTERS = 100
"""More text than this may be rows of a list."""


class BrowserPage:
    """An attached page; it has most methods of `tabwright.protocol.tab.Tab`.

    Attributes:
        live: what a person sees of it, and does with it.
    """

    def __init__(
        self,
        opened: AttachedPage,
        dependencies: TabDependencies,
        idleness: IdleTimer,
        state: Callable[[], TabState] = lambda: NO_LEASE,
    ) -> None:
        self._page = opened
        self._session = opened.session
        self._events = opened.session.subscribe(*WATCHED)  # at once: pop-ups are being handled
        self._settings = dependencies.settings.network
        self._idleness = idleness
        self._traffic = network_log.InflightRequests()
        self._rules = BlockRules()
        self._shows_another = False
        self._shows_former = False
        self._loaded = LoadedPage(ABOUT_BLANK, 0, "")
        self._world: IsolatedWorld | None = None
        self._coming: network.ResponseReceived | None = None
        self._dialogs = Dialogs()
        self._overrides = ContextOverrides(opened, self._settings.bounds)
        self._storage = TabStorage(self._session, self._run, self._at_work)
        self._runner = ActionRunner(
            opened, dependencies, self._dialogs, self._at_work, lambda: self._loaded.url
        )
        self.live = LivePage(opened, self._runner, idleness, self._settings.bounds, state)

    async def act(self, action: Action) -> Outcome:
        await self.live.agents_turn()
        try:
            outcome = await perform(self._runner, action)
        except TabwrightError as error:
            self.live.note("action", f"{type(action).__name__}: {error.message}")
            raise
        self.live.note("action", outcome.description)
        return outcome

    async def inspect(self, inspection: Inspection[AnswerT]) -> AnswerT:
        return await answer(self._runner, inspection)

    async def close_popups(self, targets: tuple[str, ...]) -> None:
        await self._runner.close_popups(targets)

    async def navigate(
        self, url: str, languages: str = "", *, whole: bool = False, leaves: bool = True
    ) -> LoadedPage:
        url = checked_url(url, self._settings.bounds)
        await self.live.agents_turn()
        with self._at_work(), self._dialogs.left(agreed=leaves) as stays:
            if languages:
                await self._identify(languages)
            self._traffic.forget()
            # Answers no to the open dialog: the headless shell does not leave a page with a dialog.
            if self._dialogs.open:
                with suppress(CommandFailed):  # it disappeared with its document
                    await self._session.execute(page.handle_dialog(accept=False))
            async with (
                self._going(url) as (loading, events),
                self._leaving(loading),
                until(stays) as scope,
            ):
                with scope:
                    try:
                        self._loaded = await self._navigated(url, loading, events)
                    except NavigationFailed as failure:
                        if failure.code is ErrorCode.PARSE and self._page.own:
                            failure.advice = IN_USERS_FOLDER
                        if not leaves:  # the page may have asked just before
                            await trio.sleep(ASKED_S)
                        raise
                    if whole and loading.begun:
                        with trio.move_on_after(IDLE_S):
                            await loading.follow_on(events)
                        self._loaded = loading.page
            if stays.is_set():
                raise PageStays(
                    "The page stays as it is: it asked whether to leave it.",
                    advice="Leave out leave=false (in Python leaves=False) to leave it anyway.",
                )
        return self._loaded

    async def submit(
        self, function: str, values: tuple[str, ...] = (), stays_s: float = math.inf
    ) -> LoadedPage | None:
        await self.live.agents_turn()
        with self._at_work():
            self._traffic.forget()
            async with self._going(self._loaded.url) as (loading, events):
                with trio.fail_after(ANSWER_S):
                    reply = await self._run(function, values=values)
                if reply.startswith(INVALID):
                    raise unsent_form(reply.removeprefix(INVALID))
                if reply != SUBMITTED:
                    return None
                with having_sent():
                    with trio.move_on_after(stays_s) as waiting:
                        await loading.begins(events)
                    if waiting.cancelled_caught:
                        return self._loaded
                    came = await loading.follow(events)
                if not loading.stays:
                    self._loaded = came
        return self._loaded

    async def document(self) -> None:
        with self._at_work(), self._session.subscribe(page.LifecycleEvent) as events:
            async for event in events:
                if event.name in ARRIVALS and event.frame_id == self._page.frame_id:
                    break

    async def show(self) -> None:
        with self._at_work(), trio.fail_after(ANSWER_S):
            await self._session.execute(page.bring_to_front())

    async def run_script(
        self, function: str, *, pierce: bool = False, values: tuple[str, ...] = ()
    ) -> str:
        with self._at_work(), trio.fail_after(ANSWER_S):
            return await self._run(function, pierce=pierce, values=values)

    async def type_text(self, text: str, /) -> None:
        await self.live.agents_turn()
        with self._at_work(), trio.fail_after(ANSWER_S):
            self._traffic.forget()
            await self._session.execute(keyboard.insert_text(text))
            for command in keyboard.press_enter():
                await self._session.execute(command)

    async def find_redirects(self, links: tuple[str, ...], /) -> Mapping[str, str]:
        with self._at_work(), self._session.subscribe(*interception.EVENTS) as events:
            found: dict[str, str] = {}
            with trio.move_on_after(interception.FIND_S):
                await self._run(interception.ASK, values=links)
                await interception.collect(events, links, found)
            return found

    async def read_source(self, request: ReadSource, /) -> PageSource:
        if self._shows_another or (self._shows_former and not request.as_is):
            raise PageFailed(
                "The tab was sent to a page that has not loaded yet.", advice="Try again."
            )
        ends_at = trio.current_time() + (0 if request.as_is else request.loading_s)
        scrolled = ScrollEnd.WHOLE
        if request.as_is:
            load_state = await self._state_as_is()
        else:
            await self._pass_challenge(request.challenge_s)
            if request.scroll:
                await self._comes(before_scrolling(request))
                scrolled = await self._scroll_through(ends_at - trio.current_time())
                request = attrs.evolve(request, loading_s=max(0, ends_at - trio.current_time()))
            load_state = await self._comes(request)
        with self._at_work(), trio.fail_after(ANSWER_S):
            read = partial(
                read_document, self._session, in_use=request.as_is, scrolled=request.scroll
            )
            answer, unread_hosts = await self._in_world(read)
            source, ahead = parse_source(answer, self._loaded), parse_frames(answer)
            is_live = self._traffic.is_live
            source = attrs.evolve(source, unread_hosts=unread_hosts, is_live=is_live)
        if source.page.url == ABOUT_BLANK:
            raise BadInput("The tab is empty.", **advised(HintKind.OPEN_PAGE))
        checked_url(source.page.url, self._settings.bounds)
        with self._at_work():
            left_s = max(0, ends_at - trio.current_time())
            limits = FrameLimits(self._settings.bounds, self._traffic.documents, left_s)
            source = await read_frames(self._page, source, ahead, limits)
        if source.scrolled is ScrollEnd.WHOLE:  # no gathered rows were lost since
            source = attrs.evolve(source, scrolled=scrolled)
        return attrs.evolve(source, load_state=load_state)

    async def _pass_challenge(self, challenge_s: float) -> None:
        """Wait for a page that checks the browser."""
        with trio.move_on_after(challenge_s):
            while self._loaded.status in CHALLENGES:
                await trio.sleep(POLL_S)

    async def _scroll_through(self, limit_s: float) -> ScrollEnd:
        """Scroll to the end of the page, and back."""
        limit_ms = str(round(1000 * limit_s))
        with self._at_work(), trio.move_on_after(limit_s + SCROLL_END_S), suppress(ValueError):
            return ScrollEnd(await self._run(SCROLL_THROUGH, values=(limit_ms,)))
        return ScrollEnd.MORE

    async def _state_as_is(self) -> LoadState:
        """Return whether the page currently shows a placeholder for content that it requests."""
        if not self._traffic.busy:
            return LoadState.WHOLE
        state = await self._content_state()
        return LoadState.LOADING if state.waits or state.blanks else LoadState.WHOLE

    async def _comes(self, request: ReadSource) -> LoadState:
        """Wait for the content of the page."""
        read_state = partial(self._content_state, request.wait_for)
        traffic = self._traffic
        return await content_comes(
            read_state, lambda: traffic.busy, lambda: traffic.repeated_s, request
        )

    async def _content_state(self, wait_for: str = "") -> ContentState:
        """Return what the page shows."""
        with self._at_work(), trio.fail_after(ANSWER_S):
            return read_answer(await self._run(CONTENT_STATE, values=(wait_for,)), ContentState)

    async def list_end(self) -> ScrollEnd:
        with self._at_work(), trio.fail_after(ANSWER_S):
            length = await self._run(LIST_END, values=("begin",))
            if not length.isdecimal():
                return ScrollEnd(length)
            grows = False
            with trio.move_on_after(LIST_S):
                while not (grows := await self._is_longer(int(length))) and self._traffic.busy:
                    await trio.sleep(POLL_S)
            await self._run(LIST_END, values=("end",))
        return ScrollEnd.BEGINNING if grows else ScrollEnd.WHOLE

    async def _is_longer(self, length: int) -> bool:
        """Return whether the page shows more text than it did."""
        now = await self._run(LIST_END, values=("measure",))
        return int(now) >= length + LIST_CHARACTERS

    async def read_tree(self) -> tuple[AccessibleNode, ...]:
        with self._at_work(), trio.fail_after(ANSWER_S):
            return await read_tree(self._page, self._settings.bounds)

    async def do_without(self, kinds: tuple[BlockKind, ...], /) -> None:
        with self._at_work(), trio.fail_after(ANSWER_S):
            await self._block(block_rules((*kinds, *self._settings.block)))

    async def set_options(self, options: ContextOptions) -> None:
        with self._at_work():
            await self._overrides.apply(options)

    async def traffic(self) -> Traffic:
        await trio.lowlevel.checkpoint()
        return self._traffic.traffic

    async def _identify(self, languages: str) -> None:
        """Set the identity of the page to that of its profile, in these languages.

        Raises:
            CDPError: the page refuses.
        """
        running = self._page.running
        command = await running.identity.command(partial(ask_hints, running), languages)
        await self._session.execute(command)

    async def watch(self, rules: BlockRules, *, task_status: trio.TaskStatus[None]) -> None:
        """Answer events that would block the page, and log its requests, until the page is gone.

        It is started once no request can bypass the blocking rules.

        Raises:
            BrowserDied, PageFailed: how the page ended.
        """
        with translate_cdp_errors(), self._events as events:
            if self._page.adopted:
                self._loaded = LoadedPage(await self._place() or ABOUT_BLANK, 0, "")
            await self._block(rules)
            task_status.started()
            async for event in events:
                await self._attend(event)

    async def attend(self) -> None:
        """Collect the events of the page, once it is used for actions, until it is gone.

        Its requests are routed, too, once its context has options.
        """
        async with background_nursery() as attending:
            attending.start_soon(self._overrides.attend)
            attending.start_soon(self.live.attend)
            await self._runner.attend()

    async def restore(self) -> None:
        """Undo the options of the user's page, even if cancelled; its session undoes the rest."""
        if self._page.own:
            with trio.move_on_after(UNDO_S, shield=True), suppress(CDPError, TabwrightError):
                await self._overrides.apply(ContextOptions())

    async def _block(self, rules: BlockRules) -> None:
        if rules != self._rules:
            self._rules = rules
            await self._session.execute(interception.hold(rules) if rules.any else fetch.disable())

    async def _attend(self, event: Event) -> None:
        with suppress(CommandFailed):  # the page has continued meanwhile
            match event:
                case page.DialogOpening():
                    self.live.note("dialog", f"{event.type}: {event.message}")
                    if answer := self._dialogs.take(event):
                        await self._session.execute(answer)
                case page.DialogClosed():
                    self._dialogs.closed()
                case fetch.RequestPaused():
                    held = interception.answer(
                        event, self._rules, self._settings.bounds, self._page.frame_id
                    )
                    await self._session.execute(held)
                case network.ResponseReceived(type="Document", frame_id=self._page.frame_id):
                    self._coming = event
                case page.LifecycleEvent(name="init", frame_id=self._page.frame_id):
                    # A document is loaded: an earlier response may also have been a file, or
                    # nothing.
                    if (coming := self._coming) and coming.request_id == event.loader_id:
                        self._loaded = loaded_page_from(coming.response.url, coming.response)
                        self.live.note("navigation", self._loaded.url)
                case _:
                    self._traffic.take(event)

    def _going(
        self, url: str
    ) -> AbstractAsyncContextManager[tuple[NavigationWatcher, AsyncIterator[Event]]]:
        """Watch a navigation from `url`, or to it, and its events; stop it if the block fails."""
        return watch_navigation(self._page, url, self._settings, BaseException)

    async def _navigated(
        self, url: str, loading: NavigationWatcher, events: AsyncIterator[Event]
    ) -> LoadedPage:
        reloads = "#" in url and url == await self._place()
        for _ in range(SENT_MAX):
            if reloads:  # `Page.navigate` would only scroll to the fragment
                await self._session.execute(page.reload())
            else:
                self._runner.files.navigate()
                navigated = await self._session.execute(page.navigate(url))
                if navigated.stays:
                    return attrs.evolve(self._loaded, url=url)
                loading.begin(navigated)
            came = await loading.follow(events)
            if not loading.overtaken:
                return came
        raise PageFailed(
            ("The previous page navigated elsewhere instead of to ", Quoted(url), "."),
            advice="Open it in another tab.",
        )

    async def _place(self) -> str:
        """Return the URL of the page, with its fragment (`Target.getTargetInfo`)."""
        root = self._page.running.connection.root
        known = await root.execute(target.get_target_info(self._page.frame_id))
        return known.target_info.url

    @asynccontextmanager
    async def _leaving(self, loading: NavigationWatcher) -> AsyncGenerator[None]:
        """Record whether a failed navigation leaves another page in the tab than expected.

        A cancelled one is stopped, see `_going`: unless its page has arrived, the former page is
        still there, and can be read by callers that do not mistake it for the new one.
        """
        self._shows_another, self._shows_former = True, False
        try:
            yield
        except trio.Cancelled:
            self._shows_another, self._shows_former = False, not loading.has_come
            raise
        except BaseException:
            self._shows_another = not loading.has_come
            raise
        self._shows_another = False

    async def _run(
        self, function: str, *, pierce: bool = False, values: tuple[str, ...] = ()
    ) -> str:
        async def run(world: IsolatedWorld) -> str:
            """Run it in one document."""
            roots = await self._closed_roots(world.context_id) if pierce else ()
            return await world.run(self._session, function, object_ids=roots, values=values)

        return await self._in_world(run)

    async def _in_world(self, work: Callable[[IsolatedWorld], Awaitable[AnswerT]]) -> AnswerT:
        """Return the result of `work` with our world of the document; try again in a new one."""
        acted_in = self._runner.documents.known_main
        known = dict.fromkeys((self._world, acted_in.world if acted_in else None))
        for world in filter(None, known):  # they may be those of former documents
            with suppress(CommandFailed):
                return await self._work_in(world, work)
        for _ in range(TRIES_MAX - 1):
            with suppress(CommandFailed):
                return await self._work_in(await self._enter_world(), work)
        return await self._work_in(await self._enter_world(), work)

    async def _enter_world(self) -> IsolatedWorld:
        return await enter_world(self._session, self._page.frame_id)

    async def _work_in(
        self, world: IsolatedWorld, work: Callable[[IsolatedWorld], Awaitable[AnswerT]]
    ) -> AnswerT:
        self._world = None
        found = await work(world)
        self._world = world  # the document is still shown
        return found

    async def _closed_roots(self, context_id: int) -> tuple[str, ...]:
        document = await self._session.execute(dom.get_document())
        handles = [
            await self._session.execute(dom.resolve_node(node.backend_node_id, context_id))
            for node in document.root.closed_roots()
        ]
        return tuple(handle.object.object_id or "" for handle in handles)

    @contextmanager
    def _at_work(self) -> Generator[None]:
        with self._idleness.interrupted(), translate_cdp_errors():
            yield

"""Bridges for programs that do not run on trio: asyncio programs, and synchronous scripts.

Both run tabwright on trio in a thread of its own and pass calls to it:

* `open_tabwright_asyncio`: for FastAPI, LangChain and other asyncio programs. Cancelling a task,
  also by ``asyncio.timeout``, cancels its call; the task continues when the call has ended.
* `open_tabwright_sync`: for scripts and notebooks. Ctrl-C cancels the call that is waited for.

A callback given as ``progress`` runs in the caller's event loop or thread. An exception that it
raises cancels the call and is raised to the caller. The ``report`` of a task runs in tabwright's
thread, and can call nothing that blocks.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial, wraps
from queue import SimpleQueue
from typing import Concatenate, Generic, ParamSpec, TypeVar, cast

import attrs
import trio

from tabwright.app import open_tabwright
from tabwright.client import Tabwright
from tabwright.config.settings import DEFAULT_SESSION, Settings
from tabwright.environment import Environment
from tabwright.objects.door import Work
from tabwright.objects.locator import Locator
from tabwright.objects.page import Page
from tabwright.objects.session import Session
from tabwright.protocol.errors import Unanswered, Undelivered
from tabwright.protocol.inspection import Inspection
from tabwright.protocol.progress import (
    HumanNeededProgress,
    OnProgress,
    ProgressEvent,
    ignore_progress,
)

ParametersT = ParamSpec("ParametersT")
ObjectT = TypeVar("ObjectT")
AnswerT = TypeVar("AnswerT")
AnswerT_co = TypeVar("AnswerT_co", covariant=True)

STOPPED = "tabwright has stopped."
OPEN_AGAIN = "Open it again."


# A thread that runs tabwright, and calls into it.


@attrs.define(eq=False)
class Call(Generic[AnswerT]):
    """A call that runs in tabwright's thread.

    Attributes:
        work: starts it.
        on_progress: receives its progress, and None when it has ended; called in tabwright's
            thread.
    """

    work: Work[AnswerT]
    on_progress: Callable[[ProgressEvent | None], None]
    answer: Future[AnswerT] = attrs.field(factory=Future[AnswerT], init=False)
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    is_begun: bool = attrs.field(default=False, init=False)

    def end(self) -> None:
        """Report that the answer is there."""
        self.on_progress(None)


class TabwrightThread:
    """A thread that runs tabwright from `start` to `stop`. Its methods are called in others.

    Attributes:
        started: is done when tabwright is ready; has the exception if it could not be opened.
        ended: is done when the thread's work is over and nothing of it is left; has the exception
            if tabwright failed.
    """

    def __init__(self, settings: Settings | None, environment: Environment | None) -> None:
        self.started: Future[Tabwright] = Future()
        self.ended: Future[None] = Future()
        self._opening = partial(open_tabwright, settings, environment)
        self._token: Future[trio.lowlevel.TrioToken] = Future()
        self._scope = trio.CancelScope()
        self._nursery: trio.Nursery | None = None
        self._thread = threading.Thread(target=self._run, name="tabwright", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    @property
    def is_current(self) -> bool:
        """Whether this is the thread that calls."""
        return threading.current_thread() is self._thread

    def stop(self) -> None:
        """Ask tabwright to stop: open calls are cancelled, then everything is closed."""
        self._token.add_done_callback(lambda _: self.run_soon(self._cancel))

    def join(self) -> None:
        """Wait for the thread, which has `ended`, and raise the error of tabwright if it failed."""
        self.ended.exception()
        self._thread.join()
        self.ended.result()

    def begin(self, call: Call[AnswerT]) -> None:
        """Begin a call. Its answer is `Undelivered` if tabwright has stopped."""
        try:
            self._token.result().run_sync_soon(self._begin, call)
        except trio.RunFinishedError:
            self._refuse(call)

    def cancel(self, call: Call[AnswerT]) -> None:
        """Cancel a call, also one that has not begun. It has ended when its answer is there."""

        def cancel() -> None:
            """Cancel it in tabwright's thread."""
            call.scope.cancel()
            if not call.is_begun:
                self._refuse(call)

        self.run_soon(cancel)

    def run_soon(self, work: Callable[[], None]) -> None:
        """Run a short function in tabwright's thread, if that still runs."""
        with suppress(trio.RunFinishedError):
            self._token.result().run_sync_soon(work)

    def _run(self) -> None:
        try:
            trio.run(self._main)
        except BaseException as error:  # noqa: BLE001  (raised by who waits for the thread)
            if not self.started.done():
                self.started.set_exception(error)
            self.ended.set_exception(error)
        else:
            if not self.started.done():
                self.started.set_exception(Undelivered(STOPPED, advice=OPEN_AGAIN))
            self.ended.set_result(None)

    async def _main(self) -> None:
        with self._scope:
            self._token.set_result(trio.lowlevel.current_trio_token())
            async with self._opening() as tabwright, trio.open_nursery() as nursery:
                self._nursery = nursery
                self.started.set_result(tabwright)
                try:
                    await trio.sleep_forever()
                finally:
                    self._nursery = None

    def _cancel(self) -> None:
        if self._nursery is None:
            self._scope.cancel()
        else:  # the block ends, and tabwright is closed in the ordinary way
            self._nursery.cancel_scope.cancel()

    def _begin(self, call: Call[AnswerT]) -> None:
        if self._nursery is None or call.answer.done():  # stopped, or cancelled before
            self._refuse(call)
        else:
            call.is_begun = True
            self._nursery.start_soon(self._perform, call)

    def _refuse(self, call: Call[AnswerT]) -> None:
        if call.answer.done():
            return
        call.answer.set_exception(Undelivered(STOPPED, advice=OPEN_AGAIN))
        call.end()

    async def _perform(self, call: Call[AnswerT]) -> None:
        try:
            with call.scope:
                call.answer.set_result(await call.work(call.on_progress))
        except Exception as error:  # noqa: BLE001  (raised by who waits for the call)
            call.answer.set_exception(error)
        finally:
            if not call.answer.done():
                call.answer.set_exception(
                    Unanswered("tabwright was stopped during the call.", advice=OPEN_AGAIN)
                )
            call.end()

    def portable(self, event: ProgressEvent) -> ProgressEvent:
        """Return an event whose callback can be called in any thread."""
        if isinstance(event, HumanNeededProgress):
            return attrs.evolve(event, decline=partial(self.run_soon, event.decline))
        return event


# asyncio.


@attrs.frozen(eq=False)
class AsyncioDoor:
    """Runs calls of an asyncio program in tabwright's thread; see `Door`."""

    _thread: TabwrightThread

    async def __call__(
        self, work: Work[AnswerT], progress: OnProgress = ignore_progress, /
    ) -> AnswerT:
        """Run `work`, whose progress is reported in the event loop of the caller.

        Raises:
            Undelivered: tabwright has stopped.
            Unanswered: it was stopped during the call.
        """
        loop, events = asyncio.get_running_loop(), asyncio.Queue[ProgressEvent | None]()

        def forward(event: ProgressEvent | None) -> None:
            """Pass an event to the waiting task, in whose event loop it is handled."""
            with suppress(RuntimeError):  # the event loop was closed
                loop.call_soon_threadsafe(events.put_nowait, event)

        call, failure = Call(work, forward), None
        self._thread.begin(call)
        has_ended = False
        while not has_ended:
            try:
                event = await events.get()
                has_ended = event is None
                if event is not None and failure is None:
                    progress(self._thread.portable(event))
            except GeneratorExit:  # the coroutine is thrown away: nobody waits any more
                self._thread.cancel(call)
                raise
            except BaseException as error:  # noqa: BLE001  (raised when the call has ended)
                failure = error
                self._thread.cancel(call)
        if failure is not None:
            raise failure
        return call.answer.result()


@asynccontextmanager
async def open_tabwright_asyncio(
    settings: Settings | None = None, environment: Environment | None = None
) -> AsyncGenerator[Tabwright]:
    """Run tabwright beside an asyncio program; see `open_tabwright` for arguments and errors.

    Leaving the block cancels open calls, closes everything and waits until nothing is left. If
    tabwright fails, the block is cancelled and the error is raised in its place.
    """
    loop, block = asyncio.get_running_loop(), asyncio.current_task()
    thread = TabwrightThread(settings, environment)
    failed = asyncio.Event()

    def cancel_block() -> None:
        """Cancel the block whose tabwright has ended before it."""
        if block is not None and not left:
            failed.set()
            block.cancel()

    def watch(_ended: Future[None]) -> None:
        """Do so in the event loop."""
        with suppress(RuntimeError):  # the event loop was closed
            loop.call_soon_threadsafe(cancel_block)

    left = False
    cancellations = block.cancelling() if block else 0
    thread.start()
    try:
        await _settled(thread.started)
        thread.ended.add_done_callback(watch)
        yield attrs.evolve(thread.started.result(), door=AsyncioDoor(thread))
    except asyncio.CancelledError:
        # As asyncio.timeout does: the error of tabwright replaces our own cancellation only.
        if not failed.is_set() or block is None or block.uncancel() > cancellations:
            raise
    finally:
        left = True
        thread.stop()
        await _ended(thread)


async def _settled(future: Future[AnswerT]) -> None:
    """Wait until the future is done, and leave it as it is if cancelled."""
    waiting = asyncio.wrap_future(future)
    waiting.add_done_callback(_look_at_exception)
    await asyncio.wait([waiting])


def _look_at_exception(done: asyncio.Future[AnswerT]) -> None:
    """Take the exception of a future as seen: it is raised elsewhere, if at all."""
    done.exception()


async def _ended(thread: TabwrightThread) -> None:
    """Wait until the thread has ended, also if cancelled; then raise that, or its error."""
    cancelled = None
    while not thread.ended.done():
        try:
            await _settled(thread.ended)
        except asyncio.CancelledError as error:
            cancelled = error
    thread.join()
    if cancelled is not None:
        raise cancelled


# Synchronous code.


@attrs.frozen(eq=False)
class BlockingDoor:
    """Runs calls of a thread in tabwright's thread, and blocks meanwhile; see `Door`.

    It never suspends the coroutine that it is called in, so that `finished` can run it.
    """

    _thread: TabwrightThread

    async def __call__(
        self, work: Work[AnswerT], progress: OnProgress = ignore_progress, /
    ) -> AnswerT:
        """Run `work`, whose progress is reported in the calling thread.

        An exception in the waiting thread, such as KeyboardInterrupt, cancels the work and is
        raised when that has ended.

        Raises:
            Undelivered: tabwright has stopped.
            Unanswered: it was stopped during the call.
            RuntimeError: this is tabwright's own thread, which would wait for itself.
        """
        if self._thread.is_current:
            raise RuntimeError("A call of SyncTabwright in tabwright's own thread would never end.")
        events: SimpleQueue[ProgressEvent | None] = SimpleQueue()
        call = Call(work, events.put)
        try:
            self._thread.begin(call)
            while (event := events.get()) is not None:
                progress(self._thread.portable(event))
        except BaseException:
            self._thread.cancel(call)
            while not call.answer.done():
                events.get()
            raise
        return call.answer.result()


def finished(coroutine: Coroutine[object, object, AnswerT]) -> AnswerT:
    """Return what a coroutine returns that waits for nothing but `BlockingDoor`."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return cast("AnswerT", end.value)
    coroutine.close()
    raise AssertionError("A call of a synchronous program waits for something else.")


@attrs.frozen
class SyncObject(Generic[ObjectT]):
    """An object of tabwright in a synchronous program.

    Attributes:
        inner: the object, whose methods are coroutines.
    """

    inner: ObjectT


class Blocking(Generic[ObjectT, ParametersT, AnswerT_co]):
    """A coroutine method of an object as a blocking method."""

    def __init__(
        self,
        method: Callable[Concatenate[ObjectT, ParametersT], Coroutine[object, object, AnswerT_co]],
    ) -> None:
        self._method = method

    def __get__(
        self, blocked: SyncObject[ObjectT], owner: type[SyncObject[ObjectT]]
    ) -> Callable[ParametersT, AnswerT_co]:
        @wraps(self._method)
        def method(*args: ParametersT.args, **kwargs: ParametersT.kwargs) -> AnswerT_co:
            """Do what the coroutine method does, and wait for it."""
            return finished(self._method(blocked.inner, *args, **kwargs))

        return method


class Opening(Generic[ObjectT, ParametersT]):
    """A coroutine method that returns a page, as a blocking method that returns a `SyncPage`."""

    def __init__(
        self,
        method: Callable[Concatenate[ObjectT, ParametersT], Coroutine[object, object, Page]],
    ) -> None:
        self._method = method

    def __get__(
        self, blocked: SyncObject[ObjectT], owner: type[SyncObject[ObjectT]]
    ) -> Callable[ParametersT, "SyncPage"]:
        @wraps(self._method)
        def method(*args: ParametersT.args, **kwargs: ParametersT.kwargs) -> "SyncPage":
            """Open the page, and wait for it."""
            return SyncPage(finished(self._method(blocked.inner, *args, **kwargs)))

        return method


class SyncTabwright(SyncObject[Tabwright]):
    """A running tabwright for a synchronous program, as `open_sync` yields it.

    Each method does what the method of `Tabwright` with the same name does, and blocks until it is
    done. Several threads can use it at the same time.
    """

    search = Blocking(Tabwright.search)
    web_search = Blocking(Tabwright.web_search)
    interventions = Blocking(Tabwright.interventions)
    answer_intervention = Blocking(Tabwright.answer_intervention)
    start_browser = Blocking(Tabwright.start_browser)
    view_link = Blocking(Tabwright.view_link)
    pool = Blocking(Tabwright.pool)
    reset_back_off = Blocking(Tabwright.reset_back_off)
    rates = Blocking(Tabwright.rates)
    rate_share = Blocking(Tabwright.rate_share)
    fleet = Blocking(Tabwright.fleet)
    threads = Blocking(Tabwright.threads)
    close_threads = Blocking(Tabwright.close_threads)
    read = Blocking(Tabwright.read)
    extract = Blocking(Tabwright.extract)
    open = Opening(Tabwright.open)
    list_sessions = Blocking(Tabwright.list_sessions)
    pictures = Blocking(Tabwright.pictures)
    frames = Blocking(Tabwright.frames)

    @property
    def settings(self) -> Settings:
        """The settings that it was opened with."""
        return self.inner.settings

    def session(self, name: str = DEFAULT_SESSION) -> "SyncSession":
        """Return a session by its name; it is opened when it is first used."""
        return SyncSession(self.inner.session(name))

    def call(
        self,
        work: Callable[[Tabwright, OnProgress], Awaitable[AnswerT]],
        progress: OnProgress = ignore_progress,
    ) -> AnswerT:
        """Run a coroutine function in tabwright's thread, and return its answer.

        See `Tabwright.call`.
        """
        return finished(self.inner.call(work, progress))


class SyncSession(SyncObject[Session]):
    """A session in a synchronous program; see `Session`."""

    @property
    def name(self) -> str:
        """Its name."""
        return self.inner.name

    open = Opening(Session.open)
    enter = Blocking(Session.enter)
    act = Blocking(Session.act)
    change_tabs = Blocking(Session.change_tabs)
    page_tools = Blocking(Session.page_tools)
    navigate = Blocking(Session.navigate)
    view = Blocking(Session.view)
    snapshot = Blocking(Session.snapshot)
    follow = Blocking(Session.follow)
    fill = Blocking(Session.fill)
    submit = Blocking(Session.submit)
    change_cookies = Blocking(Session.change_cookies)
    storage_state = Blocking(Session.storage_state)
    set_storage_state = Blocking(Session.set_storage_state)
    change_context = Blocking(Session.change_context)
    settings = Blocking(Session.settings)
    save = Blocking(Session.save)
    close = Blocking(Session.close)
    change_trace = Blocking(Session.change_trace)
    run_task = Blocking(Session.run_task)

    def pages(self) -> tuple["SyncPage", ...]:
        """Return the pages in the tabs of the session; none if it is not open."""
        return tuple(map(SyncPage, finished(self.inner.pages())))

    def inspect(
        self,
        inspection: Inspection[AnswerT],
        *,
        tab: int | None = None,
        progress: OnProgress = ignore_progress,
        blank: bool = False,
    ) -> AnswerT:
        """Return a part of the state of a tab; see `Session.inspect`."""
        return finished(self.inner.inspect(inspection, tab=tab, progress=progress, blank=blank))


class SyncPage(SyncObject[Page]):
    """A page in a synchronous program; see `Page`."""

    @property
    def session(self) -> SyncSession:
        """The session that it is in."""
        return SyncSession(self.inner.session)

    @property
    def tab(self) -> int | None:
        """Its number in the session; None for whichever tab is current."""
        return self.inner.tab

    @property
    def url(self) -> str:
        """The URL of the page, as `Page.url`."""
        return self.inner.url

    @property
    def title(self) -> str:
        """The title of the page, as `Page.url`."""
        return self.inner.title

    goto = Blocking(Page.goto)
    back = Blocking(Page.back)
    forward = Blocking(Page.forward)
    reload = Blocking(Page.reload)
    close = Blocking(Page.close)
    click = Blocking(Page.click)
    type = Blocking(Page.type)
    press = Blocking(Page.press)
    select = Blocking(Page.select)
    hover = Blocking(Page.hover)
    drag = Blocking(Page.drag)
    select_text = Blocking(Page.select_text)
    touch = Blocking(Page.touch)
    mouse = Blocking(Page.mouse)
    scroll = Blocking(Page.scroll)
    upload = Blocking(Page.upload)
    wait_for = Blocking(Page.wait_for)
    dialog = Blocking(Page.dialog)
    emulate = Blocking(Page.emulate)
    fill = Blocking(Page.fill)
    run = Blocking(Page.run)
    act = Blocking(Page.act)
    outline = Blocking(Page.outline)
    text = Blocking(Page.text)
    snapshot = Blocking(Page.snapshot)
    screenshot = Blocking(Page.screenshot)
    pdf = Blocking(Page.pdf)
    console = Blocking(Page.console)
    requests = Blocking(Page.requests)
    request = Blocking(Page.request)
    body = Blocking(Page.body)
    downloads = Blocking(Page.downloads)
    evaluate = Blocking(Page.evaluate)
    tools = Blocking(Page.tools)
    call_tool = Blocking(Page.call_tool)

    def inspect(
        self, inspection: Inspection[AnswerT], *, progress: OnProgress = ignore_progress
    ) -> AnswerT:
        """Return a part of the state of the page; see `Page.inspect`."""
        return finished(self.inner.inspect(inspection, progress=progress))

    def locator(self, locator: str) -> "SyncLocator":
        """Return a locator of elements of the page, which are looked for when it is used."""
        return SyncLocator(self.inner.locator(locator))


class SyncLocator(SyncObject[Locator]):
    """A locator in a synchronous program; see `Locator`."""

    @property
    def page(self) -> SyncPage:
        """The page."""
        return SyncPage(self.inner.page)

    @property
    def locator(self) -> str:
        """The locator as text."""
        return self.inner.locator

    click = Blocking(Locator.click)
    type = Blocking(Locator.type)
    select = Blocking(Locator.select)
    hover = Blocking(Locator.hover)
    drag = Blocking(Locator.drag)
    select_text = Blocking(Locator.select_text)
    touch = Blocking(Locator.touch)
    upload = Blocking(Locator.upload)
    text = Blocking(Locator.text)
    value = Blocking(Locator.value)
    attribute = Blocking(Locator.attribute)
    options = Blocking(Locator.options)
    ref = Blocking(Locator.ref)
    count = Blocking(Locator.count)
    all = Blocking(Locator.all)


@contextmanager
def open_tabwright_sync(
    settings: Settings | None = None, environment: Environment | None = None
) -> Generator[SyncTabwright]:
    """Run tabwright beside a synchronous program; see `open_tabwright` for arguments and errors.

    Leaving the block cancels calls of other threads, closes everything and waits until nothing is
    left. If tabwright fails, its error is raised when the block ends.
    """
    thread = TabwrightThread(settings, environment)
    thread.start()
    try:
        yield SyncTabwright(attrs.evolve(thread.started.result(), door=BlockingDoor(thread)))
    finally:
        thread.stop()
        thread.join()

"""Bridges for programs that do not run on trio: asyncio programs, and synchronous scripts.

Both run tabwright on trio in a thread of its own and pass calls to it:

* `open_tabwright_asyncio`: for FastAPI, LangChain and other asyncio programs. Cancelling a task,
  also by ``asyncio.timeout``, cancels its call; the task continues when the call has ended.
* `open_tabwright_sync`: for scripts and notebooks. Ctrl-C cancels the call that is waited for.

A callback given as ``progress`` runs in the caller's event loop or thread. An exception that it
raises cancels the call and is raised to the caller. The callback inside a request (`RunTask`) and
run in tabwright's thread.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial, wraps
from queue import SimpleQueue
from typing import Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, cast

import attrs
import trio

from tabwright.app import open_tabwright
from tabwright.client import Tabwright
from tabwright.config.settings import Settings
from tabwright.environment import Environment
from tabwright.protocol.errors import Unanswered, Undelivered
from tabwright.protocol.inspection import Inspection
from tabwright.protocol.progress import (
    HumanNeededProgress,
    OnProgress,
    ProgressEvent,
    ignore_progress,
)

ParametersT = ParamSpec("ParametersT")
AnswerT = TypeVar("AnswerT")
AnswerT_co = TypeVar("AnswerT_co", covariant=True)

Work: TypeAlias = Callable[[Tabwright, OnProgress], Awaitable[AnswerT]]
"""Starts a call on a running tabwright, with the callback for its progress."""

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
                call.answer.set_result(await call.work(self.started.result(), call.on_progress))
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


# Methods of `Tabwright` as methods of a bridge.


class Bridged(Generic[ParametersT, AnswerT_co]):
    """A method of `Tabwright` that a bridge passes on; how it waits is up to the kind of bridge."""

    def __init__(
        self, method: Callable[Concatenate[Tabwright, ParametersT], Awaitable[AnswerT_co]]
    ) -> None:
        self._method = method


def _work(
    method: Callable[Concatenate[Tabwright, ParametersT], Awaitable[AnswerT]],
    *args: ParametersT.args,
    **kwargs: ParametersT.kwargs,
) -> Work[AnswerT]:
    """Return the call of a method; its own `progress` is replaced by that of the bridge."""

    def work(tabwright: Tabwright, progress: OnProgress) -> Awaitable[AnswerT]:
        """Call the method."""
        if "progress" in kwargs:
            kwargs["progress"] = progress
        return method(tabwright, *args, **kwargs)

    return work


def _progress_of(kwargs: object) -> OnProgress:
    given = cast("dict[str, object]", kwargs)  # keywords of a ParamSpec have no types
    progress = given.get("progress", ignore_progress)
    if not callable(progress):  # it is replaced before the method could check it
        raise TypeError(f"progress must be callable, not {type(progress).__name__}.")
    return cast("OnProgress", progress)


# asyncio.


class Asynchronous(Bridged[ParametersT, AnswerT_co]):
    """A method of `Tabwright` as a coroutine method of `AsyncioTabwright`."""

    def __get__(
        self, bridge: "AsyncioTabwright", owner: type["AsyncioTabwright"]
    ) -> Callable[ParametersT, Coroutine[object, object, AnswerT_co]]:
        @wraps(self._method)
        async def method(*args: ParametersT.args, **kwargs: ParametersT.kwargs) -> AnswerT_co:
            """Pass the call to tabwright's thread."""
            return await bridge.call(_work(self._method, *args, **kwargs), _progress_of(kwargs))

        return method


class AsyncioTabwright:
    """A running tabwright for an asyncio program, as `open_tabwright_asyncio` yields it.

    Each method does what the method of `Tabwright` with the same name does.
    """

    def __init__(self, thread: TabwrightThread) -> None:
        self._thread = thread

    search = Asynchronous(Tabwright.search)
    web_search = Asynchronous(Tabwright.web_search)
    interventions = Asynchronous(Tabwright.interventions)
    answer_intervention = Asynchronous(Tabwright.answer_intervention)
    start_browser = Asynchronous(Tabwright.start_browser)
    view_link = Asynchronous(Tabwright.view_link)
    pool = Asynchronous(Tabwright.pool)
    reset_back_off = Asynchronous(Tabwright.reset_back_off)
    rates = Asynchronous(Tabwright.rates)
    rate_share = Asynchronous(Tabwright.rate_share)
    fleet = Asynchronous(Tabwright.fleet)
    threads = Asynchronous(Tabwright.threads)
    close_threads = Asynchronous(Tabwright.close_threads)
    browse = Asynchronous(Tabwright.browse)
    extract = Asynchronous(Tabwright.extract)
    navigate = Asynchronous(Tabwright.navigate)
    enter = Asynchronous(Tabwright.enter)
    act = Asynchronous(Tabwright.act)
    change_tabs = Asynchronous(Tabwright.change_tabs)
    view_page = Asynchronous(Tabwright.view_page)
    snapshot = Asynchronous(Tabwright.snapshot)
    follow_link = Asynchronous(Tabwright.follow_link)
    fill_form = Asynchronous(Tabwright.fill_form)
    submit_form = Asynchronous(Tabwright.submit_form)
    list_sessions = Asynchronous(Tabwright.list_sessions)
    session_settings = Asynchronous(Tabwright.session_settings)
    save_session = Asynchronous(Tabwright.save_session)
    page_tools = Asynchronous(Tabwright.page_tools)
    change_cookies = Asynchronous(Tabwright.change_cookies)
    storage_state = Asynchronous(Tabwright.storage_state)
    set_storage_state = Asynchronous(Tabwright.set_storage_state)
    change_context = Asynchronous(Tabwright.change_context)
    close_session = Asynchronous(Tabwright.close_session)
    change_trace = Asynchronous(Tabwright.change_trace)
    run_task = Asynchronous(Tabwright.run_task)
    pictures = Asynchronous(Tabwright.pictures)
    frames = Asynchronous(Tabwright.frames)

    async def inspect(
        self,
        inspection: Inspection[AnswerT],
        *,
        session: str,
        tab: int | None = None,
        progress: OnProgress = ignore_progress,
        blank: bool = False,
    ) -> AnswerT:
        """See `Tabwright.inspect`."""
        return await self.call(
            lambda tabwright, relay: tabwright.inspect(
                inspection, session=session, tab=tab, progress=relay, blank=blank
            ),
            progress,
        )

    async def call(self, work: Work[AnswerT], progress: OnProgress = ignore_progress) -> AnswerT:
        """Run `work` in tabwright's thread and return its answer.

        Cancellation cancels the work and waits until it has ended.

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
            except BaseException as error:  # noqa: BLE001  (raised when the call has ended)
                failure = error
                self._thread.cancel(call)
        if failure is not None:
            raise failure
        return call.answer.result()


@asynccontextmanager
async def open_tabwright_asyncio(
    settings: Settings | None = None, environment: Environment | None = None
) -> AsyncGenerator[AsyncioTabwright]:
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
        thread.started.result()
        thread.ended.add_done_callback(watch)
        yield AsyncioTabwright(thread)
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


class Blocking(Bridged[ParametersT, AnswerT_co]):
    """A method of `Tabwright` as a blocking method of `SyncTabwright`."""

    def __get__(
        self, bridge: "SyncTabwright", owner: type["SyncTabwright"]
    ) -> Callable[ParametersT, AnswerT_co]:
        @wraps(self._method)
        def method(*args: ParametersT.args, **kwargs: ParametersT.kwargs) -> AnswerT_co:
            """Pass the call to tabwright's thread."""
            return bridge.call(_work(self._method, *args, **kwargs), _progress_of(kwargs))

        return method


class SyncTabwright:
    """A running tabwright for a synchronous program, as `open_tabwright_sync` yields it.

    Each method does what the method of `Tabwright` with the same name does, and blocks until it is
    done. Several threads can use it at the same time.
    """

    def __init__(self, thread: TabwrightThread) -> None:
        self._thread = thread

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
    browse = Blocking(Tabwright.browse)
    extract = Blocking(Tabwright.extract)
    navigate = Blocking(Tabwright.navigate)
    enter = Blocking(Tabwright.enter)
    act = Blocking(Tabwright.act)
    change_tabs = Blocking(Tabwright.change_tabs)
    view_page = Blocking(Tabwright.view_page)
    snapshot = Blocking(Tabwright.snapshot)
    follow_link = Blocking(Tabwright.follow_link)
    fill_form = Blocking(Tabwright.fill_form)
    submit_form = Blocking(Tabwright.submit_form)
    list_sessions = Blocking(Tabwright.list_sessions)
    session_settings = Blocking(Tabwright.session_settings)
    save_session = Blocking(Tabwright.save_session)
    page_tools = Blocking(Tabwright.page_tools)
    change_cookies = Blocking(Tabwright.change_cookies)
    storage_state = Blocking(Tabwright.storage_state)
    set_storage_state = Blocking(Tabwright.set_storage_state)
    change_context = Blocking(Tabwright.change_context)
    close_session = Blocking(Tabwright.close_session)
    change_trace = Blocking(Tabwright.change_trace)
    run_task = Blocking(Tabwright.run_task)
    pictures = Blocking(Tabwright.pictures)
    frames = Blocking(Tabwright.frames)

    def inspect(
        self,
        inspection: Inspection[AnswerT],
        *,
        session: str,
        tab: int | None = None,
        progress: OnProgress = ignore_progress,
        blank: bool = False,
    ) -> AnswerT:
        """See `Tabwright.inspect`."""
        return self.call(
            lambda tabwright, relay: tabwright.inspect(
                inspection, session=session, tab=tab, progress=relay, blank=blank
            ),
            progress,
        )

    def call(self, work: Work[AnswerT], progress: OnProgress = ignore_progress) -> AnswerT:
        """Run `work` in tabwright's thread and return its answer.

        An exception in the waiting thread, such as KeyboardInterrupt, cancels the work and is
        raised when that has ended.

        Raises:
            Undelivered: tabwright has stopped.
            Unanswered: it was stopped during the call.
        """
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
        thread.started.result()
        yield SyncTabwright(thread)
    finally:
        thread.stop()
        thread.join()

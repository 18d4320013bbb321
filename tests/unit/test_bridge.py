"""tabwright in asyncio programs and synchronous programs, with a fake browser."""

import asyncio
import inspect
import signal
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from functools import partial
from random import Random

import attrs
import pytest
import trio
import trio.lowlevel

from tabwright import BadInput, Locator, Page, PageText, ReadOptions, Session, Tabwright
from tabwright.bridge import (
    Call,
    SyncLocator,
    SyncPage,
    SyncSession,
    SyncTabwright,
    TabwrightThread,
    open_tabwright_asyncio,
    open_tabwright_sync,
)
from tabwright.environment import Environment
from tabwright.protocol.errors import Escalated, Unanswered, Undelivered
from tabwright.protocol.fetch import Fetcher
from tabwright.protocol.inspection import Evaluate
from tabwright.protocol.progress import OnProgress, ProgressEvent, WaitProgress
from tabwright.testing import FakeControl, FakePage, FakeSite, fake_launcher, simulated_environment
from tabwright.testing.fake.browser import fake_fetching

URL = "https://a.example/"
SITE = FakeSite(pages={URL: FakePage("<title>Nurseries</title><p>Every task has a parent.</p>")})
PROMPT_S = 10
"""What is cancelled ends within milliseconds; a machine can be busy."""


def environment(site: FakeSite = SITE) -> Environment:
    random = Random(1)
    return simulated_environment(fake_launcher(site, random), random)


@pytest.fixture(autouse=True)
def no_thread_stays() -> Generator[None]:
    yield
    assert "tabwright" not in {thread.name for thread in threading.enumerate()}


def coroutines_of(facade: type) -> set[str]:
    return {
        name
        for name, member in vars(facade).items()
        if not name.startswith("_") and inspect.iscoroutinefunction(member)
    }


@pytest.mark.parametrize(
    ("of", "blocking"),
    [
        (Tabwright, SyncTabwright),
        (Session, SyncSession),
        (Page, SyncPage),
        (Locator, SyncLocator),
    ],
)
def test_synchronous_object_has_every_method(of: type, blocking: type) -> None:
    assert coroutines_of(of) <= set(vars(blocking))


def fail(_event: ProgressEvent) -> None:
    raise ZeroDivisionError


class Sleeper:
    """Endless work that records when it has begun and whether it was cancelled."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.was_cancelled = False

    async def __call__(self, tabwright: Tabwright, progress: OnProgress) -> None:
        try:
            self.begun.set()
            await trio.sleep_forever()
        except trio.Cancelled:
            self.was_cancelled = True
            raise


async def reported_twice(tabwright: Tabwright, progress: OnProgress) -> str:
    progress(WaitProgress("one"))
    progress(WaitProgress("two"))
    await trio.lowlevel.checkpoint()
    return "done"


@asynccontextmanager
async def unopened() -> AsyncGenerator[Fetcher]:
    await trio.lowlevel.checkpoint()
    raise OSError("no disk")
    yield  # pragma: no cover


@asynccontextmanager
async def slow() -> AsyncGenerator[Fetcher]:
    await trio.sleep_forever()
    yield  # pragma: no cover


@attrs.define
class Failing:
    """A fake fetcher that crashes when a call requests it."""

    over: trio.Event = attrs.field(factory=trio.Event)

    @asynccontextmanager
    async def fetching(self) -> AsyncGenerator[Fetcher]:
        async with trio.open_nursery() as nursery, fake_fetching(SITE)() as fetcher:
            nursery.start_soon(self._fail)
            yield fetcher

    async def _fail(self) -> None:
        await self.over.wait()
        raise ZeroDivisionError

    async def fail(self, tabwright: Tabwright, progress: OnProgress) -> None:
        await trio.lowlevel.checkpoint()
        self.over.set()

    @property
    def environment(self) -> Environment:
        return attrs.evolve(environment(), fetching=self.fetching)


def test_asyncio_program_reads_a_page() -> None:
    async def main() -> PageText:
        async with open_tabwright_asyncio(environment=environment()) as tabwright:
            return await tabwright.read(URL, ReadOptions())

    assert asyncio.run(main()).title == "Nurseries"


def test_asyncio_inspection_of_unknown_ref_is_refused() -> None:
    async def main() -> None:
        async with open_tabwright_asyncio(environment=environment()) as tabwright:
            await tabwright.session("s").enter(URL)
            with pytest.raises(BadInput):
                await tabwright.session("s").inspect(Evaluate("1", "9.9"))

    asyncio.run(main())


WRONG: list[tuple[str, dict[str, object]]] = [
    ("web_search", {"request": 5}),
    ("open", {"url": URL, "session": 5}),
    ("read", {"url": URL, "progress": 5}),
]


def test_asyncio_argument_of_a_wrong_type_is_refused_and_the_session_stays() -> None:
    async def main() -> None:
        async with open_tabwright_asyncio(environment=environment()) as tabwright:
            await tabwright.session("s").enter(URL)
            for method, arguments in WRONG:
                with pytest.raises(TypeError):
                    await getattr(tabwright, method)(**arguments)
            assert [session.name for session in await tabwright.list_sessions()] == ["s"]

    asyncio.run(main())


def test_sync_argument_of_a_wrong_type_is_refused_and_the_session_stays() -> None:
    with open_tabwright_sync(environment=environment()) as tabwright:
        tabwright.session("s").enter(URL)
        for method, arguments in WRONG:
            with pytest.raises(TypeError):
                getattr(tabwright, method)(**arguments)
        assert [session.name for session in tabwright.list_sessions()] == ["s"]


def test_asyncio_timeout_cancels_the_call_and_the_next_one_works() -> None:
    sleeper = Sleeper()

    async def main() -> str:
        async with open_tabwright_asyncio(environment=environment()) as tabwright:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await tabwright.call(sleeper)
            assert sleeper.was_cancelled
            return await tabwright.call(reported_twice)

    assert asyncio.run(asyncio.wait_for(main(), PROMPT_S)) == "done"


def test_cancelled_asyncio_task_waits_for_its_call_to_end() -> None:
    sleeper = Sleeper()

    async def main() -> None:
        async with open_tabwright_asyncio(environment=environment()) as tabwright:
            task = asyncio.create_task(tabwright.call(sleeper))
            await asyncio.to_thread(sleeper.begun.wait)
            task.cancel()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert sleeper.was_cancelled

    asyncio.run(asyncio.wait_for(main(), PROMPT_S))


def test_asyncio_progress_is_delivered_in_the_calling_thread() -> None:
    received: list[tuple[str, int]] = []

    async def main() -> None:
        async with open_tabwright_asyncio(environment=environment()) as tabwright:
            await tabwright.call(
                reported_twice, lambda event: received.append((str(event), threading.get_ident()))
            )

    asyncio.run(main())
    here = threading.get_ident()
    assert received == [("one", here), ("two", here)]


def test_failing_asyncio_callback_cancels_its_call() -> None:
    async def main() -> None:
        async with open_tabwright_asyncio(environment=environment()) as tabwright:
            with pytest.raises(ZeroDivisionError):
                await tabwright.call(reported_twice, fail)
            assert await tabwright.call(reported_twice) == "done"

    asyncio.run(main())


def test_leaving_asyncio_block_cancels_its_calls() -> None:
    sleeper = Sleeper()

    async def main() -> None:
        async with open_tabwright_asyncio(environment=environment()) as tabwright:
            task = asyncio.create_task(tabwright.call(sleeper))
            await asyncio.to_thread(sleeper.begun.wait)
        with pytest.raises(Unanswered):
            await task
        with pytest.raises(Undelivered):
            await tabwright.pool()

    asyncio.run(asyncio.wait_for(main(), PROMPT_S))
    assert sleeper.was_cancelled


def test_call_cancelled_while_tabwright_stops_still_ends() -> None:
    for _ in range(5):
        thread = TabwrightThread(None, environment())
        thread.start()
        tabwright = thread.started.result(PROMPT_S)
        thread.stop()
        call = Call(partial(reported_twice, tabwright), lambda _event: None)
        thread.begin(call)
        thread.cancel(call)
        thread.cancel(call)
        with pytest.raises((Undelivered, Unanswered)):
            call.answer.result(PROMPT_S)
        thread.join()


def test_asyncio_block_raises_the_error_that_prevented_opening() -> None:
    async def main() -> None:
        async with open_tabwright_asyncio(
            environment=attrs.evolve(environment(), fetching=unopened)
        ):
            raise AssertionError

    with pytest.raises(OSError, match="no disk"):
        asyncio.run(main())


def test_asyncio_block_can_be_cancelled_while_opening() -> None:
    async def main() -> None:
        async with (
            asyncio.timeout(0.1),
            open_tabwright_asyncio(environment=attrs.evolve(environment(), fetching=slow)),
        ):
            raise AssertionError

    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(main(), PROMPT_S))


def test_asyncio_block_is_cancelled_with_the_error_if_tabwright_fails() -> None:
    failing = Failing()

    async def main() -> None:
        async with open_tabwright_asyncio(environment=failing.environment) as tabwright:
            await tabwright.call(failing.fail)
            await asyncio.sleep(PROMPT_S)
            raise AssertionError

    with pytest.raises(Escalated):
        asyncio.run(main())


FORM = "https://form.example/"
FORMS = FakeSite(
    pages={
        FORM: FakePage(
            "<title>Form</title>",
            controls=(FakeControl("Name", "textbox"), FakeControl("Send", leads_to=URL)),
        ),
        URL: SITE.pages[URL],
    }
)


def test_asyncio_program_acts_on_a_page() -> None:
    async def main() -> tuple[str, str]:
        async with open_tabwright_asyncio(environment=environment(FORMS)) as tabwright:
            page = await tabwright.open(FORM)
            typed = await page.locator("label=Name").type("Eve")
            await page.click("text=Send")
            return typed.value_check, page.url

    assert asyncio.run(main()) == ("matches", URL)


def test_script_acts_on_a_page() -> None:
    with open_tabwright_sync(environment=environment(FORMS)) as tabwright:
        page = tabwright.open(FORM, session="s")
        assert page.title == "Form"
        page.type("label=Name", "Eve")
        page.locator("text=Send").click()
        assert page.url == URL
        assert [one.title for one in page.session.pages()] == ["Nurseries"]
        page.session.close()
        assert tabwright.session("s").pages() == ()


def test_script_reads_a_page() -> None:
    with open_tabwright_sync(environment=environment()) as tabwright:
        assert tabwright.read(URL).title == "Nurseries"


def test_sync_progress_is_delivered_in_the_calling_thread() -> None:
    received: list[tuple[str, int]] = []
    with open_tabwright_sync(environment=environment()) as tabwright:
        tabwright.call(
            reported_twice, lambda event: received.append((str(event), threading.get_ident()))
        )
    here = threading.get_ident()
    assert received == [("one", here), ("two", here)]


def test_interrupted_sync_script_cancels_its_call() -> None:
    sleeper, main = Sleeper(), threading.get_ident()

    def interrupt() -> None:
        sleeper.begun.wait()
        signal.pthread_kill(main, signal.SIGINT)

    with open_tabwright_sync(environment=environment()) as tabwright:
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            tabwright.call(sleeper)
        assert sleeper.was_cancelled
        assert tabwright.call(reported_twice) == "done"


def test_sync_call_after_the_block_is_refused() -> None:
    with open_tabwright_sync(environment=environment()) as tabwright:
        pass
    with pytest.raises(Undelivered):
        tabwright.read(URL)


def test_sync_block_raises_the_error_if_tabwright_fails() -> None:
    failing = Failing()
    with (
        pytest.raises(Escalated),
        open_tabwright_sync(environment=failing.environment) as tabwright,
    ):
        tabwright.call(failing.fail)
        with pytest.raises((Undelivered, Unanswered)):
            while True:
                tabwright.call(reported_twice)

"""CDP behavior that Chromium, on every link, and the fake browser share."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from typing import Protocol

import attrs
import pytest
import trio
import trio.testing

from tabwright.cdp.connection import CDPConnection
from tabwright.cdp.domains import browser, page, runtime, storage, target
from tabwright.cdp.domains.network import RequestWillBeSent, ResponseReceived
from tabwright.cdp.domains.page import LifecycleEvent
from tabwright.cdp.domains.target import AttachedToTarget
from tabwright.cdp.errors import CommandFailed, ConnectionLost, Gone, SessionEnded, TargetCrashed
from tabwright.cdp.session import CDPSession, Subscription, keep_attached
from tabwright.cdp.wire import CDPCommand, Nothing
from tabwright.concurrency.nursery import background_nursery
from tabwright.page.open_page import AttachedPage

from .conftest import CHROMIUM

PIPE = pytest.param("pipe", marks=[pytest.mark.chromium, pytest.mark.nightly])
SHELL = pytest.param("shell", marks=pytest.mark.chromium)
WEBSOCKET = pytest.param("websocket", marks=[pytest.mark.chromium, pytest.mark.nightly])
REAL = [PIPE, SHELL, WEBSOCKET, CHROMIUM]
MORTAL = ["fake", PIPE, SHELL, WEBSOCKET]
"""The browser at the endpoint is there for all tests."""

NEVER = CDPCommand(
    "Runtime.evaluate", {"expression": "new Promise(() => {})", "awaitPromise": True}, Nothing
)
CRASH = CDPCommand("Page.crash", {}, Nothing)
NO_SUCH = CDPCommand("No.such", {}, Nothing)
BURST = 200


class Peer(Protocol):
    """The parts of the `peer` fixture that are used here."""

    connection: CDPConnection
    refused_port: int

    def url(self, path: str) -> str: ...
    def page(self) -> AbstractAsyncContextManager[AttachedPage]: ...
    def kill(self) -> None: ...
    def opening_a_page(self, path: str) -> CDPCommand[Nothing]: ...
    def adding_a_frame(self, path: str) -> CDPCommand[Nothing]: ...


async def value(session: CDPSession, expression: str) -> object:
    return (await session.execute(runtime.evaluate(expression))).result.value


async def load(opened: AttachedPage, url: str) -> None:
    with opened.session.subscribe(LifecycleEvent) as lifecycle:
        navigated = await opened.session.execute(page.navigate(url))
        assert not navigated.error_text
        async for event in lifecycle:
            if (event.name, event.loader_id) == ("load", navigated.loader_id):
                return


class Unanswered:
    """Commands that get no reply; `ends` collects the types of their errors."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.ends: list[type[Gone]] = []
        self._nursery = nursery

    async def start(self, session: CDPSession, *commands: CDPCommand[Nothing]) -> None:
        for command in commands:
            self._nursery.start_soon(self._wait, session, command)
        await trio.testing.wait_all_tasks_blocked()

    async def _wait(self, session: CDPSession, command: CDPCommand[Nothing]) -> None:
        try:
            await session.execute(command)
        except Gone as error:
            self.ends.append(type(error))


async def test_browser_reports_its_version_and_user_agent(peer: Peer) -> None:
    version = await peer.connection.root.execute(browser.get_version())
    assert "/" in version.product
    assert version.user_agent.startswith("Mozilla/5.0 ")


async def test_browser_answers_with_the_cookies_of_its_own_context(peer: Peer) -> None:
    with trio.fail_after(20):
        await peer.connection.root.execute(storage.get_cookies())


async def test_page_evaluates_scripts_and_returns_long_strings_unabridged(peer: Peer) -> None:
    async with peer.page() as opened:
        await load(opened, peer.url("/article"))
        assert await value(opened.session, "1 + 1") == 2
        assert await value(opened.session, "location.pathname") == "/article"
        assert await value(opened.session, "'\\ud800 lone'") == "\ufffd lone"
        assert await value(opened.session, "'x'.repeat(5_000_000)") == "x" * 5_000_000


async def test_a_burst_of_commands_is_answered_one_by_one(peer: Peer) -> None:
    values: list[object] = []

    async def ask(session: CDPSession) -> None:
        values.append(await value(session, "1 + 1"))

    async with peer.page() as opened:
        await load(opened, peer.url("/article"))
        async with trio.open_nursery() as nursery:
            for _ in range(BURST):
                nursery.start_soon(ask, opened.session)
    assert values == [2] * BURST


async def test_unknown_methods_and_sessions_are_refused(peer: Peer) -> None:
    stranger = CDPSession(peer.connection, "stranger")
    async with peer.page() as opened:
        for session, command, code in (
            (peer.connection.root, NO_SUCH, -32601),
            (opened.session, NO_SUCH, -32601),
            (stranger, page.enable(), -32001),
            (stranger, NO_SUCH, -32001),
        ):
            with pytest.raises(CommandFailed) as caught:
                await session.execute(command)
            assert (caught.value.method, caught.value.code) == (command.method, code)
    with pytest.raises(SessionEnded):
        await peer.connection.session("stranger").execute(page.enable())


async def test_events_of_a_document_load_arrive_in_order(peer: Peer) -> None:
    async with peer.page() as opened:
        with opened.session.subscribe(
            RequestWillBeSent, ResponseReceived, LifecycleEvent
        ) as events:
            navigated = await opened.session.execute(page.navigate(peer.url("/article")))
            reported: list[str] = []
            async for event in events:
                if navigated.loader_id == getattr(event, "request_id", None):
                    reported.append(event.method)
                elif navigated.loader_id == getattr(event, "loader_id", None):
                    reported.append(getattr(event, "name", ""))
                if reported and reported[-1] == "load":
                    break
    landmarks = [
        "Network.requestWillBeSent",
        "Network.responseReceived",
        "DOMContentLoaded",
        "load",
    ]
    assert [name for name in reported if name in landmarks] == landmarks


async def test_failed_navigation_reports_net_error(peer: Peer) -> None:
    async with peer.page() as opened:
        refused = f"http://127.0.0.1:{peer.refused_port}/"
        navigated = await opened.session.execute(page.navigate(refused))
        assert navigated.error_text == "net::ERR_CONNECTION_REFUSED"


@pytest.mark.parametrize("way", REAL, indirect=True)
async def test_stop_loading_aborts_navigation_without_response(peer: Peer) -> None:
    """Test real browsers only: the fake replies to every navigation at once."""
    errors: list[str] = []

    async def navigate(session: CDPSession) -> None:
        navigated = await session.execute(page.navigate(peer.url("/never")))
        errors.append(navigated.error_text)

    async with peer.page() as opened, trio.open_nursery() as nursery:
        with opened.session.subscribe(RequestWillBeSent) as requests:
            nursery.start_soon(navigate, opened.session)
            assert (await anext(requests)).request.url == peer.url("/never")
        assert errors == []
        await opened.session.execute(page.stop_loading())
    assert errors == ["net::ERR_ABORTED"]


async def test_target_crash_fails_pending_calls_of_that_page_only(peer: Peer) -> None:
    async with peer.page() as crashing, peer.page() as other:
        for opened in (crashing, other):
            await load(opened, peer.url("/article"))
        async with trio.open_nursery() as nursery:
            unanswered = Unanswered(nursery)
            await unanswered.start(crashing.session, NEVER, NEVER, CRASH)
        assert unanswered.ends == [TargetCrashed] * 3
        with pytest.raises(TargetCrashed):
            await crashing.session.execute(page.enable())
        assert await value(other.session, "1 + 1") == 2


async def close_target(root: CDPSession, opened: AttachedPage) -> None:
    await root.execute(target.close_target(opened.frame_id))


async def detach(root: CDPSession, opened: AttachedPage) -> None:
    parameters = {"sessionId": opened.session.id}
    await root.execute(CDPCommand("Target.detachFromTarget", parameters, Nothing))


@pytest.mark.parametrize("leave", [close_target, detach])
async def test_session_end_fails_its_pending_calls(
    peer: Peer, leave: Callable[[CDPSession, AttachedPage], Awaitable[None]]
) -> None:
    async with peer.page() as opened:
        await load(opened, peer.url("/article"))
        async with trio.open_nursery() as nursery:
            unanswered = Unanswered(nursery)
            await unanswered.start(opened.session, NEVER, NEVER)
            await leave(peer.connection.root, opened)
        assert unanswered.ends == [SessionEnded] * 2
        with pytest.raises(SessionEnded):
            await opened.session.execute(page.enable())


async def test_context_disposal_ends_sessions_of_its_pages(peer: Peer) -> None:
    root = peer.connection.root
    context = (await root.execute(target.create_browser_context())).browser_context_id
    created = await root.execute(target.create_target(context))
    attached = await root.execute(target.attach_to_target(created.target_id))
    session = peer.connection.session(attached.session_id)
    async with trio.open_nursery() as nursery:
        with session.subscribe(LifecycleEvent) as events:
            await root.execute(target.dispose_browser_context(context))
            with pytest.raises(SessionEnded):
                await anext(events)
        nursery.cancel_scope.cancel()
    with pytest.raises(CommandFailed):
        await root.execute(target.dispose_browser_context(context))


async def test_targets_are_listed_with_their_urls_and_contexts_without_the_default(
    peer: Peer,
) -> None:
    root, url = peer.connection.root, peer.url("/article")
    context = (await root.execute(target.create_browser_context())).browser_context_id
    hidden = (await root.execute(target.create_target(context))).target_id
    async with peer.page() as opened:
        await load(opened, url)
        others = (await root.execute(target.get_browser_contexts())).browser_context_ids
        known = {
            one.target_id: one for one in (await root.execute(target.get_targets())).target_infos
        }
        info = (await root.execute(target.get_target_info(opened.frame_id))).target_info
    assert context in others
    assert known[hidden].browser_context_id == context
    assert (known[opened.frame_id].type, known[opened.frame_id].url) == ("page", url)
    assert (info.target_id, info.url) == (opened.frame_id, url)
    await root.execute(target.dispose_browser_context(context))
    with pytest.raises(CommandFailed):
        await root.execute(target.get_target_info(hidden))


@pytest.mark.parametrize("way", MORTAL, indirect=True)
async def test_browser_death_fails_every_pending_call(peer: Peer) -> None:
    async with peer.page() as opened:
        await load(opened, peer.url("/article"))
        async with trio.open_nursery() as nursery:
            unanswered = Unanswered(nursery)
            await unanswered.start(opened.session, NEVER, NEVER)
            with trio.fail_after(45):
                peer.kill()
                await peer.connection.lost.wait()
        assert unanswered.ends == [ConnectionLost] * 2
        with pytest.raises(ConnectionLost):
            await peer.connection.root.execute(browser.get_version())


@attrs.frozen
class Guest:
    """A target that was attached before it started to run."""

    event: AttachedToTarget
    session: CDPSession
    documents: Subscription[LifecycleEvent]

    async def until_at(self, path: str) -> None:
        async for event in self.documents:
            if event.name == "load" and await value(self.session, "location.pathname") == path:
                return


@asynccontextmanager
async def welcoming(
    session: CDPSession, auto_attach: CDPCommand[Nothing]
) -> AsyncGenerator[trio.MemoryReceiveChannel[Guest]]:
    """Attach new targets of `session` automatically, and yield a channel of them."""
    coming, guests = trio.open_memory_channel[Guest](9)
    with ExitStack() as subscriptions:

        def welcome(event: AttachedToTarget, guest: CDPSession) -> Sequence[CDPCommand[Nothing]]:
            documents = subscriptions.enter_context(guest.subscribe(LifecycleEvent))
            coming.send_nowait(Guest(event, guest, documents))
            return page.enable(), page.set_lifecycle_events_enabled()

        async with background_nursery() as nursery:
            nursery.start_soon(keep_attached, session, auto_attach, welcome)
            await trio.testing.wait_all_tasks_blocked()
            yield guests


async def test_a_pop_up_is_attached_before_it_runs(peer: Peer) -> None:
    async with peer.page() as opened:
        await load(opened, peer.url("/article"))
        async with welcoming(peer.connection.root, target.auto_attach_pages()) as guests:
            await opened.session.execute(peer.opening_a_page("/table"))
            async for guest in guests:
                if guest.event.target_info.opener_id == opened.frame_id:
                    break
            assert guest.event.waiting_for_debugger
            await guest.until_at("/table")


async def test_a_frame_of_another_site_is_attached_and_ends_with_its_page(peer: Peer) -> None:
    async with peer.page() as opened:
        await load(opened, peer.url("/article"))
        async with welcoming(opened.session, target.auto_attach_frames()) as guests:
            await opened.session.execute(peer.adding_a_frame("/table"))
            guest = await guests.receive()
            assert guest.event.target_info.type == "iframe"
            assert guest.event.waiting_for_debugger
            await guest.until_at("/table")
            assert await value(opened.session, "location.pathname") == "/article"
            async with trio.open_nursery() as nursery:
                unanswered = Unanswered(nursery)
                await unanswered.start(guest.session, NEVER, NEVER)
                await close_target(peer.connection.root, opened)
            assert unanswered.ends == [SessionEnded] * 2

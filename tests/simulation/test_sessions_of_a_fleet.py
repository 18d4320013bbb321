"""The sessions that a process owns in a fleet, when Redis or a caller is lost."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from random import Random

import attrs
import pytest
import trio

from tabwright.config.loader import override, settings_from
from tabwright.plugins.fleet.redis_directory import ANSWER_S, GONE_S, LEASE_S
from tabwright.protocol.errors import ErrorCode, FleetUnavailable, SessionMissing, SessionMoved
from tabwright.protocol.fetch import Cookie, Fetcher
from tabwright.sessions.leases import HEARTBEAT_S, SessionLeases
from tabwright.sessions.moving import PAGES_S, SAVE_S
from tabwright.sessions.open_sessions import OpenSessions
from tabwright.sessions.session import NamedSession
from tabwright.sessions.sleeping import SleepingFiles
from tabwright.sessions.store import SessionFiles
from tabwright.testing.determinism import inline
from tests.support.fleet.link import FleetLink
from tests.support.fleet.sessions import MemorySessionDirectory

IDLE_S = 60.0
COOKIE = Cookie("a", "1", "shop.example")


@attrs.define(eq=False)
class CookieJar:
    """A fake fetcher that only handles cookies.

    Attributes:
        delay_s: the delay of each answer.
    """

    cookies: dict[str, tuple[Cookie, ...]] = attrs.field(factory=dict)
    delay_s: float = 0.0

    async def ask(
        self, method, session: str, cookies: tuple[Cookie, ...] = ()
    ) -> tuple[Cookie, ...]:
        await trio.sleep(self.delay_s)
        if method is Fetcher.set_cookies:
            self.cookies[session] = cookies
        return self.cookies.get(session, ())


class Reader:
    """A reader that loads no page."""

    supervisor = None


@attrs.define(eq=False)
class Member:
    """A process of a fleet."""

    link: FleetLink
    leases: SessionLeases
    sessions: OpenSessions
    jar: CookieJar
    nursery: trio.Nursery

    @property
    def tasks(self) -> int:
        """Return the number of tasks of its sessions."""
        return len(self.nursery.child_tasks)

    async def use(self, session: NamedSession, *cookies: Cookie) -> None:
        """Change the cookies in a request of the session."""
        async with session.turn():
            self.jar.cookies[session.name] = cookies


@pytest.fixture
def directory() -> MemorySessionDirectory:
    return MemorySessionDirectory(trio.current_time)


OpenMember = Callable[[str], AbstractAsyncContextManager[Member]]


@pytest.fixture
def open_member(directory: MemorySessionDirectory, tmp_path) -> OpenMember:
    settings = settings_from(override(session__close_after_s=IDLE_S))

    @asynccontextmanager
    async def opened(name: str) -> AsyncGenerator[Member]:
        link, jar = FleetLink(Random(1), within_s=ANSWER_S), CookieJar()
        leases = SessionLeases(link.to_directory(directory), name, LEASE_S, GONE_S)
        async with trio.open_nursery() as nursery:
            sessions = OpenSessions(
                nursery,
                Reader(),
                jar,
                SleepingFiles(SessionFiles(tmp_path), IDLE_S, trio.current_time, inline),
                settings,
                lambda _name: None,
                leases,
            )
            yield Member(link, leases, sessions, jar, nursery)
            nursery.cancel_scope.cancel()

    return opened


async def test_cancelled_close_releases_the_session(open_member, directory, autojump_clock) -> None:
    async with open_member("a") as member:
        await member.sessions.find_or_open("s")
        member.jar.delay_s = 5.0
        with trio.move_on_after(1):
            await member.sessions.close("s", forget=False)
        await trio.sleep(2 * LEASE_S)
        claim = await directory.acquire("s", "b/1", only_open=False)
        assert claim is not None
        assert claim.is_granted
        assert not claim.live


async def test_idle_session_that_expires_leaves_no_task(open_member, autojump_clock) -> None:
    async with open_member("a") as member:
        before = member.tasks
        await member.use(await member.sessions.find_or_open("s"), COOKIE)
        assert member.tasks > before
        await trio.sleep(2 * IDLE_S)
        with pytest.raises(SessionMissing) as caught:
            await member.sessions.find("s")
        assert caught.value.code is ErrorCode.SESSION_EXPIRED
        assert member.tasks == before


async def test_unsaved_state_is_saved_after_outage_without_new_request(
    open_member, directory, autojump_clock
) -> None:
    async with open_member("a") as member:
        session = await member.sessions.find_or_open("s")
        await trio.sleep(2 * SAVE_S)
        member.link.is_lost = True
        await member.use(session, COOKIE)
        await trio.sleep(ANSWER_S)
        member.link.is_lost = False
        await trio.sleep(2 * SAVE_S + ANSWER_S)
        assert session.lease.holds
        member.link.is_dead = True
        await trio.sleep(LEASE_S)
        claim = await directory.acquire("s", "b/1", only_open=True)
        assert claim is not None
        assert COOKIE.domain in claim.live


@pytest.mark.parametrize("outage_s", [LEASE_S / 2, LEASE_S, 3 * LEASE_S])
async def test_session_keeps_its_state_after_redis_outage(
    open_member, outage_s: float, autojump_clock
) -> None:
    async with open_member("a") as member:
        session = await member.sessions.find_or_open("s")
        await member.use(session)
        await trio.sleep(2 * SAVE_S)
        member.link.is_lost = True
        await member.use(session, COOKIE)
        await trio.sleep(outage_s)
        member.link.is_lost = False
        await trio.sleep(HEARTBEAT_S)
        await member.sessions.find("s")
        assert member.jar.cookies["s"] == (COOKIE,)


async def test_outage_state_is_dropped_if_another_process_had_the_session(
    open_member, autojump_clock
) -> None:
    newer = attrs.evolve(COOKIE, value="2")
    async with open_member("a") as member, open_member("b") as other:
        session = await member.sessions.find_or_open("s")
        await trio.sleep(2 * SAVE_S)
        member.link.is_lost = True
        await member.use(session, COOKIE)
        await trio.sleep(2 * LEASE_S)
        await other.use(await other.sessions.find_or_open("s"), newer)
        member.link.is_lost = False
        await member.sessions.find_or_open("s")
        assert member.jar.cookies["s"] == (newer,)


async def test_outage_state_is_dropped_if_redis_lost_the_session_owner(
    open_member, directory, autojump_clock
) -> None:
    newer = attrs.evolve(COOKIE, value="2")
    async with open_member("a") as member, open_member("b") as other:
        session = await member.sessions.find_or_open("s")
        await trio.sleep(2 * SAVE_S)
        member.link.is_lost = True
        await member.use(session, COOKIE)
        await trio.sleep(2 * LEASE_S)
        directory._entries.clear()  # epochs begin anew
        await other.use(await other.sessions.find_or_open("s"), newer)
        member.link.is_lost = False
        again = await member.sessions.find_or_open("s")
        assert again.lease.claim.epoch == session.lease.claim.epoch + 1
        assert member.jar.cookies["s"] == (newer,)


async def test_outage_state_survives_a_cancelled_attempt_to_open_session(
    open_member, autojump_clock
) -> None:
    async with open_member("a") as member:
        session = await member.sessions.find_or_open("s")
        await trio.sleep(2 * SAVE_S)
        member.link.is_lost = True
        await member.use(session, COOKIE)
        await trio.sleep(2 * LEASE_S)
        member.link.is_lost = False
        member.jar.delay_s = 5.0
        with trio.move_on_after(1) as attempt:
            await member.sessions.find_or_open("s")
        assert attempt.cancelled_caught
        member.jar.delay_s = 0.0
        await member.sessions.find_or_open("s")
        assert member.jar.cookies["s"] == (COOKIE,)


async def test_late_end_of_closed_session_keeps_new_one_of_its_name_open(
    open_member, autojump_clock
) -> None:
    async with open_member("a") as member:
        before = await member.sessions.find_or_open("s")
        await member.sessions.close("s", forget=False)
        again = await member.sessions.find_or_open("s")
        await member.sessions._end(before, "moves")  # its lease was lost while it was being closed
        assert member.sessions.expect_here("s") is again


async def test_forgetting_a_session_without_redis_is_an_error(
    open_member, directory, autojump_clock
) -> None:
    async with open_member("a") as member:
        session = await member.sessions.find_or_open("s")
        await member.use(session, COOKIE)
        await member.sessions.save(session)
        member.link.is_lost = True
        with pytest.raises(FleetUnavailable):
            await member.sessions.close("s", forget=True)
        member.link.is_lost = False
        await member.sessions.close("s", forget=True)
        claim = await directory.acquire("s", "b/1", only_open=False)
        assert claim is not None
        assert not claim.live
        assert not claim.kept


async def test_forgetting_a_session_whose_lease_is_lost_is_an_error(
    open_member, autojump_clock
) -> None:
    async with open_member("a") as member:
        session = await member.sessions.find_or_open("s")
        member.jar.delay_s = 5.0
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lose, session)
            with pytest.raises(SessionMoved):
                await member.sessions.close("s", forget=True)


async def lose(session: NamedSession) -> None:
    """Lose the lease while the session is being closed."""
    await trio.sleep(1)
    session.lease.end()


async def test_saving_a_session_without_redis_is_an_error(open_member, autojump_clock) -> None:
    async with open_member("a") as member:
        session = await member.sessions.find_or_open("s")
        member.link.is_lost = True
        with pytest.raises(FleetUnavailable):
            await member.sessions.save(session)


async def test_session_that_is_lost_while_it_opens_is_opened_again(
    open_member, autojump_clock
) -> None:
    async with open_member("a") as member:
        member.jar.delay_s = 2 * LEASE_S

        async def cut_off() -> None:
            await trio.sleep(1)
            member.link.is_lost = True

        member.nursery.start_soon(cut_off)
        first = await member.sessions.find_or_open("s")
        assert not first.lease.holds
        member.jar.delay_s, member.link.is_lost = 0, False
        await trio.sleep(2 * LEASE_S)
        again = await member.sessions.find_or_open("s")
        await member.use(again, COOKIE)


async def test_session_that_is_requested_while_it_opens_is_handed_over(
    open_member, autojump_clock
) -> None:
    async with open_member("a") as member, open_member("b") as other:
        member.jar.delay_s = 3 * HEARTBEAT_S
        async with trio.open_nursery() as nursery:
            nursery.start_soon(member.sessions.find_or_open, "s")
            await trio.sleep(HEARTBEAT_S)
            session = await other.sessions.find_or_open("s")
        assert session.lease.claim.owner.startswith("a/")


async def test_hand_over_reads_final_state_after_the_pending_save(
    open_member, autojump_clock
) -> None:
    async with open_member("a") as member, open_member("b") as other:
        moving = member.sessions._moving
        read, began = moving._read, list[float]()

        async def slow(session: NamedSession, pages_s: float):
            began.append(pages_s)
            state = await read(session, 0.0)
            await trio.sleep(0.1 if pages_s else 2 * HEARTBEAT_S)
            url = f"https://read-{len(began)}.example/"
            began.append(-1)
            return attrs.evolve(state, urls=(url,), place=0)

        moving._read = slow
        session = await member.sessions.find_or_open("s")
        await member.use(session, COOKIE)  # its state is read now
        await trio.sleep(0.1)
        moved = await other.sessions.find_or_open("s")
        assert began == [0.0, -1, PAGES_S, -1]
        assert "https://read-3.example/" in moved.lease.claim.live


async def test_session_name_lock_exists_only_while_requested(open_member, autojump_clock) -> None:
    async with open_member("a") as member, open_member("b") as other:
        moving = member.sessions._moving
        await other.sessions.find_or_open("s")
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(member.sessions.find_or_open, "s")
            await trio.sleep(HEARTBEAT_S / 4)
            assert list(moving._names) == ["s"]
        for number in range(9):
            with pytest.raises(SessionMissing):
                await member.sessions.find(f"unknown{number}")
        assert not moving._names

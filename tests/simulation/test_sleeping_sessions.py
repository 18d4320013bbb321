"""Sessions whose tabs are closed while they are idle, on fake browsers."""

import errno
import shutil
from pathlib import Path

import attrs
import pytest
import trio

from tabwright.browser import worker
from tabwright.protocol.actions import Click, Type
from tabwright.protocol.errors import BadInput
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.inspection import LocateOnPage, TakeOutline
from tabwright.protocol.page_text import RenderOptions
from tabwright.protocol.session_data import SleepingPage
from tabwright.protocol.sessions import Sessions
from tabwright.protocol.snapshot import MediaItem
from tabwright.sessions import open_sessions
from tabwright.testing.fake import FakeControl, FakeDialog, FakePage, FakeSite
from tabwright.testing.fake.browser import FakeFetcher

SHOP = "https://shop.example/"
CONTROLS = (
    FakeControl("Name", "textbox"),
    FakeControl("Ask", asks=FakeDialog("confirm", "Sure?"), shows="Yes"),
)
SITE = FakeSite(pages={SHOP: FakePage("<title>Shop</title>", says=("Welcome",), controls=CONTROLS)})
NO_FILES = {"acting__downloads": None}

AGE_S = 1800.0
"""The age at which a browser is replaced, instead of a day full of heartbeats."""


async def type_name(world, text, *, session):
    await world.tabwright.session(session).enter(SHOP)
    outline = await world.tabwright.session(session).inspect(TakeOutline())
    ref = next(control.ref for control in outline.controls if control.role == "textbox")
    await world.tabwright.session(session).act(Type(ref, text))


async def outline_of(world, *, session):
    return (await world.tabwright.session(session).inspect(TakeOutline())).text


async def test_idle_session_sleeps_and_wakes_with_typed_text(open_client, autojump_clock):
    async with open_client(SITE, session__sleep_after_s=60, **NO_FILES) as world:
        await type_name(world, "Ann", session="s")
        await trio.sleep(62)
        assert (await world.tabwright.pool()).tabs == ()
        assert '"Ann"' in await outline_of(world, session="s")
        assert len((await world.tabwright.pool()).tabs) == 1


async def test_session_with_an_open_dialog_stays_awake(open_client, autojump_clock):
    async with open_client(SITE, session__sleep_after_s=60, **NO_FILES) as world:
        await world.tabwright.session("s").enter(SHOP)
        outline = await world.tabwright.session("s").inspect(TakeOutline())
        ref = next(one.ref for one in outline.controls if one.role == "button")
        await world.tabwright.session("s").act(Click(ref))
        await trio.sleep(200)
        assert (await world.tabwright.session("s").inspect(LocateOnPage())).dialog is not None


async def test_least_recently_used_session_gives_up_its_tab(open_client, autojump_clock):
    async with open_client(SITE, pool__max_session_tabs=2, **NO_FILES) as world:
        for number in range(3):
            await type_name(world, f"Ann {number}", session=f"s{number}")
            await trio.sleep(1)
        tabs = (await world.tabwright.pool()).tabs
        assert {tab.purpose for tab in tabs} == {"session s1", "session s2"}
        for number in range(3):
            assert f'"Ann {number}"' in await outline_of(world, session=f"s{number}")


async def test_tab_with_an_open_dialog_is_not_evicted(open_client, autojump_clock):
    async with open_client(SITE, pool__max_session_tabs=2, **NO_FILES) as world:
        await world.tabwright.session("asks").enter(SHOP)
        outline = await world.tabwright.session("asks").inspect(TakeOutline())
        ref = next(one.ref for one in outline.controls if one.role == "button")
        await world.tabwright.session("asks").act(Click(ref))
        await world.tabwright.session("other").enter(SHOP)
        await world.tabwright.session("new").enter(SHOP)
        tabs = (await world.tabwright.pool()).tabs
        assert {tab.purpose for tab in tabs} == {"session asks", "session new"}


async def test_calls_of_many_sessions_at_once_all_succeed(open_client, autojump_clock):
    async with open_client(SITE, pool__max_session_tabs=3, **NO_FILES) as world:

        async def visit(number):
            await type_name(world, f"Ann {number}", session=f"s{number}")
            await trio.sleep(number % 7)
            assert f'"Ann {number}"' in await outline_of(world, session=f"s{number}")

        async with trio.open_nursery() as nursery:
            for number in range(15):
                nursery.start_soon(visit, number)
        assert len((await world.tabwright.pool()).tabs) <= 3


async def test_page_read_by_a_sleeping_session_can_be_viewed_again(open_client, autojump_clock):
    async with open_client(SITE, session__sleep_after_s=60, **NO_FILES) as world:
        ask = world.tabwright.parts.sessions.ask
        reading = ReadOptions(min_tier=3)
        before = await ask(Sessions.navigate, "s", SHOP, reading)
        await trio.sleep(62)
        assert (await world.tabwright.pool()).tabs == ()
        assert (await ask(Sessions.view, "s", RenderOptions())).text == before.text


async def test_sessions_keep_their_pages_when_an_old_browser_is_replaced(
    open_client, autojump_clock, monkeypatch
):
    monkeypatch.setattr(worker, "MAX_AGE_S", AGE_S)
    lasting = dict.fromkeys(("session__sleep_after_s", "session__close_after_s"), 2 * AGE_S)
    async with open_client(SITE, **lasting, **NO_FILES) as world:
        for number in range(3):
            await type_name(world, f"Ann {number}", session=f"s{number}")
        await trio.sleep(AGE_S + 1)
        assert '"Ann 0"' in await outline_of(world, session="s0")
        assert len(world.browsers) == 1
        await world.tabwright.session("new").enter(SHOP)
        assert len(world.browsers) == 2
        for number in range(3):
            assert f'"Ann {number}"' in await outline_of(world, session=f"s{number}")


COOKIE = Cookie("id", "1", "shop.example")


def sleeping_files(folder):
    return list(folder.glob("asleep/*/*.json"))


async def sleep_with_cookie(world, folder, *, session):
    await type_name(world, "Ann", session=session)
    await world.tabwright.parts.sessions.ask(Sessions.change_cookies, session, (COOKIE,))
    await trio.sleep(62)
    assert [path.stem for path in sleeping_files(folder)] == [session]


async def cookies_of(world, *, session):
    return await world.tabwright.parts.sessions.ask(Sessions.change_cookies, session)


def leave_as_killed(folder):
    """Copy this process's files, without a lock, as if left by a killed process."""
    (path,) = folder.glob("asleep/*")
    shutil.copytree(path, path.with_name("killed"))


async def test_sleeping_session_file_exists_until_session_wakes(
    open_client, autojump_clock, tmp_path
):
    settings = {"session__sleep_after_s": 60, "session__dir": str(tmp_path)}
    async with open_client(SITE, **settings, **NO_FILES) as world:
        await sleep_with_cookie(world, tmp_path, session="s")
        (before,) = await world.tabwright.list_sessions()
        assert (before.name, before.url) == ("s", SHOP)
        assert '"Ann"' in await outline_of(world, session="s")
        assert await cookies_of(world, session="s") == (COOKIE,)
        assert not sleeping_files(tmp_path)


async def test_sleeping_session_without_its_file_reports_lost_state(
    open_client, autojump_clock, tmp_path
):
    settings = {"session__sleep_after_s": 60, "session__dir": str(tmp_path)}
    async with open_client(SITE, **settings, **NO_FILES) as world:
        await sleep_with_cookie(world, tmp_path, session="s")
        for path in sleeping_files(tmp_path):
            path.unlink()
        outline = await world.tabwright.session("s").inspect(TakeOutline())
        assert '"Ann"' not in outline.text
        assert len(outline.notes) == 2
        assert await cookies_of(world, session="s") == ()


async def test_temporarily_unreadable_session_file_is_a_retryable_error(
    open_client, autojump_clock, tmp_path, monkeypatch
):
    settings = {"session__sleep_after_s": 60, "session__dir": str(tmp_path)}
    async with open_client(SITE, **settings, **NO_FILES) as world:
        await sleep_with_cookie(world, tmp_path, session="s")
        with monkeypatch.context() as patch:
            patch.setattr(Path, "read_bytes", too_many_files)
            with pytest.raises(BadInput) as caught:
                await cookies_of(world, session="s")
        assert caught.value.retryable
        assert await cookies_of(world, session="s") == (COOKIE,)


def too_many_files(_path):
    raise OSError(errno.EMFILE, "")


async def test_session_that_wakes_without_a_tab_sleeps_again(open_client, autojump_clock, tmp_path):
    settings = {"session__sleep_after_s": 60, "session__dir": str(tmp_path)}
    async with open_client(SITE, **settings, **NO_FILES) as world:
        await sleep_with_cookie(world, tmp_path, session="s")
        for _ in range(3):
            assert await cookies_of(world, session="s") == (COOKIE,)
            await trio.sleep(1)
            assert [path.stem for path in sleeping_files(tmp_path)] == ["s"]
        changed = attrs.evolve(COOKIE, value="2")
        await world.tabwright.parts.sessions.ask(Sessions.change_cookies, "s", (changed,))
        await trio.sleep(1)
        assert sleeping_files(tmp_path)
        assert '"Ann"' in await outline_of(world, session="s")
        assert await cookies_of(world, session="s") == (changed,)
        assert not sleeping_files(tmp_path)


async def test_image_for_sleeping_session_is_fetched_with_its_cookies(
    open_client, autojump_clock, tmp_path, monkeypatch
):
    sent = []
    fetch = FakeFetcher.fetch

    async def fetch_and_note(fetcher, request):
        sent.append(await fetcher.cookies(request.session))
        return await fetch(fetcher, request)

    settings = {"session__sleep_after_s": 60, "session__dir": str(tmp_path)}
    async with open_client(SITE, **settings, **NO_FILES) as world:
        await sleep_with_cookie(world, tmp_path, session="s")
        page = await world.tabwright.parts.sessions.ask(Sessions.view, "s", RenderOptions())
        await trio.sleep(62)
        assert sleeping_files(tmp_path)
        monkeypatch.setattr(FakeFetcher, "fetch", fetch_and_note)
        picture = MediaItem(1, "image", f"{SHOP}picture.png")
        await world.tabwright.pictures(attrs.evolve(page, media=(picture,)))
        await world.tabwright.pictures(attrs.evolve(page, media=(picture,), session=""))
        assert sent == [(COOKIE,), ()]


async def test_session_whose_file_cannot_be_written_sleeps_in_memory(
    open_client, autojump_clock, tmp_path
):
    (tmp_path / "asleep").write_text("")
    settings = {"session__sleep_after_s": 60, "session__dir": str(tmp_path)}
    async with open_client(SITE, **settings, **NO_FILES) as world:
        await type_name(world, "Ann", session="s")
        await trio.sleep(62)
        assert (await world.tabwright.pool()).tabs == ()
        assert '"Ann"' in await outline_of(world, session="s")


async def test_sleeping_session_can_be_saved(open_client, autojump_clock, tmp_path):
    settings = {"session__sleep_after_s": 60, "session__dir": str(tmp_path)}
    async with open_client(SITE, **settings, **NO_FILES) as world:
        await sleep_with_cookie(world, tmp_path, session="s")
        await world.tabwright.parts.sessions.ask(Sessions.save, "s")
        await world.tabwright.parts.sessions.ask(Sessions.close, "s")
        assert await cookies_of(world, session="s") == (COOKIE,)


async def test_file_of_a_sleeping_session_is_removed_when_it_is_closed(
    open_client, autojump_clock, tmp_path
):
    settings = {"session__sleep_after_s": 60, "session__dir": str(tmp_path)}
    async with open_client(SITE, **settings, **NO_FILES) as world:
        await sleep_with_cookie(world, tmp_path, session="s")
        await world.tabwright.parts.sessions.ask(Sessions.close, "s")
        assert not sleeping_files(tmp_path)
        assert await cookies_of(world, session="s") == ()


async def test_sleeping_session_of_killed_process_is_restored(
    open_client, autojump_clock, tmp_path
):
    settings = {"session__sleep_after_s": 60, "session__dir": str(tmp_path)}
    async with open_client(SITE, **settings, **NO_FILES) as world:
        await sleep_with_cookie(world, tmp_path, session="s")
        leave_as_killed(tmp_path)
    async with open_client(SITE, **settings, **NO_FILES) as world:
        (left,) = await world.tabwright.list_sessions()
        assert (left.name, left.url, left.title) == ("s", SHOP, "Shop")
        outline = await world.tabwright.session("s").inspect(TakeOutline())
        assert '"Ann"' in outline.text
        assert len(outline.notes) == 1
        assert await cookies_of(world, session="s") == (COOKIE,)
        assert len(await world.tabwright.list_sessions()) == 1


async def test_default_session_of_killed_process_is_not_restored(
    open_client, autojump_clock, tmp_path
):
    settings = {"session__sleep_after_s": 60, "session__dir": str(tmp_path)}
    async with open_client(SITE, **settings, **NO_FILES) as world:
        await sleep_with_cookie(world, tmp_path, session="default")
        leave_as_killed(tmp_path)
    async with open_client(SITE, **settings, **NO_FILES) as world:
        assert await world.tabwright.list_sessions() == ()
        assert await cookies_of(world, session="default") == ()
        assert not sleeping_files(tmp_path)


async def test_sleeping_session_files_are_removed_at_exit(open_client, autojump_clock, tmp_path):
    settings = {"session__sleep_after_s": 60, "session__dir": str(tmp_path)}
    async with open_client(SITE, **settings, **NO_FILES) as world:
        await sleep_with_cookie(world, tmp_path, session="s")
    assert not list(tmp_path.glob("asleep/*"))


async def test_more_sessions_than_the_maximum_are_refused(open_client, autojump_clock, monkeypatch):
    monkeypatch.setattr(open_sessions, "SESSIONS_MAX", 2)
    async with open_client(SITE, **NO_FILES) as world:
        for number in range(2):
            await world.tabwright.session(f"s{number}").enter(SHOP)
        with pytest.raises(BadInput):
            await world.tabwright.session("s2").enter(SHOP)


def test_values_of_fields_are_not_in_the_repr_of_a_sleeping_page():
    assert "SECRET" not in repr(attrs.evolve(SleepingPage(), content="SECRET"))

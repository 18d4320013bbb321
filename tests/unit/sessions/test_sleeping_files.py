import errno
import os
import stat
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
import trio

from tabwright.config.secrets import Secrets
from tabwright.protocol.errors import BadInput, Effect
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.session_data import SleepingPage
from tabwright.protocol.tab import OriginStorage
from tabwright.sessions import sleeping
from tabwright.sessions.sleeping import SleepingFiles, SleepingSession, SleepingTab
from tabwright.sessions.store import NavigationHistory, SessionFiles
from tabwright.testing.determinism import inline

SHOP = "https://shop.example/"
HISTORY = NavigationHistory((SHOP,), 0)
NOW_S = 1_800_000_000.0
KEEP_S = 100.0
PUBLIC = '{"fields":[{"index":0,"signature":"input text name ","value":"Ann"}],"scrolled":[]}'


def session_with(*, content=PUBLIC, value="1", items=()):
    return SleepingSession(
        (Cookie("id", value, "shop.example"),),
        HISTORY.urls,
        0,
        (OriginStorage(SHOP, (("kept", "1"),)),),
        {"reading.max_tier": 1},
        2,
        (
            SleepingTab(1, "Read", HISTORY),
            SleepingTab(2, "Shop", HISTORY, SleepingPage(SHOP, SHOP, items, content)),
        ),
    )


@pytest.fixture
def open_files(tmp_path):
    def open_them(secrets=None, *, now_s=NOW_S):
        saved = SessionFiles(tmp_path, secrets or Secrets())
        files = SleepingFiles(saved, KEEP_S, lambda: now_s, inline)
        stack.enter_context(files.held())
        return files

    with ExitStack() as stack:
        yield open_them


def refuse(monkeypatch, owner, method, number):
    """Make a method fail with an operating system error number; return its calls."""
    calls = []

    def fail(*args, **_):
        calls.append(args)
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(owner, method, fail)
    return calls


def be_killed(files):
    """Release the lock of the files as a killed process would."""
    os.close(files._lock_fd)
    files._files = None


async def test_written_session_is_read_again_from_a_private_file(open_files, tmp_path):
    files = open_files()
    assert await files.put("s", session_with(), 0)
    assert files.read("s") == session_with()
    (path,) = tmp_path.glob("asleep/*/s.json")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_file_of_a_sleeping_session_can_be_read_as_a_saved_one(open_files, tmp_path):
    await open_files().put("s", session_with(), 0)
    (path,) = tmp_path.glob("asleep/*/s.json")
    path.rename(tmp_path / "s.json")
    assert SessionFiles(tmp_path).read("s").urls == HISTORY.urls


async def test_removed_session_is_gone(open_files):
    files = open_files()
    await files.put("s", session_with(), 0)
    files.remove("s")
    files.remove("s")
    assert files.read("s") is None


def test_no_file_is_written_before_a_session_sleeps(open_files, tmp_path):
    files = open_files()
    files.remove("s")
    assert files.read("s") is None
    assert not files.left()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("marked", ["true", "false"])
async def test_passwords_and_secrets_in_fields_are_not_written(open_files, tmp_path, marked):
    secrets = Secrets({"WORD": "open sesame"} if marked == "false" else {})
    field = f'{{"index":1,"signature":"input p ","value":"open sesame","secret":{marked}}}'
    content = PUBLIC.replace("}]", "}," + field + "]")
    files = open_files(secrets)
    assert not await files.put("s", session_with(content=content), 0)
    (path,) = tmp_path.glob("asleep/*/s.json")
    assert "sesame" not in path.read_text()
    page = files.read("s").tabs[1].page
    assert page.content == PUBLIC
    assert page.lost == ("form fields",)


async def test_secrets_in_cookies_and_storage_are_not_written(open_files, tmp_path):
    files = open_files(Secrets({"WORD": "open sesame"}))
    assert not await files.put("s", session_with(value="open sesame"), 0)
    assert not await files.put("t", session_with(items=(("w", "open sesame"), ("k", "1"))), 0)
    assert files.read("s").cookies == ()
    assert files.read("t").tabs[1].page.session == (("k", "1"),)


async def test_session_is_not_written_whole_if_the_folder_cannot_be_made(open_files, tmp_path):
    (tmp_path / "asleep").write_text("")
    files = open_files()
    assert not await files.put("s", session_with(), 0)
    assert files.read("s") is None


async def test_session_with_a_non_unicode_field_name_is_not_written(open_files):
    files = open_files()
    assert not await files.put("s", session_with(content=PUBLIC.replace("name", r"\ud800")), 0)
    assert files.read("s") is None


async def test_session_of_a_live_process_is_not_up_for_claiming(open_files):
    await open_files().put("s", session_with(), 0)
    assert open_files().find_left("s") is None


async def test_session_of_a_killed_process_can_be_claimed_by_the_next(open_files, tmp_path):
    killed, files = open_files(), open_files()
    await killed.put("s", session_with(), 30)
    be_killed(killed)
    assert files.find_left("other") is None
    assert files.find_left("s") == session_with()
    assert files.left()["s"].idle_s == pytest.approx(30)
    assert files.claim_left("s") == files.read("s") == session_with()
    assert files.find_left("s") is None
    assert len(list(tmp_path.glob("asleep/*"))) == 1


async def test_session_of_a_killed_process_is_claimed_by_one_process_only(open_files):
    killed, one, other = open_files(), open_files(), open_files()
    await killed.put("s", session_with(), 30)
    be_killed(killed)
    assert one.find_left("s") == other.find_left("s") == session_with()
    assert one.claim_left("s") == session_with()
    assert other.claim_left("s") is None
    assert one.read("s") == session_with()


async def test_latest_of_several_left_sessions_with_one_name_is_claimed(open_files):
    for idle_s, value in ((30, "old"), (10, "new"), (20, "middle")):
        killed = open_files()
        await killed.put("s", session_with(value=value), idle_s)
        be_killed(killed)
    files = open_files()
    assert files.find_left("s").cookies[0].value == "new"
    assert files.left()["s"].state.cookies[0].value == "new"
    assert files.claim_left("s").cookies[0].value == "new"
    assert files.find_left("s") is None


async def test_claimed_session_is_continued_if_its_older_states_cannot_be_removed(
    open_files, monkeypatch
):
    for idle_s in (30, 10):
        killed = open_files()
        await killed.put("s", session_with(), idle_s)
        be_killed(killed)
    refuse(monkeypatch, Path, "unlink", errno.EROFS)
    files = open_files()
    assert files.claim_left("s") == files.read("s") == session_with()


@pytest.mark.parametrize(("name", "idle_s"), [("s", KEEP_S + 1), ("default", 0)])
async def test_expired_or_default_sleeping_session_is_removed(open_files, tmp_path, name, idle_s):
    killed = open_files()
    await killed.put(name, session_with(), idle_s)
    be_killed(killed)
    assert not open_files().left()
    assert not list(tmp_path.glob("asleep/*"))


@pytest.mark.parametrize("text", ["{", "{}"])
async def test_corrupt_sleeping_file_is_ignored(open_files, tmp_path, text):
    killed, files = open_files(), open_files()
    await killed.put("s", session_with(), 0)
    (path,) = tmp_path.glob("asleep/*/s.json")
    path.write_text(text)
    os.utime(path, (NOW_S, NOW_S))
    assert killed.read("s") is None
    be_killed(killed)
    assert not files.left()
    assert files.find_left("s") is None


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EIO])
async def test_temporary_read_error_is_retryable_and_keeps_the_file(
    open_files, monkeypatch, number
):
    killed, files, next_files = open_files(), open_files(), open_files()
    for one in (killed, files):
        await one.put("s", session_with(), 0)
    be_killed(killed)
    with monkeypatch.context() as patch:
        refuse(patch, Path, "read_bytes", number)
        for read in (files.read, next_files.find_left, next_files.claim_left):
            with pytest.raises(BadInput) as caught:
                read("s")
            assert caught.value.retryable
            assert caught.value.effect is Effect.NONE
        assert not next_files.left()
    assert files.read("s") == next_files.claim_left("s") == session_with()


@pytest.mark.parametrize("number", [errno.EBADF, errno.ENOLCK])
async def test_file_system_without_locks_is_tried_once_and_left_clean(
    open_files, tmp_path, monkeypatch, number
):
    calls = refuse(monkeypatch, sleeping, "try_lock", number)
    files = open_files()
    assert not await files.put("s", session_with(), 0)
    assert not await files.put("s", session_with(), 0)
    ((fd,),) = calls
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)
    assert not list(tmp_path.glob("asleep/*"))


async def test_cancelled_put_still_writes_the_whole_session(tmp_path):
    begun, go_on = trio.Event(), trio.Event()

    async def offload(work):
        begun.set()
        await go_on.wait()
        return work()

    files = SleepingFiles(SessionFiles(tmp_path), KEEP_S, lambda: NOW_S, offload)
    with files.held():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(files.put, "s", session_with(), 0)
            await begun.wait()
            assert files.read("s") is None
            nursery.cancel_scope.cancel()
            go_on.set()
        assert files.read("s") == session_with()


class Crash(Exception):
    """An error in the code that holds the files."""


@pytest.mark.parametrize(
    ("error", "is_kept"), [(None, False), (Crash(), True), (KeyboardInterrupt(), False)]
)
async def test_files_are_removed_at_the_end_unless_their_holder_fails(tmp_path, error, is_kept):
    files = SleepingFiles(SessionFiles(tmp_path), KEEP_S, lambda: NOW_S, inline)
    with suppress(Crash, KeyboardInterrupt), files.held():
        await files.put("s", session_with(), 0)
        if error is not None:
            raise error
    assert bool(list(tmp_path.glob("asleep/*"))) is is_kept
    after = SleepingFiles(SessionFiles(tmp_path), KEEP_S, lambda: NOW_S, inline)
    with after.held():
        assert (after.claim_left("s") == session_with()) is is_kept

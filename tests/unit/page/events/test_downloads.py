"""Files that a page downloads."""

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from tabwright.cdp.domains.browser import DownloadProgress, DownloadWillBegin
from tabwright.page.events.downloads import (
    DownloadLog,
    downloads_folder,
    unused_path,
)
from tabwright.page.frames import LATEST_MAX
from tabwright.protocol.actions import Download

URL = "https://a.example/file"


def begins(name, guid="g1"):
    return DownloadWillBegin(frame_id="f", guid=guid, url=URL, suggested_filename=name)


def progress(state="inProgress", received=5.0, total=0.0, guid="g1"):
    return DownloadProgress(guid=guid, total_bytes=total, received_bytes=received, state=state)


def test_completed_download_is_saved_under_its_name(tmp_path):
    log = DownloadLog(tmp_path, 1000)
    log.coming = tmp_path / "coming"
    log.coming.mkdir()
    (log.coming / "g1").write_bytes(b"12345")
    log.begin(begins("report.pdf"))
    assert log.listed == (Download(URL, "report.pdf"),)
    assert log.proceed(progress())
    assert log.proceed(progress("completed"))
    path = tmp_path / "report.pdf"
    assert log.listed == (Download(URL, "report.pdf", str(path), 5, "complete"),)
    assert path.read_bytes() == b"12345"


@given(st.text(max_size=300) | st.sampled_from(["../../x", "/etc/passwd", "..", "a/../../b", ""]))
def test_download_name_never_escapes_the_folder(name):
    log = DownloadLog(None, 1000)
    log.begin(begins(name))
    (download,) = log.listed
    assert download.name not in {"", ".", ".."}
    assert not {"/", "\\", "\0"} & set(download.name)


async def test_download_of_a_navigation_is_the_one_that_begins_after_it(autojump_clock, tmp_path):
    log = DownloadLog(tmp_path, 1000)
    log.begin(begins("earlier.zip", "g1"))
    log.navigate()
    assert log.of_navigation is None
    with trio.move_on_after(5) as waiting:
        await log.begins()
    assert waiting.cancelled_caught
    async with trio.open_nursery() as nursery:
        nursery.start_soon(log.begins)
        await trio.testing.wait_all_tasks_blocked()
        log.begin(begins("own.zip", "g2"))
    log.begin(begins("later.zip", "g3"))
    assert log.of_navigation == Download(URL, "own.zip")


async def test_download_of_a_navigation_ends_though_others_do_not(autojump_clock, tmp_path):
    log = DownloadLog(tmp_path, 1000)
    await log.ends()
    log.begin(begins("large.zip", "g1"))
    log.navigate()
    log.begin(begins("own.zip", "g2"))
    with trio.move_on_after(5) as waiting:
        await log.ends()
    assert waiting.cancelled_caught
    log.proceed(progress("canceled", guid="g2"))
    await log.ends()
    assert log.of_navigation == Download(URL, "own.zip", size_bytes=5, state="failed")


@pytest.mark.parametrize("how", [progress(received=2000.0), progress(total=2000.0)])
def test_oversized_download_is_stopped_and_stays_too_large(how, tmp_path):
    log = DownloadLog(tmp_path, 1000)
    log.begin(begins("large.bin"))
    assert not log.proceed(how)
    assert log.listed[0].state == "too large"
    assert log.proceed(progress("canceled", how.received_bytes, how.total_bytes))
    assert log.listed[0].state == "too large"


def test_oversized_download_that_completed_early_is_deleted(tmp_path):
    log = DownloadLog(tmp_path, 1000)
    log.coming = tmp_path
    (tmp_path / "g1").touch()
    log.begin(begins("large.bin"))
    assert log.proceed(progress("completed", received=2000.0))
    assert log.listed[0].state == "too large"
    assert not list(tmp_path.iterdir())


def test_canceled_download_is_reported_as_failed(tmp_path):
    log = DownloadLog(tmp_path, 1000)
    log.begin(begins("a.bin"))
    assert log.proceed(progress("canceled"))
    assert (log.listed[0].state, log.listed[0].path) == ("failed", "")


def test_progress_of_an_unknown_download_is_ignored(tmp_path):
    log = DownloadLog(tmp_path, 1000)
    assert log.proceed(progress("completed", guid="unseen"))
    assert log.listed == ()


def test_unused_path_never_names_an_existing_file(tmp_path):
    assert unused_path(tmp_path, "a.tar.gz") == tmp_path / "a.tar.gz"
    (tmp_path / "a.tar.gz").touch()
    (tmp_path / "a.tar-2.gz").touch()
    assert unused_path(tmp_path, "a.tar.gz") == tmp_path / "a.tar-3.gz"


def test_download_changes_are_reported_once_with_current_state(tmp_path):
    log = DownloadLog(tmp_path, 1000)
    log.begin(begins("a", guid="1"))
    log.begin(begins("b", guid="2"))
    assert [one.name for one in log.changed(0, log.changes.last)] == ["a", "b"]
    reported = log.changes.last
    log.proceed(progress(guid="1"))
    assert log.changed(reported, log.changes.last) == ()
    log.proceed(progress("canceled", guid="2"))
    (ended,) = log.changed(reported, log.changes.last)
    assert (ended.name, ended.state) == ("b", "failed")
    assert [one.state for one in log.changed(0, reported)] == ["under way", "failed"]


def test_only_the_latest_downloads_are_remembered(tmp_path):
    log = DownloadLog(tmp_path, 1000)
    for number in range(LATEST_MAX + 3):
        log.begin(begins(f"{number}.bin", guid=str(number)))
    assert log.listed[0].name == "3.bin"
    assert len(log.listed) == LATEST_MAX


async def test_wait_for_downloads_ends_with_the_last_one(tmp_path, autojump_clock):
    log = DownloadLog(tmp_path, 1000)
    log.begin(begins("a", guid="1"))
    log.begin(begins("b", guid="2"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(log.rests)
        for guid in ("1", "2"):
            await trio.testing.wait_all_tasks_blocked()
            assert nursery.child_tasks
            log.proceed(progress("canceled", guid=guid))


def test_downloads_folder_follows_the_setting(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", "/home/ann")
    assert downloads_folder(None) is None
    assert str(downloads_folder("~/files")) == "/home/ann/files"
    assert downloads_folder("auto") == tmp_path / "tabwright" / "downloads"

"""The hidden folders for partial files are removed only when their owner is dead."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier

import pytest

from tabwright.browser.partial_downloads import PREFIX, SUFFIX, PartialDownloads
from tabwright.cdp.chromium.directory import sweep

THREADS = 8


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    return tmp_path / "a" / "downloads"


def test_partial_folder_is_created_once_and_removed_with_its_files(downloads: Path) -> None:
    files = PartialDownloads()
    folder = files.folder_in(downloads)
    assert files.folder_in(downloads) == folder
    assert folder.parent == downloads
    (folder / "guid.crdownload").touch()
    files.remove()
    assert not list(downloads.iterdir())


def test_folder_of_a_running_browser_is_not_swept(downloads: Path) -> None:
    first, second = PartialDownloads(), PartialDownloads()
    folder = first.folder_in(downloads)
    second.folder_in(downloads)
    assert folder.is_dir()
    first.remove()
    second.remove()


def test_folder_of_a_dead_owner_is_swept(downloads: Path) -> None:
    left = downloads / f"{PREFIX}dead{SUFFIX}"
    left.mkdir(parents=True)
    (left / "guid.crdownload").touch()
    mine = downloads / "report.crdownload"
    mine.touch()
    files = PartialDownloads()
    files.folder_in(downloads)
    assert not left.exists()
    assert mine.exists()
    files.remove()


def test_symlinked_folder_is_not_swept(downloads: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    downloads.mkdir(parents=True)
    (downloads / f"{PREFIX}link{SUFFIX}").symlink_to(elsewhere)
    files = PartialDownloads()
    files.folder_in(downloads)
    assert (elsewhere / "kept").exists()
    files.remove()


def test_concurrent_requests_share_one_folder(downloads: Path) -> None:
    files, start = PartialDownloads(), Barrier(THREADS)

    def folder(_: int) -> Path:
        start.wait()
        return files.folder_in(downloads)

    with ThreadPoolExecutor(THREADS) as threads:
        assert len(set(threads.map(folder, range(THREADS)))) == 1
    files.remove()
    assert not list(downloads.iterdir())


def test_folder_that_is_swept_before_it_is_locked_is_made_again(
    downloads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweeps = iter((sweep,))

    def make(original: "partial[str]", **options: object) -> str:
        made = original(**options)
        for sweep_of_another_process in sweeps:
            sweep_of_another_process(downloads, f"{PREFIX}*{SUFFIX}", spare_empty=False)
        return made

    monkeypatch.setattr(tempfile, "mkdtemp", partial(make, partial(tempfile.mkdtemp)))
    files = PartialDownloads()
    assert files.folder_in(downloads).is_dir()
    files.remove()

"""The hidden folders for partial files: swept when their owner is dead, and only then."""

from pathlib import Path

import pytest

from tabwright.actors.browsers.partial_downloads import PREFIX, SUFFIX, PartialDownloads


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    return tmp_path / "a" / "downloads"


def test_folder_is_made_once_and_removed_with_what_is_in_it(downloads: Path) -> None:
    files = PartialDownloads()
    folder = files.folder_in(downloads)
    assert files.folder_in(downloads) == folder
    assert folder.parent == downloads
    (folder / "guid.crdownload").touch()
    files.remove()
    assert not list(downloads.iterdir())


def test_folder_of_a_living_browser_is_not_swept(downloads: Path) -> None:
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


def test_folder_that_is_a_link_is_left_alone(downloads: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    downloads.mkdir(parents=True)
    (downloads / f"{PREFIX}link{SUFFIX}").symlink_to(elsewhere)
    files = PartialDownloads()
    files.folder_in(downloads)
    assert (elsewhere / "kept").exists()
    files.remove()

"""Files saved by calls: they stay in the downloads folder and overwrite nothing."""

from pathlib import Path

import pytest

from tabwright.page.events.downloads import save_file
from tabwright.protocol.errors import BadInput


@pytest.mark.parametrize(
    "name",
    ["page.png", "../../page.png", "/etc/page.png", "a/b/../page.png", "..\\page.png", "C:\\p.png"],
)
def test_saved_file_name_never_escapes_the_folder(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "downloads"
    path = save_file(str(folder), name, b"x")
    assert path.parent == folder
    assert [one.read_bytes() for one in folder.iterdir()] == [b"x"]
    assert [one.name for one in tmp_path.iterdir()] == ["downloads"]


def test_saved_file_never_overwrites_a_file_or_follows_a_symlink(tmp_path: Path) -> None:
    folder, outside = tmp_path / "downloads", tmp_path / "outside"
    folder.mkdir()
    outside.write_text("mine")
    (folder / "a.txt").symlink_to(outside)
    (folder / "b.txt").write_text("before")
    names = [save_file(str(folder), name, "new").name for name in ("a.txt", "b.txt")]
    assert names == ["a-2.txt", "b-2.txt"]
    assert outside.read_text() == "mine"
    assert (folder / "b.txt").read_text() == "before"


@pytest.mark.parametrize("name", ["", "..", "/", "\0"])
def test_invalid_file_name_is_rejected(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Omit filename"):
        save_file(str(tmp_path), name, b"x")


def test_saving_without_a_downloads_folder_is_rejected() -> None:
    with pytest.raises(BadInput, match=r"Set acting\.downloads"):
        save_file(None, "page.png", b"x")


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "downloads").write_text("a file, and no folder")
    with pytest.raises(BadInput, match=r"downloads is a file, not a folder"):
        save_file(str(tmp_path / "downloads"), "page.pdf", b"x")

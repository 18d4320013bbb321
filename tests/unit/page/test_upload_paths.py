"""Which files may be uploaded; any other path is refused as bad input."""

from pathlib import Path

import pytest

from tabwright.page.upload_paths import FOLDER_FILES_MAX, uploadable
from tabwright.protocol.errors import BadInput


def test_path_that_cannot_be_resolved_is_bad_input(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    too_long = tmp_path / ("a" * 300)
    for path in (str(loop), str(too_long), "~no-such-user-here/report.txt"):
        with pytest.raises(BadInput):
            uploadable(path, [str(tmp_path)])


def test_path_in_a_root_is_resolved(tmp_path: Path) -> None:
    report = tmp_path / "report.txt"
    report.touch()
    link = tmp_path / "link.txt"
    link.symlink_to(report)
    assert uploadable(str(link), [str(tmp_path)]) == str(report.resolve())


def test_folder_is_refused_unless_folders_are_wanted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    with pytest.raises(BadInput):
        uploadable(str(tmp_path), [str(tmp_path)])
    assert uploadable(str(tmp_path), [str(tmp_path)], folders=True) == str(tmp_path.resolve())


@pytest.mark.parametrize("kind", ["hidden", "link out", "hard link"])
def test_folder_with_a_file_that_may_not_be_uploaded_is_refused(tmp_path: Path, kind: str) -> None:
    folder, outside = tmp_path / "folder" / "inner", tmp_path / "secret"
    folder.mkdir(parents=True)
    outside.touch()
    if kind == "hidden":
        (folder / ".env").touch()
    elif kind == "link out":
        (folder / "link").symlink_to(outside)
    else:
        (folder / "link").hardlink_to(outside)
    with pytest.raises(BadInput):
        uploadable(str(folder.parent), [str(folder.parent)], folders=True)


def test_folder_with_too_many_files_is_refused(tmp_path: Path) -> None:
    for number in range(FOLDER_FILES_MAX + 1):
        (tmp_path / str(number)).touch()
    with pytest.raises(BadInput):
        uploadable(str(tmp_path), [str(tmp_path)], folders=True)

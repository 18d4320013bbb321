import os
import stat
import tempfile
from pathlib import Path

import pytest

from tabwright.cdp.chromium.directory import make_directory
from tabwright.cdp.chromium.errors import SystemRefused


def test_directory_is_private_empty_and_has_a_short_path(temporary: Path) -> None:
    directory = make_directory()

    assert directory.path.parent == temporary
    assert stat.S_IMODE(directory.path.stat().st_mode) == 0o700
    assert list(directory.path.iterdir()) == []
    assert len(str(directory.path)) < 58
    directory.release()


def test_directory_removal_deletes_all_and_can_be_repeated(temporary: Path) -> None:
    directory = make_directory()
    (directory.profile / "Default").mkdir(parents=True)
    (directory.profile / "Default" / "Cookies").write_text("x")

    assert directory.remove()
    assert directory.remove()
    assert list(temporary.iterdir()) == []
    directory.release()


def test_sweep_removes_only_directories_of_dead_processes(temporary: Path) -> None:
    living = make_directory()
    dead = make_directory()
    for directory in (living, dead):
        directory.profile.mkdir()
    dead.release()
    third = make_directory()

    assert {living.path, third.path} == set(temporary.iterdir())
    living.release()
    third.release()


def test_sweep_keeps_files_that_are_not_our_directories(temporary: Path) -> None:
    notes = temporary / "tabwright-notes"
    notes.mkdir()
    (notes / "todo").write_text("")
    aim = temporary / "aim"
    aim.mkdir()
    (aim / "precious").write_text("")
    (temporary / "tabwright-link.browser").symlink_to(aim)
    (temporary / "tabwright-file.browser").write_text("")
    (temporary / "tabwright-unborn.browser").mkdir()
    before = set(temporary.rglob("*"))
    directory = make_directory()
    directory.remove()
    directory.release()

    assert set(temporary.rglob("*")) == before


@pytest.mark.usefixtures("temporary")
def test_sweep_keeps_directories_of_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = make_directory()
    theirs.profile.mkdir()
    theirs.release()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    ours = make_directory()

    assert theirs.path.exists()
    ours.release()


def test_too_long_temporary_directory_falls_back_to_tmp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 60)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    directory = make_directory()

    assert directory.path.parent == Path("/tmp")  # noqa: S108
    directory.remove()
    directory.release()


def test_missing_temporary_directory_is_a_launch_error(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "gone"))

    with pytest.raises(SystemRefused, match="No such file or directory"):
        make_directory()

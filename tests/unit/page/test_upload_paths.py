"""Which files may be uploaded, and that any other path is refused as bad input."""

from pathlib import Path

import pytest

from tabwright.page.upload_paths import uploadable
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

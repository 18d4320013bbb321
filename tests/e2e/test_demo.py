"""``tabwright doctor --demo`` in a hostile directory: it works, and runs no file from there."""

import re
import sys
from pathlib import Path

import pytest
import trio

pytestmark = pytest.mark.chromium

WITHIN_S = 120


async def test_demo_in_a_hostile_directory_runs_none_of_its_files(tmp_path: Path):
    for name in ("mcp", "msgspec", "trio", "yaml", "tabwright"):
        (tmp_path / f"{name}.py").write_text(
            f"open({str(tmp_path / 'ran')!r}, 'a').write(__name__)"
        )
    with trio.fail_after(WITHIN_S):
        shown = await trio.run_process(
            [sys.executable, "-P", "-m", "tabwright", "doctor", "--demo"],
            capture_stdout=True,
            capture_stderr=True,
            check=False,
            cwd=tmp_path,
        )
    assert shown.returncode == 0, shown.stderr
    assert b"The first source, read with `browse`" in shown.stdout
    assert not (tmp_path / "ran").exists()
    assert re.findall(r"[\u4e00-\u9fff]+", shown.stderr.decode()) == []  # it asks in English

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WRITER = Path("scripts", "write_tool_reference.py")


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, root / WRITER, *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What the writer reads and writes, where it may be spoiled."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "docs" / "reference").mkdir(parents=True)
    for name in (WRITER, "README.md", "docs/reference/tools.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_reference_says_what_the_tools_say() -> None:
    checked = run(ROOT, "--check")
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["README.md", "docs/reference/tools.md"])
def test_a_reference_that_drifted_is_told_and_written_anew(copy: Path, name: str) -> None:
    spoiled = copy / name
    right = spoiled.read_text()
    spoiled.write_text(right.replace("Without a session, nothing is kept.", "All is kept."))
    checked = run(copy, "--check")
    assert (checked.returncode, checked.stdout) == (1, f"{name} is out of date.\n")
    assert run(copy).returncode == 0
    assert spoiled.read_text() == right

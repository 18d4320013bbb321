import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WRITER = Path("scripts", "write_tool_reference.py")
PAGE = Path("docs", "reference", "tools.md")


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, root / WRITER, *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the files that the script reads and writes."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "docs" / "reference").mkdir(parents=True)
    for name in (WRITER, PAGE):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_tool_reference_is_up_to_date_with_its_script() -> None:
    checked = run(ROOT, "--check")
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_outdated_reference_page_is_reported_and_rewritten(copy: Path) -> None:
    spoiled = copy / PAGE
    right = spoiled.read_text()
    spoiled.write_text(right.replace("Nothing is kept.", "All is kept."))
    checked = run(copy, "--check")
    assert (checked.returncode, checked.stdout) == (1, f"{PAGE} is out of date. Run {WRITER}.\n")
    assert run(copy).returncode == 0
    assert spoiled.read_text() == right

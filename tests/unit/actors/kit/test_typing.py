"""What type checkers must know and must complain of stands in ``tests/typing``."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]


def test_mypy_knows_what_an_ask_answers_and_complains_where_it_must() -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "tests/typing"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert checked.returncode == 0, checked.stdout + checked.stderr

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NODE = ROOT / ".node" / "node"
PROGRAMS = ROOT / ".node" / "node_modules" / ".bin"

RunProgram = Callable[..., subprocess.CompletedProcess[str]]

PROGRAM_S = 120
"""For one of the programs; they have bounds of their own, which are far below."""


@pytest.fixture
def run_program(tmp_path: Path) -> RunProgram:
    """Run a Node program to completion in a temporary directory."""
    assert NODE.exists(), "Node is missing: scripts/get_node.sh installs it"

    def run(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [NODE, PROGRAMS / name, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PROGRAM_S,
            check=False,
        )

    return run


@pytest.fixture
def served() -> Iterator[str]:
    """Yield the URL of an HTTP server with the suite's fixtures."""
    program = [sys.executable, str(Path(__file__).with_name("served.py"))]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process.stdout.readline().strip()
        process.stdin.close()
        assert process.wait(PROGRAM_S) == 0

"""The skill that teaches coding agents the commands of tabwright (agentskills.io)."""

import sys
from importlib.resources import files
from pathlib import Path

from tabwright.cli.exit_codes import ExitCode
from tabwright.text.file_errors import file_problem

NAME = "tabwright"


def skill_text() -> str:
    """Return the file of the skill."""
    return (files("tabwright.cli") / "skills" / NAME / "SKILL.md").read_text()


def install_skill(folder: Path) -> int:
    """Write the skill to a folder of skills; return the exit code."""
    path = folder / NAME / "SKILL.md"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(skill_text())
    except OSError as error:
        sys.stderr.write(f"{file_problem(error, path, writing=True)}\n")
        return ExitCode.FAILED
    sys.stdout.write(f"Wrote {path}.\n")
    return ExitCode.OK

"""The skill that teaches coding agents the commands of tabwright (agentskills.io)."""

import sys
from importlib.resources import files
from pathlib import Path

from tabwright.cli.exit_codes import ExitCode
from tabwright.text.file_errors import file_problem

NAME = "tabwright"

FOLDER = Path(".claude/skills")
"""The folder in which Claude Code, and agents that read it, look for the skills of a project."""


def skill_text() -> str:
    """Return the file of the skill."""
    return (files("tabwright.cli") / "skills" / NAME / "SKILL.md").read_text()


def skills(action: str, folder: Path | None) -> int:
    """Print the skill, or write it to a folder of skills; return the exit code."""
    if action == "show":
        sys.stdout.write(skill_text())
        return ExitCode.OK
    path = (folder or FOLDER) / NAME / "SKILL.md"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(skill_text())
    except OSError as error:
        sys.stderr.write(f"{file_problem(error, path, writing=True)}\n")
        return ExitCode.FAILED
    sys.stdout.write(f"Wrote {path}.\n")
    return ExitCode.OK

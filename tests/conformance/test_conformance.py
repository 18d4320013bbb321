"""Run the official MCP conformance suite (`@modelcontextprotocol/conformance`)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.node

OLD_CLIENT = {"server-sse-priming-event", "server-sse-retry-field"}
"""Wishes of a scenario that calls itself a client of 2025-03-26, which knows neither."""


def complaints(results: Path) -> Iterator[str]:
    """Yield each failed check with its scenario and error message."""
    for file in sorted(results.glob("*/checks.json")):
        for check in json.loads(file.read_text()):
            fine = check["status"] in {"SUCCESS", "INFO"} or check["id"] in OLD_CLIENT
            if not fine:
                yield f"{file.parent.name}: {check['status']} {check.get('errorMessage')}"


def test_every_scenario_passes(run_program, served, tmp_path):
    listed = run_program("conformance", "list", "--server").stdout
    scenarios = re.findall(r"^  - (\S+)", listed, re.MULTILINE)
    results = tmp_path / "results"
    ended = run_program("conformance", "server", "--url", served, "--suite", "all", "-o", results)
    assert list(complaints(results)) == []
    passed = re.findall(r"^✓ (\S+): \d+ passed", ended.stdout, re.MULTILINE)
    assert sorted(passed) == sorted(scenarios)
    assert len(scenarios) >= 32
    assert ended.returncode == 0, ended.stdout + ended.stderr

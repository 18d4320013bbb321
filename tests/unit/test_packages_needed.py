"""The package as a user has it: every module imports without the packages of extras and tests."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tabwright"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

EXTRA_OF = {
    "cli/main.py": "otel",
    "cli/page_files.py": "parquet",
    "content/embeddings.py": "meaning",
    "content/minilm.py": "meaning",
    "plugins/fleet/redis.py": "fleet",
    "plugins/formats/office/texts.py": "office",
    "plugins/formats/office/word.py": "office",
    "plugins/tui/": "tui",
    "testing/pytest_plugin.py": "dev",  # which pytest imports
}
"""The modules and folders that import packages of an extra."""

IN_API_OF = {"anyio": "mcp", "mcp_types": "mcp", "outcome": "trio", "pydantic": "mcp"}
"""Packages whose classes are part of the API of a dependency, which brings them."""

ZSTD = ("backports", "compression")
"""One of them, by the version of Python."""

IMPORTS_ALL = """
import importlib, json, pkgutil, sys

import tabwright

sys.modules.update(dict.fromkeys(json.loads(sys.argv[1])))  # none of them can be imported
failed = {}
for module in pkgutil.walk_packages(tabwright.__path__, "tabwright.", onerror=lambda name: None):
    try:
        importlib.import_module(module.name)
    except Exception as error:
        failed[module.name] = repr(error)
print(json.dumps(failed))
"""


def distributions(requirements: Iterable[str]) -> set[str]:
    """Return the names of distributions in requirements without extras, normalized (PEP 503)."""
    firm = (requirement for requirement in requirements if "extra ==" not in requirement)
    names = (re.match(r"[\w.-]+", requirement) for requirement in firm)
    return {re.sub(r"[-_.]+", "-", name[0]).lower() for name in names if name}


CORE = distributions(PROJECT["dependencies"])
EXTRAS = {name: distributions(listed) for name, listed in PROJECT["optional-dependencies"].items()}
PROVIDERS = {name: distributions(those) for name, those in packages_distributions().items()}


def extra_of(file: str) -> str:
    """Return the extra whose packages a module imports; empty if it imports none."""
    return next((extra for place, extra in EXTRA_OF.items() if file.startswith(place)), "")


def imports(source: str) -> Iterator[str]:
    """Yield the top-level packages of others that a module imports, at any place."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        else:
            continue
        tops = {name.partition(".")[0] for name in names}
        yield from tops - sys.stdlib_module_names - {"tabwright", *ZSTD}


def is_declared(package: str, extra: str) -> bool:
    package = IN_API_OF.get(package, package)
    return not PROVIDERS.get(package, set()).isdisjoint(CORE | EXTRAS.get(extra, set()))


def test_every_imported_package_is_a_dependency_or_in_the_extra_of_its_module() -> None:
    files = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    assert [
        f"{file} imports {package}"
        for file, path in files.items()
        for package in imports(path.read_text(encoding="utf-8"))
        if not is_declared(package, extra_of(file))
    ] == []


def test_packages_in_the_api_of_a_dependency_come_with_it() -> None:
    for package, dependency in IN_API_OF.items():
        assert PROVIDERS[package] & distributions(requires(dependency) or ())


def not_imported(*blocked: str) -> dict[str, str]:
    """Return the modules that cannot be imported without these packages, with their errors."""
    command = [sys.executable, "-c", IMPORTS_ALL, json.dumps(blocked)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_only_modules_of_an_extra_need_its_packages() -> None:
    # A package that a dependency brings, too, is there without the extra.
    there = CORE & set().union(*PROVIDERS.values())
    brought = {one for name in there for one in distributions(requires(name) or ())}
    extra = set().union(*EXTRAS.values()) - CORE - brought
    blocked = [package for package, names in PROVIDERS.items() if names <= extra]
    assert {"mammoth", "numpy", "pytest", "textual"} <= {*blocked}
    failed = not_imported(*blocked)
    files = {name.partition(".")[2].replace(".", "/"): error for name, error in failed.items()}
    assert {file: error for file, error in files.items() if not extra_of(f"{file}.py")} == {}
    assert "testing/pytest_plugin" in files


@pytest.mark.nightly  # all but few are imported by other tests
def test_every_module_can_be_imported_with_all_extras() -> None:
    assert not_imported() == {}

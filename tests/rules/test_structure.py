"""The folder structure of the package, and the modules of its actors."""

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from inspect import getmembers, isfunction, signature
from pathlib import Path

import pytest

from tabwright.actors.ai_search_actor import AISearchActor
from tabwright.actors.browser_supervisor import BrowserSupervisor
from tabwright.actors.extractor_actor import ExtractorActor
from tabwright.actors.fetcher_actor import FetcherActor
from tabwright.actors.intervention_queue import InterventionQueue
from tabwright.actors.rate_governor import RateGovernor
from tabwright.actors.session_registry import SessionRegistry
from tabwright.actors.tab_actor import TabActor
from tabwright.actors.task_runner import TaskRunner
from tabwright.config.loader import keys_of
from tabwright.plugin import BUILT_IN
from tabwright.protocol.ai_search import AISearch
from tabwright.protocol.browser_pool import BrowserPool
from tabwright.protocol.extraction import Extractor
from tabwright.protocol.fetch import Fetcher
from tabwright.protocol.interventions import Interventions
from tabwright.protocol.rate_limit import Governor
from tabwright.protocol.sessions import Sessions
from tabwright.protocol.tab import Tab
from tabwright.protocol.tasks import Tasks

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tabwright"
ACTORS = PACKAGE / "actors"
ARCHITECTURE = ROOT / "docs" / "explanation" / "architecture.md"
MODULES = sorted(path.stem for path in ACTORS.glob("*.py") if path.stem != "__init__")
LINES_MAX = 300

ROLES: dict[type, type] = {
    AISearch: AISearchActor,
    BrowserPool: BrowserSupervisor,
    Extractor: ExtractorActor,
    Fetcher: FetcherActor,
    Governor: RateGovernor,
    Interventions: InterventionQueue,
    Sessions: SessionRegistry,
    Tab: TabActor,
    Tasks: TaskRunner,
}

OTHER_CLASSES = {
    # Its browser is started inside the actor, and the worker that it plays has no other user.
    "browser_actor": {"WorkerBrowser"},
}
OUTSIDE_TRIO = {
    "bridge.py",  # runs trio for a program of asyncio, or for one without either
    "browser/partial_downloads.py",  # a lock among the threads of a process
    "cli/first_answers.py",  # answers in a thread, before trio is imported
    "cli/late_imports.py",  # imports modules in a thread
    "content/documents.py",  # a lock among the threads of a process
    "plugins/crawl/store.py",  # a lock among the threads of a process
}
SECTION = re.compile(r"^## The packages$(.+?)^## ", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `tabwright\.([\w.]+)` \| .{10,} \|$", re.MULTILINE)
WORDS = re.compile(r"^\| ([\w ]+) \| ((?:`[\w/]+\.py`(?:, )?)+) \|$", re.MULTILINE)


def public_classes(module: str) -> set[str]:
    tree = ast.parse((ACTORS / f"{module}.py").read_text())
    classes = (node.name for node in tree.body if isinstance(node, ast.ClassDef))
    return {name for name in classes if not name.startswith("_")}


def is_named_after(module: str, name: str) -> bool:
    return name.lower() == module.replace("_", "")


def docstring(file: str) -> str:
    return ast.get_docstring(ast.parse((PACKAGE / file).read_text())) or ""


def test_actor_module_holds_one_actor_of_its_name() -> None:
    for module in MODULES:
        [name] = public_classes(module) - OTHER_CLASSES.get(module, set())
        assert is_named_after(module, name)


def test_actor_module_stays_within_the_line_limit() -> None:
    lines = {module: len((ACTORS / f"{module}.py").read_text().splitlines()) for module in MODULES}
    assert {module: count for module, count in lines.items() if count > LINES_MAX} == {}


def test_server_runs_on_trio_alone() -> None:
    """Only the bridge and the terminal browser use asyncio; everything else uses trio."""
    others = {"asyncio", "nest_asyncio", "concurrent", "threading"}
    found = set[str]()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if others & {name.partition(".")[0] for name in names}:
                found.add(path.relative_to(PACKAGE).as_posix())
    outside = {name for name in found if not name.startswith("plugins/tui/")}
    assert outside == OUTSIDE_TRIO


def test_exceptions_are_still_needed() -> None:
    assert {*OTHER_CLASSES} <= {*MODULES}
    for module, others in OTHER_CLASSES.items():
        assert others <= public_classes(module)


def test_kit_is_the_only_subpackage_of_actors() -> None:
    assert [path.parent.name for path in ACTORS.glob("*/__init__.py")] == ["kit"]


def test_architecture_document_names_every_package_folder() -> None:
    folders = {path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("*/__init__.py")}
    folders = {one for one in folders if one.parts[0] != "plugins" or len(one.parts) == 1}
    section = SECTION.search(ARCHITECTURE.read_text())
    assert section
    assert sorted(ROW.findall(section[1])) == sorted(".".join(path.parts) for path in folders)


def test_plugin_has_a_page_in_its_folder_and_in_the_documentation() -> None:
    for name in BUILT_IN:
        assert len((PACKAGE / "plugins" / name / "README.md").read_text().splitlines()) <= 60
        page = (ROOT / "docs" / "plugins" / f"{name}.md").read_text()
        assert f"plugins/{name}/README.md" in page
        assert (f"```{{settings}} {name}" in page) == bool(keys_of(name))


def test_technical_terms_appear_in_the_docstrings_of_their_modules() -> None:
    rows = WORDS.findall(ARCHITECTURE.read_text())
    assert len(rows) > 15
    lacking = [
        f"Write {word!r} on one line of the docstring of tabwright/{file}, or correct the table "
        f"'Words and their modules' of {ARCHITECTURE.relative_to(ROOT)}."
        for word, files in rows
        for file in re.findall(r"`(.+?)`", files)
        if word.lower() not in docstring(file).lower()
    ]
    assert not lacking, "\n".join(lacking)


@pytest.mark.parametrize("name", ["draw_actors", "draw_packages"])
def test_diagram_is_up_to_date_with_its_script(name: str) -> None:
    drawing = ROOT / "scripts" / f"{name}.py"
    assert subprocess.run([sys.executable, drawing, "--check"], check=False).returncode == 0


def test_package_diagram_shows_every_actor() -> None:
    picture = (ROOT / "docs" / "pictures" / "packages.svg").read_text()
    shown = re.findall(r'class="mid"[^>]*>(\w+)<', picture)
    assert sorted(name.lower() for name in shown) == sorted(one.replace("_", "") for one in MODULES)


def test_actor_diagram_and_table_show_every_actor() -> None:
    actors = {name for module in MODULES for name in public_classes(module)}
    actors -= {name for others in OTHER_CLASSES.values() for name in others}
    picture = (ROOT / "docs" / "pictures" / "actors.svg").read_text()
    assert actors <= {*re.findall(r'class="mid name"[^>]*>(\w+)<', picture)}
    rows = re.findall(
        r"^\| `(\w+)` \| `.+` \| .+ \| .+ \|$", ARCHITECTURE.read_text(), re.MULTILINE
    )
    assert sorted(rows) == sorted(actors - {"MCPGateway"})


def test_actor_takes_the_arguments_of_its_role_with_the_same_defaults() -> None:
    for role, actor in ROLES.items():
        for name, method in getmembers(role, isfunction):
            if not name.startswith("_"):
                assert arguments(getattr(actor, name)) == arguments(method), (actor, name)


def arguments(method: Callable[..., object]) -> list[tuple[str, object, object]]:
    found = [*signature(method).parameters.values()][1:]
    return [(one.name.lstrip("_"), one.kind, one.default) for one in found]

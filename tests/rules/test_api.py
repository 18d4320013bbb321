"""The API: exports of the packages, and their use in the documents and the examples."""

import ast
import builtins
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest

import tabwright
from tabwright import Session, Tabwright

ROOT = Path(__file__).resolve().parents[2]
LAZY = ("tabwright", "tabwright.testing")
PUBLIC = (
    *LAZY,
    "tabwright.blocks",
    "tabwright.advanced",
    "tabwright.testing.replica",
    "tabwright.testing.scripted_model",
)
NAMES_MAX = {"tabwright": 90, "tabwright.testing": 20}
"""Maximum number of public names: more than that, nobody keeps in mind."""
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
USER_DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs" / "tutorial").glob("*.md")),
    *sorted((ROOT / "docs" / "howto").glob("*.md")),
]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
HEAVY = {"trio", "attrs", "msgspec", "yaml", "mcp", "tabwright.app", "tabwright.client"}


def init_of(package: str) -> ast.Module:
    return ast.parse((ROOT / Path(*package.split(".")) / "__init__.py").read_text())


def checked_imports(package: str) -> dict[str, str]:
    """Return the names that type checkers see, each with the module it is imported from.

    Only a name that is imported as itself (``import X as X``), or that an import is assigned to,
    is exported.
    """
    [block] = (
        node
        for node in init_of(package).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    renamed = [ast.unparse(node) for node in block.body if isinstance(node, ast.Assign)]
    assert len(imports) + len(renamed) == len(block.body)
    aliases = [(one.module or "", alias) for one in imports for alias in one.names]
    homes = {alias.name: module for module, alias in aliases}
    exports = {alias.asname: module for module, alias in aliases if alias.asname == alias.name}
    for name, _, own in (line.partition(" = ") for line in renamed):
        exports[name] = homes[own]
    assert len(exports) == len(aliases)
    return exports


def python_blocks(text: str) -> Iterator[str]:
    """Yield the code of each fenced Python block in a document, even if indented."""
    block: list[str] | None = None
    for line in text.splitlines(keepends=True):
        fence = line.strip()
        if block is None:
            block = [] if fence in {"```python", "```py"} else None
        elif fence == "```":
            yield dedent("".join(block))
            block = None
        else:
            block.append(line)


def foreign_imports(tree: ast.AST) -> Iterator[str]:
    """Yield the tabwright imports that are part of neither the API nor a plugin."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = (alias.name for alias in node.names if alias.name not in PUBLIC)
            yield from (name for name in names if name.startswith("tabwright."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tabwright":
            for alias in node.names:
                if (node.module or "").startswith("tabwright.plugins."):
                    continue
                if node.module not in PUBLIC or alias.name not in exported(node.module):
                    yield f"{node.module}.{alias.name}"


def exported(package: str) -> set[str]:
    return {*import_module(package).__all__}


def unknown_names(tree: ast.AST) -> Iterator[str]:
    """Yield the classes and attributes that the code uses and the API lacks.

    Short blocks leave their imports out; `OBJECTS` has the variables that they share.
    """
    nodes = [*ast.walk(tree)]
    known = {*dir(builtins), *(name for package in PUBLIC for name in exported(package))}
    known |= {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    known |= {node.id for node in nodes if isinstance(node, ast.Name) and is_stored(node)}
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    known |= {alias.name for node in imports for alias in node.names}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id[0].isupper() and node.id not in known:
            yield node.id
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            variable = node.value.id
            if variable in OBJECTS and not hasattr(OBJECTS[variable], node.attr):
                yield f"{variable}.{node.attr}"


OBJECTS: dict[str, object] = {"tabwright": tabwright, "tw": Tabwright, "session": Session}
"""What the variables of examples stand for."""


def is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


@pytest.mark.parametrize("package", LAZY)
def test_lazy_exports_match_the_imports_for_type_checkers(package: str) -> None:
    module = import_module(package)
    checked = checked_imports(package)
    table = {name: home for name, home in module._MODULES.items() if name != "__version__"}
    places = {"the imports under TYPE_CHECKING": {*checked}, "_MODULES": {*table}}
    names = {*checked, *table}
    lacking = {place: names - there for place, there in places.items() if names - there}
    assert not lacking, f"Each export of {package} is named in both places of its __init__.py."
    assert checked == table
    assert len(table) <= NAMES_MAX[package]


@pytest.mark.parametrize("package", PUBLIC)
def test_every_export_can_be_imported(package: str) -> None:
    module = import_module(package)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert not hasattr(module, "no_such_name")


@pytest.mark.parametrize("package", LAZY)
def test_package_import_loads_no_heavy_modules(package: str) -> None:
    code = f"import sys, {package}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert HEAVY.isdisjoint(loaded.stdout.split())


def python_in(file: Path) -> Iterator[ast.Module]:
    """Yield the code of an example, or of each Python block in a document."""
    text = file.read_text()
    yield from map(ast.parse, [text] if file.suffix == ".py" else python_blocks(text))


def test_examples_and_documents_import_only_the_api() -> None:
    assert [
        f"{file.relative_to(ROOT)}: {name}"
        for file in (*EXAMPLES, *DOCUMENTS)
        for code in python_in(file)
        for name in foreign_imports(code)
    ] == []


def test_code_for_users_uses_only_names_of_the_api() -> None:
    assert [
        f"{file.relative_to(ROOT)}: {name}"
        for file in (*USER_DOCUMENTS, *EXAMPLES)
        for code in python_in(file)
        for name in unknown_names(code)
    ] == []


def test_documents_have_blocks_of_python() -> None:
    texts = [document.read_text() for document in DOCUMENTS]
    assert len([block for text in texts for block in python_blocks(text)]) > 8


@pytest.mark.parametrize(
    "code",
    [
        "import tabwright.client",
        "from tabwright.testing.fake import FakeSite",
        "from tabwright import no_such_name",
        "async with x:\n    from tabwright.testing import Tabwright",
    ],
)
def test_import_check_finds_non_public_imports(code: str) -> None:
    [block] = python_blocks(f"1. Text:\n\n   ```python\n{code}\n   ```\n")
    assert len([*foreign_imports(ast.parse(block))]) == 1


def test_import_check_accepts_imports_of_the_api() -> None:
    tree = ast.parse(
        "import tabwright, trio\nfrom tabwright.testing import FakeSite\nfrom json import x"
    )
    assert [*foreign_imports(tree)] == []


def test_name_check_finds_names_missing_from_the_api() -> None:
    code = "class A: ...\nfrom x import B\nA, B, list, Page, Gone, tw.read, tw.gone, tabwright.gone"
    assert sorted(unknown_names(ast.parse(code))) == ["Gone", "tabwright.gone", "tw.gone"]

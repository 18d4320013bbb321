"""Names of definitions: public classes have unique names, and retired words stay out."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PACKAGE = TESTS.parent / "tabwright"
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
RETIRED = re.compile(
    "account|bearing|bury|care|chronicle|deed|desk|errand|folding|furniture|gate|"
    "goodbye|greeting|hear|heard|heart|hire|hop|hops|house|intake|keeper|lament|"
    "ledger|manner|moment|news|orders|outfit|patience|reins|said|says|seams|shelf|"
    "stage|standing|strike|taming|tell|tells|told|trail|unheard|unreported|"
    "unwatched|wanted|wish|wishes|witness"
)
RETIRED_FOR_VARIABLES = re.compile(
    "desk|furniture|heard|house|keeper|outfit|shelf|told|unheard|wish|wishes"
)
"""Words that variables do not have either, in the tests too; others are plain English there."""

VERB_OF_ADDRESS = {("protocol/actor.py", "tell"), ("actors/kit/address.py", "tell")}
"""`tell` is a verb of `Address`, beside `ask` and `notify`, and of nothing else."""

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def definitions() -> tuple[tuple[str, str, bool], ...]:
    """Return the file and name of every class and function, and whether it is a class."""
    return tuple(
        (path.relative_to(PACKAGE).as_posix(), node.name, isinstance(node, ast.ClassDef))
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, Definition)
    )


def words(name: str) -> set[str]:
    return {word.lower() for word in WORD.findall(name)}


def is_retired(name: str) -> bool:
    return any(RETIRED.fullmatch(word) for word in words(name))


def test_no_public_class_name_occurs_twice() -> None:
    files = defaultdict(list)
    for file, name, is_class in definitions():
        if is_class and not name.startswith("_"):
            files[name].append(file)
    assert {name: found for name, found in files.items() if len(found) > 1} == {}


def test_no_definition_has_a_retired_word() -> None:
    found = {(file, name) for file, name, _ in definitions() if is_retired(name)}
    assert found - VERB_OF_ADDRESS == set()


def test_no_module_has_a_retired_word() -> None:
    modules = [path for path in PACKAGE.rglob("*.py") if is_retired(path.stem)]
    assert modules == []


def test_no_variable_has_a_retired_word() -> None:
    found = {
        (path.name, name)
        for path in (*PACKAGE.rglob("*.py"), *TESTS.rglob("*.py"))
        for name in variables(ast.parse(path.read_text()))
        if any(RETIRED_FOR_VARIABLES.fullmatch(word) for word in words(name))
    }
    assert found == set()


def variables(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a module assigns, and the names of parameters."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def test_words_of_camel_and_snake_case_are_separated() -> None:
    assert words("AISearchDesk_of_2_houses") == {"ai", "search", "desk", "of", "houses"}

"""Phrases that prose for people and models must not contain.

`codespell` (see ``pyproject.toml``) checks single words; these are phrases, and places where only a
reader's text counts.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "tabwright"

SAID_BETTER = {
    r"(is|are|was|were) told": "is reported, receives",
    r"tells? of": "reports, describes",
    r"has said": "reported",
    r"how it stands": "status of",
    r"of (ours|yours)": "our, your",
    r"((it|that|this) is|(?<!there )are) no (ref|key|URL|name|text|number|field|selector|JSON)": (
        "is not a valid"
    ),
    r"in vain": "without success",
    r"will do": "is enough, must be",
    r"twice is as once": "idempotent",
    r"cannot be brought back": "destructive",
    r"stands? (behind|beside)": "follows, is next to",
    r"(comes?|come) to rest": "settles",
    r"a sole": "a single",
    r"turn elsewhere": "use another engine",
    r"wants a look": "should be reviewed",
    r"wish(ed)? for": "request",
    r"(?<!such), as ([a-z]{2}-[A-Z]{2}|\d\.\d|[A-Z]\w*\+)": "for example",
    r"go(es)? on(?! to)": "continue",
}
"""Phrases as regular expressions, and what is written instead."""

PHRASE = re.compile("|".join(rf"\b(?:{phrase})\b" for phrase in SAID_BETTER), re.IGNORECASE)

IN_DOCUMENTS = re.compile(r"\b(?:of (?:ours|yours)|in vain|turn elsewhere|will do|wants a look)\b")
"""Documents explain, and may say that a caller is told something."""

DOCUMENTS = [
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if "_build" not in path.parts and "node_modules" not in path.parts
]
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)

DOCSTRINGS = [
    "app.py",
    "bridge.py",
    "client.py",
    "environment.py",
    "protocol/actions.py",
    "protocol/ai_search.py",
    "protocol/errors.py",
    "protocol/interventions.py",
    "protocol/page_text.py",
    "protocol/sessions.py",
    "protocol/tasks.py",
    "protocol/web_search.py",
]
"""Modules and packages whose docstrings have none of the phrases."""


def strings(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Yield the line and text of each string, and whether it is a docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value, node in docs


def found(path: Path, *, in_docstrings: bool) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{line}: {phrase[0]!r} in {text.strip()[:80]!r}"
        for line, text, is_docstring in strings(path)
        if is_docstring is in_docstrings and (" " in text)
        for phrase in PHRASE.finditer(text)
    ]


def modules(name: str = "") -> list[Path]:
    place = PACKAGE / name
    return [place] if place.is_file() else sorted(place.rglob("*.py"))


def test_texts_for_users_and_models_have_no_forbidden_phrase() -> None:
    read = [path for path in modules() if "testing/replica" not in path.as_posix()]
    assert [one for path in read for one in found(path, in_docstrings=False)] == []


def test_docstrings_have_no_forbidden_phrase() -> None:
    read = [path for name in DOCSTRINGS for path in modules(name)]
    assert [one for path in read for one in found(path, in_docstrings=True)] == []


def test_documents_have_no_forbidden_phrase() -> None:
    assert [
        f"{path.relative_to(ROOT)}: {phrase[0]!r}"
        for path in DOCUMENTS
        for phrase in IN_DOCUMENTS.finditer(CODE.sub("", path.read_text(encoding="utf-8")))
    ] == []


def test_phrases_are_found() -> None:
    texts = (
        "'2.x' is told.",
        "1 to 50 will do.",
        "Turn elsewhere until then.",
        "A ref, as 1.5.",
        "Go on.",
    )
    assert [text for text in texts if not PHRASE.search(text)] == []

"""Links of pages to files outside of docs/, and from names in code style to their reference.

On GitHub the pages link to SECURITY.md or examples/act.py; on the site these are pages too.
"""

import re
from pathlib import Path
from posixpath import relpath

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

import tabwright
from tabwright import testing
from tabwright.config.loader import all_keys

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
ON_GITHUB = re.compile(r"<!-- on GitHub -->.*?<!-- /on GitHub -->", re.DOTALL)
"""A note on a generated page, for readers who do not see its generated parts."""

EXAMPLES = "reference/examples.md"
LINK = re.compile(r"\]\(([^)#\s:]+)(#[^)\s]*)?\)")
SHORT = 24
"""A text in code style of at most this length is not broken at the end of a line."""

SETTING = re.compile(r"([a-z]+\.[a-z_]+)(?:: .+)?")
NAME = re.compile(r"(\w+)(?:\.\w+)?(?:\(.*\))?", re.DOTALL)
PUBLIC = {
    **{name: f"tabwright.testing.{name}" for name in testing.__all__},
    **{name: f"tabwright.{name}" for name in tabwright.__all__ if name not in {"serve", "open"}},
}
"""The public names. `serve` and `open` are left out: pages mean the commands."""


def rewrite_links(app: Sphinx, page: str, source: list[str]) -> None:
    """Show the files of the repository that have a page, and link to those pages.

    On GitHub such a page only links to its file.
    """
    docs, file = Path(app.srcdir), Path(app.srcdir, f"{page}.md")
    shown = [name for name, place in PAGES.items() if place == f"{page}.md"]
    if shown:
        file = ROOT / shown[0]
        source[0] = file.read_text(encoding="utf-8")

    def replace(match: re.Match[str]) -> str:
        place = place_of((file.parent / match[1]).resolve(), docs)
        path, _, anchor = place.partition("#")
        return f"]({relpath(path, Path(page).parent)}{match[2] or (anchor and '#' + anchor)})"

    source[0] = LINK.sub(replace, ON_GITHUB.sub("", source[0]))


def place_of(target: Path, docs: Path) -> str:
    """Return the page that shows a file, relative to `docs`."""
    if target.is_relative_to(docs):
        return target.relative_to(docs).as_posix()
    name = target.relative_to(ROOT).as_posix()
    if target.parent.name == "examples":
        return f"{EXAMPLES}#{target.name.replace('.', '')}"
    if name not in PAGES:
        raise ExtensionError(f"A page links to {name}, which no page shows.")
    return PAGES[name]


def link_names(app: Sphinx, tree: nodes.document) -> None:
    """Link settings and public names that a page has in code style to the reference."""
    del app
    for literal in list(tree.findall(nodes.literal)):
        if len(literal.astext()) <= SHORT:
            literal["classes"].append("short")
        domain, kind, target = target_of(literal.astext())
        if target and isinstance(literal.parent, nodes.paragraph | nodes.term):
            link = addnodes.pending_xref(
                "", refdomain=domain, reftype=kind, reftarget=target, refexplicit=True
            )
            literal.replace_self(link)
            link += literal


def target_of(text: str) -> tuple[str, str, str]:
    """Return the domain, the kind and the name of the entry for a text; empty for none."""
    setting, name = SETTING.fullmatch(text), NAME.fullmatch(text)
    if setting and setting[1] in all_keys():
        return "std", "confval", setting[1]
    if name and name[1] in PUBLIC:
        member = text.partition("(")[0].removeprefix(name[1])
        return "py", "obj", PUBLIC[name[1]] + member
    return "", "", ""


def setup(app: Sphinx) -> dict[str, bool]:
    """Register both."""
    app.connect("source-read", rewrite_links)
    app.connect("doctree-read", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

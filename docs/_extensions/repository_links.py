"""Links of pages to files outside of docs/, and from settings to their reference.

On GitHub the pages link to SECURITY.md or examples/act.py; on the site these are pages too.
"""

import re
from pathlib import Path
from posixpath import relpath

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from tabwright.config.loader import SCHEMA

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "SECURITY.md": "explanation/security.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
EXAMPLES = "reference/examples.md"
LINK = re.compile(r"\]\(([^)#\s:]+)(#[^)\s]*)?\)")
SETTING = re.compile(r"([a-z]+\.[a-z_]+)(?:: .+)?")


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

    source[0] = LINK.sub(replace, source[0])


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


def link_settings(app: Sphinx, tree: nodes.document) -> None:
    """Link each setting that is named in code style to its entry in the reference."""
    del app
    for literal in list(tree.findall(nodes.literal)):
        name = SETTING.fullmatch(literal.astext())
        if name is None or name[1] not in SCHEMA or isinstance(literal.parent, nodes.reference):
            continue
        link = addnodes.pending_xref(
            "", refdomain="std", reftype="confval", reftarget=name[1], refexplicit=True
        )
        literal.replace_self(link)
        link += literal


def setup(app: Sphinx) -> dict[str, bool]:
    """Register both."""
    app.connect("source-read", rewrite_links)
    app.connect("doctree-read", link_settings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

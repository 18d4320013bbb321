"""A line of an outline as text. What a page says stays in its line, and cannot look like a ref."""

import re

from tabwright.acting.addresses import hint
from tabwright.page.outline import Control, Line, Options, ref_of
from tabwright.text.lines import HEADING_LEVELS, collapsed

TEXT_MAX = 160
"""Of one text; the page's whole text is what reading is for."""

LABEL_MAX = 40
"""Of one choice of a list."""

DEPTH_MAX = 16
"""Of what is deeper no more is shown than that it is deep."""

_JOINERS = "\u200c\u200d"
_DIGITS = rf"\d[\d{_JOINERS}]*"
_REF = re.compile(rf"\[([*{_JOINERS}]*{_DIGITS}\.[{_JOINERS}]*{_DIGITS})\]")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
"""Of the shape of a character, which nobody needs to act on it."""

_BREAK = re.compile(r"\r\n|[\r\n]")

_MARKS = {tag: "#" * level for tag, level in HEADING_LEVELS.items()}
_GROUPS = {
    "navigation": "nav",
    "complementary": "aside",
    "banner": "header",
    "contentinfo": "footer",
}
"""What roles are called in HTML, where that is shorter."""


def line_text(line: Line, *, new: frozenset[str] = frozenset(), whole: bool = False) -> str:
    """The line with its indentation.

    A row stands no deeper than its table: it shows that it is one.

    Args:
        line: what it is made of.
        new: refs to mark.
        whole: whether long texts are given to their end.
    """
    depth = line.depth - 1 if line.kind == "row" else line.depth
    return " " * min(depth, DEPTH_MAX) + _bare(line, new, whole=whole)


def _bare(line: Line, new: frozenset[str], *, whole: bool) -> str:
    if line.kind == "row":
        return "| " + " | ".join(_cells(line, new, whole=whole))
    text = " ".join(filter(None, (_part(part, line, new, whole=whole) for part in line.parts)))
    if line.kind in _MARKS:
        return f"{_MARKS[line.kind]} {text}"
    if line.kind == "frame":
        return f"frame {_quoted(text)} {harmless(hint(line.url))}:".replace("  ", " ")
    group = f"{_GROUPS.get(line.kind, line.kind)} {_quoted(text)}".rstrip()
    return f"{group}{_facts(line)}:" if line.kind else text


def _facts(line: Line) -> str:
    rows = "" if line.rows is None else f" ({line.rows} rows)"
    return rows + (" modal" if line.modal else "")


def _cells(line: Line, new: frozenset[str], *, whole: bool) -> list[str]:
    cells = [""]
    for part in line.parts:
        if part is None:
            cells.append("")
        else:
            cells[-1] = f"{cells[-1]} {_part(part, line, new, whole=whole)}".strip()
    return cells


def _part(part: str | Control | None, line: Line, new: frozenset[str], *, whole: bool) -> str:
    match part:
        case None:
            return ""
        case str():
            return harmless(part if whole else shortened(part))
        case Control():
            return control_text(part, ref_of(line.document, part), new, whole=whole)


def control_text(
    control: Control, ref: str, new: frozenset[str] = frozenset(), *, whole: bool = False
) -> str:
    """A control: its ref, what it is, what it holds, how it stands.

    What has a name and leads somewhere is a link, which is not said.
    """
    words = [f"[{'*' if ref in new else ''}{ref}]"]
    if control.role != "link" or not (control.name and control.url):
        words.append(control.role)
    if control.name:
        words.append(_quoted(shortened(control.name)))
    if control.value:
        words.append(f"= {_whole(control.value) if whole else _quoted(shortened(control.value))}")
    words += control.states
    if control.options:
        words.append(_choices(control.options))
    if control.url:
        words.append(harmless(control.url if whole else link_hint(control)))
    if control.covered:
        words.append(f"covered by {harmless(shortened(control.covered))}")
    return " ".join(words)


def _choices(options: Options) -> str:
    labels = (harmless(label if len(label) <= LABEL_MAX else f"{label[: LABEL_MAX - 1]}…")
              for label in options.shown)  # fmt: skip
    more = ", …" if options.count > len(options.shown) else ""
    return f"of {options.count}: {', '.join(labels)}{more}"


def link_hint(control: Control) -> str:
    """Where it leads, as far as that is worth to be told."""
    return hint(control.url, named=bool(control.name))


def shortened(text: str, characters_max: int = TEXT_MAX) -> str:
    """A text cut to its maximum, with how much more there is."""
    if len(text) <= characters_max:
        return text
    kept = text[: characters_max - 20].rstrip()
    return f"{kept} …(+{len(text) - characters_max + 20} characters)"


def harmless(text: str) -> str:
    """What a page says, in one line, with nothing in it that could be taken for a ref of ours.

    Nothing is left that nobody sees, or that a terminal would do.
    """
    seen = _SELECTORS.sub("", collapsed(text))
    return _REF.sub(r"(\1)", " ".join(seen.split()))


def _quoted(text: str) -> str:
    """A text of which nobody can say where it ends but we."""
    escaped = harmless(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' if text else ""


def _whole(value: str) -> str:
    r"""A value to its end, with ``\n`` and ``\t`` for what does not fit into a line."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return '"' + harmless(_BREAK.sub(r"\\n", escaped)) + '"'

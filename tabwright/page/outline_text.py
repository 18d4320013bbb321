"""Outlines as text. Text of a page stays in its line, and cannot look like a ref."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final
from urllib.parse import unquote

import attrs

from tabwright.page.outline import HIDDEN, Outline, OutlineControl, OutlineLine, Part, ref_of
from tabwright.protocol.errors import Hint, HintKind, Note
from tabwright.protocol.quotation_marks import double_quoted
from tabwright.text.hints import OWN
from tabwright.text.lines import HEADING_LEVELS, JOINERS, collapse_whitespace
from tabwright.text.token_budget import NOTICE_TOKENS, count_within, cut

# Hints about the targets of links whose names do not describe them.

URL_MAX = 60

_ESCAPED = re.compile("(?:%[89A-F][0-9A-F])+", re.IGNORECASE)
"""Letters of other alphabets."""

_WORD = r"(?:[^\W\d_]+|\d+)"
_TITLE = re.compile(rf"(?<=/)(?<!//)([^\W\d_]+)(?:[-_]{_WORD}){{2,}}(\.\w{{1,5}})?(?=[/?#]|$)")
"""Three or more words in a path, for example ``why-a-sorted-array-is-faster``; not codes."""


def hint(url: str, *, named: bool = True) -> str:
    """Return a short form of a URL that still identifies the target; omissions are marked by ``…``.

    Of a title in the path only the first word is kept, ``https://`` is omitted, and long URLs are
    cut.

    Args:
        url: absolute, or from the path on if it is on the page's own site.
        named: whether the link has a name, which replaces a title in the path.
    """
    read = _ESCAPED.sub(_letters, url) if "%" in url else url
    titled = _TITLE.sub(_first_word, read) if named else read
    short = titled.removeprefix("https://")
    if len(short) > URL_MAX and "?" in short[:URL_MAX]:
        return short[: short.index("?")] + "?…"
    return short if len(short) <= URL_MAX else short[: URL_MAX - 1] + "…"


def _first_word(title: re.Match[str]) -> str:
    """Return the first word of a title, and the extension of a file."""
    return f"{title[1]}…{title[2] or ''}"


def _letters(escaped: re.Match[str]) -> str:
    """Return escaped letters, unless they are invisible."""
    letters = unquote(escaped[0])
    return letters if letters.isprintable() else escaped[0]


ENTRY_MAX = 1000
"""Maximum characters of a header, a dialog, an error, or a listed entry of the console."""

TEXT_MAX = 160
"""Maximum characters of one text; reading returns the whole text."""

LABEL_MAX = 40
"""Maximum characters of one option of a list."""

DEPTH_MAX = 16
"""Maximum indentation; deeper lines are only marked as deep."""

_DIGITS = rf"\d[\d{JOINERS}]*"
_REF = re.compile(rf"\[([*{JOINERS}]*{_DIGITS}\.[{JOINERS}]*{_DIGITS})\]")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
"""Variation selectors of characters, which no action needs."""

_BREAK = re.compile(r"\r\n|[\r\n]")

_MARKS = {tag: "#" * level for tag, level in HEADING_LEVELS.items()}
_GROUPS = {
    "navigation": "nav",
    "complementary": "aside",
    "banner": "header",
    "contentinfo": "footer",
}
"""Shorter HTML names of roles."""


def line_text(line: OutlineLine, *, new: frozenset[str] = frozenset(), whole: bool = False) -> str:
    """Return the line with its indentation.

    A row is not indented deeper than its table: its form shows that it is a row.

    Args:
        line: the line.
        new: refs to mark.
        whole: whether long texts are returned in full.
    """
    depth = line.depth - 1 if line.kind == "row" else line.depth
    return " " * min(depth, DEPTH_MAX) + _bare(line, new, whole=whole)


def _bare(line: OutlineLine, new: frozenset[str], *, whole: bool) -> str:
    if line.kind == "row":
        return "| " + " | ".join(_cells(line, new, whole=whole))
    text = " ".join(filter(None, (_part(part, line, new, whole=whole) for part in line.parts)))
    if not line.kind:
        return text
    if line.kind == HIDDEN:
        return f"(hidden text: {text})"
    if line.kind in _MARKS:
        return f"{_MARKS[line.kind]} {text}"
    if line.kind == "frame":
        return f"frame {_quoted(text)} {escape_refs(hint(line.url))}:".replace("  ", " ")
    group = f"{_GROUPS.get(line.kind, line.kind)} {_quoted(text)}".rstrip()
    rows = "" if line.rows is None else f" ({line.rows} rows)"
    return f"{group}{rows}{' modal' if line.modal else ''}:"


def _cells(line: OutlineLine, new: frozenset[str], *, whole: bool) -> list[str]:
    cells = [""]
    for part in line.parts:
        if part is None:
            cells.append("")
        else:
            cells[-1] = f"{cells[-1]} {_part(part, line, new, whole=whole)}".strip()
    return cells


def _part(
    part: str | OutlineControl | None, line: OutlineLine, new: frozenset[str], *, whole: bool
) -> str:
    match part:
        case None:
            return ""
        case str():
            return escape_refs(part if whole else truncate(part))
        case OutlineControl():
            return control_text(part, ref_of(line.document, part), new, whole=whole)


def control_text(
    control: OutlineControl, ref: str, new: frozenset[str] = frozenset(), *, whole: bool = False
) -> str:
    """Return a control as text: its ref, role, name, value and state.

    A control with a name and a target is a link, so its role is omitted. ``~"trash"`` is a guess at
    the purpose of a control without a name.
    """
    words = [f"[{'*' if ref in new else ''}{ref}]"]
    if control.role != "link" or not (control.name and control.url):
        words.append(control.role)
    if control.name:
        words.append(_quoted(control.name if whole else truncate(control.name)))
    elif control.guess:
        words.append(f"~{_quoted(truncate(control.guess))}")
    if control.value:
        words.append(f"= {_whole(control.value) if whole else _quoted(truncate(control.value))}")
    if control.shows:
        words.append(f"shows {_quoted(control.shows if whole else truncate(control.shows))}")
    words += control.states
    if control.options:
        labels = [
            escape_refs(label if len(label) <= LABEL_MAX else f"{label[: LABEL_MAX - 1]}…")
            for label in control.options.shown
        ]
        more = ["…"] if control.options.count > len(labels) else []
        words.append(f"of {control.options.count}: {', '.join([*labels, *more])}")
    if control.url:
        words.append(escape_refs(control.url if whole else link_hint(control)))
    if control.covered:
        words.append(f"covered by {escape_refs(truncate(control.covered))}")
    return " ".join(words)


def link_hint(control: OutlineControl) -> str:
    """Return the target of the link, if it is useful."""
    return hint(control.url, named=bool(control.name))


def truncate(text: str, characters_max: int = TEXT_MAX) -> str:
    """Return a text cut to its maximum, with the number of omitted characters."""
    if len(text) <= characters_max:
        return text
    kept = text[: characters_max - 20].rstrip()
    return f"{kept} …(+{len(text) - characters_max + 20} characters)"


def escape_refs(text: str) -> str:
    """Return text of a page in one line, without anything that could be taken for one of our refs.

    Invisible characters and terminal control sequences are removed.
    """
    if text.isascii() and text.isprintable():  # most texts, of thousands in a page
        seen = " ".join(text.split())
    else:  # what is removed can leave spaces
        seen = " ".join(_SELECTORS.sub("", collapse_whitespace(text)).split())
    return _REF.sub(r"(\1)", seen) if "[" in seen else seen


def _quoted(text: str) -> str:
    """Return a quoted text whose end the page cannot fake."""
    return double_quoted(escape_refs(text)) if text else ""


def _whole(value: str) -> str:
    r"""Return a whole value, with ``\n`` and ``\t`` for characters that do not fit into a line."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return '"' + escape_refs(_BREAK.sub(r"\\n", escaped)) + '"'


# Changes between two outlines of a page.

COMPARED_MAX = 300
"""Maximum differing lines in the middle: these compare in at most 0.1 s, and the rest is
compared as a set.
"""

LINE_TOKENS_MAX = 120
"""Maximum tokens of one line: of changes, where a snapshot has all of it, and of an outline, where
it continues in the next one."""

TOKENS_MIN = LINE_TOKENS_MAX + NOTICE_TOKENS
"""Tokens of a budget reserved for a line, and for the number of omitted ones."""

MINOR_CHANGES_MAX = 10
"""Maximum removed lines, and lines that are shown again, if not all changes can be reported."""

_NEW_REF: Final = re.compile(r"\[\*(\d+)\.(\d+)\]")
_ANY_REF: Final = re.compile(r"\[\*?(\d+)\.(\d+)\]")


def diff_outlines(before: Outline, after: Outline, max_tokens: int) -> tuple[str, tuple[Note, ...]]:
    """Return the added (``+``) and removed (``-``) lines, and a note about omitted ones.

    Each is empty for none. If they exceed the budget, new content comes first, then a few of the
    removed lines and of those that are shown again: a dialog that opens hides the whole page.

    Args:
        before: the earlier outline.
        after: the later outline.
        max_tokens: maximum tokens of the text, at least `TOKENS_MIN`; 0 for no limit.
    """
    old = list(map(_compared, before.lines))
    new = list(map(_compared, after.lines))
    came = after.refs - before.refs
    shown = [line_text(line, new=came) for line in after.lines]
    lines = [cut(line, LINE_TOKENS_MAX) for line in _changed(old, new, shown)]
    total = len(lines)

    def more(count: int) -> Hint:
        """Return the note about the changes beyond the first `count`."""
        return Hint(HintKind.MORE_CHANGES, {"count": total - count})

    budget = max_tokens and max(max_tokens, TOKENS_MIN)
    count = count_within(lines, budget, lambda count: OWN.hint(more(count)))
    if count < total:
        lines, important = _most_important_first(lines, before)
        count = count_within(lines, budget, lambda count: OWN.hint(more(count)))
        count = min(count, important)
    return "\n".join(lines[:count]), (more(count),) if count < total else ()


def _most_important_first(changes: Sequence[str], before: Outline) -> tuple[list[str], int]:
    """Return the changes in the order of their importance, and how many are worth reporting.

    These are all lines with new content, some removed lines, and some that are shown again. An
    element that had a ref before `before` was taken has a lower number than the latest there.
    """
    latest: dict[int, int] = {}
    for line in before.lines:
        for control in line.controls:
            latest[line.document] = max(latest.get(line.document, 0), control.ref)

    def is_shown_again(change: str) -> bool:
        """Return whether all controls that appeared in a line were on the page before."""
        refs = [(int(document), int(ref)) for document, ref in _NEW_REF.findall(change)]
        return bool(refs) and all(ref <= latest.get(document, 0) for document, ref in refs)

    added = [change for change in changes if change.startswith("+")]
    removed = [change for change in changes if change.startswith("-")]
    again = [change for change in added if is_shown_again(change)]
    fresh = [change for change in added if not is_shown_again(change)]
    some, others = removed[:MINOR_CHANGES_MAX], removed[MINOR_CHANGES_MAX:]
    important = [*fresh, *some, *again[:MINOR_CHANGES_MAX]]
    return [*important, *again[MINOR_CHANGES_MAX:], *others], len(important)


def _compared(line: OutlineLine) -> str:
    """Return the line without marks that many actions change: the focus, and what covers it."""
    return line_text(attrs.evolve(line, parts=tuple(map(_unmarked, line.parts))))


def _unmarked(part: Part) -> Part:
    if isinstance(part, OutlineControl) and ("focused" in part.states or part.covered):
        states = tuple(one for one in part.states if one != "focused")
        return attrs.evolve(part, states=states, covered="")
    return part


def _changed(old: Sequence[str], new: Sequence[str], marked: Sequence[str]) -> Iterator[str]:
    start = _same(old, new)
    end = _same(old[start:][::-1], new[start:][::-1])
    gone, come = old[start : len(old) - end], new[start : len(new) - end]
    shown = marked[start : len(new) - end]
    if max(len(gone), len(come)) > COMPARED_MAX:
        before, after = set(gone), set(come)
        yield from (f"- {line.strip()}" for line in gone if line not in after)
        yield from (
            f"+ {mark.strip()}"
            for line, mark in zip(come, shown, strict=True)
            if line not in before
        )
        return
    for kind, i, j, k, m in SequenceMatcher(None, gone, come, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from (f"- {line.strip()}" for line in gone[i:j])
            yield from (f"+ {line.strip()}" for line in shown[k:m])


def refs_in(text: str) -> Iterator[tuple[int, int]]:
    """Return the refs in a text of outlines, each as the numbers of its document and element."""
    return ((int(document), int(number)) for document, number in _ANY_REF.findall(text))


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of equal lines at the beginning."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count

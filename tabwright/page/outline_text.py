"""Outlines as text. Text of a page stays in its line, and cannot look like a ref."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from urllib.parse import unquote

import attrs

from tabwright.page.outline import Options, Outline, OutlineControl, OutlineLine, Part, ref_of
from tabwright.protocol.errors import Hint, HintKind, Note
from tabwright.text.hints import OWN
from tabwright.text.lines import HEADING_LEVELS, collapse_whitespace
from tabwright.text.token_budget import count_within, cut

# Hints about the targets of links, where the name does not say them already.

URL_MAX = 60

_ESCAPED = re.compile("(?:%[89A-F][0-9A-F])+", re.IGNORECASE)
"""Letters of other alphabets."""

_WORD = r"(?:[^\W\d_]+|\d+)"
_TITLE = re.compile(rf"(?<=/)(?<!//)([^\W\d_]+)(?:[-_]{_WORD}){{2,}}(\.\w{{1,5}})?(?=[/?#]|$)")
"""Three words or more in a path, as ``why-a-sorted-array-is-faster``; codes are none."""


def hint(url: str, *, named: bool = True) -> str:
    """A URL as short as it still tells where a link leads; what is left out is an ellipsis.

    Of a title in the path the first word is kept, ``https://`` is left out, and what is long ends
    early.

    Args:
        url: absolute, or from the path on where that is on the page's own site.
        named: whether the link has a name, which says what a title in the path does.
    """
    read = _ESCAPED.sub(_letters, url)
    told = _TITLE.sub(r"\1…\2", read) if named else read
    short = told.removeprefix("https://")
    if len(short) > URL_MAX and "?" in short[:URL_MAX]:
        return short[: short.index("?")] + "?…"
    return short if len(short) <= URL_MAX else short[: URL_MAX - 1] + "…"


def _letters(escaped: re.Match[str]) -> str:
    """What is escaped, unless nobody sees it."""
    letters = unquote(escaped[0])
    return letters if letters.isprintable() else escaped[0]


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


def line_text(line: OutlineLine, *, new: frozenset[str] = frozenset(), whole: bool = False) -> str:
    """The line with its indentation.

    A row stands no deeper than its table: it shows that it is one.

    Args:
        line: what it is made of.
        new: refs to mark.
        whole: whether long texts are given to their end.
    """
    depth = line.depth - 1 if line.kind == "row" else line.depth
    return " " * min(depth, DEPTH_MAX) + _bare(line, new, whole=whole)


def _bare(line: OutlineLine, new: frozenset[str], *, whole: bool) -> str:
    if line.kind == "row":
        return "| " + " | ".join(_cells(line, new, whole=whole))
    text = " ".join(filter(None, (_part(part, line, new, whole=whole) for part in line.parts)))
    if line.kind in _MARKS:
        return f"{_MARKS[line.kind]} {text}"
    if line.kind == "frame":
        return f"frame {_quoted(text)} {escape_refs(hint(line.url))}:".replace("  ", " ")
    group = f"{_GROUPS.get(line.kind, line.kind)} {_quoted(text)}".rstrip()
    rows = "" if line.rows is None else f" ({line.rows} rows)"
    return f"{group}{rows}{' modal' if line.modal else ''}:" if line.kind else text


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
    """A control: its ref, what it is, what it holds, how it stands.

    What has a name and leads somewhere is a link, which is not said.
    """
    words = [f"[{'*' if ref in new else ''}{ref}]"]
    if control.role != "link" or not (control.name and control.url):
        words.append(control.role)
    if control.name:
        words.append(_quoted(truncate(control.name)))
    if control.value:
        words.append(f"= {_whole(control.value) if whole else _quoted(truncate(control.value))}")
    words += control.states
    if control.options:
        words.append(_choices(control.options))
    if control.url:
        words.append(escape_refs(control.url if whole else link_hint(control)))
    if control.covered:
        words.append(f"covered by {escape_refs(truncate(control.covered))}")
    return " ".join(words)


def _choices(options: Options) -> str:
    labels = (escape_refs(label if len(label) <= LABEL_MAX else f"{label[: LABEL_MAX - 1]}…")
              for label in options.shown)  # fmt: skip
    more = ", …" if options.count > len(options.shown) else ""
    return f"of {options.count}: {', '.join(labels)}{more}"


def link_hint(control: OutlineControl) -> str:
    """Where it leads, as far as that is worth to be told."""
    return hint(control.url, named=bool(control.name))


def truncate(text: str, characters_max: int = TEXT_MAX) -> str:
    """A text cut to its maximum, with how much more there is."""
    if len(text) <= characters_max:
        return text
    kept = text[: characters_max - 20].rstrip()
    return f"{kept} …(+{len(text) - characters_max + 20} characters)"


def escape_refs(text: str) -> str:
    """What a page says, in one line, with nothing in it that could be taken for a ref of ours.

    Nothing is left that nobody sees, or that a terminal would do.
    """
    seen = _SELECTORS.sub("", collapse_whitespace(text))
    return _REF.sub(r"(\1)", " ".join(seen.split()))


def _quoted(text: str) -> str:
    """A text of which nobody can say where it ends but we."""
    escaped = escape_refs(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' if text else ""


def _whole(value: str) -> str:
    r"""A value to its end, with ``\n`` and ``\t`` for what does not fit into a line."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return '"' + escape_refs(_BREAK.sub(r"\\n", escaped)) + '"'


# Changes between two outlines of a page.

COMPARED_MAX = 300
"""Lines in the middle, where the two differ: these compare in a tenth of a second at the worst, and
what more there are is compared as a set."""

CHANGE_TOKENS_MAX = 120
"""Of one line; a snapshot has all of it."""

TOKENS_MIN = 150
"""Of a budget: room for a line, and for how many there are more."""


def diff_outlines(before: Outline, after: Outline, max_tokens: int) -> tuple[str, tuple[Note, ...]]:
    """The lines that came (``+``) and went (``-``), and what we say of those that are left out.

    Each is empty for none.

    Args:
        before: the page as it was.
        after: the page as it is.
        max_tokens: what the text may have, or `TOKENS_MIN` where that is less; 0 for no limit.
    """
    old = list(map(_compared, before.lines))
    new = list(map(_compared, after.lines))
    came = after.refs - before.refs
    shown = [line_text(line, new=came) for line in after.lines]
    told = [cut(line, CHANGE_TOKENS_MAX) for line in _changed(old, new, shown)]

    def more(count: int) -> Hint:
        """What is said of the changes beyond the first `count`."""
        return Hint(HintKind.MORE_CHANGES, {"count": len(told) - count})

    budget = max_tokens and max(max_tokens, TOKENS_MIN)
    count = count_within(told, budget, lambda count: OWN.hint(more(count)))
    return "\n".join(told[:count]), (more(count),) if count < len(told) else ()


def _compared(line: OutlineLine) -> str:
    """The line without where the focus is: that goes wherever something is done."""
    return line_text(attrs.evolve(line, parts=tuple(map(_unfocused, line.parts))))


def _unfocused(part: Part) -> Part:
    if isinstance(part, OutlineControl) and "focused" in part.states:
        return attrs.evolve(part, states=tuple(one for one in part.states if one != "focused"))
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


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines are the same from the beginning on."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count

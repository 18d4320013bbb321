"""A line of an outline as text. What a page says stays in its line, and cannot look like a ref."""

import re

from tabwright.acting.outlines import Control, Line, ref_of

TEXT_MAX = 160
"""Of one text; the page's whole text is what reading is for."""

URL_MAX = 60

_REF = re.compile(r"\[(\*?\d+\.\d+)\]")
_MARKS = {f"h{level}": "#" * level for level in range(1, 7)}


def line_text(line: Line, *, new: frozenset[str] = frozenset(), whole: bool = False) -> str:
    """The line with its indentation.

    Args:
        line: what it is made of.
        new: refs to mark.
        whole: whether long texts are given to their end.
    """
    return " " * line.depth + _bare(line, new, whole=whole)


def _bare(line: Line, new: frozenset[str], *, whole: bool) -> str:
    if line.kind == "row":
        return "| " + " | ".join(_cells(line, new, whole=whole))
    text = " ".join(filter(None, (_part(part, line, new, whole=whole) for part in line.parts)))
    if line.kind in _MARKS:
        return f"{_MARKS[line.kind]} {text}"
    if line.kind == "frame":
        return f"frame {_quoted(text)} {shortened_url(line.url)}:".replace("  ", " ")
    group = f"{line.kind} {_quoted(text)}".rstrip()
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
            return control_text(part, ref_of(line.document, part), new)


def control_text(control: Control, ref: str, new: frozenset[str] = frozenset()) -> str:
    """A control: its ref, what it is, what it holds, how it stands."""
    words = [f"[{'*' if ref in new else ''}{ref}]", control.role]
    if control.name:
        words.append(_quoted(control.name))
    if control.value:
        words.append(f"= {_quoted(control.value)}")
    words += control.states
    if control.options:
        listed = ", ".join(map(harmless, control.options.shown))
        more = ", …" if control.options.count > len(control.options.shown) else ""
        words.append(f"of {control.options.count}: {listed}{more}")
    if control.url:
        words.append(shortened_url(control.url))
    if control.covered:
        words.append(f"covered by {harmless(control.covered)}")
    return " ".join(words)


def shortened(text: str) -> str:
    """A text cut to `TEXT_MAX`, with how much more there is."""
    if len(text) <= TEXT_MAX:
        return text
    return f"{text[: TEXT_MAX - 20].rstrip()} …(+{len(text) - TEXT_MAX + 20} characters)"


def shortened_url(url: str) -> str:
    """A URL as a hint where a link leads; one that is cut ends with an ellipsis."""
    plain = harmless(url)
    if len(plain) > URL_MAX and "?" in plain[:URL_MAX]:
        return plain[: plain.index("?")] + "?…"
    return plain if len(plain) <= URL_MAX else plain[: URL_MAX - 1] + "…"


def harmless(text: str) -> str:
    """What a page says, in one line, with nothing in it that could be taken for a ref of ours."""
    return _REF.sub(r"(\1)", " ".join(text.split()))


def _quoted(text: str) -> str:
    return f'"{harmless(text)}"' if text else ""

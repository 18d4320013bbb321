"""The engine's furniture off the edges of a plain text."""

from tabwright.search.ai_mode.page_kind import is_furniture


def cleaned(text: str) -> str:
    """The text without the lines of furniture at its beginning and its end.

    Only whole lines go, and only until the first line that is none: ``Help`` inside an answer
    stays, and a text without furniture at its edges comes back as it is.
    """
    lines = text.splitlines(keepends=True)
    kept = _without_head(_without_head(lines)[::-1])[::-1]
    return text if len(kept) == len(lines) else "".join(kept).rstrip("\r\n")


def _without_head(lines: list[str]) -> list[str]:
    """The lines after the furniture at the head, with the empty lines that set it apart."""
    kept = lines
    for index, line in enumerate(lines):
        if is_furniture(line):
            kept = lines[index + 1 :]
        elif line.strip():
            break
    return _without_blanks(kept) if len(kept) < len(lines) else lines


def _without_blanks(lines: list[str]) -> list[str]:
    for index, line in enumerate(lines):
        if line.strip():
            return lines[index:]
    return []

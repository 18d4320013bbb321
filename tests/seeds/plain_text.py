"""Clean the plain text of a page and find its new part, by words instead of structure."""

import re
from functools import cache

from tabwright.search.ai_mode.page_state import all_page_words

SPACES = re.compile(r"\s+")


def is_boilerplate(line: str) -> bool:
    """Return whether the whole line is boilerplate in any language.

    Case and white space are ignored.
    """
    folded = _folded(line)
    return folded in _lines() or any(pattern.fullmatch(folded) for pattern in _counts_of_sites())


def _folded(line: str) -> str:
    """Return the line without case, white space and final full stops.

    Pages are inconsistent about the space after a full stop.
    """
    straight = line.replace("\u2019", "'")
    return SPACES.sub("", straight).rstrip(".\u3002").casefold()


@cache
def _lines() -> frozenset[str]:
    pages = all_page_words().values()
    lines = (line for page in pages for line in (page.tab, *page.labels, *page.notices))
    return frozenset(map(_folded, lines))


@cache
def _counts_of_sites() -> tuple[re.Pattern[str], ...]:
    pages = all_page_words().values()
    return tuple(re.compile(page.sites.replace(" ", "").casefold()) for page in pages)


def cleaned(text: str) -> str:
    """Return the text without lines of boilerplate at its beginning and end.

    Only whole lines are removed, up to the first line that is not boilerplate: ``Help`` inside an
    answer is kept, and a text without boilerplate at its edges is returned unchanged.
    """
    lines = text.splitlines(keepends=True)
    kept = _without_head(_without_head(lines)[::-1])[::-1]
    return text if len(kept) == len(lines) else "".join(kept).rstrip("\r\n")


def _without_head(lines: list[str]) -> list[str]:
    """Return the lines after boilerplate at the head and its surrounding empty lines."""
    kept = lines
    for index, line in enumerate(lines):
        if is_boilerplate(line):
            kept = lines[index + 1 :]
        elif line.strip():
            break
    return _without_blanks(kept) if len(kept) < len(lines) else lines


def _without_blanks(lines: list[str]) -> list[str]:
    for index, line in enumerate(lines):
        if line.strip():
            return lines[index:]
    return []


def new_part(thread: str, *, previous: str, query: str) -> str:
    """Return what follows the previous answer and the echoed question in a thread.

    The previous answer is matched as whole lines, ignoring white space; if it is not found, the
    whole text counts as new. The question is dropped only if it is the first line, or lines.

    Args:
        thread: the text of the page.
        previous: the previous answer.
        query: the question that was asked after it.
    """
    lines = _after(thread.splitlines(), previous)
    return "\n".join(_without_question(lines, query)).strip("\n")


def _after(lines: list[str], previous: str) -> list[str]:
    """Return the lines after the last occurrence of the previous answer."""
    wanted = _unspaced(previous.splitlines())
    folded = [" ".join(line.split()) for line in lines]
    if not wanted:
        return lines
    for start in range(len(lines) - 1, -1, -1):
        end = _end_of_match(folded, start, wanted)
        if end is not None:
            return lines[end:]
    return lines


def _end_of_match(folded: list[str], start: int, wanted: list[str]) -> int | None:
    """Return the end of a match that begins at `start`, ignoring empty lines."""
    place = start
    for line in wanted:
        while place < len(folded) and place > start and not folded[place]:
            place += 1
        if place == len(folded) or folded[place] != line:
            return None
        place += 1
    return place


def _without_question(lines: list[str], query: str) -> list[str]:
    rest = _after_blanks(lines)
    end = _end_of_match([" ".join(line.split()) for line in rest], 0, _unspaced(query.splitlines()))
    return rest[end:] if end else lines


def _after_blanks(lines: list[str]) -> list[str]:
    blanks = next((index for index, line in enumerate(lines) if line.strip()), len(lines))
    return lines[blanks:]


def _unspaced(lines: list[str]) -> list[str]:
    """Return the non-empty lines with white space collapsed."""
    return [" ".join(line.split()) for line in lines if line.strip()]

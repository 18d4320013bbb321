"""Cleaning the plain text of a page, and finding its new part, by words instead of structure."""

import re
from functools import cache

from tabwright.search.ai_mode.page_state import all_page_words

SPACES = re.compile(r"\s+")


def is_boilerplate(line: str) -> bool:
    """Whether the whole line is boilerplate in any language; case and white space do not count."""
    folded = _folded(line)
    return folded in _lines() or any(pattern.fullmatch(folded) for pattern in _counts_of_sites())


def _folded(line: str) -> str:
    """Without case and white space: a page sets a space after a full stop, or none."""
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
    """The text without the lines of boilerplate at its beginning and its end.

    Only whole lines go, and only until the first line that is none: ``Help`` inside an answer
    stays, and a text without boilerplate at its edges comes back as it is.
    """
    lines = text.splitlines(keepends=True)
    kept = _without_head(_without_head(lines)[::-1])[::-1]
    return text if len(kept) == len(lines) else "".join(kept).rstrip("\r\n")


def _without_head(lines: list[str]) -> list[str]:
    """The lines after the boilerplate at the head, with the empty lines that set it apart."""
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
    """What stands in the thread after the previous answer and the echoed question.

    The previous answer is looked for as whole lines, white space aside; where it is not found the
    text counts as new. The question is dropped only where it is the first line, or lines.

    Args:
        thread: the text of the page.
        previous: the answer before.
        query: the question that was asked since.
    """
    lines = _after(thread.splitlines(), previous)
    return "\n".join(_without_question(lines, query)).strip("\n")


def _after(lines: list[str], previous: str) -> list[str]:
    """The lines after the last place where the previous answer stands."""
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
    """Where a match that begins at `start` ends; empty lines between its lines do not count."""
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
    """The lines that are not empty, their white space collapsed."""
    return [" ".join(line.split()) for line in lines if line.strip()]

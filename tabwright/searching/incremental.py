"""The new part of a thread's text, where turns cannot be told apart by structure."""


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
    wanted = _folded(previous.splitlines())
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
    end = _end_of_match([" ".join(line.split()) for line in rest], 0, _folded(query.splitlines()))
    return rest[end:] if end else lines


def _after_blanks(lines: list[str]) -> list[str]:
    blanks = next((index for index, line in enumerate(lines) if line.strip()), len(lines))
    return lines[blanks:]


def _folded(lines: list[str]) -> list[str]:
    """The lines that are not empty, their white space collapsed."""
    return [" ".join(line.split()) for line in lines if line.strip()]

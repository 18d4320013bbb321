"""Targets of playwright-mcp's tools: finds the elements that an agent names.

A client's regular expression may take forever on a page's text, and Python's cannot be interrupted:
it runs in a separate process.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

import msgspec
import trio
from msgspec import Meta

from tabwright.config.settings import DEFAULT_SESSION
from tabwright.mcp.arguments import ELEMENT
from tabwright.protocol.actions import Action
from tabwright.protocol.errors import BadInput, TimeOut
from tabwright.protocol.inspection import REF, Locate

if TYPE_CHECKING:
    from tabwright.client import Tabwright

MATCH_S = 2.0
"""The time limit of a match; long enough for any sound expression."""

AROUND = 3
"""The number of lines shown before and after a match."""

FOUND_MAX = 20
"""The maximum number of matches shown."""

_FLAGGED = re.compile(r"/(.+)/([ims]*)", re.DOTALL)

_SCRIPT = """
import json, re, sys
pattern, texts = json.load(sys.stdin)
found = re.compile(pattern)
json.dump([number for number, text in enumerate(texts) if found.search(text)], sys.stdout)
"""


async def matching(pattern: str, texts: Sequence[str]) -> tuple[int, ...]:
    """Return the indices of the texts that match a regular expression.

    Cancellation ends the process.

    Args:
        pattern: for example ``error|warning``, or with flags ``/error/i``.
        texts: any.

    Raises:
        BadInput: the pattern is not valid.
        TimeOut: the match takes too long.
    """
    sound = _sound(pattern)
    request = msgspec.json.encode((sound, texts))
    with trio.move_on_after(MATCH_S):
        process = await trio.run_process(
            [sys.executable, "-I", "-c", _SCRIPT], stdin=request, capture_stdout=True
        )
        return msgspec.json.decode(process.stdout, type=tuple[int, ...])
    raise TimeOut(
        f"The expression {pattern!r} takes too long to match.", advice="Use a simpler expression."
    )


def _sound(pattern: str) -> str:
    flagged = _FLAGGED.fullmatch(pattern)
    if flagged and flagged[2]:
        sound = f"(?{''.join(sorted(set(flagged[2])))}){flagged[1]}"
    else:
        sound = flagged[1] if flagged else pattern
    try:
        re.compile(sound)
    except (re.error, RecursionError, OverflowError) as error:
        raise BadInput(f"{pattern!r} is not a valid regular expression: {error}.") from error
    return sound


def holding(word: str, texts: Sequence[str]) -> tuple[int, ...]:
    """Return the indices of the texts that contain a word, case-insensitively."""
    wanted = word.casefold()
    return tuple(place for place, text in enumerate(texts) if wanted in text.casefold())


def excerpts(lines: Sequence[str], found: Sequence[int]) -> str:
    """Return the matching lines, with the lines around them and all their groups."""
    shown = set[int]()
    for place in found[:FOUND_MAX]:
        shown.update(range(max(0, place - AROUND), min(len(lines), place + AROUND + 1)))
    for number in tuple(shown):
        shown.update(_groups_of(lines, number))
    parts = list[str]()
    for number in sorted(shown):
        if number - 1 not in shown and parts:
            parts.append("…")
        parts.append(lines[number])
    if len(found) > FOUND_MAX:
        parts.append(f"({len(found) - FOUND_MAX} more matches.)")
    return "\n".join(parts)


def _groups_of(lines: Sequence[str], number: int) -> Iterator[int]:
    """Return the indices of the lines that a line is nested under, from the nearest one up."""
    depth = _depth(lines[number])
    while depth and number:
        number -= 1
        if lines[number].strip() and _depth(lines[number]) < depth:
            depth = _depth(lines[number])
            yield number


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


# Elements as clients of playwright-mcp name them.


async def ref_of(tabwright: "Tabwright", target: str) -> str:
    """Return the ref of the single element that a target names by its ref or a CSS selector.

    Raises:
        BadInput: the selector matches no element, or several.
    """
    if not target or REF.fullmatch(target):
        return target
    return await tabwright.session(DEFAULT_SESSION).inspect(Locate(target))


# The requests behind these tools.
#
# Names and arguments are those of @playwright/mcp 0.0.83; older clients call a target a ref.

Target: TypeAlias = Annotated[
    str, Meta(description="ref from browser_snapshot, or a CSS selector", extra_json_schema=ELEMENT)
]
FileName: TypeAlias = Annotated[
    str, Meta(description="save it under this name in the download folder")
]


class PlaywrightArguments(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Arguments of a tool."""


class PlaywrightAction(PlaywrightArguments, frozen=True, kw_only=True):
    """An action on the current page."""

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets of the action, as named by the client."""
        return ()

    def request(self, refs: Sequence[str], /) -> Action:
        """Return the request for the tab.

        Args:
            refs: of the targets.

        Raises:
            BadInput: the action is not possible with these targets or arguments.
        """
        raise NotImplementedError(refs)


class PlaywrightInspection(PlaywrightArguments, frozen=True, kw_only=True):
    """A request whose answer can be saved in a file."""

    filename: FileName = ""

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.filename
